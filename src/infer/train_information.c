/* How much an estimator tells about theta, from validation pairs:

     mean over pairs of  l(theta*, x) - log [mean of exp(l(t, x))],

   t being theta* and draws from the prior. With theta* among them the mean does
   not exceed the true gain of an exact estimator by more than chance, however
   few draws there are; it cannot exceed the logarithm of their number either.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/train_run.h"

enum { PAIRS = 256, POINTS = 512, LEAST_PAIRS = 16 };

struct job {
    const bnre_estimator *est;
    size_t dim, size;
    size_t joint;       /* rows to choose from */
    size_t want, pairs; /* to be taken, and taken so far */
    double *theta;      /* (want, dim) */
    float *x;           /* (want, size) */
    double *point;      /* (POINTS, dim) */
    double *gain;       /* (want) */
};

/* Evenly spread rows. */
static bnre_status take(void *arg, size_t first, size_t n, const double *theta,
                        const float *x)
{
    struct job *job = arg;

    for (; job->pairs < job->want; job->pairs++) {
        const size_t row = job->joint / job->want * job->pairs +
                           job->joint % job->want * job->pairs / job->want;

        if (row >= first + n)
            break;
        memcpy(job->theta + job->pairs * job->dim,
               theta + (row - first) * job->dim, job->dim * sizeof *theta);
        memcpy(job->x + job->pairs * job->size, x + (row - first) * job->size,
               job->size * sizeof *x);
    }
    return BNRE_OK;
}

static double gain_of(double own, size_t n, const double *others)
{
    double largest = own, sum = 0;

    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, others[j]);
    for (size_t j = 0; j < n; j++)
        sum += exp(others[j] - largest);
    sum += exp(own - largest);
    return own - largest - log(sum / (double)(n + 1));
}

static bnre_status evaluate(void *arg, size_t worker, size_t first, size_t last)
{
    bnre_status status = BNRE_OK;
    struct job *job = arg;
    const bnre_density q = bnre_estimator_density(job->est, BNRE_ALL_MEMBERS);
    double log_ratio[POINTS], own;
    void *session = NULL;

    (void)worker;
    BNRE_TRY(q.open(q.context, &session));
    for (size_t i = first; i < last; i++) {
        BNRE_TRY(q.observe(session, job->x + i * job->size));
        BNRE_TRY(
            q.log_ratio(session, 1, job->theta + i * job->dim, &own, NULL));
        BNRE_TRY(q.log_ratio(session, POINTS, job->point, log_ratio, NULL));
        job->gain[i] = gain_of(own, POINTS, log_ratio);
    }
done:
    if (session != NULL)
        q.close(session);
    return status;
}

static void draw_points(struct job *job, uint64_t seed)
{
    for (size_t j = 0; j < POINTS; j++) {
        bnre_rng rng = bnre_rng_stream(
            seed, bnre_purpose(BNRE_USE_GAIN, BNRE_SPLIT_VALIDATE), j);

        bnre_prior_draw(job->est->outline.prior, &rng,
                        job->point + j * job->dim);
    }
}

bnre_status bnre__train_information(const bnre__train_run *run,
                                    bnre_train_result *result)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *set = run->data.set[BNRE__ROLE_VALIDATE];
    struct job job = {.est = run->est,
                      .dim = set->info->dim_theta,
                      .size = set->info->x_size,
                      .joint = set->joint,
                      .want = set->joint < PAIRS ? set->joint : PAIRS};
    double sum = 0, squares = 0, n = (double)job.want;

    result->information = result->information_error = NAN;
    if (job.want < LEAST_PAIRS)
        return BNRE_OK;
    BNRE_NEW(job.theta, job.want * job.dim);
    BNRE_NEW(job.x, job.want * job.size);
    BNRE_NEW(job.point, POINTS * job.dim);
    BNRE_NEW(job.gain, job.want);
    draw_points(&job, run->opts.seed);
    BNRE_TRY(bnre__subset_scan(set, take, &job));
    BNRE_TRY(bnre_pool_for(run->opts.pool, job.want, 16, evaluate, &job));
    for (size_t i = 0; i < job.want; i++) {
        sum += job.gain[i];
        squares += job.gain[i] * job.gain[i];
    }
    result->information = sum / n;
    result->information_error =
        sqrt(fmax(0, squares / n - sum / n * (sum / n)) / (n - 1));
done:
    bnre__free(job.gain);
    bnre__free(job.point);
    bnre__free(job.x);
    bnre__free(job.theta);
    return status;
}
