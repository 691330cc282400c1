/* read.h - an estimator's file while it is read. */
#ifndef BNRE_INFER_ESTIMATOR_READ_H
#define BNRE_INFER_ESTIMATOR_READ_H

#include "infer/estimator/file.h"
#include "io/h5.h"

typedef struct bnre__reading {
    const char *path;
    bnre__h5 *h5;
    char *kind, *task, *network, *settings, *version, *failure, *combine;
    char *fingerprint;
    bnre__h5_info weights, summary; /* of the arrays of that name */
    char **column;
    size_t columns, history; /* and rows of it */
    char **order;            /* of the factors of a conditional density */
    size_t ordered;
    double *sample; /* of the prior */
    bnre__draws draws;
    bnre_node *net;
} bnre__reading;

/* The file is damaged: EFORMAT with `what`. */
BNRE_MUST_CHECK bnre_status bnre__reading_fail(const bnre__reading *source,
                                               const char *what);

/* The shape of an array, which is as long as it says; *found = 0 without one. */
BNRE_MUST_CHECK bnre_status bnre__reading_look(const bnre__reading *source,
                                               const char *name,
                                               bnre__h5_info *info, int *found);

/* Read it into part->into: of the shape and type that `part` says, or EFORMAT. */
BNRE_MUST_CHECK bnre_status bnre__reading_array(const bnre__reading *source,
                                                const bnre__file_part *part);

/* What was found out later, if anything (findings.c). */
BNRE_MUST_CHECK bnre_status bnre__reading_findings(const bnre__reading *source,
                                                   bnre_estimator *est);

#endif
