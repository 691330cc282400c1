/* failures.c - simulations that failed: why, reasons being numbered, a complaint
   where all were lost, and where in the space of parameters. */
#include "data/failures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "bnre/text.h"
#include "data/dataset.h"
#include "io/file.h"
#include "num/dist.h"

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

void bnre__reasons_clear(bnre__reasons *reasons)
{
    bnre__free(reasons->slot);
    bnre__free(reasons->text);
    *reasons = (bnre__reasons){0};
}

/* The slot that holds `text`, or the free one where it belongs. */
static uint32_t *find_slot(const bnre__reasons *reasons, const char *text)
{
    size_t i = (size_t)bnre__hash_bytes(text, strlen(text));

    for (;; i++) {
        uint32_t *slot = &reasons->slot[i & (reasons->slots - 1)];

        if (*slot == 0 || strcmp(reasons->text[*slot - 1], text) == 0)
            return slot;
    }
}

static bnre_status enlarge(bnre__reasons *reasons)
{
    bnre_status status = BNRE_OK;
    size_t slots = reasons->slots == 0 ? 16 : 2 * reasons->slots;
    uint32_t *fresh = NULL;

    BNRE_NEW(fresh, slots);
    bnre__free(reasons->slot);
    reasons->slot = fresh;
    reasons->slots = slots;
    for (size_t i = 0; i < reasons->count; i++)
        *find_slot(reasons, reasons->text[i]) = (uint32_t)i + 1;
done:
    return status;
}

bnre_status bnre__reasons_number(bnre__reasons *reasons, const char *text,
                                 uint32_t *out)
{
    bnre_status status = BNRE_OK;
    size_t length = strnlen(text, BNRE_REASON_SIZE - 1);
    char reason[BNRE_REASON_SIZE] = {0};
    uint32_t *slot;

    memcpy(reason, text, length);
    if (2 * (reasons->count + 1) > reasons->slots)
        BNRE_TRY(enlarge(reasons));
    slot = find_slot(reasons, reason);
    if (*slot == 0 && reasons->count + 1 >= BNRE__MAX_REASONS) {
        memset(reason, 0, sizeof reason);
        snprintf(reason, sizeof reason, "one of too many different reasons");
        slot = find_slot(reasons, reason);
    }
    if (*slot == 0) {
        BNRE_GROW(reasons->text, reasons->room, reasons->count + 1);
        memcpy(reasons->text[reasons->count++], reason, sizeof reason);
        *slot = (uint32_t)reasons->count;
    }
    *out = *slot - 1;
done:
    return status;
}

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

/* ---- where they fail ---- */

enum { LEAST = 25, PARTS = BNRE__FAILURE_PARTS };

/* For all parameters together. */
static const double NOTABLE = 1e-3;

struct row {
    double value;
    int failed;
};

static int by_value(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->value != y->value)
        return x->value > y->value ? 1 : -1;
    return x->failed - y->failed;
}

/* Rows of one parameter, in order: Pearson's chi-square over parts of as many
   rows each. O(n), after the sort of each parameter. */
static void locate(size_t n, const struct row *row, double share,
                   bnre__failure_place *out)
{
    double chi_square = 0;

    for (size_t k = 0; k < PARTS; k++) {
        const size_t first = n * k / PARTS, last = n * (k + 1) / PARTS;
        const double rows = (double)(last - first);
        double failed = 0;

        for (size_t i = first; i < last; i++)
            failed += row[i].failed;
        out->edge[k] = row[first].value;
        out->share[k] = failed / rows;
        if (out->share[k] > out->share[out->worst])
            out->worst = k;
        if (share > 0 && share < 1)
            chi_square += (failed - rows * share) * (failed - rows * share) /
                          (rows * share * (1 - share));
    }
    out->edge[PARTS] = row[n - 1].value;
    out->p = 1 - bnre__gamma_cdf(chi_square / 2, (PARTS - 1) / 2.0);
}

bnre_status bnre__failures_locate(bnre_dataset *data, bnre__failure_place *out,
                                  double *failed)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t n = info->rows, dim = info->dim_theta;
    const double share = (double)info->failed / (double)n;
    bnre_status status = BNRE_OK;
    double *theta = NULL;
    uint8_t *drawn = NULL;
    struct row *row = NULL;

    if (n < LEAST)
        return bnre_fail(BNRE_EUSAGE, "%zu rows are too few: %d are the least",
                         n, LEAST);
    BNRE_NEW(theta, n * dim);
    BNRE_NEW(drawn, n);
    BNRE_NEW(row, n);
    BNRE_TRY(bnre_dataset_read(data, 0, n, theta, NULL, NULL, drawn));
    for (size_t k = 0; k < dim; k++) {
        out[k] = (bnre__failure_place){.name = info->theta_name[k]};
        for (size_t i = 0; i < n; i++)
            row[i] = (struct row){theta[i * dim + k], drawn[i] != BNRE_DRAW_OK};
        qsort(row, n, sizeof *row, by_value);
        locate(n, row, share, &out[k]);
    }
    if (failed != NULL)
        *failed = share;
done:
    bnre__free(row);
    bnre__free(drawn);
    bnre__free(theta);
    return status;
}

bnre_status bnre_failures_words(bnre_dataset *data, char **text)
{
    const size_t dim = bnre_dataset_describe(data)->dim_theta;
    bnre__failure_place *place = NULL;
    const bnre__failure_place *most;
    bnre_status status = BNRE_OK;
    char low[BNRE_READABLE], high[BNRE_READABLE];
    double width;

    *text = NULL;
    BNRE_NEW(place, dim);
    BNRE_TRY(bnre__failures_locate(data, place, NULL));
    most = place;
    for (size_t i = 1; i < dim; i++)
        if (place[i].p < most->p)
            most = &place[i];
    if (dim > 0 && most->p < NOTABLE / (double)dim) {
        width = most->edge[most->worst + 1] - most->edge[most->worst];
        BNRE_TRY(bnre__text_format(
            text, "depend on %s: %.3g %% fail from %s to %s", most->name,
            100 * most->share[most->worst],
            bnre_readable_real(most->edge[most->worst], width, low),
            bnre_readable_real(most->edge[most->worst + 1], width, high)));
    } else
        BNRE_TRY(bnre__text_format(
            text, "no sign that they depend on the parameters"));
done:
    bnre__free(place);
    return status;
}
