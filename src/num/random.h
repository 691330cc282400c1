/* random.h - the words of random streams (bnre/rng.h), several blocks at a
   time. They are the same in every set of kernels, so that the processor alone
   decides which one a stream is made by. */
#ifndef BNRE_NUM_RANDOM_H
#define BNRE_NUM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/rng.h"

enum {
    BNRE__BLOCK = 4, /* words that one counter gives */
    BNRE__REFILL = BNRE_RNG_WORDS / BNRE__BLOCK,
    BNRE__STREAMS = 8 /* that are begun at a time */
};

/* The streams of BNRE__STREAMS consecutive rows, the first being `row`, with
   the words of their first `blocks` blocks generated already, 1 to
   BNRE__REFILL. They give the numbers that bnre_rng_stream()'s give; for one
   block each that costs a quarter. */
void bnre__rng_streams(uint64_t seed, uint32_t purpose, uint64_t row,
                       size_t blocks, bnre_rng out[BNRE__STREAMS]);

/* How many blocks to ask for in the next rows, if `blocks` were asked for and
   this stream's row is done. */
static inline size_t bnre__rng_blocks(size_t blocks, const bnre_rng *rng)
{
    if (rng->block <= blocks)
        return blocks;
    return rng->block < BNRE__REFILL ? rng->block : BNRE__REFILL;
}

/* The parts of each set: the next words of a stream; and the first words of
   streams that have their rows, as above. */
typedef void bnre__random_refill(bnre_rng *rng);
typedef void bnre__random_start(size_t blocks, bnre_rng stream[BNRE__STREAMS]);

bnre__random_refill bnre__random_refill_ref, bnre__random_refill_portable,
    bnre__random_refill_avx2, bnre__random_refill_avx512;
bnre__random_start bnre__random_start_ref, bnre__random_start_portable,
    bnre__random_start_avx2, bnre__random_start_avx512;

#endif
