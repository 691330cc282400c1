/* Log ratios of one observation or the sum over several, tempered, checked,
   and spread over threads in chunks of fixed size. A point costs one evaluation
   for each observation. */
#include "bnre/density.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum {
    /* Rows that one call of the density gets: enough to fill its kernels, few
       enough to share out the steps of a sampler. Part of the results, as the
       last bits of a network may depend on the batch. */
    CHUNK = 64,
    /* At most, of densities whose results do not depend on it. */
    LARGE_CHUNK = 1024,
    /* Sessions of the density kept per thread, each with an observation of its
       own, so that looking at x again for every batch is needed only beyond. */
    KEPT = 16
};

struct slot {
    void *session;
    int open;
    size_t holds; /* the observation it was shown, from 1; 0 = none */
};

struct worker {
    struct slot slot[KEPT];
    double *part;     /* (LARGE_CHUNK) log ratio of one observation */
    double *gradient; /* (CHUNK, dim) */
    double *each;     /* (members, CHUNK) */
};

struct bnre_session {
    const bnre_density *density;
    bnre_pool *pool;
    size_t dim, workers, slots; /* slots in use per worker */
    struct worker *worker;      /* (workers) */
    double *x;                  /* (n, x_size) */
    size_t n;
    double tau;
};

bnre_status bnre_session_open(const bnre_density *density, bnre_pool *pool,
                              bnre_session **out)
{
    bnre_status status = BNRE_OK;
    bnre_session *session = NULL;

    *out = NULL;
    if (bnre_prior_dim(density->prior) == 0)
        return bnre_fail(BNRE_EINVAL, "a posterior needs parameters, the "
                                      "prior has none");
    BNRE_NEW(session, 1);
    session->density = density;
    /* Without sessions of their own, threads would observe at once. */
    session->pool = density->open != NULL ? pool : NULL;
    session->workers = bnre_pool_threads(session->pool);
    session->dim = bnre_prior_dim(density->prior);
    session->tau = 1;
    BNRE_NEW(session->worker, session->workers);
    *out = session;
    session = NULL;
done:
    bnre_session_close(session);
    return status;
}

static void clear_worker(const bnre_density *density, struct worker *worker)
{
    for (size_t i = 0; i < KEPT; i++)
        if (worker->slot[i].open && density->close != NULL)
            density->close(worker->slot[i].session);
    bnre__free(worker->each);
    bnre__free(worker->gradient);
    bnre__free(worker->part);
}

void bnre_session_close(bnre_session *session)
{
    if (session == NULL)
        return;
    for (size_t i = 0; session->worker != NULL && i < session->workers; i++)
        clear_worker(session->density, &session->worker[i]);
    bnre__free(session->worker);
    bnre__free(session->x);
    bnre__free(session);
}

const bnre_density *bnre__session_density(const bnre_session *session)
{
    return session->density;
}

bnre_status bnre_session_observe(bnre_session *session, size_t n,
                                 const double *x)
{
    const size_t size = session->density->x_size;
    bnre_status status = BNRE_OK;
    double *copy = NULL;

    if (n == 0)
        return bnre_fail(BNRE_EINVAL, "no observation was given");
    for (size_t i = 0; i < n * size; i++)
        if (!isfinite(x[i]))
            return bnre_fail(BNRE_ENUM,
                             "observation %zu: value %zu of %zu is %s, not a "
                             "finite number",
                             i / size, i % size, size,
                             isnan(x[i]) ? "NaN" : "infinite");
    BNRE_NEW(copy, n * size);
    memcpy(copy, x, n * size * sizeof *x);
    bnre__free(session->x);
    session->x = copy;
    session->n = n;
    /* The context itself is one session for all. */
    session->slots = session->density->open == NULL ? 1 : n < KEPT ? n : KEPT;
    for (size_t i = 0; i < session->workers; i++)
        for (size_t k = 0; k < KEPT; k++)
            session->worker[i].slot[k].holds = 0;
done:
    return status;
}

bnre_status bnre_session_temper(bnre_session *session, double tau)
{
    if (!(tau > 0 && tau <= 1))
        return bnre_fail(BNRE_EUSAGE,
                         "temper %g: expected a number above 0, up to 1", tau);
    session->tau = tau;
    return BNRE_OK;
}

struct job {
    bnre_session *session;
    const double *theta;
    double *out, *gradient;
    size_t n;     /* rows in all */
    double *each; /* (members, n) or NULL */
    int rough;
};

/* The session of the density, in this thread, that was shown observation k. */
static bnre_status session_for(bnre_session *session, struct worker *worker,
                               size_t k, void **out)
{
    const bnre_density *density = session->density;
    struct slot *slot = &worker->slot[k % session->slots];

    if (!slot->open) {
        if (density->open != NULL)
            BNRE_DO(density->open(density->context, &slot->session));
        else
            slot->session = density->context;
        slot->open = 1;
    }
    if (slot->holds != k + 1) {
        slot->holds = 0;
        BNRE_DO(
            density->observe(slot->session, session->x + k * density->x_size));
        slot->holds = k + 1;
    }
    *out = slot->session;
    return BNRE_OK;
}

static bnre_status refuse(const bnre_session *session, size_t k,
                          const double *theta, const char *what, double value)
{
    const bnre_prior *prior = session->density->prior;
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    char number[32];

    for (size_t i = 0; i < session->dim; i++)
        BNRE_TRY(bnre__text_add(&text, "%s%s = %s", i > 0 ? ", " : "",
                                bnre_prior_name(prior, i),
                                bnre__text_real(theta[i], number)));
    status = bnre_fail(BNRE_ENUM, "the %s is %s at %s, observation %zu", what,
                       isnan(value) ? "NaN" : "infinite", text.data, k);
done:
    bnre__free(text.data);
    return status;
}

/* Of several observations, what one says (see floor in density.h); *slope is
   the derivative by it. */
static double part_of_sum(const bnre_session *session, double value,
                          double *slope)
{
    const double floor = session->density->floor;
    double ratio;

    *slope = 1;
    if (floor == 0 || (session->n == 1 && !session->density->floor_single))
        return value;
    /* Relative to what is larger, so that nothing overflows. */
    ratio = value + log1p(-floor) - log(floor);
    *slope = 1 / (1 + exp(-ratio));
    return log(floor) + (ratio > 0 ? ratio : 0) + log1p(exp(-fabs(ratio)));
}

/* Add what observation k says, which is in worker->part and ->gradient. */
static bnre_status add_part(const bnre_session *session,
                            const struct worker *worker, size_t k, size_t n,
                            const double *theta, double *out, double *gradient)
{
    const size_t dim = session->dim;

    for (size_t i = 0; i < n; i++) {
        const double value = worker->part[i];
        double share;

        if (isnan(value) || value == HUGE_VAL)
            return refuse(session, k, theta + i * dim, "log ratio", value);
        out[i] += session->tau * part_of_sum(session, value, &share);
        if (gradient == NULL || isinf(value))
            continue;
        for (size_t j = 0; j < dim; j++) {
            const double slope = worker->gradient[i * dim + j];

            if (!isfinite(slope))
                return refuse(session, k, theta + i * dim,
                              "gradient of the log ratio", slope);
            gradient[i * dim + j] += session->tau * share * slope;
        }
    }
    return BNRE_OK;
}

/* The same of members, which are in worker->each; `each` begins at the chunk's
   first row out of `rows`. */
static bnre_status add_each(const bnre_session *session,
                            const struct worker *worker, size_t k, size_t n,
                            const double *theta, size_t rows, double *each)
{
    for (size_t m = 0; m < session->density->members; m++)
        for (size_t i = 0; i < n; i++) {
            const double value = worker->each[m * n + i];
            double share;

            if (isnan(value) || value == HUGE_VAL)
                return refuse(session, k, theta + i * session->dim,
                              "log ratio of a member", value);
            each[m * rows + i] =
                (k > 0 ? each[m * rows + i] : 0) +
                session->tau * part_of_sum(session, value, &share);
        }
    return BNRE_OK;
}

/* What observation k says, into the worker. */
static bnre_status ask(const struct job *job, struct worker *worker, size_t k,
                       size_t n, const double *theta)
{
    const bnre_density *density = job->session->density;
    bnre_status status = BNRE_OK;
    void *of_density = NULL;

    BNRE_TRY(session_for(job->session, worker, k, &of_density));
    if (job->each != NULL)
        return density->log_ratio_each(of_density, n, theta, worker->part,
                                       worker->each);
    if (job->rough)
        return density->rough(of_density, n, theta, worker->part);
    status =
        density->log_ratio(of_density, n, theta, worker->part,
                           job->gradient != NULL ? worker->gradient : NULL);
done:
    return status;
}

static bnre_status evaluate_rows(void *arg, size_t index, size_t first,
                                 size_t last)
{
    const struct job *job = arg;
    bnre_session *session = job->session;
    struct worker *worker = &session->worker[index];
    const size_t dim = session->dim, n = last - first;
    const double *theta = job->theta + first * dim;
    double *out = job->out + first;
    double *gradient =
        job->gradient != NULL ? job->gradient + first * dim : NULL;
    bnre_status status = BNRE_OK;

    if (worker->part == NULL)
        BNRE_NEW(worker->part, LARGE_CHUNK);
    if (gradient != NULL && worker->gradient == NULL)
        BNRE_NEW(worker->gradient, CHUNK * dim);
    if (job->each != NULL && worker->each == NULL)
        BNRE_NEW(worker->each, session->density->members * CHUNK);
    memset(out, 0, n * sizeof *out);
    if (gradient != NULL)
        memset(gradient, 0, n * dim * sizeof *gradient);
    for (size_t k = 0; k < session->n; k++) {
        BNRE_TRY(ask(job, worker, k, n, theta));
        BNRE_TRY(add_part(session, worker, k, n, theta, out, gradient));
        if (job->each != NULL)
            BNRE_TRY(add_each(session, worker, k, n, theta, job->n,
                              job->each + first));
    }
done:
    return status;
}

/* Densities that take many x at a time compute each row by itself: large chunks
   fill their kernels, and are few enough that every thread has some. */
static size_t chunk_of(const bnre_session *session, size_t n)
{
    const size_t threads = bnre_pool_threads(session->pool);
    const size_t each = threads > 1 ? n / (4 * threads) : LARGE_CHUNK;

    if (session->density->many == 0 || each <= CHUNK)
        return CHUNK;
    return each < LARGE_CHUNK ? each / CHUNK * CHUNK : LARGE_CHUNK;
}

static bnre_status evaluate(struct job *job)
{
    bnre_session *session = job->session;
    const int large = job->gradient == NULL && job->each == NULL;

    if (session->n == 0)
        return bnre_fail(BNRE_EINVAL, "nothing was observed yet");
    return bnre_pool_for(session->pool, job->n,
                         large ? chunk_of(session, job->n) : CHUNK,
                         evaluate_rows, job);
}

bnre_status bnre_session_log_ratio(bnre_session *session, size_t n,
                                   const double *theta, double *out,
                                   double *gradient)
{
    struct job job = {.session = session,
                      .theta = theta,
                      .out = out,
                      .gradient = gradient,
                      .n = n};

    return evaluate(&job);
}

bnre_status bnre__session_log_ratio_each(bnre_session *session, size_t n,
                                         const double *theta, double *out,
                                         double *each)
{
    struct job job = {
        .session = session, .theta = theta, .out = out, .n = n, .each = each};

    if (session->density->log_ratio_each == NULL)
        return bnre_fail(BNRE_EINVAL, "the density has no members");
    return evaluate(&job);
}

bnre_status bnre__session_rough(bnre_session *session, size_t n,
                                const double *theta, double *out)
{
    struct job job = {.session = session,
                      .theta = theta,
                      .out = out,
                      .n = n,
                      .rough = session->density->rough != NULL};

    return evaluate(&job);
}

/* ---- draws ---- */

struct draw_job {
    bnre_session *session;
    uint64_t seed, first;
    double *theta;
};

int bnre_session_can_draw(const bnre_session *session)
{
    return session->density->draw != NULL && session->density->weigh == NULL &&
           session->n == 1 && session->tau == 1;
}

static bnre_status draw_rows(void *arg, size_t worker, size_t first,
                             size_t last)
{
    const struct draw_job *job = arg;
    bnre_session *session = job->session;
    void *one;

    BNRE_DO(session_for(session, &session->worker[worker], 0, &one));
    return session->density->draw(one, job->seed, job->first + first,
                                  last - first,
                                  job->theta + first * session->dim);
}

bnre_status bnre_session_draw(bnre_session *session, uint64_t seed,
                              uint64_t first, size_t n, double *theta)
{
    struct draw_job job = {session, seed, first, theta};

    if (!bnre_session_can_draw(session))
        return bnre_fail(BNRE_EINVAL, "this posterior cannot be drawn from");
    return bnre_pool_for(session->pool, n, chunk_of(session, n), draw_rows,
                         &job);
}

bnre_status bnre__session_propose(bnre_session *session, uint64_t seed,
                                  size_t n, double *theta)
{
    struct draw_job job = {session, seed, 0, theta};

    if (session->density->draw == NULL || session->n != 1)
        return bnre_fail(BNRE_EINVAL, "this posterior cannot be drawn from");
    return bnre_pool_for(session->pool, n, chunk_of(session, n), draw_rows,
                         &job);
}
