/* sort.c - sorting plain values, and finding them again. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int by_hash(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int by_letter(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_weighted_value(const void *a, const void *b)
{
    const bnre__weighted *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

void bnre__sort_doubles(size_t n, double *value)
{
    if (n > 0)
        qsort(value, n, sizeof *value, by_value);
}

void bnre__sort_hashes(size_t n, uint64_t *hash)
{
    if (n > 0)
        qsort(hash, n, sizeof *hash, by_hash);
}

void bnre__sort_texts(size_t n, char **text)
{
    if (n > 0)
        qsort(text, n, sizeof *text, by_letter);
}

void bnre__sort_weighted(size_t n, bnre__weighted *pair)
{
    if (n > 0)
        qsort(pair, n, sizeof *pair, by_weighted_value);
}

int bnre__hashes_hold(size_t n, const uint64_t *sorted, uint64_t hash)
{
    return n > 0 && bsearch(&hash, sorted, n, sizeof hash, by_hash) != NULL;
}
