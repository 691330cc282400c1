/* raster.c - densities of a posterior on regular rasters, for pictures. */
#include "output/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "posterior/points.h"
#include "prior/prior.h"

/* ---- ranges ---- */

/* Of whole numbers: those between the ends, and one more where there is. */
static void frame_values(bnre__raster *raster, const bnre_prior *prior,
                         const double *q)
{
    size_t n;
    double first, last;

    (void)bnre__prior_values(prior, raster->i, &n);
    first = bnre__prior_value(prior, raster->i, 0);
    last = bnre__prior_value(prior, raster->i, n - 1);
    raster->whole = 1;
    raster->low = fmax(q[0] - 1, first) - 0.5;
    raster->high = fmin(q[1] + 1, last) + 0.5;
}

bnre_status bnre__raster_init(bnre__raster *raster,
                              const bnre_posterior *posterior, size_t i,
                              size_t n)
{
    static const double ends[] = {0.0005, 0.9995};
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    double q[2], low, high, air;

    *raster = (bnre__raster){.i = i, .n = n};
    BNRE_DO(bnre_posterior_quantiles(posterior, i, 2, ends, q));
    if (bnre__prior_values(prior, i, NULL) != BNRE__CONTINUOUS) {
        frame_values(raster, prior, q);
        return BNRE_OK;
    }
    bnre_prior_support(prior, i, &low, &high);
    air = 0.15 * (q[1] - q[0]);
    if (!(air > 0)) /* all in one place */
        air = fmax(1e-6 * fabs(q[0]), 1e-9);
    raster->low = fmax(q[0] - air, low);
    raster->high = fmin(q[1] + air, high);
    return BNRE_OK;
}

double bnre__raster_middle(const bnre__raster *raster, size_t k)
{
    return raster->low +
           (raster->high - raster->low) * ((double)k + 0.5) / (double)raster->n;
}

static double piece_width(const bnre__raster *raster)
{
    return (raster->high - raster->low) / (double)raster->n;
}

/* ---- whole numbers ---- */

/* Bars. */
static bnre_status value_line(const bnre_posterior *posterior,
                              const bnre__raster *raster, double *density)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    const double width = 0.8;
    bnre_status status = BNRE_OK;
    double *mass = NULL, *value = NULL;
    size_t n;

    (void)bnre__prior_values(prior, raster->i, &n);
    BNRE_NEW(mass, n);
    BNRE_NEW(value, n);
    (void)bnre_posterior_values(posterior, raster->i, n, value, mass);
    for (size_t k = 0; k < raster->n; k++) {
        const double at = bnre__raster_middle(raster, k);

        density[k] = fabs(at - rint(at)) <= width / 2
                         ? mass[bnre__prior_index(prior, raster->i, at)] / width
                         : 0;
    }
done:
    bnre__free(value);
    bnre__free(mass);
    return status;
}

/* ---- grids ---- */

/* An axis of a grid, and where the middles of a raster fall on it: between
   cells at[k] and at[k] + 1, share[k] of the way; outside the grid at[k] is
   BNRE_NO_POINT. Cells have equal prior mass, and within them a posterior
   follows the prior: where they are wide, and some reach to infinity, it may
   fall by a lot. So masses are interpolated, and multiplied by density[k]: that
   of the prior for a mass of 1 in each cell. The nodes of the reference have
   widths instead. */
struct axis {
    size_t n;
    double *edge, *middle, *width; /* (n + 1), (n), (n) */
    size_t *at;                    /* (raster) */
    double *share, *density;       /* (raster) */
};

static void clear_axis(struct axis *axis)
{
    bnre__free(axis->density);
    bnre__free(axis->share);
    bnre__free(axis->at);
    bnre__free(axis->width);
    bnre__free(axis->middle);
    bnre__free(axis->edge);
}

static void follow_prior(struct axis *axis, const bnre_points *points,
                         const bnre__raster *raster)
{
    const size_t i = raster->i;
    const double width = piece_width(raster);
    const double cell = (points->high[i] - points->low[i]) / (double)axis->n;

    for (size_t k = 0; k < axis->n; k++)
        axis->width[k] = 1;
    for (size_t k = 0; k < raster->n; k++) {
        const double middle = bnre__raster_middle(raster, k);

        axis->density[k] =
            (bnre_prior_cdf(points->prior, i, middle + width / 2) -
             bnre_prior_cdf(points->prior, i, middle - width / 2)) /
            width / cell;
    }
}

static bnre_status init_axis(struct axis *axis, const bnre_points *points,
                             const bnre__raster *raster)
{
    const size_t n = axis->n = points->axis[raster->i];
    bnre_status status = BNRE_OK;
    size_t cell = 0;

    BNRE_NEW(axis->edge, n + 1);
    BNRE_NEW(axis->middle, n);
    BNRE_NEW(axis->width, n);
    BNRE_NEW(axis->at, raster->n);
    BNRE_NEW(axis->share, raster->n);
    BNRE_NEW(axis->density, raster->n);
    BNRE_TRY(bnre__points_axis(points, raster->i, axis->edge, axis->middle,
                               axis->width));
    for (size_t k = 0; k < raster->n; k++) {
        const double x = bnre__raster_middle(raster, k);

        while (cell + 2 < n && axis->middle[cell + 1] < x)
            cell++;
        axis->at[k] = cell;
        if (x < axis->edge[0] || x > axis->edge[n])
            axis->at[k] = BNRE_NO_POINT;
        else if (n > 1)
            axis->share[k] =
                fmin(fmax((x - axis->middle[cell]) /
                              (axis->middle[cell + 1] - axis->middle[cell]),
                          0),
                     1);
        axis->density[k] = 1;
    }
    for (size_t k = 0; raster->whole && k < raster->n; k++) {
        const size_t is = bnre__prior_index(points->prior, raster->i,
                                            bnre__raster_middle(raster, k));

        axis->at[k] = is + 1 < n || is == 0 ? is : is - 1;
        axis->share[k] = axis->at[k] == is ? 0 : 1;
    }
    if (points->kind == BNRE_POINTS_GRID && !raster->whole)
        follow_prior(axis, points, raster);
done:
    return status;
}

/* The density of a line of cells, between two of them. */
static double between(const double *value, const struct axis *axis, size_t k,
                      size_t stride)
{
    const size_t at = axis->at[k];

    if (at == BNRE_NO_POINT)
        return 0;
    if (axis->n == 1)
        return axis->density[k] * value[0];
    return axis->density[k] * ((1 - axis->share[k]) * value[at * stride] +
                               axis->share[k] * value[(at + 1) * stride]);
}

static bnre_status grid_line(const bnre_posterior *posterior,
                             const bnre__raster *raster, double *density)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    bnre_status status = BNRE_OK;
    struct axis axis = {0};
    double *mass = NULL;

    BNRE_TRY(init_axis(&axis, points, raster));
    BNRE_NEW(mass, axis.n);
    BNRE_TRY(bnre_posterior_marginal(posterior, raster->i, mass));
    for (size_t k = 0; k < axis.n; k++)
        mass[k] /= axis.width[k];
    for (size_t k = 0; k < raster->n; k++)
        density[k] = between(mass, &axis, k, 1);
done:
    bnre__free(mass);
    clear_axis(&axis);
    return status;
}

static bnre_status grid_plane(const bnre_posterior *posterior,
                              const bnre__raster *x, const bnre__raster *y,
                              double *density)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    bnre_status status = BNRE_OK;
    struct axis across = {0}, up = {0};
    double *mass = NULL, *row = NULL;

    BNRE_TRY(init_axis(&across, points, x));
    BNRE_TRY(init_axis(&up, points, y));
    BNRE_NEW(mass, up.n * across.n);
    BNRE_NEW(row, across.n);
    BNRE_TRY(bnre_posterior_marginal_pair(posterior, y->i, x->i, mass));
    for (size_t i = 0; i < up.n; i++)
        for (size_t j = 0; j < across.n; j++)
            mass[i * across.n + j] /= up.width[i] * across.width[j];
    for (size_t i = 0; i < y->n; i++) {
        for (size_t j = 0; j < across.n; j++)
            row[j] = between(mass + j, &up, i, across.n);
        for (size_t j = 0; j < x->n; j++)
            density[i * x->n + j] = between(row, &across, j, 1);
    }
done:
    bnre__free(row);
    bnre__free(mass);
    clear_axis(&up);
    clear_axis(&across);
    return status;
}

/* ---- draws ---- */

/* The spread of the densest part, in terms of a normal distribution: from the
   shortest interval that holds a tenth of the mass. Several modes make the
   standard deviation far too wide a measure for smoothing. */
static double local_spread(const bnre__weighted *sorted, size_t n)
{
    double shortest = HUGE_VAL, inside = 0;
    size_t first = 0;

    for (size_t last = 0; last < n; last++) {
        inside += sorted[last].weight;
        while (inside - sorted[first].weight >= 0.1)
            inside -= sorted[first++].weight;
        if (inside >= 0.1)
            shortest = fmin(shortest, sorted[last].value - sorted[first].value);
    }
    return shortest / 0.2513; /* 2 x the normal quantile of 0.55 */
}

/* How far to smooth parameter i, where `power` is 5 for lines and 6 for planes:
   the rule of thumb of Silverman (1986), with the width of the densest part
   where that is less. O(n log n). */
static bnre_status bandwidth(const bnre_posterior *posterior, size_t i,
                             double power, double *out)
{
    static const double quarters[] = {0.25, 0.75};
    const bnre_points *points = bnre_posterior_points(posterior);
    const double *weight = bnre_posterior_weight(posterior);
    const double ess =
        fmin(bnre_posterior_evidence(posterior).ess, (double)points->n);
    bnre_status status = BNRE_OK;
    bnre__weighted *sorted = NULL;
    double q[2];

    BNRE_TRY(bnre_posterior_quantiles(posterior, i, 2, quarters, q));
    BNRE_NEW(sorted, points->n);
    for (size_t k = 0; k < points->n; k++)
        sorted[k] =
            (bnre__weighted){points->theta[k * points->dim + i], weight[k]};
    bnre__sort_weighted(points->n, sorted);
    *out = 0.9 * fmin((q[1] - q[0]) / 1.349, local_spread(sorted, points->n)) *
           pow(fmax(ess, 2), -1 / power);
done:
    bnre__free(sorted);
    return status;
}

/* Smooth n values in place with a normal kernel of sd `width` pieces; `mirror`
   tells whether each end is one. O(n width), however many draws were counted in
   the pieces. */
static void smooth(size_t n, size_t stride, double *value, double width,
                   const int mirror[2], double *copy)
{
    const long reach = (long)ceil(4 * width), last = (long)n - 1;
    double total = 0;

    if (!(width > 0.05))
        return;
    for (long d = -reach; d <= reach; d++)
        total += exp(-0.5 * (double)(d * d) / width / width);
    for (size_t k = 0; k < n; k++) {
        copy[k] = value[k * stride];
        value[k * stride] = 0;
    }
    for (long k = 0; k <= last; k++)
        for (long d = -reach; copy[k] > 0 && d <= reach; d++) {
            long to = k + d;

            if (to < 0 && mirror[0])
                to = -1 - to;
            if (to > last && mirror[1])
                to = 2 * last + 1 - to;
            if (to >= 0 && to <= last)
                value[(size_t)to * stride] +=
                    copy[k] * exp(-0.5 * (double)(d * d) / width / width) /
                    total;
        }
}

static void find_mirrors(const bnre_posterior *posterior,
                         const bnre__raster *raster, int mirror[2])
{
    double low, high;

    bnre_prior_support(bnre_posterior_points(posterior)->prior, raster->i, &low,
                       &high);
    mirror[0] = raster->low <= low;
    mirror[1] = raster->high >= high;
}

/* The piece that a value falls into; n if outside. */
static size_t piece_of(const bnre__raster *raster, double value)
{
    const double place = (value - raster->low) / (raster->high - raster->low) *
                         (double)raster->n;

    if (place == (double)raster->n)
        return raster->n - 1;
    return place >= 0 && place < (double)raster->n ? (size_t)place : raster->n;
}

static bnre_status draw_line(const bnre_posterior *posterior,
                             const bnre__raster *raster, double *density)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    const double *weight = bnre_posterior_weight(posterior);
    const double width = piece_width(raster);
    bnre_status status = BNRE_OK;
    double *copy = NULL, by;
    int mirror[2];

    BNRE_NEW(copy, raster->n);
    BNRE_TRY(bandwidth(posterior, raster->i, 5, &by));
    memset(density, 0, raster->n * sizeof *density);
    for (size_t k = 0; k < points->n; k++) {
        const size_t piece =
            piece_of(raster, points->theta[k * points->dim + raster->i]);

        if (piece < raster->n)
            density[piece] += weight[k] / width;
    }
    find_mirrors(posterior, raster, mirror);
    smooth(raster->n, 1, density, by / width, mirror, copy);
done:
    bnre__free(copy);
    return status;
}

/* Of whole numbers: what was counted in the pieces at their places, spread from
   half a number below to half a number above. */
static void spread_values(const bnre__raster *raster, size_t stride,
                          double *value, double *copy)
{
    for (size_t k = 0; k < raster->n; k++)
        copy[k] = value[k * stride];
    for (size_t k = 0; k < raster->n; k++) {
        const size_t from =
            piece_of(raster, rint(bnre__raster_middle(raster, k)));

        value[k * stride] =
            from < raster->n ? copy[from] * piece_width(raster) : 0;
    }
}

static bnre_status draw_plane(const bnre_posterior *posterior,
                              const bnre__raster *x, const bnre__raster *y,
                              double *density)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    const double *weight = bnre_posterior_weight(posterior);
    const double area = piece_width(x) * piece_width(y);
    bnre_status status = BNRE_OK;
    double *copy = NULL, by_x = 0, by_y = 0;
    int mirror_x[2], mirror_y[2];

    BNRE_NEW(copy, x->n > y->n ? x->n : y->n);
    if (!x->whole)
        BNRE_TRY(bandwidth(posterior, x->i, 6, &by_x));
    if (!y->whole)
        BNRE_TRY(bandwidth(posterior, y->i, 6, &by_y));
    memset(density, 0, x->n * y->n * sizeof *density);
    for (size_t k = 0; k < points->n; k++) {
        const double *theta = points->theta + k * points->dim;
        const size_t i = piece_of(y, theta[y->i]), j = piece_of(x, theta[x->i]);

        if (i < y->n && j < x->n)
            density[i * x->n + j] += weight[k] / area;
    }
    find_mirrors(posterior, x, mirror_x);
    find_mirrors(posterior, y, mirror_y);
    for (size_t i = 0; i < y->n; i++)
        smooth(x->n, 1, density + i * x->n, by_x / piece_width(x), mirror_x,
               copy);
    for (size_t j = 0; j < x->n; j++)
        smooth(y->n, x->n, density + j, by_y / piece_width(y), mirror_y, copy);
    for (size_t i = 0; x->whole && i < y->n; i++)
        spread_values(x, 1, density + i * x->n, copy);
    for (size_t j = 0; y->whole && j < x->n; j++)
        spread_values(y, x->n, density + j, copy);
done:
    bnre__free(copy);
    return status;
}

/* ---- both ---- */

bnre_status bnre__raster_line(const bnre_posterior *posterior,
                              const bnre__raster *raster, double *density)
{
    if (raster->whole)
        return value_line(posterior, raster, density);
    return bnre_posterior_points(posterior)->cells > 0
               ? grid_line(posterior, raster, density)
               : draw_line(posterior, raster, density);
}

bnre_status bnre__raster_plane(const bnre_posterior *posterior,
                               const bnre__raster *x, const bnre__raster *y,
                               double *density)
{
    return bnre_posterior_points(posterior)->cells > 0
               ? grid_plane(posterior, x, y, density)
               : draw_plane(posterior, x, y, density);
}

static int compare_down(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

bnre_status bnre__raster_thresholds(size_t n, const double *density,
                                    size_t levels, const double *level,
                                    double *threshold)
{
    bnre_status status = BNRE_OK;
    double *sorted = NULL, total = 0;

    BNRE_NEW(sorted, n);
    memcpy(sorted, density, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_down);
    for (size_t k = 0; k < n; k++)
        total += sorted[k];
    for (size_t c = 0; c < levels; c++) {
        double sum = 0;
        size_t k = 0;

        while (k + 1 < n && sum + sorted[k] < level[c] * total)
            sum += sorted[k++];
        threshold[c] = sorted[k];
    }
done:
    bnre__free(sorted);
    return status;
}
