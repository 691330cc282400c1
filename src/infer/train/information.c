/* information.c - what came of a training: how much the estimator tells about
   theta, and what may be wrong with it.

   The information is, over validation pairs, the

     mean over pairs of  l(theta*, x) - log [mean of exp(l(t, x))],

   t being theta* and draws from the prior. With theta* among them the mean does
   not exceed the true gain of an exact estimator by more than chance, however
   few draws there are; it cannot exceed the logarithm of their number either.
   At most 256 pairs with 512 draws each. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/train/run.h"
#include "infer/train/train.h"
#include "num/streams.h"

enum { PAIRS = 256, POINTS = 512, LEAST_PAIRS = 16 };

struct job {
    const bnre_estimator *est;
    const bnre__train_probe *probe;
    double *point; /* (POINTS, dim) */
    double *gain;  /* (rows of the probe) */
};

/* Evenly spread rows. */
static bnre_status take(void *arg, size_t first, size_t n, const double *theta,
                        const double *x)
{
    bnre__train_probe *probe = arg;
    const size_t dim = probe->dim, size = probe->size;

    for (; probe->rows < probe->want; probe->rows++) {
        const size_t row =
            probe->joint / probe->want * probe->rows +
            probe->joint % probe->want * probe->rows / probe->want;

        if (row >= first + n)
            break;
        memcpy(probe->theta + probe->rows * dim, theta + (row - first) * dim,
               dim * sizeof *theta);
        memcpy(probe->x + probe->rows * size, x + (row - first) * size,
               size * sizeof *x);
    }
    return BNRE_OK;
}

bnre_status bnre__train_take_probe(bnre__train_probe *probe,
                                   const bnre__subset *set)
{
    bnre_status status = BNRE_OK;

    *probe =
        (bnre__train_probe){.dim = set->info->dim_theta,
                            .size = set->info->x_size,
                            .joint = set->joint,
                            .want = set->joint < PAIRS ? set->joint : PAIRS};
    BNRE_NEW(probe->theta, probe->want * probe->dim);
    BNRE_NEW(probe->x, probe->want * probe->size);
    BNRE_TRY(bnre__subset_scan(set, take, probe));
done:
    return status;
}

void bnre__train_free_probe(bnre__train_probe *probe)
{
    bnre__free(probe->x);
    bnre__free(probe->theta);
    *probe = (bnre__train_probe){0};
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
    const struct job *job = arg;
    const bnre__train_probe *probe = job->probe;
    const bnre_density q = bnre_estimator_density(job->est, BNRE_ALL_MEMBERS);
    double log_ratio[POINTS], own;
    void *session = NULL;

    (void)worker;
    BNRE_TRY(q.open(q.context, &session));
    for (size_t i = first; i < last; i++) {
        BNRE_TRY(q.observe(session, probe->x + i * probe->size));
        BNRE_TRY(
            q.log_ratio(session, 1, probe->theta + i * probe->dim, &own, NULL));
        BNRE_TRY(q.log_ratio(session, POINTS, job->point, log_ratio, NULL));
        job->gain[i] = gain_of(own, POINTS, log_ratio);
    }
done:
    if (session != NULL)
        q.close(session);
    return status;
}

/* Pairs count as in training where others are missing: weight (rows), 1 on
   average. */
static bnre_status weigh(const struct job *job, double *weight)
{
    const bnre_density q = bnre_estimator_density(job->est, BNRE_ALL_MEMBERS);
    const size_t rows = job->probe->rows;
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        weight[i] = 1;
    if (q.result == NULL)
        return BNRE_OK;
    BNRE_DO(q.result(q.context, rows, job->probe->theta, weight));
    for (size_t i = 0; i < rows; i++)
        sum += weight[i] = 1 / weight[i];
    for (size_t i = 0; i < rows; i++)
        weight[i] *= (double)rows / sum;
    return BNRE_OK;
}

static void draw_points(const struct job *job, uint64_t seed)
{
    for (size_t j = 0; j < POINTS; j++) {
        bnre_rng rng = bnre_rng_stream(
            seed, bnre__purpose(BNRE_USE_GAIN, BNRE_SPLIT_VALIDATE), j);

        bnre_prior_draw(job->est->outline.prior, &rng,
                        job->point + j * job->probe->dim);
    }
}

bnre_status bnre__train_information(const bnre__train_run *run,
                                    bnre_train_result *result)
{
    bnre_status status = BNRE_OK;
    const size_t rows = run->probe.rows;
    struct job job = {.est = run->est, .probe = &run->probe};
    double sum = 0, squares = 0, n = (double)rows, *weight = NULL;

    result->information = result->information_error = NAN;
    if (run->opts.no_information || rows < LEAST_PAIRS)
        return BNRE_OK;
    BNRE_NEW(job.point, POINTS * run->probe.dim);
    BNRE_NEW(job.gain, rows);
    draw_points(&job, run->opts.seed);
    BNRE_TRY(bnre_pool_for(run->opts.pool, rows, 16, evaluate, &job));
    BNRE_NEW(weight, rows);
    BNRE_TRY(weigh(&job, weight));
    for (size_t i = 0; i < rows; i++)
        sum += weight[i] * job.gain[i];
    for (size_t i = 0; i < rows; i++) {
        const double off = weight[i] * (job.gain[i] - sum / n);

        squares += off * off;
    }
    result->information = sum / n;
    result->information_error = sqrt(squares / n / (n - 1));
done:
    bnre__free(weight);
    bnre__free(job.gain);
    bnre__free(job.point);
    return status;
}

/* A classifier with less certainty than this, the mean of |2 d - 1|, says
   nothing; with fewer simulations than these hardly anything can be learned;
   losses that differ by so much do not differ by chance. */
#define UNCERTAIN 0.04
#define FEW_ROWS 512
#define MUCH 0.05

const char *bnre_train_warning(unsigned warning)
{
    switch (warning) {
    case BNRE_TRAIN_COLLAPSED:
        return "the classifier says 1/2 to everything: it learned nothing, and "
               "the posterior is the prior. Try `method: nre` or a smaller "
               "`lambda`, more simulations, or another network; or x does not "
               "depend on theta";
    case BNRE_TRAIN_DIVERGED:
        return "the validation loss is worse than chance: lower "
               "`learning_rate`, or use `weights: best`";
    case BNRE_TRAIN_OVERFITTED:
        return "the last epoch is much worse in validation than the best one: "
               "the network learned its data by heart. Use `weights: best` or "
               "more simulations";
    case BNRE_TRAIN_FEW:
        return "there are few simulations: expect a posterior that is far from "
               "exact, and diagnose it";
    case BNRE_TRAIN_SKIPPED:
        return "steps were skipped since their loss was not a finite number: "
               "lower `learning_rate`, or give `clip: 1`";
    default:
        return NULL;
    }
}

unsigned bnre__train_doubts(const bnre_train_result *result,
                            const bnre__trained *first, int uses_last)
{
    const bnre__history *history = &first->history;
    const double *best =
        bnre__history_row(history, first->epoch[BNRE__BEST] - 1);
    const double *last =
        bnre__history_row(history, first->epoch[BNRE__LAST] - 1);
    const double *used = uses_last ? last : best;
    unsigned doubts = 0;

    if (used[BNRE__VALIDATION_CERTAINTY] < UNCERTAIN)
        doubts |= BNRE_TRAIN_COLLAPSED;
    if (!(result->cross_entropy < result->chance + MUCH))
        doubts |= BNRE_TRAIN_DIVERGED;
    else if (uses_last &&
             last[BNRE__VALIDATION_LOSS] > best[BNRE__VALIDATION_LOSS] + MUCH)
        doubts |= BNRE_TRAIN_OVERFITTED;
    if (result->simulations < FEW_ROWS)
        doubts |= BNRE_TRAIN_FEW;
    if (result->skipped > 0)
        doubts |= BNRE_TRAIN_SKIPPED;
    return doubts;
}
