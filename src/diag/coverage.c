/* From ranks to coverage: intervals from quantiles of the beta law (Clopper and
   Pearson 1934), the band of Dvoretzky, Kiefer and Wolfowitz with the constant
   of Massart (1990), the area under the curve. O(n). */
#include <math.h>

#include "diag/rank.h"

#include "diag/diag.h"
#include "num/dist.h"

double bnre__binomial_lower(size_t k, size_t n, double delta)
{
    if (k == 0)
        return 0;
    return bnre__beta_quantile(delta, (double)k, (double)(n - k) + 1);
}

double bnre__binomial_upper(size_t k, size_t n, double delta)
{
    if (k == n)
        return 1;
    /* From the other end, where a small delta keeps its digits. */
    return 1 - bnre__beta_quantile(delta, (double)(n - k), (double)k + 1);
}

/* The lowest level that covers a rank; BNRE_DIAG_LEVELS if none does. */
static size_t first_level(double rank, int strict)
{
    /* A guess that rounding cannot put too high. */
    double guess = fmax(0, floor(rank * (BNRE_DIAG_LEVELS + 1)) - 2);
    size_t i = guess < BNRE_DIAG_LEVELS ? (size_t)guess : BNRE_DIAG_LEVELS;

    while (i < BNRE_DIAG_LEVELS &&
           !(strict ? rank < bnre_diag_level(i) : rank <= bnre_diag_level(i)))
        i++;
    return i;
}

/* From sums over n pairs, or as many as weighted ones are worth; all weights
   together are `all`. */
static bnre_estimate estimate(double n, double all, double sum, double squares)
{
    double mean = sum / all;
    double variance = fmax(0, squares / all - mean * mean);

    return (bnre_estimate){mean, n > 1 ? sqrt(variance / (n - 1)) : NAN};
}

void bnre__coverage_weighed(size_t n, const double *rank, const double *weight,
                            int strict, double delta, bnre_coverage *out)
{
    double first[BNRE_DIAG_LEVELS + 1] = {0}, covered = 0, all = 0;
    double sum = 0, squares = 0, mean = 0, mean_squares = 0;
    const size_t worth = bnre__worth(n, weight);

    *out = (bnre_coverage){.n = worth};
    for (size_t i = 0; i < n; i++) {
        const double w = weight != NULL ? weight[i] : 1;
        size_t level = first_level(rank[i], strict);
        /* What the AUC averages over pairs: the share of levels that cover
           this one, less the mean level. */
        double e = (double)(BNRE_DIAG_LEVELS - level) / BNRE_DIAG_LEVELS - 0.5;
        double r = 0.5 - rank[i];

        all += w;
        first[level] += w;
        sum += w * e;
        squares += w * e * e;
        mean += w * r;
        mean_squares += w * r * r;
    }
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        covered += first[k];
        out->share[k] = covered / all;
        out->covered[k] =
            weight == NULL
                ? (size_t)covered
                : (size_t)fmin((double)worth,
                               floor(out->share[k] * (double)worth + 1e-9));
        out->low[k] = bnre__binomial_lower(out->covered[k], worth, delta / 2);
        out->high[k] = bnre__binomial_upper(out->covered[k], worth, delta / 2);
    }
    out->band = sqrt(log(2 / delta) / (2 * (double)worth));
    out->auc = estimate((double)worth, all, sum, squares);
    out->mean_auc = estimate((double)worth, all, mean, mean_squares);
}

void bnre__coverage_of(size_t n, const double *rank, int strict, double delta,
                       bnre_coverage *out)
{
    bnre__coverage_weighed(n, rank, NULL, strict, delta, out);
}
