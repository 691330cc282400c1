/* observed.h - what was observed, and its posterior by the estimator of a
   run. */
#ifndef BNRE_STUDY_OBSERVED_H
#define BNRE_STUDY_OBSERVED_H

#include "base/hash.h"
#include "bnre/dataset.h"
#include "bnre/pool.h"
#include "bnre/posterior.h"
#include "bnre/status.h"
#include "study/study.h"

/* The observation of a study as one of its tasks sees it. */
typedef struct bnre__observed {
    bnre_observations observed;
    const bnre_prior *all; /* parameters of the task, */
    double *truth; /* (dim of these) or NULL: not known, or read later */
    /* As the study has it: the file, the truth and the parameters in pictures,
       the latter NULL if it does not say. */
    const char *file, *given, *show, *odds;
    char *prior;        /* its file, owned; NULL = that of training */
    bnre_opt_list also; /* further experiments, files in turn, owned */
    char hash[33];      /* of all that matters here */
} bnre__observed;

/* Read it for a task. Errors: those of bnre_observations_read(); EUSAGE for a
   truth or parameters to be shown that do not fit. */
BNRE_MUST_CHECK bnre_status bnre__observed_read(const bnre_study *study,
                                                size_t task,
                                                bnre__observed *out);
void bnre__observed_clear(bnre__observed *observed);

/* A dataset of whose rows each run makes posteriors (`each`), and another prior
   than that of training. */
typedef struct bnre__catalogue {
    char *file;        /* NULL: there is none */
    char *prior;       /* likewise, NULL = that of training */
    char print[33];    /* of the dataset, */
    char of_prior[33]; /* and of the other file */
} bnre__catalogue;

/* Errors: EUSAGE for a file that cannot be read; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__catalogue_read(const bnre_study *study,
                                                 bnre__catalogue *out);
void bnre__catalogue_clear(bnre__catalogue *catalogue);

typedef struct bnre__observed_work {
    const bnre__fields *fields;
    uint64_t seed;
    const char *formats; /* of the picture */
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre__observed_work;

/* The posterior, as the command makes it, into a directory; `pairs`, the file of
   test pairs or NULL, are for regions under another prior. One that must not
   be used is made all the same: bnre__observed_doubt() tells. Errors: others of
   bnre_posterior_make(). */
BNRE_MUST_CHECK bnre_status bnre__observed_posterior(
    const bnre__observed *observed, const bnre__observed_work *work,
    const char *pairs, const char *estimator, const char *directory);

/* Whether the model fits, as the command `check` tells it, into a directory;
   `task` is that of the cell, `pairs` the file of its test pairs, or NULL. What
   does not fit is told likewise. Errors: others of bnre_check_make(). */
BNRE_MUST_CHECK bnre_status bnre__observed_check(
    const bnre__observed *observed, const bnre__observed_work *work,
    const bnre_node *task, const char *pairs, const char *estimator,
    const char *directory);

/* What decides on its posteriors besides the estimator and the seed. */
void bnre__catalogue_hash(const bnre__catalogue *catalogue,
                          const bnre__fields *fields, bnre__hash *hash);

/* A posterior for each row, as the command makes them, into a directory. Those
   that must not be used are told likewise. Errors: others of
   bnre_posterior_make(). */
BNRE_MUST_CHECK bnre_status bnre__catalogue_posteriors(
    const bnre__catalogue *catalogue, const bnre__observed_work *work,
    const char *estimator, const char *directory);

/* Why the posterior must not be used, by the file of results in the directory;
   "" if it may. Errors: EIO; EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__observed_doubt(const char *directory,
                                                 const char *file,
                                                 char why[BNRE_DOUBT]);

#endif
