#!/bin/sh
# A sample of slow_crash.sh.
STEP=31 exec "$(dirname "$0")/slow_crash.sh" "$@"
