/* line.c - kinds of densities on a line, and what all of them can do. */
#include "num/line.h"

#include <math.h>
#include <stdlib.h>

/* ---- cut logistic components ---- */

static void logistic_begin(const bnre__line *line, float *raw)
{
    bnre__logistic_begin(line->range, line->components, raw);
}

static void logistic_forward(const bnre__lines *lines)
{
    bnre__kernels_best()->logistic->forward(lines);
}

static void logistic_back(const bnre__lines *lines)
{
    bnre__kernels_best()->logistic->back(lines);
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
    .read = logistic_read,
    .log_density = logistic_log_density,
    .slope = logistic_slope,
    .cdf = logistic_cdf,
    .quantile = logistic_quantile,
    .draw = logistic_draw,
    .place = logistic_place,
};

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

void bnre__line_smallest(const bnre__line_density *q, double mass,
                         double (*value)(const void *context, double c),
                         const void *context, size_t *n, double *low,
                         double *high)
{
    struct cell cell[BNRE__LINE_PIECES];
    const size_t take = (size_t)ceil(mass * BNRE__LINE_PIECES);

    make_cells(q, cell, value, context);
    qsort(cell, BNRE__LINE_PIECES, sizeof *cell, by_length);
    qsort(cell, take, sizeof *cell, by_place);
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
