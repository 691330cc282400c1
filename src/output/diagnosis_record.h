/* diagnosis_record.h - a diagnosis as diagnose.json holds it: one type, one
   writer, one reader. */
#ifndef BNRE_OUTPUT_DIAGNOSIS_RECORD_H
#define BNRE_OUTPUT_DIAGNOSIS_RECORD_H

#include "bnre/certificate.h"
#include "bnre/classes.h"
#include "bnre/prior.h"
#include "bnre/settings.h"
#include "bnre/status.h"
#include "io/json.h"

typedef struct bnre__diagnosis_record {
    /* All but what is of single pairs: arrays of these are NULL in one that was
       read, and numbers that the file does not have are NaN or 0. NULL where
       there was nothing but `models` to write. */
    bnre_diag *diag;

    int advised; /* what to do next was looked for */
    bnre_advice advice;
    bnre_theorem theorem;      /* n = 0: none */
    bnre_learning_curve curve; /* likewise */

    /* Under another prior than that of training (command.h). */
    int other_prior, own_pairs;
    size_t rows;
    bnre_prior_change change;

    bnre_models_report models; /* of an estimator of classes; n = 0: none */

    /* Written and not read: how it came about (output.h reads it), and the
       certificate, which the estimator has. Both may be NULL. */
    const bnre_node *made;
    const bnre_certificate *certificate;

    /* Read and not written, since they follow: the program that wrote it, and
       the verdict in words; or NULL. */
    char *version, *words;
} bnre__diagnosis_record;

/* The values as they stand in the file, put into an object. What is not known
   is null. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__diagnosis_put(const bnre__diagnosis_record *record, bnre__json *root);

/* As a file, in place of an older one. Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__diagnosis_write(const bnre__diagnosis_record *record, const char *path);

/* The caller destroys *out. Errors: EIO; EFORMAT, also for a verdict or a grid
   that is not known; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__diagnosis_read(const char *path,
                                                 bnre__diagnosis_record **out);
void bnre__diagnosis_destroy(bnre__diagnosis_record *record); /* of reading */

/* The first curve, which the verdict is about; NULL if there is none. */
const bnre_diag_curve *
bnre__diagnosis_curve(const bnre__diagnosis_record *record);

/* "cells" ... */
const char *bnre__diag_grid_name(bnre_diag_grid grid);

#endif
