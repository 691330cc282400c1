/* loader.h - subsets on their way into a network, batch by batch.

   Shuffling is one rule for all sizes: rows are cut into blocks of about 1 MiB,
   blocks are put into random order, and each 256 of them are a window whose
   rows are put into random order. Data of less than 256 MiB are one window,
   hence wholly shuffled. Whether a subset is in memory changes nothing. */
#ifndef BNRE_DATA_LOADER_H
#define BNRE_DATA_LOADER_H

#include "data/scaler.h"
#include "data/subset.h"

/* What becomes of rows that fill no batch. */
typedef enum bnre__remainder {
    BNRE__REMAINDER_DROP,
    BNRE__REMAINDER_KEEP,  /* as a smaller batch */
    BNRE__REMAINDER_SPREAD /* batches get smaller, all but equal */
} bnre__remainder;

typedef struct bnre__loader_opts {
    size_t batch;
    bnre__remainder remainder;
    int shuffle; /* else the order of the file, in every pass */
    uint64_t seed;
    bnre_split split;              /* names the random stream, with the seed */
    const bnre__scaler *theta, *x; /* borrowed */
} bnre__loader_opts;

/* Arrays belong to the loader and last until the next batch. The spare thetas
   of a pass are spread over its batches. */
typedef struct bnre__batch_rows {
    size_t n;           /* joint rows; 0 = the pass is over */
    size_t spare;       /* more thetas */
    const float *theta; /* (n + spare, dim_theta), of joint rows first */
    const float *x;     /* (n, x_size) */
} bnre__batch_rows;

typedef struct bnre__loader bnre__loader;

/* The subset is borrowed. Errors: EINVAL for a batch of 0; as
   bnre_dataset_open(). */
BNRE_MUST_CHECK bnre_status bnre__loader_create(const bnre__subset *subset,
                                                const bnre__loader_opts *opts,
                                                bnre__loader **out);
void bnre__loader_destroy(bnre__loader *loader); /* NULL is fine */

size_t bnre__loader_batches(const bnre__loader *loader); /* in a pass */

/* Begin pass number `pass`: equal numbers give equal passes. */
BNRE_MUST_CHECK bnre_status bnre__loader_begin(bnre__loader *loader,
                                               size_t pass);
BNRE_MUST_CHECK bnre_status bnre__loader_next(bnre__loader *loader,
                                              bnre__batch_rows *out);
/* Move past n batches. */
BNRE_MUST_CHECK bnre_status bnre__loader_skip(bnre__loader *loader, size_t n);

#endif
