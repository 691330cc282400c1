/* precision.c - x that floats cannot hold: what they would lose, and offsets
   against it. */
#include "data/precision.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "data/dataset.h"
#include "data/scaler.h"

enum { MOST_ROWS = 4096, LEAST_ROWS = 64, MOST_VALUES = 1 << 20, RUNS = 16 };
static const double TOLERATED = 1e-3; /* of the spread */
static const double normal_range = 1.349;

/* Rows that are looked at. */
struct sample {
    size_t n, size;
    double *x; /* (n, size) */
};

static bnre_status take_rows(bnre_dataset *data, struct sample *sample)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    bnre_status status = BNRE_OK;
    size_t want = MOST_VALUES / info->x_size, runs = RUNS, kept = 0;
    uint8_t *flags = NULL;

    want = want < LEAST_ROWS ? LEAST_ROWS : want > MOST_ROWS ? MOST_ROWS : want;
    if (want >= info->rows) {
        want = info->rows;
        runs = 1;
    }
    sample->size = info->x_size;
    BNRE_NEW(sample->x, want * info->x_size);
    BNRE_NEW(flags, want);
    for (size_t r = 0; r < runs; r++) {
        const size_t n = want / runs, first = info->rows / runs * r;

        BNRE_TRY(bnre_dataset_read(data, first, n, NULL, NULL,
                                   sample->x + kept * info->x_size, flags));
        for (size_t i = 0, from = kept; i < n; i++)
            if (flags[i] == BNRE_DRAW_OK)
                memmove(sample->x + kept++ * info->x_size,
                        sample->x + (from + i) * info->x_size,
                        info->x_size * sizeof *sample->x);
    }
    sample->n = kept;
done:
    bnre__free(flags);
    return status;
}

/* Whether floats lose too much of column j; `value` (n) receives it sorted. */
static int is_lost(const struct sample *sample, size_t j, double *value)
{
    const size_t n = sample->n;
    double error = 0, spread;

    for (size_t i = 0; i < n; i++) {
        const double v = sample->x[i * sample->size + j];
        const double off =
            fabs(v) <= (double)FLT_MAX ? fabs(v - (double)(float)v) : HUGE_VAL;

        value[i] = v;
        error = off > error ? off : error;
    }
    if (!(error > 0))
        return 0;
    bnre__sort_doubles(n, value);
    spread = (value[n * 3 / 4] - value[n / 4]) / normal_range;
    if (!(spread > 0))
        spread = bnre__deviation(n, value);
    return value[0] < value[n - 1] && error > TOLERATED * spread;
}

bnre_status bnre__dataset_find_offset(bnre_dataset *data, double **out)
{
    bnre_status status = BNRE_OK;
    struct sample sample = {0};
    double *value = NULL, *offset = NULL;
    int lost = 0;

    *out = NULL;
    if (!data->wide)
        return BNRE_OK;
    BNRE_TRY(take_rows(data, &sample));
    BNRE_NEW(value, sample.n);
    BNRE_NEW(offset, sample.size);
    for (size_t j = 0; sample.n > 0 && j < sample.size; j++)
        if (is_lost(&sample, j, value)) {
            offset[j] = value[sample.n / 2];
            lost = 1;
        }
    if (lost) {
        *out = offset;
        offset = NULL;
    }
done:
    bnre__free(offset);
    bnre__free(value);
    bnre__free(sample.x);
    return status;
}

bnre_status bnre__dataset_set_offset(bnre_dataset *data, const double *offset)
{
    bnre_status status = BNRE_OK;

    bnre__free(data->offset);
    data->offset = NULL;
    if (offset == NULL)
        return BNRE_OK;
    BNRE_NEW(data->offset, data->info.x_size);
    memcpy(data->offset, offset, data->info.x_size * sizeof *offset);
done:
    return status;
}

void bnre__rounding_add(size_t n, bnre__rounding *all,
                        const bnre__rounding *other)
{
    for (size_t j = 0; all != NULL && other != NULL && j < n; j++) {
        if (!other[j].seen)
            continue;
        if (!all[j].seen) {
            all[j] = other[j];
            continue;
        }
        all[j].low = fmin(all[j].low, other[j].low);
        all[j].high = fmax(all[j].high, other[j].high);
        all[j].error = fmax(all[j].error, other[j].error);
    }
}

/* The first value that loses more than this share of its range; n if there is
   none. */
static size_t find_lost(size_t n, const bnre__rounding *all, double share)
{
    for (size_t j = 0; j < n; j++) {
        const double range = all[j].high - all[j].low;

        if (all[j].seen && range > 0 && all[j].error > share * range)
            return j;
    }
    return n;
}

bnre_status bnre__rounding_check(size_t n, const bnre__rounding *all)
{
    const size_t j = find_lost(n, all, 1e-3);

    if (j == n)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "value %zu of x lies between %.12g and %.12g: single "
                     "precision would round it by up to %.2g. Add the line "
                     "\"precision: double\" to the task to keep all digits of "
                     "x (or \"precision: single\" if this value does not "
                     "matter)",
                     j, all[j].low, all[j].high, all[j].error);
}

void bnre__rounding_tell(const bnre_monitor *monitor, size_t n,
                         const bnre__rounding *all)
{
    char text[512];
    size_t j;

    if (monitor == NULL || monitor->note == NULL || all == NULL)
        return;
    j = find_lost(n, all, 1e-3 / 4);
    if (j == n)
        return;
    snprintf(text, sizeof text,
             "warning: value %zu of x lies between %.12g and %.12g and is kept "
             "in single precision, which rounds it by up to %.2g: the line "
             "\"precision: double\" in the task keeps all digits of x",
             j, all[j].low, all[j].high, all[j].error);
    monitor->note(monitor->context, text);
}
