/* observation.c - observations: numbers or tables as text, arrays, rows of
   datasets. */
#include "bnre/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/store/store.h"

enum { MOST_TEXT = 1 << 28 }; /* bytes of a text file */

struct wanted {
    const bnre_observation_form *form;
    size_t ndim;
    const size_t *shape;
    size_t size;
    size_t known; /* observations so far whose theta is known */
};

static bnre_status add_shape(bnre__text *text, size_t ndim, const size_t *shape)
{
    for (size_t i = 0; i < ndim; i++)
        BNRE_DO(bnre__text_add(text, i > 0 ? " x %zu" : "%zu", shape[i]));
    if (ndim == 0)
        BNRE_DO(bnre__text_add(text, "1"));
    return BNRE_OK;
}

static const char *likely_cause(const struct wanted *wanted, size_t ndim,
                                const size_t *shape)
{
    int reversed = ndim == wanted->ndim && ndim > 1;
    size_t total = 1;

    for (size_t i = 0; i < ndim; i++) {
        reversed = reversed && shape[i] == wanted->shape[ndim - 1 - i];
        total *= shape[i];
    }
    if (reversed)
        return "it looks transposed";
    if (total == wanted->size)
        return "it has as many values, but in another order of dimensions";
    return "was the estimator trained for another task?";
}

static bnre_status refuse_shape(const char *path, const struct wanted *wanted,
                                size_t ndim, const size_t *shape)
{
    bnre_status status = BNRE_OK;
    bnre__text found = {0}, expected = {0};

    BNRE_TRY(add_shape(&found, ndim, shape));
    BNRE_TRY(add_shape(&expected, wanted->ndim, wanted->shape));
    for (size_t i = 0; i < ndim; i++)
        if (shape[i] == 0)
            BNRE_THROW(BNRE_EUSAGE,
                       "%s is empty: it holds no numbers, an observation has "
                       "shape %s",
                       path, expected.data);
    status = bnre_fail(BNRE_EUSAGE,
                       "%s has shape %s, an observation has shape %s (several: "
                       "N x %s): %s",
                       path, found.data, expected.data, expected.data,
                       likely_cause(wanted, ndim, shape));
done:
    bnre__free(expected.data);
    bnre__free(found.data);
    return status;
}

/* Whether a shape is the wanted one, dimensions of 1 left out, or flattened. */
static int fits(const struct wanted *wanted, size_t ndim, const size_t *shape)
{
    size_t i = 0, j = 0;

    if (ndim == 1 && shape[0] == wanted->size)
        return 1;
    for (;; i++, j++) {
        while (i < ndim && shape[i] == 1)
            i++;
        while (j < wanted->ndim && wanted->shape[j] == 1)
            j++;
        if (i == ndim || j == wanted->ndim)
            return i == ndim && j == wanted->ndim;
        if (shape[i] != wanted->shape[j])
            return 0;
    }
}

/* How many observations an array of this shape holds. */
static bnre_status count(const char *path, const struct wanted *wanted,
                         size_t ndim, const size_t *shape, size_t *n)
{
    *n = 1;
    if (fits(wanted, ndim, shape))
        return BNRE_OK;
    if (ndim >= 1 && shape[0] > 0 && fits(wanted, ndim - 1, shape + 1)) {
        *n = shape[0];
        return BNRE_OK;
    }
    return refuse_shape(path, wanted, ndim, shape);
}

/* There is room for this many observations: it doubles when it is full. */
static size_t room_for(size_t n)
{
    size_t room = 1;

    while (room < n)
        room *= 2;
    return n == 0 ? 0 : room;
}

/* n more observations; *added receives where they go. */
static bnre_status extend(bnre_observations *out, size_t n, double **added)
{
    bnre_status status = BNRE_OK;
    double *x = NULL;

    if (n > SIZE_MAX / 16 / out->x_size - out->n)
        return bnre_fail(BNRE_ENOMEM, "no memory for %zu observations", n);
    if (room_for(out->n + n) > room_for(out->n)) {
        BNRE_NEW(x, room_for(out->n + n) * out->x_size);
        if (out->n > 0)
            memcpy(x, out->x, out->n * out->x_size * sizeof *x);
        bnre__free(out->x);
        out->x = x;
    }
    *added = out->x + out->n * out->x_size;
    out->n += n;
done:
    return status;
}

/* ---- datasets ---- */

/* The colon of FILE:ROW; NULL if the path is no such thing. */
static const char *row_of(const char *path, size_t *row)
{
    const char *colon = strrchr(path, ':');
    char *end;

    if (colon == NULL || colon == path || colon[1] < '0' || colon[1] > '9' ||
        bnre__file_exists(path))
        return NULL;
    *row = (size_t)strtoull(colon + 1, &end, 10);
    return *end == 0 ? colon : NULL;
}

/* Rows are not counted from the end. */
static bnre_status refuse_negative(const char *path)
{
    const char *colon = strrchr(path, ':');

    if (colon == NULL || colon == path || colon[1] != '-' || colon[2] < '0' ||
        colon[2] > '9' || bnre__file_exists(path))
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s: there is no row %s, rows are counted from 0", path,
                     colon + 1);
}

/* The truth is known as long as all rows have the same. */
static bnre_status join_theta(bnre_observations *out, size_t dim,
                              const double *theta)
{
    bnre_status status = BNRE_OK;

    if (out->n > 1) { /* not the first */
        if (out->dim == dim && out->theta != NULL &&
            memcmp(out->theta, theta, dim * sizeof *theta) == 0)
            return BNRE_OK;
        bnre__free(out->theta);
        out->theta = NULL;
        out->dim = 0;
        return BNRE_OK;
    }
    BNRE_NEW(out->theta, dim);
    memcpy(out->theta, theta, dim * sizeof *theta);
    out->dim = dim;
done:
    return status;
}

static bnre_status read_row(bnre_dataset *data, const char *path, size_t row,
                            bnre_observations *out)
{
    const size_t dim = bnre_dataset_describe(data)->dim_theta;
    bnre_status status = BNRE_OK;
    double *theta = NULL;
    double *x = NULL;
    uint8_t state;

    BNRE_NEW(theta, dim);
    BNRE_TRY(extend(out, 1, &x));
    BNRE_TRY(bnre_dataset_read(data, row, 1, theta, NULL, x, &state));
    if (state != BNRE_DRAW_OK)
        BNRE_THROW(BNRE_EUSAGE,
                   "row %zu of %s: the simulation failed, it has no x", row,
                   path);
    BNRE_TRY(join_theta(out, dim, theta));
done:
    bnre__free(theta);
    return status;
}

static bnre_status open_dataset(const char *path, const struct wanted *wanted,
                                bnre_dataset **data)
{
    const bnre_prior *prior = wanted->form->prior;
    const bnre_dataset_info *info;

    BNRE_DO(bnre_dataset_open(path, data));
    info = bnre_dataset_describe(*data);
    if (!fits(wanted, info->ndim, info->shape)) {
        return refuse_shape(path, wanted, info->ndim, info->shape);
    }
    /* Another number of parameters is no truth for this estimator. */
    if (prior != NULL && bnre_prior_dim(prior) != info->dim_theta)
        prior = NULL;
    return bnre__dataset_arrange(*data, prior, wanted->form->x_name);
}

static bnre_status read_one_row(const char *path, const char *colon, size_t row,
                                struct wanted *wanted, bnre_observations *out)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    char *file = NULL;
    size_t rows;

    BNRE_TRY(bnre__text_format(&file, "%.*s", (int)(colon - path), path));
    BNRE_TRY(open_dataset(file, wanted, &data));
    rows = bnre_dataset_describe(data)->rows;
    if (row >= rows)
        BNRE_THROW(BNRE_EUSAGE, "%s: the dataset has %zu rows, from 0 on", path,
                   rows);
    BNRE_TRY(read_row(data, file, row, out));
    wanted->known++;
done:
    bnre_dataset_close(data);
    bnre__free(file);
    return status;
}

/* All rows, if they are observations of one theta. */
static bnre_status read_dataset(const char *path, struct wanted *wanted,
                                bnre_observations *out)
{
    bnre_observations rows = {.x_size = out->x_size};
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    double *x = NULL;
    size_t n;

    BNRE_TRY(open_dataset(path, wanted, &data));
    n = bnre_dataset_describe(data)->rows;
    for (size_t row = 0; row < n; row++) {
        BNRE_TRY(read_row(data, path, row, &rows));
        if (rows.theta == NULL)
            BNRE_THROW(BNRE_EUSAGE,
                       "%s is a dataset whose rows have parameters of their "
                       "own: name one row, as %s:0",
                       path, path);
    }
    BNRE_TRY(extend(out, rows.n, &x));
    memcpy(x, rows.x, rows.n * rows.x_size * sizeof *x);
    wanted->known += rows.n;
    if (out->n == rows.n) {
        out->theta = rows.theta;
        out->dim = rows.dim;
        rows.theta = NULL;
    } else if (rows.n > 0) {
        BNRE_TRY(join_theta(out, rows.dim, rows.theta));
    }
done:
    bnre_observations_clear(&rows);
    bnre_dataset_close(data);
    return status;
}

/* ---- arrays ---- */

static int has_arrays(const char *path)
{
    return bnre__ends_with(path, ".npy") || bnre__ends_with(path, ".npz") ||
           bnre__ends_with(path, ".h5") || bnre__ends_with(path, ".hdf5");
}

/* The array x; with a theta beside it, the file is a dataset. */
static bnre_status read_arrays(const char *path, struct wanted *wanted,
                               bnre_observations *out)
{
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    bnre__array *array = NULL, *theta = NULL;
    const bnre__array_info *info;
    double *x = NULL;
    size_t n;

    BNRE_TRY(bnre__store_open(path, "x", &store));
    BNRE_TRY(bnre__store_find(store, "x", &array));
    if (array == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s has no array called x", path);
    BNRE_TRY(bnre__store_find(store, "theta", &theta));
    if (theta != NULL) {
        status = read_dataset(path, wanted, out);
        goto done;
    }
    info = bnre__array_describe(array);
    BNRE_TRY(count(path, wanted, info->ndim, info->shape, &n));
    BNRE_TRY(extend(out, n, &x));
    BNRE_TRY(bnre__array_read(array, 'f', sizeof *x, 0, info->rows, x));
done:
    bnre__store_close(store);
    return status;
}

/* ---- text ---- */

/* Numbers, and the lines that they came in. */
struct numbers {
    double *value;
    size_t n, room, lines;
    int ragged; /* lines of different lengths */
};

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));

    return newline != NULL ? newline : end;
}

/* The numbers of one line; *names is set if there is something else. */
static bnre_status scan_line(const char *at, const char *end,
                             struct numbers *out, int *names)
{
    bnre_status status = BNRE_OK;

    while (at < end) {
        const char *next;
        double value;

        if (strchr(" \t\r,;", *at) != NULL) {
            at++;
            continue;
        }
        next = bnre__number_scan(at, end, &value);
        if (next == NULL || (next < end && strchr(" \t\r,;", *next) == NULL)) {
            *names = 1;
            break;
        }
        BNRE_GROW(out->value, out->room, out->n + 1);
        out->value[out->n++] = value;
        at = next;
    }
done:
    return status;
}

static bnre_status scan_text(const char *text, size_t bytes,
                             struct numbers *out, int *names)
{
    const char *at = text, *end = text + bytes;
    size_t width = 0;

    for (*names = 0; at < end && !*names;) {
        const char *stop = line_end(at, end);
        const size_t before = out->n;

        if (*at != '#')
            BNRE_DO(scan_line(at, stop, out, names));
        if (out->n > before) {
            out->ragged |= width > 0 && width != out->n - before;
            width = out->n - before;
            out->lines++;
        }
        at = stop < end ? stop + 1 : end;
    }
    return BNRE_OK;
}

/* Whether a table is a dataset, some columns being parameters, and how many
   rows it has. */
static bnre_status describe_table(const char *path, int *dataset, size_t *rows)
{
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    bnre__array *x = NULL, *theta = NULL;

    BNRE_TRY(bnre__store_open(path, "x", &store));
    BNRE_TRY(bnre__store_find(store, "theta", &theta));
    *dataset = theta != NULL && bnre__array_describe(theta)->ndim > 1;
    if (!*dataset)
        BNRE_TRY(bnre__store_find(store, "x", &x));
    *rows = x != NULL ? bnre__array_describe(x)->rows : 0;
done:
    bnre__store_close(store);
    return status;
}

/* A table with names: columns in the order of their indices, or of the names
   that the estimator knows. */
static bnre_status read_table(const char *path, const struct wanted *wanted,
                              struct numbers *out)
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info;
    bnre_dataset *data = NULL;
    double *x = NULL;

    BNRE_TRY(bnre_dataset_open_x(path, &data));
    info = bnre_dataset_describe(data);
    if (info->x_size == wanted->size)
        BNRE_TRY(bnre__dataset_arrange(data, NULL, wanted->form->x_name));
    BNRE_NEW(x, info->rows * info->x_size);
    BNRE_TRY(bnre_dataset_read(data, 0, info->rows, NULL, NULL, x, NULL));
    out->lines = info->rows;
    BNRE_GROW(out->value, out->room, info->rows * info->x_size);
    for (; out->n < info->rows * info->x_size; out->n++)
        out->value[out->n] = x[out->n];
done:
    bnre__free(x);
    bnre_dataset_close(data);
    return status;
}

static bnre_status read_text(const char *path, struct wanted *wanted,
                             bnre_observations *out)
{
    bnre_status status = BNRE_OK;
    struct numbers numbers = {0};
    char *text = NULL;
    size_t bytes, n = 1, rows = 0;
    double *x = NULL;
    int names = 0, dataset = 0;
    const int stdin_given = strcmp(path, "-") == 0;

    BNRE_TRY(bnre__file_read_all(stdin_given ? "/dev/stdin" : path, MOST_TEXT,
                                 &text, &bytes));
    BNRE_TRY(scan_text(text, bytes, &numbers, &names));
    if (names && numbers.n > 0)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s: after %zu numbers there is something that is none",
                   path, numbers.n);
    if (names && stdin_given)
        BNRE_THROW(BNRE_EUSAGE,
                   "numbers alone are read from standard input: put a table "
                   "with names into a file");
    if (names)
        BNRE_TRY(describe_table(path, &dataset, &rows));
    if (dataset) {
        status = read_dataset(path, wanted, out);
        goto done;
    }
    if (rows > 0)
        BNRE_TRY(read_table(path, wanted, &numbers));
    if (numbers.n != wanted->size) {
        const size_t shape[] = {
            numbers.lines, numbers.lines > 0 ? numbers.n / numbers.lines : 0};

        n = numbers.lines;
        if (n == 0 || numbers.ragged || numbers.n != n * wanted->size) {
            status = numbers.ragged || n <= 1
                         ? refuse_shape(path, wanted, 1, &numbers.n)
                         : refuse_shape(path, wanted, 2, shape);
            goto done;
        }
    }
    BNRE_TRY(extend(out, n, &x));
    for (size_t i = 0; i < numbers.n; i++)
        x[i] = numbers.value[i];
done:
    bnre__free(numbers.value);
    bnre__free(text);
    return status;
}

/* ---- files ---- */

static bnre_status check_finite(const char *path, const bnre_observations *out,
                                size_t first)
{
    for (size_t i = first * out->x_size; i < out->n * out->x_size; i++)
        if (!isfinite(out->x[i]))
            return bnre_fail(BNRE_ENUM,
                             "%s: value %zu of observation %zu is %s, not a "
                             "finite number",
                             path, i % out->x_size, i / out->x_size - first,
                             isnan(out->x[i]) ? "NaN" : "infinite");
    return BNRE_OK;
}

static bnre_status read_file(const char *path, struct wanted *wanted,
                             bnre_observations *out)
{
    const size_t first = out->n;
    size_t row = 0;
    const char *colon = row_of(path, &row);

    BNRE_DO(refuse_negative(path));
    if (colon != NULL)
        BNRE_DO(read_one_row(path, colon, row, wanted, out));
    else if (has_arrays(path))
        BNRE_DO(read_arrays(path, wanted, out));
    else
        BNRE_DO(read_text(path, wanted, out));
    return check_finite(path, out, first);
}

bnre_status bnre_observations_read(const bnre_observation_form *form,
                                   size_t files, const char *const *path,
                                   bnre_observations *out)
{
    struct wanted wanted = {form, form->ndim, form->shape, 1, 0};
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < form->ndim; i++)
        wanted.size *= form->shape[i];
    *out = (bnre_observations){.x_size = wanted.size};
    if (files == 0)
        return bnre_fail(BNRE_EUSAGE, "no observation was given");
    for (size_t i = 0; i < files; i++)
        BNRE_TRY(read_file(path[i], &wanted, out));
    if (wanted.known < out->n) {
        bnre__free(out->theta);
        out->theta = NULL;
        out->dim = 0;
    }
done:
    if (status != BNRE_OK)
        bnre_observations_clear(out);
    return status;
}

static void hash_real(bnre__hash *hash, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bnre__hash_add_u64(hash, bits);
}

void bnre__observations_fingerprint(const bnre_observations *observed,
                                    char out[33])
{
    bnre__hash hash;

    bnre__hash_init(&hash, observed->n, observed->x_size, 1);
    for (size_t i = 0; i < observed->n * observed->x_size; i++)
        hash_real(&hash, (double)observed->x[i]);
    for (size_t i = 0; i < observed->dim; i++)
        hash_real(&hash, observed->theta[i]);
    bnre__hash_end_hex(&hash, out);
}

void bnre_observations_clear(bnre_observations *observations)
{
    bnre__free(observations->theta);
    bnre__free(observations->x);
    *observations = (bnre_observations){0};
}
