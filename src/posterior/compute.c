/* From a session to a posterior: which of grid, bank, chains or independent
   draws, how many points, and draws from the result. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/streams.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

bnre_posterior_opts bnre_posterior_opts_default(void)
{
    return (bnre_posterior_opts){.sampler = BNRE_SAMPLER_AUTO,
                                 .seed = 1,
                                 .bank = 65536,
                                 .walkers = 1024,
                                 .chains = 128,
                                 .draws = 10000,
                                 .steps = 6400,
                                 .rhat = 1.01,
                                 .ess = 400};
}

/* ---- a grid that shrinks to the box with the mass ---- */

/* Mass that may be lost on each side of each axis. Far below what the grid
   itself gets wrong. */
static const double spare = 1e-9;

enum { MOST_ROUNDS = 12, MARGIN = 2 /* cells */ };

/* The first and last cell of axis i that cannot be spared, with a margin. */
static bnre_status trim(const bnre_posterior *posterior, size_t i,
                        size_t *first, size_t *last)
{
    const size_t n = posterior->points->axis[i];
    bnre_status status = BNRE_OK;
    double *mass = NULL, sum = 0;

    BNRE_NEW(mass, n);
    BNRE_TRY(bnre_posterior_marginal(posterior, i, mass));
    for (*first = 0; *first + 1 < n && sum + mass[*first] < spare; *first += 1)
        sum += mass[*first];
    sum = 0;
    for (*last = n - 1; *last > *first && sum + mass[*last] < spare; *last -= 1)
        sum += mass[*last];
    *first = *first > MARGIN ? *first - MARGIN : 0;
    *last = *last + MARGIN < n ? *last + MARGIN : n - 1;
done:
    bnre__free(mass);
    return status;
}

/* The box that holds the mass; *gain receives by how much it is smaller along
   the axis where it shrinks most. */
static bnre_status find_box(const bnre_posterior *posterior, double *low,
                            double *high, double *gain)
{
    const bnre_points *points = posterior->points;

    *gain = 1;
    for (size_t i = 0; i < points->dim; i++) {
        const double n = (double)points->axis[i];
        const double width = (points->high[i] - points->low[i]) / n;
        size_t first, last;

        low[i] = points->low[i];
        high[i] = points->high[i];
        if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
            continue; /* each value has its cell */
        BNRE_DO(trim(posterior, i, &first, &last));
        low[i] = points->low[i] + width * (double)first;
        high[i] = last + 1 == points->axis[i]
                      ? points->high[i]
                      : points->low[i] + width * (double)(last + 1);
        *gain = fmax(*gain, n / (double)(last + 1 - first));
    }
    return BNRE_OK;
}

/* A grid of the default size, laid anew over the box that holds the mass until
   it does not shrink any more. Each of up to 13 grids costs an evaluation per
   cell. */
static bnre_status zoom(bnre_posterior *posterior, bnre_session *session,
                        const bnre_monitor *monitor)
{
    const size_t dim = posterior->points->dim;
    bnre_status status = BNRE_OK;
    double *low = NULL, *high = NULL, gain = HUGE_VAL;

    BNRE_NEW(low, dim);
    BNRE_NEW(high, dim);
    BNRE_TRY(bnre__posterior_evaluate(posterior, session, monitor));
    for (int round = 0; round < MOST_ROUNDS; round++) {
        BNRE_TRY(find_box(posterior, low, high, &gain));
        if (gain < 1.25)
            break;
        BNRE_TRY(bnre__points_shrink(posterior->own, low, high));
        BNRE_TRY(bnre__posterior_evaluate(posterior, session, monitor));
    }
done:
    bnre__free(high);
    bnre__free(low);
    return status;
}

/* ---- which, and how many points ---- */

static bnre_sampler choose(const bnre_session *session,
                           const bnre_posterior_opts *opts)
{
    const bnre_prior *prior = bnre__session_density(session)->prior;

    if (opts->sampler != BNRE_SAMPLER_AUTO)
        return opts->sampler;
    if (opts->quick && bnre_session_can_draw(session))
        return BNRE_SAMPLER_DRAWS;
    if (!bnre_prior_has_density(prior))
        return bnre_session_can_draw(session) ? BNRE_SAMPLER_DRAWS
                                              : BNRE_SAMPLER_BANK;
    if (bnre__points_default(prior) > 0)
        return BNRE_SAMPLER_GRID;
    return bnre_session_can_draw(session) ? BNRE_SAMPLER_DRAWS
           : bnre__prior_is_mixed(prior)  ? BNRE_SAMPLER_BANK
                                          : BNRE_SAMPLER_CHAIN;
}

static bnre_status check(const bnre_posterior_opts *opts)
{
    if (opts->bank < 2 || opts->walkers < 2 || opts->chains < 2 ||
        opts->draws < 1)
        return bnre_fail(BNRE_EUSAGE, "a posterior needs 2 or more draws of "
                                      "the prior, walkers and chains");
    if (opts->steps < 4)
        return bnre_fail(BNRE_EUSAGE, "Markov chains need 4 steps or more");
    return BNRE_OK;
}

/* Cells per parameter to begin with, of a quick grid. */
static size_t quick_cells(const bnre_prior *prior)
{
    const size_t usual = bnre__points_default(prior);

    return usual >= 2048 ? 256 : usual >= 256 ? 48 : usual > 0 ? 20 : 0;
}

static bnre_status make_points(const bnre_prior *prior, bnre_sampler method,
                               const bnre_posterior_opts *opts,
                               bnre_points **out)
{
    bnre_rng rng = bnre_rng_stream(
        opts->seed, bnre__purpose(BNRE_USE_BANK, BNRE_SPLIT_TEST), 0);

    switch (method) {
    case BNRE_SAMPLER_GRID:
        return bnre__points_grid(
            prior,
            opts->quick && opts->grid == 0 ? quick_cells(prior) : opts->grid,
            out);
    case BNRE_SAMPLER_PAPER:
        return bnre__points_paper(prior, opts->grid, out);
    default:
        return bnre__points_bank(prior, opts->bank, &rng, out);
    }
}

/* Independent draws, all of the same weight; q being normalised, the evidence
   of the ratio is 1. A draw and an evaluation for each of n. */
static bnre_status draw(bnre_session *session, const bnre_posterior_opts *opts,
                        bnre_posterior **out)
{
    const bnre_prior *prior = bnre__session_density(session)->prior;
    const size_t n = opts->draws;
    bnre_points *points = NULL;

    BNRE_DO(bnre__points_create(prior, BNRE_POINTS_DRAWS, n, &points));
    points->n = n;
    BNRE_DO(bnre__posterior_own(points, out));
    BNRE_DO(bnre_session_draw(session, opts->seed, 0, n, points->theta));
    BNRE_DO(bnre_session_log_ratio(session, n, points->theta, (*out)->log_ratio,
                                   NULL));
    for (size_t k = 0; k < n; k++) {
        points->log_prior[k] =
            bnre_prior_log_density(prior, points->theta + k * points->dim);
        points->log_mass[k] = -log((double)n) - (*out)->log_ratio[k];
    }
    (*out)->evidence = (bnre_evidence){.ess = (double)n};
    return bnre__posterior_settle(*out);
}

bnre_status bnre_posterior_compute(bnre_session *session,
                                   const bnre_posterior_opts *opts,
                                   bnre_posterior **out)
{
    const bnre_prior *prior = bnre__session_density(session)->prior;
    const bnre_sampler method = choose(session, opts);
    bnre_status status = BNRE_OK;
    bnre_posterior *posterior = NULL;
    bnre_points *points = NULL;

    *out = NULL;
    BNRE_TRY(check(opts));
    if (method == BNRE_SAMPLER_CHAIN) {
        BNRE_TRY(bnre__posterior_chains(session, opts, &posterior));
    } else if (method == BNRE_SAMPLER_DRAWS) {
        BNRE_TRY(draw(session, opts, &posterior));
    } else {
        BNRE_TRY(make_points(prior, method, opts, &points));
        BNRE_TRY(bnre__posterior_own(points, &posterior));
        if (method == BNRE_SAMPLER_GRID && opts->grid == 0)
            BNRE_TRY(zoom(posterior, session, opts->monitor));
        else
            BNRE_TRY(
                bnre__posterior_evaluate(posterior, session, opts->monitor));
    }
    if (!opts->quick &&
        (method == BNRE_SAMPLER_CHAIN || method == BNRE_SAMPLER_BANK ||
         method == BNRE_SAMPLER_DRAWS))
        BNRE_TRY(bnre__posterior_climb(posterior, session, opts->seed));
    *out = posterior;
    posterior = NULL;
done:
    bnre_posterior_destroy(posterior);
    return status;
}

/* A place in the cell of point k, uniformly (in quantiles, for cells of equal
   mass), where the constraints of the prior hold: those few cells that they
   cut are tried again, and in the end the point itself will do. */
static void scatter(const bnre_points *points, size_t k, bnre_rng *rng,
                    double *theta)
{
    for (int trial = 0; trial < 100; trial++) {
        size_t rest = points->cell[k];

        for (size_t i = points->dim; i-- > 0; rest /= points->axis[i])
            theta[i] = bnre__points_edge(points, i,
                                         (double)(rest % points->axis[i]) +
                                             bnre_rng_open(rng));
        if (bnre_prior_log_density(points->prior, theta) > -HUGE_VAL)
            return;
    }
    memcpy(theta, points->theta + k * points->dim, points->dim * sizeof *theta);
}

/* The point at which the sum of weights passes a mark: O(log n). */
static size_t find(size_t n, const double *sum, double mark)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (sum[middle] > mark)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bnre_status bnre_posterior_sample(const bnre_posterior *posterior, size_t n,
                                  uint64_t seed, double *theta)
{
    const bnre_points *points = posterior->points;
    const size_t dim = points->dim;
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_RESAMPLE, BNRE_SPLIT_TEST), 0);
    bnre_status status = BNRE_OK;
    double *sum = NULL, total = 0;

    if ((points->kind == BNRE_POINTS_CHAIN ||
         points->kind == BNRE_POINTS_DRAWS) &&
        n == points->n) {
        memcpy(theta, points->theta, n * dim * sizeof *theta);
        return BNRE_OK;
    }
    BNRE_NEW(sum, points->n);
    for (size_t k = 0; k < points->n; k++)
        sum[k] = total += posterior->weight[k];
    for (size_t k = 0; k < n; k++) {
        const size_t from =
            find(points->n, sum, total * bnre_rng_uniform(&rng));

        if (bnre__points_is_grid(points))
            scatter(points, from, &rng, theta + k * dim);
        else
            memcpy(theta + k * dim, points->theta + from * dim,
                   dim * sizeof *theta);
    }
done:
    bnre__free(sum);
    return status;
}
