/* seed.h - the seeds that external programs get. */
#ifndef BNRE_TASK_SEED_H
#define BNRE_TASK_SEED_H

#include <stdint.h>

#include "bnre/rng.h"

/* The seed of a row: 1 to 2147483647, which every language's generator takes
   and a plain int holds. So few numbers would collide by chance among a hundred
   thousand rows, and equal seeds at equal parameters are equal data; therefore
   they are a random permutation: no two rows of a stream (seed, split) within
   2147483647 of each other's block share one. */
uint32_t bnre__program_seed(uint64_t seed, bnre_split split, uint64_t row);

#endif
