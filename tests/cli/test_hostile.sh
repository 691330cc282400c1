#!/bin/sh
# Text that others wrote is shown and never obeyed: on the terminal, by gnuplot,
# in the page, in CSV, YAML and SVG, as name, value, reason or path.
pictures=real
. "$(dirname "$0")/lib.sh"

escape=$(printf '\033')
back='`touch PWNED`'
evil="$back \$(touch PWNED) ' \" \\ <script>x</script> $escape]0;x$(printf '\007') $(printf '\342\200\256')txt"

# Nothing but lines of visible text was said, and nothing was run.
calm() {
    for file in .out .err; do
        tr -d '\n' <$file | LC_ALL=C grep -q '[[:cntrl:]]' && fail "$file obeys: control characters"
        LC_ALL=C grep -q "$(printf '\342\200\256')" $file && fail "$file turns the direction of writing"
    done
    if find . -name 'PWNED*' | grep -q .; then
        fail 'a command was run'
        find . -name 'PWNED*' -exec rm -rf {} +
    fi
}

# ---- the command line, and files that are not there ----
for command in "$evil" "info $evil" "tasks $evil" "simulate --task $evil" "train --data $evil" \
    "run $evil" "posterior $evil" "diagnose $evil" "report $evil" "convert $evil x.csv" "info --$evil"; do
    word=${command%% *}
    [ "$command" != "$evil" ] || word=$evil
    rest=${command#"$word"}
    rest=${rest# }
    case $rest in
    --*" "*) run "$word" "${rest%% *}" "${rest#* }" ;;
    '') run "$word" ;;
    *) run "$word" "$rest" ;;
    esac
    [ "$code" -ne 0 ] || fail 'should not succeed'
    calm
done
printf 'task: "\\e[2J"\n"\\e[2J": 1\n' >evil.yaml
run simulate --config evil.yaml
exits 2
calm
run simulate --task evil.yaml
exits 2
calm
run run evil.yaml
exits 2
calm

# ---- names of columns ----
quoted=$(printf '%s' "$evil" | sed 's/"/""/g')
{
    printf '"theta.%s","theta.b",x.0\n' "$quoted"
    for i in 1 2 3 4 5 6 7 8 9; do echo "0.$i,0.$i,$i"; done
} >names.csv
run info names.csv
exits 0
calm
prints '\x1b]0;x\x07'
run convert names.csv names.h5
exits 0
calm
run info names.h5
exits 0
calm
prints '\x1b]0;x\x07'
run convert names.h5 again.csv
exits 0
calm
run info again.csv
prints '\x1b]0;x\x07'
run train --data names.h5 --epochs 1 -o never.h5
calm

# ---- a program's reasons ----
cat >sim.sh <<'END'
while read -r seed a; do
    case $seed in *1|*2) printf 'error \033[2J\342\200\256`touch PWNED`<script>\n' ;;
    *3) printf '\033[31mdying\007\n' >&2; exit 3 ;;
    *) echo "$a" ;; esac
done
END
cat >failing.yaml <<'END'
parameters: {a: "normal(0, 1)"}
observable: [1]
simulator: {command: [sh, sim.sh]}
END
run simulate --task failing.yaml --count 60 -o failing.h5
exits 0
calm
prints 'failed'
prints '<script>'
run info failing.h5
exits 0
calm
prints '\u202e`touch PWNED`<script>'

# ---- a study: title, name of the task, labels of the sweep ----
cat >sim2.sh <<'END'
while read -r seed a; do echo "$a"; done
END
yaml=$(printf '%s' "$evil" | sed 's/\\/\\\\/g; s/"/\\"/g' | sed "s/$escape/\\\\e/g; s/$(printf '\007')/\\\\a/g" | sed "s/$(printf '\342\200\256')/\\\\u202E/g")
cat >study.yaml <<END
title: "$yaml"
test: 40
epochs: 1
batch_size: 32
observation: observed.csv
network: {head: {hidden: [4], activation: selu}}
sweep:
  simulations: [64, 96]
  task:
    - {name: '\`touch PWNED\` ''a'' "b" <script>x', parameters: {a: "normal(0, 1)"}, observable: [1], simulator: {command: [sh, sim2.sh]}}
    - {name: "100 % %s \\\\ {x}_y^z @w ~u &t", parameters: {a: "normal(0, 1)"}, observable: [1], simulator: {command: [sh, sim2.sh]}}
END
echo 0.5 >observed.csv
run run study.yaml -o out --dry-run
exits 0
calm
run run study.yaml -o out --no-report
exits 0
calm
run report out --format svg
exits 0
calm
page_is_calm() {
    for file in out/report.html out/figures/*.svg; do
        ! grep -q '<script' "$file" || fail "$file holds a script"
        ! tr -d '\n\t\r' <"$file" | LC_ALL=C grep -q '[[:cntrl:]]' || fail "$file holds control characters"
        ! LC_ALL=C grep -q "$(printf '\342\200\256')" "$file" || fail "$file turns the direction of writing"
    done
}
page_is_calm
holds grep -qF '&lt;script&gt;x' out/report.html

# A table that somebody else wrote. (The name of a cell has a comma in it.)
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "simulations") c = i + 1; print; next }
    { $c = NR < 4 ? "`touch PWNED`" : "\"a\"\"; system \"\"touch PWNED\"\"" sprintf("%c", 39) "; system " sprintf("%c", 39) "touch PWNED\""; print }' \
    out/results.csv >table && mv table out/results.csv
run report out --format svg
exits 0
calm
page_is_calm
cp out/results.csv good
awk -F, -v OFS=, 'NR == 2 { sub(/.*task=[^,"]*"?/, "../../../elsewhere") } { print }' good >out/results.csv
run report out
[ "$code" -ne 0 ] || fail 'a cell outside of the directory is refused'
says 'elsewhere ... cell'
calm
cp good out/results.csv

# Pictures that somebody else drew are not taken into the page.
holds grep -q 'Posteriors of the observation' out/report.html
n=0
for file in out/runs/*/1/posterior/corner.svg; do
    n=$((n + 1))
    case $n in
    1) echo '<svg width="9" ONload="evil()"><g></g></svg>' ;;
    2) echo '<svg><a href="https://evil.example"><text>evil</text></a></svg>' ;;
    3) echo '<svg><g></p></g><!-- evil --></svg>' ;;
    4) echo "<svg><image xlink:href='http://evil.example/x'/><rect fill=evil /></svg>" ;;
    esac >"$file"
done
holds test $n = 4
run report out --format svg # those of several cells are drawn anew, from tables
exits 0
calm
holds grep -q 'Posteriors of the observation' out/report.html
fails grep -q 'evil' out/report.html
rm out/runs/*/1/posterior/corner.dat
run report out --format svg
exits 0
calm
fails grep -qi 'evil' out/report.html

# ---- labels and units, wherever they are shown ----
evil_label="*/ x /* $back ' \\\" \\\\ <script>x</script> \\u202E%n"
cat >labels.yaml <<END
name: "<script> '"
parameters: {a: "normal(0, 1)"}
label: {a: "$evil_label"}
unit: {a: "'; system 'touch PWNED'; # ]]> --> }{ \\\\input x"}
observable: [1]
simulator: {command: [sh, sim2.sh]}
END
printf 'head: {hidden: [4], activation: selu}\n' >net.yaml
run infer --task labels.yaml --observation observed.csv --simulations 100 --samples 50 --format svg -o found
calm
holds test -s found/report.html
for file in found/report.html found/posterior/corner.svg; do
    ! grep -q '<script' $file || fail "$file holds a script"
    ! LC_ALL=C grep -q "$(printf '\342\200\256')" $file || fail "$file turns the direction of writing"
done
holds grep -qF '&lt;script&gt;x' found/report.html
run info found/estimator.h5
exits 0
calm
run posterior found/estimator.h5 --observation observed.csv --samples 50 --write csv,nc,getdist,stan --format svg -o written
calm
prints '\u202e%n'
run check found/estimator.h5 --observation observed.csv --task labels.yaml --draws 200 --pairs 0 --format svg -o checked
calm
run posterior found/estimator.h5 --each observed.csv --samples 20 -o each
calm
run export found/estimator.h5 --name x -o found.c
exits 0
calm
fails grep -q 'PWNED' found.c written/getdist.paramnames written/draws.csv
run export found/estimator.h5 --name 'x; system("touch PWNED");' -o other.c
exits 2
calm
for model in '"<script>"' '"a`b"' '"a\u202E"' '"../x"'; do
    printf 'models: {%s: gaussian, other: gaussian}\nsimulations: 100\n' "$model" >models.yaml
    run run models.yaml -o compared
    exits 2
    calm
done

# ---- names of what is written ----
run simulate --task gaussian --count 200 -o data.h5
run simulate --task gaussian --count 60 --split test -o test.h5
name="o'brien $back | \"x\" \\ \$(touch PWNED)"
run train --data data.h5 --epochs 1 --batch-size 64 -o "$name.h5"
exits 0
calm
run diagnose "$name.h5" --data test.h5 --format svg -o "$name.json"
exits 0
calm
holds test -s "$name-coverage.svg"
run posterior "$name.h5" --observation test.h5:1 --format svg -o "$name"
exits 0
calm
holds test -s "$name/corner.svg"
line="a
system 'touch PWNED'
$escape[2J"
run posterior "$name.h5" --observation test.h5:1 --format svg -o "$line"
exits 0
calm
holds test -s "$line/corner.svg"
cp "$name.h5" "$line.h5"
run info "$line.h5"
exits 0
calm

finish
