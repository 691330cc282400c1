/* random.c - the words of random streams, block by block: Philox4x32-10 (Salmon
   and others 2011). */
#include "num/random.h"

#include <Random123/philox.h>

static void generate(const bnre_rng *rng, uint32_t block,
                     uint32_t word[BNRE__BLOCK])
{
    philox4x32_key_t key = {{(uint32_t)rng->seed, (uint32_t)(rng->seed >> 32)}};
    philox4x32_ctr_t counter = {
        {block, rng->purpose, (uint32_t)rng->row, (uint32_t)(rng->row >> 32)}};
    philox4x32_ctr_t out = philox4x32_R(10, counter, key);

    for (uint32_t j = 0; j < BNRE__BLOCK; j++)
        word[j] = out.v[j];
}

void bnre__random_refill_ref(bnre_rng *rng)
{
    for (uint32_t i = 0; i < BNRE__REFILL; i++)
        generate(rng, rng->block + i, rng->word + BNRE__BLOCK * i);
    rng->block += BNRE__REFILL;
    rng->used = 0;
}

void bnre__random_start_ref(size_t blocks, bnre_rng stream[BNRE__STREAMS])
{
    for (size_t i = 0; i < BNRE__STREAMS; i++) {
        bnre_rng *rng = &stream[i];

        rng->used = (uint32_t)(BNRE_RNG_WORDS - BNRE__BLOCK * blocks);
        rng->block = (uint32_t)blocks;
        for (uint32_t j = 0; j < rng->block; j++)
            generate(rng, j, rng->word + rng->used + BNRE__BLOCK * j);
    }
}
