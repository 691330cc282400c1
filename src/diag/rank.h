/* rank.h - what weighted points say of the one among them that is true. */
#ifndef BNRE_DIAG_RANK_H
#define BNRE_DIAG_RANK_H

#include <stddef.h>

#include "bnre/diag.h"

/* The weight of points with values above that of point `at`, plus a share u of
   those that tie with it, itself included; relative to all n, whose weights
   add up to `total`. If given the points each is the true one with a
   probability proportional to its weight, and `at` is the true one, this is
   uniform on (0, 1) for any value that they are compared by. A total of 0
   gives 1: what has no density comes after all that has. */
double bnre__rank(size_t n, const double *weight, const double *value,
                  double total, size_t at, double u);

/* A point as seen from a region: by falling value it is taken in. */
typedef struct bnre__ranked {
    double value, weight, mass;
} bnre__ranked;

/* share[i]: how much of the mass the densest points stand for that make up
   level i of the weight. A region takes in as much of its last point as it
   needs. With `whole`, the last point and those that tie with it count in full.
   Sorts `point`; neither weights nor masses need add up to 1. */
void bnre__region_shares(size_t n, bnre__ranked *point, int whole,
                         double share[BNRE_DIAG_LEVELS]);

/* Of two that are no NaN: in loops where a call of fmax() takes longer. */
static inline double bnre__larger(double a, double b)
{
    return a > b ? a : b;
}

/* Mean and standard error of n values that lie `stride` apart. */
bnre_estimate bnre__estimate(size_t n, const double *value, size_t stride);

/* Pairs that count by weights (n), of which none is negative and one is not 0;
   NULL: each counts as one. As how many equal ones they are worth, (sum w)^2 /
   sum w^2; the mean of n values; and coverage, as of so many pairs. */
size_t bnre__worth(size_t n, const double *weight);
bnre_estimate bnre__estimate_weighed(size_t n, const double *value,
                                     const double *weight);
void bnre__coverage_weighed(size_t n, const double *rank, const double *weight,
                            int strict, double delta, bnre_coverage *out);

/* The quantile p of n values that lie `stride` apart, interpolated; uses
   `scratch` (n). */
double bnre__quantile(size_t n, const double *value, size_t stride, double p,
                      double *scratch);

#endif
