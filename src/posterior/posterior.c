/* Weights, evidence, moments and mode of a posterior on points. */
#include "posterior/posterior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "posterior/distinct.h"
#include "posterior/points.h"

bnre_status bnre__posterior_create(const bnre_points *points,
                                   bnre_posterior **out)
{
    const size_t room = bnre__points_room(points);
    bnre_status status = BNRE_OK;
    bnre_posterior *posterior = NULL;

    *out = NULL;
    BNRE_NEW(posterior, 1);
    posterior->points = points;
    BNRE_NEW(posterior->log_ratio, room);
    BNRE_NEW(posterior->log_density, room);
    BNRE_NEW(posterior->weight, room);
    *out = posterior;
    posterior = NULL;
done:
    bnre_posterior_destroy(posterior);
    return status;
}

bnre_status bnre__posterior_own(bnre_points *points, bnre_posterior **out)
{
    bnre_status status = bnre__posterior_create(points, out);

    if (status == BNRE_OK)
        (*out)->own = points;
    else
        bnre__points_destroy(points);
    return status;
}

void bnre_posterior_destroy(bnre_posterior *posterior)
{
    if (posterior == NULL)
        return;
    bnre__free(posterior->convergence);
    bnre__free(posterior->report);
    bnre__free(posterior->order);
    bnre__free(posterior->peak);
    bnre__free(posterior->weight);
    bnre__free(posterior->log_density);
    bnre__free(posterior->log_ratio);
    bnre__points_destroy(posterior->own);
    bnre__free(posterior);
}

/* What the weights are worth. Only draws of a prior known by draws come more
   than once. */
static bnre_status count_distinct(bnre_posterior *posterior)
{
    const bnre_points *points = posterior->points;
    bnre_status status = BNRE_OK;
    bnre__row_weight *row = NULL;

    posterior->squares = 0;
    posterior->distinct = points->n;
    if (bnre_prior_has_density(points->prior)) {
        for (size_t k = 0; k < points->n; k++)
            posterior->squares += posterior->weight[k] * posterior->weight[k];
        return BNRE_OK;
    }
    BNRE_NEW(row, points->n);
    posterior->distinct = bnre__distinct_rows(
        points->n, points->dim, points->theta, posterior->weight, row);
    for (size_t k = 0; k < posterior->distinct; k++)
        posterior->squares += row[k].weight * row[k].weight;
done:
    bnre__free(row);
    return status;
}

/* Weights and evidence from the log ratios, scaled by the largest term so that
   nothing overflows. */
bnre_status bnre__posterior_settle(bnre_posterior *posterior)
{
    const bnre_points *points = posterior->points;
    double most = -HUGE_VAL, sum = 0;

    posterior->sorted = 0;
    bnre__free(posterior->peak); /* of something else */
    posterior->peak = NULL;
    for (size_t k = 0; k < points->n; k++) {
        posterior->log_density[k] =
            points->log_prior[k] + posterior->log_ratio[k];
        most = fmax(most, points->log_mass[k] + posterior->log_ratio[k]);
    }
    if (most == -HUGE_VAL)
        return bnre_fail(BNRE_ENUM,
                         "the log ratio is -inf at all %zu points: no theta "
                         "of the prior explains the observation",
                         points->n);
    for (size_t k = 0; k < points->n; k++) {
        posterior->weight[k] =
            exp(points->log_mass[k] + posterior->log_ratio[k] - most);
        sum += posterior->weight[k];
    }
    for (size_t k = 0; k < points->n; k++)
        posterior->weight[k] /= sum;
    posterior->log_z = most + log(sum);
    return count_distinct(posterior);
}

bnre_status bnre__posterior_evaluate(bnre_posterior *posterior,
                                     bnre_session *session,
                                     const bnre_monitor *monitor)
{
    /* A multiple of the chunks of sessions, which so stay the same. */
    enum { PART = 1 << 14 };
    const bnre_points *points = posterior->points;

    for (size_t first = 0, n; first < points->n; first += n) {
        n = points->n - first < PART ? points->n - first : PART;
        if (monitor != NULL && monitor->progress != NULL &&
            monitor->progress(monitor->context, first, 0, points->n))
            return bnre_fail(BNRE_EINTR, "interrupted after %zu of %zu points",
                             first, points->n);
        BNRE_DO(bnre_session_log_ratio(session, n,
                                       points->theta + first * points->dim,
                                       posterior->log_ratio + first, NULL));
    }
    return bnre__posterior_settle(posterior);
}

bnre_status bnre__posterior_weigh(bnre_posterior *posterior,
                                  const double *log_ratio, double tau)
{
    for (size_t k = 0; k < posterior->points->n; k++) {
        if (isnan(log_ratio[k]) || log_ratio[k] == HUGE_VAL)
            return bnre_fail(BNRE_ENUM, "the log ratio of point %zu is %s", k,
                             isnan(log_ratio[k]) ? "NaN" : "infinite");
        posterior->log_ratio[k] = tau * log_ratio[k];
    }
    return bnre__posterior_settle(posterior);
}

const bnre_points *bnre_posterior_points(const bnre_posterior *posterior)
{
    return posterior->points;
}

const double *bnre_posterior_log_ratio(const bnre_posterior *posterior)
{
    return posterior->log_ratio;
}

const double *bnre_posterior_weight(const bnre_posterior *posterior)
{
    return posterior->weight;
}

/* log of the mean of exp(log_ratio) over the first n points of a bank */
static double log_mean(const bnre_posterior *posterior, size_t n)
{
    double most = -HUGE_VAL, sum = 0;

    for (size_t k = 0; k < n; k++)
        most = fmax(most, posterior->log_ratio[k]);
    if (most == -HUGE_VAL)
        return most;
    for (size_t k = 0; k < n; k++)
        sum += exp(posterior->log_ratio[k] - most);
    return most + log(sum / (double)n);
}

bnre_evidence bnre_posterior_evidence(const bnre_posterior *posterior)
{
    const size_t n = posterior->points->n, rows = posterior->distinct;
    const double squares = posterior->squares;
    bnre_evidence evidence = {posterior->log_z, 0, 0, 0};

    if (posterior->points->kind == BNRE_POINTS_CHAIN ||
        posterior->points->kind == BNRE_POINTS_DRAWS)
        return posterior->evidence;
    evidence.ess = 1 / squares;
    if (posterior->points->kind != BNRE_POINTS_BANK)
        return evidence;
    /* The relative variance of a mean of draws, of which so many rows differ:
       rows times sum w^2 is the mean square over the square of the mean. */
    evidence.error =
        rows > 1
            ? sqrt(fmax((double)rows * squares - 1, 0) / (double)(rows - 1))
            : HUGE_VAL;
    evidence.change =
        n > 1 ? posterior->log_z - log_mean(posterior, n / 2) : HUGE_VAL;
    return evidence;
}

int bnre__posterior_doubt(const bnre_posterior *posterior, char why[BNRE_DOUBT])
{
    const bnre_chain_report *report = bnre_posterior_report(posterior);
    const bnre_points *points = posterior->points;
    double ess;

    if (report != NULL && !report->converged) {
        snprintf(why, BNRE_DOUBT,
                 "the Markov chains %s. Do not use these samples; try more "
                 "`steps`, or fewer parameters",
                 report->why);
        return 1;
    }
    if (points->kind != BNRE_POINTS_BANK)
        return 0;
    ess = bnre_posterior_evidence(posterior).ess;
    if (!(ess < BNRE_FEWEST_DRAWS))
        return 0;
    snprintf(why, BNRE_DOUBT,
             "the posterior is worth %.0f distinct draws of the prior, fewer "
             "than %d. Do not use these samples; %s",
             floor(ess), BNRE_FEWEST_DRAWS,
             posterior->distinct < points->n
                 ? "give the prior more samples, or as a density"
             : bnre_prior_has_density(points->prior)
                 ? "try a larger `bank`, or `sampler: chain`"
                 : "try a larger `bank`");
    return 1;
}

/* log E_prior exp(l), from what E_prior exp(temper l) weighs. */
static double log_evidence(const bnre_posterior *posterior, double temper)
{
    const double power = (1 - temper) / temper;
    double most = -HUGE_VAL, sum = 0;

    if (temper == 1)
        return bnre_posterior_evidence(posterior).log_z;
    for (size_t k = 0; k < posterior->points->n; k++)
        if (posterior->weight[k] > 0)
            most = fmax(most, power * posterior->log_ratio[k]);
    for (size_t k = 0; k < posterior->points->n; k++)
        if (posterior->weight[k] > 0)
            sum += posterior->weight[k] *
                   exp(power * posterior->log_ratio[k] - most);
    return bnre_posterior_evidence(posterior).log_z + most + log(sum);
}

int bnre__posterior_far(const bnre_posterior *posterior, size_t observations,
                        double temper, char why[BNRE_DOUBT])
{
    const double log_z = log_evidence(posterior, temper);
    const double error = bnre_posterior_evidence(posterior).error;

    if (observations != 1 || !(fabs(log_z) - 2 * error > BNRE_FAR_EVIDENCE))
        return 0;
    snprintf(why, BNRE_DOUBT,
             "the log evidence is %.1f, far from 0: over the prior the ratio "
             "is %.1g on average, an exact one 1. The estimator does not know "
             "data like these, and the posterior cannot be relied on: train "
             "with more simulations; a diagnosis with `observation` tells "
             "whether they are like the simulated ones",
             log_z, exp(log_z));
    return 1;
}

void bnre_posterior_moments(const bnre_posterior *posterior, double *mean,
                            double *covariance)
{
    const bnre_points *points = posterior->points;
    const size_t dim = points->dim;

    memset(mean, 0, dim * sizeof *mean);
    for (size_t k = 0; k < points->n; k++)
        for (size_t i = 0; i < dim; i++)
            mean[i] += posterior->weight[k] * points->theta[k * dim + i];
    if (covariance == NULL)
        return;
    memset(covariance, 0, dim * dim * sizeof *covariance);
    for (size_t k = 0; k < points->n; k++) {
        const double *theta = points->theta + k * dim;

        for (size_t i = 0; i < dim; i++)
            for (size_t j = 0; j <= i; j++)
                covariance[i * dim + j] += posterior->weight[k] *
                                           (theta[i] - mean[i]) *
                                           (theta[j] - mean[j]);
    }
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < i; j++)
            covariance[j * dim + i] = covariance[i * dim + j];
}

double bnre_posterior_mode(const bnre_posterior *posterior, double *theta)
{
    const bnre_points *points = posterior->points;
    size_t best = 0;

    if (posterior->peak != NULL) {
        memcpy(theta, posterior->peak, points->dim * sizeof *theta);
        return posterior->peak_density - posterior->log_z;
    }
    for (size_t k = 1; k < points->n; k++)
        if (posterior->log_density[k] > posterior->log_density[best])
            best = k;
    memcpy(theta, points->theta + best * points->dim,
           points->dim * sizeof *theta);
    return posterior->log_density[best] - posterior->log_z;
}

bnre_status bnre_posterior_summary(const bnre_posterior *posterior,
                                   bnre_summary *out)
{
    static const double p[] = {0.15865525393145705, 0.5, 0.84134474606854293,
                               0.025, 0.975};
    const size_t dim = posterior->points->dim;
    bnre_status status = BNRE_OK;
    double *mean = NULL, *covariance = NULL, *mode = NULL;

    BNRE_NEW(mean, dim);
    BNRE_NEW(covariance, dim * dim);
    BNRE_NEW(mode, dim);
    bnre_posterior_moments(posterior, mean, covariance);
    bnre_posterior_mode(posterior, mode);
    for (size_t i = 0; i < dim; i++) {
        double q[5];

        BNRE_TRY(bnre_posterior_quantiles(posterior, i, 5, p, q));
        out[i] = (bnre_summary){.mean = mean[i],
                                .sd = sqrt(covariance[i * dim + i]),
                                .median = q[1],
                                .low68 = q[0],
                                .high68 = q[2],
                                .low95 = q[3],
                                .high95 = q[4],
                                .mode = mode[i]};
    }
done:
    bnre__free(mode);
    bnre__free(covariance);
    bnre__free(mean);
    return status;
}
