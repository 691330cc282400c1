/* Whether ranks are uniform: Kolmogorov-Smirnov with its series for the
   tail (O(n log n)), and the chi-square of a histogram. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "bnre/diag.h"
#include "diag/diag.h"
#include "num/dist.h"

/* P(distance of n uniform values >= d): the asymptotic series with the
   correction of Stephens (1970) for finite n, good to 1 % or so of the smaller
   tail from n = 5. At most 100 terms. */
static double ks_tail(double d, size_t n)
{
    double root = sqrt((double)n), t = (root + 0.12 + 0.11 / root) * d, p = 0;

    if (t < 0.2) /* the series converges slowly; p = 1 to all digits */
        return 1;
    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * t * t);
    return fmin(1, fmax(0, p));
}

bnre_status bnre__uniformity_of(size_t n, const double *value, size_t bins,
                                size_t *count, bnre_uniformity *out)
{
    bnre_status status = BNRE_OK;
    double *sorted = NULL, expected = (double)n / (double)bins;

    *out = (bnre_uniformity){0};
    memset(count, 0, bins * sizeof *count);
    BNRE_NEW(sorted, n);
    memcpy(sorted, value, n * sizeof *sorted);
    bnre__sort_doubles(n, sorted);
    for (size_t i = 0; i < n; i++) {
        double below = sorted[i] - (double)i / (double)n;
        double above = (double)(i + 1) / (double)n - sorted[i];
        size_t bin = (size_t)(sorted[i] * (double)bins);

        out->ks = fmax(out->ks, fmax(below, above));
        count[bin < bins ? bin : bins - 1]++;
    }
    out->ks_p = ks_tail(out->ks, n);
    for (size_t i = 0; i < bins; i++) {
        double off = (double)count[i] - expected;

        out->chi_square += off * off / expected;
    }
    out->chi_square_p = bins > 1 ? 1 - bnre__gamma_cdf(out->chi_square / 2,
                                                       ((double)bins - 1) / 2)
                                 : 1;
done:
    bnre__free(sorted);
    return status;
}
