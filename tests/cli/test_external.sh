#!/bin/sh
# External programs as simulators, through `bnre simulate`: the examples, same
# bytes always, failures told, nothing left behind.
. "$(dirname "$0")/lib.sh"
TMPDIR=$scratch/tmp
export TMPDIR
mkdir "$TMPDIR"

# The examples as given, from another directory; results do not depend on how
# many work at a time.
cp -r "$SOURCE/examples/external" ex
example() { # DIRECTORY COUNT
    run simulate --task "ex/$1/study.yaml" --count "$2" --threads 1 -o "$1.h5"
    exits 0
    prints_not failed
    run simulate --task "ex/$1/study.yaml" --count "$2" --threads 2 -o "$1-2.h5"
    exits 0
    same_file "$1.h5" "$1-2.h5"
    run simulate --task "ex/$1/study.yaml" --count "$2" --workers 3 -o "$1-3.h5"
    exits 0
    same_file "$1.h5" "$1-3.h5"
    run info "$1.h5"
    prints 'task          decay'
    # The decay is seen: x starts near the scale and ends near the offset.
    run convert "$1.h5" "$1.csv"
    exits 0
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 { d = $at["x.0"] - $at["theta.scale"] - $at["nuisance.offset"]
                 sum += d * d; n++ }
        END { exit !(n == '"$2"' && sum / n < 0.02) }' "$1.csv" ||
        fail "the values of the example $1 should make sense"
}
example python 300
${CC:-cc} -O2 -o ex/c/sim ex/c/sim.c -lm || fail 'the C example should build'
example c 3000
example shell 20
if command -v gfortran >/dev/null; then
    gfortran -O2 -o ex/fortran/sim ex/fortran/sim.f90 ||
        fail 'the Fortran example should build'
    example fortran 20
else
    echo 'skipped: the Fortran example (no gfortran)'
fi
[ -z "$(ls "$TMPDIR")" ] || fail 'no scratch directory should be left'

# The start of docs/simulators.md, as it stands there.
block() { # LANGUAGE: the first block of it
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p; /^## /q" "$SOURCE/docs/simulators.md" |
        grep -v '^```'
}
mkdir start
block yaml >start/study.yaml
block python >start/sim.py
run simulate --task start/study.yaml --count 500 -o start.h5
exits 0
prints 'rows          500'
prints_not failed

# A program that answers with what it got.
cat >echo.yaml <<'END'
parameters: {rate: "uniform(0, 10)", scale: "log_normal(0, 1)"}
observable: [3]
simulator:
  command: [python3, -uc, "import sys\nfor l in sys.stdin: print(l, end='')"]
END
run simulate --task echo.yaml --count 500 -o echo.csv
exits 0
awk -F, 'NR > 1 && ($4 - $1) ^ 2 + ($5 - $2) ^ 2 > 1e-10 * ($1 + $2) ^ 2 {
        exit 1 } NR > 1 && seen[$3]++ { exit 1 }
    NR > 1 { n++ } END { exit n != 500 }' echo.csv ||
    fail 'rows should have their own parameters and seeds'
head -1 echo.csv >header
[ "$(cat header)" = theta.rate,theta.scale,x.0,x.1,x.2 ] ||
    fail 'the columns should be theta, then x'

# More rows later are as if made at once, and no path of this machine is kept.
run simulate --task ex/c/study.yaml --count 1000 -o grown.h5
run simulate --task ex/c/study.yaml --count 3000 -o grown.h5
prints '2,000 new'
same_file grown.h5 c.h5
fails grep -q "$scratch" grown.h5

# Failures are told with their reasons, and the log has all that was said.
cat >weak.sh <<'END'
while read -r seed a; do
    case $seed in
    *0) echo "matrix is singular" >&2; exit 1 ;;
    *1) echo "error no root" ;;
    *) echo "$a" ;;
    esac
done
END
cat >weak.yaml <<'END'
task:
  parameters: {a: "uniform(0, 1)"}
  observable: 1
  simulator: {command: [sh, weak.sh]}
END
run simulate --task weak.yaml --count 60 --threads 1 -o weak.h5
exits 0
prints 'matrix is singular'
prints 'no root'
holds grep -q 'matrix is singular' weak.h5.log
run simulate --task weak.yaml --count 60 --threads 2 -o weak2.h5
same_file weak.h5 weak2.h5
run info weak.h5
prints 'exit status 1: matrix is singular'

# All are lost: the run ends after its trial, or where there is none at the end,
# with the reason and advice, and keeps nothing of it.
echo 'echo said >>calls; no_such_command; exit 4' >broken.sh
sed 's/weak/broken/' weak.yaml >broken.yaml
for count in 1000 40 3 1; do
    rm -f calls
    run simulate --task broken.yaml --count $count -o broken.h5
    exits 1
    says 'first ... exit status 4: '
    says '| sh broken.sh'
    says 'said ... broken.h5.log'
    fails test -e broken.h5
    fails test -e broken.h5.part
    [ $count -lt 1000 ] || says 'lost, 5 of 5'
    [ $count -ne 3 ] || says 'lost, 3 of 3'
    [ $count -lt 1000 ] || [ "$(wc -l <calls)" -le 10 ] ||
        fail 'it should stop at once'
done
# Most are lost.
cat >broken.sh <<'END'
while read -r seed a; do
    case $seed in
    *[0-6]) exit 4 ;;
    *) echo "$a" ;;
    esac
done
END
run simulate --task broken.yaml --count 1000 -o broken.h5
exits 1
says 'simulations ... lost'
says '| sh broken.sh'
fails test -e broken.h5
fails test -e broken.h5.part
# Rows of a resumed run are not given up for a trial that fails: the program
# answers 150 times.
cat >broken.sh <<'END'
while read -r seed a; do
    [ "$(wc -l <answers)" -lt 150 ] || exit 4
    echo >>answers
    echo "$a"
done
END
: >answers
run simulate --task broken.yaml --count 150 --threads 1 -o broken.h5
exits 0
run simulate --task broken.yaml --count 400 --threads 1 -o broken.h5
exits 1
says 'all simulations ... trial ... lost, 5 ... 5'
run info broken.h5
prints 'rows          150'
rm broken.h5
cp weak.sh broken.sh
run simulate --task broken.yaml --count 60 -o broken.h5
exits 0

# At the first failure, if asked to.
sed 's/weak.sh\]/weak.sh], on_failure: abort/' weak.yaml >strict.yaml
run simulate --task strict.yaml --count 60 -o strict.h5
exits 1
says 'on_failure ... abort'

# What cannot work is said at once.
run simulate --task gaussian --workers 2 --count 10 -o no.h5
exits 2
says 'workers ... external'
printf '%s\n' 'parameters: {a: "uniform(0, 1)"}' 'observable: 1' \
    'simulator: {command: [no_such_program]}' >absent.yaml
run simulate --task absent.yaml --count 10 -o no.h5
exits 1
says 'simulator no_such_program: No such file'

finish
