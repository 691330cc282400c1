/* random_simd.c - Philox4x32-10 in the compiler's vector types: one counter in
   each lane of 64 bits, so that a product of 32 bits has room.

   Only the lower halves of lanes mean something, until a block is complete:
   products are of lower halves, and sums and exclusive ors carry nothing down
   from the upper ones. */
#include "num/random.h"

#include "num/simd.h"

#if defined(__SSE2__)

enum { BYTES = BNRE_LANES >= 8 ? 32 : 16, WIDE = BYTES / 8, ROUNDS = 10 };

typedef uint64_t words __attribute__((vector_size(BYTES)));

/* The counters of WIDE blocks. */
struct counters {
    words v[4];
};

INLINE words all(uint64_t x)
{
    return x - (words){0};
}

INLINE words ascending(uint64_t first)
{
#if BNRE_LANES >= 8
    return first + (words){0, 1, 2, 3};
#else
    return first + (words){0, 1};
#endif
}

/* The product of the lower halves of each lane: one instruction, which gcc does
   not find by itself. */
INLINE words multiply(words a, words b)
{
    typedef int ints __attribute__((vector_size(BYTES)));

#if BNRE_LANES >= 8
    return (words)__builtin_ia32_pmuludq256((ints)a, (ints)b);
#else
    return (words)__builtin_ia32_pmuludq128((ints)a, (ints)b);
#endif
}

/* n vectors of counters become their words; those of each wait for each other,
   so several are computed side by side. */
INLINE void encipher(uint64_t seed, int n, struct counters *c)
{
    const words first = all(0xD2511F53u), second = all(0xCD9E8D57u);
    words low = all(seed), high = all(seed >> 32);

    UNROLL
    for (int round = 0; round < ROUNDS; round++) {
        UNROLL
        for (int i = 0; i < n; i++) {
            const words a = multiply(c[i].v[0], first);
            const words b = multiply(c[i].v[2], second);

            c[i].v[0] = (b >> 32) ^ c[i].v[1] ^ low;
            c[i].v[1] = b;
            c[i].v[2] = (a >> 32) ^ c[i].v[3] ^ high;
            c[i].v[3] = a;
        }
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
}

/* The words of WIDE blocks, one block after the other. */
INLINE void put(const struct counters *c, uint32_t out[BNRE__BLOCK * WIDE])
{
    const words a = (c->v[0] & 0xffffffffu) | c->v[1] << 32;
    const words b = (c->v[2] & 0xffffffffu) | c->v[3] << 32;
#if BNRE_LANES >= 8
    const words half[] = {SHUFFLE(a, b, 0, 4, 1, 5), SHUFFLE(a, b, 2, 6, 3, 7)};
#else
    const words half[] = {SHUFFLE(a, b, 0, 2), SHUFFLE(a, b, 1, 3)};
#endif

    memcpy(out, half, sizeof half);
}

void BNRE_IN_SET(bnre__random_refill)(bnre_rng *rng)
{
    enum { N = BNRE__REFILL / WIDE };
    struct counters c[N];

    UNROLL
    for (int i = 0; i < N; i++)
        c[i] = (struct counters){{ascending(rng->block + (uint64_t)(i * WIDE)),
                                  all(rng->purpose), all(rng->row),
                                  all(rng->row >> 32)}};
    encipher(rng->seed, N, c);
    UNROLL
    for (int i = 0; i < N; i++)
        put(&c[i], rng->word + i * WIDE * BNRE__BLOCK);
    rng->block += BNRE__REFILL;
    rng->used = 0;
}

void BNRE_IN_SET(bnre__random_start)(size_t blocks,
                                     bnre_rng stream[BNRE__STREAMS])
{
    enum { N = BNRE__STREAMS / WIDE };
    const uint32_t used = (uint32_t)(BNRE_RNG_WORDS - BNRE__BLOCK * blocks);
    uint32_t word[BNRE__STREAMS][BNRE__BLOCK];
    struct counters c[N];

    for (size_t j = 0; j < blocks; j++) {
        UNROLL
        for (int i = 0; i < N; i++) {
            const words row = ascending(stream[0].row + (uint64_t)(i * WIDE));

            c[i] = (struct counters){
                {all(j), all(stream[0].purpose), row, row >> 32}};
        }
        encipher(stream[0].seed, N, c);
        UNROLL
        for (int i = 0; i < N; i++)
            put(&c[i], word[i * WIDE]);
        for (size_t i = 0; i < BNRE__STREAMS; i++)
            memcpy(stream[i].word + used + BNRE__BLOCK * j, word[i],
                   sizeof word[i]);
    }
    for (size_t i = 0; i < BNRE__STREAMS; i++) {
        stream[i].used = used;
        stream[i].block = (uint32_t)blocks;
    }
}

#else /* products of 32 bits are fastest outside of vectors */

void BNRE_IN_SET(bnre__random_refill)(bnre_rng *rng)
{
    bnre__random_refill_ref(rng);
}

void BNRE_IN_SET(bnre__random_start)(size_t blocks,
                                     bnre_rng stream[BNRE__STREAMS])
{
    bnre__random_start_ref(blocks, stream);
}

#endif
