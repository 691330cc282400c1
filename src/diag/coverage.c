/* From ranks to coverage: Clopper-Pearson intervals from quantiles of the
   beta law, the Dvoretzky-Kiefer-Wolfowitz band, the area under the curve.
   O(n). */
#include "bnre/diag.h"

#include <math.h>

#include "num/dist.h"

double bnre_binomial_lower(size_t k, size_t n, double delta)
{
    if (k == 0)
        return 0;
    return bnre__beta_quantile(delta, (double)k, (double)(n - k) + 1);
}

double bnre_binomial_upper(size_t k, size_t n, double delta)
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

static bnre_estimate estimate(size_t n, double sum, double squares)
{
    double mean = sum / (double)n;
    double variance = fmax(0, squares / (double)n - mean * mean);

    return (bnre_estimate){mean,
                           n > 1 ? sqrt(variance / (double)(n - 1)) : NAN};
}

void bnre_coverage_of(size_t n, const double *rank, int strict, double delta,
                      bnre_coverage *out)
{
    size_t first[BNRE_DIAG_LEVELS + 1] = {0}, covered = 0;
    double sum = 0, squares = 0, mean = 0, mean_squares = 0;

    *out = (bnre_coverage){.n = n};
    for (size_t i = 0; i < n; i++) {
        size_t level = first_level(rank[i], strict);
        /* What the AUC averages over pairs: the share of levels that cover
           this one, less the mean level. */
        double e = (double)(BNRE_DIAG_LEVELS - level) / BNRE_DIAG_LEVELS - 0.5;
        double r = 0.5 - rank[i];

        first[level]++;
        sum += e;
        squares += e * e;
        mean += r;
        mean_squares += r * r;
    }
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        covered += first[k];
        out->covered[k] = covered;
        out->share[k] = (double)out->covered[k] / (double)n;
        out->low[k] = bnre_binomial_lower(out->covered[k], n, delta / 2);
        out->high[k] = bnre_binomial_upper(out->covered[k], n, delta / 2);
    }
    out->band = sqrt(log(2 / delta) / (2 * (double)n));
    out->auc = estimate(n, sum, squares);
    out->mean_auc = estimate(n, mean, mean_squares);
}
