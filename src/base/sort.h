/* sort.h - sorting plain numbers. */
#ifndef BNRE_BASE_SORT_H
#define BNRE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* In place, ascending; NaN is not expected. */
void bnre__sort_doubles(size_t n, double *value);
void bnre__sort_hashes(size_t n, uint64_t *hash);

/* Whether a sorted list holds it. */
int bnre__hashes_hold(size_t n, const uint64_t *sorted, uint64_t hash);

#endif
