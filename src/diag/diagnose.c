/* The pass over all pairs. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/diag.h"
#include "posterior/points.h"
#include "prior/prior.h"

enum {
    CHUNK = 8,            /* pairs that a thread takes at a time, */
    CHUNK_MANY = 32,      /* or of densities that take as many */
    BLOCK_BYTES = 1 << 26 /* of x in memory */
};

bnre_diag_opts bnre_diag_opts_default(void)
{
    return (bnre_diag_opts){
        .delta = 0.05, .eps = 0.02, .least_gain = 0.05, .bins = 20, .seed = 1};
}

struct job {
    bnre__look_job look;
    const bnre__pairs *pairs;
    bnre_pool *pool;
    const bnre_monitor *monitor;
    bnre__look **looks; /* (threads), made when first needed */

    double *x; /* (block, observations, x_size) */
    size_t x_of_pair, block, first;

    pthread_mutex_t lock; /* of the following, and of calls of the monitor */
    size_t done;
    int stop;
};

size_t bnre__free_parameters(const bnre_prior *prior)
{
    size_t count = 0;

    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        double low, high;

        bnre_prior_support(prior, i, &low, &high);
        count += low < high;
    }
    return count;
}

/* Whether what is asked about can be drawn from. */
static int can_draw(const bnre_density *density, size_t observations,
                    const bnre_diag_opts *opts)
{
    const int plain =
        opts->temper == NULL || (opts->n_temper == 1 && opts->temper[0] == 1);

    return density->draw != NULL && observations == 1 && plain &&
           !(opts->each_member && density->members > 0);
}

static bnre_diag_grid choose_grid(const bnre_density *density,
                                  size_t observations,
                                  const bnre_diag_opts *opts)
{
    const int has_density = bnre_prior_has_density(density->prior);

    if (opts->grid != BNRE_DIAG_AUTO)
        return opts->grid;
    if (opts->cells > 0)
        return BNRE_DIAG_CELLS;
    if (has_density && (opts->fitted > 0 || opts->strata > 0))
        return BNRE_DIAG_FITTED;
    if (can_draw(density, observations, opts) &&
        (density->weigh == NULL || !has_density || opts->draws > 0 ||
         bnre__free_parameters(density->prior) > BNRE__FEW_PARAMETERS ||
         bnre__prior_is_mixed(density->prior)))
        return BNRE_DIAG_DRAWS;
    if (!has_density || opts->draws > 0)
        return BNRE_DIAG_BANK;
    if (bnre__free_parameters(density->prior) <= BNRE__FEW_PARAMETERS)
        return BNRE_DIAG_FITTED;
    /* No chain moves between values in a list. */
    return bnre__prior_is_mixed(density->prior) ? BNRE_DIAG_BANK
                                                : BNRE_DIAG_CHAINS;
}

/* With fewer draws, more than a tenth of an error would be hidden. */
static bnre_status check_draws(const bnre_density *density, size_t observations,
                               const bnre_diag_opts *opts)
{
    enum { LEAST = 10, MOST_STEPS = 100000 };
    const bnre_diag_grid grid = choose_grid(density, observations, opts);

    if (grid == BNRE_DIAG_CELLS && bnre__prior_is_mixed(density->prior))
        return bnre_fail(BNRE_EUSAGE,
                         "a regular grid of cells is for priors with a "
                         "density: with integers or categories leave the "
                         "choice of points to auto");
    if (grid != BNRE_DIAG_DRAWS && grid != BNRE_DIAG_CHAINS)
        return BNRE_OK;
    if (grid == BNRE_DIAG_DRAWS && !can_draw(density, observations, opts))
        return bnre_fail(BNRE_EUSAGE,
                         "draws of the posterior are for a density that can be "
                         "drawn from, a single observation, temper 1 alone, "
                         "and no look at its members");
    if (opts->draws > 0 && opts->draws < LEAST)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu draws of a posterior show too little: %d are the "
                         "least, a hundred or more are of use",
                         opts->draws, LEAST);
    if (opts->steps > MOST_STEPS || opts->most_steps > MOST_STEPS)
        return bnre_fail(BNRE_EUSAGE, "more than %d steps of a chain",
                         MOST_STEPS);
    return BNRE_OK;
}

static bnre_status check_opts(const bnre_density *density,
                              const bnre__pairs *pairs,
                              const bnre_diag_opts *opts)
{
    BNRE_DO(bnre__diag_check(pairs->n, opts));
    if (pairs->observations == 0)
        return bnre_fail(BNRE_EUSAGE, "a pair needs an observation or more");
    if (opts->temper != NULL && opts->n_temper == 0)
        return bnre_fail(BNRE_EUSAGE, "no temper is given");
    for (size_t i = 0; opts->temper != NULL && i < opts->n_temper; i++)
        if (!(opts->temper[i] > 0 && opts->temper[i] <= 1))
            return bnre_fail(BNRE_EUSAGE,
                             "temper %g: expected a number above 0, up to 1",
                             opts->temper[i]);
    BNRE_DO(check_draws(density, pairs->observations, opts));
    if (opts->n_widen > 0 &&
        (density->many == 0 || density->weigh != NULL || opts->temper != NULL ||
         choose_grid(density, pairs->observations, opts) != BNRE_DIAG_DRAWS))
        return bnre_fail(BNRE_EUSAGE, "several widths are for draws of a "
                                      "density that takes many x at a time");
    return bnre__prior_check(density->prior, "pair", 0, pairs->n, pairs->theta);
}

/* Tell of `n` more pairs, or of none; whether to stop. */
static int report(struct job *job, size_t n)
{
    const bnre_monitor *monitor = job->monitor;
    int stop;

    pthread_mutex_lock(&job->lock);
    job->done += n;
    if (n > 0 && monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, job->done, 0, job->pairs->n) != 0)
        job->stop = 1;
    stop = job->stop;
    pthread_mutex_unlock(&job->lock);
    return stop;
}

/* Pairs first..last-1 of the block. */
static bnre_status look_at_some(void *arg, size_t worker, size_t first,
                                size_t last)
{
    struct job *job = arg;
    bnre_status status = BNRE_OK;

    if (report(job, 0))
        BNRE_THROW(BNRE_EINTR, "interrupted");
    if (job->looks[worker] == NULL)
        BNRE_TRY(bnre__look_create(&job->look, &job->looks[worker]));
    BNRE_TRY(bnre__look_at_some(job->looks[worker], job->first + first,
                                last - first, job->x + first * job->x_of_pair));
    report(job, last - first);
done:
    return status;
}

static bnre_status look_at_all(struct job *job)
{
    const size_t n = job->pairs->n;

    for (job->first = 0; job->first < n; job->first += job->block) {
        size_t some = n - job->first < job->block ? n - job->first : job->block;

        BNRE_DO(job->pairs->read(job->pairs->self, job->first, some, job->x));
        BNRE_DO(bnre_pool_for(job->pool, some,
                              job->look.density->many > 0 ? CHUNK_MANY : CHUNK,
                              look_at_some, job));
        /* Asked to stop in the last chunk of a block that is not the last. */
        if (report(job, 0) && job->first + some < n)
            return bnre_fail(BNRE_EINTR, "interrupted");
    }
    return BNRE_OK;
}

static bnre_status describe(bnre_diag *diag, const bnre__look_job *look,
                            double *spread)
{
    const bnre_prior *prior = look->density->prior;
    const bnre_diag_opts *opts = look->opts;

    diag->grid = look->grid;
    diag->observations = look->observations;
    for (size_t c = 0; c < diag->n_curves; c++)
        diag->curve[c].tau = opts->temper != NULL ? opts->temper[c] : 1;
    for (size_t k = 0; k < diag->dim; k++) {
        double mean, variance, low, high;

        spread[k] = bnre__prior_spread(prior, k);
        bnre_prior_moments(prior, k, &mean, &variance);
        bnre_prior_support(prior, k, &low, &high);
        diag->parameter[k].scale = look->grid == BNRE_DIAG_PAPER
                                       ? (high - low) * (high - low)
                                       : 12 * variance;
        if (!(diag->parameter[k].scale > 0))
            diag->parameter[k].scale = NAN;
        BNRE_DO(
            bnre__strdup(bnre_prior_name(prior, k), &diag->parameter[k].name));
    }
    return BNRE_OK;
}

/* Everything there is room needed for, but the result. */
static bnre_status prepare(struct job *job, double *spread, size_t *order,
                           size_t *other)
{
    const bnre__look_job *look = &job->look;
    const size_t threads = bnre_pool_threads(job->pool);
    bnre_status status = BNRE_OK;

    job->x_of_pair = look->observations * look->density->x_size;
    job->block = BLOCK_BYTES / sizeof(float) / (job->x_of_pair + 1);
    job->block = job->block / CHUNK_MANY * CHUNK_MANY;
    if (job->block < CHUNK_MANY)
        job->block = CHUNK_MANY;
    if (job->block > job->pairs->n)
        job->block = job->pairs->n;
    BNRE_NEW(job->x, job->block * job->x_of_pair);
    BNRE_NEW(job->looks, threads);
    bnre__pair_up(job->pairs->n, job->pairs->group, look->opts->seed,
                  look->grid == BNRE_DIAG_PAPER, order, other);
    BNRE_TRY(describe(look->diag, look, spread));
    /* The first is made here, so that settings are refused at once. */
    BNRE_TRY(bnre__look_create(look, &job->looks[0]));
done:
    return status;
}

/* What the work was, for a pair on average. */
static void count_work(const struct job *job, bnre_diag *diag)
{
    const size_t threads = bnre_pool_threads(job->pool);
    size_t points = 0, evaluations = 0;

    for (size_t i = 0; i < threads; i++)
        if (job->looks[i] != NULL)
            bnre__look_count(job->looks[i], &points, &evaluations);
    diag->points = (points + diag->n / 2) / diag->n;
    diag->evaluations = (evaluations + diag->n / 2) / diag->n;
}

static bnre_status fail_interrupted(const bnre_diag *diag)
{
    return bnre_fail(BNRE_EINTR, "interrupted after %zu of %zu pairs", diag->n,
                     diag->asked);
}

/* What was done, all or enough of it, as a result. */
static bnre_status finish(struct job *job, bnre_status status, bnre_diag **out)
{
    bnre_diag *diag = job->look.diag;
    bnre_status summed;

    if (status != BNRE_OK && status != BNRE_EINTR)
        return status;
    bnre__diag_compact(diag, job->look.found);
    if (diag->n < BNRE_DIAG_LEAST ||
        (diag->n < diag->asked && job->pairs->weight != NULL))
        return fail_interrupted(diag);
    count_work(job, diag);
    summed = bnre__diag_summarise(diag, job->look.found, job->look.opts);
    if (summed != BNRE_OK)
        return summed;
    *out = diag;
    return status == BNRE_OK ? BNRE_OK : fail_interrupted(diag);
}

static void clear(struct job *job)
{
    const size_t threads = bnre_pool_threads(job->pool);

    for (size_t i = 0; job->looks != NULL && i < threads; i++)
        bnre__look_destroy(job->looks[i]);
    bnre__free(job->looks);
    bnre__free(job->x);
}

bnre_status bnre__diagnose_once(const bnre_density *density,
                                const bnre__pairs *pairs,
                                const bnre_diag_opts *opts, bnre_diag **out)
{
    const size_t dim = bnre_prior_dim(density->prior);
    const size_t members = opts->each_member ? density->members : 0;
    bnre_status status = BNRE_OK;
    bnre__found found = {0};
    double *spread = NULL;
    size_t *order = NULL, *other = NULL;
    struct job job = {
        .look = {.density = density,
                 .opts = opts,
                 .grid = choose_grid(density, pairs->observations, opts),
                 .theta = pairs->theta,
                 .observations = pairs->observations,
                 .found = &found},
        .pairs = pairs,
        /* Without sessions of their own, threads would observe at once. */
        .pool = density->open != NULL ? opts->pool : NULL,
        .monitor = opts->monitor,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };

    *out = NULL;
    BNRE_TRY(check_opts(density, pairs, opts));
    BNRE_TRY(bnre__diag_create(pairs->n, dim,
                               opts->temper != NULL ? opts->n_temper
                               : opts->n_widen > 0  ? opts->n_widen
                                                    : 1,
                               members, opts, &job.look.diag));
    BNRE_TRY(bnre__found_init(&found, pairs->n, dim, members,
                              job.look.diag->n_curves));
    found.fixed = bnre__free_parameters(density->prior) == 0;
    found.weight = pairs->weight;
    BNRE_NEW(spread, dim);
    BNRE_NEW(order, pairs->n);
    BNRE_NEW(other, pairs->n);
    job.look.spread = spread;
    job.look.other = other;
    BNRE_TRY(prepare(&job, spread, order, other));
    status = finish(&job, look_at_all(&job), out);
done:
    clear(&job);
    bnre__free(other);
    bnre__free(order);
    bnre__free(spread);
    bnre__found_clear(&found);
    if (*out == NULL)
        bnre_diag_destroy(job.look.diag);
    return status;
}
