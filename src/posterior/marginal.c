/* Marginals of one or two parameters on a grid, and quantiles: within a cell
   by linear interpolation, between weighted points by their order. Marginals
   cost O(n), quantiles O(n log n) for points and a pass for each. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

/* Which cell of axis i a cell of the grid belongs to. */
static size_t place_on(const bnre_points *points, size_t i, size_t cell)
{
    size_t stride = 1;

    for (size_t j = i + 1; j < points->dim; j++)
        stride *= points->axis[j];
    return cell / stride % points->axis[i];
}

static bnre_status check_grid(const bnre_points *points, size_t i)
{
    if (!bnre__points_is_grid(points))
        return bnre_fail(BNRE_EINVAL, "the posterior is not on a grid");
    if (i >= points->dim)
        return bnre_fail(BNRE_EINVAL,
                         "parameter %zu: the posterior has %zu of them", i,
                         points->dim);
    return BNRE_OK;
}

bnre_status bnre_posterior_marginal(const bnre_posterior *posterior, size_t i,
                                    double *mass)
{
    const bnre_points *points = posterior->points;

    BNRE_DO(check_grid(points, i));
    memset(mass, 0, points->axis[i] * sizeof *mass);
    for (size_t k = 0; k < points->n; k++)
        mass[place_on(points, i, points->cell[k])] += posterior->weight[k];
    return BNRE_OK;
}

bnre_status bnre_posterior_marginal_pair(const bnre_posterior *posterior,
                                         size_t i, size_t j, double *mass)
{
    const bnre_points *points = posterior->points;

    BNRE_DO(check_grid(points, i));
    BNRE_DO(check_grid(points, j));
    if (i == j)
        return bnre_fail(BNRE_EINVAL, "a pair of one parameter, %zu", i);
    memset(mass, 0, points->axis[i] * points->axis[j] * sizeof *mass);
    for (size_t k = 0; k < points->n; k++) {
        const size_t a = place_on(points, i, points->cell[k]);
        const size_t b = place_on(points, j, points->cell[k]);

        mass[a * points->axis[j] + b] += posterior->weight[k];
    }
    return BNRE_OK;
}

size_t bnre_posterior_values(const bnre_posterior *posterior, size_t i,
                             size_t room, double *value, double *probability)
{
    const bnre_points *points = posterior->points;
    size_t n;

    (void)bnre__prior_values(points->prior, i, &n);
    for (size_t k = 0; k < n && k < room; k++) {
        value[k] = bnre__prior_value(points->prior, i, k);
        probability[k] = 0;
    }
    for (size_t k = 0; n > 0 && k < points->n; k++) {
        const size_t at = bnre__prior_index(points->prior, i,
                                            points->theta[k * points->dim + i]);

        if (at < room)
            probability[at] += posterior->weight[k];
    }
    return n;
}

/* Quantiles where mass (n) lies evenly in the n cells of axis i. */
static void cell_quantiles(const bnre_points *points, size_t i,
                           const double *mass, size_t n, const double *p,
                           double *out)
{
    const size_t cells = points->axis[i];
    const int values =
        bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS;

    for (size_t q = 0; q < n; q++) {
        double below = 0, part;
        size_t k = 0;

        while (k + 1 < cells && (mass[k] == 0 || below + mass[k] < p[q]))
            below += mass[k++];
        part = mass[k] > 0 ? (p[q] - below) / mass[k] : 0;
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        out[q] = bnre__points_edge(points, i, (double)k + (values ? 0 : part));
    }
}

/* Each point counts half below and half above its own value; between points
   quantiles run on a line. */
static void point_quantiles(const bnre__weighted *sorted, size_t m, size_t n,
                            const double *p, double *out)
{
    for (size_t q = 0; q < n; q++) {
        double at = 0.5 * sorted[0].weight, before = at;
        size_t k = 0;

        while (k + 1 < m && at < p[q]) {
            before = at;
            at += 0.5 * (sorted[k].weight + sorted[k + 1].weight);
            k++;
        }
        out[q] = sorted[k].value;
        if (k > 0 && at > p[q] && at > before)
            out[q] -= (sorted[k].value - sorted[k - 1].value) * (at - p[q]) /
                      (at - before);
    }
}

/* Of whole numbers: the first that has so much below and at it. */
static void value_quantiles(const bnre__weighted *sorted, size_t m, size_t n,
                            const double *p, double *out)
{
    for (size_t q = 0; q < n; q++) {
        double sum = sorted[0].weight;
        size_t k = 0;

        while (k + 1 < m && sum < p[q] - 1e-12)
            sum += sorted[++k].weight;
        out[q] = sorted[k].value;
    }
}

static bnre_status sorted_quantiles(const bnre_posterior *posterior, size_t i,
                                    size_t n, const double *p, double *out)
{
    const bnre_points *points = posterior->points;
    bnre_status status = BNRE_OK;
    bnre__weighted *sorted = NULL;

    BNRE_NEW(sorted, points->n);
    for (size_t k = 0; k < points->n; k++)
        sorted[k] = (bnre__weighted){points->theta[k * points->dim + i],
                                     posterior->weight[k]};
    bnre__sort_weighted(points->n, sorted);
    if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
        value_quantiles(sorted, points->n, n, p, out);
    else
        point_quantiles(sorted, points->n, n, p, out);
done:
    bnre__free(sorted);
    return status;
}

bnre_status bnre_posterior_quantiles(const bnre_posterior *posterior, size_t i,
                                     size_t n, const double *p, double *out)
{
    const bnre_points *points = posterior->points;
    bnre_status status = BNRE_OK;
    double *mass = NULL;

    if (i >= points->dim)
        return bnre_fail(BNRE_EINVAL,
                         "parameter %zu: the posterior has %zu of them", i,
                         points->dim);
    for (size_t q = 0; q < n; q++)
        if (!(p[q] >= 0 && p[q] <= 1))
            return bnre_fail(BNRE_EINVAL,
                             "quantile %g: expected a number from 0 to 1",
                             p[q]);
    if (bnre__points_is_grid(points)) {
        BNRE_NEW(mass, points->axis[i]);
        BNRE_TRY(bnre_posterior_marginal(posterior, i, mass));
        cell_quantiles(points, i, mass, n, p, out);
    } else {
        BNRE_TRY(sorted_quantiles(posterior, i, n, p, out));
    }
done:
    bnre__free(mass);
    return status;
}
