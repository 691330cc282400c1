/* logistic.c - mixtures of cut logistic densities, plainly and in double.

   With z = (c - m) / s, A and B the same of the bounds of the range, and e(v) =
   exp(-|v|), a component's density is

     e(z) / (1 + e(z))^2 / s / M,   M = sigma(B) - sigma(A)
                                      = sigma(B) sigma(-A) (1 - exp(A - B))

   so that log q_k = -X - log s + log(1 + e(A)) + log(1 + e(B)) - 2 log(1 +
   e(z)) - log(1 - exp(A - B)), where X = |z| if the place is inside the range,
   and (c - lower bound) / s or (upper bound - c) / s if it is below or above
   it: nothing large cancels, however far outside the place is. */
#include "num/logistic.h"

#include <math.h>

#include "num/sigmoid.h"

void bnre__logistic_read(bnre__range range, size_t n, const float *raw,
                         double widen, bnre__logistic *out)
{
    double most = (double)raw[0], sum = 0;

    out->range = range;
    out->n = n;
    for (size_t k = 1; k < n; k++)
        most = fmax(most, (double)raw[k]);
    for (size_t k = 0; k < n; k++) {
        const double width =
            BNRE__LEAST_WIDTH +
            (1 - BNRE__LEAST_WIDTH) * bnre__sigmoid((double)raw[2 * n + k]);

        out->weight[k] = exp((double)raw[k] - most);
        out->place[k] = (double)raw[n + k];
        out->width[k] = bnre__widened(range, widen * width);
        sum += out->weight[k];
    }
    for (size_t k = 0; k < n; k++)
        out->weight[k] /= sum;
}

void bnre__logistic_begin(bnre__range range, size_t n, float *raw)
{
    for (size_t k = 0; k < n; k++) {
        const double u = ((double)k + 0.5) / (double)n;

        raw[k] = 0;
        raw[n + k] = (float)(range == BNRE__UNIT   ? u
                             : range == BNRE__HALF ? -log1p(-u)
                                                   : log(u) - log1p(-u));
        /* Widths of 0.12, 0.38 and 0.5: within 0.7 nats of the prior. */
        raw[2 * n + k] = range == BNRE__UNIT   ? -2
                         : range == BNRE__HALF ? -0.5f
                                               : 0;
    }
}

/* ---- densities ---- */

static double log1p_exp(double v) /* log(1 + exp(-|v|)) */
{
    return log1p(exp(-fabs(v)));
}

static double log_component(bnre__range range, double m, double s, double c)
{
    const double z = (c - m) / s, low = -m / s, high = (1 - m) / s;
    double out = -log(s) - 2 * log1p_exp(z), x = fabs(z);

    if (range != BNRE__LINE) {
        out += log1p_exp(low);
        if (low > 0)
            x = c / s;
    }
    if (range == BNRE__UNIT) {
        out += log1p_exp(high) - log1p(-exp(-1 / s));
        if (high < 0)
            x = (1 - c) / s;
    }
    return out - x;
}

static int is_inside(bnre__range range, double c)
{
    return range == BNRE__LINE || (c >= 0 && (range == BNRE__HALF || c <= 1));
}

double bnre__logistic_log_density(const bnre__logistic *q, double c)
{
    double term[BNRE__MOST_COMPONENTS], most = -INFINITY, sum = 0;

    if (!is_inside(q->range, c))
        return isnan(c) ? c : -INFINITY;
    for (size_t k = 0; k < q->n; k++) {
        term[k] = log(q->weight[k]) +
                  log_component(q->range, q->place[k], q->width[k], c);
        most = fmax(most, term[k]);
    }
    for (size_t k = 0; k < q->n; k++)
        sum += exp(term[k] - most);
    return most + log(sum);
}

/* d log q / d c: that of each component is (1 - 2 sigma(z)) / s. */
double bnre__logistic_slope(const bnre__logistic *q, double c)
{
    const double all = bnre__logistic_log_density(q, c);
    double sum = 0;

    for (size_t k = 0; k < q->n; k++) {
        const double s = q->width[k], z = (c - q->place[k]) / s;
        const double part = exp(log(q->weight[k]) - all +
                                log_component(q->range, q->place[k], s, c));

        sum -= part * tanh(z / 2) / s;
    }
    return sum;
}

double bnre__range_slope(bnre__range range, double c)
{
    return range == BNRE__UNIT ? 0 : range == BNRE__HALF ? -1 : -tanh(c / 2);
}

double bnre__range_log_density(bnre__range range, double c)
{
    if (!is_inside(range, c))
        return isnan(c) ? c : -INFINITY;
    return range == BNRE__UNIT   ? 0
           : range == BNRE__HALF ? -c
                                 : -fabs(c) - 2 * log1p_exp(c);
}

/* ---- distribution functions ---- */

/* The share of a component that lies between the lower bound and c: with h the
   upper bound, (sigma(z) - sigma(A)) / (sigma(B) - sigma(A)); as above each
   difference is sigma(.) sigma(-A) (1 - exp(-distance)). */
static double share_below(bnre__range range, double m, double s, double c)
{
    const double z = (c - m) / s, high = (1 - m) / s;

    if (range == BNRE__LINE)
        return bnre__sigmoid(z);
    if (range == BNRE__HALF)
        return bnre__sigmoid(z) * -expm1(-c / s);
    /* sigma(z) / sigma(B), which both may vanish, from their logarithms */
    return exp(fmin(z, 0) - log1p_exp(z) - fmin(high, 0) + log1p_exp(high)) *
           expm1(-c / s) / expm1(-1 / s);
}

double bnre__logistic_cdf(const bnre__logistic *q, double c)
{
    double sum = 0;

    if (q->range != BNRE__LINE && c <= 0)
        return 0;
    if (q->range == BNRE__UNIT && c >= 1)
        return 1;
    for (size_t k = 0; k < q->n; k++)
        sum +=
            q->weight[k] * share_below(q->range, q->place[k], q->width[k], c);
    return fmin(1, sum);
}

/* Of a component whose place is below the range: the distance from the bound,
   below which the share is p. With A > 0 the distance of the place in widths
   and r = sigma(-B) / sigma(-A), 1 + exp(z) = (1 + exp(A)) / (1 - p (1 - r)):
   far outside, the quantile of an exponential density. */
static double quantile_outside(bnre__range range, double a, double s, double p)
{
    const double b = a + 1 / s;
    const double r =
        range == BNRE__UNIT ? exp(-1 / s - log1p_exp(b) + log1p_exp(a)) : 0;
    const double rest = log1p(-p * (1 - r));

    return s * (log1p(exp(-a) * -expm1(rest)) - rest);
}

/* Of one component: c with share_below(c) = p. */
static double component_quantile(bnre__range range, double m, double s,
                                 double p)
{
    const double a = -m / s, b = (1 - m) / s;
    const double left = range == BNRE__LINE ? 0 : bnre__sigmoid(a);
    const double right = range == BNRE__UNIT ? bnre__sigmoid(-b) : 0;
    double c;

    if (range != BNRE__LINE && a > 0)
        c = quantile_outside(range, a, s, p);
    else if (range == BNRE__UNIT && b < 0)
        c = 1 - quantile_outside(range, -b, s, 1 - p);
    else
        c = m + s * (log(left + p * (1 - left - right)) -
                     log(right + (1 - p) * (1 - left - right)));
    if (range != BNRE__LINE && c < 0)
        c = 0;
    return range == BNRE__UNIT && c > 1 ? 1 : c;
}

double bnre__logistic_quantile(const bnre__logistic *q, double p)
{
    double low = INFINITY, high = -INFINITY, c;

    /* The quantile lies between those of the components. */
    for (size_t k = 0; k < q->n; k++) {
        const double own =
            component_quantile(q->range, q->place[k], q->width[k], p);

        if (q->weight[k] <= 0)
            continue;
        low = fmin(low, own);
        high = fmax(high, own);
    }
    c = low + (high - low) / 2;
    /* Newton's method, and halves where it would leave the bracket. */
    for (int i = 0; i < 200 && low < high; i++) {
        const double miss = bnre__logistic_cdf(q, c) - p;
        double next;

        if (miss < 0)
            low = c;
        else
            high = c;
        next = c - miss / exp(bnre__logistic_log_density(q, c));
        if (!(next > low && next < high) || i % 8 == 7)
            next = low + (high - low) / 2;
        if (fabs(next - c) <= 1e-15 * fabs(c) || next <= low || next >= high)
            return next;
        c = next;
    }
    return c;
}

/* ---- draws ---- */

double bnre__logistic_place(const bnre__logistic *q, double u)
{
    size_t k = 0;

    while (k + 1 < q->n && u >= q->weight[k])
        u -= q->weight[k++];
    u = q->weight[k] > 0 ? u / q->weight[k] : 0.5;
    return component_quantile(q->range, q->place[k], q->width[k],
                              fmin(fmax(u, 1e-16), 1 - 1e-16));
}

static double draw_from(const bnre__logistic *q, double pick, double u)
{
    size_t k = 0;

    while (k + 1 < q->n && pick >= q->weight[k])
        pick -= q->weight[k++];
    return component_quantile(q->range, q->place[k], q->width[k], u);
}

double bnre__logistic_draw(const bnre__logistic *q, bnre_rng *rng)
{
    const double pick = bnre_rng_open(rng);

    return draw_from(q, pick, bnre_rng_open(rng));
}

void bnre__logistic_draws(bnre__range range, size_t components, double widen,
                          size_t n, const float *raw, size_t stride,
                          bnre_rng *rng, double *c)
{
    enum { BLOCK = 256 };
    double pick[BLOCK], u[BLOCK];
    bnre__line_draws part = {.range = range,
                             .components = components,
                             .stride = stride,
                             .widen = widen,
                             .pick = pick,
                             .u = u};

    for (size_t first = 0; first < n; first += part.n) {
        part.n = n - first < BLOCK ? n - first : BLOCK;
        part.raw = raw + first * stride;
        part.c = c + first;
        for (size_t i = 0; i < part.n; i++) {
            pick[i] = bnre_rng_open(&rng[first + i]);
            u[i] = bnre_rng_open(&rng[first + i]);
        }
        bnre__kernels_best()->logistic->line->draw(&part);
    }
}

double bnre__range_draw(bnre__range range, bnre_rng *rng)
{
    const double u = bnre_rng_open(rng);

    return range == BNRE__UNIT   ? u
           : range == BNRE__HALF ? -log(u)
                                 : log(u) - log1p(-u);
}

/* ---- kernels, plainly ---- */

static void forward_ref(const bnre__lines *lines)
{
    bnre__logistic q;

    for (size_t i = 0; i < (1 + lines->more) * lines->n; i++) {
        const double c = (double)lines->c[i];

        bnre__logistic_read(lines->range, lines->components,
                            lines->raw + i % lines->n * 3 * lines->components,
                            (double)lines->widen, &q);
        lines->l[i] = (float)(bnre__logistic_log_density(&q, c) -
                              bnre__range_log_density(lines->range, c));
    }
}

/* e / (1 + e) with e = exp(-|v|): sigma of -|v|. */
static double smaller_share(double v)
{
    return bnre__sigmoid(-fabs(v));
}

/* d log q_k / d place and / d log width, from the formula above. */
static void differentiate(bnre__range range, double m, double s, double c,
                          double *dplace, double *dwidth)
{
    const double z = (c - m) / s, low = -m / s, high = (1 - m) / s;
    const int below = range != BNRE__LINE && low > 0;
    const int above = range == BNRE__UNIT && high < 0;
    const double sign = z < 0 ? -1 : 1;
    double place = -2 * sign * smaller_share(z), x;

    x = below ? c / s : above ? (1 - c) / s : fabs(z);
    *dwidth = -1 + x - 2 * fabs(z) * smaller_share(z);
    if (!below && !above)
        place += sign;
    if (range != BNRE__LINE) {
        place -= (low < 0 ? 1 : -1) * smaller_share(low);
        *dwidth += fabs(low) * smaller_share(low);
    }
    if (range == BNRE__UNIT) {
        place += (high > 0 ? 1 : -1) * smaller_share(high);
        *dwidth += fabs(high) * smaller_share(high) + 1 / s / expm1(1 / s);
    }
    *dplace = place / s;
}

static void back_ref(const bnre__lines *lines)
{
    const size_t n = lines->components;
    bnre__logistic q;

    for (size_t i = 0; i < (1 + lines->more) * lines->n; i++) {
        const float *raw = lines->raw + i % lines->n * 3 * n;
        float *draw = lines->draw + i % lines->n * 3 * n;
        const double c = (double)lines->c[i], dl = (double)lines->dl[i];
        double all;

        bnre__logistic_read(lines->range, n, raw, (double)lines->widen, &q);
        all = bnre__logistic_log_density(&q, c);
        for (size_t k = 0; k < n; k++) {
            const double s = q.width[k],
                         g = bnre__sigmoid((double)raw[2 * n + k]);
            const double p = exp(log(q.weight[k]) - all +
                                 log_component(lines->range, q.place[k], s, c));
            double dplace, dwidth;

            differentiate(lines->range, q.place[k], s, c, &dplace, &dwidth);
            draw[k] += (float)(dl * (p - q.weight[k]));
            draw[n + k] += (float)(dl * p * dplace);
            if (lines->range == BNRE__UNIT || s < 1 || !(lines->widen > 1))
                draw[2 * n + k] +=
                    (float)(dl * p * dwidth * (double)lines->widen *
                            (1 - BNRE__LEAST_WIDTH) * g * (1 - g) / s);
        }
    }
}

static void decay_ref(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)exp((double)(x[i] < -87 ? -87 : x[i]));
}

static void log_ref(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)log((double)x[i]);
}

const bnre__logistic_kernels bnre__logistic_ref = {
    .forward = forward_ref,
    .back = back_ref,
    .decay = decay_ref,
    .log = log_ref,
    .line = &bnre__line_ref,
};

/* ---- kernels for serving, plainly ---- */

static void same_ref(const bnre__lines *lines)
{
    bnre__logistic q;

    bnre__logistic_read(lines->range, lines->components, lines->raw,
                        (double)lines->widen, &q);
    for (size_t i = 0; i < lines->n; i++) {
        const double c = (double)lines->c[i];

        lines->l[i] = (float)(bnre__logistic_log_density(&q, c) -
                              bnre__range_log_density(lines->range, c));
    }
}

static void draw_ref(const bnre__line_draws *draws)
{
    bnre__logistic q;

    for (size_t i = 0; i < draws->n; i++) {
        bnre__logistic_read(draws->range, draws->components,
                            draws->raw + i * draws->stride, draws->widen, &q);
        draws->c[i] = draw_from(&q, draws->pick[i], draws->u[i]);
    }
}

static void mean_ref(size_t members, size_t n, const float *l, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double top = -INFINITY, sum = 0;

        for (size_t k = 0; k < members; k++)
            top = fmax(top, (double)l[k * n + i]);
        for (size_t k = 0; k < members; k++)
            sum += exp((double)l[k * n + i] - top);
        out[i] = top + log(sum / (double)members);
    }
}

static void decay_double_ref(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = exp(fmax(x[i], -700));
}

static void log_double_ref(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = log(x[i]);
}

const bnre__line_kernels bnre__line_ref = {
    .same = same_ref,
    .draw = draw_ref,
    .mean = mean_ref,
    .decay = decay_double_ref,
    .log = log_double_ref,
};
