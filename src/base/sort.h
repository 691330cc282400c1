/* sort.h - sorting plain values, with qsort() of the C library; looking one up
   is a binary search. */
#ifndef BNRE_BASE_SORT_H
#define BNRE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* In place, ascending; NaN is not expected. */
void bnre__sort_doubles(size_t n, double *value);
void bnre__sort_hashes(size_t n, uint64_t *hash);
void bnre__sort_texts(size_t n, char **text); /* by their bytes */

/* A value with what it counts for; sorted by value. */
typedef struct bnre__weighted {
    double value, weight;
} bnre__weighted;
void bnre__sort_weighted(size_t n, bnre__weighted *pair);

/* Whether a sorted list holds it. */
int bnre__hashes_hold(size_t n, const uint64_t *sorted, uint64_t hash);

#endif
