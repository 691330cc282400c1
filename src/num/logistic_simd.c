/* logistic_simd.c - mixtures of cut logistic densities in vectors of rows.

   The formulas of logistic.c. A component's density is split into exp(-x) R: R
   is a product of factors between 1/4 and 1e5, so that a sum over components
   needs one logarithm in all. All exponentials are of negative numbers. */
#include "num/vector_math.h"

#include "num/logistic.h"

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

INLINE void add_columns(float *raw, size_t stride, size_t n, vec *in)
{
#if BNRE_LANES == 16
    for (size_t k = 0; k < n; k += EIGHT) {
        turn_halves(in + k);
        UNROLL
        for (size_t i = 0; i < EIGHT; i++) {
            const half low =
                SHUFFLE(in[k + i], in[k + i], 0, 1, 2, 3, 4, 5, 6, 7);
            const half high =
                SHUFFLE(in[k + i], in[k + i], 8, 9, 10, 11, 12, 13, 14, 15);
            float *row = raw + i * stride + k, *other = row + EIGHT * stride;
            half sum = load_half(row) + low;

            memcpy(row, &sum, sizeof sum);
            sum = load_half(other) + high;
            memcpy(other, &sum, sizeof sum);
        }
    }
#else
    for (size_t k = 0; k < n; k += LANES) {
        turn_square(in + k);
        UNROLL
        for (int i = 0; i < LANES; i++) {
            float *row = raw + (size_t)i * stride + k;

            store(row, load(row) + in[k + (size_t)i]);
        }
    }
#endif
}

/* One component of LANES rows. Both ways need

     z, ez = exp(-|z|), x, ex = exp(-x)

   with x = |z| inside the range, and the distance of c from the nearer bound
   if the place is outside; then exp(-|z|) = exp(-x) times that of the place's
   distance. The exponentials of the bounds, ea and eb, and et = exp(-1 / width)
   come from two of them in the same way: inside, et = ea eb; outside, that of
   the farther bound is that of the nearer one times et. */
struct component {
    vec inverse;      /* 1 / width */
    vec g;            /* sigma(raw): the width's place between its bounds */
    vec z, ez, x, ex; /* see above */
    vec a, ea, b, eb; /* the bounds, likewise */
    vec et;
    ivec inside; /* the place is within the range */
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

INLINE struct component look(bnre__range range, vec place, vec raw, vec c,
                             float widen)
{
    const vec zero = {0}, one = splat(1);
    struct component k = {.x = zero};
    ivec below = {0}, above = {0};

    look_at_width(range, raw, widen, &k);
    k.z = (c - place) * k.inverse;
    k.x = absolute(k.z);
    k.inside = ~below;
    if (range != BNRE__LINE) {
        below = place < zero;
        k.a = -place * k.inverse;
        k.x = choose(below, c * k.inverse, k.x);
        k.inside = ~below;
    }
    if (range == BNRE__UNIT) {
        above = place > one;
        k.b = (one - place) * k.inverse;
        k.x = choose(above, (one - c) * k.inverse, k.x);
        k.inside = ~(below | above);
    }
    k.ex = decay_vec(-k.x);
    k.ez = k.ex;
    if (range == BNRE__HALF) {
        k.ea = decay_vec(-absolute(k.a));
        k.ez *= choose(below, k.ea, one);
    }
    if (range == BNRE__UNIT) {
        const vec a = absolute(k.a), b = absolute(k.b);
        const vec near = decay_vec(-choose(above, b, a));
        const vec far = decay_vec(-choose(k.inside, b, k.inverse));
        const vec both = near * far;

        k.ea = choose(above, both, near);
        k.eb = choose(above, near, choose(k.inside, far, both));
        k.et = choose(k.inside, both, far);
        k.ez *= choose(k.inside, one, near);
    }
    return k;
}

INLINE vec factor(bnre__range range, const struct component *k)
{
    const vec one = splat(1), d = one + k->ez;
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

INLINE vec forward_vec(bnre__range range, size_t n, float widen, const vec *a,
                       const vec *place, const vec *width, vec c)
{
    const vec one = splat(1), tiny = splat(1e-25f);
    vec weight[MOST], x[MOST], r[MOST], sum = {0}, most, all, l;

    all = weigh(n, a, &most, weight);
    for (size_t k = 0; k < n; k++) {
        const struct component part = look(range, place[k], width[k], c, widen);

        x[k] = part.x;
        r[k] = factor(range, &part);
        sum += weight[k] * part.ex * r[k];
    }
    /* The prior is 1, exp(-c), or exp(-|c|) / (1 + exp(-|c|))^2. */
    if (range == BNRE__LINE) {
        const vec d = one + decay_vec(-absolute(c));

        all /= d * d;
    }
    l = log_vec(larger(tiny, sum) / all);
    if (any(sum < tiny))
        l = choose(sum < tiny, log_far_sum(n, a, x, r) - most - log_vec(all),
                   l);
    return range == BNRE__UNIT ? l : l + absolute(c);
}

INLINE void forward_rows(bnre__range range, size_t n, float widen,
                         const float *raw, const float *at, float *out)
{
    vec a[MOST], place[MOST], width[MOST];

    load_columns(raw, 3 * n, n, a);
    load_columns(raw + n, 3 * n, n, place);
    load_columns(raw + 2 * n, 3 * n, n, width);
    store(out, forward_vec(range, n, widen, a, place, width, load(at)));
}

/* e / (1 + e) */
INLINE vec share(vec e)
{
    return e / (splat(1) + e);
}

/* d log q_k / d place and / d log width. */
INLINE void differentiate(bnre__range range, const struct component *k,
                          vec *dplace, vec *dwidth)
{
    const vec zero = {0}, one = splat(1), h = share(k->ez);
    const vec sign = choose(k->z < zero, -one, one);
    vec place = choose(k->inside, sign, zero) - splat(2) * sign * h;

    *dwidth = k->x - one - splat(2) * absolute(k->z) * h;
    if (range != BNRE__LINE) {
        const vec s = share(k->ea);

        place += choose(k->a < zero, -s, s);
        *dwidth += absolute(k->a) * s;
    }
    if (range == BNRE__UNIT) {
        const vec s = share(k->eb);

        place += choose(k->b > zero, s, -s);
        *dwidth += absolute(k->b) * s + k->inverse * k->et / (one - k->et);
    }
    *dplace = place * k->inverse;
}

INLINE void back_rows(bnre__range range, size_t n, float widen,
                      const float *raw, const float *at, const float *dl_at,
                      float *draw)
{
    vec a[MOST], place[MOST], width[MOST], p[MOST], weight[MOST];
    const vec c = load(at), dl = load(dl_at), one = splat(1);
    const vec least = splat((float)BNRE__LEAST_WIDTH);
    struct component part[MOST];
    vec most = splat(-__builtin_inff()), sum = {0}, total;

    load_columns(raw, 3 * n, n, a);
    load_columns(raw + n, 3 * n, n, place);
    load_columns(raw + 2 * n, 3 * n, n, width);
    for (size_t k = 0; k < n; k++) {
        part[k] = look(range, place[k], width[k], c, widen);
        most = larger(a[k] - part[k].x, most);
    }
    for (size_t k = 0; k < n; k++) {
        p[k] = decay_vec(a[k] - part[k].x - most) * factor(range, &part[k]);
        sum += p[k];
    }
    total = weigh(n, a, &most, weight);
    for (size_t k = 0; k < n; k++) {
        const vec q = p[k] / sum * dl, g = part[k].g;
        vec dplace, dwidth;

        differentiate(range, &part[k], &dplace, &dwidth);
        a[k] = q - weight[k] / total * dl;
        place[k] = q * dplace;
        width[k] = q * dwidth * (one - least) * g * (one - g) *
                   part[k].inverse * splat(widen);
        if (range != BNRE__UNIT && widen > 1) /* not where it is the most */
            width[k] = choose(part[k].inverse > one, width[k], (vec){0});
    }
    add_columns(draw, 3 * n, n, a);
    add_columns(draw + n, 3 * n, n, place);
    add_columns(draw + 2 * n, 3 * n, n, width);
}

/* Rows that do not fill a vector go through room of their own. */
struct rest {
    float raw[LANES * 3 * MOST], draw[LANES * 3 * MOST];
    float c[LANES], dl[LANES], l[LANES];
};

INLINE void take_rest(const bnre__lines *lines, size_t first, int back,
                      struct rest *rest)
{
    const size_t width = 3 * lines->components, n = lines->n - first;

    memset(rest, 0, sizeof *rest);
    memcpy(rest->raw, lines->raw + first * width,
           n * width * sizeof *rest->raw);
    memcpy(rest->c, lines->c + first, n * sizeof *rest->c);
    if (back)
        memcpy(rest->dl, lines->dl + first, n * sizeof *rest->dl);
}

/* All rows go through one and the same instructions, so that none depends on
   its place. */
INLINE void forward_as(bnre__range range, const bnre__lines *lines)
{
    const size_t n = lines->components;
    struct rest rest;

    for (size_t i = 0; i < lines->n; i += LANES) {
        const int whole = i + LANES <= lines->n;

        if (!whole)
            take_rest(lines, i, 0, &rest);
        forward_rows(
            range, n, lines->widen, whole ? lines->raw + i * 3 * n : rest.raw,
            whole ? lines->c + i : rest.c, whole ? lines->l + i : rest.l);
        if (!whole)
            memcpy(lines->l + i, rest.l, (lines->n - i) * sizeof *rest.l);
    }
}

INLINE void back_as(bnre__range range, const bnre__lines *lines)
{
    const size_t n = lines->components;
    struct rest rest;
    size_t i = 0;

    for (; i + LANES <= lines->n; i += LANES)
        back_rows(range, n, lines->widen, lines->raw + i * 3 * n, lines->c + i,
                  lines->dl + i, lines->draw + i * 3 * n);
    if (i == lines->n)
        return;
    take_rest(lines, i, 1, &rest);
    back_rows(range, n, lines->widen, rest.raw, rest.c, rest.dl, rest.draw);
    for (size_t j = 0; j < (lines->n - i) * 3 * n; j++)
        lines->draw[i * 3 * n + j] += rest.draw[j];
}

static void forward_simd(const bnre__lines *lines)
{
    if (lines->range == BNRE__UNIT)
        forward_as(BNRE__UNIT, lines);
    else if (lines->range == BNRE__HALF)
        forward_as(BNRE__HALF, lines);
    else
        forward_as(BNRE__LINE, lines);
}

static void back_simd(const bnre__lines *lines)
{
    if (lines->range == BNRE__UNIT)
        back_as(BNRE__UNIT, lines);
    else if (lines->range == BNRE__HALF)
        back_as(BNRE__HALF, lines);
    else
        back_as(BNRE__LINE, lines);
}

/* Eights that do not fill a vector go through room of their own. */
#define EACH_EIGHT(name, fn)                                                   \
    static void name(size_t n, const float *x, float *y)                       \
    {                                                                          \
        float rest[LANES] = {0};                                               \
        size_t i = 0;                                                          \
                                                                               \
        for (; i + LANES <= n; i += LANES)                                     \
            store(y + i, fn(load(x + i)));                                     \
        if (i == n)                                                            \
            return;                                                            \
        memcpy(rest, x + i, (n - i) * sizeof *rest);                           \
        store(rest, fn(load(rest)));                                           \
        memcpy(y + i, rest, (n - i) * sizeof *rest);                           \
    }
EACH_EIGHT(decay_simd, decay_vec)
EACH_EIGHT(log_simd, log_vec)

const bnre__logistic_kernels BNRE_IN_SET(bnre__logistic) = {
    .forward = forward_simd,
    .back = back_simd,
    .decay = decay_simd,
    .log = log_simd,
};
