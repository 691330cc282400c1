#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "io/h5.h"

struct h5_data {
    bnre__h5 *h5;
    bnre__h5_array *theta, *nuisance, *x, *status;

    /* Failed rows in order, and the number of each one's reason. */
    bnre__h5_array *row, *reason;
    size_t failures;
    char (*text)[BNRE_REASON_SIZE];
    size_t texts;
    /* Where the last search ended: rows mostly come one after the other. */
    size_t next_row, next;
};

static void close_h5(void *self)
{
    struct h5_data *h5 = self;

    if (h5 == NULL)
        return;
    bnre__free(h5->text);
    bnre__h5_array_close(h5->reason);
    bnre__h5_array_close(h5->row);
    bnre__h5_array_close(h5->status);
    bnre__h5_array_close(h5->x);
    bnre__h5_array_close(h5->nuisance);
    bnre__h5_array_close(h5->theta);
    bnre__h5_close(h5->h5);
    bnre__free(h5);
}

/* Another kind of file of ours, or one from the future. */
static bnre_status check_format(bnre_dataset *data, bnre__h5 *h5, int *ours)
{
    bnre_status status = BNRE_OK;
    char *format = NULL;
    int64_t version;
    int found;

    BNRE_TRY(bnre__h5_text(h5, "/", "bnre_format", &format));
    if (format != NULL && strcmp(format, "dataset") != 0)
        BNRE_THROW(BNRE_EFORMAT, "%s holds a bnre %s, not a dataset",
                   data->path, format);
    BNRE_TRY(bnre__h5_int(h5, "/", "bnre_format_version", &found, &version));
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

static bnre_status open_array(bnre_dataset *data, const char *name,
                              bnre__h5_array **array, bnre__shape *shape)
{
    struct h5_data *h5 = data->self;
    bnre_status status = BNRE_OK;
    const bnre__h5_info *info;

    *shape = (bnre__shape){0};
    BNRE_TRY(bnre__h5_array_open(h5->h5, name, array));
    if (*array == NULL)
        goto done;
    info = bnre__h5_array_describe(*array);
    if (info->kind == 'S' || info->ndim == 0)
        BNRE_THROW(BNRE_EFORMAT, "%s: %s is no array of numbers", data->path,
                   name);
    *shape = (bnre__shape){.ndim = info->ndim, .shape = info->shape};
done:
    return status;
}

static bnre_status read_names(bnre_dataset *data, int nuisance)
{
    struct h5_data *h5 = data->self;
    bnre_status status = BNRE_OK;
    char **name = NULL;
    size_t n = 0;

    if (!data->only_x)
        BNRE_TRY(bnre__h5_texts(h5->h5, nuisance ? "nuisance" : "theta",
                                "names", &n, &name));
    BNRE_TRY(
        bnre__dataset_set_names(data, nuisance, n, (const char *const *)name));
done:
    bnre__h5_texts_free(n, name);
    return status;
}

/* Columns of x rarely have names. */
static bnre_status read_x_names(bnre_dataset *data)
{
    struct h5_data *h5 = data->self;
    bnre_status status = BNRE_OK;
    char **name = NULL;
    size_t n = 0;

    BNRE_TRY(bnre__h5_texts(h5->h5, "x", "names", &n, &name));
    if (n == data->info.x_size) /* else it names something else */
        BNRE_TRY(bnre__dataset_set_x_names(data, n, (const char *const *)name));
done:
    bnre__h5_texts_free(n, name);
    return status;
}

/* The texts of all reasons, which are few. */
static bnre_status read_reasons(bnre_dataset *data, bnre__h5_array *text)
{
    struct h5_data *h5 = data->self;
    const bnre__h5_info *info = bnre__h5_array_describe(text);
    bnre_status status = BNRE_OK;

    if (info->kind != 'S' || info->item != BNRE_REASON_SIZE ||
        info->row_size != 1 || info->rows > BNRE__MAX_REASONS)
        return bnre_fail(BNRE_EFORMAT,
                         "%s: failures/text is no list of reasons", data->path);
    BNRE_NEW(h5->text, info->rows);
    BNRE_TRY(bnre__h5_array_read(text, 'S', BNRE_REASON_SIZE, 0, info->rows,
                                 h5->text));
    for (size_t i = 0; i < info->rows; i++)
        h5->text[i][BNRE_REASON_SIZE - 1] = 0;
    h5->texts = info->rows;
done:
    return status;
}

static bnre_status open_failures(bnre_dataset *data)
{
    struct h5_data *h5 = data->self;
    bnre_status status = BNRE_OK;
    bnre__h5_array *text = NULL;
    bnre__shape row, reason;

    BNRE_TRY(open_array(data, "failures/row", &h5->row, &row));
    if (h5->row == NULL)
        goto done;
    BNRE_TRY(open_array(data, "failures/reason", &h5->reason, &reason));
    BNRE_TRY(bnre__h5_array_open(h5->h5, "failures/text", &text));
    if (h5->reason == NULL || text == NULL || row.ndim != 1 ||
        reason.ndim != 1 || row.shape[0] != reason.shape[0])
        BNRE_THROW(BNRE_EFORMAT, "%s: the arrays in failures do not fit",
                   data->path);
    h5->failures = row.shape[0];
    BNRE_TRY(read_reasons(data, text));
done:
    bnre__h5_array_close(text);
    return status;
}

/* What the file tells of itself. */
static bnre_status read_record(bnre_dataset *data, int *ours)
{
    bnre__h5 *h5 = ((struct h5_data *)data->self)->h5;
    bnre_status status = BNRE_OK;

    BNRE_TRY(check_format(data, h5, ours));
    BNRE_TRY(bnre__h5_text(h5, "/", "task", &data->task));
    BNRE_TRY(bnre__h5_text(h5, "/", "settings", &data->settings));
    BNRE_TRY(bnre__h5_text(h5, "/", "bnre_version", &data->version));
    BNRE_TRY(bnre__h5_text(h5, "/", "fingerprint", &data->fingerprint));
    BNRE_TRY(bnre__h5_text(h5, "/", "bnre_seal", &data->verify.seal));
    *ours = *ours || data->fingerprint != NULL || data->verify.seal != NULL;
done:
    return status;
}

/* The checksums of blocks, and the hash of why rows failed. */
static bnre_status read_sums(bnre_dataset *data, bnre__h5_array *array)
{
    enum { BLOCK = 1024 };
    struct h5_data *h5 = data->self;
    bnre__blocks *blocks = &data->verify.blocks;
    bnre__failure_hash *failures = &data->verify.failures;
    const bnre__h5_info *info = bnre__h5_array_describe(array);
    bnre_status status = BNRE_OK;
    uint64_t row[BLOCK];
    uint32_t reason[BLOCK];
    size_t n;

    if (info->kind != 'u' || info->rows != bnre__blocks_count(&data->info) ||
        info->row_size != BNRE__BLOCK_ARRAYS)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s: bnre_blocks does not fit the other arrays: was the "
                   "file changed or damaged after it was written?",
                   data->path);
    BNRE_TRY(bnre__blocks_init(blocks, &data->info));
    BNRE_TRY(bnre__h5_array_read(array, 'u', 8, 0, blocks->count, blocks->sum));
    bnre__failure_hash_init(failures);
    for (size_t at = 0; at < h5->failures; at += n) {
        n = h5->failures - at < BLOCK ? h5->failures - at : BLOCK;
        BNRE_TRY(bnre__h5_array_read(h5->row, 'u', 8, at, n, row));
        BNRE_TRY(bnre__h5_array_read(h5->reason, 'u', 4, at, n, reason));
        bnre__failure_hash_add(failures, n, row, reason);
    }
    bnre__failure_hash_texts(failures, h5->texts,
                             (const char(*)[BNRE_REASON_SIZE])h5->text);
done:
    return status;
}

static bnre_status open_h5(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    struct h5_data *h5 = NULL;
    bnre__h5_array *sums = NULL;
    bnre__shape theta, nuisance, x, flags;
    int ours = 0;

    BNRE_NEW(h5, 1);
    data->self = h5;
    BNRE_TRY(bnre__h5_open(data->path, &h5->h5));
    BNRE_TRY(read_record(data, &ours));
    BNRE_TRY(bnre__h5_array_open(h5->h5, "bnre_blocks", &sums));
    bnre__dataset_claim(data, ours || sums != NULL);
    BNRE_TRY(open_array(data, "theta", &h5->theta, &theta));
    BNRE_TRY(open_array(data, "nuisance", &h5->nuisance, &nuisance));
    BNRE_TRY(open_array(data, "x", &h5->x, &x));
    BNRE_TRY(open_array(data, "status", &h5->status, &flags));
    BNRE_TRY(bnre__dataset_set_shape(data, theta, nuisance, x, flags));
    data->wide = bnre__h5_array_describe(h5->x)->item >= 4 &&
                 !(bnre__h5_array_describe(h5->x)->kind == 'f' &&
                   bnre__h5_array_describe(h5->x)->item == 4);
    BNRE_TRY(read_names(data, 0));
    BNRE_TRY(read_names(data, 1));
    BNRE_TRY(read_x_names(data));
    BNRE_TRY(open_failures(data));
    if (sums != NULL)
        BNRE_TRY(read_sums(data, sums));
done:
    bnre__h5_array_close(sums);
    return status;
}

/* The first of the failed rows that is not before `row`. */
static bnre_status find_failure(struct h5_data *h5, size_t row, size_t *out)
{
    bnre_status status = BNRE_OK;
    size_t low = 0, high = h5->failures;

    if (h5->next_row == row) {
        *out = h5->next;
        return BNRE_OK;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t value;

        BNRE_TRY(bnre__h5_array_read(h5->row, 'u', 8, middle, 1, &value));
        if (value < row)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
done:
    return status;
}

static bnre_status read_failures(bnre_dataset *data, size_t first, size_t n,
                                 const uint8_t *flags,
                                 char (*reason)[BNRE_REASON_SIZE])
{
    enum { BLOCK = 256 };
    struct h5_data *h5 = data->self;
    bnre_status status = BNRE_OK;
    uint64_t row[BLOCK];
    uint32_t number[BLOCK];
    size_t at, have = 0, used = 0;

    BNRE_TRY(find_failure(h5, first, &at));
    for (size_t i = 0; i < n; i++) {
        if (flags[i] == BNRE_DRAW_OK)
            continue;
        if (used == have) {
            have = h5->failures - at < BLOCK ? h5->failures - at : BLOCK;
            used = 0;
            BNRE_TRY(bnre__h5_array_read(h5->row, 'u', 8, at, have, row));
            BNRE_TRY(bnre__h5_array_read(h5->reason, 'u', 4, at, have, number));
        }
        if (have == 0 || row[used] != first + i || number[used] >= h5->texts)
            BNRE_THROW(BNRE_EFORMAT,
                       "%s: row %zu failed, failures/row does not tell why",
                       data->path, first + i);
        memcpy(reason[i], h5->text[number[used]], BNRE_REASON_SIZE);
        used++;
        at++;
    }
    h5->next_row = first + n;
    h5->next = at;
done:
    return status;
}

static bnre_status read_h5(bnre_dataset *data, size_t first, size_t n,
                           double *theta, double *nuisance, float *x,
                           uint8_t *flags, char (*reason)[BNRE_REASON_SIZE])
{
    struct h5_data *h5 = data->self;
    bnre_status status = BNRE_OK;

    if (theta != NULL)
        BNRE_TRY(bnre__h5_array_read(h5->theta, 'f', 8, first, n, theta));
    if (nuisance != NULL && h5->nuisance != NULL)
        BNRE_TRY(bnre__h5_array_read(h5->nuisance, 'f', 8, first, n, nuisance));
    if (x != NULL)
        BNRE_TRY(bnre__h5_array_read(h5->x, 'f', 4, first, n, x));
    if (flags != NULL && h5->status == NULL)
        memset(flags, BNRE_DRAW_OK, n);
    else if (flags != NULL)
        BNRE_TRY(bnre__h5_array_read(h5->status, 'u', 1, first, n, flags));
    if (reason == NULL || flags == NULL)
        goto done;
    bnre__dataset_no_reasons(n, flags, reason);
    if (h5->row != NULL)
        BNRE_TRY(read_failures(data, first, n, flags, reason));
done:
    return status;
}

static bnre_status read_wide(bnre_dataset *data, size_t first, size_t n,
                             double *x)
{
    struct h5_data *h5 = data->self;

    return bnre__h5_array_read(h5->x, 'f', 8, first, n, x);
}

const bnre__dataset_kind bnre__dataset_h5 = {.format = "HDF5",
                                             .open = open_h5,
                                             .read = read_h5,
                                             .read_wide = read_wide,
                                             .close = close_h5};
