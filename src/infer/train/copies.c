/* copies.c - rows that were copied, where equal rows are no sign of it: see
   copies.h.

   Two rows are equal with probability c, two stretches of m rows with c^m if
   rows are independent, and there are n^2 / 2 pairs of stretches. In a file in
   some order (by theta, say) rows are not independent: equal rows follow each
   other. Stretches of which less than half are changes from one row to the next
   prove nothing, and are passed over. Two sorts of n keys, and m n words to
   hash. */
#include "infer/train/copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static const double BY_CHANCE = 1e-3; /* files with such a pair of stretches */

int bnre__row_key_compare(const void *a, const void *b)
{
    const bnre__row_key *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* How often two of them are equal. */
static double count_equal(size_t n, const bnre__row_key *sorted)
{
    double equal = 0;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && sorted[end].hash == sorted[i].hash;)
            end++;
        equal += (double)(end - i) * (double)(end - i - 1);
    }
    return equal / ((double)n * (double)(n - 1));
}

/* Rows of a stretch; 0 if no stretch is long enough. */
static size_t find_length(size_t n, double equal)
{
    const double pairs = (double)n * (double)n / 2;
    double length;

    if (!(equal < 1))
        return 0;
    length = equal > 0 ? ceil(log(BY_CHANCE / pairs) / log(equal)) : 1;
    return 2 * length < (double)n ? (size_t)fmax(length, 2) : 0;
}

/* The hash of each stretch with enough changes in it, by its first row. */
static size_t hash_stretches(size_t n, const bnre__row_key *row, size_t length,
                             bnre__row_key *out)
{
    size_t changes = 0, count = 0;

    for (size_t i = 0; i < n; i++) {
        bnre__hash hash;
        uint64_t one;

        changes += i > 0 && row[i].hash != row[i - 1].hash;
        if (i >= length)
            changes -= row[i - length + 1].hash != row[i - length].hash;
        if (i + 1 < length || 2 * changes < length)
            continue;
        bnre__hash_init(&hash, 0, length, 0);
        for (size_t k = 0; k < length; k++)
            bnre__hash_add_u64(&hash, row[i + 1 - length + k].hash);
        bnre__hash_end(&hash, &one);
        out[count++] = (bnre__row_key){one, i + 1 - length};
    }
    return count;
}

bnre_status bnre__copies_find(size_t n, const bnre__row_key *row,
                              bnre__copies_fn fn, void *context)
{
    bnre_status status = BNRE_OK;
    bnre__row_key *sorted = NULL;
    size_t length, count;

    if (n < 4)
        return BNRE_OK;
    BNRE_NEW(sorted, n);
    memcpy(sorted, row, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, bnre__row_key_compare);
    length = find_length(n, count_equal(n, sorted));
    if (length == 0)
        goto done;
    count = hash_stretches(n, row, length, sorted);
    qsort(sorted, count, sizeof *sorted, bnre__row_key_compare);
    for (size_t i = 1; i < count; i++)
        if (sorted[i].hash == sorted[i - 1].hash)
            for (size_t k = 0; k < length; k++)
                fn(context, row[sorted[i].row + k].row,
                   row[sorted[i - 1].row + k].row);
done:
    bnre__free(sorted);
    return status;
}
