#!/bin/sh
# No text of the library names an option of the command line: settings are keys
# of studies and arguments in Python as well, and are named as `name: value`.
# Pages show whole commands. Sentences that are kept in estimators stay as they
# are, byte for byte.
set -eu
cd "$2"
found=$(grep -rnE --include='*.[ch]' '"[^"]*(--[a-z]|another -o)' src |
    grep -vE '^src/(study/page/(page|section_making)|rounds/(command/)?page)\.c:' |
    grep -vE '^src/trust/trust_(certify|cross)\.c:' || true)
found=$found$(grep -rnE --include='*.[ch]' \
    '^[^/*]*"([^"`]|`[^`"]*`)*[a-z_]+: [A-Z]+(\.[a-z0-9]+)?[")]' src || true)
found=$found$(grep -rnE --include='*.[ch]' \
    '^[^/*]*"([^"`]|`[^`"]*`)*(^|[^a-z_`])(trust|split|temper|grid|allow_seen): (auto|fresh|test|yes|no)\b' src |
    grep -v "^src/study/" || true) # whose texts are of a file of such keys
[ -z "$found" ] || {
    printf 'these texts name flags, or settings without their quotes:\n%s\n' "$found" >&2
    exit 1
}
