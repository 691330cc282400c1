/* Equal rows found by their hashes: repeated draws of a prior count once. n
   hashes of rows and O(n log n) to sort them. */
#include "posterior/distinct.h"

#include <stdlib.h>

#include "base/hash.h"

/* Equal weights of equal rows make the order of sums the same everywhere. */
static int by_row(const void *a, const void *b)
{
    const bnre__row_weight *x = a, *y = b;

    if (x->row != y->row)
        return x->row > y->row ? 1 : -1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* Of 10^6 rows, two that differ have the same hash once in 10^7 times. */
static uint64_t hash_row(size_t dim, const double *theta)
{
    bnre__hash hash;
    uint64_t out;

    bnre__hash_init(&hash, 0, 0, 0);
    for (size_t i = 0; i < dim; i++) {
        const double value = theta[i] + 0.0; /* -0 is 0 */

        bnre__hash_add(&hash, &value, sizeof value);
    }
    bnre__hash_end(&hash, &out);
    return out;
}

size_t bnre__distinct_rows(size_t n, size_t dim, const double *theta,
                           const double *weight, bnre__row_weight *out)
{
    size_t rows = 0;

    for (size_t k = 0; k < n; k++)
        out[k] = (bnre__row_weight){hash_row(dim, theta + k * dim), weight[k]};
    qsort(out, n, sizeof *out, by_row);
    for (size_t k = 0; k < n; k++)
        if (rows > 0 && out[rows - 1].row == out[k].row)
            out[rows - 1].weight += out[k].weight;
        else
            out[rows++] = out[k];
    return rows;
}

double bnre__distinct_ess(size_t n, const bnre__row_weight *row)
{
    double sum = 0, squares = 0;

    for (size_t k = 0; k < n; k++) {
        sum += row[k].weight;
        squares += row[k].weight * row[k].weight;
    }
    return squares > 0 ? sum * sum / squares : 0;
}
