/* command.h - every command of the program as one call.

   A command has settings (a struct that its table of options fills, from a
   command line, a file or a study), a request (the settings, and who asks), an
   outcome (what came of it, for those who tell people), and one function that
   does all of it: checks, work, warnings, files, and whether the result may be
   used. The command line, studies and bindings call the same function, so that
   they cannot differ.

     simulate   task                 -> dataset            bnre_simulate_make()
     train      dataset              -> estimator          bnre_train_make()
     posterior  estimator, x         -> directory          bnre_posterior_make()
                classifier, rows     -> probabilities      bnre_classify()
     diagnose   estimator, pairs     -> file of results    bnre_diagnose_make()
     check      estimator, x, task   -> directory          bnre_check_make()
     convert    dataset              -> another format     bnre_convert_make()
     export     estimator            -> file of C or ONNX  bnre_export_make()
     info       any file             -> what it is         bnre_info_make()
     doctor     this machine         -> what is missing    bnre_doctor_make()
     run        study                -> directory          study.h
     report     directory of a study -> page, figures      study.h

   Texts in settings belong to whom has filled them in: bnre_opt_init() and
   bnre_opt_clear() with the command's table. Everything else borrows them.
   Every request takes a pool (NULL = one thread) and a monitor (NULL = silent),
   whose notes are warnings. The caller clears an outcome in any case, and keeps
   settings and pool until then. */
#ifndef BNRE_COMMAND_H
#define BNRE_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/certificate.h"
#include "bnre/check.h"
#include "bnre/classes.h"
#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/pool.h"
#include "bnre/posterior.h"
#include "bnre/posterior_files.h"
#include "bnre/settings.h"
#include "bnre/status.h"
#include "bnre/task.h"
#include "bnre/train.h"
#include "bnre/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- simulate ---- */

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_simulate_settings {
    char *task;
    bnre_opt_list option;
    size_t count; /* 0 = as the help says */
    int split;    /* bnre_split */
    char *theta, *theta_file, *within;
    int theta_only;
    size_t workers;
    char *output; /* NULL = by the name of the task */
} bnre_simulate_settings;

/* The table of options, with offsets in bnre_simulate_settings; and likewise
   for the other commands. */
BNRE_API const bnre_opt *bnre_simulate_options(size_t *n);

typedef struct bnre_simulate_request {
    const bnre_simulate_settings *settings;
    uint64_t seed;
    const char *input; /* another file that must not be written over; or NULL */
    int force;         /* replace another result */
    int dry_run;       /* check everything, load no plugin, and make nothing */
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre_simulate_request;

typedef struct bnre_simulate_outcome {
    char *path; /* of the dataset */
    bnre_task *task;
    int known;    /* 0: a dry run has not loaded the plugin, which alone tells
                     the parameters and the shape of x */
    size_t count; /* rows that were asked for */
    double bytes; /* that they need, about */
    bnre_simulate_result result;
} bnre_simulate_outcome;

/* Simulate into settings->output; the directories that lead to it are made.
   Errors: EUSAGE for settings that contradict each other; those of
   bnre_task_open() and bnre_simulate(); ENUM, EIO and EFORMAT for `theta` and
   `theta_file`. After EINTR outcome->result tells how many rows are
   safe. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_simulate_make(
    const bnre_simulate_request *request, bnre_simulate_outcome *outcome);
BNRE_API void bnre_simulate_outcome_clear(bnre_simulate_outcome *outcome);

/* ---- train ---- */

/* Rows of bnre_train_options() fill `train`, those of bnre_train_more() the
   rest. */
typedef struct bnre_train_settings {
    bnre_train_opts train; /* but for seed, force, pool, monitor and history,
                              which the request has */
    bnre_trust_opts trust; /* but for its texts, */
    char *select, *certify, *calibrate; /* which are these */
    int check;                          /* EDOUBT where it is not certified */
    char *format; /* of the figure of candidates; NULL = none */
    char *history, *output;
} bnre_train_settings;

BNRE_API const bnre_opt *bnre_train_more(size_t *n);

typedef struct bnre_train_request {
    const bnre_train_settings *settings;
    uint64_t seed;
    double save_every; /* seconds between checkpoints; 0 = 30 */
    int force;         /* replace another result */
    int dry_run;       /* check everything, and make nothing */
    int shared; /* settings of a choice are there for others, too, and no error
                   where nothing is chosen */
    const char *input; /* another file that must not be written over; or NULL */
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre_train_request;

typedef struct bnre_train_outcome {
    int chosen; /* something was chosen, tempered, widened or calibrated: the
                   result has a certificate */
    bnre_trust_result result;
    int drawn;                 /* 0: there was no gnuplot for the figure */
    bnre_models_report models; /* of more than two classes; else n = 0 */
    /* Of a dry run: all settings with the network as YAML, and what would be
       chosen in words; NULL = nothing. */
    char *plan, *choice;
} bnre_train_outcome;

/* Train into the file `path`, which ends in .h5; the directories that lead to
   it are made. Errors: EUSAGE for settings that contradict each other; those of
   bnre_train() and bnre_trust_train(); EDOUBT if settings->check and the result
   is not certified: it is in its place all the same. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_train_make(const bnre_train_request *request, const char *path,
                bnre_train_outcome *outcome);
BNRE_API void bnre_train_outcome_clear(bnre_train_outcome *outcome);

/* ---- posterior ---- */

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_posterior_settings {
    bnre_opt_list observation;
    char *each;         /* NULL = one posterior, of the observation */
    char *prior;        /* a file; NULL = that of training */
    char *calibrate;    /* with it: a dataset, for conformal regions; or NULL */
    bnre_opt_list also; /* further experiments: ESTIMATOR, OBSERVATION in turn,
                           or "ESTIMATOR=OBSERVATION" */
    char *grid, *levels, *truth, *show, *format;
    char *odds;       /* of classes */
    char *write;      /* NULL = csv,npy */
    char *predictive; /* a dataset; NULL = none */
    int sampler;
    size_t samples; /* 0 = 10,000; of each row 1,000 */
    size_t bank, steps;
    double temper, widen; /* 0 = the estimator's */
    int regions, local;
} bnre_posterior_settings;

/* The table of options: rows for the command line and records, with offsets in
   bnre_posterior_settings. bnre_opt_init() fills in the defaults. */
BNRE_API const bnre_opt *bnre_posterior_options(size_t *n);

typedef struct bnre_posterior_request {
    const char *estimator; /* its file */
    const bnre_posterior_settings *settings;
    const bnre_observations *observed; /* what settings->observation holds, for
                                          those who have read it; or NULL */
    uint64_t seed;
    const char *input; /* another file that must not be written over; or NULL */
    int force;         /* replace another result */
    int dry_run;       /* check everything, and make nothing */
    int if_calibrated; /* without calibration there are no conformal regions,
                          also where they are asked for: no error */
    bnre_pool *pool;   /* NULL = one thread */
    const bnre_monitor *monitor; /* notes are warnings; NULL = silent */
} bnre_posterior_request;

enum { BNRE_POSTERIOR_LEVELS = 32 }; /* at most */

/* Posteriors of the rows of a dataset (settings->each). */
typedef struct bnre_posterior_rows {
    size_t rows;     /* of the dataset; 0 = there is one posterior, and no such
                        thing */
    size_t kept;     /* of these, computed before an interruption */
    size_t failed;   /* rows without x: their results are NaN */
    size_t outside;  /* rows with values beyond those of training */
    size_t unlike;   /* rows unlike the pairs of the calibration */
    size_t doubtful; /* posteriors that must not be used */
} bnre_posterior_rows;

/* What came of it, for those who tell people. */
typedef struct bnre_posterior_outcome {
    int found; /* the same result was there already: nothing was done, and of
                  what follows `doubt` alone is known */
    char doubt[BNRE_DOUBT]; /* why it must not be used; "" = it may */
    int drawn;              /* 0: there was no gnuplot for the picture */
    bnre_posterior_rows each;

    bnre_estimator *estimator; /* tempered as was asked for */
    bnre_density density;      /* its own, or the joint one below */
    size_t observations;
    size_t levels;
    double level[BNRE_POSTERIOR_LEVELS];
    double *truth;              /* (dim) or NULL */
    bnre_posterior_files files; /* as they were asked for */
    bnre_session *session;
    bnre_posterior *posterior; /* NULL if nothing was made */
    size_t conformals;         /* 0, or as many as levels */
    bnre_conformal_region conformal[BNRE_POSTERIOR_LEVELS];
    bnre_conformal_region local[BNRE_POSTERIOR_LEVELS]; /* if asked for */
    bnre_certificate certificate; /* of the estimator as it was trained */
    bnre_guarantee guarantee;
    size_t warnings;
    char **warning; /* (warnings), also in posterior.json */

    /* Under another prior, or of several experiments; else NULL and 0. */
    bnre_prior *prior;
    size_t others;
    bnre_estimator **other; /* (others), of settings->also */
    bnre_joint *joint;      /* of the estimator, then of these */
} bnre_posterior_outcome;

/* Make the posterior in `directory`; the directories that lead to it are made.
   With settings->each a posterior for every row of that dataset: each.json and
   summaries.csv with a line for each, samples.npy (rows, samples, parameters)
   with draws of all; interrupted or killed, the next call goes on.
   It is published as one thing (output.h), and where the same is there already
   nothing is done. The caller clears *outcome in any case, and keeps settings
   and pool until then.
   Errors: EDOUBT with outcome->doubt for a posterior that must not be used: it
   is in its place all the same. Otherwise there is nothing new: EDOUBT without
   it for conformal regions that were asked for and cannot be resolved; EUSAGE
   for settings and observations that do not fit the estimator; those of
   bnre_estimator_open(), bnre_observations_read(),
   bnre_posterior_compute() (EINTR among them) and bnre_posterior_save(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_make(const bnre_posterior_request *request,
                    const char *directory, bnre_posterior_outcome *outcome);
BNRE_API void bnre_posterior_outcome_clear(bnre_posterior_outcome *outcome);

/* What a classifier (bnre_train_opts.classes) says of rows: of row i, from 0
   through all files, the probabilities (n) of the classes, and of two classes
   the log ratio of the first to the second. For a row that failed they are NULL
   and NaN. Another status than OK ends it. */
typedef bnre_status (*bnre_classify_fn)(void *context, size_t row,
                                        double log_ratio, size_t n,
                                        const double *probability);

/* The rows of n files, one after the other, for prior odds of the classes such
   as "1,1,2" (NULL: equal ones). *rows and *outside receive how many there are,
   and how many of them have values beyond all that it was trained on. Errors:
   EUSAGE for an estimator that is no classifier, for rows of other columns, and
   for odds that are no numbers above 0 or not as many as classes; those of
   bnre_dataset_open_x() and bnre_dataset_read(). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_classify(
    const bnre_estimator *estimator, bnre_pool *pool, const char *odds,
    size_t n, char *const *path, bnre_classify_fn fn, void *context,
    size_t *rows, size_t *outside);

/* How many classes it is of: 2, or those of bnre_models_count(); 0 if it is no
   classifier. */
BNRE_API size_t bnre_classify_count(const bnre_estimator *estimator);

/* ---- diagnose ---- */

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_diagnose_settings {
    char *data, *samples_file, *grid, *most_points, *temper;
    char *format; /* NULL: the file of results alone, no tables and figures */
    size_t points, draws, observations;
    size_t steps; /* 0 = 32 */
    int check, strict, normalised, each_member, allow_seen;
    double delta, eps, widen; /* widen 0 = the estimator's */
    char *learning_curve, *observation, *task;
    size_t theorems;
    char *prior; /* a file; NULL = that of training */
    bnre_opt_list classes;
} bnre_diagnose_settings;

/* The table of options: rows for the command line and records, with offsets in
   bnre_diagnose_settings. bnre_opt_init() fills in the defaults. */
BNRE_API const bnre_opt *bnre_diagnose_options(size_t *n);

typedef struct bnre_diagnose_request {
    const char *estimator; /* its file; may be NULL for samples */
    const bnre_diagnose_settings *settings;
    uint64_t seed;
    const char *input; /* another file that must not be written over; or NULL */
    const bnre_node *task; /* that of the pairs, from one who trusts it, in
                              place of the one that settings name; or NULL */
    const char *stem; /* for files on the way to a learning curve; NULL: beside
                         the estimator */
    int force;        /* replace another result */
    int dry_run;      /* check everything, and make nothing */
    int fresh;        /* the pairs were simulated apart from those of the
                         training: equal ones are chance, and not looked for */
    int whole;       /* nothing is written of what was interrupted, or could not
                        be advised on */
    bnre_pool *pool; /* NULL = one thread */
    const bnre_monitor *monitor;  /* notes are warnings; NULL = silent */
    const bnre_monitor *advising; /* likewise, for theory and learning curve */
} bnre_diagnose_request;

enum { BNRE_VERDICT_NAME = 32 };

/* What came of it, for those who tell people. */
typedef struct bnre_diagnose_outcome {
    int found; /* the same result was there already: nothing was done, and of
                  what follows `verdict` and `check` alone are known */
    int known; /* there were no pairs: `verdict` and `certificate` are what is
                  known out of fold, since the estimator was trained */
    char verdict[BNRE_VERDICT_NAME]; /* its name; "" = there is none */
    bnre_status check; /* EDOUBT: it failed; OK also if it was not asked for */
    int drawn;         /* 0: there was no gnuplot for the figures */

    size_t rows;     /* of the pairs */
    bnre_diag *diag; /* NULL if nothing was found; of the pairs that
                        were done if it was interrupted */
    bnre_certificate certificate; /* as the estimator had it */
    double tested, tested_widen;  /* its temper and widen */
    bnre_guarantee guarantee;     /* whether it is about these posteriors */
    bnre_theorem theorem;         /* n = 0: none */
    bnre_learning_curve curve;    /* likewise */
    bnre_advice advice;
    bnre_models_report models; /* of an estimator of classes; n = 0: none */

    /* Under another prior than that of training: how it differs, and whether
       the pairs are its own; of pairs of the prior of training those that
       change.most leaves are looked at, and `lost` is taken from eps. */
    int other_prior, own_pairs;
    bnre_prior_change change;
} bnre_diagnose_outcome;

/* Without pairs and samples nothing is made: the outcome tells what is known of
   an estimator out of fold (`known`); EUSAGE if that is nothing.

   Diagnose into the file `path`, which ends in .json; the directories that lead
   to it are made. It is published with what lies beside it as one thing,
   and where the same is there already nothing is done. `path` NULL:
   nothing is written. The caller clears *outcome in any case.
   Errors: where outcome->diag is there it tells what was found all the same.
   These are EDOUBT for a check that was asked for and failed, and EUSAGE for
   one without a verdict, with all files in their places; EINTR and errors of
   the advice, with files that tell that they are not finished, or none if
   `whole`; and errors of writing. Otherwise there is nothing new: EUSAGE for
   settings and pairs that do not fit the estimator; those of
   bnre_estimator_open(), bnre_dataset_open(), bnre_diagnose_dataset(),
   bnre_diagnose_samples(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_diagnose_make(const bnre_diagnose_request *request, const char *path,
                   bnre_diagnose_outcome *outcome);
BNRE_API void bnre_diagnose_outcome_clear(bnre_diagnose_outcome *outcome);

/* ---- check ---- */

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_check_settings {
    bnre_opt_list observation, option, summary;
    char *task, *data, *predictive, *pairs, *format;
    size_t draws, workers; /* 0 = as the help says */
    double significance, temper, widen;
} bnre_check_settings;

BNRE_API const bnre_opt *bnre_check_options(size_t *n);

typedef struct bnre_check_request {
    const char *estimator; /* its file */
    const bnre_check_settings *settings;
    const bnre_observations *observed; /* as for a posterior; or NULL */
    uint64_t seed;
    const char *input;     /* another file that must not be written over */
    const bnre_node *task; /* from one who trusts it, in place of the one that
                              settings name; or NULL */
    int force;             /* replace another result */
    int dry_run;           /* check everything, run and make nothing */
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre_check_request;

typedef struct bnre_check_outcome {
    int found; /* the same result was there already: nothing was done, and of
                  what follows `verdict` and `doubt` alone are known */
    char verdict[BNRE_VERDICT_NAME]; /* FITS, MISFIT or UNCHECKED */
    char doubt[BNRE_DOUBT]; /* why the posterior must not be relied on; "" */
    int drawn;              /* 0: there was no gnuplot for the figure */
    bnre_check_report report;
    size_t warnings;
    char **warning; /* (warnings), also in check.json */
} bnre_check_outcome;

/* Check in `directory`; the directories that lead to it are made. It is
   published as one thing, and where the same is there already nothing is done.
   Errors: EDOUBT with outcome->doubt where the model does not fit, where the
   estimator is overconfident here or near, or where the posterior must not be
   used: the result is in its place all the same. Otherwise there is nothing
   new: EUSAGE for settings that contradict each other or do not fit the
   estimator; those of bnre_posterior_make() and bnre_simulate(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_check_make(const bnre_check_request *request, const char *directory,
                bnre_check_outcome *outcome);
BNRE_API void bnre_check_outcome_clear(bnre_check_outcome *outcome);

/* ---- convert ---- */

typedef struct bnre_convert_outcome {
    const char *format; /* of what was made */
    size_t rows;
    char fingerprint[33];
} bnre_convert_outcome;

/* Copy the dataset `from` into `to`, in the format that its ending says; the
   directories that lead to it are made, and it appears whole or not at all.
   Errors: EEXIST unless `force`; those of bnre_dataset_open() and
   bnre_dataset_read(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_convert_make(const char *from, const char *to, int force,
                  const bnre_monitor *monitor, bnre_convert_outcome *outcome);

/* ---- export ---- */

typedef struct bnre_export_settings {
    char *name;  /* with which all names in C begin; NULL = as the file */
    size_t rows; /* pairs that a model in ONNX takes at a time; 0 = 1 */
} bnre_export_settings;
BNRE_API const bnre_opt *bnre_export_options(size_t *n);

typedef struct bnre_export_request {
    const char *estimator; /* its file */
    const bnre_export_settings *settings;
    const char *input; /* another file that must not be written over; or NULL */
    int force;         /* replace a file */
    int dry_run;       /* check everything, and make nothing */
} bnre_export_request;

typedef struct bnre_export_outcome {
    bnre_estimator *estimator;
} bnre_export_outcome;

/* Write the log ratio of an estimator into the file `path` for other programs;
   the directories that lead to it are made. Its ending says what it is: `.c` is
   one file of C99 that needs the C library alone and gives the log ratio and
   its gradient by theta; `.onnx` is a model of operator set 17 that takes theta
   and x and gives the log ratio. Both are of the whole estimate: scalers,
   coordinates of the prior, all members, temper and widen. Errors: EUSAGE in
   words for what cannot be exported; EEXIST unless `force`; EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_export_make(const bnre_export_request *request, const char *path,
                 bnre_export_outcome *outcome);
BNRE_API void bnre_export_outcome_clear(bnre_export_outcome *outcome);

/* ---- info ---- */

typedef enum bnre_info_kind {
    BNRE_INFO_DATASET,
    BNRE_INFO_ESTIMATOR,
    BNRE_INFO_POSTERIOR,
    BNRE_INFO_TASK,   /* YAML that describes one */
    BNRE_INFO_STUDY,  /* YAML with a task among other settings */
    BNRE_INFO_OUTLINE /* YAML with parameters and priors, without a simulator */
} bnre_info_kind;

/* A column of a dataset. */
typedef struct bnre_info_column {
    double low, high, sum; /* of n values */
    size_t n;
} bnre_info_column;

typedef struct bnre_info_outcome {
    bnre_info_kind kind;
    bnre_dataset *data;       /* NULL unless it is one; likewise below */
    bnre_info_column *column; /* (dim_theta + 1) of theta, and of all x; NULL:
                                 the contents do not match */
    int unfinished;           /* more rows are in FILE.part */
    bnre_estimator *estimator;
    char fingerprint[33]; /* of the contents; "" = they cannot be read */
    bnre_node *posterior; /* what it was made of */
    bnre_task *task;
    char *outline;
} bnre_info_outcome;

/* Tell what a file is, and whether it is intact. Nothing that it names is
   loaded or started. Errors: EIO; EFORMAT for what is no file of ours, and for
   a dataset whose contents do not match its fingerprint (then outcome->data is
   there); ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_info_make(const char *path,
                                                    bnre_info_outcome *outcome);
BNRE_API void bnre_info_outcome_clear(bnre_info_outcome *outcome);

/* ---- doctor ---- */

/* A thing that bnre works with. */
typedef struct bnre_doctor_item {
    const char *what;
    char *found;         /* where or what it is; NULL = it is not there */
    const char *missing; /* what its lack means, and what to do */
} bnre_doctor_item;

enum { BNRE_DOCTOR_ITEMS = 12 }; /* at most */

typedef struct bnre_doctor_outcome {
    bnre_doctor_item item[BNRE_DOCTOR_ITEMS];
    size_t n;
    int complete; /* whatever bnre cannot do without is there */
} bnre_doctor_outcome;

/* Look for what bnre works with. Errors: ENOMEM; that something is missing is
   none. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_doctor_make(bnre_doctor_outcome *outcome);
BNRE_API void bnre_doctor_outcome_clear(bnre_doctor_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
