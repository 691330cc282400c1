/* diagnose.h - the parts of the command `diagnose`. */
#ifndef BNRE_COMMAND_DIAGNOSE_H
#define BNRE_COMMAND_DIAGNOSE_H

#include "bnre/classes.h"
#include "bnre/command.h"
#include "bnre/dataset.h"
#include "bnre/estimator.h"
#include "bnre/task.h"
#include "output/output.h"

typedef struct bnre__diagnose_work {
    const bnre_diagnose_request *request;
    const bnre_diagnose_settings *settings;
    const char *path; /* NULL: nothing is written */
    bnre_diagnose_outcome *outcome;
    bnre_estimator *estimator; /* NULL: none */
    char print[33];            /* of the estimator as it is in the file */
    char of_class[BNRE_MOST_MODELS][33]; /* of the rows of each class */
    bnre_dataset *data;                  /* NULL: none */
    bnre_diag_opts opts;
    double *temper;      /* (opts.n_temper) of an estimator's posteriors */
    bnre_prior *prior;   /* another than that of training, or NULL; */
    bnre_node *prior_as; /* what it came to be, */
    bnre_joint *joint;   /* and the density under it */
    bnre_node *made;     /* how it comes about; NULL: nothing is written */
    bnre__output_files *output; /* likewise */
} bnre__diagnose_work;

/* ---- what the texts among the settings mean (diagnose_options.c) ---- */

/* All that can be told without files. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status
bnre__diagnose_check(const bnre_diagnose_settings *settings);

/* The points for each pair. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__diagnose_grid(
    const bnre_diagnose_settings *settings, bnre_diag_opts *opts);

/* "0.5,1" as numbers, `usual` alone if `text` is NULL. The caller frees *out.
   Errors: EUSAGE; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__diagnose_temper(const char *text,
                                                  double usual, double **out,
                                                  size_t *n);

/* ---- another prior (diagnose_prior.c) ---- */

/* Once estimator and pairs are open: the density under settings->prior, and
   whose pairs these are. Nothing without it. Errors: EUSAGE where the pairs
   cannot stand for that prior. */
BNRE_MUST_CHECK bnre_status bnre__diagnose_prior(bnre__diagnose_work *work);
/* What of it the result depends on, into the map of how it comes about. */
BNRE_MUST_CHECK bnre_status
bnre__diagnose_record_prior(const bnre__diagnose_work *work, bnre_node *made);

/* ---- what is looked at beyond the diagnosis (diagnose_advice.c) ---- */

/* Whether it can be looked at at all: before any work. */
BNRE_MUST_CHECK bnre_status
bnre__diagnose_check_advice(const bnre__diagnose_work *work);
/* What of it the result depends on, into the map of how it comes about. */
BNRE_MUST_CHECK bnre_status
bnre__diagnose_record_advice(const bnre__diagnose_work *work, bnre_node *made);
BNRE_MUST_CHECK bnre_status
bnre__diagnose_advise(const bnre__diagnose_work *work);
/* The certificate, if it is about the posteriors that are looked at. */
const bnre_certificate *
bnre__diagnose_certificate(const bnre_diagnose_outcome *outcome);

/* ---- its files (diagnose_files.c) ---- */

/* Before the work: directories are made. Errors: those of bnre__output_open().
 */
BNRE_MUST_CHECK bnre_status bnre__diagnose_open(bnre__diagnose_work *work);
/* All files, at once; `unfinished` says why this is not all. */
BNRE_MUST_CHECK bnre_status
bnre__diagnose_publish(const bnre__diagnose_work *work, const char *unfinished);

/* ---- estimators of classes (assess.c) ---- */

/* How good one is on rows that it has not seen: accuracy, calibration,
   confusion. Of pairs whose parameter is the class; nothing for other
   estimators. The caller clears *out in any case. Errors: EUSAGE for a class
   with fewer than two rows; those of reading and evaluating. */
BNRE_MUST_CHECK bnre_status bnre__assess_pairs(const bnre_estimator *est,
                                               bnre_pool *pool,
                                               bnre_dataset *data,
                                               bnre_models_report *out);

/* `diagnose` with `classes`: all of it, into work->outcome->models and the file
   of results. */
BNRE_MUST_CHECK bnre_status bnre__diagnose_classes(bnre__diagnose_work *work);

#endif
