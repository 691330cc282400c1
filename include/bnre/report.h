/* report.h - the commands `run` and `report`: a study from its file to the page
   for its readers, report.html and figures.

   The page is one file that needs nothing else: verdicts first, then figures,
   then each run, how it all was made and how to make it again. It is written
   from the files in the study's directory, finished or not, and says what is
   missing. The same files give the same bytes. */
#ifndef BNRE_REPORT_H
#define BNRE_REPORT_H

#include <stddef.h>

#include "bnre/opt.h"
#include "bnre/status.h"
#include "bnre/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_report_result {
    size_t runs, done; /* of the study; done: trained, and diagnosed if
                          that was asked for */
    size_t failed;     /* for reasons of their own */
    size_t damaged;    /* with files that cannot be read */
    size_t figures;
    int drawn; /* 0: no gnuplot here; data and scripts are there */
} bnre_report_result;

/* Write DIRECTORY/report.html and DIRECTORY/figures/ NAME.gp, NAME.dat and
   pictures in `formats` ("svg,pdf,png"; the page shows those in svg, which are
   always made). `result` may be NULL.
   Errors: EUSAGE when the directory holds no study, or for an unknown format;
   EIO, also with gnuplot's own words; EFORMAT when results.csv is damaged;
   ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_report_write(
    const char *directory, const char *formats, bnre_report_result *result);

/* The options of the command `report`, with offsets in these settings. */
typedef struct bnre_report_settings {
    char *format;
} bnre_report_settings;

BNRE_API const bnre_opt *bnre_report_options(size_t *n);

/* ---- run ---- */

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_run_settings {
    bnre_opt_list set;
    char *seed, *output;
    int no_report;
} bnre_run_settings;

BNRE_API const bnre_opt *bnre_run_options(size_t *n);

typedef struct bnre_run_request {
    const char *study; /* its file */
    const bnre_run_settings *settings;
    int force;                     /* in a directory of something else */
    int dry_run;                   /* plan it, load no plugin, make nothing */
    const bnre_executor *executor; /* NULL = one thread */
    const bnre_monitor *monitor;   /* notes are warnings; NULL = silent */
} bnre_run_request;

typedef struct bnre_run_outcome {
    char *path; /* of the directory */
    bnre_study *study;
    bnre_study_estimate estimate; /* of a dry run, in the process that leads */
    bnre_study_result result;
    double seconds; /* that it took */
    int reported;   /* there is a page, and the next is filled in */
    bnre_report_result report;
} bnre_run_outcome;

/* Run a study and write its page. All processes of the executor call it; the
   one that leads looks after files and tells. Errors: those of
   bnre_study_read() and bnre_study_run(), whose result is in the outcome all
   the same, and the page is written; those of bnre_report_write(). The caller
   clears *outcome in any case. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_run_make(const bnre_run_request *request, bnre_run_outcome *outcome);
BNRE_API void bnre_run_outcome_clear(bnre_run_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
