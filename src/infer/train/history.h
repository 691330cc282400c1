/* history.h - the training of a member, epoch by epoch. */
#ifndef BNRE_INFER_HISTORY_H
#define BNRE_INFER_HISTORY_H

#include <stddef.h>

#include "bnre/status.h"

typedef enum bnre__column {
    BNRE__EPOCH,
    BNRE__RATE,
    BNRE__LAMBDA,
    BNRE__TRAIN_LOSS,
    BNRE__TRAIN_ENTROPY,
    BNRE__TRAIN_BALANCE,
    BNRE__VALIDATION_LOSS,
    BNRE__VALIDATION_ENTROPY,
    BNRE__VALIDATION_BALANCE,
    BNRE__VALIDATION_CERTAINTY,
    BNRE__SCHEDULE_LOSS,
    BNRE__SKIPPED, /* steps of this epoch */
    BNRE__COLUMNS
} bnre__column;

extern const char *const bnre__history_name[BNRE__COLUMNS];

/* Start from {0}. A value that is not known is NaN. */
typedef struct bnre__history {
    size_t epochs, room;
    double (*row)[BNRE__COLUMNS]; /* (epochs) */
} bnre__history;

BNRE_MUST_CHECK bnre_status bnre__history_add(bnre__history *history,
                                              const double row[BNRE__COLUMNS]);
void bnre__history_clear(bnre__history *history);

/* All members as CSV, the first column telling which (from 1). Errors: EIO. */
BNRE_MUST_CHECK bnre_status bnre__history_write(const char *path, size_t n,
                                                const bnre__history *member);

#endif
