/* vector_math.h - functions of vectors whose arguments are known to be harmless,
   which is what makes them short. Relative errors, found over all floats by
   tests/num/test_vector_math.c:

     decay_vec   exp(x), x <= 0                    1.5e-7
     log_vec     log(x), x > 0 and normal          2.0e-7 of the larger of
                                                   |log x| and |x - 1| near 1

   Not-a-numbers stay what they are. */
#ifndef BNRE_NUM_VECTOR_MATH_H
#define BNRE_NUM_VECTOR_MATH_H

#include "num/simd.h"

INLINE vec absolute(vec x)
{
    return larger(x, -x);
}

/* exp(x) for x <= 0; exp(-87), which is about the least normal number, for what
   is below. The steps are those of exp_vec, but the power of two is a factor
   and not added to bits, so that not-a-numbers survive. */
INLINE vec decay_vec(vec x)
{
    const vec magic = splat(0x1.8p23f); /* rounds to whole numbers */
    const vec least = splat(-87.0f);
    vec t, k, r, power;

    x = larger(least, x);
    t = x * splat(1.44269504088896341f) + magic;
    k = t - magic;
    r = x - k * splat(0.693145751953125f);
    r = r - k * splat(1.428606765330187e-06f);
    power = (vec)((uvec)splat(1) + ((uvec)t << 23));
    return (expm1_ratio(r) * r + splat(1)) * power;
}

/* log(x) for normal x > 0: x = 2^k m with sqrt(1/2) <= m < sqrt(2), and log m =
   2 atanh(t), t = (m - 1) / (m + 1), |t| < 0.172: what is left out of the
   series is below 3e-9 of it. */
INLINE vec log_vec(vec x)
{
    const uvec bits = (uvec)x + (0x3f800000u - 0x3f3504f3u);
    const ivec k = ((ivec)bits >> 23) - 127;
    const vec m = (vec)((uvec)x - ((uvec)k << 23));
    const vec t = (m - splat(1)) / (m + splat(1)), t2 = t * t;
    vec series = splat(0.222222222f);

    series = series * t2 + splat(0.285714286f);
    series = series * t2 + splat(0.4f);
    series = series * t2 + splat(0.666666667f);
    series = __builtin_convertvector(k, vec) * splat(0.693147181f) +
             (t + t + t * t2 * series);
    return choose(x == x, series, x);
}

#endif
