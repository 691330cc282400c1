#!/bin/sh
# What `make run` and `make` build holds no test, and all that is needed.
build=$1
[ -e "$build/build.ninja" ] || exit 0 # another generator
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
failures=0

for target in program all; do
    ninja -C "$build" -t commands $target >"$list" || exit 1
    if grep -Eq '/(tests|fuzz)/[^ ]*\.c$' "$list"; then
        echo "$target builds tests:" >&2
        grep -Eo '/(tests|fuzz)/[^ ]*\.c$' "$list" | head -n 3 >&2
        failures=1
    fi
    for part in cli/entry.c libexec/supervise.c; do
        grep -q "/$part\$" "$list" && continue
        echo "$target should build $part" >&2
        failures=1
    done
    if [ -e "$build/plugins/gw.so" ] && ! grep -q gw.so "$list"; then
        echo "$target should build the plugin gw" >&2
        failures=1
    fi
done
ninja -C "$build" -t commands tests >"$list" || exit 1
grep -Eq '/(tests|fuzz)/[^ ]*\.c$' "$list" || {
    echo 'the target tests should build tests' >&2
    failures=1
}
exit $failures
