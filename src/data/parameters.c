/* parameters.c - where the parameters of a row come from. */
#include "data/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "io/csv.h"
#include "io/h5.h"
#include "io/npy.h"
#include "num/random.h"
#include "num/streams.h"
#include "task/task.h"

static void draw_row(const bnre_task *task, const bnre_simulate_opts *opts,
                     uint64_t row, bnre_rng *rng, double *theta,
                     double *nuisance)
{
    const size_t dim = bnre_prior_dim(bnre_task_prior(task));

    /* Drawn also when given, so that the nuisance stays the same. */
    bnre_prior_draw(bnre_task_prior(task), rng, theta);
    bnre_prior_draw(bnre_task_nuisance(task), rng, nuisance);
    if (opts->observations > 1) {
        bnre_rng first = bnre_rng_stream(rng->seed, rng->purpose,
                                         row - row % opts->observations);

        bnre_prior_draw(bnre_task_prior(task), &first, theta);
    }
    if (opts->theta != NULL)
        memcpy(theta, opts->theta + (opts->theta_rows == 1 ? 0 : row) * dim,
               dim * sizeof *theta);
}

void bnre__parameters_draw(const bnre_task *task,
                           const bnre_simulate_opts *opts, uint64_t row,
                           size_t n, double *theta, double *nuisance)
{
    const size_t dim = bnre_prior_dim(bnre_task_prior(task));
    const size_t dim_nuisance = bnre_prior_dim(bnre_task_nuisance(task));
    const uint32_t purpose = bnre__purpose(BNRE_USE_PRIOR, opts->split);
    bnre_rng stream[BNRE__STREAMS];
    size_t blocks = 1;

    for (size_t i = 0; i < n; i++) {
        bnre_rng *rng = &stream[i % BNRE__STREAMS];

        if (rng == stream)
            bnre__rng_streams(opts->seed, purpose, row + i, blocks, stream);
        draw_row(task, opts, row + i, rng, theta + i * dim,
                 nuisance + i * dim_nuisance);
        blocks = bnre__rng_blocks(blocks, rng);
    }
}

static void note_outside(const bnre_task *task, const bnre_simulate_opts *opts,
                         size_t outside)
{
    const bnre_monitor *monitor = opts->monitor;
    char text[160];

    if (outside == 0 || monitor == NULL || monitor->note == NULL)
        return;
    snprintf(text, sizeof text,
             "%zu of %zu given rows of parameters are outside of the prior of "
             "%s",
             outside, opts->theta_rows, bnre_task_name(task));
    monitor->note(monitor->context, text);
}

bnre_status bnre__parameters_check(const bnre_task *task,
                                   const bnre_simulate_opts *opts)
{
    const bnre_prior *prior = bnre_task_prior(task);
    const size_t dim = bnre_prior_dim(prior);
    size_t outside = 0;

    if (opts->theta == NULL)
        return BNRE_OK;
    if (opts->theta_rows == 0 ||
        (opts->theta_rows > 1 && opts->count > opts->theta_rows))
        return bnre_fail(BNRE_EUSAGE,
                         "%zu rows are asked for, parameters are given for "
                         "%zu",
                         opts->count, opts->theta_rows);
    for (size_t i = 0; i < opts->theta_rows; i++) {
        for (size_t j = 0; j < dim; j++)
            if (!isfinite(opts->theta[i * dim + j]))
                return bnre_fail(BNRE_ENUM,
                                 "given parameters: row %zu of %s is not "
                                 "finite",
                                 i, bnre_prior_name(prior, j));
        if (isinf(bnre_prior_log_density(prior, opts->theta + i * dim)))
            outside++;
    }
    note_outside(task, opts, outside);
    return BNRE_OK;
}

/* One row by its values, many by their number and fingerprint. */
bnre_status bnre__parameters_describe(const bnre_task *task,
                                      const bnre_simulate_opts *opts,
                                      bnre__text *out)
{
    const size_t dim = bnre_prior_dim(bnre_task_prior(task));
    char text[33];
    bnre__hash hash;

    if (opts->observations > 1)
        BNRE_DO(bnre__text_add(out, "observations: %zu\n", opts->observations));
    if (opts->theta == NULL)
        return BNRE_OK;
    if (opts->theta_rows == 1) {
        for (size_t j = 0; j < dim; j++)
            BNRE_DO(bnre__text_add(out, "%s%s", j == 0 ? "theta: " : ",",
                                   bnre__text_real(opts->theta[j], text)));
        BNRE_DO(bnre__text_add(out, "\n"));
        return BNRE_OK;
    }
    bnre__hash_init(&hash, opts->theta_rows, dim, 1);
    bnre__hash_add(&hash, opts->theta,
                   opts->theta_rows * dim * sizeof *opts->theta);
    bnre__hash_end_hex(&hash, text);
    if (opts->within != NULL)
        BNRE_DO(bnre__text_add(out, "within: %s\n", opts->within));
    return bnre__text_add(out, "theta_rows: %zu\ntheta_fingerprint: %s\n",
                          opts->theta_rows, text);
}

/* ---- given parameters ---- */

bnre_status bnre__theta_parse(const bnre_task *task, const char *text,
                              double **out)
{
    bnre_status status = BNRE_OK;
    const bnre_prior *prior = bnre_task_prior(task);
    const size_t dim = bnre_prior_dim(prior);
    double *theta = NULL;
    char *copy = NULL, *at;
    size_t n = 1;

    *out = NULL;
    for (const char *c = text; *c != 0; c++)
        n += *c == ',';
    if (n != dim)
        return bnre_fail(BNRE_EUSAGE,
                         "theta has %zu value%s, the task %s has %zu "
                         "parameter%s",
                         n, n == 1 ? "" : "s", bnre_task_name(task), dim,
                         dim == 1 ? "" : "s");
    BNRE_NEW(theta, dim);
    BNRE_TRY(bnre__strdup(text, &copy));
    at = copy;
    for (size_t i = 0; i < dim; i++) {
        char *end = at + strcspn(at, ",");

        *end = 0;
        at += strspn(at, " ");
        BNRE_TRY(bnre__read_real(at, "(-inf, inf)", bnre_prior_name(prior, i),
                                 &theta[i]));
        at = end + 1;
    }
    *out = theta;
    theta = NULL;
done:
    bnre__free(copy);
    bnre__free(theta);
    return status;
}

/* The parameters of a dataset, which may have checksums. */
static bnre_status read_dataset(const char *path, const bnre_prior *prior,
                                size_t *rows, double **out)
{
    bnre_status status = BNRE_OK;
    const size_t dim = bnre_prior_dim(prior);
    const bnre_dataset_info *info;
    bnre_dataset *data = NULL;

    BNRE_TRY(bnre_dataset_open(path, &data));
    info = bnre_dataset_describe(data);
    if (info->dim_theta != dim)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s has %zu values in a row of theta, the task has %zu "
                   "parameters",
                   path, info->dim_theta, dim);
    BNRE_TRY(bnre__dataset_arrange(data, prior, NULL));
    BNRE_NEW(*out, info->rows * dim);
    BNRE_TRY(bnre_dataset_read(data, 0, info->rows, *out, NULL, NULL, NULL));
    *rows = info->rows;
done:
    bnre_dataset_close(data);
    return status;
}

/* Whether a file of arrays has an x, too: then it is a dataset. */
static bnre_status has_x(const char *path, int *out)
{
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    bnre__array *array = NULL;
    const char *format;

    *out = 0;
    BNRE_TRY(bnre__store_format(path, &format));
    if (strcmp(format, "CSV") == 0) /* other columns may stay */
        goto done;
    BNRE_TRY(bnre__store_open(path, "theta", &store));
    BNRE_TRY(bnre__store_find(store, "x", &array));
    *out = array != NULL;
done:
    bnre__store_close(store);
    return status;
}

bnre_status bnre__theta_read(const bnre_task *task, const char *path,
                             size_t *rows, double **out)
{
    const bnre_prior *prior = bnre_task_prior(task);
    bnre_status status = BNRE_OK;
    int dataset;

    *out = NULL;
    *rows = 0;
    BNRE_TRY(has_x(path, &dataset));
    BNRE_TRY(dataset ? read_dataset(path, prior, rows, out)
                     : bnre__task_read_table(path, prior, rows, out));
done:
    if (status != BNRE_OK) {
        bnre__free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- parameters alone ---- */

/* All parameters of a task's rows, (count, dim) each. */
struct parameters {
    size_t count, dim_theta, dim_nuisance;
    double *theta, *nuisance;
    const bnre_task *task;
};

static bnre_status write_csv(const struct parameters *p, bnre__file *file)
{
    bnre_status status = BNRE_OK;
    const size_t cols = p->dim_theta + p->dim_nuisance;
    double *row = NULL;
    char **name = NULL;

    BNRE_NEW(name, cols);
    BNRE_NEW(row, cols);
    for (size_t j = 0; j < cols; j++)
        BNRE_TRY(
            j < p->dim_theta
                ? bnre__text_format(
                      &name[j], "theta.%s",
                      bnre_prior_name(bnre_task_prior(p->task), j))
                : bnre__text_format(&name[j], "nuisance.%s",
                                    bnre_prior_name(bnre_task_nuisance(p->task),
                                                    j - p->dim_theta)));
    BNRE_TRY(bnre__csv_write_header(file, cols, (const char *const *)name));
    for (size_t i = 0; i < p->count; i++) {
        memcpy(row, p->theta + i * p->dim_theta, p->dim_theta * sizeof *row);
        memcpy(row + p->dim_theta, p->nuisance + i * p->dim_nuisance,
               p->dim_nuisance * sizeof *row);
        BNRE_TRY(bnre__csv_write_row(file, cols, row));
    }
done:
    for (size_t j = 0; name != NULL && j < cols; j++)
        bnre__free(name[j]);
    bnre__free(name);
    bnre__free(row);
    return status;
}

static bnre_status write_npy(const struct parameters *p, bnre__file *file)
{
    const size_t shape[] = {p->count, p->dim_theta};

    if (p->dim_nuisance > 0)
        return bnre_fail(
            BNRE_EUSAGE,
            "a .npy file has no room for the nuisance parameters of "
            "%s: use .csv, .npz or .h5",
            bnre_task_name(p->task));
    BNRE_DO(bnre__npy_write_header(file, 'f', 8, 2, shape));
    return bnre__file_write(file, p->theta,
                            p->count * p->dim_theta * sizeof *p->theta);
}

static bnre_status write_npz(const struct parameters *p, bnre__file *file)
{
    bnre_status status = BNRE_OK;
    const size_t theta[] = {p->count, p->dim_theta};
    const size_t nuisance[] = {p->count, p->dim_nuisance};
    bnre__npz *npz = NULL;

    BNRE_TRY(bnre__npz_begin(file, &npz));
    BNRE_TRY(bnre__npz_member(npz, "theta", 'f', 8, 2, theta));
    BNRE_TRY(bnre__npz_write(npz, p->theta,
                             p->count * p->dim_theta * sizeof *p->theta));
    if (p->dim_nuisance > 0) {
        BNRE_TRY(bnre__npz_member(npz, "nuisance", 'f', 8, 2, nuisance));
        BNRE_TRY(
            bnre__npz_write(npz, p->nuisance,
                            p->count * p->dim_nuisance * sizeof *p->nuisance));
    }
    BNRE_TRY(bnre__npz_end(npz));
done:
    bnre__npz_destroy(npz);
    return status;
}

static bnre_status write_h5(const struct parameters *p, const char *path)
{
    bnre_status status = BNRE_OK;
    const size_t theta[] = {p->count, p->dim_theta};
    const size_t nuisance[] = {p->count, p->dim_nuisance};
    const char *text = bnre_task_text(p->task);
    bnre__h5_writer *writer = NULL;
    size_t id;

    BNRE_TRY(bnre__h5_writer_create(path, 4, strlen(text) + 256, &writer));
    BNRE_TRY(bnre__h5_writer_text(writer, "/", "task", text));
    BNRE_TRY(bnre__h5_writer_array(writer, "theta", 'f', 8, 2, theta, &id));
    BNRE_TRY(bnre__h5_writer_rows(writer, id, 0, p->count, p->theta));
    if (p->dim_nuisance > 0) {
        BNRE_TRY(bnre__h5_writer_array(writer, "nuisance", 'f', 8, 2, nuisance,
                                       &id));
        BNRE_TRY(bnre__h5_writer_rows(writer, id, 0, p->count, p->nuisance));
    }
    status = bnre__h5_writer_commit(writer);
    writer = NULL;
done:
    bnre__h5_writer_discard(writer);
    return status;
}

static bnre_status write_parameters(const struct parameters *p,
                                    const char *path)
{
    static const struct {
        const char *ending;
        bnre_status (*write)(const struct parameters *p, bnre__file *file);
    } formats[] = {
        {".csv", write_csv}, {".npz", write_npz}, {".npy", write_npy}};
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    if (bnre__ends_with(path, ".h5") || bnre__ends_with(path, ".hdf5"))
        return write_h5(p, path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!bnre__ends_with(path, formats[i].ending))
            continue;
        BNRE_TRY(bnre__file_create(path, &file));
        status = formats[i].write(p, file);
        goto done;
    }
    status = bnre_fail(BNRE_EUSAGE,
                       "%s: parameters are written to .csv, .npz, .npy or .h5",
                       path);
done:
    return bnre__file_end(file, status);
}

bnre_status bnre__simulate_theta(const bnre_task *task,
                                 const bnre_simulate_opts *opts,
                                 const char *path)
{
    bnre_status status = BNRE_OK;
    struct parameters p = {
        .count = opts->count,
        .dim_theta = bnre_prior_dim(bnre_task_prior(task)),
        .dim_nuisance = bnre_prior_dim(bnre_task_nuisance(task)),
        .task = task,
    };

    if (opts->count == 0)
        return bnre_fail(BNRE_EUSAGE, "count is 0: ask for 1 row or more");
    if (!opts->force && bnre__file_exists(path))
        return bnre_fail(
            BNRE_EEXIST,
            "%s exists: use `force` to replace it, or another `output`", path);
    BNRE_TRY(bnre__parameters_check(task, opts));
    BNRE_NEW(p.theta, p.count * p.dim_theta);
    BNRE_NEW(p.nuisance, p.count * p.dim_nuisance);
    bnre__parameters_draw(task, opts, opts->first, p.count, p.theta,
                          p.nuisance);
    BNRE_TRY(write_parameters(&p, path));
done:
    bnre__free(p.nuisance);
    bnre__free(p.theta);
    return status;
}
