/* Posteriors of other programs, known by samples. Theta* and the samples are
   exchangeable if the posterior is exact, so theta* is ranked among them with
   equal weights. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "bnre/rng.h"
#include "diag/diag.h"
#include "diag/rank.h"
#include "num/streams.h"

struct job {
    const bnre_diag_samples *in;
    const bnre_diag_opts *opts;
    const double *spread;   /* (dim) */
    const size_t *other;    /* (n) */
    double *weight, *value; /* (samples + 1), theta* last */
    double *reference;      /* (dim) */
    bnre_diag *diag;
    bnre__found *found;
};

static bnre_status check_values(size_t n, size_t per_pair, const double *value,
                                int infinite, const char *what)
{
    for (size_t i = 0; i < n * per_pair; i++) {
        const double v = value[i];

        if (isfinite(v) || (infinite && v == -HUGE_VAL))
            continue;
        return bnre_fail(BNRE_ENUM, "pair %zu: value %zu of its %s is %s",
                         i / per_pair, i % per_pair, what,
                         isnan(v) ? "NaN" : "infinite");
    }
    return BNRE_OK;
}

static bnre_status check(const bnre_diag_samples *in,
                         const bnre_diag_opts *opts)
{
    BNRE_DO(bnre__diag_check(in->n, opts));
    if (in->samples == 0 || in->dim == 0)
        return bnre_fail(BNRE_EUSAGE, "there are no samples");
    if (in->prior != NULL && bnre_prior_dim(in->prior) != in->dim)
        return bnre_fail(BNRE_EUSAGE,
                         "samples have %zu parameters, the prior has "
                         "%zu",
                         in->dim, bnre_prior_dim(in->prior));
    if ((in->log_density == NULL) != (in->log_density_true == NULL))
        return bnre_fail(BNRE_EUSAGE,
                         "log densities are needed both of the samples "
                         "and of the true parameters");
    BNRE_DO(check_values(in->n, in->dim, in->theta, 0, "theta"));
    BNRE_DO(
        check_values(in->n, in->samples * in->dim, in->sample, 0, "samples"));
    if (in->log_density != NULL) {
        BNRE_DO(check_values(in->n, in->samples, in->log_density, 1,
                             "log densities"));
        BNRE_DO(check_values(in->n, 1, in->log_density_true, 1,
                             "log density of theta"));
    }
    return BNRE_OK;
}

static double column_variance(const bnre_diag_samples *in, size_t k)
{
    bnre_estimate e = bnre__estimate(in->n, in->theta + k, in->dim);

    return e.error * e.error * (double)in->n;
}

/* Names and scales, from the prior or else from the true parameters. */
static bnre_status describe(const bnre_diag_samples *in, bnre_diag *diag,
                            double *spread)
{
    diag->grid = BNRE_DIAG_BANK;
    diag->observations = 1;
    diag->points = in->samples;
    for (size_t k = 0; k < in->dim; k++) {
        bnre_diag_parameter *parameter = &diag->parameter[k];
        double mean, variance = column_variance(in, k);

        spread[k] = variance > 0 ? sqrt(variance) : 1;
        if (in->prior != NULL) {
            spread[k] = bnre__prior_spread(in->prior, k);
            bnre_prior_moments(in->prior, k, &mean, &variance);
        }
        parameter->scale = variance > 0 ? 12 * variance : NAN;
        if (in->name != NULL || in->prior != NULL)
            BNRE_DO(bnre__strdup(
                in->name != NULL ? in->name[k] : bnre_prior_name(in->prior, k),
                &parameter->name));
        else
            BNRE_DO(bnre__text_format(&parameter->name, "theta_%zu", k));
    }
    return BNRE_OK;
}

static const double *sample_of(const bnre_diag_samples *in, size_t i, size_t k)
{
    return in->sample + (i * in->samples + k) * in->dim;
}

static double rank(const struct job *job, double u)
{
    const size_t n = job->in->samples + 1;

    return bnre__rank(n, job->weight, job->value, (double)n, n - 1, u);
}

static void note_moments(struct job *job, size_t i, size_t d)
{
    const bnre_diag_samples *in = job->in;
    const double truth = in->theta[i * in->dim + d];
    bnre_estimate e =
        bnre__estimate(in->samples, sample_of(in, i, 0) + d, in->dim);

    job->found->error[i * in->dim + d] = e.mean - truth;
    job->found->variance[i * in->dim + d] =
        in->samples > 1 ? e.error * e.error * (double)in->samples : NAN;
}

static void note_density(struct job *job, size_t i, double u)
{
    const bnre_diag_samples *in = job->in;
    const double own = in->log_density_true[i];
    bnre_diag_curve *curve = job->diag->curve;

    memcpy(job->value, in->log_density + i * in->samples,
           in->samples * sizeof *job->value);
    job->value[in->samples] = own;
    curve->rank[i] = rank(job, u);
    curve->ess[i] = (double)in->samples + 1;
    curve->gain[i] =
        in->normalised && in->prior != NULL && bnre_prior_has_density(in->prior)
            ? own - bnre_prior_log_density(in->prior, in->theta + i * in->dim)
            : NAN;
    job->found->log_ratio[i] = own;
}

static double distance(const struct job *job, const double *theta)
{
    double squares = 0;

    for (size_t d = 0; d < job->in->dim; d++) {
        double off = (theta[d] - job->reference[d]) / job->spread[d];

        squares += off * off;
    }
    return squares;
}

static void look_at(struct job *job, size_t i)
{
    const bnre_diag_samples *in = job->in;
    const double *theta = in->theta + i * in->dim;
    bnre_rng rng = bnre_rng_stream(
        job->opts->seed, bnre__purpose(BNRE_USE_RANKS, BNRE_SPLIT_TEST), i);
    const double u = bnre_rng_uniform(&rng);

    if (in->log_density != NULL)
        note_density(job, i, u);
    for (size_t d = 0; d < in->dim; d++) {
        for (size_t k = 0; k < in->samples; k++)
            job->value[k] = -sample_of(in, i, k)[d];
        job->value[in->samples] = -theta[d];
        job->found->rank[i * in->dim + d] = rank(job, u);
        note_moments(job, i, d);
    }
    /* Without a prior the theta of another pair is a draw of it. */
    if (in->prior != NULL)
        bnre_prior_draw(in->prior, &rng, job->reference);
    else
        memcpy(job->reference, in->theta + job->other[i] * in->dim,
               in->dim * sizeof *job->reference);
    for (size_t k = 0; k < in->samples; k++)
        job->value[k] = -distance(job, sample_of(in, i, k));
    job->value[in->samples] = -distance(job, theta);
    job->diag->tarp_rank[i] = rank(job, u);
    job->found->gain_change[i] = NAN;
    job->found->balance[i] = NAN;
    job->found->normalised[i] = NAN;
}

/* What samples do not tell, or tell otherwise than log ratios. */
static void amend(bnre_diag *diag, const bnre_diag_samples *in)
{
    const bnre_estimate unknown = {NAN, NAN};

    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        diag->volume[k] = diag->volume_error[k] = NAN;
    if (diag->n_curves == 0) {
        diag->log_posterior = diag->raw_log_posterior = unknown;
        diag->doubling = unknown;
        diag->balance = diag->normalised_balance = unknown;
    } else if (in->normalised) {
        diag->log_posterior = diag->raw_log_posterior;
    }
}

bnre_status bnre_diagnose_samples(const bnre_diag_samples *in,
                                  const bnre_diag_opts *opts, bnre_diag **out)
{
    bnre_status status = BNRE_OK;
    bnre__found found = {0};
    struct job job = {.in = in, .opts = opts, .found = &found};
    double *spread = NULL, *scratch = NULL;
    size_t *order = NULL, *other = NULL;

    *out = NULL;
    BNRE_TRY(check(in, opts));
    BNRE_TRY(bnre__diag_create(in->n, in->dim, in->log_density != NULL, 0, opts,
                               &job.diag));
    BNRE_TRY(bnre__found_init(&found, in->n, in->dim, 0, 0));
    BNRE_NEW(spread, in->dim);
    BNRE_NEW(order, in->n);
    BNRE_NEW(other, in->n);
    BNRE_NEW(scratch, in->n);
    BNRE_NEW(job.weight, in->samples + 1);
    BNRE_NEW(job.value, in->samples + 1);
    BNRE_NEW(job.reference, in->dim);
    BNRE_TRY(describe(in, job.diag, spread));
    bnre__pair_up(in->n, NULL, opts->seed, 0, order, other);
    job.spread = spread;
    job.other = other;
    if (job.diag->n_curves > 0)
        job.diag->curve[0].tau = 1;
    for (size_t k = 0; k <= in->samples; k++)
        job.weight[k] = 1;
    for (size_t i = 0; i < in->n; i++)
        look_at(&job, i);
    BNRE_TRY(bnre__diag_summarise(job.diag, &found, opts));
    amend(job.diag, in);
    if (job.diag->n_curves > 0 && in->normalised)
        job.diag->log_posterior_median =
            bnre__quantile(in->n, in->log_density_true, 1, 0.5, scratch);
    else
        job.diag->log_posterior_median = NAN;
    *out = job.diag;
    job.diag = NULL;
done:
    bnre__free(job.reference);
    bnre__free(job.value);
    bnre__free(job.weight);
    bnre__free(scratch);
    bnre__free(other);
    bnre__free(order);
    bnre__free(spread);
    bnre__found_clear(&found);
    bnre_diag_destroy(job.diag);
    return status;
}
