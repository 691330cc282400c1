/* distinct.h - what weighted points are worth if some of them are the same. */
#ifndef BNRE_POSTERIOR_DISTINCT_H
#define BNRE_POSTERIOR_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

/* A row by its content, and its weight. */
typedef struct bnre__row_weight {
    uint64_t row;
    double weight;
} bnre__row_weight;

/* The rows of theta (n, dim) that differ in some parameter, with the weights of
   equal ones added up: the first of `out` (n). Returns how many there are.

   A prior known by draws is drawn from with replacement. A row that comes twice
   tells nothing new: 50 rows drawn 65,536 times are 50 rows, and an effective
   number of draws, (sum w)^2 / sum w^2, that counts each copy by itself is
   1,000 times too large. */
size_t bnre__distinct_rows(size_t n, size_t dim, const double *theta,
                           const double *weight, bnre__row_weight *out);

/* (sum w)^2 / sum w^2 of n weights, 0 if all of them are 0. */
double bnre__distinct_ess(size_t n, const bnre__row_weight *row);

#endif
