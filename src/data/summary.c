#include "data/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/scaler.h"

const double bnre__summary_level[BNRE__LEVELS] = {0,    0.01, 0.25, 0.5,
                                                  0.75, 0.99, 1};

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void extend(bnre__summary *summary, const float *row)
{
    float *low = summary->value;
    float *high = summary->value + (BNRE__LEVELS - 1) * summary->size;

    for (size_t j = 0; j < summary->size; j++) {
        if (row[j] < low[j])
            low[j] = row[j];
        if (row[j] > high[j])
            high[j] = row[j];
    }
}

bnre_status bnre__summary_fit(bnre__summary *summary, size_t n, size_t size,
                              const float *rows)
{
    bnre_status status = BNRE_OK;
    const size_t sample = bnre__scaler_rows(n, size);
    float *value = NULL;

    if (n == 0)
        return bnre_fail(BNRE_EINVAL, "no rows to summarise");
    bnre__summary_clear(summary);
    BNRE_NEW(summary->value, BNRE__LEVELS * size);
    summary->size = size;
    BNRE_NEW(value, sample);
    for (size_t j = 0; j < size; j++) {
        for (size_t i = 0; i < sample; i++)
            value[i] = rows[i * n / sample * size + j];
        qsort(value, sample, sizeof *value, compare);
        for (size_t k = 0; k < BNRE__LEVELS; k++) {
            const double at = bnre__summary_level[k] * (double)(sample - 1);

            summary->value[k * size + j] = value[(size_t)(at + 0.5)];
        }
    }
    for (size_t i = 0; i < n; i++)
        extend(summary, rows + i * size);
done:
    bnre__free(value);
    if (status != BNRE_OK)
        bnre__summary_clear(summary);
    return status;
}

void bnre__summary_extend(bnre__summary *summary, size_t n, const double *rows)
{
    const size_t size = summary->size;
    float *low = summary->value;
    float *high = summary->value + (BNRE__LEVELS - 1) * size;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < size; j++) {
            const float v = (float)rows[i * size + j];

            low[j] = v < low[j] ? v : low[j];
            high[j] = v > high[j] ? v : high[j];
        }
}

void bnre__summary_clear(bnre__summary *summary)
{
    bnre__free(summary->value);
    *summary = (bnre__summary){0};
}
