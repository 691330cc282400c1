/* run.h - one call of bnre_train(). */
#ifndef BNRE_INFER_TRAIN_RUN_H
#define BNRE_INFER_TRAIN_RUN_H

#include <pthread.h>

#include "infer/estimator/classes.h"
#include "infer/train/data.h"
#include "infer/train/train.h"
#include "io/writer_lock.h"

/* A member's part in the progress. */
typedef struct bnre__member_state {
    struct bnre__train_run *run;
    size_t rows;                /* simulations so far */
    size_t epochs;              /* ended */
    double last[BNRE__COLUMNS]; /* the latest of these */
    int over;
} bnre__member_state;

/* Some validation pairs, as they are in the file. */
typedef struct bnre__train_probe {
    size_t dim, size;
    size_t joint, want; /* rows to choose from, and to choose */
    size_t rows;        /* taken so far */
    double *theta;      /* (want, dim) */
    double *x;          /* (want, size) */
} bnre__train_probe;

typedef struct bnre__train_run {
    bnre_train_opts opts; /* resolved */
    const char *path;
    bnre__train_data data;
    bnre_node *network; /* read or made; NULL = the caller's, or none */
    bnre_estimator *est, *start; /* start: whose weights come first, or NULL */
    char *history_path;
    bnre__writer_lock *writer; /* of `path`, while this is at work */
    char *identity; /* what is trained on what, and by which kernels */
    char **part;    /* (members) paths of checkpoints */
    bnre__train_probe probe;
    bnre__train_inputs inputs;
    double deadline;
    int alone;                /* one member at a time, with all threads */
    bnre__trained *trained;   /* (members) */
    bnre_class_report report; /* of classifiers, by bnre__train_assess() */

    pthread_mutex_t lock; /* of the following, and of calls of the monitor */
    size_t each;          /* simulations in all epochs of a member */
    size_t done, found, total; /* the same of all members */
    bnre__member_state *state; /* (members) */
    int stop;
} bnre__train_run;

/* ---- files (files.c) ---- */

/* The names of all files, once the options are there; and the identity, once
   the estimator is. */
BNRE_MUST_CHECK bnre_status bnre__train_name_files(bnre__train_run *run);
BNRE_MUST_CHECK bnre_status bnre__train_identify(bnre__train_run *run);

/* That no input would be overwritten, before anything is. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__train_refuse_inputs(bnre__train_run *run);

/* Look at what is there already. *complete: the estimator is, with the same
   identity; it then takes the place of run->est. With `force`, checkpoints are
   removed. Errors: EEXIST when it is something else, or when there is a file
   in the place of the history. */
BNRE_MUST_CHECK bnre_status bnre__train_examine(bnre__train_run *run,
                                                int *complete);

/* Write history and estimator. */
BNRE_MUST_CHECK bnre_status bnre__train_write(bnre__train_run *run);
BNRE_MUST_CHECK bnre_status bnre__train_remove_parts(bnre__train_run *run);

/* ---- members (member.c) ---- */

/* Train all of them. Errors: EINTR; ENUM when the loss is
   not finite again and again; EEXIST when the checkpoint is of something else;
   EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__train_all(bnre__train_run *run);

/* Whether the data are in memory while members are trained. */
int bnre__train_keeps(const bnre__train_run *run);

/* ---- a prior known by draws (fit_prior.c) ---- */

/* Fit its density, for conditional densities; nothing to do for others. */
BNRE_MUST_CHECK bnre_status bnre__train_fit_prior(bnre__train_run *run);

/* ---- failed simulations that are missing (fit_validity.c) ---- */

/* Fit P(result | theta), where a conditional density has room for it, and tell
   what the weights of rows cost. Errors: EUSAGE when there are next to no
   results in a part of the prior; those of reading; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__train_fit_validity(bnre__train_run *run,
                                                     size_t missing);

/* ---- what was learned (information.c) ---- */

/* Keep some pairs of a set that is not scaled yet. Free them in any case. */
BNRE_MUST_CHECK bnre_status bnre__train_take_probe(bnre__train_probe *probe,
                                                   const bnre__subset *set);
void bnre__train_free_probe(bnre__train_probe *probe);

/* Fill in the information about theta. */
BNRE_MUST_CHECK bnre_status bnre__train_information(const bnre__train_run *run,
                                                    bnre_train_result *result);

/* Judge a classifier by the rows held out for that. (classes.c) */
BNRE_MUST_CHECK bnre_status bnre__train_assess(bnre__train_run *run);

/* ---- progress (progress.c) ---- */

/* A sentence for the monitor. */
void bnre__train_note(const bnre_train_opts *opts, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* What a member reports to; call bnre__train_over() when it is done. */
bnre__train_watch bnre__train_watch_of(bnre__train_run *run, size_t member);
void bnre__train_over(bnre__train_run *run, size_t member);

#endif
