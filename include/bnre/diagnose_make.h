/* diagnose_make.h - the command `diagnose` as a call.

   From an estimator and fresh pairs, or from samples of posteriors that were
   made elsewhere, to a file of results with tables and figures beside it, with
   everything that belongs to it: the checks of what was asked for, the
   certificate as far as it is about these posteriors, theory, the learning
   curve, advice, how the result came about, and whether it passes a check. The
   command line and studies both call it, so that they cannot differ. */
#ifndef BNRE_DIAGNOSE_MAKE_H
#define BNRE_DIAGNOSE_MAKE_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/advice.h"
#include "bnre/certificate.h"
#include "bnre/diag.h"
#include "bnre/opt.h"
#include "bnre/pool.h"
#include "bnre/settings.h"
#include "bnre/status.h"
#include "bnre/theorem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_diagnose_settings {
    char *data, *samples, *grid, *most_points, *temper;
    char *format; /* NULL: the file of results alone, no tables and figures */
    size_t points, draws, observations;
    int check, strict, normalised, each_member, allow_seen;
    double delta, eps, widen; /* widen 0 = the estimator's */
    char *learning_curve, *observation, *task;
    size_t theorems;
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
} bnre_diagnose_outcome;

/* Diagnose into the file `path`, which ends in .json; the directories that lead
   to it are made. It is published with what lies beside it as one thing
   (output.h), and where the same is there already nothing is done. `path` NULL:
   nothing is written. The caller clears *outcome in any case.
   Errors: where outcome->diag is there it tells what was found all the same.
   These are EDOUBT for a check that was asked for and failed, and EUSAGE for
   one without a verdict, with all files in their places; EINTR and errors of
   the advice, with files that tell that they are not finished, or none if
   `whole`; and errors of writing. Otherwise there is nothing new: EUSAGE for
   settings and pairs that do not fit the estimator; those of
   bnre_estimator_open(), bnre_dataset_open(), bnre_diag_samples_read(),
   bnre_output_open(), bnre_diagnose_dataset(), bnre_diagnose_samples(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_diagnose_make(const bnre_diagnose_request *request, const char *path,
                   bnre_diagnose_outcome *outcome);
BNRE_API void bnre_diagnose_outcome_clear(bnre_diagnose_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
