#!/bin/sh
# A sample of slow_command_crash.sh.
STEP=300 LAST=20 WHENS=before SHORT=yes \
    exec "$(dirname "$0")/slow_command_crash.sh" "$@"
