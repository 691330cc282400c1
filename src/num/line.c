/* line.c - kinds of densities on a line, and what all of them can do. */
#include "num/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cut logistic components ---- */

static void logistic_begin(const bnre__line *line, float *raw)
{
    bnre__logistic_begin(line->range, line->components, raw);
}

/* Kernels want rows without gaps: blocks of them, copied. */
enum { BLOCK = 64, MOST_RAW = 3 * BNRE__MOST_COMPONENTS };

static void copy_rows(const bnre__lines *lines, size_t first, size_t n,
                      float *raw)
{
    const size_t width = 3 * lines->components;

    for (size_t i = 0; i < n; i++)
        memcpy(raw + i * width, lines->raw + (first + i) * lines->stride,
               width * sizeof *raw);
}

static int has_gaps(const bnre__lines *lines)
{
    return lines->stride > 0 && lines->stride != 3 * lines->components;
}

static void logistic_forward(const bnre__lines *lines)
{
    float raw[BLOCK * MOST_RAW];
    bnre__lines part = *lines;

    if (!has_gaps(lines)) {
        bnre__kernels_best()->logistic->forward(lines);
        return;
    }
    part.raw = raw;
    part.more = 0;
    for (size_t i = 0; i < lines->n; i += part.n) {
        part.n = lines->n - i < BLOCK ? lines->n - i : BLOCK;
        copy_rows(lines, i, part.n, raw);
        for (size_t m = 0; m <= lines->more; m++) {
            part.c = lines->c + m * lines->n + i;
            part.l = lines->l + m * lines->n + i;
            bnre__kernels_best()->logistic->forward(&part);
        }
    }
}

static void logistic_back(const bnre__lines *lines)
{
    const size_t width = 3 * lines->components;
    float raw[BLOCK * MOST_RAW], draw[BLOCK * MOST_RAW];
    bnre__lines part = *lines;

    if (!has_gaps(lines)) {
        bnre__kernels_best()->logistic->back(lines);
        return;
    }
    part.raw = raw;
    part.draw = draw;
    part.more = 0;
    for (size_t i = 0; i < lines->n; i += part.n) {
        part.n = lines->n - i < BLOCK ? lines->n - i : BLOCK;
        copy_rows(lines, i, part.n, raw);
        memset(draw, 0, part.n * width * sizeof *draw);
        for (size_t m = 0; m <= lines->more; m++) {
            part.c = lines->c + m * lines->n + i;
            part.dl = lines->dl + m * lines->n + i;
            bnre__kernels_best()->logistic->back(&part);
        }
        for (size_t k = 0; k < part.n * width; k++)
            lines->draw[(i + k / width) * lines->stride + k % width] += draw[k];
    }
}

static void logistic_same(const bnre__lines *lines)
{
    bnre__kernels_best()->logistic->line->same(lines);
}

static void logistic_read(const bnre__line *line, const float *raw,
                          double widen, bnre__line_density *out)
{
    out->type = line->type;
    bnre__logistic_read(line->range, line->components, raw, widen,
                        &out->mixture);
}

static double logistic_log_density(const bnre__line_density *q, double c)
{
    return bnre__logistic_log_density(&q->mixture, c);
}

static double logistic_slope(const bnre__line_density *q, double c)
{
    return bnre__logistic_slope(&q->mixture, c);
}

static double logistic_cdf(const bnre__line_density *q, double c)
{
    return bnre__logistic_cdf(&q->mixture, c);
}

static double logistic_quantile(const bnre__line_density *q, double p)
{
    return bnre__logistic_quantile(&q->mixture, p);
}

static double logistic_draw(const bnre__line_density *q, bnre_rng *rng)
{
    return bnre__logistic_draw(&q->mixture, rng);
}

static void logistic_draw_rows(const bnre__line *line, double widen, size_t n,
                               const float *raw, size_t stride, bnre_rng *rng,
                               double *c)
{
    bnre__logistic_draws(line->range, line->components, widen, n, raw, stride,
                         rng, c);
}

static double logistic_place(const bnre__line_density *q, double u)
{
    return bnre__logistic_place(&q->mixture, u);
}

const bnre__line_type bnre__line_logistic = {
    .name = "logistic",
    .numbers = 3,
    .begin = logistic_begin,
    .forward = logistic_forward,
    .back = logistic_back,
    .same = logistic_same,
    .read = logistic_read,
    .log_density = logistic_log_density,
    .slope = logistic_slope,
    .cdf = logistic_cdf,
    .quantile = logistic_quantile,
    .draw = logistic_draw,
    .draw_rows = logistic_draw_rows,
    .place = logistic_place,
};

/* ---- values in a list ---- */

static double values_log_sum(size_t n, const float *raw, const double *log_mass,
                             double widen)
{
    double most = -INFINITY, sum = 0;

    for (size_t k = 0; k < n; k++)
        most = fmax(most, (double)raw[k] / widen);
    for (size_t k = 0; k < n; k++)
        sum += exp(log_mass[k] + (double)raw[k] / widen - most);
    return most + log(sum);
}

static void values_begin(const bnre__line *line, float *raw)
{
    memset(raw, 0, line->components * sizeof *raw);
}

static size_t value_of(size_t n, double c)
{
    return c >= (double)(n - 1) ? n - 1 : c > 0 ? (size_t)(c + 0.5) : 0;
}

static size_t values_stride(const bnre__lines *lines)
{
    return lines->stride > 0 ? lines->stride : lines->components;
}

static void values_forward(const bnre__lines *lines)
{
    const size_t n = lines->components, stride = values_stride(lines);
    const double widen = (double)lines->widen;

    for (size_t i = 0; i < (1 + lines->more) * lines->n; i++) {
        const float *raw = lines->raw + i % lines->n * stride;

        lines->l[i] =
            (float)((double)raw[value_of(n, (double)lines->c[i])] / widen -
                    values_log_sum(n, raw, lines->log_mass, widen));
    }
}

static void values_same(const bnre__lines *lines)
{
    const size_t n = lines->components;
    const double widen = (double)lines->widen;
    const double sum = values_log_sum(n, lines->raw, lines->log_mass, widen);

    for (size_t i = 0; i < lines->n; i++)
        lines->l[i] =
            (float)((double)lines->raw[value_of(n, (double)lines->c[i])] /
                        widen -
                    sum);
}

static void values_back(const bnre__lines *lines)
{
    const size_t n = lines->components, stride = values_stride(lines);
    const double widen = (double)lines->widen;

    for (size_t i = 0; i < (1 + lines->more) * lines->n; i++) {
        const float *raw = lines->raw + i % lines->n * stride;
        float *draw = lines->draw + i % lines->n * stride;
        const double dl = (double)lines->dl[i] / widen;
        const double sum = values_log_sum(n, raw, lines->log_mass, widen);

        for (size_t k = 0; k < n; k++)
            draw[k] -= (float)(dl * exp(lines->log_mass[k] +
                                        (double)raw[k] / widen - sum));
        draw[value_of(n, (double)lines->c[i])] += (float)dl;
    }
}

static void values_read(const bnre__line *line, const float *raw, double widen,
                        bnre__line_density *out)
{
    out->type = line->type;
    out->mixture.range = line->range;
    out->values.n = line->components;
    out->values.raw = raw;
    out->values.log_mass = line->log_mass;
    out->values.widen = widen;
    out->values.log_sum =
        values_log_sum(line->components, raw, line->log_mass, widen);
}

static double values_log_mass(const bnre__line_density *q, size_t k)
{
    return q->values.log_mass[k] + (double)q->values.raw[k] / q->values.widen -
           q->values.log_sum;
}

static double values_log_density(const bnre__line_density *q, double c)
{
    if (!(c >= 0 && c <= (double)(q->values.n - 1)) || c != floor(c))
        return isnan(c) ? c : -INFINITY;
    return values_log_mass(q, (size_t)c);
}

static double values_slope(const bnre__line_density *q, double c)
{
    (void)q;
    (void)c;
    return 0;
}

static double values_cdf(const bnre__line_density *q, double c)
{
    double sum = 0;

    if (c >= (double)(q->values.n - 1))
        return 1;
    for (size_t k = 0; (double)k <= c; k++)
        sum += exp(values_log_mass(q, k));
    return fmin(1, sum);
}

static double values_quantile(const bnre__line_density *q, double p)
{
    double sum = exp(values_log_mass(q, 0));
    size_t k = 0;

    while (k + 1 < q->values.n && sum < p)
        sum += exp(values_log_mass(q, ++k));
    return (double)k;
}

static double values_draw(const bnre__line_density *q, bnre_rng *rng)
{
    return values_quantile(q, bnre_rng_open(rng));
}

static void values_draw_rows(const bnre__line *line, double widen, size_t n,
                             const float *raw, size_t stride, bnre_rng *rng,
                             double *c)
{
    bnre__line_density q;

    for (size_t i = 0; i < n; i++) {
        values_read(line, raw + i * stride, widen, &q);
        c[i] = values_draw(&q, &rng[i]);
    }
}

const bnre__line_type bnre__line_values = {
    .name = "values",
    .numbers = 1,
    .begin = values_begin,
    .forward = values_forward,
    .back = values_back,
    .same = values_same,
    .read = values_read,
    .log_density = values_log_density,
    .slope = values_slope,
    .cdf = values_cdf,
    .quantile = values_quantile,
    .draw = values_draw,
    .draw_rows = values_draw_rows,
    .place = values_quantile,
};

double bnre__line_prior_draw(const bnre__line *line, bnre_rng *rng)
{
    double u, sum = 0;
    size_t k = 0;

    if (line->range != BNRE__VALUES)
        return bnre__range_draw(line->range, rng);
    u = bnre_rng_open(rng);
    while (k + 1 < line->components && (sum += exp(line->log_mass[k])) < u)
        k++;
    return (double)k;
}

/* ---- smallest sets ---- */

/* Cells of equal mass; the ends of the range may be infinite. */
struct cell {
    double low, high; /* of the coordinate */
    double length;    /* of values */
    size_t at;
};

static int by_length(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;

    if (x->length < y->length || x->length > y->length)
        return x->length < y->length ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static double end_of(const bnre__line_density *q, int upper)
{
    const bnre__range range = q->mixture.range;

    if (upper)
        return range == BNRE__UNIT ? 1 : INFINITY;
    return range == BNRE__LINE ? -INFINITY : 0;
}

static void make_cells(const bnre__line_density *q, struct cell *cell,
                       double (*value)(const void *context, double c),
                       const void *context)
{
    double low = end_of(q, 0);

    for (size_t k = 0; k < BNRE__LINE_PIECES; k++) {
        const double p = (double)(k + 1) / BNRE__LINE_PIECES;
        const double high =
            k + 1 < BNRE__LINE_PIECES ? q->type->quantile(q, p) : end_of(q, 1);

        cell[k] = (struct cell){low, high, high - low, k};
        if (value != NULL && isfinite(cell[k].length))
            cell[k].length = fabs(value(context, high) - value(context, low));
        low = high;
    }
}

/* Cells in order, neighbours as one piece. */
static void join_cells(size_t take, const struct cell *cell, size_t *n,
                       double *low, double *high)
{
    *n = 0;
    for (size_t k = 0; k < take; k++) {
        if (k > 0 && cell[k].at == cell[k - 1].at + 1) {
            high[*n - 1] = cell[k].high;
            continue;
        }
        low[*n] = cell[k].low;
        high[(*n)++] = cell[k].high;
    }
}

/* The likeliest values, until their mass is there. */
static void likeliest_values(const bnre__line_density *q, double mass,
                             size_t *n, double *low, double *high)
{
    struct cell cell[BNRE__LINE_PIECES];
    double sum = 0;
    size_t take = 0;

    for (size_t k = 0; k < q->values.n; k++)
        cell[k] = (struct cell){.low = (double)k,
                                .high = (double)k,
                                .length = -values_log_mass(q, k),
                                .at = k};
    qsort(cell, q->values.n, sizeof *cell, by_length);
    while (take < q->values.n && sum < mass)
        sum += exp(-cell[take++].length);
    qsort(cell, take, sizeof *cell, by_place);
    join_cells(take, cell, n, low, high);
}

void bnre__line_smallest(const bnre__line_density *q, double mass,
                         double (*value)(const void *context, double c),
                         const void *context, size_t *n, double *low,
                         double *high)
{
    struct cell cell[BNRE__LINE_PIECES];
    const size_t take = (size_t)ceil(mass * BNRE__LINE_PIECES);

    if (q->mixture.range == BNRE__VALUES) {
        likeliest_values(q, mass, n, low, high);
        return;
    }
    make_cells(q, cell, value, context);
    qsort(cell, BNRE__LINE_PIECES, sizeof *cell, by_length);
    qsort(cell, take, sizeof *cell, by_place);
    join_cells(take, cell, n, low, high);
}
