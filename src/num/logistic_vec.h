/* logistic_vec.h - what the kernels of mixtures have in common, for those that
   pass over rows (logistic_simd.c) and those that draw (line_simd.c).

   The formulas of logistic.c. A component's density is split into exp(-x) R: R
   is a product of factors between 1/4 and 1e5, so that a sum over components
   needs one logarithm in all. All exponentials are of negative numbers. */
#ifndef BNRE_NUM_LOGISTIC_VEC_H
#define BNRE_NUM_LOGISTIC_VEC_H

#include "num/logistic.h"
#include "num/vector_math.h"

enum { MOST = BNRE__MOST_COMPONENTS };

#if BNRE_LANES == 16
enum { EIGHT = 8 }; /* components come in eights */
typedef float half __attribute__((vector_size(4 * EIGHT)));

INLINE half load_half(const float *p)
{
    half v;

    memcpy(&v, p, sizeof v);
    return v;
}

/* Two squares of eight by eight, one in each half of the vectors, turned. */
INLINE void turn_halves(vec v[EIGHT])
{
    vec t[EIGHT];

    UNROLL
    for (int i = 0; i < EIGHT; i += 2) {
        t[i] = SHUFFLE(v[i], v[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25,
                       12, 28, 13, 29);
        t[i + 1] = SHUFFLE(v[i], v[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26,
                           11, 27, 14, 30, 15, 31);
    }
    UNROLL
    for (int i = 0; i < EIGHT; i += 4) {
        UNROLL
        for (int j = 0; j < 2; j++) {
            v[i + 2 * j] = SHUFFLE(t[i + j], t[i + j + 2], 0, 1, 16, 17, 4, 5,
                                   20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
            v[i + 2 * j + 1] =
                SHUFFLE(t[i + j], t[i + j + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10,
                        11, 26, 27, 14, 15, 30, 31);
        }
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = SHUFFLE(v[i], v[i + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11,
                       24, 25, 26, 27);
        t[i + 4] = SHUFFLE(v[i], v[i + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13,
                           14, 15, 28, 29, 30, 31);
    }
    memcpy(v, t, sizeof t);
}
#endif

/* Rows of some columns become columns of vectors. */
INLINE void load_columns(const float *raw, size_t stride, size_t n, vec *out)
{
#if BNRE_LANES == 16
    for (size_t k = 0; k < n; k += EIGHT) {
        UNROLL
        for (size_t i = 0; i < EIGHT; i++) {
            const half low = load_half(raw + i * stride + k);
            const half high = load_half(raw + (i + EIGHT) * stride + k);

            out[k + i] = SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                 11, 12, 13, 14, 15);
        }
        turn_halves(out + k);
    }
#else
    for (size_t k = 0; k < n; k += LANES) {
        UNROLL
        for (int i = 0; i < LANES; i++)
            out[k + (size_t)i] = load(raw + (size_t)i * stride + k);
        turn_square(out + k);
    }
#endif
}

/* One component of LANES rows: what depends on no coordinate. The exponentials
   of the bounds, ea and eb, and et = exp(-1 / width) come from two of them:
   inside, et = ea eb; outside, that of the farther bound is that of the nearer
   one times et. */
struct component {
    vec place;
    vec inverse;      /* 1 / width */
    vec g;            /* sigma(raw): the width's place between its bounds */
    vec a, ea, b, eb; /* (bound - place) / width, and exp(-|.|) */
    vec et;
    vec near;           /* exp(-distance) of a place outside, else 1 */
    ivec below, inside; /* where the place is of the range */
    ivec above;
};

/* And what does: z = (c - place) / width, ez = exp(-|z|), and x, ex = exp(-x)
   with x = |z| inside the range, the distance of c from the nearer bound if the
   place is outside; then exp(-|z|) = exp(-x) times that of the place's
   distance. */
struct point {
    vec z, ez, x, ex;
};

/* With e = exp(-|raw|) and f the least width, 1 / width = (1 + e) / (1 + f e), or
   for negative numbers (1 + e) / (e + f). */
INLINE void look_at_width(bnre__range range, vec raw, float widen,
                          struct component *k)
{
    const vec one = splat(1), least = splat((float)BNRE__LEAST_WIDTH);
    const vec e = decay_vec(-absolute(raw));
    const ivec small = raw < (vec){0};

    k->g = choose(small, e, one) / (one + e);
    k->inverse =
        (one + e) / (choose(small, e + least, one + least * e) * splat(widen));
    if (range != BNRE__UNIT)
        k->inverse = larger(one, k->inverse);
}

INLINE struct component look(bnre__range range, vec place, vec raw, float widen)
{
    const vec zero = {0}, one = splat(1);
    struct component k = {.place = place, .near = one};

    look_at_width(range, raw, widen, &k);
    k.inside = ~k.below;
    if (range != BNRE__LINE) {
        k.below = place < zero;
        k.a = -place * k.inverse;
        k.inside = ~k.below;
    }
    if (range == BNRE__HALF) {
        k.ea = decay_vec(-absolute(k.a));
        k.near = choose(k.below, k.ea, one);
    }
    if (range == BNRE__UNIT) {
        vec a, b, near, far, both;

        k.above = place > one;
        k.b = (one - place) * k.inverse;
        k.inside = ~(k.below | k.above);
        a = absolute(k.a);
        b = absolute(k.b);
        near = decay_vec(-choose(k.above, b, a));
        far = decay_vec(-choose(k.inside, b, k.inverse));
        both = near * far;
        k.ea = choose(k.above, both, near);
        k.eb = choose(k.above, near, choose(k.inside, far, both));
        k.et = choose(k.inside, both, far);
        k.near = choose(k.inside, one, near);
    }
    return k;
}

INLINE struct point look_from(bnre__range range, const struct component *k,
                              vec c)
{
    struct point p;

    p.z = (c - k->place) * k->inverse;
    p.x = absolute(p.z);
    if (range != BNRE__LINE)
        p.x = choose(k->below, c * k->inverse, p.x);
    if (range == BNRE__UNIT)
        p.x = choose(k->above, (splat(1) - c) * k->inverse, p.x);
    p.ex = decay_vec(-p.x);
    p.ez = p.ex;
    if (range != BNRE__LINE)
        p.ez *= k->near;
    return p;
}

INLINE vec factor(bnre__range range, const struct component *k,
                  const struct point *p)
{
    const vec one = splat(1), d = one + p->ez;
    vec above = k->inverse, below = d * d;

    if (range != BNRE__LINE)
        above *= one + k->ea;
    if (range == BNRE__UNIT) {
        above *= one + k->eb;
        below *= one - k->et;
    }
    return above / below;
}

/* The weights' exponentials over that of the largest, and their sum. */
INLINE vec weigh(size_t n, const vec *a, vec *most, vec *weight)
{
    vec sum = {0};

    *most = splat(-__builtin_inff());
    for (size_t k = 0; k < n; k++)
        *most = larger(a[k], *most);
    for (size_t k = 0; k < n; k++) {
        weight[k] = decay_vec(a[k] - *most);
        sum += weight[k];
    }
    return sum;
}

INLINE int any(ivec mask)
{
#if BNRE_LANES == 16
    return _mm512_movepi32_mask((__m512i)mask) != 0;
#else
    int32_t all = 0;

    UNROLL
    for (int i = 0; i < LANES; i++)
        all |= mask[i];
    return all != 0;
#endif
}

/* log of the sum over components of exp(a - x) R, relative to the largest term:
   for sums that are too small for a float. */
INLINE vec log_far_sum(size_t n, const vec *a, const vec *x, const vec *r)
{
    vec most = splat(-__builtin_inff()), sum = {0};

    for (size_t k = 0; k < n; k++)
        most = larger(a[k] - x[k], most);
    for (size_t k = 0; k < n; k++)
        sum += decay_vec(a[k] - x[k] - most) * r[k];
    return log_vec(sum) + most;
}

#endif
