/* gaussian_exact.h - the exact answers of the built-in task `gaussian`:

   theta ~ N(0, I), x | theta ~ N(theta, I), hence x ~ N(0, 2 I) and
   theta | x ~ N(x / 2, I / 2), all in `dim` dimensions. */
#ifndef BNRE_TEST_GAUSSIAN_EXACT_H
#define BNRE_TEST_GAUSSIAN_EXACT_H

#include <stddef.h>

/* log N(v; mean, variance I); a NULL mean is 0. */
double log_normal_density(size_t dim, const double *v, const double *mean,
                          double variance);

double gaussian_log_evidence(size_t dim, const double *x);
double gaussian_log_posterior(size_t dim, const double *theta, const double *x);
/* log p(x | theta) - log p(x): what a perfect estimator learns. */
double gaussian_log_ratio(size_t dim, const double *theta, const double *x);

#endif
