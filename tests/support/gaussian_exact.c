#include "gaussian_exact.h"

#include <math.h>

double log_normal_density(size_t dim, const double *v, const double *mean,
                          double variance)
{
    double sum = -0.5 * (double)dim * log(2 * acos(-1) * variance);

    for (size_t i = 0; i < dim; i++) {
        double from = v[i] - (mean != NULL ? mean[i] : 0);

        sum -= 0.5 * from * from / variance;
    }
    return sum;
}

double gaussian_log_evidence(size_t dim, const double *x)
{
    return log_normal_density(dim, x, NULL, 2);
}

double gaussian_log_posterior(size_t dim, const double *theta, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < dim; i++) {
        double mean = x[i] / 2;

        sum += log_normal_density(1, &theta[i], &mean, 0.5);
    }
    return sum;
}

double gaussian_log_ratio(size_t dim, const double *theta, const double *x)
{
    return log_normal_density(dim, x, theta, 1) - gaussian_log_evidence(dim, x);
}
