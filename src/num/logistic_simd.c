/* logistic_simd.c - mixtures of cut logistic densities in vectors of rows.

   The formulas of logistic.c. A component's density is split into exp(E) R: R
   is a product of factors between 1/4 and 1e5, so that a sum over components
   needs one exponential for each, and one logarithm in all. */
#include "num/simd.h"

#include "num/logistic.h"

enum { MOST = BNRE__MOST_COMPONENTS };

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
    return __builtin_convertvector(k, vec) * splat(0.693147181f) +
           (t + t + t * t2 * series);
}

INLINE vec absolute(vec x)
{
    return larger(x, -x);
}

/* Rows of a square of columns become columns of vectors. */
INLINE void load_columns(const float *raw, size_t stride, size_t n, vec *out)
{
    for (size_t k = 0; k < n; k += LANES) {
        UNROLL
        for (int i = 0; i < LANES; i++)
            out[k + (size_t)i] = load(raw + (size_t)i * stride + k);
        turn_square(out + k);
    }
}

INLINE void add_columns(float *raw, size_t stride, size_t n, vec *in)
{
    for (size_t k = 0; k < n; k += LANES) {
        turn_square(in + k);
        UNROLL
        for (int i = 0; i < LANES; i++) {
            float *row = raw + (size_t)i * stride + k;

            store(row, load(row) + in[k + (size_t)i]);
        }
    }
}

/* One component of LANES rows, and what both ways need of it. */
struct component {
    vec inverse;      /* 1 / width */
    vec g;            /* sigma(r): the width's place between its bounds */
    vec z, ez;        /* exp(-|z|) */
    vec a, ea, b, eb; /* the bounds, likewise */
    vec et;           /* exp(-1 / width) */
    vec x;            /* E = log weight - x */
    ivec inside;      /* the place is within the range */
};

INLINE vec sigma(vec v)
{
    const vec e = exp_vec(-absolute(v)), d = splat(1) / (splat(1) + e);

    return choose(v > (vec){0}, d, e * d);
}

INLINE struct component look(bnre__range range, vec place, vec raw, vec c,
                             float widen)
{
    const vec least = splat((float)BNRE__LEAST_WIDTH), one = splat(1);
    struct component k = {.g = sigma(raw)};
    const vec width = splat(widen) * (least + (one - least) * k.g);

    k.inverse = one / (range == BNRE__UNIT ? width : smaller(width, one));
    k.z = (c - place) * k.inverse;
    k.ez = exp_vec(-absolute(k.z));
    k.x = absolute(k.z);
    k.inside = ~(ivec){0};
    if (range != BNRE__LINE) {
        const ivec below = place < (vec){0};

        k.a = -place * k.inverse;
        k.ea = exp_vec(-absolute(k.a));
        k.x = choose(below, c * k.inverse, k.x);
        k.inside &= ~below;
    }
    if (range == BNRE__UNIT) {
        const ivec above = place > one;

        k.b = (one - place) * k.inverse;
        k.eb = exp_vec(-absolute(k.b));
        k.et = exp_vec(-k.inverse);
        k.x = choose(above, (one - c) * k.inverse, k.x);
        k.inside &= ~above;
    }
    return k;
}

INLINE vec factor(bnre__range range, const struct component *k)
{
    const vec one = splat(1), d = one + k->ez;
    vec r = k->inverse / (d * d);

    if (range != BNRE__LINE)
        r *= one + k->ea;
    if (range == BNRE__UNIT)
        r *= (one + k->eb) / (one - k->et);
    return r;
}

INLINE vec log_prior(bnre__range range, vec c)
{
    if (range == BNRE__UNIT)
        return (vec){0};
    if (range == BNRE__HALF)
        return -c;
    return -absolute(c) - splat(2) * log_vec(splat(1) + exp_vec(-absolute(c)));
}

/* The weights' exponentials, not normalised, and the logarithm of their sum. */
INLINE vec weigh(size_t n, const vec *a, vec *weight)
{
    vec most = splat(-__builtin_inff()), sum = {0};

    for (size_t k = 0; k < n; k++)
        most = larger(a[k], most);
    for (size_t k = 0; k < n; k++) {
        weight[k] = exp_vec(a[k] - most);
        sum += weight[k];
    }
    return most + log_vec(sum);
}

INLINE void forward_rows(bnre__range range, size_t n, float widen,
                         const float *raw, const float *at, float *out)
{
    vec a[MOST], place[MOST], width[MOST], e[MOST], r[MOST], weight[MOST];
    const vec c = load(at);
    vec most = splat(-__builtin_inff()), sum = {0};

    load_columns(raw, 3 * n, n, a);
    load_columns(raw + n, 3 * n, n, place);
    load_columns(raw + 2 * n, 3 * n, n, width);
    for (size_t k = 0; k < n; k++) {
        const struct component part = look(range, place[k], width[k], c, widen);

        e[k] = a[k] - part.x;
        r[k] = factor(range, &part);
        most = larger(e[k], most);
    }
    for (size_t k = 0; k < n; k++)
        sum += exp_vec(e[k] - most) * r[k];
    store(out, most + log_vec(sum) - weigh(n, a, weight) - log_prior(range, c));
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
    vec most = splat(-__builtin_inff()), sum = {0}, total = {0};

    load_columns(raw, 3 * n, n, a);
    load_columns(raw + n, 3 * n, n, place);
    load_columns(raw + 2 * n, 3 * n, n, width);
    for (size_t k = 0; k < n; k++) {
        part[k] = look(range, place[k], width[k], c, widen);
        most = larger(a[k] - part[k].x, most);
    }
    for (size_t k = 0; k < n; k++) {
        p[k] = exp_vec(a[k] - part[k].x - most) * factor(range, &part[k]);
        sum += p[k];
    }
    (void)weigh(n, a, weight);
    for (size_t k = 0; k < n; k++)
        total += weight[k];
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

INLINE void forward_as(bnre__range range, const bnre__lines *lines)
{
    const size_t n = lines->components;
    struct rest rest;
    size_t i = 0;

    for (; i + LANES <= lines->n; i += LANES)
        forward_rows(range, n, lines->widen, lines->raw + i * 3 * n,
                     lines->c + i, lines->l + i);
    if (i == lines->n)
        return;
    take_rest(lines, i, 0, &rest);
    forward_rows(range, n, lines->widen, rest.raw, rest.c, rest.l);
    memcpy(lines->l + i, rest.l, (lines->n - i) * sizeof *rest.l);
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

const bnre__logistic_kernels BNRE_IN_SET(bnre__logistic) = {
    .forward = forward_simd,
    .back = back_simd,
};
