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
    BNRE__COLUMNS  /* of every training; those of factors come after */
} bnre__column;

/* Of each factor of a conditional density, in validation. */
typedef enum bnre__factor_column {
    BNRE__FACTOR_LOSS,
    BNRE__FACTOR_LOG_LOSS,
    BNRE__FACTOR_BALANCE,
    BNRE__FACTOR_COLUMNS
} bnre__factor_column;

/* The names of all columns: of a ratio or a classifier (no factors), or of a
   conditional density with such factors. Free them with the other. */
BNRE_MUST_CHECK bnre_status bnre__history_names(size_t factors,
                                                const char *const *factor,
                                                size_t *n, char ***out);
void bnre__history_names_free(size_t n, char **name);

/* Start from {.columns}. A value that is not known is NaN. */
typedef struct bnre__history {
    size_t columns;
    size_t epochs, room;
    double *value; /* (epochs, columns) */
} bnre__history;

/* An epoch's row, from 0. */
static inline double *bnre__history_row(const bnre__history *history,
                                        size_t epoch)
{
    return history->value + epoch * history->columns;
}

BNRE_MUST_CHECK bnre_status bnre__history_add(bnre__history *history,
                                              const double *row);
void bnre__history_clear(bnre__history *history);

/* All members as CSV, the first column telling which (from 1). Errors: EIO. */
BNRE_MUST_CHECK bnre_status bnre__history_write(const char *path, size_t n,
                                                const bnre__history *member,
                                                const char *const *name);

#endif
