/* copies.h - rows that were copied, where equal rows are no sign of it. */
#ifndef BNRE_INFER_COPIES_H
#define BNRE_INFER_COPIES_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"

/* A row by what it holds. */
typedef struct bnre__row_key {
    uint64_t hash;
    size_t row;
} bnre__row_key;

/* By hash, then by row. */
int bnre__row_key_compare(const void *a, const void *b);

/* Two rows that are the same simulation. */
typedef void (*bnre__copies_fn)(void *context, size_t row, size_t other);

/* Tell of n rows (in the order of their file, by what theta and x hold) which
   are copies although equal rows are frequent by chance: those that lie in two
   stretches of rows, one after the other, that are all equal, so long that
   chance makes one in a thousand files have such a pair. A file that was joined
   with itself is found so; a single row that was copied is not, and cannot be.
   Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__copies_find(size_t n,
                                              const bnre__row_key *row,
                                              bnre__copies_fn fn,
                                              void *context);

#endif
