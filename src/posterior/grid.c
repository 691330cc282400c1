/* Grids in the quantiles of a prior, or at the nodes of the reference;
   cells, their edges, and the cell that a parameter lies in. A quantile is
   found once for each cell of an axis, not of the grid, if points are the
   middles of cells; each cell costs a density of the prior. Finding a cell
   costs O(dim), the point in it a binary search. */
#include <math.h>

#include "base/mem.h"
#include "base/text.h"
#include "posterior/points.h"
#include "prior/prior.h"

enum { MAX_CELLS = 1 << 23 }; /* about 500 MB with everything kept for them */

/* Cells of parameter i where parameters with a density have n: whole numbers
   have one for each value. */
static size_t cells_of(const bnre_prior *prior, size_t i, size_t n)
{
    size_t values;

    (void)bnre__prior_values(prior, i, &values);
    return bnre__prior_is_fixed(prior, i) ? 1 : values > 0 ? values : n;
}

/* Parameters with a density. */
static size_t count_free(const bnre_prior *prior)
{
    size_t count = 0;

    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        count += !bnre__prior_is_fixed(prior, i) &&
                 bnre__prior_values(prior, i, NULL) == BNRE__CONTINUOUS;
    return count;
}

/* All cells, or `most` + 1 if there are more. */
static size_t count_cells(const bnre_prior *prior, size_t n, size_t most)
{
    size_t cells = 1;

    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        const size_t axis = cells_of(prior, i, n);

        cells = axis > most / cells ? most + 1 : cells * axis;
        if (cells > most)
            break;
    }
    return cells;
}

size_t bnre__points_default(const bnre_prior *prior)
{
    enum { USUAL = 1 << 20 };
    static const size_t cells[BNRE_GRID_DIMS + 1] = {1, 2048, 256, 80};
    const size_t dims = count_free(prior);

    if (dims > BNRE_GRID_DIMS || count_cells(prior, cells[dims], USUAL) > USUAL)
        return 0;
    return cells[dims];
}

static bnre_status check(const bnre_prior *prior, size_t n)
{
    const size_t dims = count_free(prior);
    size_t most;

    if (!bnre_prior_has_density(prior))
        return bnre_fail(BNRE_EUSAGE,
                         "the prior is known by samples only, which give no "
                         "grid: use a bank of its draws");
    if (dims > BNRE_GRID_DIMS)
        return bnre_fail(BNRE_EUSAGE,
                         "a grid takes up to %d parameters, the prior has %zu: "
                         "use samples (a bank or a Markov chain) instead",
                         BNRE_GRID_DIMS, dims);
    if (count_cells(prior, n, MAX_CELLS) > MAX_CELLS) {
        if (bnre__prior_is_mixed(prior))
            return bnre_fail(BNRE_EUSAGE,
                             "a grid of all values and %zu cells for each "
                             "other parameter is too large: use samples (a "
                             "bank, or draws) instead",
                             n);
        most = (size_t)(pow(MAX_CELLS, 1 / (double)dims) + 1e-6);
        return bnre_fail(BNRE_EUSAGE,
                         "a grid of %zu cells for each of %zu parameters is "
                         "too large: at most %zu",
                         n, dims, most);
    }
    return BNRE_OK;
}

/* An empty grid with n cells per free parameter. */
static bnre_status create(const bnre_prior *prior, bnre_points_kind kind,
                          size_t n, bnre_points **out)
{
    const size_t dim = bnre_prior_dim(prior);
    size_t cells;

    *out = NULL;
    BNRE_DO(check(prior, n));
    cells = count_cells(prior, n, MAX_CELLS);
    BNRE_DO(bnre__points_create(prior, kind, cells, out));
    (*out)->cells = cells;
    for (size_t i = 0; i < dim; i++)
        (*out)->axis[i] = cells_of(prior, i, n);
    return BNRE_OK;
}

double bnre__points_edge(const bnre_points *points, size_t i, double k)
{
    const double low = points->low[i], high = points->high[i];
    const double n = (double)points->axis[i];

    if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
        return bnre__prior_value(points->prior, i,
                                 (size_t)fmin(fmax(k, 0), n - 1));
    if (points->kind == BNRE_POINTS_GRID)
        return bnre_prior_quantile(points->prior, i,
                                   k < n ? low + (high - low) * (k / n) : high);
    /* Nodes are the middles of their cells, which end with the support. */
    if (n == 1)
        return low;
    k = k < 0.5 ? 0.5 : k > n - 0.5 ? n - 0.5 : k;
    return low + (high - low) * ((k - 0.5) / (n - 1));
}

/* Keep the point of this cell if the prior allows it. */
static void keep(bnre_points *points, size_t cell)
{
    const double *theta = points->theta + points->n * points->dim;
    const double log_prior = bnre_prior_log_density(points->prior, theta);

    if (!(log_prior > -HUGE_VAL))
        return;
    points->log_prior[points->n] = log_prior;
    points->cell[points->n] = cell;
    points->n++;
}

static bnre_status refuse_empty(const bnre_points *points)
{
    if (points->n > 0)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "no point of the grid satisfies the constraints of the "
                     "prior: use more cells per parameter");
}

/* Row-major: the last axis runs fastest. value[i] points to the axis[i] values
   of parameter i; without them a random place in each cell. */
static void fill(bnre_points *points, double *const *value, bnre_rng *rng)
{
    const size_t dim = points->dim;

    points->n = 0;
    for (size_t cell = 0; cell < points->cells; cell++) {
        double *theta = points->theta + points->n * dim;
        size_t rest = cell;

        for (size_t i = dim; i-- > 0; rest /= points->axis[i]) {
            const size_t at = rest % points->axis[i];

            theta[i] = value != NULL
                           ? value[i][at]
                           : bnre__points_edge(points, i,
                                               (double)at + bnre_rng_open(rng));
        }
        keep(points, cell);
    }
}

/* The values of each axis, in one block that value[0] begins. */
static bnre_status axis_values(const bnre_points *points, double **value)
{
    bnre_status status = BNRE_OK;
    size_t total = 0;

    for (size_t i = 0; i < points->dim; i++)
        total += points->axis[i];
    BNRE_NEW(value[0], total);
    for (size_t i = 0; i < points->dim; i++) {
        if (i > 0)
            value[i] = value[i - 1] + points->axis[i - 1];
        for (size_t k = 0; k < points->axis[i]; k++)
            value[i][k] = bnre__points_edge(points, i, (double)k + 0.5);
    }
done:
    return status;
}

static bnre_status fill_middles(bnre_points *points)
{
    bnre_status status = BNRE_OK;
    double **value = NULL;

    BNRE_NEW(value, points->dim);
    BNRE_TRY(axis_values(points, value));
    fill(points, value, NULL);
done:
    if (value != NULL)
        bnre__free(value[0]);
    bnre__free(value);
    return status;
}

/* Mass of a cell by the product of the families: a value has its probability,
   and cells of other parameters have equal shares of the box. */
static double product_mass(const bnre_points *points, size_t cell)
{
    double sum = 0;

    for (size_t i = points->dim; i-- > 0; cell /= points->axis[i]) {
        const size_t k = cell % points->axis[i];

        if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
            sum += log(bnre__prior_mass(points->prior, i, k));
        else
            sum += log((points->high[i] - points->low[i]) /
                       (double)points->axis[i]);
    }
    return sum;
}

/* Whether cells have equal mass. */
static int is_even(const bnre_prior *prior)
{
    return !bnre__prior_is_mixed(prior) && !bnre__prior_depends(prior);
}

/* What point k stands for, up to a factor: of parameters that depend on each
   other as much more or less as they are likelier together than each alone. */
static double mass_of(const bnre_points *points, size_t k)
{
    return product_mass(points, points->cell[k]) +
           bnre__prior_dependence(points->prior,
                                  points->theta + k * points->dim);
}

/* Cells have equal mass, or that of their values; those that break a constraint
   have none, and a prior with constraints is the rest of the product, scaled to
   1. */
static void share_out(bnre_points *points)
{
    double all = 0;

    if (is_even(points->prior)) {
        for (size_t k = 0; k < points->n; k++)
            points->log_mass[k] = -log((double)points->n);
        return;
    }
    for (size_t k = 0; k < points->n; k++) {
        points->log_mass[k] = mass_of(points, k);
        all += exp(points->log_mass[k]);
    }
    for (size_t k = 0; k < points->n; k++)
        points->log_mass[k] -= log(all);
}

bnre_status bnre__points_place(bnre_points *points, bnre_rng *rng)
{
    if (rng != NULL)
        fill(points, NULL, rng);
    else
        BNRE_DO(fill_middles(points));
    share_out(points);
    return refuse_empty(points);
}

bnre_status bnre__points_grid(const bnre_prior *prior, size_t n,
                              bnre_points **out)
{
    bnre_status status = BNRE_OK;
    bnre_points *points = NULL;

    *out = NULL;
    BNRE_TRY(create(prior, BNRE_POINTS_GRID,
                    n > 0 ? n : bnre__points_default(prior), &points));
    for (size_t i = 0; i < points->dim; i++)
        points->high[i] = 1;
    BNRE_TRY(bnre__points_place(points, NULL));
    *out = points;
    points = NULL;
done:
    bnre__points_destroy(points);
    return status;
}

bnre_status bnre__points_shrink(bnre_points *points, const double *low,
                                const double *high)
{
    const int even = is_even(points->prior);
    double shrunk = 0, mass = points->log_mass[0];

    if (!even) /* what the constraints leave */
        mass -= mass_of(points, 0);
    for (size_t i = 0; i < points->dim; i++) {
        shrunk += log((high[i] - low[i]) / (points->high[i] - points->low[i]));
        points->low[i] = low[i];
        points->high[i] = high[i];
    }
    BNRE_DO(fill_middles(points));
    for (size_t k = 0; k < points->n; k++)
        points->log_mass[k] = mass + (even ? shrunk : mass_of(points, k));
    return refuse_empty(points);
}

static bnre_status paper_ends(bnre_points *points, size_t i)
{
    const char *name = bnre_prior_name(points->prior, i);
    double low, high;

    if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has values in a list (%s), so it has no "
                         "end-point grid: use a grid that sums over them "
                         "(auto)",
                         name, bnre_prior_text(points->prior, i));
    bnre_prior_support(points->prior, i, &low, &high);
    if (isinf(low) || isinf(high))
        return bnre_fail(BNRE_EUSAGE,
                         "%s has no bounds (%s), so it has no end-point grid: "
                         "use a grid of cells with equal prior mass (auto)",
                         name, bnre_prior_text(points->prior, i));
    points->low[i] = low;
    points->high[i] = high - fmin(1e-5, (high - low) / 1000);
    return BNRE_OK;
}

/* Masses in proportion to the density of the nodes. */
static void share_by_density(bnre_points *points)
{
    double most = -HUGE_VAL, sum = 0;

    for (size_t k = 0; k < points->n; k++)
        most = fmax(most, points->log_prior[k]);
    for (size_t k = 0; k < points->n; k++)
        sum += exp(points->log_prior[k] - most);
    for (size_t k = 0; k < points->n; k++)
        points->log_mass[k] = points->log_prior[k] - most - log(sum);
}

static bnre_status refuse_infinite(const bnre_points *points)
{
    for (size_t k = 0; k < points->n; k++)
        if (isinf(points->log_prior[k]))
            return bnre_fail(BNRE_EUSAGE,
                             "the density of the prior is infinite at an end "
                             "of its support, which is a node of this grid: "
                             "use a grid of cells with equal prior mass "
                             "(auto)");
    return BNRE_OK;
}

bnre_status bnre__points_paper(const bnre_prior *prior, size_t n,
                               bnre_points **out)
{
    bnre_status status = BNRE_OK;
    bnre_points *points = NULL;

    *out = NULL;
    if (n == 0)
        n = BNRE_GRID_PAPER;
    if (n == 1)
        return bnre_fail(BNRE_EUSAGE,
                         "a grid with both ends needs 2 nodes or more per "
                         "parameter");
    BNRE_TRY(create(prior, BNRE_POINTS_PAPER, n, &points));
    for (size_t i = 0; i < points->dim; i++)
        BNRE_TRY(paper_ends(points, i));
    BNRE_TRY(fill_middles(points));
    BNRE_TRY(refuse_empty(points));
    BNRE_TRY(refuse_infinite(points));
    share_by_density(points);
    *out = points;
    points = NULL;
done:
    bnre__points_destroy(points);
    return status;
}

/* d theta / d cell at the middle of cell k. The ends of a cell may be infinite,
   the middle half of it is not. */
static double width_of(const bnre_points *points, size_t i, size_t k)
{
    if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
        return 1;
    if (points->kind == BNRE_POINTS_GRID)
        return 2 * (bnre__points_edge(points, i, (double)k + 0.75) -
                    bnre__points_edge(points, i, (double)k + 0.25));
    return points->axis[i] > 1 ? (points->high[i] - points->low[i]) /
                                     (double)(points->axis[i] - 1)
                               : 0;
}

bnre_status bnre__points_axis(const bnre_points *points, size_t i, double *edge,
                              double *middle, double *width)
{
    int values;

    if (!bnre__points_is_grid(points) || i >= points->dim)
        return bnre_fail(BNRE_EINVAL, "the points have no axis %zu", i);
    values = bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS;
    for (size_t k = 0; edge != NULL && k <= points->axis[i]; k++)
        edge[k] = values ? bnre__prior_value(points->prior, i, k) - 0.5
                         : bnre__points_edge(points, i, (double)k);
    for (size_t k = 0; middle != NULL && k < points->axis[i]; k++)
        middle[k] = bnre__points_edge(points, i, (double)k + 0.5);
    for (size_t k = 0; width != NULL && k < points->axis[i]; k++)
        width[k] = width_of(points, i, k);
    return BNRE_OK;
}

/* Where theta lies along axis i, counted in cells from 0. */
static double along(const bnre_points *points, size_t i, double theta)
{
    const double low = points->low[i], high = points->high[i];
    const double n = (double)points->axis[i];
    double u;

    if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
        return (double)bnre__prior_index(points->prior, i, theta) + 0.5;
    if (points->kind == BNRE_POINTS_GRID) {
        u = bnre_prior_cdf(points->prior, i, theta);
        /* A fixed value has a distribution function that jumps to 1. */
        return n == 1 && low == 0 && high == 1 ? 0
                                               : (u - low) / (high - low) * n;
    }
    return n == 1 ? 0 : (theta - low) / (high - low) * (n - 1) + 0.5;
}

size_t bnre__points_cell_of(const bnre_points *points, const double *theta)
{
    size_t cell = 0;

    if (!bnre__points_is_grid(points) ||
        !(bnre_prior_log_density(points->prior, theta) > -HUGE_VAL))
        return BNRE_NO_POINT;
    for (size_t i = 0; i < points->dim; i++) {
        const double n = (double)points->axis[i];
        double place = along(points, i, theta[i]);

        /* An end belongs to the last cell. */
        if (place == n || (points->kind == BNRE_POINTS_PAPER && place > n))
            place = n - 0.5;
        if (!(place >= 0 && place < n))
            return BNRE_NO_POINT;
        cell = cell * points->axis[i] + (size_t)place;
    }
    return cell;
}

size_t bnre__points_in_cell(const bnre_points *points, size_t cell)
{
    size_t low = 0, high = points->n;

    if (!bnre__points_is_grid(points))
        return BNRE_NO_POINT;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (points->cell[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < points->n && points->cell[low] == cell ? low : BNRE_NO_POINT;
}
