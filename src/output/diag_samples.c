/* diag_samples.c - samples of posteriors that other programs made. */
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/text.h"
#include "io/store/store.h"
#include "output/diag_files.h"

/* A whole array of doubles. */
struct array {
    double *data; /* NULL: there is none */
    size_t ndim, shape[3];
};

static bnre_status take_shape(struct array *array, const char *name,
                              size_t ndim, const size_t *shape)
{
    if (ndim == 0 || ndim > 3)
        return bnre_fail(BNRE_EFORMAT,
                         "array %s has %zu dimensions: expected (pairs, "
                         "samples, parameters), or fewer",
                         name, ndim);
    array->ndim = ndim;
    memcpy(array->shape, shape, ndim * sizeof *shape);
    return BNRE_OK;
}

/* An array by its name; without it, data stays NULL. */
static bnre_status read_array(bnre__store *store, const char *name,
                              struct array *out)
{
    const bnre__array_info *info;
    bnre_status status = BNRE_OK;
    bnre__array *array = NULL;

    BNRE_TRY(bnre__store_find(store, name, &array));
    if (array == NULL)
        goto done;
    info = bnre__array_describe(array);
    BNRE_TRY(take_shape(out, name, info->ndim, info->shape));
    BNRE_NEW(out->data, info->rows * info->row_size);
    BNRE_TRY(bnre__array_read(array, 'f', sizeof *out->data, 0, info->rows,
                              out->data));
done:
    return status;
}

/* One parameter may lack its dimension: (n, samples) for (n, samples, 1). */
static bnre_status shape_samples(struct array *samples, const char *path)
{
    if (samples->data == NULL)
        return bnre_fail(BNRE_EFORMAT, "%s has no array samples", path);
    if (samples->ndim == 2)
        samples->shape[2] = 1;
    else if (samples->ndim != 3)
        return bnre_fail(BNRE_EFORMAT,
                         "%s: array samples should have the shape (pairs, "
                         "samples, parameters)",
                         path);
    return BNRE_OK;
}

static bnre_status check_shape(const struct array *array, const char *path,
                               const char *name, size_t first, size_t second)
{
    const size_t cols = array->ndim > 1 ? array->shape[1] : 1;

    if (array->data == NULL ||
        (array->ndim <= 2 && array->shape[0] == first && cols == second))
        return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT,
                     "%s: array %s has %zu rows of %zu values, but the samples "
                     "need %zu of %zu",
                     path, name, array->shape[0], cols, first, second);
}

enum { SAMPLES, THETA, LOG_DENSITY, LOG_DENSITY_TRUE, ARRAYS };

static bnre_status read_all(const char *path, bnre__store *store,
                            struct array array[ARRAYS])
{
    static const char *const name[ARRAYS] = {"samples", "theta", "log_density",
                                             "log_density_true"};
    size_t n, samples, dim;

    for (size_t i = 0; i < ARRAYS; i++)
        BNRE_DO(read_array(store, name[i], &array[i]));
    BNRE_DO(shape_samples(&array[SAMPLES], path));
    n = array[SAMPLES].shape[0];
    samples = array[SAMPLES].shape[1];
    dim = array[SAMPLES].shape[2];
    BNRE_DO(check_shape(&array[THETA], path, name[THETA], n, dim));
    BNRE_DO(
        check_shape(&array[LOG_DENSITY], path, name[LOG_DENSITY], n, samples));
    return check_shape(&array[LOG_DENSITY_TRUE], path, name[LOG_DENSITY_TRUE],
                       n, 1);
}

/* Rows of `array` from the file's order of parameters to another. */
static void reorder(size_t rows, size_t dim, const size_t *from, double *row,
                    double *array)
{
    for (size_t i = 0; array != NULL && i < rows; i++, array += dim) {
        memcpy(row, array, dim * sizeof *row);
        for (size_t j = 0; j < dim; j++)
            array[j] = row[from[j]];
    }
}

bnre_status bnre__diag_samples_arrange(bnre_diag_samples *samples, size_t n,
                                       const char *const *name)
{
    const bnre__names have = {"the samples", samples->dim,
                              (const char *const *)samples->own_name};
    const bnre__names want = {"the data", n, name};
    bnre_status status = BNRE_OK;
    size_t *from = NULL;
    double *row = NULL;

    samples->name = n == samples->dim ? name : NULL;
    if (samples->own_name == NULL)
        return BNRE_OK;
    BNRE_NEW(from, n);
    BNRE_NEW(row, samples->dim);
    BNRE_TRY(bnre__names_match("parameters", &have, &want, from));
    reorder(samples->n * samples->samples, n, from, row,
            (double *)samples->sample);
    reorder(samples->n, n, from, row, (double *)samples->theta);
    bnre__texts_free(samples->dim, samples->own_name);
    samples->own_name = NULL;
done:
    bnre__free(row);
    bnre__free(from);
    return status;
}

/* The names of the samples' parameters, if the file has them. */
static bnre_status read_names(bnre__store *store, const char *path, size_t dim,
                              char ***out)
{
    bnre_status status = BNRE_OK;
    bnre__array *array = NULL;
    char **name = NULL;
    size_t n = 0;

    BNRE_TRY(bnre__store_find(store, "samples", &array));
    BNRE_TRY(bnre__array_names(array, &n, &name));
    if (n > 0 && n != dim)
        BNRE_THROW(BNRE_EFORMAT, "%s: %zu names for samples of %zu parameters",
                   path, n, dim);
    *out = name;
    name = NULL;
done:
    bnre__texts_free(n, name);
    return status;
}

bnre_status bnre__diag_samples_read(const char *path, bnre_diag_samples *out)
{
    struct array array[ARRAYS] = {{0}};
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    const char *format;
    char **name = NULL;

    *out = (bnre_diag_samples){0};
    BNRE_TRY(bnre__store_format(path, &format));
    if (strcmp(format, "CSV") == 0)
        BNRE_THROW(
            BNRE_EFORMAT,
            "%s is no file of arrays: samples are read from .h5, .npz or "
            ".npy files",
            path);
    BNRE_TRY(bnre__store_open(path, "samples", &store));
    BNRE_TRY(read_all(path, store, array));
    BNRE_TRY(read_names(store, path, array[SAMPLES].shape[2], &name));
    *out = (bnre_diag_samples){.n = array[SAMPLES].shape[0],
                               .samples = array[SAMPLES].shape[1],
                               .dim = array[SAMPLES].shape[2],
                               .theta = array[THETA].data,
                               .sample = array[SAMPLES].data,
                               .log_density = array[LOG_DENSITY].data,
                               .log_density_true = array[LOG_DENSITY_TRUE].data,
                               .own_name = name};
done:
    bnre__store_close(store);
    for (size_t i = 0; status != BNRE_OK && i < ARRAYS; i++)
        bnre__free(array[i].data);
    return status;
}

void bnre__diag_samples_clear(bnre_diag_samples *samples)
{
    bnre__texts_free(samples->dim, samples->own_name);
    bnre__free((void *)samples->log_density_true);
    bnre__free((void *)samples->log_density);
    bnre__free((void *)samples->sample);
    bnre__free((void *)samples->theta);
    *samples = (bnre_diag_samples){0};
}
