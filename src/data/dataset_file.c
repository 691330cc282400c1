/* dataset_file.c - a dataset as its file has it: which arrays are theta and x,
   their shapes and names, why rows failed, and checksums. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"

/* ---- shapes ---- */

/* The shape of an array in a file; ndim 0 if it is not there. */
struct shape {
    size_t ndim;
    const size_t *shape;
};

static bnre_status fail_shape(const bnre_dataset *data, const char *what)
{
    return bnre_fail(BNRE_EFORMAT, "%s: %s", data->path, what);
}

/* Columns of a (rows, columns) or (rows) array. */
static bnre_status set_columns(const bnre_dataset *data, const char *name,
                               struct shape array, size_t *columns)
{
    const bnre_dataset_info *info = &data->info;

    *columns = 0;
    if (array.ndim == 0)
        return BNRE_OK;
    if (array.ndim > 2)
        return bnre_fail(BNRE_EFORMAT,
                         "%s: %s has %zu dimensions, expected (rows, columns)",
                         data->path, name, array.ndim);
    if (array.shape[0] != info->rows)
        return bnre_fail(BNRE_EFORMAT,
                         "%s: theta has %zu rows, %s has %zu: do they come "
                         "from the same simulations?",
                         data->path, info->rows, name, array.shape[0]);
    *columns = array.ndim == 1 ? 1 : array.shape[1];
    if (*columns == 0)
        return bnre_fail(BNRE_EFORMAT, "%s: %s has no columns", data->path,
                         name);
    return BNRE_OK;
}

/* The sum of all columns must leave room for counting bytes. */
static int too_wide(const bnre_dataset_info *info)
{
    const size_t most = (size_t)1 << 40;

    return info->dim_theta > most || info->dim_nuisance > most ||
           info->x_size > most || info->rows > SIZE_MAX / 64;
}

static bnre_status refuse_missing(const bnre_dataset *data, int no_theta)
{
    if (strcmp(data->info.format, "CSV") == 0)
        return bnre_fail(BNRE_EFORMAT,
                         "%s has no columns called %s: call parameters "
                         "theta.NAME and data x.0, x.1, ...",
                         data->path, no_theta ? "theta.NAME" : "x.0");
    if (data->only_x)
        return fail_shape(data, "there is no array called x");
    return bnre_fail(BNRE_EFORMAT,
                     "%s has no array called %s: a dataset has theta (rows, "
                     "columns) and x (rows, ...)",
                     data->path, no_theta ? "theta" : "x");
}

static bnre_status set_shape(bnre_dataset *data, struct shape theta,
                             struct shape nuisance, struct shape x,
                             struct shape status_of)
{
    bnre_dataset_info *info = &data->info;
    size_t flags;

    if (data->only_x)
        theta = nuisance = (struct shape){0};
    if (x.ndim == 0 || (theta.ndim == 0 && !data->only_x))
        return refuse_missing(data, theta.ndim == 0 && !data->only_x);
    info->rows = data->only_x ? x.shape[0] : theta.shape[0];
    if (info->rows == 0)
        return fail_shape(data, "there are no rows");
    BNRE_DO(set_columns(data, "theta", theta, &info->dim_theta));
    BNRE_DO(set_columns(data, "nuisance", nuisance, &info->dim_nuisance));
    BNRE_DO(set_columns(data, "status", status_of, &flags));
    if (flags > 1)
        return fail_shape(data, "status has more than one column");
    info->ndim = x.ndim == 1 ? 1 : x.ndim - 1;
    if (info->ndim > BNRE_MAX_NDIM)
        return fail_shape(data, "x has too many dimensions");
    info->shape[0] = info->x_size = 1;
    for (size_t i = 1; i < x.ndim; i++) {
        info->shape[i - 1] = x.shape[i];
        if (__builtin_mul_overflow(info->x_size, x.shape[i], &info->x_size))
            return fail_shape(data, "x claims more values than can be");
    }
    if (x.shape[0] != info->rows || info->x_size == 0)
        return bnre_fail(BNRE_EFORMAT,
                         "%s: theta has %zu rows, x has %zu with %zu values "
                         "each: do they come from the same simulations?",
                         data->path, info->rows, x.shape[0], info->x_size);
    if (too_wide(info))
        return fail_shape(data, "the arrays claim more values than can be");
    return BNRE_OK;
}

/* The array of numbers called `name`, and its shape. */
static bnre_status find_array(bnre_dataset *data, const char *name,
                              bnre__array **array, struct shape *shape)
{
    const bnre__array_info *info;

    *shape = (struct shape){0};
    BNRE_DO(bnre__store_find(data->store, name, array));
    if (*array == NULL)
        return BNRE_OK;
    info = bnre__array_describe(*array);
    if (info->kind == 'S' || info->ndim == 0)
        return bnre_fail(BNRE_EFORMAT, "%s: %s is no array of numbers",
                         data->path, name);
    *shape = (struct shape){info->ndim, info->shape};
    return BNRE_OK;
}

static bnre_status find_arrays(bnre_dataset *data)
{
    static const char *const name[] = {"theta", "nuisance", "x", "status"};
    struct shape theta, nuisance, x, flags;
    const char *column;

    BNRE_DO(find_array(data, name[0], &data->theta, &theta));
    BNRE_DO(find_array(data, name[1], &data->nuisance, &nuisance));
    BNRE_DO(find_array(data, name[2], &data->x, &x));
    BNRE_DO(find_array(data, name[3], &data->status, &flags));
    column = data->only_x ? NULL : bnre__store_stranger(data->store, 4, name);
    if (column != NULL)
        return bnre_fail(
            BNRE_EFORMAT,
            "%s: it is not clear what column \"%s\" is: call "
            "parameters theta.NAME, nuisance parameters nuisance.NAME "
            "and data x.0, x.1, ...",
            data->path, column);
    return set_shape(data, theta, nuisance, x, flags);
}

/* ---- names ---- */

/* Names (dim) of an array's columns, if the file has them; the list ends with
   NULL. */
static bnre_status read_names(bnre_dataset *data, bnre__array *array,
                              const char *what, size_t dim, char ***list)
{
    bnre_status status = BNRE_OK;
    char **name = NULL;
    size_t n = 0;

    BNRE_TRY(bnre__array_names(array, &n, &name));
    /* Of x in files from elsewhere, the attribute may name something else. */
    if (n == 0 || (n != dim && array == data->x))
        goto done;
    if (n != dim)
        BNRE_THROW(BNRE_EFORMAT, "%s: %zu names for the %zu columns of %s",
                   data->path, n, dim, what);
    BNRE_NEW(*list, n + 1);
    memcpy(*list, name, n * sizeof *name);
    bnre__free(name);
    name = NULL;
done:
    bnre__texts_free(n, name);
    return status;
}

/* Those without names are called theta_0, ... */
static bnre_status invent_names(const char *what, size_t dim, char ***list)
{
    bnre_status status = BNRE_OK;

    if (*list != NULL)
        return BNRE_OK;
    BNRE_NEW(*list, dim + 1);
    for (size_t i = 0; i < dim; i++)
        BNRE_TRY(bnre__text_format(&(*list)[i], "%s_%zu", what, i));
done:
    return status;
}

static bnre_status set_names(bnre_dataset *data)
{
    bnre_dataset_info *info = &data->info;

    if (data->theta != NULL && !data->only_x)
        BNRE_DO(read_names(data, data->theta, "theta", info->dim_theta,
                           &data->theta_name));
    if (data->nuisance != NULL && !data->only_x)
        BNRE_DO(read_names(data, data->nuisance, "nuisance", info->dim_nuisance,
                           &data->nuisance_name));
    BNRE_DO(read_names(data, data->x, "x", info->x_size, &data->x_name));
    data->theta_named = data->theta_name != NULL;
    BNRE_DO(invent_names("theta", info->dim_theta, &data->theta_name));
    BNRE_DO(invent_names("nuisance", info->dim_nuisance, &data->nuisance_name));
    info->theta_name = (const char *const *)data->theta_name;
    info->nuisance_name = (const char *const *)data->nuisance_name;
    info->x_name = (const char *const *)data->x_name;
    return BNRE_OK;
}

/* ---- why rows failed ---- */

/* The texts of all reasons, which are few. */
static bnre_status read_texts(bnre_dataset *data, bnre__array *text)
{
    bnre__failed_rows *failed = &data->failed;
    const bnre__array_info *info = bnre__array_describe(text);
    bnre_status status = BNRE_OK;

    if (info->kind != 'S' || info->item != BNRE_REASON_SIZE ||
        info->row_size != 1 || info->rows > BNRE__MAX_REASONS)
        return bnre_fail(BNRE_EFORMAT,
                         "%s: failures/text is no list of reasons", data->path);
    BNRE_NEW(failed->text, info->rows);
    BNRE_TRY(bnre__array_read(text, 'S', BNRE_REASON_SIZE, 0, info->rows,
                              failed->text));
    for (size_t i = 0; i < info->rows; i++)
        failed->text[i][BNRE_REASON_SIZE - 1] = 0;
    failed->texts = info->rows;
done:
    return status;
}

static bnre_status find_failures(bnre_dataset *data)
{
    bnre__failed_rows *failed = &data->failed;
    bnre__array *text = NULL;
    struct shape row, reason;

    BNRE_DO(find_array(data, "failures/row", &failed->row, &row));
    if (failed->row == NULL)
        return BNRE_OK;
    BNRE_DO(find_array(data, "failures/reason", &failed->reason, &reason));
    BNRE_DO(bnre__store_find(data->store, "failures/text", &text));
    if (failed->reason == NULL || text == NULL || row.ndim != 1 ||
        reason.ndim != 1 || row.shape[0] != reason.shape[0])
        return bnre_fail(BNRE_EFORMAT, "%s: the arrays in failures do not fit",
                         data->path);
    failed->n = row.shape[0];
    return read_texts(data, text);
}

/* Rows and reasons at..at+n-1 of the failed ones. */
static bnre_status read_failed(bnre__failed_rows *failed, size_t at, size_t n,
                               uint64_t *row, uint32_t *reason)
{
    BNRE_DO(bnre__array_read(failed->row, 'u', sizeof *row, at, n, row));
    return bnre__array_read(failed->reason, 'u', sizeof *reason, at, n, reason);
}

/* The first of the failed rows that is not before `row`. */
static bnre_status find_failure(bnre__failed_rows *failed, size_t row,
                                size_t *out)
{
    size_t low = 0, high = failed->n;

    if (failed->next_row == row) {
        *out = failed->next;
        return BNRE_OK;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t value;
        uint32_t reason;

        BNRE_DO(read_failed(failed, middle, 1, &value, &reason));
        if (value < row)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return BNRE_OK;
}

static bnre_status read_reasons(bnre_dataset *data, size_t first, size_t n,
                                const uint8_t *flags,
                                char (*reason)[BNRE_REASON_SIZE])
{
    enum { BLOCK = 256 };
    bnre__failed_rows *failed = &data->failed;
    uint64_t row[BLOCK];
    uint32_t number[BLOCK];
    size_t at, have = 0, used = 0;

    BNRE_DO(find_failure(failed, first, &at));
    for (size_t i = 0; i < n; i++) {
        if (flags[i] == BNRE_DRAW_OK)
            continue;
        if (used == have) {
            have = failed->n - at < BLOCK ? failed->n - at : BLOCK;
            used = 0;
            BNRE_DO(read_failed(failed, at, have, row, number));
        }
        if (have == 0 || row[used] != first + i ||
            number[used] >= failed->texts)
            return bnre_fail(
                BNRE_EFORMAT,
                "%s: row %zu failed, failures/row does not tell why",
                data->path, first + i);
        memcpy(reason[i], failed->text[number[used]], BNRE_REASON_SIZE);
        used++;
        at++;
    }
    failed->next_row = first + n;
    failed->next = at;
    return BNRE_OK;
}

/* Reasons of rows with these statuses when the file tells none. */
static void no_reasons(size_t n, const uint8_t *status,
                       char (*reason)[BNRE_REASON_SIZE])
{
    for (size_t i = 0; i < n; i++) {
        if (reason[i][0] != 0)
            memset(reason[i], 0, sizeof reason[i]);
        if (status[i] != BNRE_DRAW_OK)
            snprintf(reason[i], sizeof reason[i], "the reason was not kept");
    }
}

/* ---- what a file tells of itself ---- */

/* Another kind of file of ours, or one from the future. */
static bnre_status check_format(bnre_dataset *data, int *ours)
{
    bnre_status status = BNRE_OK;
    char *format = NULL;
    int64_t version;
    int found;

    BNRE_TRY(bnre__store_text(data->store, "bnre_format", &format));
    if (format != NULL && strcmp(format, "dataset") != 0)
        BNRE_THROW(BNRE_EFORMAT, "%s holds a bnre %s, not a dataset",
                   data->path, format);
    BNRE_TRY(
        bnre__store_int(data->store, "bnre_format_version", &found, &version));
    if (found && version != 1)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is in version %lld of the format; this program knows "
                   "version 1: was it made by a newer one?",
                   data->path, (long long)version);
    *ours = format != NULL || found;
done:
    bnre__free(format);
    return status;
}

/* A file of ours is opened with all it has, since its checksums cover that. */
static bnre_status read_record(bnre_dataset *data, bnre__array **sums)
{
    bnre__store *store = data->store;
    bnre__array *record = NULL;
    int ours = 0;

    BNRE_DO(check_format(data, &ours));
    BNRE_DO(bnre__store_text(store, "task", &data->task));
    BNRE_DO(bnre__store_text(store, "settings", &data->settings));
    BNRE_DO(bnre__store_text(store, "bnre_version", &data->version));
    BNRE_DO(bnre__store_text(store, "fingerprint", &data->fingerprint));
    BNRE_DO(bnre__store_text(store, "bnre_seal", &data->verify.seal));
    BNRE_DO(bnre__store_find(store, "bnre_blocks", sums));
    BNRE_DO(bnre__store_find(store, "bnre", &record)); /* of an archive */
    data->verify.ours = ours || data->fingerprint != NULL ||
                        data->verify.seal != NULL || *sums != NULL ||
                        record != NULL;
    if (data->verify.ours)
        data->only_x = 0;
    return BNRE_OK;
}

/* The checksums of blocks (archives have halves, the lower one first), and the
   hash of why rows failed. */
static bnre_status read_sums(bnre_dataset *data, bnre__array *array)
{
    enum { BLOCK = 1024 };
    bnre__failed_rows *failed = &data->failed;
    bnre__blocks *blocks = &data->verify.blocks;
    bnre__failure_hash *hash = &data->verify.failures;
    const bnre__array_info *info = bnre__array_describe(array);
    uint64_t row[BLOCK];
    uint32_t reason[BLOCK];
    size_t n;

    if (info->kind != 'u' || info->rows != bnre__blocks_count(&data->info) ||
        info->item * info->row_size != sizeof *blocks->sum)
        return bnre_fail(
            BNRE_EFORMAT,
            "%s: bnre_blocks does not fit the other arrays: was the "
            "file changed or damaged after it was written?",
            data->path);
    BNRE_DO(bnre__blocks_init(blocks, &data->info));
    BNRE_DO(bnre__array_read(array, 'u', info->item, 0, blocks->count,
                             blocks->sum));
    bnre__failure_hash_init(hash);
    for (size_t at = 0; at < failed->n; at += n) {
        n = failed->n - at < BLOCK ? failed->n - at : BLOCK;
        BNRE_DO(read_failed(failed, at, n, row, reason));
        bnre__failure_hash_add(hash, n, row, reason);
    }
    bnre__failure_hash_texts(hash, failed->texts,
                             (const char(*)[BNRE_REASON_SIZE])failed->text);
    return BNRE_OK;
}

/* The type of x. Files of ours have floats, or doubles that their seal is told
   of; else digits that no checksum covers would be believed. */
static bnre_status set_precision(bnre_dataset *data)
{
    const bnre__array_info *x = bnre__array_describe(data->x);
    const int single = x->kind == 'f' && x->item == sizeof(float);
    const int full = x->kind == 'f' && x->item == sizeof(double);

    data->wide = x->item >= sizeof(float) && !single;
    if (!data->verify.ours)
        return BNRE_OK;
    data->info.x_double = full && data->verify.seal != NULL;
    if (single || data->info.x_double)
        return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT,
                     "%s was changed or damaged after it was written: x is of "
                     "another type than was written; take it from a copy, or "
                     "make it again",
                     data->path);
}

bnre_status bnre__dataset_open_file(bnre_dataset *data)
{
    bnre__array *sums;

    BNRE_DO(bnre__store_format(data->path, &data->info.format));
    BNRE_DO(
        bnre__store_open(data->path, data->only_x ? "x" : NULL, &data->store));
    BNRE_DO(read_record(data, &sums));
    BNRE_DO(find_arrays(data));
    BNRE_DO(set_precision(data));
    BNRE_DO(set_names(data));
    BNRE_DO(find_failures(data));
    if (sums != NULL)
        BNRE_DO(read_sums(data, sums));
    return BNRE_OK;
}

/* ---- rows ---- */

/* Numbers of any type; what is no status at all becomes 255. */
static bnre_status read_status(bnre__array *array, size_t first, size_t n,
                               uint8_t *out)
{
    const bnre__array_info *info = bnre__array_describe(array);
    double value[256];
    size_t m;

    if (info->kind == 'u' && info->item == 1)
        return bnre__array_read(array, 'u', 1, first, n, out);
    for (size_t at = 0; at < n; at += m) {
        m = n - at < 256 ? n - at : 256;
        BNRE_DO(bnre__array_read(array, 'f', 8, first + at, m, value));
        for (size_t i = 0; i < m; i++)
            out[at + i] =
                value[i] >= 0 && value[i] < 255 && value[i] == (uint8_t)value[i]
                    ? (uint8_t)value[i]
                    : 255;
    }
    return BNRE_OK;
}

bnre_status bnre__dataset_read_file(bnre_dataset *data, size_t first, size_t n,
                                    double *theta, double *nuisance, void *x,
                                    uint8_t *flags,
                                    char (*reason)[BNRE_REASON_SIZE])
{
    if (theta != NULL && data->theta != NULL)
        BNRE_DO(bnre__array_read(data->theta, 'f', 8, first, n, theta));
    if (nuisance != NULL && data->nuisance != NULL)
        BNRE_DO(bnre__array_read(data->nuisance, 'f', 8, first, n, nuisance));
    if (x != NULL)
        BNRE_DO(bnre__array_read(data->x, 'f', data->info.x_double ? 8 : 4,
                                 first, n, x));
    if (flags != NULL && data->status == NULL)
        memset(flags, BNRE_DRAW_OK, n);
    else if (flags != NULL)
        BNRE_DO(read_status(data->status, first, n, flags));
    if (reason == NULL || flags == NULL)
        return BNRE_OK;
    no_reasons(n, flags, reason);
    if (data->failed.row != NULL)
        BNRE_DO(read_reasons(data, first, n, flags, reason));
    return BNRE_OK;
}

bnre_status bnre__dataset_read_file_wide(bnre_dataset *data, size_t first,
                                         size_t n, double *x)
{
    return bnre__array_read(data->x, 'f', sizeof *x, first, n, x);
}
