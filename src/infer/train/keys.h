/* keys.h - by what rows of a dataset are known to be equal. */
#ifndef BNRE_INFER_KEYS_H
#define BNRE_INFER_KEYS_H

#include "data/subset.h"
#include "infer/train/copies.h"

/* A row whose theta is that of an earlier one but for rounding. */
typedef struct bnre__near {
    size_t row, first;
} bnre__near;

/* Hashes of theta of all rows in use, of x of those that have one, and of both
   in the order of the file. */
typedef struct bnre__keys {
    size_t thetas, xs;
    bnre__row_key *theta, *x, *both; /* the first two in order */
    int whole;                       /* all x are whole numbers */
    size_t dim;
    double *value; /* (thetas, dim): theta in the order of the file; merged,
                      (each, dim): the first of each */
    size_t *at;    /* (rows): where in `value` that of a row is, until merged */
    size_t distinct, each; /* how many theta differ; and more than rounded */
    size_t n_near;
    bnre__near *near;
} bnre__keys;

/* Start from {0}; clear it in any case. */
BNRE_MUST_CHECK bnre_status bnre__keys_init(bnre__keys *keys,
                                            const bnre_dataset_info *info);
void bnre__keys_clear(bnre__keys *keys);

/* Of the rows of a file for which `fold`, where it is given, is not `unused`.
   Errors: as bnre_dataset_read(). */
BNRE_MUST_CHECK bnre_status bnre__keys_read(bnre__keys *keys,
                                            const bnre__subset *set,
                                            const uint8_t *fold,
                                            uint8_t unused);

/* Find the theta that are equal, or the same but for rounding (near.h). */
BNRE_MUST_CHECK bnre_status bnre__keys_merge(bnre__keys *keys);

#endif
