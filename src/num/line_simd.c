/* line_simd.c - densities on a line where they serve: many coordinates in one
   mixture, draws, and the mean of an ensemble. */
#include "num/logistic_vec.h"
#include "num/vector_double.h"

/* ---- many coordinates in one mixture ---- */

/* What of a component depends on no coordinate: with `from` the place, or the
   nearer bound if that is outside, x = |c - from| / width. */
struct same {
    float a[MOST], from[MOST], inverse[MOST];
    float near[MOST]; /* exp(-distance) of a place outside, else 1 */
    float scale[MOST], weight[MOST]; /* R (1 + ez)^2, and this times exp(a) */
    float all, most;                 /* of the weights, as in weigh() */
};

/* Components side by side. */
INLINE void prepare_lanes(bnre__range range, float widen, const float *place_at,
                          const float *width_at, size_t k, struct same *out)
{
    const vec zero = {0}, one = splat(1), place = load(place_at + k);
    struct component part;
    ivec below = {0}, above = {0}, inside;
    vec ea = zero, eb = zero, et = zero, from = place, near = one;

    look_at_width(range, load(width_at + k), widen, &part);
    if (range != BNRE__LINE)
        below = place < zero;
    if (range == BNRE__UNIT)
        above = place > one;
    inside = ~(below | above);
    if (range == BNRE__HALF) {
        ea = decay_vec(-absolute(place * part.inverse));
        near = choose(below, ea, one);
    }
    if (range == BNRE__UNIT) {
        const vec a = absolute(place * part.inverse);
        const vec b = absolute((one - place) * part.inverse);
        const vec nearer = decay_vec(-choose(above, b, a));
        const vec far = decay_vec(-choose(inside, b, part.inverse));
        const vec both = nearer * far;

        ea = choose(above, both, nearer);
        eb = choose(above, nearer, choose(inside, far, both));
        et = choose(inside, both, far);
        near = choose(inside, one, nearer);
    }
    from = choose(below, zero, from);
    from = choose(above, one, from);
    store(out->from + k, from);
    store(out->inverse + k, part.inverse);
    store(out->near + k, near);
    store(out->scale + k, part.inverse * (one + ea) * (one + eb) / (one - et));
}

INLINE void prepare(bnre__range range, const bnre__lines *lines,
                    struct same *out)
{
    const size_t n = lines->components;
    float place[MOST] = {0}, width[MOST] = {0};

    memset(out, 0, sizeof *out);
    memcpy(out->a, lines->raw, n * sizeof *place);
    memcpy(place, lines->raw + n, n * sizeof *place);
    memcpy(width, lines->raw + 2 * n, n * sizeof *width);
    out->most = out->a[0];
    for (size_t k = 1; k < n; k++)
        out->most = out->a[k] > out->most ? out->a[k] : out->most;
    for (size_t k = 0; k < n; k += LANES) {
        prepare_lanes(range, lines->widen, place, width, k, out);
        store(out->weight + k, decay_vec(load(out->a + k) - splat(out->most)));
    }
    for (size_t k = 0; k < n; k++) {
        out->all += out->weight[k];
        out->weight[k] *= out->scale[k];
    }
}

INLINE vec same_vec(bnre__range range, size_t n, const struct same *of, vec c)
{
    const vec one = splat(1), tiny = splat(1e-25f);
    vec x[MOST], r[MOST], sum = {0}, all = splat(of->all), l;

    for (size_t k = 0; k < n; k++) {
        vec ex, d;

        x[k] = absolute(c - splat(of->from[k])) * splat(of->inverse[k]);
        ex = decay_vec(-x[k]);
        d = one + ex * splat(of->near[k]);
        r[k] = one / (d * d);
        sum += splat(of->weight[k]) * (ex * r[k]);
    }
    if (range == BNRE__LINE) {
        const vec d = one + decay_vec(-absolute(c));

        all /= d * d;
    }
    l = log_vec(larger(tiny, sum) / all);
    if (any(sum < tiny)) {
        vec a[MOST];

        for (size_t k = 0; k < n; k++) {
            a[k] = splat(of->a[k]);
            r[k] *= splat(of->scale[k]);
        }
        l = choose(sum < tiny,
                   log_far_sum(n, a, x, r) - splat(of->most) - log_vec(all), l);
    }
    return range == BNRE__UNIT ? l : l + absolute(c);
}

INLINE void same_as(bnre__range range, const bnre__lines *lines)
{
    struct same of;

    prepare(range, lines, &of);
    for (size_t i = 0; i < lines->n; i += LANES) {
        const size_t n = lines->n - i < LANES ? lines->n - i : LANES;
        float c[LANES] = {0}, l[LANES];

        memcpy(c, lines->c + i, n * sizeof *c);
        store(l, same_vec(range, lines->components, &of, load(c)));
        memcpy(lines->l + i, l, n * sizeof *l);
    }
}

static void same_simd(const bnre__lines *lines)
{
    if (lines->range == BNRE__UNIT)
        same_as(BNRE__UNIT, lines);
    else if (lines->range == BNRE__HALF)
        same_as(BNRE__HALF, lines);
    else
        same_as(BNRE__LINE, lines);
}

/* ---- draws ---- */

/* Of LANES rows the places and raw widths of the components that are drawn: the
   first that `pick` of the weights does not go beyond, or the last that has a
   weight at all. */
INLINE void pick_rows(size_t n, const float *raw, size_t stride,
                      const float *pick, float *place, float *width)
{
    vec a[MOST], b[MOST], r[MOST], weight[MOST], most, total, reach, sum;

    b[0] = r[0] = (vec){0};
    load_columns(raw, stride, n, a);
    load_columns(raw + n, stride, n, b);
    load_columns(raw + 2 * n, stride, n, r);
    total = weigh(n, a, &most, weight);
    reach = load(pick) * total;
    sum = weight[0];
    for (size_t k = 1; k < n; k++) {
        const ivec on = (reach >= sum) & (sum < total);

        b[0] = choose(on, b[k], b[0]);
        r[0] = choose(on, r[k], r[0]);
        sum += weight[k];
    }
    store(place, b[0]);
    store(width, r[0]);
}

/* c with a share p of the component below it: c = from + s log(above / below)
   (logistic.c). Within the range, with ea and eb of its bounds,

     above = ea (1 + eb) + p (1 - ea eb),  below = eb (1 + ea) + (1 - p) (1 - ea
     eb),

   and if the place is below the range, e being that of its distance and et that
   of the range's length,

     above = 1 + e et + e p (1 - et),  below = (1 - p) (1 - et) + et (1 + e);

   above the range it is the same from the other side. */
INLINE pair place_pair(bnre__range range, pair m, pair raw, double widen,
                       pair p)
{
    const pair zero = {0}, one = splat_pair(1), q = one - p;
    const pair least = splat_pair(BNRE__LEAST_WIDTH);
    const pair e = decay_pair(-absolute_pair(raw));
    pair s =
        (choose_pair(raw < zero, e, one) / (one + e) * (one - least) + least) *
        splat_pair(widen);
    pair above = p, below = q, c;

    if (range != BNRE__UNIT)
        s = choose_pair(s > one, one, s);
    if (range == BNRE__LINE)
        return m + s * log_pair(above / below);
    if (range == BNRE__HALF) {
        const ipair inside = m >= zero;
        const pair ea = decay_pair(-absolute_pair(m / s));

        above = choose_pair(inside, ea + p, one + ea * p);
        c = choose_pair(inside, m, zero) + s * log_pair(above / below);
    } else {
        const ipair under = m<zero, over = m> one, outside = under | over;
        const pair inverse = one / s;
        const pair a = absolute_pair(m) * inverse;
        const pair b = absolute_pair(one - m) * inverse;
        const pair near = decay_pair(-choose_pair(over, b, a));
        const pair far = decay_pair(-choose_pair(outside, inverse, b));
        const pair rest = one - choose_pair(outside, far, near * far);
        const pair from = choose_pair(over, one, choose_pair(under, zero, m));
        const pair share = choose_pair(over, q, p);
        pair y;

        above = choose_pair(outside, one + near * far + near * share * rest,
                            near * (one + far) + p * rest);
        below = (one - share) * rest + far * (one + near);
        y = s * log_pair(above / below);
        c = choose_pair(over, from - y, from + y);
        c = choose_pair(c > one, one, c);
    }
    return choose_pair(c < zero, zero, c);
}

INLINE void draw_rows(bnre__range range, const bnre__line_draws *draws,
                      const float *raw, size_t stride, const double *pick_at,
                      const double *u, double *c)
{
    float pick[LANES], place[LANES], width[LANES];

    for (int i = 0; i < LANES; i++)
        pick[i] = (float)pick_at[i];
    pick_rows(draws->components, raw, stride, pick, place, width);
    for (int i = 0; i < LANES; i += HALF)
        store_pair(c + i, place_pair(range, widen_floats(place + i),
                                     widen_floats(width + i), draws->widen,
                                     load_pair(u + i)));
}

INLINE void draw_as(bnre__range range, const bnre__line_draws *draws)
{
    const size_t width = 3 * draws->components;
    float raw[LANES * 3 * MOST];
    double pick[LANES], u[LANES], c[LANES];
    size_t i = 0, rest;

    for (; i + LANES <= draws->n; i += LANES)
        draw_rows(range, draws, draws->raw + i * draws->stride, draws->stride,
                  draws->pick + i, draws->u + i, draws->c + i);
    if (i == draws->n)
        return;
    rest = draws->n - i;
    memset(raw, 0, sizeof raw);
    for (size_t j = 0; j < LANES; j++)
        pick[j] = u[j] = 0.5;
    for (size_t j = 0; j < rest; j++)
        memcpy(raw + j * width, draws->raw + (i + j) * draws->stride,
               width * sizeof *raw);
    memcpy(pick, draws->pick + i, rest * sizeof *pick);
    memcpy(u, draws->u + i, rest * sizeof *u);
    draw_rows(range, draws, raw, width, pick, u, c);
    memcpy(draws->c + i, c, rest * sizeof *c);
}

static void draw_simd(const bnre__line_draws *draws)
{
    if (draws->range == BNRE__UNIT)
        draw_as(BNRE__UNIT, draws);
    else if (draws->range == BNRE__HALF)
        draw_as(BNRE__HALF, draws);
    else
        draw_as(BNRE__LINE, draws);
}

/* ---- ensembles ---- */

/* The first `some` of HALF, then zeros. */
INLINE pair some_floats(const float *p, size_t some)
{
    float room[HALF] = {0};

    memcpy(room, p, some * sizeof *room);
    return widen_floats(room);
}

INLINE pair mean_pair(size_t members, size_t stride, const float *l,
                      size_t some)
{
    pair top = some_floats(l, some), sum = {0};

    for (size_t k = 1; k < members; k++) {
        const pair one = some_floats(l + k * stride, some);

        top = choose_pair(one > top, one, top);
    }
    for (size_t k = 0; k < members; k++)
        sum += decay_pair(some_floats(l + k * stride, some) - top);
    return top + log_pair(sum / splat_pair((double)members));
}

static void mean_simd(size_t members, size_t n, const float *l, double *out)
{
    double last[HALF];
    size_t i = 0;

    for (; i + HALF <= n; i += HALF)
        store_pair(out + i, mean_pair(members, n, l + i, HALF));
    if (i == n)
        return;
    store_pair(last, mean_pair(members, n, l + i, n - i));
    memcpy(out + i, last, (n - i) * sizeof *last);
}

/* ---- functions ---- */

#define EACH_HALF(name, fn)                                                    \
    static void name(size_t n, const double *x, double *y)                     \
    {                                                                          \
        for (size_t i = 0; i < n; i += HALF) {                                 \
            const size_t some = n - i < HALF ? n - i : HALF;                   \
            double room[HALF] = {0};                                           \
                                                                               \
            memcpy(room, x + i, some * sizeof *room);                          \
            store_pair(room, fn(load_pair(room)));                             \
            memcpy(y + i, room, some * sizeof *room);                          \
        }                                                                      \
    }
EACH_HALF(decay_simd, decay_pair)
EACH_HALF(log_simd, log_pair)

const bnre__line_kernels BNRE_IN_SET(bnre__line) = {
    .same = same_simd,
    .draw = draw_simd,
    .mean = mean_simd,
    .decay = decay_simd,
    .log = log_simd,
};
