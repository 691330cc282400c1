/* seed.c - the seeds that external programs get. */
#include "task/seed.h"
#include "num/streams.h"

enum { ROUNDS = 6 };

/* A permutation of all 32-bit numbers: a Feistel network whose round function
   is the random stream. */
static uint32_t permute(uint64_t seed, uint32_t purpose, uint32_t block,
                        uint32_t value)
{
    uint32_t left = value >> 16, right = value & 0xffff;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        bnre_rng rng = bnre_rng_stream(
            seed, purpose, (uint64_t)block << 24 | round << 16 | right);
        uint32_t mixed = left ^ (bnre_rng_u32(&rng) & 0xffff);

        left = right;
        right = mixed;
    }
    return left << 16 | right;
}

uint32_t bnre__program_seed(uint64_t seed, bnre_split split, uint64_t row)
{
    const uint32_t most = INT32_MAX;
    const uint32_t purpose = bnre__purpose(BNRE_USE_SEED, split);
    uint32_t value = (uint32_t)(row % most) + 1;

    /* Following the permutation's cycle back into 1..most permutes these. */
    do
        value = permute(seed, purpose, (uint32_t)(row / most), value);
    while (value < 1 || value > most);
    return value;
}
