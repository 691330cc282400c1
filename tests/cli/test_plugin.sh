#!/bin/sh
# Simulators in shared objects: the example as its README builds it, and what is
# said about those that do not fit.
. "$(dirname "$0")/lib.sh"

# The example, built by the command in its README (which ends with bnre).
cp -r "$SOURCE/examples/plugin" .
sed -n '/^```sh$/,/^```$/p' plugin/README.md | grep -v '^```' |
    sed "s|\.\./\.\./include|$SOURCE/include|; /^bnre/d" >build.sh
(cd plugin && sh ../build.sh) || fail 'the example should build'
run simulate --task plugin/study.yaml --count 2000 --threads 1 -o one.h5
exits 0
prints 'rows          2,000'
run simulate --task plugin/study.yaml --count 2000 --threads 2 -o two.h5
exits 0
same_file one.h5 two.h5
run info one.h5
prints 'half_life       uniform(1, 10)'
prints 'x             24'
prints 'background      exponential(1)'

# Its options can be set from outside, and are checked.
run tasks plugin/study.yaml
exits 0
prints 'bins: 24'
run simulate --task plugin/study.yaml --option bins=3 --count 5 -o three.h5
exits 0
run info three.h5
prints 'x             3'
run simulate --task plugin/study.yaml --option bins=0 --count 5 -o bad.h5
exits 2
says 'bins must be'
run simulate --task plugin/study.yaml --option bin=3 --count 5 -o bad.h5
exits 2
says '"bins"'

# What does not fit.
refused() { # NAME TEXT: the plugin NAME.c is refused with TEXT
    plugin "$1"
    run simulate --task "$1.yaml" --count 5 -o bad.h5
    exits 2
    says "$2"
    fails test -e bad.h5
}
record() { # NAME BODY
    printf '#include <bnre/plugin.h>\nstatic bnre_draw draw(void *s, bnre_rng *r, const double *t, const double *n, double *x, char *w) { (void)s; (void)r; (void)n; (void)w; x[0] = t[0]; return BNRE_DRAW_OK; }\nBNRE_API const bnre_plugin bnre_plugin_record = { .abi = BNRE_PLUGIN_ABI, .name = "x", .parameters = (const bnre_plugin_parameter[]){{"a", "normal(0, 1)", 0}, {0}}, .observable = "1", .draw = draw, %s };\n' "$2" >"$1.c"
}
record fine '.title = ""'
plugin fine
run simulate --task fine.yaml --count 5 -o fine.h5
exits 0
record abi '.abi = 99'
refused abi 'plugin ABI 99'
record shape '.observable = "2 by 3"'
refused shape 'observable'
record huge '.observable = "4294967296, 4294967296, 4294967296"'
refused huge 'too large'
record nothing '.draw = 0'
refused nothing 'draw function'
record prior '.parameters = (const bnre_plugin_parameter[]){{"a", "normal(0)", 0}, {0}}'
refused prior 'normal(0)'
echo 'int other;' >symbol.c
refused symbol 'bnre_plugin_record'
echo 'not a library' >libtext.so
echo 'simulator: {plugin: ./libtext.so}' >text.yaml
run simulate --task text.yaml --count 5 -o bad.h5
exits 2
says 'text.yaml:1'
echo 'simulator: {plugin: ./absent.so}' >absent.yaml
run simulate --task absent.yaml --count 5 -o bad.h5
exits 2
says absent.so

# A task that ships as a plugin says what is missing where it was not built.
if [ -e "$BUILD/plugins/gw.so" ]; then
    run tasks gw
    exits 0
    prints m1
fi
mkdir elsewhere
cp "$bnre" elsewhere/bnre
bnre=$scratch/elsewhere/bnre
run tasks
exits 0
prints 'FFTW'
prints 'apt-get install libfftw3-dev'
run simulate --task gw --count 1 -o bad.h5
exits 2
says libfftw3-dev

finish
