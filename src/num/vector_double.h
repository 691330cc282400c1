/* vector_double.h - vectors of doubles, half as many as of floats, and functions
   whose arguments are known to be harmless. Relative errors, found by
   tests/num/test_vector_math.c:

     decay_pair  exp(x), x <= 0                    4e-16
     log_pair    log(x), x > 0 and normal          4e-16 of the larger of
                                                   |log x| and |x - 1| near 1

   Not-a-numbers stay what they are. */
#ifndef BNRE_NUM_VECTOR_DOUBLE_H
#define BNRE_NUM_VECTOR_DOUBLE_H

#include "num/simd.h"

enum { HALF = BNRE_LANES / 2 };

typedef double pair __attribute__((vector_size(4 * BNRE_LANES)));
typedef int64_t ipair __attribute__((vector_size(4 * BNRE_LANES)));
typedef uint64_t upair __attribute__((vector_size(4 * BNRE_LANES)));
typedef float narrow __attribute__((vector_size(2 * BNRE_LANES)));

INLINE pair load_pair(const double *p)
{
    pair v;

    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store_pair(double *p, pair v)
{
    memcpy(p, &v, sizeof v);
}

INLINE pair widen_floats(const float *p)
{
    narrow v;

    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, pair);
}

INLINE pair splat_pair(double x)
{
    return x - (pair){0};
}

INLINE pair choose_pair(ipair mask, pair yes, pair no)
{
#if BNRE_LANES == 16
    return (pair)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask),
                                      (__m512d)no, (__m512d)yes);
#else
    return (pair)((mask & (ipair)yes) | (~mask & (ipair)no));
#endif
}

INLINE pair absolute_pair(pair x)
{
    return (pair)((ipair)x & INT64_MAX);
}

/* exp(x) for x <= 0; exp(-700) for what is below: the steps of decay_vec, with
   the series of exp up to r^12 / 12!, |r| <= log(2) / 2, what is left out being
   below 2e-16. */
INLINE pair decay_pair(pair x)
{
    const pair magic = splat_pair(0x1.8p52); /* rounds to whole numbers */
    const pair least = splat_pair(-700);
    pair t, k, r, q, power;

    x = choose_pair(x < least, least, x);
    t = x * splat_pair(1.4426950408889634) + magic;
    k = t - magic;
    r = x - k * splat_pair(0x1.62e42fefa38p-1);
    r = r - k * splat_pair(0x1.ef35793c7673p-45);
    q = splat_pair(1.0 / 479001600);
    q = q * r + splat_pair(1.0 / 39916800);
    q = q * r + splat_pair(1.0 / 3628800);
    q = q * r + splat_pair(1.0 / 362880);
    q = q * r + splat_pair(1.0 / 40320);
    q = q * r + splat_pair(1.0 / 5040);
    q = q * r + splat_pair(1.0 / 720);
    q = q * r + splat_pair(1.0 / 120);
    q = q * r + splat_pair(1.0 / 24);
    q = q * r + splat_pair(1.0 / 6);
    q = q * r + splat_pair(0.5);
    q = q * r + splat_pair(1);
    power = (pair)((upair)splat_pair(1) + ((upair)t << 52));
    return (q * r + splat_pair(1)) * power;
}

/* log(x) for normal x > 0, as log_vec: t^2 < 0.0295, and the series of 2
   atanh(t) up to t^19, what is left out being below 3e-17 of it. */
INLINE pair log_pair(pair x)
{
    const upair bits = (upair)x + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const upair biased = bits >> 52;
    const pair m = (pair)((upair)x - ((biased - 1023) << 52));
    /* As a number: through the last bits of a large one. */
    const pair k =
        (pair)(biased + (upair)splat_pair(0x1p52)) - splat_pair(0x1p52 + 1023);
    const pair t = (m - splat_pair(1)) / (m + splat_pair(1)), t2 = t * t;
    pair q = splat_pair(2.0 / 19), log_x;

    q = q * t2 + splat_pair(2.0 / 17);
    q = q * t2 + splat_pair(2.0 / 15);
    q = q * t2 + splat_pair(2.0 / 13);
    q = q * t2 + splat_pair(2.0 / 11);
    q = q * t2 + splat_pair(2.0 / 9);
    q = q * t2 + splat_pair(2.0 / 7);
    q = q * t2 + splat_pair(2.0 / 5);
    q = q * t2 + splat_pair(2.0 / 3);
    log_x = k * splat_pair(0x1.62e42fefa38p-1) +
            (t + t + (t * t2 * q + k * splat_pair(0x1.ef35793c7673p-45)));
    return choose_pair(x == x, log_x, x);
}

#endif
