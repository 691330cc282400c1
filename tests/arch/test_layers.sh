#!/bin/sh
# The tree keeps to tools/layers.txt, and the checker notices when one does not.
set -eu
source=$2
check=$source/tools/check-layers

"$check" "$source"

tree=$(mktemp -d layers.XXXXXX)
trap 'rm -rf "$tree"' EXIT

# refuse FILE TEXT MESSAGE: a tree where FILE says TEXT is refused with MESSAGE.
refuse() {
    rm -rf "$tree"
    mkdir -p "$tree/tools" "$tree/$(dirname "$1")" "$tree/src/io"
    cp "$source/tools/layers.txt" "$tree/tools/"
    echo '#include <zlib.h>' >"$tree/src/io/first.c"
    printf '%s\n' "$2" >"$tree/$1"
    if said=$("$check" "$tree"); then
        echo "accepted: $1 with $2" >&2
        exit 1
    fi
    case $said in
    *"$3"*) ;;
    *) echo "said \"$said\" instead of \"$3\"" >&2 && exit 1 ;;
    esac
}

refuse src/base/x.c '#include "bnre/rng.h"' 'base must not include'
refuse src/num/x.c '#include "io/h5.h"' 'num must not include'
refuse src/task/x.c '#include "bnre/dataset.h"' 'task must not include'
refuse src/prior/x.c '#include "bnre/task.h"' 'prior must not include'
refuse src/posterior/x.c '#  include "infer/train/train.h"' 'posterior must not'
refuse src/nn/x.c '#include "bnre/prior.h"' 'nn must not include'
refuse src/output/x.c '#include "bnre/study.h"' 'output must not include'
refuse src/study/x.c '#include "study/page/html.h"' 'study must not include'
refuse src/study/page/x.c '#include "nn/layers/dense.h"' 'page must not include'
refuse src/other/x.c '#include "base/mem.h"' 'not in the table of layers'
refuse include/bnre/rng.h '#include "bnre/task.h"' 'num must not include'
refuse include/bnre/new.h '#include "bnre/rng.h"' 'not in the table of headers'
refuse sims/x.c '#include "bnre/task.h"' 'besides bnre/plugin.h'
refuse cli/x.c '#include "base/mem.h"' 'private "base/mem.h"'
refuse src/data/x.c '#include <zlib.h>' 'already in'
