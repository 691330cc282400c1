/* history.c - the training of a member, epoch by epoch. */
#include "infer/train/history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "io/file.h"

static const char *const common_name[BNRE__COLUMNS] = {
    [BNRE__EPOCH] = "epoch",
    [BNRE__RATE] = "learning_rate",
    [BNRE__LAMBDA] = "lambda",
    [BNRE__TRAIN_LOSS] = "train_loss",
    [BNRE__TRAIN_ENTROPY] = "train_cross_entropy",
    [BNRE__TRAIN_BALANCE] = "train_balance",
    [BNRE__VALIDATION_LOSS] = "validation_loss",
    [BNRE__VALIDATION_ENTROPY] = "validation_cross_entropy",
    [BNRE__VALIDATION_BALANCE] = "validation_balance",
    [BNRE__VALIDATION_CERTAINTY] = "validation_certainty",
    [BNRE__SCHEDULE_LOSS] = "schedule_loss",
    [BNRE__SKIPPED] = "skipped_steps",
};

/* Densities have a log loss where classifiers have a cross-entropy. */
static const char *name_of(size_t column, size_t factors)
{
    if (factors > 0 && column == BNRE__TRAIN_ENTROPY)
        return "train_log_loss";
    if (factors > 0 && column == BNRE__VALIDATION_ENTROPY)
        return "validation_log_loss";
    return common_name[column];
}

bnre_status bnre__history_names(size_t factors, const char *const *factor,
                                size_t *n, char ***out)
{
    static const char *const of_factor[BNRE__FACTOR_COLUMNS] = {
        [BNRE__FACTOR_LOSS] = "validation_loss",
        [BNRE__FACTOR_LOG_LOSS] = "validation_log_loss",
        [BNRE__FACTOR_BALANCE] = "validation_balance",
    };
    bnre_status status = BNRE_OK;
    char **name = NULL;

    *n = BNRE__COLUMNS + factors * BNRE__FACTOR_COLUMNS;
    BNRE_NEW(name, *n);
    for (size_t c = 0; c < BNRE__COLUMNS; c++)
        BNRE_TRY(bnre__strdup(name_of(c, factors), &name[c]));
    for (size_t c = BNRE__COLUMNS; c < *n; c++)
        BNRE_TRY(bnre__text_format(
            &name[c], "%s.%s",
            of_factor[(c - BNRE__COLUMNS) % BNRE__FACTOR_COLUMNS],
            factor[(c - BNRE__COLUMNS) / BNRE__FACTOR_COLUMNS]));
    *out = name;
    name = NULL;
done:
    bnre__history_names_free(*n, name);
    return status;
}

void bnre__history_names_free(size_t n, char **name)
{
    for (size_t c = 0; name != NULL && c < n; c++)
        bnre__free(name[c]);
    bnre__free(name);
}

bnre_status bnre__history_add(bnre__history *history, const double *row)
{
    bnre_status status = BNRE_OK;

    BNRE_GROW(history->value, history->room,
              (history->epochs + 1) * history->columns);
    memcpy(bnre__history_row(history, history->epochs++), row,
           history->columns * sizeof *row);
done:
    return status;
}

void bnre__history_clear(bnre__history *history)
{
    bnre__free(history->value);
    *history = (bnre__history){.columns = history->columns};
}

static bnre_status write_row(bnre__file *file, size_t member, size_t columns,
                             const double *row)
{
    char text[BNRE__NUMBER_ROOM + 32];
    size_t used = (size_t)snprintf(text, sizeof text, "%zu", member);

    for (size_t k = 0; k < columns; k++) {
        text[used++] = ',';
        if (!isnan(row[k])) /* an empty cell is what others read as missing */
            used += bnre__number_format(row[k], text + used);
        BNRE_DO(bnre__file_write(file, text, used));
        used = 0;
    }
    return bnre__file_write(file, "\n", 1);
}

bnre_status bnre__history_write(const char *path, size_t n,
                                const bnre__history *member,
                                const char *const *name)
{
    bnre_status status = BNRE_OK;
    const size_t columns = member[0].columns;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__file_write(file, "member", 6));
    for (size_t k = 0; k < columns; k++) {
        BNRE_TRY(bnre__file_write(file, ",", 1));
        BNRE_TRY(bnre__file_write(file, name[k], strlen(name[k])));
    }
    BNRE_TRY(bnre__file_write(file, "\n", 1));
    for (size_t m = 0; m < n; m++)
        for (size_t e = 0; e < member[m].epochs; e++)
            BNRE_TRY(write_row(file, m + 1, columns,
                               bnre__history_row(&member[m], e)));
done:
    return bnre__file_end(file, status);
}
