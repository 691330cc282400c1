/* train_data.h - what training reads: a task and up to three sets of rows. */
#ifndef BNRE_INFER_TRAIN_DATA_H
#define BNRE_INFER_TRAIN_DATA_H

#include "bnre/train.h"
#include "data/subset.h"
#include "infer/estimator.h"

typedef struct bnre__train_data {
    char *task;                     /* YAML */
    const char *file;               /* where it came from */
    bnre__roles roles;              /* of the rows of opts->data */
    bnre__subset *set[BNRE__ROLES]; /* by role; NULL = not there */
    char fingerprint[BNRE__ROLES][33];
} bnre__train_data;

/* Open and check the data, keep in memory what fits, fill in what the recipe
   decides. Start from {0}; clear it in any case.
   Errors: EUSAGE when sets do not fit each other, the task or the options; as
   bnre_dataset_open(). */
BNRE_MUST_CHECK bnre_status bnre__train_data_open(bnre__train_data *data,
                                                  bnre_train_opts *opts);
void bnre__train_data_clear(bnre__train_data *data);

/* Fit the scalers of an estimator, and tell it which rows it has seen. */
BNRE_MUST_CHECK bnre_status
bnre__train_data_describe(const bnre__train_data *data,
                          const bnre_train_opts *opts, bnre_estimator *est);

#endif
