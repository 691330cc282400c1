/* checkpoint.h - where the training of a member stands, in a file.

   A checkpoint holds everything that matters for what comes next, so that
   training goes on from it to the same bits. It is written beside its old
   version and renamed: there is always a whole one. */
#ifndef BNRE_INFER_CHECKPOINT_H
#define BNRE_INFER_CHECKPOINT_H

#include <stdint.h>

#include "infer/train/factor_loss.h"
#include "infer/train/history.h"
#include "infer/train/set_loss.h"
#include "nn/optim.h"

typedef enum bnre__train_pass {
    BNRE__PASS_TRAIN,
    BNRE__PASS_VALIDATE,
    BNRE__PASS_SCHEDULE,
    BNRE__PASSES
} bnre__train_pass;

/* Plain numbers. */
typedef struct bnre__train_state {
    uint64_t epoch; /* that is being done, from 1 */
    uint64_t pass;  /* of it: bnre__train_pass */
    uint64_t batch; /* of that, done so far */
    bnre__set_sums sums;
    bnre__set_loss set[BNRE__PASSES]; /* passes of this epoch that are done */
    bnre__schedule schedule;
    double best;         /* loss */
    uint64_t best_epoch; /* 0 = there is none */
    uint64_t skipped;    /* steps, */
    uint64_t before;     /* of these, in earlier epochs */
    uint64_t in_a_row;
    uint64_t steps; /* of the optimiser */
    uint64_t stop;  /* bnre_train_stop: not 0 when training is over */
} bnre__train_state;

/* The same of one factor of a conditional density. */
typedef struct bnre__factor_state {
    bnre__factor_sums sums;
    bnre__set_loss set[BNRE__PASSES];
    double best;
    double balance; /* see bnre__factor_loss() */
} bnre__factor_state;

/* All of it; arrays are the caller's. */
typedef struct bnre__checkpoint {
    bnre__train_state *state;
    size_t weights, buffers;
    float *now, *now_buffers;   /* (weights), (buffers) */
    float *best, *best_buffers; /* of the best epoch */
    float *first, *second;      /* moments (weights) */
    bnre__history *history;
    size_t factors;             /* 0 unless a conditional density is trained */
    bnre__factor_state *factor; /* (factors) */
} bnre__checkpoint;

/* Errors: EIO, the old version being intact; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__checkpoint_save(
    const char *path, const char *identity, const bnre__checkpoint *checkpoint);

/* Fill in what the file has; *found = 0 if there is none. Errors: EEXIST when
   it belongs to something else or is damaged; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__checkpoint_load(const char *path,
                                                  const char *identity,
                                                  bnre__checkpoint *checkpoint,
                                                  int *found);

/* EEXIST for a file that is no checkpoint, or not of such a training. */
bnre_status bnre__checkpoint_fail_damaged(const char *path);

/* EEXIST naming the first line in which the identities differ. */
bnre_status bnre__checkpoint_fail_other(const char *path, const char *verb,
                                        const char *theirs, const char *ours);

#endif
