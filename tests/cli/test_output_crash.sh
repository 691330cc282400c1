#!/bin/sh
# A sample of slow_output_crash.sh.
STEP=53 WHENS=after exec "$(dirname "$0")/slow_output_crash.sh" "$@"
