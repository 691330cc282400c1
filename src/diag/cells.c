/* Cells as a partition: where a theta is, and random points. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "diag/diag.h"
#include "diag/partition.h"

enum { POOLED = 8 }; /* cells to a stratum, where there is nothing */

/* The part of all cells that a lattice begins with. */
static const double LATTICE = 0.385;

/* The posterior p exp(WIDER l) has a share NOTHING in the cells that are
   pooled. */
static const double WIDER = 0.5, NOTHING = 0.01;

/* Cells in all, and those of the lattice that comes first. */
static void choose_counts(bnre__cells *cells, size_t n)
{
    static const size_t count[] = {1, 96, 384, 512}, most = 3;
    const size_t dims = bnre__free_parameters(cells->prior);

    cells->room = dims == 0 ? 1 : n > 0 ? n : count[dims < most ? dims : most];
    cells->per_axis =
        dims == 0
            ? 1
            : (size_t)(pow(LATTICE * (double)cells->room, 1 / (double)dims) +
                       1e-9);
    if (cells->per_axis == 0)
        cells->per_axis = 1;
}

bnre_status bnre__cells_create(const bnre_prior *prior, size_t n,
                               bnre__cells **out)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    bnre__cells *cells = NULL;

    *out = NULL;
    BNRE_NEW(cells, 1);
    cells->prior = prior;
    cells->dim = dim;
    choose_counts(cells, n);
    BNRE_NEW(cells->free, dim);
    BNRE_NEW(cells->low, cells->room * dim);
    BNRE_NEW(cells->high, cells->room * dim);
    BNRE_NEW(cells->log_mass, cells->room);
    BNRE_NEW(cells->waits, cells->room);
    BNRE_NEW(cells->log_ratio, cells->room);
    BNRE_NEW(cells->slope, cells->room * dim);
    BNRE_NEW(cells->curve, cells->room * dim);
    BNRE_NEW(cells->level, cells->room);
    BNRE_NEW(cells->hope, cells->room);
    BNRE_NEW(cells->score, cells->room);
    BNRE_NEW(cells->heap, cells->room);
    BNRE_NEW(cells->cut, cells->room);
    BNRE_NEW(cells->theta, BNRE__SCOUTS * dim);
    BNRE_NEW(cells->place, dim);
    BNRE_NEW(cells->share, cells->room);
    BNRE_NEW(cells->start, cells->room + 1);
    BNRE_NEW(cells->stratum, cells->room);
    BNRE_NEW(cells->weight, cells->room);
    for (size_t i = 0; i < dim; i++) {
        double low, high;

        bnre_prior_support(prior, i, &low, &high);
        cells->free[i] = low < high;
    }
    *out = cells;
    cells = NULL;
done:
    bnre__cells_destroy(cells);
    return status;
}

void bnre__cells_destroy(bnre__cells *cells)
{
    if (cells == NULL)
        return;
    bnre__free(cells->weight);
    bnre__free(cells->stratum);
    bnre__free(cells->start);
    bnre__free(cells->share);
    bnre__free(cells->place);
    bnre__free(cells->theta);
    bnre__free(cells->cut);
    bnre__free(cells->heap);
    bnre__free(cells->score);
    bnre__free(cells->hope);
    bnre__free(cells->level);
    bnre__free(cells->curve);
    bnre__free(cells->slope);
    bnre__free(cells->log_ratio);
    bnre__free(cells->waits);
    bnre__free(cells->log_mass);
    bnre__free(cells->high);
    bnre__free(cells->low);
    bnre__free(cells->free);
    bnre__free(cells);
}

size_t bnre__cells_room(const bnre__cells *cells)
{
    return cells->room;
}

size_t bnre__cells_count(const bnre__cells *cells)
{
    return cells->strata;
}

double bnre__cells_log_mass(const bnre__cells *cells, size_t stratum)
{
    return cells->weight[stratum];
}

/* A cell of the stratum, with a probability proportional to its mass. */
static size_t pick_cell(const bnre__cells *cells, size_t stratum, bnre_rng *rng)
{
    const size_t last = cells->start[stratum + 1] - 1;
    size_t k = cells->start[stratum];
    double rest;

    if (k == last)
        return cells->share[k].cell;
    rest = bnre_rng_uniform(rng);
    for (; k < last; k++) {
        rest -=
            exp(cells->log_mass[cells->share[k].cell] - cells->weight[stratum]);
        if (rest < 0)
            break;
    }
    return cells->share[k].cell;
}

double bnre__cells_draw(const bnre__cells *cells, size_t stratum, bnre_rng *rng,
                        double *theta)
{
    const size_t cell = pick_cell(cells, stratum, rng);
    const double *low = cells->low + cell * cells->dim;
    const double *high = cells->high + cell * cells->dim;

    for (size_t i = 0; i < cells->dim; i++)
        theta[i] = bnre_prior_quantile(
            cells->prior, i, low[i] + (high[i] - low[i]) * bnre_rng_open(rng));
    return bnre_prior_log_density(cells->prior, theta);
}

static int contains(const bnre__cells *cells, size_t cell, const double *place)
{
    const double *low = cells->low + cell * cells->dim;
    const double *high = cells->high + cell * cells->dim;

    for (size_t i = 0; i < cells->dim; i++)
        /* An end belongs to the last cell. */
        if (!(place[i] >= low[i] && (place[i] < high[i] || high[i] == 1)))
            return 0;
    return 1;
}

size_t bnre__cells_find(const bnre__cells *cells, const double *theta)
{
    size_t cell = 0;

    for (size_t i = 0; i < cells->dim; i++)
        cells->place[i] =
            cells->free[i] ? bnre_prior_cdf(cells->prior, i, theta[i]) : 0;
    while (cell + 1 < cells->n && !contains(cells, cell, cells->place))
        cell++;
    return cells->stratum[cell];
}

static int by_mass(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    if (x->mass != y->mass)
        return x->mass < y->mass ? -1 : 1;
    return x->cell < y->cell ? -1 : 1;
}

/* Cells that bear next to nothing, also of wider posteriors, share a point. */
void bnre__cells_pool(bnre__cells *cells)
{
    double top = -HUGE_VAL, total = 0, below = 0;
    size_t pooled = 0;

    for (size_t k = 0; k < cells->n; k++)
        top = fmax(top, cells->log_mass[k] + WIDER * cells->level[k]);
    for (size_t k = 0; k < cells->n; k++) {
        const double log_share = cells->log_mass[k] + WIDER * cells->level[k];

        cells->share[k] =
            (struct share){top > -HUGE_VAL ? exp(log_share - top) : 1, k};
        total += cells->share[k].mass;
    }
    qsort(cells->share, cells->n, sizeof *cells->share, by_mass);
    while ((below += cells->share[pooled].mass) < NOTHING * total)
        pooled++;
    cells->strata = 0;
    for (size_t k = 0; k < cells->n; cells->strata++) {
        const size_t left = pooled > k ? pooled - k : 1;
        const size_t some = left < POOLED ? left : POOLED;
        double sum = 0;

        cells->start[cells->strata] = k;
        for (const size_t end = k + some; k < end; k++) {
            sum += exp(cells->log_mass[cells->share[k].cell]);
            cells->stratum[cells->share[k].cell] = cells->strata;
        }
        cells->weight[cells->strata] = log(sum);
    }
    cells->start[cells->strata] = cells->n;
}
