/* How many separate parts a region has: union-find over neighbouring cells
   of a grid (Tarjan and van Leeuwen 1984; about O(cells dim)), and the
   intervals of a single parameter. */
#include <math.h>

#include "base/mem.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

/* The root of a cell in a forest of which each tree is one part; the way there
   is halved for the next time. */
static size_t root_of(size_t *parent, size_t cell)
{
    while (parent[cell] != cell)
        cell = parent[cell] = parent[parent[cell]];
    return cell;
}

/* Join a cell with the one before it along each axis. parent is BNRE_NO_POINT
   for cells outside. Returns how many trees that saves. */
static size_t join_before(const bnre_points *points, size_t *parent,
                          size_t cell)
{
    size_t stride = 1, joined = 0;

    for (size_t i = points->dim; i-- > 0; stride *= points->axis[i]) {
        size_t a, b;

        if (cell / stride % points->axis[i] == 0 ||
            parent[cell - stride] == BNRE_NO_POINT)
            continue;
        a = root_of(parent, cell);
        b = root_of(parent, cell - stride);
        if (a == b)
            continue;
        parent[a] = b;
        joined++;
    }
    return joined;
}

bnre_status bnre__posterior_parts(const bnre_posterior *posterior,
                                  double threshold, size_t *parts)
{
    const bnre_points *points = posterior->points;
    bnre_status status = BNRE_OK;
    size_t *parent = NULL;

    *parts = 0;
    BNRE_NEW(parent, points->cells);
    for (size_t cell = 0; cell < points->cells; cell++)
        parent[cell] = BNRE_NO_POINT;
    for (size_t k = 0; k < points->n; k++) {
        const size_t cell = points->cell[k];

        if (posterior->log_density[k] < threshold)
            continue;
        parent[cell] = cell;
        *parts += 1;
        *parts -= join_before(points, parent, cell);
    }
done:
    bnre__free(parent);
    return status;
}

/* The free axis of a grid, BNRE_NO_POINT if there is not exactly one. */
static size_t only_axis(const bnre_points *points)
{
    size_t found = BNRE_NO_POINT;

    if (!bnre__points_is_grid(points))
        return BNRE_NO_POINT;
    for (size_t i = 0; i < points->dim; i++) {
        if (points->axis[i] == 1)
            continue;
        if (found != BNRE_NO_POINT)
            return BNRE_NO_POINT;
        found = i;
    }
    return found;
}

/* Where the log density crosses the threshold between point k, inside, and its
   neighbour, outside, on a line between them. */
static double crossing(const bnre_posterior *posterior, size_t axis, size_t k,
                       size_t neighbour, double threshold)
{
    const bnre_points *points = posterior->points;
    const double in = posterior->log_density[k];
    const double out = posterior->log_density[neighbour];
    const double a = points->theta[k * points->dim + axis];
    const double b = points->theta[neighbour * points->dim + axis];

    if (isinf(out))
        return 0.5 * (a + b);
    return a + (b - a) * (in > out ? (in - threshold) / (in - out) : 0.5);
}

/* The end of an interval at point k, of which the point `step` away in the
   order of cells is outside the region or missing. */
static double end_at(const bnre_posterior *posterior, size_t axis, size_t k,
                     int upper, double threshold)
{
    const bnre_points *points = posterior->points;
    const size_t cell = points->cell[k];

    if (upper && k + 1 < points->n && points->cell[k + 1] == cell + 1)
        return crossing(posterior, axis, k, k + 1, threshold);
    if (!upper && k > 0 && points->cell[k - 1] + 1 == cell)
        return crossing(posterior, axis, k, k - 1, threshold);
    return bnre__points_edge(points, axis, (double)(cell + (upper ? 1 : 0)));
}

bnre_status bnre_posterior_intervals(const bnre_posterior *posterior,
                                     const bnre_region *region, size_t *n,
                                     double *low, double *high)
{
    const bnre_points *points = posterior->points;
    const size_t axis = only_axis(points), room = *n;
    const double threshold = region->threshold;
    int values;

    if (axis == BNRE_NO_POINT)
        return bnre_fail(BNRE_EINVAL, "intervals need a posterior on a grid "
                                      "with one free parameter");
    values = bnre__prior_values(points->prior, axis, NULL) != BNRE__CONTINUOUS;
    *n = 0;
    for (size_t k = 0; k < points->n; k++) {
        size_t last = k;

        if (posterior->log_density[k] < threshold)
            continue;
        while (last + 1 < points->n &&
               points->cell[last + 1] == points->cell[last] + 1 &&
               posterior->log_density[last + 1] >= threshold)
            last++;
        if (*n < room && low != NULL && high != NULL && values) {
            low[*n] = points->theta[k * points->dim + axis];
            high[*n] = points->theta[last * points->dim + axis];
        } else if (*n < room && low != NULL && high != NULL) {
            low[*n] = end_at(posterior, axis, k, 0, threshold);
            high[*n] = end_at(posterior, axis, last, 1, threshold);
        }
        *n += 1;
        k = last;
    }
    return BNRE_OK;
}
