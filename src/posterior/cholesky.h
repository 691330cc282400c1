/* cholesky.h - lower triangular factors of covariances, row-major. */
#ifndef BNRE_POSTERIOR_CHOLESKY_H
#define BNRE_POSTERIOR_CHOLESKY_H

#include <stddef.h>

/* a = factor factor', from the lower half of a (m, m); log_det receives the log
   determinant of the factor. 0 if a is not positive definite. */
int bnre__cholesky(size_t m, const double *a, double *factor, double *log_det);

/* |factor^-1 (x - y)|^2; m at most 256. */
double bnre__cholesky_distance(size_t m, const double *factor, const double *x,
                               const double *y);

#endif
