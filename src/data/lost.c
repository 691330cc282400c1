#include "data/lost.h"

#include <stdio.h>

#include "base/mem.h"
#include "io/file.h"

/* Row `first` stands at the beginning of the block. */
static bnre_status fail_lost(const bnre__lost *lost, const bnre__block *block,
                             size_t first, size_t n, const char *what)
{
    const bnre__batch batch = {.seed = lost->opts->seed,
                               .split = lost->opts->split,
                               .row = lost->opts->first + first,
                               .n = 1,
                               .theta = block->theta,
                               .nuisance = block->nuisance,
                               .x = block->x,
                               .status = block->status,
                               .reason = block->reason};
    const char *reason = block->reason[0];
    const int told = bnre__file_exists(lost->log);
    char text[BNRE_REASON_SIZE + 512];

    snprintf(text, sizeof text,
             "all simulations%s were lost, %zu of %zu; the first by: "
             "%s%s%.200s. None is kept: mend the simulator, then run the same "
             "command again",
             what, n, n, reason[0] != 0 ? reason : "no reason given",
             told ? "; what was said is in " : "", told ? lost->log : "");
    if (lost->simulator->kind->explain != NULL)
        return lost->simulator->kind->explain(lost->simulator, &batch, 0, text,
                                              BNRE_ESIM);
    return bnre_fail(BNRE_ESIM, "%s", text);
}

static int are_lost(size_t n, const uint8_t *status)
{
    for (size_t i = 0; i < n; i++)
        if (status[i] != BNRE_DRAW_LOST)
            return 0;
    return 1;
}

bnre_status bnre__lost_trial(const bnre__lost *lost, const bnre__block *block,
                             size_t first, size_t n)
{
    if (n == 0 || !are_lost(n, block->status))
        return BNRE_OK;
    return fail_lost(lost, block, first, n, " of the trial");
}

bnre_status bnre__lost_rows(const bnre__lost *lost, const bnre__rows *rows)
{
    enum { AT_A_TIME = 4096 };
    const size_t all = rows->info->rows;
    bnre_status status = BNRE_OK;
    bnre__block block = {0};
    uint8_t flag[AT_A_TIME];
    size_t n;

    for (size_t first = 0; first < all; first += n) {
        n = all - first < AT_A_TIME ? all - first : AT_A_TIME;
        BNRE_TRY(
            rows->read(rows->self, first, n, NULL, NULL, NULL, flag, NULL));
        if (!are_lost(n, flag))
            goto done;
    }
    BNRE_TRY(bnre__block_init(&block, rows->info, 1));
    BNRE_TRY(bnre__block_read(&block, rows, 0, 1));
    BNRE_TRY(fail_lost(lost, &block, 0, all, ""));
done:
    bnre__block_clear(&block);
    return status;
}
