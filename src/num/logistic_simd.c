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
    .line = &BNRE_IN_SET(bnre__line),
};
