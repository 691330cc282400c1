/* diagnosis.h - diagnose an estimator on a dataset, into a file. */
#ifndef BNRE_STUDY_DIAGNOSIS_H
#define BNRE_STUDY_DIAGNOSIS_H

#include "bnre/monitor.h"
#include "bnre/pool.h"
#include "study/keys.h"

typedef struct bnre__diagnosis {
    const bnre__diagnose_fields *fields;
    const bnre_node *task; /* its settings in the study */
    const char *learned;   /* the data that the estimator was trained on, and */
    const char *stem;      /* for files, if there is to be a learning curve */
    uint64_t seed;
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre__diagnosis;

/* Whether `grid` is one. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status
bnre__diagnosis_check(const bnre__diagnose_fields *fields);

/* Write the JSON file `path` about the estimator on the pairs of `data`.
   Errors: those of bnre_estimator_open(), bnre_dataset_open(),
   bnre_diagnose_dataset(); EINTR leaves no file. */
BNRE_MUST_CHECK bnre_status
bnre__diagnosis_make(const bnre__diagnosis *diagnosis, const char *estimator,
                     const char *data, const char *path);

#endif
