#!/bin/sh
# The page of a study in a real browser: in a wide and a narrow window, light
# and dark, nothing is missing, too wide, or complained about.
pictures=real
. "$(dirname "$0")/../cli/lib.sh"
look=$SOURCE/tests/study/look_at_page.py
browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done
if [ -z "$browser" ]; then
    echo 'there is no Chromium: tools/install-deps --browser installs it' >&2
    exit 1
fi

cat >study.yaml <<'EOF'
title: A study with <i>a long title</i>, to be read in windows that are narrow
task: slcp
test: 100
epochs: 3
batch_size: 32
observation: slcp.csv
truth: 1.5,-0.8
repeats: 2
sweep:
  method: [nre, bnre]
  simulations: [2^7, 2^8]
EOF
cat >lambda.yaml <<'EOF'
task: weinberg
test: 100
epochs: 2
batch_size: 32
simulations: 128
observation: observation.csv
truth: 1
sweep:
  method: [nre, bnre]
  lambda: [1, 10, 100, 1000]
EOF
cat >single.yaml <<'EOF'
task: gaussian
test: 100
epochs: 2
batch_size: 32
simulations: 128
EOF
cat >trust.yaml <<'EOF'
task: weinberg
network: {head: {hidden: [16, 16], activation: selu}}
simulations: 256
epochs: 10
select: 200
certify: 500
calibrate: 100
test: 200
observation: observation.csv
truth: 1
repeats: 2
sweep:
  trust: [no, auto]
EOF
cp "$SOURCE/studies/paper/weinberg-observation.csv" observation.csv
cp "$SOURCE/studies/quickstart-observation.csv" slcp.csv

see() { # PAGE WIDTH [dark]: no complaint
    last="$look $*"
    timeout 300 "$look" "$browser" "$1" picture.png "$2" ${3:-} >.out 2>.err
    code=$?
    exits 0
    holds test -s picture.png
    [ ! -s .out ] || fail 'the page should be without fault'
}

for name in study lambda single trust; do
    run run $name.yaml -o $name --quiet
    exits 0
    see $name/report.html 1400
    see $name/report.html 400
    see $name/report.html 1400 dark
done

# A study that is not done.
rm -r 'study/runs/method=nre,simulations=128'
run report study
exits 0
see study/report.html 400 dark

# It would have been seen: a wide word, a picture that is gone, a script, an
# address.
spoil() { # SED WORDS
    sed "$1" lambda/report.html >spoilt.html
    "$look" "$browser" spoilt.html picture.png 400 >.out 2>.err
    code=$?
    last="$look on a page spoilt by $1"
    exits 0
    grep -q "$2" .out || fail "should be told: $2"
}
spoil 's|<main>|<main><div style="width:900px">wide</div>|' 'ends at'
spoil '0,/<svg role/s||<svgs role|' 'has no picture'
spoil 's|<main>|<main><script>nonsense()</script>|; /Content-Security/d' 'script'
spoil 's|<main>|<main><img src="http://localhost:9/x.png">|; /Content-Security/d' \
    'asked the network'

finish
