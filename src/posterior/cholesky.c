/* Cholesky factors, and Mahalanobis distances by forward substitution.
   O(d^3), O(d^2). */
#include "posterior/cholesky.h"

#include <math.h>

int bnre__cholesky(size_t m, const double *a, double *factor, double *log_det)
{
    *log_det = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * m + j];

            for (size_t k = 0; k < j; k++)
                sum -= factor[i * m + k] * factor[j * m + k];
            if (i > j) {
                factor[i * m + j] = sum / factor[j * m + j];
                continue;
            }
            if (!(sum > 0) || !isfinite(sum))
                return 0;
            factor[i * m + i] = sqrt(sum);
            *log_det += 0.5 * log(sum);
        }
        for (size_t j = i + 1; j < m; j++)
            factor[i * m + j] = 0;
    }
    return 1;
}

double bnre__cholesky_distance(size_t m, const double *factor, const double *x,
                               const double *y)
{
    double solved[256], square = 0;

    for (size_t i = 0; i < m; i++) {
        double sum = x[i] - y[i];

        for (size_t k = 0; k < i; k++)
            sum -= factor[i * m + k] * solved[k];
        solved[i] = sum / factor[i * m + i];
        square += solved[i] * solved[i];
    }
    return square;
}
