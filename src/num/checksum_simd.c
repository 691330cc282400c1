/* checksum_simd.c - the sums of a checksum in the compiler's vector types. */
#include "num/checksum.h"

#include "num/simd.h"

enum { BYTES = BNRE_LANES >= 8 ? 32 : 16, PARTS = BNRE__STRIPE / BYTES };

typedef uint64_t words __attribute__((vector_size(BYTES)));

INLINE words load_words(const unsigned char *p)
{
    words out;

    memcpy(&out, p, sizeof out);
    return out;
}

/* Each word beside its neighbour. */
INLINE words exchange(words v)
{
#ifdef __clang__
#if BNRE_LANES >= 8
    return __builtin_shufflevector(v, v, 1, 0, 3, 2);
#else
    return __builtin_shufflevector(v, v, 1, 0);
#endif
#elif BNRE_LANES >= 8
    return __builtin_shuffle(v, (words){1, 0, 3, 2});
#else
    return __builtin_shuffle(v, (words){1, 0});
#endif
}

/* The product of the halves of each word: one instruction of x86, which gcc
   does not find by itself. */
INLINE words multiply_halves(words v)
{
    const words high = v >> 32;

#if defined(__AVX2__) && BNRE_LANES >= 8
    typedef int ints __attribute__((vector_size(BYTES)));

    return (words)__builtin_ia32_pmuludq256((ints)v, (ints)high);
#elif defined(__SSE2__) && BNRE_LANES < 8
    typedef int ints __attribute__((vector_size(BYTES)));

    return (words)__builtin_ia32_pmuludq128((ints)v, (ints)high);
#else
    return (v & 0xffffffff) * high;
#endif
}

INLINE void take_stripe(const unsigned char *data, const unsigned char *key,
                        words sum[PARTS])
{
    UNROLL
    for (int i = 0; i < PARTS; i++) {
        const words v = load_words(data + i * BYTES);

        sum[i] +=
            exchange(v) + multiply_halves(v ^ load_words(key + i * BYTES));
    }
}

INLINE void stir(const unsigned char *key, words sum[PARTS])
{
    UNROLL
    for (int i = 0; i < PARTS; i++)
        sum[i] = (sum[i] ^ sum[i] >> 47 ^ load_words(key + i * BYTES)) *
                 BNRE__STIR_PRIME;
}

void BNRE_IN_SET(bnre__checksum_sums)(const unsigned char *data, size_t bytes,
                                      uint64_t out[8])
{
    const unsigned char *secret = (const unsigned char *)bnre__checksum_secret;
    size_t stripes = (bytes - 1) / BNRE__STRIPE;
    const unsigned char *last = data + bytes - BNRE__STRIPE;
    words sum[PARTS];

    memcpy(sum, out, sizeof sum);
    for (; stripes >= BNRE__ROUND; stripes -= BNRE__ROUND) {
        for (size_t i = 0; i < BNRE__ROUND; i++, data += BNRE__STRIPE)
            take_stripe(data, secret + 8 * i, sum);
        stir(secret + BNRE__STIR, sum);
    }
    for (size_t i = 0; i < stripes; i++, data += BNRE__STRIPE)
        take_stripe(data, secret + 8 * i, sum);
    take_stripe(last, secret + BNRE__LAST_KEY, sum);
    memcpy(out, sum, sizeof sum);
}
