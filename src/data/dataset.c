#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/arrange.h"
#include "io/file.h"

int bnre__ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    return n > m && strcasecmp(path + n - m, ending) == 0;
}

int bnre__is_pair(const char *path, size_t *second)
{
    for (const char *comma = strchr(path, ','); comma != NULL;
         comma = strchr(comma + 1, ',')) {
        size_t n = (size_t)(comma - path);

        if (n > 4 && strncasecmp(comma - 4, ".npy", 4) == 0 &&
            bnre__ends_with(comma + 1, ".npy")) {
            *second = n + 1;
            return 1;
        }
    }
    return 0;
}

/* Which format a file is in, by its first bytes; by its name only where these
   say nothing. */
static bnre_status find_kind(const char *path, int only_x,
                             const bnre__dataset_kind **out)
{
    static const char h5[] = "\x89HDF\r\n\x1a\n", npy[] = "\x93NUMPY";
    bnre_status status = BNRE_OK;
    char start[8] = {0};
    uint64_t size;
    size_t second;
    int fd = -1;

    if (bnre__is_pair(path, &second)) {
        *out = &bnre__dataset_npy;
        return BNRE_OK;
    }
    BNRE_TRY(bnre__file_open(path, &fd, &size));
    BNRE_TRY(bnre__file_read_at(
        fd, path, 0, start, size < sizeof start ? (size_t)size : sizeof start));
    if (memcmp(start, npy, 6) == 0 && !only_x)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is one array: a dataset is theta and x, written "
                   "\"theta.npy,x.npy\"",
                   path);
    if (memcmp(start, npy, 6) == 0)
        *out = &bnre__dataset_npy;
    else if (memcmp(start, h5, 8) == 0 || bnre__ends_with(path, ".h5") ||
             bnre__ends_with(path, ".hdf5"))
        *out = &bnre__dataset_h5;
    else if (memcmp(start, "PK", 2) == 0 || bnre__ends_with(path, ".npz"))
        *out = &bnre__dataset_npz;
    else
        *out = &bnre__dataset_csv;
done:
    if (fd >= 0)
        close(fd);
    return status;
}

static bnre_status fail_shape(const bnre_dataset *data, const char *what)
{
    return bnre_fail(BNRE_EFORMAT, "%s: %s", data->path, what);
}

/* Columns of a (rows, columns) or (rows) array. */
static bnre_status set_columns(const bnre_dataset *data, const char *name,
                               bnre__shape array, size_t *columns)
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

bnre_status bnre__dataset_set_shape(bnre_dataset *data, bnre__shape theta,
                                    bnre__shape nuisance, bnre__shape x,
                                    bnre__shape status_of)
{
    bnre_status status = BNRE_OK;
    bnre_dataset_info *info = &data->info;
    size_t flags;

    if (data->only_x) {
        theta = nuisance = (bnre__shape){0};
        if (x.ndim == 0)
            return fail_shape(data, "there is no array called x");
    } else if (theta.ndim == 0 || x.ndim == 0)
        return bnre_fail(BNRE_EFORMAT,
                         "%s has no array called %s: a dataset has theta "
                         "(rows, columns) and x (rows, ...)",
                         data->path, theta.ndim == 0 ? "theta" : "x");
    info->rows = data->only_x ? x.shape[0] : theta.shape[0];
    if (info->rows == 0)
        return fail_shape(data, "there are no rows");
    BNRE_TRY(set_columns(data, "theta", theta, &info->dim_theta));
    BNRE_TRY(set_columns(data, "nuisance", nuisance, &info->dim_nuisance));
    BNRE_TRY(set_columns(data, "status", status_of, &flags));
    if (flags > 1)
        return fail_shape(data, "status has more than one column");
    data->has_status = flags == 1;
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
done:
    return status;
}

bnre_status bnre__dataset_set_names(bnre_dataset *data, int nuisance, size_t n,
                                    const char *const *name)
{
    bnre_status status = BNRE_OK;
    size_t dim = nuisance ? data->info.dim_nuisance : data->info.dim_theta;
    const char *what = nuisance ? "nuisance" : "theta";
    char **own = NULL;

    if (n > 0 && n != dim)
        return bnre_fail(BNRE_EFORMAT,
                         "%s: %zu names for the %zu columns of %s", data->path,
                         n, dim, what);
    BNRE_NEW(own, dim + 1);
    data->theta_named |= n > 0 && !nuisance;
    if (nuisance) {
        data->nuisance_name = own;
        data->info.nuisance_name = (const char *const *)own;
    } else {
        data->theta_name = own;
        data->info.theta_name = (const char *const *)own;
    }
    for (size_t i = 0; i < dim; i++)
        if (n > 0)
            BNRE_TRY(bnre__strdup(name[i], &own[i]));
        else
            BNRE_TRY(bnre__text_format(&own[i], "%s_%zu", what, i));
done:
    return status;
}

bnre_status bnre__dataset_set_x_names(bnre_dataset *data, size_t n,
                                      const char *const *name)
{
    bnre_status status = BNRE_OK;

    if (n == 0)
        return BNRE_OK;
    if (n != data->info.x_size)
        return bnre_fail(BNRE_EFORMAT, "%s: %zu names for the %zu values of x",
                         data->path, n, data->info.x_size);
    BNRE_NEW(data->x_name, n + 1);
    data->info.x_name = (const char *const *)data->x_name;
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre__strdup(name[i], &data->x_name[i]));
done:
    return status;
}

void bnre__dataset_no_reasons(size_t n, const uint8_t *status,
                              char (*reason)[BNRE_REASON_SIZE])
{
    for (size_t i = 0; i < n; i++) {
        if (reason[i][0] != 0)
            memset(reason[i], 0, sizeof reason[i]);
        if (status[i] != BNRE_DRAW_OK)
            snprintf(reason[i], sizeof reason[i], "the reason was not kept");
    }
}

/* Count failed rows and see that every status is one. */
static bnre_status count_failed(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    uint8_t flag[4096];
    size_t n;

    for (size_t first = 0; first < data->info.rows; first += n) {
        n = data->info.rows - first;
        if (n > sizeof flag)
            n = sizeof flag;
        BNRE_TRY(
            data->kind->read(data, first, n, NULL, NULL, NULL, flag, NULL));
        BNRE_TRY(bnre__verify_read(data, first, n, NULL, NULL, NULL, flag));
        for (size_t i = 0; i < n; i++) {
            if (flag[i] >= BNRE_DRAW_STOP)
                BNRE_THROW(BNRE_EFORMAT,
                           "%s: row %zu has status %d, expected 0 (valid), 1 "
                           "(invalid) or 2 (lost)",
                           data->path, first + i, flag[i]);
            data->info.failed += flag[i] != BNRE_DRAW_OK;
        }
    }
done:
    return status;
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

void bnre__dataset_claim(bnre_dataset *data, int ours)
{
    data->verify.ours = ours;
    if (ours)
        data->only_x = 0;
}

/* Once all that covers them has been compared. */
static void drop_parameters(bnre_dataset *data)
{
    data->only_x = 1;
    data->info.dim_theta = data->info.dim_nuisance = 0;
}

/* Rows of files with checksums are compared when they are read, others now,
   unless it is `known` that they are well. */
static bnre_status look_at_rows(bnre_dataset *data, int known)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__verify_seal(data));
    if (data->has_status)
        BNRE_TRY(count_failed(data));
    if (known)
        goto done;
    if (data->fingerprint != NULL && data->verify.seal == NULL)
        BNRE_TRY(bnre__verify_fingerprint(data)); /* reads everything */
    else if (data->kind->check)
        BNRE_TRY(check_values(data));
done:
    return status;
}

static bnre_status open_dataset(const char *path, int only_x, int known,
                                bnre_dataset **out)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;

    *out = NULL;
    BNRE_NEW(data, 1);
    BNRE_TRY(bnre__strdup(path, &data->path));
    data->only_x = only_x;
    BNRE_TRY(find_kind(path, only_x, &data->kind));
    data->info.format = data->kind->format;
    BNRE_TRY(data->kind->open(data));
    data->info.task = data->task;
    data->info.settings = data->settings;
    data->info.version = data->version;
    data->info.stored_fingerprint = data->fingerprint;
    data->stored = data->info;
    BNRE_TRY(look_at_rows(data, known));
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
    return open_dataset(path, 0, 0, out);
}

bnre_status bnre_dataset_open_x(const char *path, bnre_dataset **out)
{
    return open_dataset(path, 1, 0, out);
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
    bnre_status status = BNRE_OK;

    BNRE_TRY(open_dataset(data->path, data->only_x, 1, out));
    if (!is_same(data, *out)) {
        bnre_dataset_close(*out);
        *out = NULL;
        BNRE_THROW(BNRE_EIO, "%s changed while it was read", data->path);
    }
done:
    return status;
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
    if (data->kind != NULL)
        data->kind->close(data->self);
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

static bnre_status check_x(bnre_dataset *data, size_t first, size_t n,
                           const float *x)
{
    bnre_status status = BNRE_OK;
    const size_t m = data->info.x_size;

    if (is_finite(x, n * m * sizeof *x, 0))
        return BNRE_OK;
    for (size_t i = 0; i < n; i++) {
        const float *row = x + i * m;
        size_t j = 0;
        uint8_t flag = BNRE_DRAW_OK;
        char place[256];

        while (j < m && isfinite(row[j]))
            j++;
        if (j == m)
            continue;
        if (data->has_status)
            BNRE_TRY(data->kind->read(data, first + i, 1, NULL, NULL, NULL,
                                      &flag, NULL));
        if (flag == BNRE_DRAW_OK && data->stored.x_name != NULL)
            BNRE_THROW(BNRE_ENUM, "%s: row %zu, column %s is %g", data->path,
                       first + i, data->stored.x_name[j], (double)row[j]);
        if (flag == BNRE_DRAW_OK)
            BNRE_THROW(BNRE_ENUM,
                       "%s: row %zu, x[%s] is %g, and the row is not marked as "
                       "failed",
                       data->path, first + i, place_in_x(&data->info, j, place),
                       (double)row[j]);
    }
done:
    return status;
}

static bnre_status read_checked(void *self, size_t first, size_t n,
                                double *theta, double *nuisance, float *x,
                                uint8_t *flags,
                                char (*reason)[BNRE_REASON_SIZE])
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = self;
    const bnre_dataset_info *info = &data->stored;

    if (first > info->rows || n > info->rows - first)
        return bnre_fail(BNRE_EINVAL, "%s: rows %zu to %zu of %zu", data->path,
                         first, first + n, info->rows);
    if (data->only_x)
        theta = nuisance = NULL;
    BNRE_TRY(
        data->kind->read(data, first, n, theta, nuisance, x, flags, reason));
    BNRE_TRY(bnre__verify_read(data, first, n, theta, nuisance, x, flags));
    if (theta != NULL)
        BNRE_TRY(check_columns(data, first, n, info->dim_theta, theta,
                               info->theta_name));
    if (nuisance != NULL)
        BNRE_TRY(check_columns(data, first, n, info->dim_nuisance, nuisance,
                               info->nuisance_name));
    if (x != NULL)
        BNRE_TRY(check_x(data, first, n, x));
done:
    return status;
}

bnre__rows bnre__dataset_rows(bnre_dataset *data)
{
    return (bnre__rows){.info = &data->stored,
                        .self = data,
                        .read = read_checked,
                        .sums = (const uint64_t(*)[4])data->verify.blocks.sum};
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
    BNRE_TRY(data->kind->read_wide(data, first, n, x));
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

bnre_status bnre_dataset_read(bnre_dataset *data, size_t first, size_t n,
                              double *theta, double *nuisance, double *x,
                              uint8_t *flags)
{
    bnre_status status = BNRE_OK;
    float *single = NULL;

    if (x != NULL && data->wide) {
        BNRE_TRY(read_wide(data, first, n, theta, nuisance, x, flags));
    } else {
        if (x != NULL)
            BNRE_NEW(single, n * data->info.x_size);
        BNRE_TRY(
            read_checked(data, first, n, theta, nuisance, single, flags, NULL));
        for (size_t i = 0; x != NULL && i < n * data->info.x_size; i++)
            x[i] = (double)single[i];
    }
    bnre__dataset_reorder(data, n, data->only_x ? NULL : theta, x);
done:
    bnre__free(single);
    return status;
}

bnre_status bnre__dataset_read_f32(bnre_dataset *data, size_t first, size_t n,
                                   double *theta, float *x, uint8_t *flags)
{
    const size_t size = data->info.x_size;
    bnre_status status = BNRE_OK;
    double *all = NULL;

    if (x != NULL && (data->offset != NULL || data->x_from != NULL)) {
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

bnre_status bnre_dataset_fingerprint(bnre_dataset *data, char out[33])
{
    bnre__rows rows = bnre__dataset_rows(data);
    bnre_status status = BNRE_OK;

    /* Checksums say as much in less time, and the seal covers what it is. */
    if (data->verify.sound == NULL || data->only_x || data->fingerprint == NULL)
        return bnre__rows_fingerprint(&rows, out);
    BNRE_TRY(bnre_dataset_verify(data));
    snprintf(out, 33, "%s", data->fingerprint);
done:
    return status;
}
