/* simd.h - the compiler's vector types and functions of them, for the sources
   that are built once for each instruction set (*_simd.c).

   BNRE_LANES is the length of a vector and BNRE_IN_SET(name) the name of a
   record with the set's own appended. A source whose layouts have room for
   shorter vectors only says so by BNRE_MOST_LANES. */
#ifndef BNRE_NUM_SIMD_H
#define BNRE_NUM_SIMD_H

#include <stdint.h>
#include <string.h>

#include "num/kernels.h"
#include "num/x86.h"

#ifndef BNRE_LANES
#define BNRE_LANES 8
#endif
#if defined(BNRE_MOST_LANES) && BNRE_LANES > BNRE_MOST_LANES
#undef BNRE_LANES
#define BNRE_LANES BNRE_MOST_LANES
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
typedef uint32_t uvec __attribute__((vector_size(4 * BNRE_LANES)));

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

/* `wide` panels that are `step` apart, the same row of each. */
INLINE void load_panels(const float *p, size_t step, int wide, vec *row)
{
    UNROLL
    for (int c = 0; c < wide; c++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            row[c * VECTORS + v] = load(p + (size_t)c * step + v * LANES);
    }
}

INLINE vec splat(float x)
{
    return x - (vec){0};
}

INLINE vec choose(ivec mask, vec yes, vec no)
{
#if BNRE_LANES == 16
    return (vec)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask),
                                     (__m512)no, (__m512)yes);
#else
    return (vec)((mask & (ivec)yes) | (~mask & (ivec)no));
#endif
}

/* choose(x > 0, yes, no) without a mask that is made and read again. */
INLINE vec if_positive(vec x, vec yes, vec no)
{
#if BNRE_LANES == 16
    return (vec)_mm512_mask_blend_ps(
        _mm512_cmp_ps_mask((__m512)x, _mm512_setzero_ps(), _CMP_GT_OQ),
        (__m512)no, (__m512)yes);
#else
    return choose(x > (vec){0}, yes, no);
#endif
}

/* Those of x86 are one instruction, which compilers do not find by themselves;
   its result for numbers that do not compare is the second too. */
INLINE vec smaller(vec a, vec b)
{
#if BNRE_LANES == 16
    return (vec)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX__) && BNRE_LANES == 8
    return __builtin_ia32_minps256(a, b);
#elif defined(__SSE__) && BNRE_LANES == 4
    return __builtin_ia32_minps(a, b);
#else
    return choose(a < b, a, b);
#endif
}

INLINE vec larger(vec a, vec b)
{
#if BNRE_LANES == 16
    return (vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX__) && BNRE_LANES == 8
    return __builtin_ia32_maxps256(a, b);
#elif defined(__SSE__) && BNRE_LANES == 4
    return __builtin_ia32_maxps(a, b);
#else
    return choose(a > b, a, b);
#endif
}

/* q(r) = (exp(r) - 1) / r for |r| <= log(2)/2: degree 5 through Chebyshev's
   points, relative error 2.5e-8 before rounding. */
INLINE vec expm1_ratio(vec r)
{
    vec q = splat(1.39336858e-3f);

    q = q * r + splat(8.36918410e-3f);
    q = q * r + splat(4.16664630e-2f);
    q = q * r + splat(0.166665047f);
    q = q * r + splat(0.5f);
    return q * r + splat(1.0f);
}

/* exp(x) = 2^k (1 + r q(r)) with x = k log 2 + r. Where the result would be
   denormal it is 0, where it is too large it is infinite. */
INLINE vec exp_vec(vec x)
{
    const vec low = splat(-87.33654f), high = splat(88.72283f);
    const vec magic = splat(0x1.8p23f); /* rounds to whole numbers */
    vec t, k, r, y;

    t = smaller(larger(x, low), high) * splat(1.44269504088896341f) + magic;
    k = t - magic;
    r = smaller(larger(x, low), high) - k * splat(0.693145751953125f);
    r = r - k * splat(1.428606765330187e-06f);
    y = expm1_ratio(r) * r + splat(1.0f);
    y = (vec)((uvec)y + ((uvec)t << 23));
    y = choose(x < low, (vec){0}, y);
    y = choose(x > high, splat(__builtin_inff()), y);
    return choose(x == x, y, x);
}

/* scale (exp(x) - 1) + add for -87 <= x <= 0, with all its digits near 0 too:
   exp(x) = 2^k (1 + p), so that exp(x) - 1 = 2^k p + (2^k - 1), where the
   second term is 0 or the first does not cancel it. One constant serves for log
   2 as k is small wherever its error could be seen. Sums are arranged for a
   short chain of instructions that wait for each other. */
INLINE vec expm1_vec(vec x, float scale, vec add)
{
    const vec magic = splat(0x1.8p23f); /* rounds to whole numbers */
    const vec t = x * splat(1.44269504088896341f) + magic;
    const vec r = x - (t - magic) * splat(0.693147180559945309f);
    /* k is in the last bits of t, and goes into the exponent of the scale. */
    const vec power = (vec)(((uvec)t << 23) + (uvec)splat(scale));

    add += power - splat(scale);
    return (power * r) * expm1_ratio(r) + add;
}

#define SELU_SCALE 1.0507009873554805f
#define SELU_ALPHA 1.6732632423543772f

/* Of two numbers where one is not a number, smaller() and larger() take the
   second: x, so that what went wrong stays visible. */
INLINE vec apply(bnre__activation activation, vec slope, vec x)
{
    const vec zero = {0}, least = splat(-87.0f); /* exp(least) is nothing */
    vec e;

    switch (activation) {
    case BNRE__SELU:
        x = larger(least, x);
        e = smaller(zero, x);
        return expm1_vec(e, SELU_SCALE * SELU_ALPHA,
                         (x - e) * splat(SELU_SCALE));
    case BNRE__ELU:
        x = larger(least, x);
        e = smaller(zero, x);
        return expm1_vec(e, 1, x - e);
    case BNRE__RELU:
        return larger(zero, x);
    case BNRE__LEAKY_RELU:
        return if_positive(x, x, slope * x);
    case BNRE__TANH: /* -expm1(-2|x|) / (2 + expm1(-2|x|)), with x's sign */
        e = larger(least, smaller(x, -x) * splat(2));
        e = expm1_vec(e, 1, zero);
        e = -e / (splat(2) + e);
        return if_positive(x, e, -e);
    default:
        return x;
    }
}

INLINE vec derivative(bnre__activation activation, vec slope, vec y)
{
    const vec zero = {0};

    switch (activation) {
    case BNRE__SELU:
        return if_positive(y, splat(SELU_SCALE),
                           y + splat(SELU_SCALE * SELU_ALPHA));
    case BNRE__ELU:
        return smaller(zero, y) + splat(1);
    case BNRE__RELU:
        return if_positive(y, splat(1), zero);
    case BNRE__LEAKY_RELU:
        return if_positive(y, splat(1), slope);
    case BNRE__TANH:
        return splat(1) - y * y;
    default:
        return splat(1);
    }
}

#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* The square of LANES by LANES values in v, turned. */
INLINE void turn_square(vec v[LANES])
{
#if BNRE_LANES == 16
    vec t[16];

    UNROLL
    for (int i = 0; i < 16; i += 2) {
        t[i] = SHUFFLE(v[i], v[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25,
                       12, 28, 13, 29);
        t[i + 1] = SHUFFLE(v[i], v[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26,
                           11, 27, 14, 30, 15, 31);
    }
    UNROLL
    for (int i = 0; i < 16; i += 4) {
        UNROLL
        for (int j = 0; j < 2; j++) {
            v[i + 2 * j] = SHUFFLE(t[i + j], t[i + j + 2], 0, 1, 16, 17, 4, 5,
                                   20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
            v[i + 2 * j + 1] =
                SHUFFLE(t[i + j], t[i + j + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10,
                        11, 26, 27, 14, 15, 30, 31);
        }
    }
    /* Four by four quarters, each of them turned. */
    UNROLL
    for (int i = 0; i < 4; i++) {
        UNROLL
        for (int j = 0; j < 2; j++) {
            t[i + 8 * j] = SHUFFLE(v[i + 8 * j], v[i + 4 + 8 * j], 0, 1, 2, 3,
                                   4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
            t[i + 4 + 8 * j] =
                SHUFFLE(v[i + 8 * j], v[i + 4 + 8 * j], 8, 9, 10, 11, 12, 13,
                        14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        }
        UNROLL
        for (int j = 0; j < 2; j++) {
            v[i + 8 * j] =
                SHUFFLE(t[i + 4 * j], t[i + 8 + 4 * j], 0, 1, 2, 3, 8, 9, 10,
                        11, 16, 17, 18, 19, 24, 25, 26, 27);
            v[i + 4 + 8 * j] =
                SHUFFLE(t[i + 4 * j], t[i + 8 + 4 * j], 4, 5, 6, 7, 12, 13, 14,
                        15, 20, 21, 22, 23, 28, 29, 30, 31);
        }
    }
#elif BNRE_LANES == 8
    vec t[8];

    UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = SHUFFLE(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = SHUFFLE(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    UNROLL
    for (int i = 0; i < 8; i += 4) {
        UNROLL
        for (int j = 0; j < 2; j++) {
            v[i + 2 * j] =
                SHUFFLE(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            v[i + 2 * j + 1] =
                SHUFFLE(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = SHUFFLE(v[i], v[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        t[i + 4] = SHUFFLE(v[i], v[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    memcpy(v, t, sizeof t);
#else
    const vec a = SHUFFLE(v[0], v[1], 0, 4, 1, 5);
    const vec b = SHUFFLE(v[0], v[1], 2, 6, 3, 7);
    const vec c = SHUFFLE(v[2], v[3], 0, 4, 1, 5);
    const vec d = SHUFFLE(v[2], v[3], 2, 6, 3, 7);

    v[0] = SHUFFLE(a, c, 0, 1, 4, 5);
    v[1] = SHUFFLE(a, c, 2, 3, 6, 7);
    v[2] = SHUFFLE(b, d, 0, 1, 4, 5);
    v[3] = SHUFFLE(b, d, 2, 3, 6, 7);
#endif
}

/* One copy of a loop for each activation. */
#define EACH_ACTIVATION(X)                                                     \
    X(BNRE__IDENTITY)                                                          \
    X(BNRE__SELU) X(BNRE__ELU) X(BNRE__RELU) X(BNRE__LEAKY_RELU) X(BNRE__TANH)

#endif
