/* diagnosis.h - the command `diagnose` for a run of a study. */
#ifndef BNRE_STUDY_DIAGNOSIS_H
#define BNRE_STUDY_DIAGNOSIS_H

#include "bnre/pool.h"
#include "bnre/status.h"
#include "study/keys.h"

typedef struct bnre__diagnosis {
    const bnre__fields *fields;
    const bnre_node *task; /* its settings in the study */
    const char *learned;   /* the data that the estimator was trained on, and */
    const char *stem;      /* for files, if there is to be a learning curve */
    const char *prior;     /* NULL = that of training; else its file */
    uint64_t seed;
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre__diagnosis;

/* Whether the command can do with such settings. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__diagnosis_check(const bnre__fields *fields);

/* Write the JSON file `path` about the estimator on the pairs of `data`.
   Pairs that tell nothing of another prior, or too few of them, are no error:
   the file then says why, as `words`. Errors: others of bnre_diagnose_make(),
   after which there is no new file. */
BNRE_MUST_CHECK bnre_status
bnre__diagnosis_make(const bnre__diagnosis *diagnosis, const char *estimator,
                     const char *data, const char *path);

#endif
