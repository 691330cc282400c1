#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "io/csv.h"

struct csv_data {
    bnre__csv table;
    /* Columns of the table, in the order of theta, nuisance and x. */
    size_t *theta, *nuisance, *x;
    size_t status; /* SIZE_MAX without */
};

static void close_csv(void *self)
{
    struct csv_data *csv = self;

    if (csv == NULL)
        return;
    bnre__free(csv->x);
    bnre__free(csv->nuisance);
    bnre__free(csv->theta);
    bnre__csv_clear(&csv->table);
    bnre__free(csv);
}

/* What follows the prefix; NULL if the name has another. */
static const char *without(const char *prefix, const char *name)
{
    size_t n = strlen(prefix);

    return strncmp(name, prefix, n) == 0 && name[n] != 0 ? name + n : NULL;
}

/* The columns with a prefix, and the rest of their names. */
static bnre_status list_columns(const bnre__csv *table, const char *prefix,
                                size_t **column, const char ***name, size_t *n)
{
    bnre_status status = BNRE_OK;

    *n = 0;
    BNRE_NEW(*column, table->cols);
    BNRE_NEW(*name, table->cols);
    for (size_t i = 0; i < table->cols; i++) {
        const char *rest = without(prefix, table->name[i]);

        if (rest != NULL) {
            (*column)[*n] = i;
            (*name)[(*n)++] = rest;
        }
    }
done:
    return status;
}

/* Where only x matters, columns may have names of their own: all are x then,
   but a status. */
static bnre_status list_all(struct csv_data *csv, const char ***name, size_t *n)
{
    bnre_status status = BNRE_OK;
    const bnre__csv *table = &csv->table;

    *n = 0;
    BNRE_NEW(csv->x, table->cols);
    BNRE_NEW(*name, table->cols);
    for (size_t i = 0; i < table->cols; i++)
        if (i != csv->status) {
            (*name)[*n] = table->name[i];
            csv->x[(*n)++] = i;
        }
done:
    return status;
}

static int has_prefixes(const bnre__csv *table)
{
    for (size_t i = 0; i < table->cols; i++)
        if (without("x.", table->name[i]) != NULL)
            return 1;
    return 0;
}

/* Indices such as "1.0.7"; how many, or 0 if it is something else. */
static size_t read_indices(const char *text, size_t index[BNRE_MAX_NDIM])
{
    size_t n = 0;

    for (;;) {
        char *end;
        unsigned long long value;

        if (!isdigit((unsigned char)*text) || n == BNRE_MAX_NDIM)
            return 0;
        value = strtoull(text, &end, 10);
        if (value > 1u << 30)
            return 0;
        index[n++] = (size_t)value;
        if (*end == 0)
            return n;
        if (*end != '.')
            return 0;
        text = end + 1;
    }
}

/* The shape that indexed names span; ndim 0 if they are plain names. */
static size_t find_shape(size_t n, const char **name,
                         size_t shape[BNRE_MAX_NDIM])
{
    size_t ndim = 0;

    memset(shape, 0, BNRE_MAX_NDIM * sizeof *shape);
    for (size_t i = 0; i < n; i++) {
        size_t index[BNRE_MAX_NDIM], found = read_indices(name[i], index);

        if (found == 0 || (i > 0 && found != ndim))
            return 0;
        ndim = found;
        for (size_t k = 0; k < ndim; k++)
            if (index[k] >= shape[k])
                shape[k] = index[k] + 1;
    }
    return ndim;
}

/* Put the columns of x into row-major order. */
static bnre_status order_x(const bnre_dataset *data, struct csv_data *csv,
                           size_t n, const char **name, size_t ndim,
                           const size_t *shape)
{
    bnre_status status = BNRE_OK;
    size_t *ordered = NULL, size = 1;

    for (size_t k = 0; k < ndim; k++)
        if (__builtin_mul_overflow(size, shape[k], &size))
            size = SIZE_MAX / 2;
    if (size != n)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s: %zu columns of x, their indices span %zu: some are "
                   "missing",
                   data->path, n, size);
    BNRE_NEW(ordered, n);
    for (size_t i = 0; i < n; i++) {
        size_t index[BNRE_MAX_NDIM] = {0}, flat = 0;

        read_indices(name[i], index);
        for (size_t k = 0; k < ndim; k++)
            flat = flat * shape[k] + index[k];
        if (ordered[flat] != 0)
            BNRE_THROW(BNRE_EFORMAT, "%s: column x.%s is there twice",
                       data->path, name[i]);
        ordered[flat] = csv->x[i] + 1;
    }
    for (size_t i = 0; i < n; i++)
        csv->x[i] = ordered[i] - 1;
done:
    bnre__free(ordered);
    return status;
}

static bnre_status find_status(const bnre_dataset *data, struct csv_data *csv)
{
    csv->status = SIZE_MAX;
    for (size_t i = 0; i < csv->table.cols; i++) {
        const char *name = csv->table.name[i];

        if (strcmp(name, "status") == 0)
            csv->status = i;
        else if (!data->only_x && without("theta.", name) == NULL &&
                 without("nuisance.", name) == NULL &&
                 without("x.", name) == NULL)
            return bnre_fail(BNRE_EFORMAT,
                             "%s: it is not clear what column \"%s\" is: call "
                             "parameters theta.NAME, nuisance parameters "
                             "nuisance.NAME and data x.0, x.1, ...",
                             data->path, name);
    }
    return BNRE_OK;
}

static bnre_status describe_table(bnre_dataset *data, struct csv_data *csv)
{
    bnre_status status = BNRE_OK;
    const char **theta = NULL, **nuisance = NULL, **x = NULL;
    size_t d, k, m, ndim, rows = csv->table.rows;
    size_t shape[1 + BNRE_MAX_NDIM] = {rows};
    bnre__shape flags = {csv->status != SIZE_MAX, &rows};
    int named;

    BNRE_TRY(list_columns(&csv->table, "theta.", &csv->theta, &theta, &d));
    BNRE_TRY(
        list_columns(&csv->table, "nuisance.", &csv->nuisance, &nuisance, &k));
    if (data->only_x && !has_prefixes(&csv->table))
        BNRE_TRY(list_all(csv, &x, &m));
    else
        BNRE_TRY(list_columns(&csv->table, "x.", &csv->x, &x, &m));
    ndim = find_shape(m, x, shape + 1);
    named = ndim == 0;
    if (named) {
        ndim = 1;
        shape[1] = m;
    } else {
        BNRE_TRY(order_x(data, csv, m, x, ndim, shape + 1));
    }
    if ((d == 0 && !data->only_x) || m == 0)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s has no columns called %s: call parameters theta.NAME "
                   "and data x.0, x.1, ...",
                   data->path, d == 0 ? "theta.NAME" : "x.0");
    BNRE_TRY(bnre__dataset_set_shape(
        data, (bnre__shape){2, (size_t[]){rows, d}},
        (bnre__shape){k > 0 ? 2 : 0, (size_t[]){rows, k}},
        (bnre__shape){1 + ndim, shape}, flags));
    if (data->only_x)
        d = k = 0;
    BNRE_TRY(bnre__dataset_set_names(data, 0, d, theta));
    BNRE_TRY(bnre__dataset_set_names(data, 1, k, nuisance));
    BNRE_TRY(bnre__dataset_set_x_names(data, named ? m : 0, x));
done:
    bnre__free(x);
    bnre__free(nuisance);
    bnre__free(theta);
    return status;
}

static bnre_status open_csv(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    struct csv_data *csv = NULL;

    BNRE_NEW(csv, 1);
    data->self = csv;
    /* Where all columns are x they need no names. */
    BNRE_TRY(data->only_x ? bnre__csv_read_plain(data->path, &csv->table)
                          : bnre__csv_read(data->path, &csv->table));
    BNRE_TRY(find_status(data, csv));
    BNRE_TRY(describe_table(data, csv));
    data->wide = 1;
done:
    return status;
}

static bnre_status read_csv(bnre_dataset *data, size_t first, size_t n,
                            double *theta, double *nuisance, float *x,
                            uint8_t *flags, char (*reason)[BNRE_REASON_SIZE])
{
    const struct csv_data *csv = data->self;
    const bnre_dataset_info *info = &data->info;

    for (size_t i = 0; i < n; i++) {
        const double *row = csv->table.data + (first + i) * csv->table.cols;

        for (size_t j = 0; theta != NULL && j < info->dim_theta; j++)
            *theta++ = row[csv->theta[j]];
        for (size_t j = 0; nuisance != NULL && j < info->dim_nuisance; j++)
            *nuisance++ = row[csv->nuisance[j]];
        for (size_t j = 0; x != NULL && j < info->x_size; j++)
            *x++ = (float)row[csv->x[j]];
        if (flags != NULL) {
            double value = csv->status == SIZE_MAX ? 0 : row[csv->status];

            flags[i] =
                value == 0 || value == 1 || value == 2 ? (uint8_t)value : 255;
        }
    }
    if (reason != NULL)
        bnre__dataset_no_reasons(n, flags, reason);
    return BNRE_OK;
}

static bnre_status read_wide(bnre_dataset *data, size_t first, size_t n,
                             double *x)
{
    const struct csv_data *csv = data->self;

    for (size_t i = 0; i < n; i++) {
        const double *row = csv->table.data + (first + i) * csv->table.cols;

        for (size_t j = 0; j < data->info.x_size; j++)
            *x++ = row[csv->x[j]];
    }
    return BNRE_OK;
}

const bnre__dataset_kind bnre__dataset_csv = {.format = "CSV",
                                              .check = 1,
                                              .open = open_csv,
                                              .read = read_csv,
                                              .read_wide = read_wide,
                                              .close = close_csv};
