/* data.h - what training reads: a task and up to three sets of rows. */
#ifndef BNRE_INFER_TRAIN_DATA_H
#define BNRE_INFER_TRAIN_DATA_H

#include "bnre/train.h"
#include "data/subset.h"
#include "infer/estimator/estimator.h"
#include "infer/train/folds.h"

typedef struct bnre__train_data {
    char *task;                     /* YAML; NULL for classes */
    char *whole;                    /* the same with all parameters, where some
                                       are chosen; else NULL */
    const char *file;               /* where it came from */
    int plan;                       /* nothing is trained: nothing is loaded */
    int given_batch;                /* its size is not ours to choose */
    bnre__outline outline;          /* what it says; {0} for classes */
    bnre__roles roles;              /* of the rows of opts->data */
    bnre__folds folds;              /* of those to learn from; or none */
    bnre__subset *set[BNRE__ROLES]; /* by role; NULL = not there */
    char fingerprint[BNRE__ROLES][33];
    double *x_offset; /* (x_size) if floats would lose what x tells; NULL */

    /* Of two classes the sets above are the first one's, and that of scheduling
       is for the report. */
    int classes;
    bnre__roles other_roles;
    bnre__subset *other[BNRE__ROLES]; /* the second one's */
    char *label[2];
} bnre__train_data;

/* All sets, one after the other; NULL where there is none. */
enum { BNRE__SETS = 2 * BNRE__ROLES };
static inline bnre__subset *bnre__train_data_at(const bnre__train_data *data,
                                                size_t i)
{
    return i < BNRE__ROLES ? data->set[i] : data->other[i - BNRE__ROLES];
}

/* The same as bnre__train_data_open() for opts->classes. (classes.c) */
BNRE_MUST_CHECK bnre_status bnre__train_classes_open(bnre__train_data *data,
                                                     bnre_train_opts *opts);

/* Find out whether floats do for x, and read all sets accordingly. */
BNRE_MUST_CHECK bnre_status bnre__train_data_offset(bnre__train_data *data);

/* Open and check the data, and put values in place of what is left to the
   recipe. Start from {0}; clear it in any case.
   Errors: EUSAGE when sets do not fit each other, the task or the options; as
   bnre_dataset_open(). */
BNRE_MUST_CHECK bnre_status bnre__train_data_open(bnre__train_data *data,
                                                  bnre_train_opts *opts);
void bnre__train_data_clear(bnre__train_data *data);

/* A part of the same data, by the roles that `out` has, in a set of this role
   that is arranged like those of `data`. Clear it in any case. */
BNRE_MUST_CHECK bnre_status bnre__train_data_again(const bnre__train_data *data,
                                                   const bnre_train_opts *opts,
                                                   bnre__role role,
                                                   bnre__train_data *out);

/* What a member of a fold learns from and stops by: its own rows of the data,
   a tenth of them held out by its seed, unless there is a file for that. */
BNRE_MUST_CHECK bnre_status bnre__train_data_of_member(
    const bnre__train_data *data, const bnre_train_opts *opts, size_t fold,
    uint64_t seed, bnre__train_data *out);

/* Which data these are, for the estimator. */
void bnre__train_data_record(const bnre__train_data *data,
                             const bnre_train_opts *opts, bnre_estimator *est);

/* Take into memory what fits; whether all of it does. */
int bnre__train_data_is_kept(const bnre__train_data *data);
BNRE_MUST_CHECK bnre_status bnre__train_data_keep(bnre__train_data *data,
                                                  const bnre_train_opts *opts);

/* Fit the scalers of an estimator, and tell it which rows it sees.
   (scan.c) Errors: ENUM when a value cannot be scaled; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__train_data_fit(const bnre__train_data *data,
                                                 const bnre_train_opts *opts,
                                                 bnre_estimator *est);
/* The same of folds, after it: their scalers, and the fold of each row. */
BNRE_MUST_CHECK bnre_status
bnre__train_data_fit_folds(const bnre__train_data *data,
                           const bnre_train_opts *opts, bnre_estimator *est);

#endif
