/* Why rows of a dataset failed, counted. */
#include <stdlib.h>

#include "base/mem.h"
#include "data/dataset.h"

/* Counts of one reason, by status. */
struct count {
    size_t of[BNRE_DRAW_STOP];
};

static int most_frequent_first(const void *a, const void *b)
{
    const bnre_failure *f = a, *g = b;

    if (f->count != g->count)
        return f->count < g->count ? 1 : -1;
    /* Texts lie in the order of their first row. */
    if (f->reason != g->reason)
        return f->reason < g->reason ? -1 : 1;
    return (int)f->status - (int)g->status;
}

static bnre_status count_block(bnre_dataset *data, size_t first, size_t n,
                               uint8_t *flag, char (*reason)[BNRE_REASON_SIZE],
                               struct count **count, size_t *room)
{
    bnre_status status = BNRE_OK;
    uint32_t number;

    BNRE_TRY(bnre__dataset_read_file(data, first, n, NULL, NULL, NULL, flag,
                                     reason));
    for (size_t i = 0; i < n; i++) {
        if (flag[i] == BNRE_DRAW_OK)
            continue;
        BNRE_TRY(bnre__reasons_number(&data->reasons, reason[i], &number));
        BNRE_GROW(*count, *room, data->reasons.count);
        (*count)[number].of[flag[i]]++;
    }
done:
    return status;
}

/* All reasons, sorted, *n of them; the caller frees the list. */
static bnre_status list_failures(const bnre_dataset *data,
                                 const struct count *count, bnre_failure **out,
                                 size_t *n)
{
    bnre_status status = BNRE_OK;
    bnre_failure *list = NULL;

    *n = 0;
    BNRE_NEW(list, data->reasons.count * BNRE_DRAW_STOP);
    for (size_t i = 0; count != NULL && i < data->reasons.count; i++)
        for (int s = BNRE_DRAW_INVALID; s < BNRE_DRAW_STOP; s++)
            if (count[i].of[s] > 0)
                list[(*n)++] = (bnre_failure){.reason = data->reasons.text[i],
                                              .status = (bnre_draw)s,
                                              .count = count[i].of[s]};
    qsort(list, *n, sizeof *list, most_frequent_first);
    *out = list;
done:
    return status;
}

bnre_status bnre_dataset_failures(bnre_dataset *data, size_t room,
                                  bnre_failure *out, size_t *n)
{
    enum { BLOCK = 1024 };
    bnre_status status = BNRE_OK;
    char(*reason)[BNRE_REASON_SIZE] = NULL;
    uint8_t flag[BLOCK];
    struct count *count = NULL;
    bnre_failure *list = NULL;
    size_t counts = 0, rows = data->info.rows, listed = 0;

    *n = 0;
    if (data->info.failed == 0)
        return BNRE_OK;
    bnre__reasons_clear(&data->reasons);
    BNRE_NEW(reason, BLOCK);
    for (size_t first = 0; first < rows; first += BLOCK)
        BNRE_TRY(count_block(data, first,
                             rows - first < BLOCK ? rows - first : BLOCK, flag,
                             reason, &count, &counts));
    BNRE_TRY(list_failures(data, count, &list, &listed));
    for (; *n < room && *n < listed; ++*n)
        out[*n] = list[*n];
done:
    bnre__free(list);
    bnre__free(count);
    bnre__free(reason);
    return status;
}
