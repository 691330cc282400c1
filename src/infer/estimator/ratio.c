/* ratio.c - an estimator as a function. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/evaluator.h"
#include "infer/estimator/restricted.h"
#include "nn/net.h"

/* ---- density.h ---- */

static bnre_status open_session(void *context, void **session)
{
    bnre__evaluator *opened = NULL;
    const bnre__view *view = context;
    bnre_status status = bnre__evaluator_open(
        view, bnre__evaluator_takes_many(view->est) ? BNRE__EVALUATOR_MANY : 1,
        &opened);

    *session = opened;
    return status;
}

static void close_session(void *session)
{
    bnre__evaluator_close(session);
}

static bnre_status observe(void *session, const double *x)
{
    return bnre__evaluator_observe(session, 1, x);
}

static bnre_status observe_many(void *session, size_t n, const double *x)
{
    return bnre__evaluator_observe(session, n, x);
}

static bnre_status log_ratio(void *session, size_t n, const double *theta,
                             double *out, double *gradient)
{
    return bnre__evaluator_log_ratio(session, n, theta, out, gradient, NULL);
}

static bnre_status log_ratio_each(void *session, size_t n, const double *theta,
                                  double *out, double *each)
{
    return bnre__evaluator_log_ratio(session, n, theta, out, NULL, each);
}

static bnre_status rough(void *session, size_t n, const double *theta,
                         double *out)
{
    return bnre__evaluator_rough(session, n, theta, out);
}

static bnre_status draw(void *session, uint64_t seed, uint64_t first, size_t n,
                        double *theta)
{
    return bnre__evaluator_draw(session, seed, first, n, theta);
}

static bnre_status draw_many(void *session, const uint64_t *seed, size_t n,
                             double *theta)
{
    return bnre__evaluator_draw_many(session, seed, n, theta);
}

static bnre_status log_ratio_many(void *session, size_t rows,
                                  const double *theta, size_t widths,
                                  const double *widen, double *out)
{
    return bnre__evaluator_log_ratio_many(session, rows, theta, widths, widen,
                                          out);
}

/* P(result | theta): by all networks, or by those that have seen nothing of a
   fold. */
static bnre_status result(void *context, size_t n, const double *theta,
                          double *p)
{
    const bnre__view *view = context;

    return bnre__conditional_valid(
        view->est->conditional, view->step > 1 ? view->first : BNRE__ALL_SETS,
        n, theta, p);
}

/* What is drawn from is the mixture of the members' densities. */
static int can_draw(const bnre_estimator *est, int plain, int ensemble)
{
    return est->conditional != NULL && (plain || est->info.temper == 1) &&
           (!ensemble || est->info.combine == BNRE_COMBINE_RATIO);
}

/* Of what the networks know: theta, or places in a region. */
static bnre_density plain_density(const bnre_estimator *est, size_t view)
{
    const size_t members = est->view[view].members;
    const int ensemble = members > 1;
    const int draws = can_draw(est, est->view[view].plain, ensemble);
    const int many = draws && bnre__evaluator_takes_many(est);

    return (bnre_density){
        .prior = est->outline.prior,
        .x_size = est->info.x_size,
        .x_name = est->info.x_name,
        .context = &est->view[view],
        .open = open_session,
        .close = close_session,
        .observe = observe,
        .log_ratio = log_ratio,
        .has_gradient = 1,
        .members = ensemble ? members : 0,
        .log_ratio_each = ensemble ? log_ratio_each : NULL,
        .rough = ensemble ? rough : NULL,
        .draw = draws ? draw : NULL,
        .many = many ? BNRE__EVALUATOR_MANY : 0,
        .observe_many = many ? observe_many : NULL,
        .draw_many = many ? draw_many : NULL,
        .log_ratio_many = many ? log_ratio_many : NULL,
        .floor = est->conditional != NULL ? 0.01 : 0,
        .result = est->conditional != NULL && est->conditional->validity != NULL
                      ? result
                      : NULL,
    };
}

static bnre_density density_of(const bnre_estimator *est, size_t view)
{
    bnre_density density = plain_density(est, view);

    if (est->region != NULL)
        bnre__restricted_density(&density);
    return density;
}

bnre_density bnre_estimator_density(const bnre_estimator *est, size_t member)
{
    return density_of(est,
                      member < est->info.members ? member : est->info.members);
}

bnre_density bnre__estimator_judged_density(const bnre_estimator *est)
{
    bnre_density density = plain_density(est, est->info.members);

    if (est->region != NULL)
        bnre__restricted_judged(est, &density);
    return density;
}

bnre_density bnre__estimator_fold_density(const bnre_estimator *est,
                                          size_t fold)
{
    return density_of(est, est->info.members + 1 + fold);
}

bnre_density bnre__estimator_plain_fold(const bnre_estimator *est, size_t fold)
{
    return density_of(est, est->info.members + 1 + est->info.folds + fold);
}

/* ---- pairs ---- */

enum {
    MOST_PAIRS = 128,     /* at a time */
    PAIR_FLOATS = 1 << 23 /* of x and its embedding at a time */
};

struct job {
    const bnre_estimator *est;
    bnre__evaluator **session; /* one for each worker, opened when needed */
    size_t pairs;
    const double *theta;
    const double *x;
    double *out;
};

static bnre_status run_pairs(void *arg, size_t worker, size_t first,
                             size_t last)
{
    const struct job *job = arg;
    const size_t dim = job->est->info.dim_theta;

    if (job->session[worker] == NULL)
        BNRE_DO(bnre__evaluator_open(&job->est->view[job->est->info.members],
                                     job->pairs, &job->session[worker]));
    return bnre__evaluator_pairs(job->session[worker], first, last - first,
                                 dim > 0 ? job->theta + first * dim : NULL,
                                 job->x + first * job->est->info.x_size,
                                 job->out + first);
}

bnre_status bnre_estimator_log_ratio(const bnre_estimator *est, bnre_pool *pool,
                                     size_t n, const double *theta,
                                     const double *x, double *out)
{
    bnre_status status = BNRE_OK;
    const size_t threads = bnre_pool_threads(pool);
    struct job job = {.est = est, .theta = theta, .x = x, .out = out};
    double *places = NULL, *log_w = NULL;

    job.pairs = PAIR_FLOATS /
                (est->info.x_size + bnre__estimator_net(est)->embedding->row);
    job.pairs = job.pairs > MOST_PAIRS ? MOST_PAIRS : job.pairs;
    job.pairs = job.pairs > 0 ? job.pairs : 1;
    BNRE_NEW(job.session, threads);
    if (est->region != NULL) {
        BNRE_NEW(places, n * est->info.dim_theta);
        BNRE_NEW(log_w, n);
        BNRE_TRY(bnre__restricted_places(est, pool, n, theta, places, log_w));
        job.theta = places;
    }
    BNRE_TRY(bnre_pool_for(pool, n, job.pairs, run_pairs, &job));
    for (size_t i = 0; est->region != NULL && i < n; i++)
        out[i] -= est->info.temper * log_w[i];
done:
    bnre__free(log_w);
    bnre__free(places);
    for (size_t i = 0; job.session != NULL && i < threads; i++)
        bnre__evaluator_close(job.session[i]);
    bnre__free(job.session);
    return status;
}

bnre_status bnre_estimator_log_posterior(const bnre_estimator *est,
                                         bnre_pool *pool, size_t n,
                                         const double *theta, const double *x,
                                         double *out)
{
    const bnre_prior *prior = est->outline.prior;

    if (prior == NULL || !bnre_prior_has_density(prior))
        return bnre_fail(BNRE_EINVAL,
                         prior == NULL
                             ? "a classifier has no posterior"
                             : "the prior is known by draws only: it has no "
                               "density, and the posterior neither");
    BNRE_DO(bnre_estimator_log_ratio(est, pool, n, theta, x, out));
    for (size_t i = 0; i < n; i++)
        out[i] +=
            bnre_prior_log_density(prior, theta + i * est->info.dim_theta);
    return BNRE_OK;
}
