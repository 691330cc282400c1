/* dataset.c - opening datasets, and rows whose every value is checked. */
#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/arrange.h"
#include "data/precision.h"

/* Count failed rows and see that every status is one. */
static bnre_status count_failed(bnre_dataset *data)
{
    uint8_t flag[4096];
    size_t n;

    for (size_t first = 0; first < data->info.rows; first += n) {
        n = data->info.rows - first;
        if (n > sizeof flag)
            n = sizeof flag;
        BNRE_DO(bnre__dataset_read_file(data, first, n, NULL, NULL, NULL, flag,
                                        NULL));
        BNRE_DO(bnre__verify_read(data, first, n, NULL, NULL, NULL, flag));
        for (size_t i = 0; i < n; i++) {
            if (flag[i] >= BNRE_DRAW_STOP)
                return bnre_fail(
                    BNRE_EFORMAT,
                    "%s: row %zu has status %d, expected 0 (valid), 1 "
                    "(invalid) or 2 (lost)",
                    data->path, first + i, flag[i]);
            data->info.failed += flag[i] != BNRE_DRAW_OK;
        }
    }
    return BNRE_OK;
}

/* Read everything once, for the sake of the checks. */
static bnre_status check_values(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    bnre__rows rows = bnre__dataset_rows(data);
    bnre__block block = {0};
    size_t n;

    BNRE_TRY(bnre__block_init(&block, &data->info,
                              bnre__rows_at_a_time(&data->info)));
    for (size_t first = 0; first < data->info.rows; first += n) {
        n = data->info.rows - first;
        if (n > block.rows)
            n = block.rows;
        BNRE_TRY(rows.read(rows.self, first, n, block.theta, block.nuisance,
                           block.x, NULL, NULL));
    }
done:
    bnre__block_clear(&block);
    return status;
}

/* Once all that covers them has been compared. */
static void drop_parameters(bnre_dataset *data)
{
    data->only_x = 1;
    data->info.dim_theta = data->info.dim_nuisance = 0;
}

/* Whether both are open files with the same seal. */
static int is_sealed_alike(const bnre_dataset *a, const bnre_dataset *b)
{
    return b != NULL && a->verify.sound != NULL && b->verify.sound != NULL &&
           strcmp(a->verify.seal, b->verify.seal) == 0;
}

/* Rows of files with checksums are compared when they are read, others now,
   unless that was done `before`. */
static bnre_status look_at_rows(bnre_dataset *data, const bnre_dataset *before)
{
    BNRE_DO(bnre__verify_seal(data));
    if (is_sealed_alike(data, before)) {
        bnre__verify_share(&data->verify, &before->verify);
        data->info.failed = before->info.failed;
        return BNRE_OK;
    }
    if (data->status != NULL)
        BNRE_DO(count_failed(data));
    if (before != NULL)
        return BNRE_OK;
    if (data->fingerprint != NULL && data->verify.seal == NULL)
        BNRE_DO(bnre__verify_fingerprint(data));     /* reads everything */
    else if (strcmp(data->info.format, "HDF5") != 0) /* which may be large */
        BNRE_DO(check_values(data));
    return BNRE_OK;
}

static bnre_status open_dataset(const char *path, int only_x,
                                const bnre_dataset *before, bnre_dataset **out)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;

    *out = NULL;
    BNRE_NEW(data, 1);
    BNRE_TRY(bnre__strdup(path, &data->path));
    data->only_x = only_x;
    BNRE_TRY(bnre__dataset_open_file(data));
    data->info.task = data->task;
    data->info.settings = data->settings;
    data->info.version = data->version;
    data->info.stored_fingerprint = data->fingerprint;
    data->stored = data->info;
    BNRE_TRY(look_at_rows(data, before));
    if (only_x)
        drop_parameters(data);
    data->stored = data->info;
    *out = data;
    data = NULL;
done:
    bnre_dataset_close(data);
    return status;
}

bnre_status bnre_dataset_open(const char *path, bnre_dataset **out)
{
    return open_dataset(path, 0, NULL, out);
}

bnre_status bnre_dataset_open_x(const char *path, bnre_dataset **out)
{
    return open_dataset(path, 1, NULL, out);
}

/* Whether both were opened from the same contents, as far as can be seen. */
static int is_same(const bnre_dataset *a, const bnre_dataset *b)
{
    const char *p = a->fingerprint, *q = b->fingerprint;

    return a->info.rows == b->info.rows && a->info.failed == b->info.failed &&
           (p == NULL) == (q == NULL) && (p == NULL || strcmp(p, q) == 0);
}

bnre_status bnre__dataset_again(const bnre_dataset *data, bnre_dataset **out)
{
    BNRE_DO(open_dataset(data->path, data->only_x, data, out));
    if (!is_same(data, *out)) {
        bnre_dataset_close(*out);
        *out = NULL;
        return bnre_fail(BNRE_EIO, "%s changed while it was read", data->path);
    }
    return BNRE_OK;
}

static void free_list(char **text)
{
    for (size_t i = 0; text != NULL && text[i] != NULL; i++)
        bnre__free(text[i]);
    bnre__free(text);
}

void bnre_dataset_close(bnre_dataset *data)
{
    if (data == NULL)
        return;
    bnre__store_close(data->store);
    bnre__free(data->failed.text);
    bnre__dataset_arrange_clear(data);
    bnre__free(data->offset);
    bnre__verify_clear(&data->verify);
    bnre__reasons_clear(&data->reasons);
    bnre__free(data->fingerprint);
    bnre__free(data->version);
    bnre__free(data->settings);
    bnre__free(data->task);
    free_list(data->x_name);
    free_list(data->nuisance_name);
    free_list(data->theta_name);
    bnre__free(data->path);
    bnre__free(data);
}

const bnre_dataset_info *bnre_dataset_describe(const bnre_dataset *data)
{
    return &data->info;
}

/* Whether all floats, or (wide) doubles, in these bytes are finite. An
   exponent of ones, and only this, carries into the sign when one is added to
   it: two floats at a time, and no branch. */
static int is_finite(const void *value, size_t bytes, int wide)
{
    const uint64_t exponent =
        wide ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f8000007f800000);
    const uint64_t one =
        wide ? UINT64_C(0x0010000000000000) : UINT64_C(0x0080000000800000);
    const uint64_t sign =
        wide ? UINT64_C(0x8000000000000000) : UINT64_C(0x8000000080000000);
    const char *p = value;
    uint64_t word = 0, found = 0;

    for (; bytes >= sizeof word; bytes -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        found |= (word & exponent) + one;
    }
    word = 0;
    memcpy(&word, p, bytes);
    found |= (word & exponent) + one;
    return (found & sign) == 0;
}

static bnre_status check_columns(const bnre_dataset *data, size_t first,
                                 size_t n, size_t dim, const double *value,
                                 const char *const *name)
{
    if (is_finite(value, n * dim * sizeof *value, 1))
        return BNRE_OK;
    for (size_t i = 0; i < n * dim; i++)
        if (!isfinite(value[i]))
            return bnre_fail(BNRE_ENUM, "%s: row %zu, column %s is %g",
                             data->path, first + i / dim, name[i % dim],
                             value[i]);
    return BNRE_OK;
}

/* "3" or "1, 0, 7": the place of value j within x. */
static const char *place_in_x(const bnre_dataset_info *info, size_t j,
                              char out[256])
{
    size_t index[BNRE_MAX_NDIM], used = 0;

    for (size_t k = info->ndim; k-- > 0; j /= info->shape[k])
        index[k] = j % info->shape[k];
    out[0] = 0;
    for (size_t k = 0; k < info->ndim; k++)
        used += (size_t)snprintf(out + used, 256 - used,
                                 k == 0 ? "%zu" : ", %zu", index[k]);
    return out;
}

/* Value i of x, which need not be aligned. */
static double value_of_x(const bnre_dataset *data, const void *x, size_t i)
{
    float single;
    double full;

    if (data->info.x_double) {
        memcpy(&full, (const char *)x + i * sizeof full, sizeof full);
        return full;
    }
    memcpy(&single, (const char *)x + i * sizeof single, sizeof single);
    return (double)single;
}

static bnre_status check_x(bnre_dataset *data, size_t first, size_t n,
                           const void *x)
{
    const size_t m = data->info.x_size;

    if (is_finite(x, n * bnre__x_bytes(&data->info), data->info.x_double))
        return BNRE_OK;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        uint8_t flag = BNRE_DRAW_OK;
        char place[256];

        while (j < m && isfinite(value_of_x(data, x, i * m + j)))
            j++;
        if (j == m)
            continue;
        if (data->status != NULL)
            BNRE_DO(bnre__dataset_read_file(data, first + i, 1, NULL, NULL,
                                            NULL, &flag, NULL));
        if (flag == BNRE_DRAW_OK && data->stored.x_name != NULL)
            return bnre_fail(BNRE_ENUM, "%s: row %zu, column %s is %g",
                             data->path, first + i, data->stored.x_name[j],
                             value_of_x(data, x, i * m + j));
        if (flag == BNRE_DRAW_OK)
            return bnre_fail(
                BNRE_ENUM,
                "%s: row %zu, x[%s] is %g, and the row is not marked as "
                "failed",
                data->path, first + i, place_in_x(&data->info, j, place),
                value_of_x(data, x, i * m + j));
    }
    return BNRE_OK;
}

static bnre_status read_checked(void *self, size_t first, size_t n,
                                double *theta, double *nuisance, void *x,
                                uint8_t *flags,
                                char (*reason)[BNRE_REASON_SIZE])
{
    bnre_dataset *data = self;
    const bnre_dataset_info *info = &data->stored;

    if (first > info->rows || n > info->rows - first)
        return bnre_fail(BNRE_EINVAL, "%s: rows %zu to %zu of %zu", data->path,
                         first, first + n, info->rows);
    if (data->only_x)
        theta = nuisance = NULL;
    BNRE_DO(bnre__dataset_read_file(data, first, n, theta, nuisance, x, flags,
                                    reason));
    BNRE_DO(bnre__verify_read(data, first, n, theta, nuisance, x, flags));
    if (theta != NULL)
        BNRE_DO(check_columns(data, first, n, info->dim_theta, theta,
                              info->theta_name));
    if (nuisance != NULL)
        BNRE_DO(check_columns(data, first, n, info->dim_nuisance, nuisance,
                              info->nuisance_name));
    if (x != NULL)
        BNRE_DO(check_x(data, first, n, x));
    return BNRE_OK;
}

bnre__rows bnre__dataset_rows(bnre_dataset *data)
{
    const bnre__blocks *blocks = &data->verify.blocks;

    return (bnre__rows){
        .info = &data->stored,
        .self = data,
        .read = read_checked,
        .sums =
            blocks->kernels == NULL ? NULL : (const uint64_t(*)[4])blocks->sum,
        .fingerprint = data->verify.sound != NULL && !data->only_x
                           ? data->fingerprint
                           : NULL};
}

/* Rows of a file that has more digits of x than floats keep. */
static bnre_status read_wide(bnre_dataset *data, size_t first, size_t n,
                             double *theta, double *nuisance, double *x,
                             uint8_t *flags)
{
    const size_t size = data->info.x_size;
    bnre_status status = BNRE_OK;
    uint8_t *drawn = NULL;
    char place[256];

    BNRE_NEW(drawn, n);
    BNRE_TRY(read_checked(data, first, n, theta, nuisance, NULL, drawn, NULL));
    BNRE_TRY(bnre__dataset_read_file_wide(data, first, n, x));
    for (size_t i = 0; i < n * size; i++)
        if (!isfinite(x[i]) && drawn[i / size] == BNRE_DRAW_OK)
            BNRE_THROW(BNRE_ENUM, "%s: row %zu, x[%s] is %g", data->path,
                       first + i / size,
                       place_in_x(&data->info, i % size, place), x[i]);
    if (flags != NULL)
        memcpy(flags, drawn, n);
done:
    bnre__free(drawn);
    return status;
}

/* Rows of a file that has floats. They are read into the second half of x, and
   grow from there: no memory but the caller's. */
static bnre_status read_single(bnre_dataset *data, size_t first, size_t n,
                               double *theta, double *nuisance, double *x,
                               uint8_t *flags)
{
    const size_t values = n * data->info.x_size;
    char *half = (char *)x + values * sizeof(float);

    BNRE_DO(read_checked(data, first, n, theta, nuisance, half, flags, NULL));
    for (size_t i = 0; i < values; i++)
        x[i] = value_of_x(data, half, i);
    return BNRE_OK;
}

/* With all parameters that the file has. */
static bnre_status read_rows(bnre_dataset *data, size_t first, size_t n,
                             double *theta, double *nuisance, double *x,
                             uint8_t *flags)
{
    if (x == NULL || data->info.x_double)
        BNRE_DO(read_checked(data, first, n, theta, nuisance, x, flags, NULL));
    else if (data->wide)
        BNRE_DO(read_wide(data, first, n, theta, nuisance, x, flags));
    else
        BNRE_DO(read_single(data, first, n, theta, nuisance, x, flags));
    bnre__dataset_reorder(data, n, data->only_x ? NULL : theta, x);
    return BNRE_OK;
}

bnre_status bnre_dataset_read(bnre_dataset *data, size_t first, size_t n,
                              double *theta, double *nuisance, double *x,
                              uint8_t *flags)
{
    bnre_status status = BNRE_OK;
    double *all = NULL;

    if (theta == NULL || !bnre__dataset_chooses(data))
        return read_rows(data, first, n, theta, nuisance, x, flags);
    BNRE_NEW(all, n * data->stored.dim_theta);
    BNRE_TRY(read_rows(data, first, n, all, nuisance, x, flags));
    bnre__dataset_choose(data, n, all, theta);
done:
    bnre__free(all);
    return status;
}

void bnre__dataset_set_double(bnre_dataset *data, int on)
{
    if (!data->verify.ours)
        data->info.x_double = data->stored.x_double = on;
}

bnre_status bnre__dataset_read_f32(bnre_dataset *data, size_t first, size_t n,
                                   double *theta, float *x, uint8_t *flags)
{
    const size_t size = data->info.x_size;
    bnre_status status = BNRE_OK;
    double *all = NULL;

    if (theta != NULL && bnre__dataset_chooses(data)) {
        BNRE_TRY(bnre_dataset_read(data, first, n, theta, NULL, NULL, NULL));
        theta = NULL;
    }
    if (x != NULL &&
        (data->offset != NULL || data->x_from != NULL || data->info.x_double)) {
        BNRE_NEW(all, n * size);
        BNRE_TRY(bnre_dataset_read(data, first, n, theta, NULL, all, flags));
        for (size_t i = 0; i < n * size; i++)
            x[i] =
                (float)(data->offset != NULL ? all[i] - data->offset[i % size]
                                             : all[i]);
        goto done;
    }
    BNRE_TRY(read_checked(data, first, n, theta, NULL, x, flags, NULL));
    bnre__dataset_reorder(data, n, data->only_x ? NULL : theta, NULL);
done:
    bnre__free(all);
    return status;
}

/* Files from elsewhere that have more digits than floats: as convert writes
   them. */
static bnre_status fingerprint_wide(bnre_dataset *data, char out[33])
{
    const bnre__rows rows = bnre__dataset_rows(data);
    const int before = data->info.x_double;
    bnre_status status = BNRE_OK;
    double *offset = NULL;

    BNRE_TRY(bnre__dataset_find_offset(data, &offset));
    bnre__dataset_set_double(data, offset != NULL);
    status = bnre__rows_fingerprint(&rows, out);
    bnre__dataset_set_double(data, before);
done:
    bnre__free(offset);
    return status;
}

bnre_status bnre_dataset_fingerprint(bnre_dataset *data, char out[33])
{
    bnre__rows rows = bnre__dataset_rows(data);

    /* Checksums say as much in less time, and the seal covers what it is. */
    if (data->verify.sound == NULL || data->only_x || data->fingerprint == NULL)
        return data->wide && !data->verify.ours
                   ? fingerprint_wide(data, out)
                   : bnre__rows_fingerprint(&rows, out);
    BNRE_DO(bnre_dataset_verify(data));
    snprintf(out, 33, "%s", data->fingerprint);
    return BNRE_OK;
}
