/* writer.c - rows into files of any format: CSV and arrays of NumPy here, HDF5 in
   writer_h5.c. */
#include "data/writer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "data/verify.h"
#include "io/csv.h"
#include "io/npy.h"

/* ---- CSV ---- */

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

struct csv {
    bnre__file *file;
    const bnre_dataset_info *info;
    double *row; /* (columns) */
};

static bnre_status write_block(void *arg, const bnre__block *block,
                               size_t first, size_t n)
{
    const struct csv *csv = arg;
    const bnre_dataset_info *info = csv->info;
    double *row = csv->row;
    const double *theta = block->theta, *nuisance = block->nuisance;
    const float *single = block->x;
    const double *full = block->x;

    (void)first;
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
        BNRE_DO(bnre__csv_write_row(csv->file, used, row));
    }
    return BNRE_OK;
}

static bnre_status write_csv(const char *path, const bnre__rows *rows,
                             char fingerprint[33])
{
    struct csv csv = {.info = rows->info};
    bnre_status status = BNRE_OK;

    BNRE_NEW(csv.row, count_columns(rows->info));
    BNRE_TRY(bnre__file_create(path, &csv.file));
    BNRE_TRY(write_header(csv.file, rows->info));
    BNRE_TRY(bnre__rows_each(rows, 0, write_block, &csv, fingerprint));
done:
    status = bnre__file_end(csv.file, status);
    bnre__free(csv.row);
    return status;
}

/* ---- arrays of NumPy: .npz archives and pairs of .npy files ---- */

enum array { THETA, NUISANCE, X, STATUS };

/* Where the values of an array go. */
struct sink {
    bnre__file *file;
    bnre__npz *npz;      /* NULL: straight to the file */
    bnre__blocks blocks; /* of an archive */
};

static bnre_status put(const struct sink *sink, const void *data, size_t bytes)
{
    return sink->npz != NULL ? bnre__npz_write(sink->npz, data, bytes)
                             : bnre__file_write(sink->file, data, bytes);
}

/* One array, from the first row to the last. */
static bnre_status write_values(struct sink *sink, const bnre__rows *rows,
                                enum array array, bnre__fingerprint *print)
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info = rows->info;
    const size_t bytes[] = {info->dim_theta * 8, info->dim_nuisance * 8,
                            bnre__x_bytes(info), 1};
    bnre__block block = {0};
    double *theta, *nuisance;
    void *x;
    size_t n;

    BNRE_TRY(bnre__block_init(&block, info, bnre__rows_at_a_time(info)));
    theta = array == THETA ? block.theta : NULL;
    nuisance = array == NUISANCE ? block.nuisance : NULL;
    x = array == X ? block.x : NULL;
    for (size_t first = 0; first < info->rows; first += n) {
        const void *const data[] = {theta, nuisance, x, block.status};

        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(rows->read(rows->self, first, n, theta, nuisance, x,
                            block.status, NULL));
        bnre__fingerprint_add(print, info, n, theta, nuisance, x, block.status);
        if (sink->npz != NULL)
            bnre__blocks_take(&sink->blocks, rows, first, n, theta, nuisance, x,
                              block.status);
        BNRE_TRY(put(sink, data[array], n * bytes[array]));
    }
done:
    bnre__block_clear(&block);
    return status;
}

static size_t x_item(const bnre_dataset_info *info)
{
    return bnre__x_bytes(info) / info->x_size;
}

/* The dimensions of an array; how many. */
static size_t shape_of(const bnre_dataset_info *info, enum array array,
                       size_t shape[1 + BNRE_MAX_NDIM])
{
    shape[0] = info->rows;
    shape[1] = array == THETA ? info->dim_theta : info->dim_nuisance;
    if (array == STATUS)
        return 1;
    if (array != X)
        return 2;
    memcpy(shape + 1, info->shape, info->ndim * sizeof *shape);
    return 1 + info->ndim;
}

static bnre_status write_member(struct sink *sink, const bnre__rows *rows,
                                enum array array, bnre__fingerprint *print)
{
    static const char *const name[] = {"theta", "nuisance", "x", "status"};
    static const char kind[] = "fffu";
    const size_t item[] = {8, 8, x_item(rows->info), 1};
    size_t shape[1 + BNRE_MAX_NDIM];
    size_t ndim = shape_of(rows->info, array, shape);

    BNRE_DO(bnre__npz_member(sink->npz, name[array], kind[array], item[array],
                             ndim, shape));
    return write_values(sink, rows, array, print);
}

static bnre_status add_text(bnre_node *record, const char *key,
                            const char *text)
{
    return text == NULL ? BNRE_OK : bnre_node_set(record, key, text);
}

static bnre_status add_names(bnre_node *record, const char *key, size_t n,
                             const char *const *name)
{
    bnre_node *list = NULL;

    if (n == 0)
        return BNRE_OK;
    BNRE_DO(bnre_node_branch(record, key, BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre_node_set(list, NULL, name[i]));
    return BNRE_OK;
}

/* How the data were made, and what arrays cannot tell, as YAML. */
static bnre_status write_record(const struct sink *sink,
                                const bnre_dataset_info *info,
                                const char *fingerprint)
{
    bnre_status status = BNRE_OK;
    bnre_node *record = NULL;
    bnre__failure_hash failures; /* there is no place for reasons */
    char *text = NULL, seal[33];

    bnre__failure_hash_init(&failures);
    bnre__blocks_seal(&sink->blocks, info, fingerprint, &failures, seal);
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &record));
    BNRE_TRY(add_text(record, "bnre_format", "dataset"));
    BNRE_TRY(add_text(record, "bnre_format_version", "1"));
    BNRE_TRY(add_text(record, "bnre_version", info->version));
    BNRE_TRY(add_text(record, "task", info->task));
    BNRE_TRY(add_text(record, "settings", info->settings));
    BNRE_TRY(add_text(record, "fingerprint", fingerprint));
    BNRE_TRY(add_text(record, "bnre_seal", seal));
    BNRE_TRY(add_names(record, "theta", info->dim_theta, info->theta_name));
    BNRE_TRY(
        add_names(record, "nuisance", info->dim_nuisance, info->nuisance_name));
    if (info->x_name != NULL)
        BNRE_TRY(add_names(record, "x", info->x_size, info->x_name));
    BNRE_TRY(bnre_node_write(record, &text));
    BNRE_TRY(bnre__npz_member(sink->npz, "bnre", 'S', strlen(text), 0, NULL));
    BNRE_TRY(bnre__npz_write(sink->npz, text, strlen(text)));
done:
    bnre_free(text);
    bnre_node_destroy(record);
    return status;
}

/* Halves of checksums, the lower one first. */
static bnre_status write_sums(const struct sink *sink)
{
    const bnre__blocks *blocks = &sink->blocks;

    BNRE_DO(bnre__npz_member(
        sink->npz, "bnre_blocks", 'u', 4, 2,
        (const size_t[]){blocks->count, 2 * BNRE__BLOCK_ARRAYS}));
    return bnre__npz_write(sink->npz, blocks->sum,
                           blocks->count * sizeof *blocks->sum);
}

static bnre_status write_npz(const char *path, const bnre__rows *rows,
                             char fingerprint[33])
{
    bnre_status status = BNRE_OK;
    struct sink sink = {0};
    bnre__fingerprint print;

    BNRE_TRY(bnre__file_create(path, &sink.file));
    BNRE_TRY(bnre__npz_begin(sink.file, &sink.npz));
    BNRE_TRY(bnre__blocks_init(&sink.blocks, rows->info));
    bnre__fingerprint_begin(&print, rows);
    BNRE_TRY(write_member(&sink, rows, THETA, &print));
    if (rows->info->dim_nuisance > 0)
        BNRE_TRY(write_member(&sink, rows, NUISANCE, &print));
    BNRE_TRY(write_member(&sink, rows, X, &print));
    if (rows->info->failed > 0)
        BNRE_TRY(write_member(&sink, rows, STATUS, &print));
    bnre__fingerprint_end(&print, fingerprint);
    BNRE_TRY(write_sums(&sink));
    BNRE_TRY(write_record(&sink, rows->info, fingerprint));
    BNRE_TRY(bnre__npz_end(sink.npz));
done:
    bnre__blocks_clear(&sink.blocks);
    bnre__npz_destroy(sink.npz);
    return bnre__file_end(sink.file, status);
}

static bnre_status write_array(const char *path, const bnre__rows *rows,
                               enum array array, bnre__fingerprint *print,
                               bnre__file **out)
{
    bnre_status status = BNRE_OK;
    struct sink sink = {0};
    size_t shape[1 + BNRE_MAX_NDIM];
    size_t ndim = shape_of(rows->info, array, shape);

    BNRE_TRY(bnre__file_create(path, &sink.file));
    BNRE_TRY(bnre__npy_write_header(
        sink.file, 'f', array == X ? x_item(rows->info) : 8, ndim, shape));
    BNRE_TRY(write_values(&sink, rows, array, print));
    *out = sink.file;
    sink.file = NULL;
done:
    bnre__file_discard(sink.file);
    return status;
}

/* Names and nuisance parameters have no place here. */
static bnre_status write_pair(const char *path, const bnre__rows *rows,
                              char fingerprint[33])
{
    bnre_status status = BNRE_OK;
    bnre__fingerprint print;
    bnre__file *theta = NULL, *x = NULL;
    char *first = NULL;
    size_t second = 0;

    bnre__is_pair(path, &second);
    if (rows->info->failed > 0)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu rows failed, which a pair of .npy files cannot "
                         "tell: write .npz instead",
                         rows->info->failed);
    bnre__fingerprint_begin(&print, rows);
    BNRE_TRY(bnre__text_format(&first, "%.*s", (int)second - 1, path));
    BNRE_TRY(write_array(first, rows, THETA, &print, &theta));
    BNRE_TRY(write_array(path + second, rows, X, &print, &x));
    BNRE_TRY(bnre__file_settle(theta));
    BNRE_TRY(bnre__file_settle(x));
    /* Killed now, there may be half a pair, but none of two datasets. */
    if (bnre__file_exists(path + second))
        BNRE_TRY(bnre__file_remove(path + second));
    status = bnre__file_commit(theta);
    theta = NULL;
    BNRE_TRY(status);
    status = bnre__file_commit(x);
    x = NULL;
    bnre__fingerprint_end(&print, fingerprint);
done:
    bnre__file_discard(x);
    bnre__file_discard(theta);
    bnre__free(first);
    return status;
}

/* ---- all formats ---- */

static const bnre__format formats[] = {
    {"HDF5", ".h5", bnre__write_h5}, {"HDF5", ".hdf5", bnre__write_h5},
    {"npz", ".npz", write_npz},      {"CSV", ".csv", write_csv},
    {"npy", NULL, write_pair},
};

bnre_status bnre__format_find(const char *path, const bnre__format **out)
{
    size_t second;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        *out = &formats[i];
        if (formats[i].ending == NULL
                ? bnre__is_pair(path, &second)
                : bnre__ends_with(path, formats[i].ending))
            return BNRE_OK;
    }
    return bnre_fail(BNRE_EUSAGE,
                     "cannot tell the format of %s: end it in .h5, .npz or "
                     ".csv, or name a pair \"theta.npy,x.npy\"",
                     path);
}
