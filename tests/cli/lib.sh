# lib.sh - what the tests of the program share. Source it with BUILD SOURCE:
# it enters an empty directory, which goes away at the end. Pictures are drawn by
# a program that is quick, unless a test sets pictures=real before.
set -u
BUILD=$1
SOURCE=$2
bnre=$BUILD/bnre
scratch=$(mktemp -d "$PWD/cli.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
code=0
quick_pictures() {
    mkdir .bin
    ln -s "$BUILD/tests/quick_gnuplot" .bin/gnuplot
    PATH=$scratch/.bin:$PATH
}
[ "${pictures:-quick}" = real ] || quick_pictures

# Run the program; leaves $code, $out and $err.
run() {
    last="bnre $*"
    "$bnre" "$@" >.out 2>.err </dev/null
    code=$?
    out=$(cat .out)
    err=$(cat .err)
}

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
    echo "  after: $last" >&2
    echo "  exit status $code" >&2
    sed 's/^/  out: /' .out >&2
    sed 's/^/  err: /' .err >&2
}

exits() { # STATUS
    [ "$code" -eq "$1" ] || fail "exit status should be $1"
}

# Whether TEXT holds FACTS, "a ... b" being a and, behind it, b: what a message is
# about (names, numbers, keys), whatever words it has for it.
has_facts() { # TEXT FACTS
    rest=$1
    facts=$2
    while :; do
        fact=${facts%%" ... "*}
        case $rest in
        *"$fact"*) rest=${rest#*"$fact"} ;;
        *) return 1 ;;
        esac
        [ "$fact" != "$facts" ] || return 0
        facts=${facts#*" ... "}
    done
}

says() { # FACTS: on stderr
    has_facts "$err" "$1" || fail "stderr should hold: $1"
}

prints() { # FACTS: on stdout
    has_facts "$out" "$1" || fail "stdout should hold: $1"
}

prints_not() { # TEXT
    case $out in
    *"$1"*) fail "stdout should not hold: $1" ;;
    esac
}

# A command of the shell that should succeed.
holds() {
    "$@" >/dev/null 2>&1 || fail "should hold: $*"
}

fails() {
    ! "$@" >/dev/null 2>&1 || fail "should not hold: $*"
}

same_file() {
    cmp -s "$1" "$2" || fail "$1 and $2 should be the same"
}

# The fingerprint that `info` computes for a file.
fingerprint() {
    "$bnre" info "$1" 2>/dev/null | sed -n 's/^  fingerprint *\([0-9a-f]*\).*/\1/p'
}

# Build NAME.c, a simulator, into ./libNAME.so, and a task file NAME.yaml.
plugin() {
    last="building the plugin $1"
    : >.out
    ${CC:-cc} -O1 -fPIC -shared -I"$SOURCE/include" "$1.c" -o "lib$1.so" \
        2>.err || fail "the plugin $1 should build"
    printf 'simulator: {plugin: ./lib%s.so}\n' "$1" >"$1.yaml"
}

finish() {
    [ "$failures" -eq 0 ] || echo "$failures checks failed" >&2
    [ "$failures" -eq 0 ]
    exit
}
