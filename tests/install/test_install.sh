#!/bin/sh
# An installed copy serves a program built with pkg-config alone, and its shared
# library shows no name that is not ours.
set -eu
build=$1
source=$2

root=$(mktemp -d "$PWD/install.XXXXXX")
trap 'rm -rf "$root"' EXIT
cmake --install "$build" --prefix "$root" >"$root/log"
pc=$(find "$root" -name bnre.pc)
libdir=$(dirname "$(dirname "$pc")")

PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
flags=
if grep -q '^BNRE_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
    flags=-fsanitize=$(sed -n 's/^BNRE_SANITIZE:STRING=//p' \
        "$build/CMakeCache.txt")
fi
# shellcheck disable=SC2046,SC2086
cc -std=c11 -Wall -Wextra -Werror $flags "$source/tests/install/user.c" \
    -o "$root/user" $(pkg-config --cflags --libs bnre)
LD_LIBRARY_PATH=$libdir "$root/user" "$root/pairs.h5"
"$root/bin/bnre" info "$root/pairs.h5" >"$root/log"
grep -q gaussian "$root/log"

# By CMake, too.
mkdir "$root/project"
cat >"$root/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C)
find_package(bnre 0.2 REQUIRED)
add_executable(user $source/tests/install/user.c)
target_link_libraries(user PRIVATE bnre::bnre)
EOF
if [ -z "$flags" ]; then
    cmake -S "$root/project" -B "$root/project/build" \
        -DCMAKE_PREFIX_PATH="$root" >"$root/log"
    cmake --build "$root/project/build" >"$root/log"
    "$root/project/build/user" "$root/again.h5"
    cmp "$root/pairs.h5" "$root/again.h5"
fi

# Every command has a manual page, every shell its completion.
for command in $("$root/bin/bnre" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    grep -q '^\.SH OPTIONS' "$root/share/man/man1/bnre-$command.1"
done
bash -n "$root/share/bash-completion/completions/bnre"
grep -q 'batch-size' "$root/share/zsh/site-functions/_bnre"
grep -q 'l batch-size' "$root/share/fish/vendor_completions.d/bnre.fish"

# The example of the documentation: estimates near the exact log ratios.
# shellcheck disable=SC2046,SC2086
cc -std=c11 -Wall -Wextra -Werror $flags "$source/examples/api/ratio.c" \
    -o "$root/ratio" $(pkg-config --cflags --libs bnre) -lm
mkdir "$root/api"
(cd "$root/api" && LD_LIBRARY_PATH=$libdir ../ratio >../log)
awk 'NR > 1 { d = $2 - $3; if (d > 0.4 || d < -0.4) bad = 1 }
     END { exit bad || NR != 8 }' "$root/log" || { cat "$root/log"; exit 1; }

# The defaults of the library are those of the program.
"$root/bin/bnre" simulate --task gaussian --count 100 --quiet \
    -o "$root/program.h5"
cmp "$root/pairs.h5" "$root/program.h5"

# What ships beside the program is found where it was installed.
if [ -e "$build/plugins/gw.so" ]; then
    "$root/bin/bnre" tasks gw >"$root/log"
    grep -q 'm1' "$root/log"
fi
(cd "$root" && cp -r "$source/examples/external/python" example &&
    bin/bnre simulate --task example/study.yaml --count 20 -o external.h5 \
        >log 2>&1) || { cat "$root/log" >&2; exit 1; }

# Each public header can be included by itself, in C and, where there is a
# compiler for it, in C++.
for header in "$root"/include/bnre/*.h; do
    echo "#include \"bnre/$(basename "$header")\"" >"$root/alone.c"
    cc -std=c11 -Wall -Wextra -Werror -I"$root/include" -fsyntax-only \
        "$root/alone.c"
    ! command -v c++ >/dev/null ||
        c++ -std=c++11 -Wpedantic -Wall -Wextra -Werror -I"$root/include" -fsyntax-only \
            -xc++ "$root/alone.c"
done

strange=$(nm -D --defined-only "$libdir/libbnre.so" | awk '{print $3}' |
    grep -v -E '^bnre_[^_]|^_init$|^_fini$|^__(asan|odr_asan|ubsan|tsan)' || true)
if [ -n "$strange" ]; then
    echo "the library exports: $strange" >&2
    exit 1
fi
