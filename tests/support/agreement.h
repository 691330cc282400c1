/* agreement.h - whether two sets of simulations follow the same law.

   The reference keeps only statistics of its draws: blocks with `mean`, `std`,
   `mean_standard_error`, `quantiles` and `covariance`. Ours are compared with
   them in units of the combined standard error, its own and ours. With the
   limit of 4.5 a single comparison is wrongly refused once in 150,000. */
#ifndef BNRE_TEST_AGREEMENT_H
#define BNRE_TEST_AGREEMENT_H

#include <stddef.h>

#include "reference.h"

#define AGREE_SIGMA 4.5

typedef enum agree_on {
    AGREE_MEAN = 1,
    AGREE_STD = 2,
    AGREE_QUANTILES = 4,
    AGREE_COVARIANCE = 8,
    AGREE_ALL = 15,
    /* For counts: leave out the second moments of a component that is mostly
       0, with std > 4 mean. A few rare draws decide on them. */
    AGREE_NOT_RARE = 16
} agree_on;

/* n rows of dim values (row-major) against the block `stats` of `draws` rows.
   Where tails are heavy, ask for AGREE_QUANTILES alone: it compares the share
   of our values below the reference's quantile, which needs no moments; for
   discrete values the shares below and up to it have to bracket it. */
void assert_agrees(const ref *stats, double draws, size_t n, size_t dim,
                   const double *values, unsigned what);

/* The shares k of n and p of m draws come from one probability. */
#define assert_same_share(k, n, p, m)                                          \
    assert_same_share_at((k), (n), (p), (m), #k, __FILE__, __LINE__)
void assert_same_share_at(double k, double n, double p, double m,
                          const char *what, const char *file, int line);

/* A mean with its standard error against another. */
#define assert_same_mean(a, error_a, b, error_b)                               \
    assert_same_mean_at((a), (error_a), (b), (error_b), #a, __FILE__, __LINE__)
void assert_same_mean_at(double a, double error_a, double b, double error_b,
                         const char *what, const char *file, int line);

/* Mean and its standard error of n values that lie `stride` apart. */
double sample_mean(size_t n, const double *value, size_t stride, double *error);

/* Two-sample Kolmogorov-Smirnov: P(distance at least as large | one law) for
   values without ties; both arrays are sorted in place. */
double ks_two_sample_pvalue(size_t n, double *a, size_t m, double *b);

#endif
