/* task_prior.c - what a task's prior is besides families: conditions between
   parameters, or a file of draws. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "io/csv.h"
#include "io/npy.h"
#include "task/task.h"

const char *bnre__task_prior_text(const char *text)
{
    /* A stand-in until the file is read. */
    return strcmp(text, "samples") == 0 ? "fixed(0)" : text;
}

/* ---- constraint: text, or a list of texts ---- */

static bnre_status constrain(bnre_prior *prior, const bnre_node *given)
{
    bnre_status status = BNRE_OK;
    const size_t n = given->kind == BNRE_NODE_LIST ? given->count : 1;
    const char **text = NULL;

    BNRE_NEW(text, n);
    for (size_t i = 0; i < n; i++) {
        const bnre_node *node =
            given->kind == BNRE_NODE_LIST ? given->child[i] : given;

        if (node->kind != BNRE_NODE_TEXT)
            BNRE_TRY(bnre_node_fail(node, "a constraint is text such as "
                                          "\"m1 >= m2\", or a list of such"));
        text[i] = node->text;
    }
    if (n == 0)
        BNRE_TRY(bnre_node_fail(given, "constraint is an empty list"));
    status = bnre_prior_constrain(prior, n, text);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(given, "%s", bnre_error_message());
done:
    bnre__free(text);
    return status;
}

/* ---- prior_samples: a path, or {file: path, fingerprint: hex} ---- */

/* What goes before the names of parameters: theta.NAME as in datasets, or
   nothing. */
static size_t find_prefix(const bnre__csv *csv)
{
    for (size_t j = 0; j < csv->cols; j++)
        if (strncmp(csv->name[j], "theta.", 6) == 0)
            return 6;
    return 0;
}

/* Columns of something else in a dataset. */
static int is_other(const char *name)
{
    return strncmp(name, "nuisance.", 9) == 0 || strncmp(name, "x.", 2) == 0 ||
           strcmp(name, "status") == 0;
}

static bnre_status match_names(const char *path, const bnre_prior *prior,
                               size_t n, const char *const *name, size_t *from)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    const char **own = NULL;

    BNRE_NEW(own, dim);
    for (size_t j = 0; j < dim; j++)
        own[j] = bnre_prior_name(prior, j);
    BNRE_TRY(bnre__names_match("parameters", &(bnre__names){path, n, name},
                               &(bnre__names){"the task", dim, own}, from));
done:
    bnre__free(own);
    return status;
}

static int is_parameter(const bnre_prior *prior, const char *name)
{
    for (size_t j = 0; j < bnre_prior_dim(prior); j++)
        if (strcmp(bnre_prior_name(prior, j), name) == 0)
            return 1;
    return 0;
}

/* Columns that are of nobody's interest, such as weights of a chain, may stay
   where all parameters are there. */
static size_t leave_out_others(const bnre_prior *prior, size_t n,
                               const char **name, size_t *column)
{
    size_t kept = 0;

    for (size_t j = 0; j < n; j++)
        kept += (size_t)is_parameter(prior, name[j]);
    if (kept != bnre_prior_dim(prior))
        return n;
    kept = 0;
    for (size_t j = 0; j < n; j++)
        if (is_parameter(prior, name[j])) {
            name[kept] = name[j];
            column[kept++] = column[j];
        }
    return kept;
}

static bnre_status read_csv(const char *path, const bnre_prior *prior,
                            size_t *rows, double **out)
{
    bnre_status status = BNRE_OK;
    const size_t dim = bnre_prior_dim(prior);
    bnre__csv csv = {0};
    const char **name = NULL;
    size_t *column = NULL, *from = NULL, n = 0, prefix;

    BNRE_TRY(bnre__csv_read_plain(path, &csv));
    prefix = find_prefix(&csv);
    BNRE_NEW(name, csv.cols);
    BNRE_NEW(column, csv.cols);
    BNRE_NEW(from, dim);
    for (size_t j = 0; j < csv.cols; j++) {
        if (is_other(csv.name[j]) ||
            (prefix > 0 && strncmp(csv.name[j], "theta.", prefix) != 0))
            continue;
        name[n] = csv.name[j] + prefix;
        column[n++] = j;
    }
    n = leave_out_others(prior, n, name, column);
    BNRE_TRY(match_names(path, prior, n, name, from));
    BNRE_NEW(*out, csv.rows * dim);
    for (size_t i = 0; i < csv.rows; i++)
        for (size_t j = 0; j < dim; j++)
            (*out)[i * dim + j] = csv.data[i * csv.cols + column[from[j]]];
    *rows = csv.rows;
done:
    bnre__free(from);
    bnre__free(column);
    bnre__free(name);
    bnre__csv_clear(&csv);
    return status;
}

/* What an archive of ours calls the columns of theta: its member `bnre`. */
static bnre_status order_npz(const char *path, const bnre_prior *prior,
                             size_t rows, double *value)
{
    bnre_status status = BNRE_OK;
    bnre_node *record = NULL;
    const bnre_node *list;
    bnre__npy *npy = NULL;
    const char **name = NULL;
    char *text = NULL;

    BNRE_TRY(bnre__npz_open(path, "bnre", &npy));
    if (npy == NULL || bnre__npy_describe(npy)->kind != 'S')
        goto done;
    BNRE_TRY(bnre__npy_read_text(npy, &text));
    BNRE_TRY(bnre_yaml_parse(text, path, &record));
    list = bnre_node_find(record, "theta");
    if (list == NULL || list->kind != BNRE_NODE_LIST)
        goto done;
    BNRE_NEW(name, list->count);
    for (size_t i = 0; i < list->count; i++)
        name[i] = list->child[i]->text == NULL ? "" : list->child[i]->text;
    BNRE_TRY(bnre__task_order(path, prior, list->count, name, rows, value));
done:
    bnre__free(name);
    bnre_node_destroy(record);
    bnre__free(text);
    bnre__npy_close(npy);
    return status;
}

bnre_status bnre__task_order(const char *path, const bnre_prior *prior,
                             size_t n, const char *const *name, size_t rows,
                             double *value)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    size_t *from = NULL;
    double *row = NULL;

    if (n == 0)
        return BNRE_OK;
    BNRE_NEW(from, dim);
    BNRE_NEW(row, dim);
    BNRE_TRY(match_names(path, prior, n, name, from));
    for (size_t i = 0; i < rows; i++, value += dim) {
        memcpy(row, value, dim * sizeof *row);
        for (size_t j = 0; j < dim; j++)
            value[j] = row[from[j]];
    }
done:
    bnre__free(row);
    bnre__free(from);
    return status;
}

static bnre_status read_npy(const char *path, const bnre_prior *prior,
                            size_t *rows, double **out)
{
    bnre_status status = BNRE_OK;
    const size_t dim = bnre_prior_dim(prior), length = strlen(path);
    const bnre__npy_info *info;
    bnre__npy *npy = NULL;
    const int archive = length > 4 && strcmp(path + length - 4, ".npz") == 0;

    if (archive)
        BNRE_TRY(bnre__npz_open(path, "theta", &npy));
    else
        BNRE_TRY(bnre__npy_open(path, &npy));
    if (npy == NULL)
        BNRE_THROW(BNRE_EUSAGE, "%s has no array theta", path);
    info = bnre__npy_describe(npy);
    if (info->row_size != dim)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s has %zu values in a row, the task has %zu parameters",
                   path, info->row_size, dim);
    BNRE_NEW(*out, info->rows * dim);
    BNRE_TRY(bnre__npy_read_f64(npy, 0, info->rows, *out));
    if (archive)
        BNRE_TRY(order_npz(path, prior, info->rows, *out));
    *rows = info->rows;
done:
    bnre__npy_close(npy);
    return status;
}

bnre_status bnre__task_read_table(const char *path, const bnre_prior *prior,
                                  size_t *rows, double **out)
{
    const char *dot = strrchr(path, '.');

    if (dot != NULL && strcmp(dot, ".csv") == 0)
        return read_csv(path, prior, rows, out);
    if (dot != NULL && (strcmp(dot, ".npy") == 0 || strcmp(dot, ".npz") == 0))
        return read_npy(path, prior, rows, out);
    return bnre_fail(BNRE_EUSAGE,
                     "%s: tables of parameters are read from .csv, "
                     ".npy and .npz",
                     path);
}

/* The prior of the draws in place of the one there is, which names them. */
static bnre_status replace_prior(bnre_prior **prior, const bnre__draws *draws)
{
    bnre_status status = BNRE_OK;
    const size_t dim = bnre_prior_dim(*prior);
    const char **name = NULL;
    bnre_prior *sampled = NULL;

    if (draws->rows > 0 && draws->dim != dim)
        return bnre_fail(BNRE_EUSAGE,
                         "the draws of the prior have %zu columns, the task "
                         "has %zu parameters",
                         draws->dim, dim);
    BNRE_NEW(name, dim);
    for (size_t i = 0; i < dim; i++)
        name[i] = bnre_prior_name(*prior, i);
    BNRE_TRY(bnre_prior_create_samples(dim, name, draws->rows, draws->value,
                                       &sampled));
    bnre_prior_destroy(*prior);
    *prior = sampled;
done:
    bnre__free(name);
    return status;
}

static void fingerprint(size_t rows, size_t dim, const double *sample,
                        char out[33])
{
    bnre__hash hash;

    bnre__hash_init(&hash, rows, dim, 1);
    bnre__hash_add(&hash, sample, rows * dim * sizeof *sample);
    bnre__hash_end_hex(&hash, out);
}

static bnre_status load_samples(bnre_prior **prior, const bnre_node *given,
                                const bnre__draws *draws, char hash[33])
{
    static const char *const keys[] = {"file", "fingerprint", NULL};
    bnre_status status = BNRE_OK;
    const bnre_node *file = given;
    const bnre_node *expected = bnre_node_find(given, "fingerprint");
    bnre__draws table = {0};
    double *sample = NULL;
    char *path = NULL;

    if (given->kind == BNRE_NODE_MAP) {
        BNRE_TRY(bnre_node_check_keys(given, keys));
        file = bnre_node_find(given, "file");
    }
    if (file == NULL || file->kind != BNRE_NODE_TEXT)
        BNRE_TRY(bnre_node_fail(given, "prior_samples is the path of a .csv, "
                                       ".npy or .npz file"));
    if (draws == NULL) {
        BNRE_TRY(bnre__task_path(file, &path));
        status = bnre__task_read_table(path, *prior, &table.rows, &sample);
        table.dim = bnre_prior_dim(*prior);
        table.value = sample;
        draws = &table;
    }
    if (status == BNRE_OK)
        status = replace_prior(prior, draws);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(file, "%s", bnre_error_message());
    BNRE_TRY(status);
    fingerprint(draws->rows, bnre_prior_dim(*prior), draws->value, hash);
    if (expected != NULL &&
        (expected->kind != BNRE_NODE_TEXT || strcmp(expected->text, hash) != 0))
        BNRE_TRY(bnre_node_fail(expected, "the samples in %s have changed",
                                file->text));
done:
    bnre__free(path);
    bnre__free(sample);
    return status;
}

/* ---- both ---- */

static bnre_status check_stand_ins(const bnre_node *settings)
{
    const bnre_node *map = bnre_node_find(settings, "parameters");

    for (size_t i = 0; map != NULL && i < map->count; i++)
        if (map->child[i]->text != NULL &&
            strcmp(map->child[i]->text, "samples") == 0)
            return bnre_node_fail(map->child[i],
                                  "samples need a file: add prior_samples: "
                                  "FILE to the task");
    return BNRE_OK;
}

static bnre_status record_samples(const bnre_node *samples, const char *hash,
                                  bnre_node *record)
{
    bnre_status status = BNRE_OK;
    const bnre_node *file = bnre_node_find(samples, "file");
    bnre_node *branch = NULL;

    BNRE_TRY(bnre_node_branch(record, "prior_samples", BNRE_NODE_MAP, &branch));
    BNRE_TRY(bnre_node_set(branch, "file",
                           file != NULL ? file->text : samples->text));
    BNRE_TRY(bnre_node_set(branch, "fingerprint", hash));
done:
    return status;
}

static bnre_status record_constraint(const bnre_node *constraint,
                                     bnre_node *record)
{
    bnre_status status = BNRE_OK;
    bnre_node *branch = NULL;

    BNRE_TRY(bnre_node_branch(record, "constraint", BNRE_NODE_LIST, &branch));
    if (constraint->kind == BNRE_NODE_TEXT)
        BNRE_TRY(bnre_node_set(branch, NULL, constraint->text));
    for (size_t i = 0; i < constraint->count; i++)
        BNRE_TRY(bnre_node_set(branch, NULL, constraint->child[i]->text));
done:
    return status;
}

bnre_status bnre__task_special_prior(bnre_prior **prior,
                                     const bnre_node *settings,
                                     const bnre__draws *draws,
                                     bnre_node *record)
{
    bnre_status status = BNRE_OK;
    const bnre_node *constraint = bnre_node_find(settings, "constraint");
    const bnre_node *samples = bnre_node_find(settings, "prior_samples");
    char hash[33];

    if (samples != NULL) {
        BNRE_TRY(load_samples(prior, samples, draws, hash));
        if (record != NULL)
            BNRE_TRY(record_samples(samples, hash, record));
    } else {
        BNRE_TRY(check_stand_ins(settings));
    }
    if (constraint != NULL) {
        BNRE_TRY(constrain(*prior, constraint));
        if (record != NULL)
            BNRE_TRY(record_constraint(constraint, record));
    }
done:
    return status;
}
