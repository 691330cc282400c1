/* csv.c - CSV files as stores: the columns NAME.COLUMN are the array NAME. The
   whole table is in memory, as doubles. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/store/kind.h"

enum { MOST_INDICES = BNRE__MAX_DIMENSIONS - 1 }; /* rows are one more */

/* Which columns an array has, in its order. */
struct columns {
    size_t n, *column;
    char **name; /* (n), what follows the array's own; NULL: they only count */
    int alone;   /* one column, which has the array's name */
};

static bnre_status open_csv(bnre__store *store)
{
    bnre_status status = BNRE_OK;
    bnre__csv *table = NULL;

    BNRE_NEW(table, 1);
    store->self = table;
    /* Where all columns are of one kind they need no names. */
    BNRE_TRY(store->sole != NULL ? bnre__csv_read_plain(store->path, table)
                                 : bnre__csv_read(store->path, table));
done:
    return status;
}

static void close_csv(void *self)
{
    if (self != NULL)
        bnre__csv_clear(self);
    bnre__free(self);
}

static void let_go(void *self)
{
    struct columns *columns = self;

    if (columns == NULL)
        return;
    bnre__texts_free(columns->n, columns->name);
    bnre__free(columns->column);
    bnre__free(columns);
}

/* What follows "ARRAY." in a column's name; NULL if it has another array. */
static const char *within(const char *array, const char *column)
{
    const size_t n = strlen(array);

    return strncmp(column, array, n) == 0 && column[n] == '.' &&
                   column[n + 1] != 0
               ? column + n + 1
               : NULL;
}

static int belongs(const char *array, const char *column)
{
    return strcmp(array, column) == 0 || within(array, column) != NULL;
}

static const char *stranger(const bnre__store *store, size_t n,
                            const char *const *name)
{
    const bnre__csv *table = store->self;

    for (size_t i = 0; i < table->cols; i++) {
        size_t k = 0;

        while (k < n && !belongs(name[k], table->name[i]))
            k++;
        if (k == n)
            return table->name[i];
    }
    return NULL;
}

/* A column of the array that has no name: it belongs to none of a dataset. */
static const char *unnamed(const char *array, const char *column)
{
    static const char *const other[] = {"theta", "nuisance", "x", "status"};

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(other[i], array) == 0 ? within(array, column) != NULL
                                         : belongs(other[i], column))
            return NULL;
    return column;
}

static const char *by_itself(const char *array, const char *column)
{
    return strcmp(array, column) == 0 ? column : NULL;
}

/* The columns that `name_of` has a name for. */
static bnre_status list_columns(const bnre__csv *table, const char *array,
                                const char *(*name_of)(const char *array,
                                                       const char *column),
                                struct columns *out)
{
    for (size_t i = 0; i < table->cols; i++) {
        const char *name = name_of(array, table->name[i]);

        if (name == NULL)
            continue;
        BNRE_DO(bnre__strdup(name, &out->name[out->n]));
        out->column[out->n++] = i;
    }
    return BNRE_OK;
}

/* Indices such as "1.0.7"; how many, or 0 if it is something else. */
static size_t read_indices(const char *text, size_t index[MOST_INDICES])
{
    size_t n = 0;

    for (;;) {
        char *end;
        unsigned long long value;

        if (!isdigit((unsigned char)*text) || n == MOST_INDICES)
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
static size_t find_shape(const struct columns *columns,
                         size_t shape[MOST_INDICES])
{
    size_t ndim = 0;

    memset(shape, 0, MOST_INDICES * sizeof *shape);
    for (size_t i = 0; i < columns->n; i++) {
        size_t index[MOST_INDICES];
        const size_t found = read_indices(columns->name[i], index);

        if (found == 0 || (i > 0 && found != ndim))
            return 0;
        ndim = found;
        for (size_t k = 0; k < ndim; k++)
            if (index[k] >= shape[k])
                shape[k] = index[k] + 1;
    }
    return ndim;
}

/* Put the columns into row-major order. */
static bnre_status order(const bnre__array *array, struct columns *columns,
                         size_t ndim, const size_t *shape)
{
    bnre_status status = BNRE_OK;
    size_t *ordered = NULL, size = 1;

    for (size_t k = 0; k < ndim; k++)
        if (__builtin_mul_overflow(size, shape[k], &size))
            size = SIZE_MAX / 2;
    if (size != columns->n)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s: %zu columns of %s, their indices span %zu: some are "
                   "missing",
                   array->store->path, columns->n, array->name, size);
    BNRE_NEW(ordered, size);
    for (size_t i = 0; i < size; i++) {
        size_t index[MOST_INDICES] = {0}, flat = 0;

        read_indices(columns->name[i], index);
        for (size_t k = 0; k < ndim; k++)
            flat = flat * shape[k] + index[k];
        if (ordered[flat] != 0)
            BNRE_THROW(BNRE_EFORMAT, "%s: column %s.%s is there twice",
                       array->store->path, array->name, columns->name[i]);
        ordered[flat] = columns->column[i] + 1;
    }
    for (size_t i = 0; i < size; i++)
        columns->column[i] = ordered[i] - 1;
done:
    bnre__free(ordered);
    return status;
}

/* Shape and order. Columns of x that only count need no names; parameters are
   known by theirs. */
static bnre_status describe(bnre__array *array, struct columns *columns,
                            size_t rows)
{
    bnre__array_info *info = &array->info;
    size_t ndim = 0;

    *info = (bnre__array_info){.kind = 'f',
                               .item = sizeof(double),
                               .shape = {rows, columns->n},
                               .ndim = columns->alone ? 1 : 2,
                               .rows = rows,
                               .row_size = columns->n};
    if (strcmp(array->name, "x") == 0)
        ndim = find_shape(columns, info->shape + 1);
    if (ndim == 0) {
        info->shape[1] = columns->n;
        return BNRE_OK;
    }
    info->ndim = 1 + ndim;
    BNRE_DO(order(array, columns, ndim, info->shape + 1));
    bnre__texts_free(columns->n, columns->name);
    columns->name = NULL;
    return BNRE_OK;
}

static bnre_status find_array(bnre__store *store, bnre__array *array)
{
    const bnre__csv *table = store->self;
    const int sole =
        store->sole != NULL && strcmp(array->name, store->sole) == 0;
    bnre_status status = BNRE_OK;
    struct columns *columns = NULL;

    BNRE_NEW(columns, 1);
    BNRE_NEW(columns->column, table->cols);
    BNRE_NEW(columns->name, table->cols);
    BNRE_TRY(list_columns(table, array->name, within, columns));
    if (columns->n == 0) {
        BNRE_TRY(list_columns(table, array->name, sole ? unnamed : by_itself,
                              columns));
        columns->alone = !sole;
    }
    if (columns->n == 0)
        goto done;
    BNRE_TRY(describe(array, columns, table->rows));
    array->self = columns;
    columns = NULL;
done:
    let_go(columns);
    return status;
}

static bnre_status read_array(bnre__array *array, char kind, size_t item,
                              size_t first, size_t n, void *out)
{
    const struct columns *columns = array->self;
    const bnre__csv *table = array->store->self;
    double *f64 = kind == 'f' && item == sizeof *f64 ? out : NULL;
    float *f32 = kind == 'f' && item == sizeof *f32 ? out : NULL;

    if (f64 == NULL && f32 == NULL)
        return bnre_fail(BNRE_EFORMAT, "%s: %s is a table of real numbers",
                         array->store->path, array->name);
    if (first > table->rows || n > table->rows - first)
        return bnre_fail(BNRE_EINVAL, "rows %zu to %zu of the %zu of %s", first,
                         first + n, table->rows, array->store->path);
    for (size_t i = first; i < first + n; i++) {
        const double *row = table->data + i * table->cols;

        for (size_t j = 0; j < columns->n; j++)
            if (f64 != NULL)
                *f64++ = row[columns->column[j]];
            else
                *f32++ = (float)row[columns->column[j]];
    }
    return BNRE_OK;
}

static bnre_status read_names(bnre__array *array, size_t *n, char ***out)
{
    const struct columns *columns = array->self;
    bnre_status status = BNRE_OK;
    char **name = NULL;

    if (columns->name == NULL || columns->alone)
        return BNRE_OK;
    BNRE_NEW(name, columns->n);
    for (size_t i = 0; i < columns->n; i++)
        BNRE_TRY(bnre__strdup(columns->name[i], &name[i]));
    *n = columns->n;
    *out = name;
    name = NULL;
done:
    bnre__texts_free(columns->n, name);
    return status;
}

const bnre__store_kind bnre__store_csv = {.format = "CSV",
                                          .open = open_csv,
                                          .find = find_array,
                                          .read = read_array,
                                          .names = read_names,
                                          .stranger = stranger,
                                          .let_go = let_go,
                                          .close = close_csv};
