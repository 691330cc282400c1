/* rng.h - random streams that can be addressed.

   A stream is named by (seed, purpose, row): the same name gives the same
   numbers on any machine, in any order, in any thread. Philox4x32-10 with the
   seed as key and (block, purpose, row) as counter; different names never
   overlap. A stream has 2^34 words and then begins again.

   Samplers given arguments outside their range return NaN, or UINT64_MAX for a
   count, and always return; a count too large for 64 bits is UINT64_MAX too.

   This header needs no library to link with: a simulator plugin draws through
   the functions that the stream itself carries. */
#ifndef BNRE_RNG_H
#define BNRE_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BNRE_RNG_WORDS 16

typedef struct bnre_rng bnre_rng;

/* Functions behind the inline ones below. */
typedef struct bnre_rng_calls {
    void (*refill)(bnre_rng *rng); /* next BNRE_RNG_WORDS words */
    double (*normal)(bnre_rng *rng);
    double (*exponential)(bnre_rng *rng);
    double (*gamma)(bnre_rng *rng, double shape);
    double (*beta)(bnre_rng *rng, double a, double b);
    double (*student_t)(bnre_rng *rng, double df);
    uint64_t (*poisson)(bnre_rng *rng, double mean);
    uint64_t (*binomial)(bnre_rng *rng, uint64_t n, double p);
    uint64_t (*geometric)(bnre_rng *rng, double p);
    uint64_t (*below)(bnre_rng *rng, uint64_t n);
    void (*shuffle)(bnre_rng *rng, size_t n, size_t *index);
} bnre_rng_calls;

/* Part of the plugin ABI (plugin.h): its layout changes only with that number.
   `word` holds the words not yet used, from word[used] on. */
struct bnre_rng {
    const bnre_rng_calls *calls;
    uint64_t seed, row;
    uint32_t purpose, block; /* block: the next one to generate */
    uint32_t used;
    uint32_t word[BNRE_RNG_WORDS];
};

/* The parts of data that never share a number: each has streams of its own. */
typedef enum bnre_split {
    BNRE_SPLIT_TRAIN,
    BNRE_SPLIT_VALIDATE,
    BNRE_SPLIT_SCHEDULE,
    BNRE_SPLIT_SELECT,
    BNRE_SPLIT_CERTIFY,
    BNRE_SPLIT_CALIBRATE,
    BNRE_SPLIT_TEST,
    BNRE_SPLIT_COUNT
} bnre_split;

/* Its name: "train", ... */
BNRE_API const char *bnre_split_name(bnre_split split);

/* Cheap: nothing is generated before the first number is asked for. */
BNRE_API bnre_rng bnre_rng_stream(uint64_t seed, uint32_t purpose,
                                  uint64_t row);

static inline uint32_t bnre_rng_u32(bnre_rng *rng)
{
    if (rng->used == BNRE_RNG_WORDS)
        rng->calls->refill(rng);
    return rng->word[rng->used++];
}

static inline uint64_t bnre_rng_u64(bnre_rng *rng)
{
    uint64_t high = bnre_rng_u32(rng);

    return high << 32 | bnre_rng_u32(rng);
}

/* Uniform on [0, 1): multiples of 2^-53. */
static inline double bnre_rng_uniform(bnre_rng *rng)
{
    return (double)(bnre_rng_u64(rng) >> 11) / 9007199254740992.0; /* 2^53 */
}

/* Uniform on (0, 1): odd multiples of 2^-53, never an end. (With one bit more
   the upper half would not fit a double, and the largest would round to 1.) */
static inline double bnre_rng_open(bnre_rng *rng)
{
    return ((double)(bnre_rng_u64(rng) >> 12) + 0.5) /
           4503599627370496.0; /* 2^52 */
}

/* Standard normal. One draw uses one 64-bit number, always. */
static inline double bnre_rng_normal(bnre_rng *rng)
{
    return rng->calls->normal(rng);
}

/* Exponential with mean 1. */
static inline double bnre_rng_exponential(bnre_rng *rng)
{
    return rng->calls->exponential(rng);
}

/* Gamma with the given shape > 0 and scale 1. */
static inline double bnre_rng_gamma(bnre_rng *rng, double shape)
{
    return rng->calls->gamma(rng, shape);
}

/* Beta with a, b > 0. */
static inline double bnre_rng_beta(bnre_rng *rng, double a, double b)
{
    return rng->calls->beta(rng, a, b);
}

/* Student's t with df > 0 degrees of freedom. */
static inline double bnre_rng_student_t(bnre_rng *rng, double df)
{
    return rng->calls->student_t(rng, df);
}

/* Poisson with mean >= 0. */
static inline uint64_t bnre_rng_poisson(bnre_rng *rng, double mean)
{
    return rng->calls->poisson(rng, mean);
}

/* Successes in n trials of probability p. */
static inline uint64_t bnre_rng_binomial(bnre_rng *rng, uint64_t n, double p)
{
    return rng->calls->binomial(rng, n, p);
}

/* Failures before the first success, 0 < p <= 1. */
static inline uint64_t bnre_rng_geometric(bnre_rng *rng, double p)
{
    return rng->calls->geometric(rng, p);
}

/* Uniform on 0..n-1 without bias, n >= 1. */
static inline uint64_t bnre_rng_below(bnre_rng *rng, uint64_t n)
{
    return rng->calls->below(rng, n);
}

/* Put index[0..n-1] into a random order, each equally likely. */
static inline void bnre_rng_shuffle(bnre_rng *rng, size_t n, size_t *index)
{
    rng->calls->shuffle(rng, n, index);
}

#ifdef __cplusplus
}
#endif
#endif
