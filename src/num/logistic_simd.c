/* logistic_simd.c - mixtures of cut logistic densities in vectors of rows. */
#include "num/logistic_vec.h"

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

/* Values of the rows from i on, of which the last vector may have fewer. */
INLINE vec load_some(const float *from, size_t count)
{
    float some[LANES] = {0};

    if (count >= LANES)
        return load(from);
    memcpy(some, from, count * sizeof *some);
    return load(some);
}

INLINE void store_some(float *to, size_t count, vec v)
{
    float some[LANES];

    if (count >= LANES) {
        store(to, v);
        return;
    }
    store(some, v);
    memcpy(to, some, count * sizeof *some);
}

/* The mixtures of LANES rows. */
struct mixture {
    vec a[MOST], weight[MOST], most, all; /* see weigh() */
    struct component part[MOST];
};

INLINE vec forward_vec(bnre__range range, size_t n, const struct mixture *of,
                       vec c)
{
    const vec one = splat(1), tiny = splat(1e-25f);
    vec x[MOST], r[MOST], sum = {0}, all = of->all, l;

    for (size_t k = 0; k < n; k++) {
        const struct point point = look_from(range, &of->part[k], c);

        x[k] = point.x;
        r[k] = factor(range, &of->part[k], &point);
        sum += of->weight[k] * point.ex * r[k];
    }
    /* The prior is 1, exp(-c), or exp(-|c|) / (1 + exp(-|c|))^2. */
    if (range == BNRE__LINE) {
        const vec d = one + decay_vec(-absolute(c));

        all /= d * d;
    }
    l = log_vec(larger(tiny, sum) / all);
    if (any(sum < tiny))
        l = choose(sum < tiny,
                   log_far_sum(n, of->a, x, r) - of->most - log_vec(all), l);
    return range == BNRE__UNIT ? l : l + absolute(c);
}

INLINE void read_rows(bnre__range range, size_t n, float widen,
                      const float *raw, struct mixture *out)
{
    vec place[MOST], width[MOST];

    load_columns(raw, 3 * n, n, out->a);
    load_columns(raw + n, 3 * n, n, place);
    load_columns(raw + 2 * n, 3 * n, n, width);
    out->all = weigh(n, out->a, &out->most, out->weight);
    for (size_t k = 0; k < n; k++)
        out->part[k] = look(range, place[k], width[k], widen);
}

/* e / (1 + e) */
INLINE vec share(vec e)
{
    return e / (splat(1) + e);
}

/* d log q_k / d place and / d log width. */
INLINE void differentiate(bnre__range range, const struct component *k,
                          const struct point *p, vec *dplace, vec *dwidth)
{
    const vec zero = {0}, one = splat(1), h = share(p->ez);
    const vec sign = choose(p->z < zero, -one, one);
    vec place = choose(k->inside, sign, zero) - splat(2) * sign * h;

    *dwidth = p->x - one - splat(2) * absolute(p->z) * h;
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

INLINE void back_vec(bnre__range range, size_t n, float widen,
                     const struct mixture *of, vec c, vec dl, float *draw)
{
    const vec one = splat(1), least = splat((float)BNRE__LEAST_WIDTH);
    vec a[MOST], place[MOST], width[MOST], p[MOST];
    struct point point[MOST];
    vec most = splat(-__builtin_inff()), sum = {0};

    for (size_t k = 0; k < n; k++) {
        point[k] = look_from(range, &of->part[k], c);
        most = larger(of->a[k] - point[k].x, most);
    }
    for (size_t k = 0; k < n; k++) {
        p[k] = decay_vec(of->a[k] - point[k].x - most) *
               factor(range, &of->part[k], &point[k]);
        sum += p[k];
    }
    for (size_t k = 0; k < n; k++) {
        const struct component *part = &of->part[k];
        const vec q = p[k] / sum * dl, g = part->g;
        vec dplace, dwidth;

        differentiate(range, part, &point[k], &dplace, &dwidth);
        a[k] = q - of->weight[k] / of->all * dl;
        place[k] = q * dplace;
        width[k] = q * dwidth * (one - least) * g * (one - g) * part->inverse *
                   splat(widen);
        if (range != BNRE__UNIT && widen > 1) /* not where it is the most */
            width[k] = choose(part->inverse > one, width[k], (vec){0});
    }
    add_columns(draw, 3 * n, n, a);
    add_columns(draw + n, 3 * n, n, place);
    add_columns(draw + 2 * n, 3 * n, n, width);
}

/* All rows go through one and the same instructions, so that none depends on
   its place: those that do not fill a vector have room of their own. */
INLINE void forward_as(bnre__range range, const bnre__lines *lines)
{
    const size_t n = lines->components, rows = lines->n;

    for (size_t i = 0; i < rows; i += LANES) {
        const float *raw = lines->raw + i * 3 * n;
        float rest[LANES * 3 * MOST];
        struct mixture mixture;

        if (i + LANES > rows) {
            memset(rest, 0, sizeof rest);
            memcpy(rest, raw, (rows - i) * 3 * n * sizeof *rest);
            raw = rest;
        }
        read_rows(range, n, lines->widen, raw, &mixture);
        for (size_t at = i; at <= lines->more * rows + i; at += rows)
            store_some(lines->l + at, rows - i,
                       forward_vec(range, n, &mixture,
                                   load_some(lines->c + at, rows - i)));
    }
}

INLINE void back_as(bnre__range range, const bnre__lines *lines)
{
    const size_t n = lines->components, rows = lines->n;

    for (size_t i = 0; i < rows; i += LANES) {
        const size_t used = (rows - i) * 3 * n;
        const int whole = i + LANES <= rows;
        const float *raw = lines->raw + i * 3 * n;
        float rest[LANES * 3 * MOST], rest_draw[LANES * 3 * MOST];
        float *draw = lines->draw + i * 3 * n;
        struct mixture mixture;

        if (!whole) {
            memset(rest, 0, sizeof rest);
            memset(rest_draw, 0, sizeof rest_draw);
            memcpy(rest, raw, used * sizeof *rest);
            memcpy(rest_draw, draw, used * sizeof *rest);
            raw = rest;
        }
        read_rows(range, n, lines->widen, raw, &mixture);
        for (size_t at = i; at <= lines->more * rows + i; at += rows)
            back_vec(range, n, lines->widen, &mixture,
                     load_some(lines->c + at, rows - i),
                     load_some(lines->dl + at, rows - i),
                     whole ? draw : rest_draw);
        if (!whole)
            memcpy(draw, rest_draw, used * sizeof *draw);
    }
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
    .line = &BNRE_IN_SET(bnre__line),
};
