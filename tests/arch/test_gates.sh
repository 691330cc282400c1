#!/bin/sh
# What could run code, or obey text, has one place each (docs/security.md).
set -u
cd "$2" || exit 1
bad=0

# only PATTERN WHAT FILE...: what matches stands in these files alone.
only() {
    pattern=$1 what=$2
    shift 2
    found=$(grep -rnE --include='*.[ch]' "$pattern" src cli mpi libexec sims |
        grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/\*|\*)')
    for file in "$@"; do
        echo "$found" | grep -q "^$file:" || {
            echo "$file has no $what any more: mend this test" >&2
            bad=1
        }
        found=$(echo "$found" | grep -v "^$file:")
    done
    [ -z "$found" ] || {
        echo "$what in a place of its own:" >&2
        echo "$found" >&2
        bad=1
    }
}

only '(^|[^_[:alnum:]])(system|popen)\(' 'a shell'
only '(^|[^_[:alnum:]])dlopen\(' 'loading of plugins' src/task/plugin.c
only '(^|[^_[:alnum:]])(posix_spawnp?|exec[lv][pe]*)\(' 'a start of a program' \
    src/task/external/process.c src/output/gnuplot.c libexec/supervise.c
only 'kind->open\(simulator' 'opening of simulators' src/task/simulator.c
only '(^|[^_[:alnum:]])v?f?printf\(|(^|[^_[:alnum:]])(puts|perror)\(' \
    'printing that is not made safe to show' libexec/supervise.c

exit $bad
