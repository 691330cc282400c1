/* check_files.h - a check in files: check.json, check.csv and the figure of the
   observation in its predictive band. */
#ifndef BNRE_OUTPUT_CHECK_FILES_H
#define BNRE_OUTPUT_CHECK_FILES_H

#include "bnre/check.h"
#include "bnre/settings.h"
#include "bnre/status.h"

typedef struct bnre__check_files {
    const char *directory;
    const bnre_check_report *report;
    size_t warnings;
    const char *const *warning;
    const double *x;           /* (observations, x_size): what was observed */
    const char *const *x_name; /* (x_size); NULL: without names */
    const char *formats;       /* "svg,pdf,png" */
    const bnre_node *made;     /* how it came about */
} bnre__check_files;

/* All of them; without simulations check.json alone. *drawn is 0 if there is no
   gnuplot. Errors: EUSAGE for an unknown format; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__check_save(const bnre__check_files *files,
                                             int *drawn);

#endif
