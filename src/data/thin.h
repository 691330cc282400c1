/* thin.h - some of the pairs of a file, as good a sample as all of them.

   Simulations of draws from the prior are independent of each other: the first
   ones do. A file from elsewhere, or of given parameters, may be sorted: some
   are drawn, whatever they hold. */
#ifndef BNRE_DATA_THIN_H
#define BNRE_DATA_THIN_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/dataset.h"
#include "bnre/rng.h"

typedef struct bnre__thin {
    bnre_rng rng;
    int draws;
    size_t left; /* pairs to decide on */
    size_t want; /* of these, to take */
} bnre__thin;

/* Take `most` of n pairs of the file, or all (0, or more than there are). The
   same seed and split take the same ones. */
bnre__thin bnre__thin_begin(const bnre_dataset_info *info, size_t n,
                            size_t most, uint64_t seed, bnre_split split);

/* Whether the next pair is taken; for each of the n in turn. */
int bnre__thin_next(bnre__thin *thin);

#endif
