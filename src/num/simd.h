/* simd.h - the compiler's vector types and functions of them, for the sources
   that are built once for each instruction set (*_simd.c).

   BNRE_LANES is the length of a vector and BNRE_IN_SET(name) the name of a
   record with the set's own appended. */
#ifndef BNRE_NUM_SIMD_H
#define BNRE_NUM_SIMD_H

#include <stdint.h>
#include <string.h>

#include "num/kernels.h"

#ifndef BNRE_LANES
#define BNRE_LANES 8
#endif
#ifndef BNRE_SET
#define BNRE_SET avx2
#endif

#define BNRE_TEXT(x) #x
#define BNRE_TEXT_OF(x) BNRE_TEXT(x)
#define BNRE_JOIN(a, b) a##_##b
#define BNRE_JOIN_OF(a, b) BNRE_JOIN(a, b)
#define BNRE_SET_NAME BNRE_TEXT_OF(BNRE_SET)
#define BNRE_IN_SET(name) BNRE_JOIN_OF(name, BNRE_SET)

enum { LANES = BNRE_LANES, PANEL = BNRE__PANEL, VECTORS = PANEL / LANES };

typedef float vec __attribute__((vector_size(4 * BNRE_LANES)));
typedef int32_t ivec __attribute__((vector_size(4 * BNRE_LANES)));

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p)
{
    vec v;

    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vec v)
{
    memcpy(p, &v, sizeof v);
}

INLINE vec splat(float x)
{
    return x - (vec){0};
}

INLINE vec choose(ivec mask, vec yes, vec no)
{
    return (vec)((mask & (ivec)yes) | (~mask & (ivec)no));
}

INLINE vec smaller(vec a, vec b)
{
    return choose(a < b, a, b);
}

INLINE vec larger(vec a, vec b)
{
    return choose(a > b, a, b);
}

/* exp(x) for -87.3 <= x <= 88.3, clamped outside. x = k log 2 + r with |r| <=
   log(2)/2, a polynomial of degree 6 in r (relative error below 2e-7 with
   rounding), and k put into the exponent. */
INLINE vec exp_vec(vec x)
{
    const vec magic = splat(0x1.8p23f); /* rounds to whole numbers */
    vec k, r, p;
    ivec bits;

    x = smaller(larger(x, splat(-87.3f)), splat(88.3f));
    k = (x * splat(1.44269504088896341f) + magic) - magic;
    r = x - k * splat(0.693145751953125f);
    r = r - k * splat(1.428606765330187e-06f);
    p = splat(1.0f / 720);
    p = p * r + splat(1.0f / 120);
    p = p * r + splat(1.0f / 24);
    p = p * r + splat(1.0f / 6);
    p = p * r + splat(0.5f);
    p = p * r + splat(1.0f);
    p = p * r + splat(1.0f);
    bits = __builtin_convertvector(k, ivec) << 23;
    return (vec)((ivec)p + bits);
}

/* exp(x) - 1 for x <= 0, also where the difference loses digits: the polynomial
   without its 1 near 0. */
INLINE vec expm1_vec(vec x)
{
    vec p = splat(1.0f / 5040);

    p = p * x + splat(1.0f / 720);
    p = p * x + splat(1.0f / 120);
    p = p * x + splat(1.0f / 24);
    p = p * x + splat(1.0f / 6);
    p = p * x + splat(0.5f);
    p = p * x + splat(1.0f);
    p = p * x;
    return choose(x > splat(-0.5f), p, exp_vec(x) - splat(1.0f));
}

#define SELU_SCALE 1.0507009873554805f
#define SELU_ALPHA 1.6732632423543772f

INLINE vec apply(bnre__activation activation, vec slope, vec x)
{
    const vec zero = {0};
    vec e;

    switch (activation) {
    case BNRE__SELU:
        return choose(x > zero, x * splat(SELU_SCALE),
                      expm1_vec(smaller(x, zero)) *
                          splat(SELU_SCALE * SELU_ALPHA));
    case BNRE__ELU:
        return choose(x > zero, x, expm1_vec(smaller(x, zero)));
    case BNRE__RELU:
        return larger(x, zero);
    case BNRE__LEAKY_RELU:
        return choose(x > zero, x, slope * x);
    case BNRE__TANH: /* -expm1(-2|x|) / (2 + expm1(-2|x|)), with x's sign */
        e = expm1_vec(choose(x > zero, -x, x) * splat(2));
        e = -e / (splat(2) + e);
        return choose(x > zero, e, -e);
    default:
        return x;
    }
}

INLINE vec derivative(bnre__activation activation, vec slope, vec y)
{
    const vec zero = {0};

    switch (activation) {
    case BNRE__SELU:
        return choose(y > zero, splat(SELU_SCALE),
                      y + splat(SELU_SCALE * SELU_ALPHA));
    case BNRE__ELU:
        return choose(y > zero, splat(1), y + splat(1));
    case BNRE__RELU:
        return choose(y > zero, splat(1), zero);
    case BNRE__LEAKY_RELU:
        return choose(y > zero, splat(1), slope);
    case BNRE__TANH:
        return splat(1) - y * y;
    default:
        return splat(1);
    }
}

/* One copy of a loop for each activation. */
#define EACH_ACTIVATION(X)                                                     \
    X(BNRE__IDENTITY)                                                          \
    X(BNRE__SELU) X(BNRE__ELU) X(BNRE__RELU) X(BNRE__LEAKY_RELU) X(BNRE__TANH)

#endif
