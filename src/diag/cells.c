/* Cells as a partition: where a theta is, and random points. */
#include <math.h>

#include "base/mem.h"
#include "diag/diag.h"
#include "diag/partition.h"
#include "diag/rank.h"
#include "prior/prior.h"

/* The part of all cells that a lattice begins with. */
static const double LATTICE = 0.385;

/* Strata are for p exp(l) and for p exp(WIDER l) alike. */
static const double WIDER = 0.3;

size_t bnre__cells_usual(const bnre_prior *prior)
{
    static const size_t count[] = {1, 96, 384, 512}, most = 3;
    const size_t dims = bnre__free_parameters(prior);

    return count[dims < most ? dims : most];
}

/* Cells: as a rule, at most, and those of the lattice that comes first; and
   strata. */
static void choose_counts(bnre__cells *cells, size_t n, size_t points)
{
    enum { NEARLY_EACH = 4 };
    const size_t dims = bnre__free_parameters(cells->prior);
    const size_t usual = bnre__cells_usual(cells->prior);

    cells->enough = dims == 0 ? 1 : n > 0 ? n : usual;
    cells->room = cells->enough;
    if (points > 0 && cells->room < usual)
        cells->room = usual;
    cells->per_axis =
        dims == 0
            ? 1
            : (size_t)(pow(LATTICE * (double)cells->enough, 1 / (double)dims) +
                       1e-9);
    if (cells->per_axis == 0)
        cells->per_axis = 1;
    cells->points = points > 0 ? points : NEARLY_EACH * cells->enough;
}

bnre_status bnre__cells_create(const bnre_prior *prior, size_t n, size_t points,
                               bnre__cells **out)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    bnre__cells *cells = NULL;

    *out = NULL;
    BNRE_NEW(cells, 1);
    cells->prior = prior;
    cells->dim = dim;
    choose_counts(cells, n, points);
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
    BNRE_NEW(cells->v, dim);
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
    bnre__free(cells->v);
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
    rest = bnre_rng_uniform(rng) * exp(cells->weight[stratum]);
    for (; k < last; k++) {
        rest -= cells->share[k].prior;
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
        theta[i] = low[i] + (high[i] - low[i]) * bnre_rng_open(rng);
    bnre__prior_from_places(cells->prior, theta, theta);
    return bnre_prior_log_density(cells->prior, theta);
}

size_t bnre__cells_draw_all(const bnre__cells *cells, bnre_rng *rng,
                            size_t stratum, double *theta, double *log_mass,
                            double *log_prior, size_t *own)
{
    size_t n = 0;

    if (own != NULL)
        *own = BNRE_NO_POINT;
    for (size_t k = 0; k < cells->strata; k++) {
        const double density =
            bnre__cells_draw(cells, k, rng, theta + n * cells->dim);

        if (!(density > -HUGE_VAL))
            continue;
        if (own != NULL && k == stratum)
            *own = n;
        log_mass[n] = cells->weight[k];
        if (log_prior != NULL)
            log_prior[n] = density;
        n++;
    }
    return n;
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

size_t bnre__cells_find(const bnre__cells *cells, const double *theta,
                        bnre_rng *rng)
{
    const int mixed = bnre__prior_is_mixed(cells->prior);
    size_t cell = 0;

    for (size_t i = 0; i < cells->dim; i++)
        cells->v[i] = mixed && rng != NULL ? bnre_rng_open(rng) : 0.5;
    bnre__prior_to_places(cells->prior, theta, cells->v, cells->place);
    for (size_t i = 0; i < cells->dim; i++)
        cells->place[i] = cells->free[i] ? cells->place[i] : 0;
    while (cell + 1 < cells->n && !contains(cells, cell, cells->place))
        cell++;
    return cells->stratum[cell];
}

/* How much of p exp(tau l) is in each cell, added to what is there. */
static void add_shares(bnre__cells *cells, double tau)
{
    struct share *share = cells->share;
    double top = -HUGE_VAL, total = 0;

    for (size_t k = 0; k < cells->n; k++)
        top = bnre__larger(top, share[k].level);
    for (size_t k = 0; k < cells->n; k++) {
        cells->weight[k] =
            share[k].prior *
            (top > -HUGE_VAL ? exp(tau * (share[k].level - top)) : 1);
        total += cells->weight[k];
    }
    for (size_t k = 0; k < cells->n; k++)
        share[k].posterior += cells->weight[k] / total;
}

static int is_before(const struct share *a, const struct share *b)
{
    return a->level != b->level ? a->level < b->level : a->cell < b->cell;
}

/* By growing level, with the gaps of Ciura (2001) for Shell's method, continued
   by about 9/4. For some hundred at a time, this takes a third of what qsort()
   does. */
static void sort_shares(size_t n, struct share *share)
{
    static const size_t steps[] = {50000, 18000, 7983, 3548, 1577, 701, 301,
                                   132,   57,    23,   10,   4,    1};

    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t k = steps[s]; k < n; k++) {
            const struct share one = share[k];
            size_t at = k;

            for (; at >= steps[s] && is_before(&one, &share[at - steps[s]]);
                 at -= steps[s])
                share[at] = share[at - steps[s]];
            share[at] = one;
        }
}

/* Cells of like density make a stratum, until it has its part of the posterior,
   or of all cells. One sort of the cells, and passes over them. */
void bnre__cells_pool(bnre__cells *cells)
{
    const size_t most = cells->n / 8 + 1;
    const double part = 2 / (double)cells->points; /* of both posteriors */
    struct share *share = cells->share;

    for (size_t k = 0; k < cells->n; k++)
        share[k] = (struct share){.level = cells->level[k],
                                  .prior = exp(cells->log_mass[k]),
                                  .cell = k};
    add_shares(cells, 1);
    add_shares(cells, WIDER);
    sort_shares(cells->n, share);
    cells->strata = 0;
    for (size_t k = 0; k < cells->n; cells->strata++) {
        double prior = 0, posterior = 0;

        cells->start[cells->strata] = k;
        do {
            cells->stratum[share[k].cell] = cells->strata;
            prior += share[k].prior;
            posterior += share[k++].posterior;
        } while (k < cells->n && k < cells->start[cells->strata] + most &&
                 posterior + 0.5 * share[k].posterior < part);
        cells->weight[cells->strata] = log(prior);
    }
    cells->start[cells->strata] = cells->n;
}
