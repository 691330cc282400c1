/* costs.h - how long the parts of a study take, about, timed on this machine:
   for the plan and the progress that people see. Nothing in a result depends on
   it; what does is counted in nn/operations.h. */
#ifndef BNRE_STUDY_COSTS_H
#define BNRE_STUDY_COSTS_H

#include "study/study.h"

/* The work in one run, in this order. */
typedef enum bnre__stage {
    BNRE__STAGE_TRAIN,
    BNRE__STAGE_DIAGNOSE,
    BNRE__STAGE_POSTERIOR,
    BNRE__STAGE_CHECK,
    BNRE__STAGE_EACH,
    BNRE__STAGE_PRIOR, /* the diagnosis once more, under another prior */
    BNRE__STAGES
} bnre__stage;

/* In milliseconds of one thread. */
typedef struct bnre__costs {
    size_t *data;                /* (datasets) */
    size_t (*run)[BNRE__STAGES]; /* (cells) of one run */
} bnre__costs;

/* Room for them, all 0. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__costs_init(const bnre_study *study,
                                             bnre__costs *out);

/* Errors: EUSAGE for a cell without a network; ENOMEM; ESIM. */
BNRE_MUST_CHECK bnre_status bnre__costs_estimate(const bnre_study *study,
                                                 bnre__costs *out);
void bnre__costs_clear(bnre__costs *costs);

#endif
