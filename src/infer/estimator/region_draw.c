/* region_draw.c - the prior within a region: draws, and how much it is. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/estimator.h"
#include "infer/estimator/region.h"
#include "num/streams.h"

enum {
    CHUNK = 128,      /* rows for a thread at a time */
    PROPOSALS = 1024, /* at a time, and before the maximum is believed */
    LEAST = 4096,     /* proposals in any case: they tell P(R) */
    CHAIN_STEPS = 4   /* of a chain, times 1 / acceptance, for each draw */
};

/* ---- all rows by all threads ---- */

struct job {
    const bnre__region *region;
    bnre__region_room **room; /* one for each worker, opened when needed */
    int back;
    const double *from;
    double *to, *log_w;
};

static bnre_status run_rows(void *arg, size_t worker, size_t first, size_t last)
{
    const struct job *job = arg;
    const size_t dim = job->region->earlier->info.dim_theta;

    if (job->room[worker] == NULL)
        BNRE_DO(bnre__region_room_open(job->region, &job->room[worker]));
    return (job->back ? bnre__region_values : bnre__region_places)(
        job->room[worker], last - first, job->from + first * dim,
        job->to + first * dim, job->log_w + first);
}

static bnre_status run_all(const bnre__region *region, bnre_pool *pool,
                           int back, size_t n, const double *from, double *to,
                           double *log_w)
{
    const size_t threads = bnre_pool_threads(pool);
    struct job job = {
        .region = region, .back = back, .from = from, .to = to, .log_w = log_w};
    bnre_status status = BNRE_OK;

    BNRE_NEW(job.room, threads);
    BNRE_TRY(bnre_pool_for(pool, n, CHUNK, run_rows, &job));
done:
    for (size_t i = 0; job.room != NULL && i < threads; i++)
        bnre__region_room_close(job.room[i]);
    bnre__free(job.room);
    return status;
}

bnre_status bnre__region_map(const bnre__region *region, bnre_pool *pool,
                             size_t n, const double *theta, double *u,
                             double *log_w)
{
    return run_all(region, pool, 0, n, theta, u, log_w);
}

/* ---- draws ---- */

struct draws {
    bnre__region *region;
    size_t dim, kept, wanted;
    double *theta;      /* (wanted + PROPOSALS, dim) */
    double most;        /* largest log w so far */
    double sum, square; /* of w / exp(scale) over proposals */
    double scale;       /* the first log w */
    size_t proposals, raised;
    bnre_rng rng;              /* for keeping */
    double *u, *value, *log_w; /* (PROPOSALS) of a block */
    double chain;              /* log w of the state of the chain */
    size_t moves;
};

/* u of proposal i: uniform; fixed parameters have their value. */
static void propose(const struct draws *draws, uint64_t seed, size_t i,
                    double *u)
{
    const bnre_prior *prior = draws->region->earlier->outline.prior;
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_REGION, BNRE_SPLIT_TRAIN), i);

    for (size_t k = 0; k < draws->dim; k++) {
        double low, high;

        bnre_prior_support(prior, k, &low, &high);
        u[k] = bnre_rng_uniform(&rng);
        if (!(low < high))
            u[k] = low;
    }
}

/* A new maximum: what was kept under the old one stays by chance. */
static void raise_maximum(struct draws *draws, double log_w)
{
    const double stays = exp(draws->most - log_w);
    size_t n = 0;

    for (size_t i = 0; i < draws->kept; i++)
        if (bnre_rng_uniform(&draws->rng) < stays) {
            memmove(draws->theta + n * draws->dim,
                    draws->theta + i * draws->dim,
                    draws->dim * sizeof *draws->theta);
            n++;
        }
    draws->kept = n;
    draws->most = log_w;
    draws->raised += draws->proposals >= PROPOSALS;
}

static void take(struct draws *draws, size_t i)
{
    const double log_w = draws->log_w[i];
    const double w = exp(log_w - draws->scale);

    if (log_w > draws->most)
        raise_maximum(draws, log_w);
    draws->sum += w;
    draws->square += w * w;
    draws->proposals++;
    if (draws->kept < draws->wanted + PROPOSALS &&
        bnre_rng_uniform(&draws->rng) < exp(log_w - draws->most))
        memcpy(draws->theta + draws->kept++ * draws->dim,
               draws->value + i * draws->dim,
               draws->dim * sizeof *draws->theta);
}

static bnre_status next_block(struct draws *draws, bnre_pool *pool,
                              uint64_t seed, size_t first)
{
    for (size_t i = 0; i < PROPOSALS; i++)
        propose(draws, seed, first + i, draws->u + i * draws->dim);
    return run_all(draws->region, pool, 1, PROPOSALS, draws->u, draws->value,
                   draws->log_w);
}

static double acceptance(const struct draws *draws)
{
    return draws->sum / (double)draws->proposals *
           exp(draws->scale - draws->most);
}

/* Independence Metropolis with the same proposals: a state for every so many
   of them, 4 / acceptance for each draw. */
static bnre_status run_chain(struct draws *draws, bnre_pool *pool,
                             uint64_t seed)
{
    const size_t every = (size_t)(CHAIN_STEPS / acceptance(draws)) + 1;
    const size_t dim = draws->dim;
    double *state = draws->theta + draws->wanted * dim, at = -INFINITY;
    size_t step = 0;

    draws->kept = 0;
    while (draws->kept < draws->wanted) {
        BNRE_DO(next_block(draws, pool, seed, draws->proposals + step));
        for (size_t i = 0; i < PROPOSALS && draws->kept < draws->wanted; i++) {
            if (bnre_rng_uniform(&draws->rng) < exp(draws->log_w[i] - at)) {
                memcpy(state, draws->value + i * dim, dim * sizeof *state);
                at = draws->log_w[i];
            }
            if (++step % every == 0)
                memcpy(draws->theta + draws->kept++ * dim, state,
                       dim * sizeof *state);
        }
    }
    return BNRE_OK;
}

/* Proposals until enough are kept under a maximum that has been looked for
   (compare Caffo, Booth and Davis 2002). About n / acceptance of them, each of
   which costs a pass of all members' networks where sets follow networks. */
static bnre_status run_rejection(struct draws *draws, bnre_pool *pool,
                                 uint64_t seed, int *chain)
{
    bnre_status status = BNRE_OK;

    *chain = 0;
    while (draws->kept < draws->wanted || draws->proposals < LEAST) {
        BNRE_TRY(next_block(draws, pool, seed, draws->proposals));
        if (draws->proposals == 0) {
            for (size_t i = 0; i < PROPOSALS; i++)
                draws->most = fmax(draws->most, draws->log_w[i]);
            if (!isfinite(draws->most))
                BNRE_THROW(BNRE_ENUM, "the region holds nothing of the prior: "
                                      "the estimator is of no use here");
            draws->scale = draws->most;
        }
        for (size_t i = 0; i < PROPOSALS; i++)
            take(draws, i);
        if (draws->proposals >= LEAST &&
            acceptance(draws) < draws->region->rare) {
            *chain = 1;
            BNRE_TRY(run_chain(draws, pool, seed));
        }
    }
done:
    return status;
}

bnre_status bnre__region_draw(bnre__region *region, bnre_pool *pool,
                              uint64_t seed, size_t n, double *theta,
                              bnre__region_draws *how)
{
    struct draws draws = {.region = region,
                          .dim = region->earlier->info.dim_theta,
                          .wanted = n,
                          .most = -INFINITY};
    bnre_status status = BNRE_OK;
    double mean;

    *how = (bnre__region_draws){0};
    draws.rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_REGION, BNRE_SPLIT_SELECT), 0);
    BNRE_NEW(draws.theta, (n + PROPOSALS) * draws.dim);
    BNRE_NEW(draws.u, PROPOSALS * draws.dim);
    BNRE_NEW(draws.value, PROPOSALS * draws.dim);
    BNRE_NEW(draws.log_w, PROPOSALS);
    BNRE_TRY(run_rejection(&draws, pool, seed, &how->chain));
    memcpy(theta, draws.theta, n * draws.dim * sizeof *theta);
    mean = draws.sum / (double)draws.proposals;
    region->share = mean * exp(draws.scale);
    region->error =
        sqrt(fmax(draws.square / (double)draws.proposals - mean * mean, 0) /
             (double)draws.proposals) *
        exp(draws.scale);
    how->proposals = draws.proposals;
    how->raised = draws.raised;
    how->acceptance = acceptance(&draws);
done:
    bnre__free(draws.log_w);
    bnre__free(draws.value);
    bnre__free(draws.u);
    bnre__free(draws.theta);
    return status;
}
