#include "infer/train/history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "io/file.h"

const char *const bnre__history_name[BNRE__COLUMNS] = {
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

bnre_status bnre__history_add(bnre__history *history,
                              const double row[BNRE__COLUMNS])
{
    bnre_status status = BNRE_OK;

    BNRE_GROW(history->row, history->room, history->epochs + 1);
    memcpy(history->row[history->epochs++], row, sizeof *history->row);
done:
    return status;
}

void bnre__history_clear(bnre__history *history)
{
    bnre__free(history->row);
    *history = (bnre__history){0};
}

static bnre_status write_row(bnre__file *file, size_t member,
                             const double row[BNRE__COLUMNS])
{
    bnre_status status = BNRE_OK;
    char text[(BNRE__COLUMNS + 1) * (BNRE__NUMBER_ROOM + 1)];
    size_t used = (size_t)snprintf(text, sizeof text, "%zu", member);

    for (size_t k = 0; k < BNRE__COLUMNS; k++) {
        text[used++] = ',';
        if (!isnan(row[k])) /* an empty cell is what others read as missing */
            used += bnre__number_format(row[k], text + used);
    }
    text[used++] = '\n';
    BNRE_TRY(bnre__file_write(file, text, used));
done:
    return status;
}

bnre_status bnre__history_write(const char *path, size_t n,
                                const bnre__history *member)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__file_write(file, "member", 6));
    for (size_t k = 0; k < BNRE__COLUMNS; k++) {
        BNRE_TRY(bnre__file_write(file, ",", 1));
        BNRE_TRY(bnre__file_write(file, bnre__history_name[k],
                                  strlen(bnre__history_name[k])));
    }
    BNRE_TRY(bnre__file_write(file, "\n", 1));
    for (size_t m = 0; m < n; m++)
        for (size_t e = 0; e < member[m].epochs; e++)
            BNRE_TRY(write_row(file, m + 1, member[m].row[e]));
    status = bnre__file_commit(file);
    file = NULL;
done:
    bnre__file_discard(file);
    return status;
}
