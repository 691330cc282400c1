/* scaler.c - location and scale of columns, robust against tails; and how
   large the values of x were. A column is sorted, of which there are at most
   65,536 values, however many rows. */
#include "data/scaler.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

enum {
    MOST_VALUES = 65536,   /* of one column */
    MOST_IN_ALL = 1 << 24, /* of all columns */
    LEAST_ROWS = 64,       /* however long they are */
    FAR = 10               /* a |z| beyond it asks for asinh */
};
static const double normal_range = 1.349; /* quartile distance / sd */

/* Rows of either type. */
struct table {
    size_t n, size;
    const double *f64; /* one of them is NULL */
    const float *f32;
};

static double value_at(const struct table *table, size_t row, size_t j)
{
    const size_t at = row * table->size + j;

    return table->f64 != NULL ? table->f64[at] : (double)table->f32[at];
}

size_t bnre__scaler_rows(size_t n, size_t size)
{
    size_t most = size > 0 ? MOST_IN_ALL / size : n;

    if (most < LEAST_ROWS)
        most = LEAST_ROWS;
    if (most > BNRE__SCALER_ROWS)
        most = BNRE__SCALER_ROWS;
    return n < most ? n : most;
}

/* ---- columns ---- */

/* Element t of a column, as an index into the row. */
static size_t element(const bnre__scaler *scaler, size_t column, size_t t)
{
    const size_t inner = scaler->inner;

    return (t / inner * scaler->columns + column) * inner + t % inner;
}

static int any_log(const bnre__scaler_spec *spec, size_t size)
{
    for (size_t j = 0; spec->log != NULL && j < size; j++)
        if (spec->log[j])
            return 1;
    return 0;
}

static bnre_status lay_out(bnre__scaler *scaler, const bnre__scaler_spec *spec)
{
    bnre_status status = BNRE_OK;
    bnre__scale_by by = spec->by;

    scaler->size = scaler->inner = 1;
    for (size_t i = 0; i < spec->ndim; i++)
        scaler->size *= spec->shape[i];
    scaler->columns = scaler->size;
    if (by == BNRE__SCALE_NONE && !any_log(spec, scaler->size))
        scaler->columns = 0;
    if (spec->ndim > 1 && by == BNRE__SCALE_FEATURE)
        scaler->columns = spec->shape[spec->ndim - 1];
    if (spec->ndim > 1 && by == BNRE__SCALE_CHANNEL) {
        scaler->columns = spec->shape[0];
        scaler->inner = scaler->size / spec->shape[0];
    }
    BNRE_NEW(scaler->location, scaler->columns);
    BNRE_NEW(scaler->scale, scaler->columns);
    BNRE_NEW(scaler->flags, scaler->columns);
    for (size_t c = 0; c < scaler->columns; c++) {
        const uint8_t *log = spec->log;
        const size_t first = element(scaler, c, 0);

        scaler->scale[c] = 1;
        scaler->flags[c] =
            log != NULL && log[first] != 0 ? BNRE__SCALED_LOG : 0;
        for (size_t t = 1; log != NULL && t < scaler->size / scaler->columns;
             t++)
            if (!log[element(scaler, c, t)] != !log[first])
                BNRE_THROW(BNRE_EINVAL,
                           "elements of column %zu disagree about "
                           "logarithms",
                           c);
    }
done:
    return status;
}

/* ---- values that cannot be scaled ---- */

static bnre_status fail_value(const bnre__scaler_spec *spec, size_t row,
                              size_t j, double value)
{
    char element_name[32];
    const char *name = element_name;

    snprintf(element_name, sizeof element_name, "x[%zu]", j);
    if (spec->name != NULL)
        name = spec->name[j];
    if (!isfinite(value))
        return bnre_fail(BNRE_ENUM, "row %zu: %s is %g, not a finite number",
                         row, name, value);
    return bnre_fail(BNRE_ENUM,
                     "row %zu: %s is %g and has no logarithm; the task says "
                     "`transform: log`, which needs values above 0",
                     row, name, value);
}

static int can_scale(double value, uint8_t flags)
{
    return isfinite(value) && (value > 0 || !(flags & BNRE__SCALED_LOG));
}

static bnre_status check(const bnre__scaler *scaler,
                         const bnre__scaler_spec *spec, size_t first,
                         const struct table *table)
{
    for (size_t i = 0; i < table->n; i++)
        for (size_t j = 0; j < table->size; j++) {
            const double value = value_at(table, i, j);
            uint8_t flags = 0;

            if (scaler->columns > 0)
                flags = scaler->flags[j / scaler->inner % scaler->columns];
            if (!can_scale(value, flags))
                return fail_value(spec, first + i, j, value);
        }
    return BNRE_OK;
}

bnre_status bnre__scaler_check_f64(const bnre__scaler *scaler,
                                   const bnre__scaler_spec *spec, size_t first,
                                   size_t n, const double *rows)
{
    return check(scaler, spec, first,
                 &(struct table){.n = n, .size = scaler->size, .f64 = rows});
}

bnre_status bnre__scaler_check_f32(const bnre__scaler *scaler,
                                   const bnre__scaler_spec *spec, size_t first,
                                   size_t n, const float *rows)
{
    return check(scaler, spec, first,
                 &(struct table){.n = n, .size = scaler->size, .f32 = rows});
}

/* ---- fitting ---- */

/* Values of a column, at most MOST_VALUES: some rows, and of each row some
   elements, others in each. */
static bnre_status gather(const bnre__scaler *scaler,
                          const bnre__scaler_spec *spec,
                          const struct table *table, size_t column,
                          double *value, size_t *count)
{
    const size_t rows = bnre__scaler_rows(table->n, table->size);
    const size_t elements = scaler->size / scaler->columns;
    const uint8_t flags = scaler->flags[column];
    size_t each = MOST_VALUES / rows;

    each = each < elements ? each : elements;
    *count = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < each; k++) {
            const size_t t = (k * elements / each + i) % elements;
            const size_t row = i * table->n / rows;
            const size_t j = element(scaler, column, t);
            const double v = value_at(table, row, j);

            if (!can_scale(v, flags))
                return fail_value(spec, row, j, v);
            value[(*count)++] = flags & BNRE__SCALED_LOG ? log(v) : v;
        }
    return BNRE_OK;
}

/* Linear between order statistics. Halves, since the difference of two finite
   numbers may be infinite. */
static double quantile(size_t n, const double *sorted, double u)
{
    const double at = u * (double)(n - 1);
    const size_t i = (size_t)at;
    const double part = at - (double)i;

    return i + 1 < n ? (1 - part) * sorted[i] + part * sorted[i + 1]
                     : sorted[n - 1];
}

double bnre__deviation(size_t n, const double *value)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean) / (double)n;
    return sqrt(squares);
}

static void fit_column(bnre__scaler *scaler, size_t c, size_t n, double *value)
{
    double location, scale, far;

    bnre__sort_doubles(n, value);
    location = quantile(n, value, 0.5);
    scale = quantile(n, value, 0.75) - quantile(n, value, 0.25);
    scale /= normal_range;
    if (!(scale >= DBL_MIN))
        scale = bnre__deviation(n, value);
    if (!(scale <= DBL_MAX))
        scale = DBL_MAX;
    if (value[0] == value[n - 1] || !(scale >= DBL_MIN)) {
        scaler->location[c] = value[0];
        scaler->flags[c] |= BNRE__SCALED_CONSTANT;
        return;
    }
    scaler->location[c] = location;
    scaler->scale[c] = scale;
    far =
        fmax((location - value[0]) / scale, (value[n - 1] - location) / scale);
    if (far > FAR)
        scaler->flags[c] |= BNRE__SCALED_ASINH;
}

static bnre_status fit(bnre__scaler *scaler, const bnre__scaler_spec *spec,
                       const double *f64, const float *f32, size_t n)
{
    bnre_status status = BNRE_OK;
    struct table table = {.n = n, .f64 = f64, .f32 = f32};
    double *value = NULL;
    size_t count;

    if (n == 0)
        return bnre_fail(BNRE_EINVAL, "no rows to take scales from");
    bnre__scaler_clear(scaler);
    BNRE_TRY(lay_out(scaler, spec));
    table.size = scaler->size;
    BNRE_NEW(value, MOST_VALUES);
    for (size_t c = 0; c < scaler->columns; c++) {
        BNRE_TRY(gather(scaler, spec, &table, c, value, &count));
        if (spec->by != BNRE__SCALE_NONE &&
            (spec->plain == NULL || !spec->plain[c]))
            fit_column(scaler, c, count, value);
    }
done:
    bnre__free(value);
    if (status != BNRE_OK)
        bnre__scaler_clear(scaler);
    return status;
}

bnre_status bnre__scaler_fit_f64(bnre__scaler *scaler,
                                 const bnre__scaler_spec *spec, size_t n,
                                 const double *rows)
{
    return fit(scaler, spec, rows, NULL, n);
}

bnre_status bnre__scaler_fit_f32(bnre__scaler *scaler,
                                 const bnre__scaler_spec *spec, size_t n,
                                 const float *rows)
{
    return fit(scaler, spec, NULL, rows, n);
}

void bnre__scaler_set_none(bnre__scaler *scaler, size_t size)
{
    bnre__scaler_clear(scaler);
    scaler->size = size;
    scaler->inner = 1;
}

void bnre__scaler_clear(bnre__scaler *scaler)
{
    bnre__free(scaler->flags);
    bnre__free(scaler->scale);
    bnre__free(scaler->location);
    *scaler = (bnre__scaler){0};
}

size_t bnre__scaler_count(const bnre__scaler *scaler, uint8_t flag)
{
    size_t count = 0;

    for (size_t c = 0; c < scaler->columns; c++)
        count += (scaler->flags[c] & flag) != 0;
    return count;
}

/* ---- applying ---- */

static float clamp(double z)
{
    const double end = (double)FLT_MAX;

    return (float)(z > end ? end : z < -end ? -end : z);
}

/* z of one value, and its derivative unless slope is NULL. */
static double scale_one(const bnre__scaler *scaler, size_t c, double value,
                        double *slope)
{
    const uint8_t flags = scaler->flags[c];
    double v = value, z, d = 1 / scaler->scale[c];

    if (flags & BNRE__SCALED_LOG) {
        const int inside = value >= DBL_MIN;

        v = log(inside ? value : DBL_MIN);
        d = inside ? d / value : 0;
    }
    z = (v - scaler->location[c]) / scaler->scale[c];
    if (flags & BNRE__SCALED_ASINH) {
        d /= hypot(1, z);
        z = asinh(z);
    }
    if (slope != NULL)
        *slope = d;
    return z;
}

void bnre__scaler_apply_f64(const bnre__scaler *scaler, size_t n,
                            const double *in, float *out, double *slope)
{
    const size_t columns = scaler->columns, inner = scaler->inner;
    const size_t total = n * scaler->size;
    size_t at = 0;

    for (; scaler->map != NULL && at < total; at += scaler->size)
        scaler->map(scaler->context, in + at, out + at);
    for (; columns == 0 && at < total; at++) {
        out[at] = clamp(in[at]);
        if (slope != NULL)
            slope[at] = 1;
    }
    while (at < total)
        for (size_t c = 0; c < columns; c++)
            for (size_t k = 0; k < inner; k++, at++)
                out[at] = clamp(
                    scale_one(scaler, c, in[at], slope ? &slope[at] : NULL));
}

void bnre__scaler_apply_f32(const bnre__scaler *scaler, size_t n,
                            const float *in, float *out)
{
    const size_t columns = scaler->columns, inner = scaler->inner;
    const size_t total = n * scaler->size;
    size_t at = 0;

    for (; columns == 0 && at < total; at++)
        out[at] = in[at];
    while (at < total)
        for (size_t c = 0; c < columns; c++)
            for (size_t k = 0; k < inner; k++, at++)
                out[at] = clamp(scale_one(scaler, c, (double)in[at], NULL));
}

void bnre__scaler_apply_part(const bnre__scaler *scaler, size_t first, size_t n,
                             const double *in, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] =
            clamp(scaler->columns == 0
                      ? in[i]
                      : scale_one(scaler,
                                  (first + i) / scaler->inner % scaler->columns,
                                  in[i], NULL));
}

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
