/* report.h - a study for readers: report.html and figures.

   The page is one file that needs nothing else: verdicts first, then figures,
   then each run, how it all was made and how to make it again. It is written
   from the files in the study's directory, finished or not, and says what is
   missing. The same files give the same bytes. */
#ifndef BNRE_REPORT_H
#define BNRE_REPORT_H

#include <stddef.h>

#include "bnre/status.h"

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

#ifdef __cplusplus
}
#endif
#endif
