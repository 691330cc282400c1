#!/bin/sh
# What a command writes: nobody's file is lost, no input is an output, one
# writer at a time, and no link that somebody planted leads elsewhere.
. "$(dirname "$0")/lib.sh"

run simulate --task gaussian --count 64 -o data.h5 --quiet
exits 0
cat >net.yaml <<'NET'
head: {hidden: [4], activation: selu}
NET
train="train --network net.yaml --epochs 1 --batch-size 16 --quiet"
same() { # FILE: it is as it was
    same_file "$1" "keep/$(basename "$1")"
}
mkdir keep
cp data.h5 net.yaml keep

# ---- inputs ----

for name in data.h5 ./data.h5 soft.h5 hard.h5; do
    ln -sf data.h5 soft.h5
    ln -f data.h5 hard.h5
    run $train --data data.h5 -o $name --force
    exits 2
    says "input data.h5"
    run convert data.h5 $name --force
    exits 2
    says "input data.h5"
    run $train --data data.h5 --trust fresh --temper auto -o $name --force
    exits 2
    says "input data.h5"
    same data.h5
done
run $train --data data.h5 -o est.h5 --history data.h5 --force
exits 2
says "is the input"
run $train --data data.h5 -o est.h5 --history net.yaml --force
exits 2
says "is the input"
run $train --data data.h5 -o est.h5 --history est.h5
exits 2
printf 'task: gaussian\n' >task.yaml
printf 'data: data.h5\n' >settings.yaml
cp task.yaml settings.yaml keep
run $train --data data.h5 --task task.yaml -o est.h5 --history task.yaml --force
exits 2
says "input task.yaml"
run $train --config settings.yaml -o est.h5 --history settings.yaml --force
exits 2
says "input settings.yaml"
same task.yaml
same settings.yaml
run convert data.h5 theta.npy,x.npy --quiet
exits 0
cp theta.npy x.npy keep
run convert theta.npy,x.npy theta.npy,y.npy --force
exits 2
says "is the input"
run $train --data theta.npy,x.npy --task gaussian -o x.npy --force
same theta.npy
same x.npy
same data.h5
same net.yaml
rm -f soft.h5 hard.h5
holds test ! -e est.h5

cat >theta.csv <<'CSV'
0.1,0.2
CSV
cp theta.csv keep
run simulate --task gaussian --theta-file theta.csv -o theta.csv --force
exits 2
says "input theta.csv"
same theta.csv
# A study of one's own is not replaced by the copy that `run` leaves.
mkdir own
printf '# my notes\ntask: gaussian\nsimulations: 48\n' >own/study.yaml
cp own/study.yaml keep
run run own/study.yaml -o own --no-report
exits 1
says "own ... no study"
run run own/study.yaml -o own --no-report --force
exits 2
says "is the input"
same own/study.yaml

# What a study or an inference names stays, wherever it lies.
printf '0.5 0.4\n' >own/results.csv
printf 'task: gaussian\nsimulations: 48\nobservation: results.csv\nnetwork: report.html\n' >own/named.yaml
cp net.yaml own/report.html
cp own/results.csv own/report.html keep
run run own/named.yaml -o own --no-report --force
exits 2
says "is the input ... own/results.csv"
sed -i 's/results.csv/..\/data.h5:1/' own/named.yaml
run run own/named.yaml -o own --force
exits 2
says "is the input ... own/report.html"
same own/results.csv
same own/report.html
mkdir -p result/round-1
cp data.h5 result/estimator.h5
cp data.h5 result/round-1/data.h5
cp own/results.csv result/report.html
cp own/results.csv keep/report.html
printf 'task: gaussian\n' >result/infer.yaml
infer="infer --simulations 100 -o result --force"
for name in result/estimator.h5 result/round-1/data.h5; do
    run $infer --task gaussian --data $name --observation data.h5:1
    exits 2
    says "input $name"
    run $infer --task gaussian --observation $name:1
    exits 2
    says "input $name"
done
run $infer --task gaussian --observation result/report.html
exits 2
says "input result/report.html"
run $infer --config result/infer.yaml --observation data.h5:1
exits 2
says "input result/infer.yaml"
same_file result/estimator.h5 data.h5
same_file result/round-1/data.h5 data.h5
same_file result/infer.yaml task.yaml
same result/report.html
run $train --classes data.h5 theta.npy,x.npy keep/data.h5 -o est.h5 --history data.h5 --force
exits 2
says "input data.h5"
same data.h5
holds test ! -e est.classes.h5

# ---- files beside the output ----

echo mine >est.history.csv
run $train --data data.h5 -o est.h5
exits 1
says "est.history.csv ... already"
run $train --data data.h5 --trust fresh --temper auto --select 60 --certify 60 -o est.h5
exits 1
says "est.history.csv ... already"
[ "$(cat est.history.csv)" = mine ] || fail "the file is kept"
echo mine >own.csv
run $train --data data.h5 -o est.h5 --history own.csv
exits 1
says "own.csv ... already"
[ "$(cat own.csv)" = mine ] || fail "the file is kept"
rm est.history.csv
echo mine >est-trust.dat
run $train --data data.h5 --trust fresh --select 60 --certify 60 -o est.h5
exits 1
says "est-trust.dat ... already"
rm est-trust.dat
run $train --data data.h5 -o est.h5
exits 0
run $train --data data.h5 -o est.h5 --seed 2 --force
exits 0

# ---- before the work ----

run $train --data data.h5 -o other.h5 --history missing/own.csv
exits 1
says "directory missing ... not exist"
mkdir isdir.csv
run $train --data data.h5 -o other.h5 --history isdir.csv --force
exits 1
says "it is a directory"
holds test ! -e other.h5.1.part

# ---- one writer ----

# Whoever holds the lock of a file is writing it.
exec 9>.busy.h5.lock
flock 9
run convert data.h5 busy.h5
exits 1
says "busy.h5 ... written ... process"
run $train --data data.h5 -o busy.h5
exits 1
says "busy.h5 ... written ... process"
run $train --data data.h5 --trust fresh --temper auto -o busy.h5
exits 1
says "busy.h5 ... written ... process"
holds test ! -e busy.h5
mkdir study
exec 8>study/.report.html.lock
flock 8
printf 'title: x\n' >study/study.yaml
printf 'run,cell,repeat,state\n' >study/results.csv
run report study
exits 1
says "report.html ... written ... process"
exec 9>&- 8>&-
run convert data.h5 busy.h5
exits 0

# ---- planted links ----

# A program that is run once per simulation, and says something on stderr.
cat >sim.sh <<'SIM'
#!/bin/sh
echo words >&2
echo "$1"
SIM
chmod +x sim.sh
cat >outside.yaml <<'TASK'
parameters: {a: "uniform(0, 1)"}
observable: [1]
simulator: {command: [./sim.sh, "{a}"]}
TASK
echo precious >victim
for name in out.h5.log out.h5.tmp out.h5; do
    ln -s victim $name
done
run simulate --task outside.yaml --count 3 -o out.h5 --force --quiet
exits 0
[ "$(cat victim)" = precious ] || fail "no link is followed"
rm out.h5.log
ln victim out.h5.log
run simulate --task outside.yaml --count 4 -o out.h5 --quiet
exits 0
[ "$(cat victim)" = precious ] || fail "nor another name of a file"
rm out.h5.log
mkfifo out.h5.log
run simulate --task outside.yaml --count 5 -o out.h5 --quiet
exits 0

# ---- where scratch files go ----

mkdir elsewhere
cat >where.sh <<'SIM'
#!/bin/sh
pwd >>"$PLACES"
echo "$1"
SIM
chmod +x where.sh
sed 's/sim.sh/where.sh/' outside.yaml >where.yaml
PLACES=$PWD/places
export PLACES
TMPDIR=$PWD/elsewhere run simulate --task where.yaml --count 1 -o where.h5 --quiet
exits 0
holds grep -q "^$PWD/elsewhere/" places
# A read-only /tmp (where a test may make one) stops nothing. This directory
# stays writable, though it may lie below /tmp itself.
cat >readonly.sh <<'SH'
mount --bind /tmp /tmp && mount --bind "$PWD" "$PWD" &&
    mount -o remount,bind,ro /tmp && cd "$PWD" || exit 77
touch /tmp/x 2>/dev/null && exit 77
touch x && rm x || exit 77
unset TMPDIR
"$1" simulate --task where.yaml --count 1 --seed 2 -o beside/where.h5 --quiet
SH
mkdir beside
last="a read-only /tmp"
unshare -rm sh readonly.sh "$bnre" >.out 2>.err
code=$?
if [ $code = 0 ]; then
    holds grep -q "^$PWD/beside/" places
    [ "$(ls beside)" = where.h5 ] || fail "no scratch directory is left"
else
    grep -q bnre .err && fail "a read-only /tmp stops nothing"
    echo 'skipped: a read-only /tmp'
fi

# Nothing is left of locks and temporaries.
rm out.h5.tmp
fails sh -c 'ls -A | grep -e "[.]lock$" -e "[.]tmp$"'

finish
