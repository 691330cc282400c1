/* outlook.h - the posterior of what was observed, by the estimator of a run. */
#ifndef BNRE_STUDY_OUTLOOK_H
#define BNRE_STUDY_OUTLOOK_H

#include "bnre/monitor.h"
#include "bnre/observation.h"
#include "bnre/pool.h"
#include "study/study.h"

/* The observation of a study as one of its tasks sees it. */
typedef struct bnre__outlook {
    bnre_observations observed;
    double *truth;    /* (dim) or NULL */
    const char *show; /* parameters in pictures, of the study; NULL = all */
    char hash[33];    /* of all that matters here */
} bnre__outlook;

/* Read it for a task. Errors: those of bnre_observations_read(); EUSAGE for a
   truth or parameters to be shown that do not fit. */
BNRE_MUST_CHECK bnre_status bnre__outlook_read(const bnre_study *study,
                                               size_t task, bnre__outlook *out);
void bnre__outlook_clear(bnre__outlook *outlook);

typedef struct bnre__outlook_work {
    const bnre__fields *fields;
    uint64_t seed;
    const char *formats; /* of the picture */
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre__outlook_work;

/* Write posterior.json, posterior.h5, samples and a corner plot into a
   directory, which is made. */
BNRE_MUST_CHECK bnre_status bnre__outlook_make(const bnre__outlook *outlook,
                                               const bnre__outlook_work *work,
                                               const char *estimator,
                                               const char *directory);

#endif
