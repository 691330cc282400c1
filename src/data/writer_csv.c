/* writer_csv.c - datasets as CSV files. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/writer.h"
#include "io/csv.h"

static size_t count_columns(const bnre_dataset_info *info)
{
    return info->dim_theta + info->dim_nuisance + info->x_size +
           (info->failed > 0);
}

/* "x.1.0.7" for value j of x, or its own name. */
static bnre_status name_x(const bnre_dataset_info *info, size_t j, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    size_t index[BNRE_MAX_NDIM];

    if (info->x_name != NULL)
        return bnre__text_format(out, "x.%s", info->x_name[j]);
    for (size_t k = info->ndim; k-- > 0; j /= info->shape[k])
        index[k] = j % info->shape[k];
    BNRE_TRY(bnre__text_add(&text, "x"));
    for (size_t k = 0; k < info->ndim; k++)
        BNRE_TRY(bnre__text_add(&text, ".%zu", index[k]));
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}

static bnre_status write_header(bnre__file *file, const bnre_dataset_info *info)
{
    bnre_status status = BNRE_OK;
    size_t cols = count_columns(info), n = 0;
    char **name = NULL;

    BNRE_NEW(name, cols);
    for (size_t i = 0; i < info->dim_theta; i++)
        BNRE_TRY(
            bnre__text_format(&name[n++], "theta.%s", info->theta_name[i]));
    for (size_t i = 0; i < info->dim_nuisance; i++)
        BNRE_TRY(bnre__text_format(&name[n++], "nuisance.%s",
                                   info->nuisance_name[i]));
    for (size_t i = 0; i < info->x_size; i++)
        BNRE_TRY(name_x(info, i, &name[n++]));
    if (info->failed > 0)
        BNRE_TRY(bnre__strdup("status", &name[n++]));
    BNRE_TRY(bnre__csv_write_header(file, cols, (const char *const *)name));
done:
    for (size_t i = 0; name != NULL && i < cols; i++)
        bnre__free(name[i]);
    bnre__free(name);
    return status;
}

/* The double with the shortest text that still reads back as the float: 0.1
   instead of 0.10000000149011612. */
static double shorten(float value)
{
    char text[32];

    if (!isfinite(value))
        return (double)value;
    for (int digits = FLT_DIG; digits < FLT_DECIMAL_DIG; digits++) {
        double back;

        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        back = strtod(text, NULL);
        if ((float)back == value)
            return back;
    }
    snprintf(text, sizeof text, "%.*g", FLT_DECIMAL_DIG, (double)value);
    return strtod(text, NULL);
}

static bnre_status write_block(bnre__file *file, const bnre_dataset_info *info,
                               const bnre__block *block, size_t n, double *row)
{
    const double *theta = block->theta, *nuisance = block->nuisance;
    const float *single = block->x;
    const double *full = block->x;

    for (size_t i = 0; i < n; i++) {
        size_t used = 0;

        for (size_t j = 0; j < info->dim_theta; j++)
            row[used++] = *theta++;
        for (size_t j = 0; j < info->dim_nuisance; j++)
            row[used++] = *nuisance++;
        for (size_t j = 0; j < info->x_size; j++)
            row[used++] = info->x_double ? *full++ : shorten(*single++);
        if (info->failed > 0)
            row[used++] = block->status[i];
        BNRE_DO(bnre__csv_write_row(file, used, row));
    }
    return BNRE_OK;
}

bnre_status bnre__write_csv(const char *path, const bnre__rows *rows,
                            char fingerprint[33])
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info = rows->info;
    bnre__file *file = NULL;
    bnre__block block = {0};
    bnre__fingerprint print;
    double *row = NULL;
    size_t n;

    BNRE_TRY(bnre__block_init(&block, info, bnre__rows_at_a_time(info)));
    BNRE_NEW(row, count_columns(info));
    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(write_header(file, info));
    bnre__fingerprint_begin(&print, rows);
    for (size_t first = 0; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(rows->read(rows->self, first, n, block.theta, block.nuisance,
                            block.x, block.status, NULL));
        bnre__fingerprint_add(&print, info, n, block.theta, block.nuisance,
                              block.x, block.status);
        BNRE_TRY(write_block(file, info, &block, n, row));
    }
    bnre__fingerprint_end(&print, fingerprint);
    status = bnre__file_commit(file);
    file = NULL;
done:
    bnre__file_discard(file);
    bnre__free(row);
    bnre__block_clear(&block);
    return status;
}
