/* Rank-normalised split R-hat and effective sizes (Vehtari and others 2021),
   from autocovariances summed by Geyer's rule. O(n times lags). */
#include "posterior/convergence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "num/dist.h"

enum { MOST_LAGS = 1000 }; /* chains that remember longer have not converged */

/* Every chain cut into two: `chains` rows of `steps` values. */
struct halves {
    size_t chains, steps;
    double *value; /* (chains, steps) */
};

struct ranked {
    double value;
    size_t index;
};

static int compare_values(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Replace values by normal scores of their ranks, ties sharing the mean. */
static void normalise(size_t n, struct ranked *sorted, double *value)
{
    for (size_t k = 0; k < n; k++)
        sorted[k] = (struct ranked){value[k], k};
    qsort(sorted, n, sizeof *sorted, compare_values);
    for (size_t first = 0, last; first < n; first = last) {
        double score;

        last = first;
        while (last < n && sorted[last].value == sorted[first].value)
            last++;
        score = bnre__normal_quantile(
            (0.5 * (double)(first + 1 + last) - 0.375) / ((double)n + 0.25));
        for (size_t k = first; k < last; k++)
            value[sorted[k].index] = score;
    }
}

static double mean_of(size_t n, const double *x)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += x[k];
    return sum / (double)n;
}

static double variance_of(size_t n, const double *x)
{
    const double mean = mean_of(n, x);
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += (x[k] - mean) * (x[k] - mean);
    return sum / (double)(n - 1);
}

/* within: mean variance of chains; total: an estimate of the variance of the
   target that also counts how far chains lie apart. */
static void variances(const struct halves *h, double *within, double *total)
{
    double mean = 0, between = 0;

    *within = 0;
    for (size_t c = 0; c < h->chains; c++) {
        const double *x = h->value + c * h->steps;

        *within += variance_of(h->steps, x) / (double)h->chains;
        mean += mean_of(h->steps, x) / (double)h->chains;
    }
    for (size_t c = 0; c < h->chains; c++) {
        const double from = mean_of(h->steps, h->value + c * h->steps) - mean;

        between += from * from / (double)(h->chains - 1);
    }
    *total = *within * (1 - 1 / (double)h->steps) + between;
}

static double rhat_of(const struct halves *h)
{
    double within, total;

    variances(h, &within, &total);
    if (!(total > 0))
        return 1;
    /* Chains that stand still have the variance of rounding errors. */
    return within > 1e-20 * total ? sqrt(total / within) : HUGE_VAL;
}

/* Mean over the chains of the autocovariance at a lag. */
static double covariance_at(const struct halves *h, size_t lag)
{
    double sum = 0;

    for (size_t c = 0; c < h->chains; c++) {
        const double *x = h->value + c * h->steps;
        const double mean = mean_of(h->steps, x);

        for (size_t k = 0; k + lag < h->steps; k++)
            sum += (x[k] - mean) * (x[k + lag] - mean);
    }
    return sum / (double)h->steps / (double)h->chains;
}

/* Effective sample size from autocorrelations, by Geyer's initial monotone
   sequence: sums of neighbours are positive and decrease. */
static double ess_of(const struct halves *h)
{
    const double n = (double)(h->chains * h->steps);
    double within, total, tau = -1, before = HUGE_VAL;

    variances(h, &within, &total);
    if (!(total > 0))
        return n;
    for (size_t lag = 0; lag + 1 < h->steps && lag < MOST_LAGS; lag += 2) {
        const double even = 1 - (within - covariance_at(h, lag)) / total;
        const double odd = 1 - (within - covariance_at(h, lag + 1)) / total;
        double pair = (lag == 0 ? 1 : even) + odd;

        if (!(pair > 0))
            break;
        pair = fmin(pair, before);
        tau += 2 * pair;
        before = pair;
    }
    /* Chains may do better than independent draws, but not without bounds. */
    return n / fmax(tau, 1 / log10(n));
}

/* Effective sample size of the share of values up to a quantile. */
static double ess_below(const double *value, double limit, struct halves *h)
{
    for (size_t k = 0; k < h->chains * h->steps; k++)
        h->value[k] = value[k] <= limit;
    return ess_of(h);
}

static void split(size_t chains, size_t steps, size_t stride, const double *x,
                  struct halves *h)
{
    /* With an odd number of steps the middle one is left out. */
    for (size_t c = 0; c < chains; c++)
        for (size_t s = 0; s < h->steps; s++) {
            const size_t late = steps - h->steps + s;

            h->value[2 * c * h->steps + s] = x[(s * chains + c) * stride];
            h->value[(2 * c + 1) * h->steps + s] =
                x[(late * chains + c) * stride];
        }
}

bnre_status bnre__convergence(size_t chains, size_t steps, size_t stride,
                              const double *x, bnre_convergence *out)
{
    struct halves h = {2 * chains, steps / 2, NULL};
    const size_t n = h.chains * h.steps;
    bnre_status status = BNRE_OK;
    struct ranked *sorted = NULL;
    double *value = NULL, low, middle, high, folded;

    BNRE_NEW(h.value, n);
    BNRE_NEW(value, n);
    BNRE_NEW(sorted, n);
    split(chains, steps, stride, x, &h);
    memcpy(value, h.value, n * sizeof *value);
    normalise(n, sorted, h.value); /* sorted holds the values in order */
    low = sorted[(size_t)(0.05 * (double)(n - 1))].value;
    middle = sorted[n / 2].value;
    high = sorted[(size_t)(0.95 * (double)(n - 1))].value;
    out->rhat = rhat_of(&h);
    out->bulk = ess_of(&h);
    for (size_t k = 0; k < n; k++)
        h.value[k] = fabs(value[k] - middle);
    normalise(n, sorted, h.value);
    folded = rhat_of(&h);
    out->rhat = fmax(out->rhat, folded);
    out->tail = ess_below(value, low, &h);
    out->tail = fmin(out->tail, ess_below(value, high, &h));
done:
    bnre__free(sorted);
    bnre__free(value);
    bnre__free(h.value);
    return status;
}
