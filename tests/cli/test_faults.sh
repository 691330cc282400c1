#!/bin/sh
# A sample of slow_faults.sh.
STEP=97 exec "$(dirname "$0")/slow_faults.sh" "$@"
