/* rounds.h - runs that learn in rounds: the key `rounds`. */
#ifndef BNRE_STUDY_ROUNDS_H
#define BNRE_STUDY_ROUNDS_H

#include "bnre/command.h"
#include "study/observed.h"
#include "study/study.h"

/* Whether a cell has rounds. It then simulates for itself, within each run. */
int bnre__cell_has_rounds(const bnre__cell *cell);
/* Settings that do not go with rounds. Errors: EUSAGE with the key. */
BNRE_MUST_CHECK bnre_status bnre__cell_check_rounds(const bnre_study *study,
                                                    const bnre__cell *cell);

typedef struct bnre__rounds_work {
    const bnre__fields *fields;
    bnre_task *task;
    const bnre__observed *observed;
    const bnre_train_settings *training;
    const char *dir; /* of the run; rounds are in DIR/rounds */
    uint64_t seed;
    int force; /* what is there is of other settings */
    bnre_pool *pool;
    const bnre_monitor *monitor;
} bnre__rounds_work;

/* The rounds, and of the last one the estimator and its history; in place of
   what other settings have left. */
BNRE_MUST_CHECK bnre_status bnre__rounds_train(const bnre__rounds_work *work,
                                               const char *estimator,
                                               const char *history);

/* Pairs of the prior within the region of an estimator, into `path`; *made is 0
   if it is one of the whole prior. */
BNRE_MUST_CHECK bnre_status bnre__rounds_pairs(const bnre__rounds_work *work,
                                               const char *estimator,
                                               size_t count, const char *path,
                                               int *made);

#endif
