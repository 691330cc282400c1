/* Means, tests and verdicts from what was found pair by pair. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "diag/diag.h"
#include "diag/rank.h"
#include "diag/sight.h"

double bnre__prior_spread(const bnre_prior *prior, size_t i)
{
    double mean, variance, spread;

    bnre_prior_moments(prior, i, &mean, &variance);
    spread = isfinite(variance) ? sqrt(variance)
                                : (bnre_prior_quantile(prior, i, 0.75) -
                                   bnre_prior_quantile(prior, i, 0.25)) /
                                      1.349; /* as for a normal law */
    return spread > 0 ? spread : 1;
}

bnre_status bnre__diag_check(size_t n, const bnre_diag_opts *opts)
{
    if (n < BNRE_DIAG_LEAST)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu pairs say nothing about coverage: %d are the "
                         "least, a thousand or more are of use",
                         n, BNRE_DIAG_LEAST);
    if (!(opts->delta > 0 && opts->delta < 1))
        return bnre_fail(BNRE_EUSAGE, "delta is %g: expected (0, 1)",
                         opts->delta);
    if (!(opts->eps >= 0 && opts->eps < 1))
        return bnre_fail(BNRE_EUSAGE, "eps is %g: expected [0, 1)", opts->eps);
    if (opts->bins < 2 || opts->bins > 10000)
        return bnre_fail(BNRE_EUSAGE, "bins is %zu: expected [2, 10000]",
                         opts->bins);
    return BNRE_OK;
}

/* What the points of curve c leave to chance, and what chains remember. */
static bnre__sight sight_of(const bnre_diag *diag, size_t c,
                            const bnre__found *found)
{
    bnre__sight sight = bnre__sight_of(diag->n, diag->curve[c].ess);

    if (diag->grid == BNRE_DIAG_CHAINS)
        sight.chance = fmin(
            1, sight.chance + bnre__sight_memory(diag->n, found->place + 2 * c,
                                                 2 * diag->n_curves));
    return sight;
}

static void summarise_curve(bnre_diag *diag, size_t c, int strict,
                            const bnre__found *found,
                            const bnre_diag_opts *opts, double *scratch)
{
    const bnre__sight sight = sight_of(diag, c, found);
    bnre_diag_curve *curve = &diag->curve[c];
    const size_t n = diag->n;

    bnre__coverage_weighed(n, curve->rank, found->weight, strict, opts->delta,
                           &curve->coverage);
    curve->information = bnre__estimate_weighed(n, curve->gain, found->weight);
    curve->balanced = bnre__estimate_weighed(n, curve->balance, found->weight);
    bnre__judge(&curve->coverage, curve->information, opts->delta, opts->eps,
                opts->least_gain, &curve->judgement);
    curve->ess_median = bnre__quantile(n, curve->ess, 1, 0.5, scratch);
    curve->ess_low = bnre__quantile(n, curve->ess, 1, 0.05, scratch);
    curve->judgement.ess = curve->ess_median;
    curve->judgement.chance = sight.chance;
    curve->judgement.over = opts->over;
    if (diag->grid == BNRE_DIAG_CHAINS)
        curve->judgement.steps = bnre__steps_of(opts);
    if (!found->fixed &&
        !bnre__sight_suffices(sight, opts->strata > 0 ? BNRE__MOST_CHANCE_STRATA
                                                      : BNRE__MOST_CHANCE))
        curve->judgement.verdict = BNRE_BLIND;
}

/* scratch (n): the squares. */
static bnre_status summarise_parameter(bnre_diag *diag, size_t k,
                                       const bnre__found *found,
                                       double *scratch)
{
    bnre_diag_parameter *parameter = &diag->parameter[k];
    const size_t n = diag->n, dim = diag->dim;
    /* The square of an error of a mean of draws is too large by as much of
       their variance. */
    const double noise =
        diag->grid == BNRE_DIAG_DRAWS || diag->grid == BNRE_DIAG_CHAINS
            ? 1 / (double)diag->points
            : 0;

    for (size_t i = 0; i < n; i++) {
        const double error = found->error[i * dim + k];
        const double extra =
            noise > 0 ? noise * found->variance[i * dim + k] : 0;

        scratch[i] = (error * error - extra) / parameter->scale;
    }
    parameter->bias = bnre__estimate(n, scratch, 1);
    for (size_t i = 0; i < n; i++)
        scratch[i] = found->variance[i * dim + k] / parameter->scale;
    parameter->variance = bnre__estimate(n, scratch, 1);
    for (size_t i = 0; i < n; i++)
        parameter->rank[i] = found->rank[i * dim + k];
    return bnre__uniformity_of(n, parameter->rank, diag->bins,
                               parameter->histogram, &parameter->sbc);
}

static void summarise_densities(bnre_diag *diag, const bnre__found *found,
                                double *scratch)
{
    const size_t n = diag->n;
    const bnre_diag_curve *first = &diag->curve[0];
    size_t looked = 0;

    for (size_t i = 0; i < n; i++)
        scratch[i] = found->log_prior[i] + first->tau * found->log_ratio[i];
    diag->raw_log_posterior = bnre__estimate(n, scratch, 1);
    for (size_t i = 0; i < n; i++)
        scratch[i] = found->log_prior[i] + first->gain[i];
    diag->log_posterior = bnre__estimate(n, scratch, 1);
    diag->log_posterior_median =
        isnan(diag->log_posterior.mean)
            ? NAN
            : bnre__quantile(n, scratch, 1, 0.5, scratch);
    for (size_t i = 0; i < n; i++)
        if (!isnan(found->gain_change[i]))
            scratch[looked++] = found->gain_change[i];
    diag->doubling = looked > 0 ? bnre__estimate(looked, scratch, 1)
                                : (bnre_estimate){NAN, NAN};
    diag->balance = bnre__estimate_weighed(n, found->balance, found->weight);
    diag->normalised_balance =
        bnre__estimate_weighed(n, found->normalised, found->weight);
}

static double square(double a)
{
    return a * a;
}

static void summarise_volume(bnre_diag *diag, const bnre__found *found)
{
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        const double n = (double)diag->n;
        double sum = 0, squares = 0;

        for (size_t i = 0; i < diag->n; i++)
            sum += (double)found->volume[i * BNRE_DIAG_LEVELS + k];
        diag->volume[k] = sum / n;
        for (size_t i = 0; i < diag->n; i++)
            squares += square((double)found->volume[i * BNRE_DIAG_LEVELS + k] -
                              diag->volume[k]);
        diag->volume_error[k] = sqrt(squares / (n - 1) / n);
    }
}

/* scratch (n). */
static void summarise_members(bnre_diag *diag, const bnre__found *found,
                              int strict, const bnre_diag_opts *opts,
                              double *scratch)
{
    const size_t n = diag->n, members = diag->n_members;

    diag->spread = (bnre_estimate){NAN, NAN};
    if (members == 0)
        return;
    for (size_t m = 0; m < members; m++) {
        bnre_coverage coverage;

        for (size_t i = 0; i < n; i++)
            scratch[i] = found->member_rank[i * members + m];
        bnre__coverage_of(n, scratch, strict, opts->delta, &coverage);
        diag->member_auc[m] = coverage.auc;
    }
    for (size_t i = 0; i < n; i++) {
        bnre_estimate e =
            bnre__estimate(members, found->member_ratio + i * members, 1);

        scratch[i] = e.error * sqrt((double)members);
    }
    diag->spread = bnre__estimate(n, scratch, 1);
}

bnre_status bnre__diag_summarise(bnre_diag *diag, const bnre__found *found,
                                 const bnre_diag_opts *opts)
{
    const int strict = diag->grid == BNRE_DIAG_PAPER;
    const size_t n = diag->n;
    bnre_status status = BNRE_OK;
    double *scratch = NULL;
    size_t *count = NULL;

    BNRE_NEW(scratch, n);
    BNRE_NEW(count, diag->bins);
    for (size_t i = 0; i < diag->n_curves; i++)
        summarise_curve(diag, i, strict, found, opts, scratch);
    for (size_t k = 0; k < diag->dim; k++)
        BNRE_TRY(summarise_parameter(diag, k, found, scratch));
    if (diag->n_curves > 0)
        summarise_densities(diag, found, scratch);
    summarise_volume(diag, found);
    bnre__coverage_of(n, diag->tarp_rank, 0, opts->delta, &diag->tarp);
    BNRE_TRY(bnre__uniformity_of(n, diag->tarp_rank, diag->bins, count,
                                 &diag->tarp_uniformity));
    summarise_members(diag, found, strict, opts, scratch);
done:
    bnre__free(count);
    bnre__free(scratch);
    return status;
}
