/* cross.h - the simulations an estimator learned from, each seen by those of
   its members that never saw it.

   A bnre__cross is a density and its pairs. The x of a pair has one number
   more, the fold that its row is in, and the density answers with the members
   of that fold alone. So whatever takes a density (ranks, coverage, scores)
   works out of fold without knowing. */
#ifndef BNRE_TRUST_CROSS_H
#define BNRE_TRUST_CROSS_H

#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/diag.h"
#include "infer/estimator/estimator.h"

typedef struct bnre__cross {
    const bnre_estimator *est; /* borrowed, with folds */
    bnre_dataset *data;        /* borrowed: what it was trained on */
    size_t n;                  /* rows with a fold and an x */
    size_t *row;               /* (n) where they are in the data */
    uint8_t *fold;             /* (n) */
    double *theta;             /* (n, dim) */
    double *weight;            /* (n) 1 / P(result | theta), by what has seen
                                  nothing of their folds, where other rows are
                                  missing; else NULL */
    bnre_density density;      /* of x and a fold, x_size + 1 numbers; its
                                  sessions take widen and temper as they are
                                  when they begin */
    int plain;                 /* unless this says: as trained */
} bnre__cross;

/* All rows of the data that the estimator has in folds, or `most` of them (0 =
   all) that are as good a sample. Clear it in any case. Errors: EUSAGE for an
   estimator without folds; those of bnre_dataset_read(). */
BNRE_MUST_CHECK bnre_status bnre__cross_init(bnre__cross *cross,
                                             const bnre_estimator *est,
                                             bnre_dataset *data, size_t most,
                                             uint64_t seed);
void bnre__cross_clear(bnre__cross *cross);

/* Where others are missing, let go of rows, so that those that are left are
   draws of the prior and count the same: for what takes no weights. */
BNRE_MUST_CHECK bnre_status bnre__cross_level(bnre__cross *cross,
                                              uint64_t seed);

/* From now on members as they were trained, neither tempered nor widened. Of
   {0} it makes a cross without pairs, for x that were observed. */
void bnre__cross_plain(bnre__cross *cross, const bnre_estimator *est);

/* x (n, x_size + 1) of pairs first, first + 1, ... */
BNRE_MUST_CHECK bnre_status bnre__cross_read(const bnre__cross *cross,
                                             size_t first, size_t n, double *x);

/* Diagnose the members of folds on the rows of their folds. */
BNRE_MUST_CHECK bnre_status bnre__cross_diagnose(bnre__cross *cross,
                                                 const bnre_diag_opts *opts,
                                                 bnre_diag **out);

/* ---- conformal regions out of fold (cross_conformal.c) ---- */

/* Keep with the estimator, which is the one of the cross, the scores of its
   pairs by members as trained. Where the points of scores do not resolve the
   posteriors it keeps none. Errors: those of the density; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__cross_calibrate(bnre__cross *cross,
                                                  bnre_pool *pool,
                                                  bnre_estimator *est);

#endif
