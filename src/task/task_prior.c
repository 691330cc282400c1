/* task_prior.c - what a task's prior is besides families: conditions between
   parameters, or a file of draws. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "io/file.h"
#include "io/store/store.h"
#include "prior/prior.h"
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

/* Where the parameters are among the columns of an array; without names they
   are in place. */
static bnre_status choose_columns(const char *path, const bnre_prior *prior,
                                  bnre__array *array, size_t *column)
{
    const size_t dim = bnre_prior_dim(prior);
    const size_t cols = bnre__array_describe(array)->row_size;
    bnre_status status = BNRE_OK;
    const char **name = NULL;
    char **list = NULL;
    size_t n = 0, kept, *from = NULL, *all = NULL;

    BNRE_TRY(bnre__array_names(array, &n, &list));
    if (n == 0 ? cols != dim : cols != n)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s has %zu values in a row of theta, the task has %zu "
                   "parameters",
                   path, cols, dim);
    BNRE_NEW(from, dim);
    BNRE_NEW(all, cols);
    BNRE_NEW(name, cols);
    for (size_t j = 0; j < cols; j++) {
        all[j] = j;
        name[j] = n > 0 ? list[j] : "";
    }
    for (size_t j = 0; j < dim; j++)
        from[j] = j;
    if (n > 0) {
        kept = leave_out_others(prior, n, name, all);
        BNRE_TRY(match_names(path, prior, kept, name, from));
    }
    for (size_t j = 0; j < dim; j++)
        column[j] = all[from[j]];
done:
    bnre__free(name);
    bnre__free(all);
    bnre__free(from);
    bnre__texts_free(n, list);
    return status;
}

static bnre_status read_columns(bnre__array *array, size_t dim,
                                const size_t *column, double *out)
{
    enum { AT_A_TIME = 1024 };
    const bnre__array_info *info = bnre__array_describe(array);
    bnre_status status = BNRE_OK;
    double *block = NULL;
    size_t n;

    BNRE_NEW(block, AT_A_TIME * info->row_size);
    for (size_t first = 0; first < info->rows; first += n) {
        n = info->rows - first < AT_A_TIME ? info->rows - first : AT_A_TIME;
        BNRE_TRY(bnre__array_read(array, 'f', sizeof *block, first, n, block));
        for (size_t i = 0; i < n; i++, out += dim)
            for (size_t j = 0; j < dim; j++)
                out[j] = block[i * info->row_size + column[j]];
    }
done:
    bnre__free(block);
    return status;
}

static bnre_status check_ending(const char *path)
{
    static const char *const ending[] = {".csv", ".npy", ".npz", ".h5",
                                         ".hdf5"};

    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (bnre__ends_with(path, ending[i]))
            return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s: tables of parameters are read from .csv, .npy, .npz "
                     "and .h5",
                     path);
}

bnre_status bnre__task_read_table(const char *path, const bnre_prior *prior,
                                  size_t *rows, double **out)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    bnre__array *array;
    size_t *column = NULL;

    *out = NULL;
    BNRE_TRY(check_ending(path));
    BNRE_TRY(bnre__store_open(path, "theta", &store));
    BNRE_TRY(bnre__store_find(store, "theta", &array));
    if (array == NULL)
        BNRE_THROW(BNRE_EUSAGE, "%s has no array theta", path);
    BNRE_NEW(column, dim);
    BNRE_TRY(choose_columns(path, prior, array, column));
    *rows = bnre__array_describe(array)->rows;
    BNRE_NEW(*out, *rows * dim);
    BNRE_TRY(read_columns(array, dim, column, *out));
done:
    bnre__free(column);
    bnre__store_close(store);
    return status;
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

/* Draws from a file. */
struct table {
    double *sample;
    bnre__draws draws;
    char hash[33];
};

static bnre_status read_draws(const char *path, const bnre_prior *prior,
                              struct table *table)
{
    size_t rows = 0;

    bnre__free(table->sample);
    BNRE_DO(bnre__task_read_table(path, prior, &rows, &table->sample));
    table->draws = (bnre__draws){rows, bnre_prior_dim(prior), table->sample};
    fingerprint(rows, table->draws.dim, table->sample, table->hash);
    return BNRE_OK;
}

/* Whether these draws are in DIRECTORY/NAME; what else is there is no matter.
 */
static bnre_status try_place(const char *directory, const char *name,
                             const char *expected, const bnre_prior *prior,
                             struct table *table, int *found)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/%s", directory, name));
    if (bnre__file_exists(path)) {
        status = read_draws(path, prior, table);
        *found = status == BNRE_OK && strcmp(table->hash, expected) == 0;
        status = status == BNRE_ENOMEM ? status : BNRE_OK;
    }
done:
    bnre__free(path);
    return status;
}

/* A task file says where its draws are, seen from itself. A dataset has only
   kept what was said: the draws, known by their fingerprint, are looked for
   beside the dataset, in the directories above it, and in the current one. */
static bnre_status search_draws(const bnre_node *file, const char *expected,
                                const bnre_prior *prior, struct table *table)
{
    bnre_status status = BNRE_OK;
    char *place = file->file != NULL ? realpath(file->file, NULL) : NULL;
    char *slash = place != NULL ? strrchr(place, '/') : NULL;
    int found = 0;

    for (; slash != NULL && !found; slash = strrchr(place, '/')) {
        *slash = 0;
        BNRE_TRY(try_place(place, file->text, expected, prior, table, &found));
    }
    if (!found)
        BNRE_TRY(try_place(".", file->text, expected, prior, table, &found));
    if (!found)
        status = bnre_node_fail(
            file,
            "the draws of the prior, %s, are not there, nor in a directory "
            "above, nor in the current one, or they have changed: name their "
            "task with `task: FILE.yaml`, or put them back",
            file->text);
done:
    free(place);
    return status;
}

static bnre_status load_samples(bnre_prior **prior, const bnre_node *given,
                                const bnre__draws *draws, char hash[33])
{
    static const char *const keys[] = {"file", "fingerprint", NULL};
    bnre_status status = BNRE_OK;
    const bnre_node *file = given;
    const bnre_node *expected = bnre_node_find(given, "fingerprint");
    struct table table = {0};
    char *path = NULL;

    if (given->kind == BNRE_NODE_MAP) {
        BNRE_TRY(bnre_node_check_keys(given, keys));
        file = bnre_node_find(given, "file");
    }
    if (file == NULL || file->kind != BNRE_NODE_TEXT)
        BNRE_TRY(bnre_node_fail(given, "prior_samples is the path of a .csv, "
                                       ".npy, .npz or .h5 file"));
    if (expected != NULL && expected->kind != BNRE_NODE_TEXT)
        BNRE_TRY(bnre_node_fail(expected, "a fingerprint is a text"));
    if (draws == NULL && expected != NULL && file->text[0] != '/') {
        BNRE_TRY(search_draws(file, expected->text, *prior, &table));
    } else if (draws == NULL) {
        BNRE_TRY(bnre__task_path(file, &path));
        status = read_draws(path, *prior, &table);
    }
    if (status == BNRE_OK)
        status = replace_prior(prior, draws != NULL ? draws : &table.draws);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(file, "%s", bnre_error_message());
    BNRE_TRY(status);
    if (draws != NULL)
        fingerprint(draws->rows, bnre_prior_dim(*prior), draws->value, hash);
    else
        memcpy(hash, table.hash, sizeof table.hash);
    if (expected != NULL && strcmp(expected->text, hash) != 0)
        BNRE_TRY(bnre_node_fail(expected, "the samples in %s have changed",
                                file->text));
done:
    bnre__free(path);
    bnre__free(table.sample);
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
    const bnre_node *file = bnre_node_find(samples, "file");
    bnre_node *branch = NULL;

    BNRE_DO(bnre_node_branch(record, "prior_samples", BNRE_NODE_MAP, &branch));
    BNRE_DO(bnre_node_set(branch, "file",
                          file != NULL ? file->text : samples->text));
    return bnre_node_set(branch, "fingerprint", hash);
}

static bnre_status record_constraint(const bnre_node *constraint,
                                     bnre_node *record)
{
    bnre_node *branch = NULL;

    BNRE_DO(bnre_node_branch(record, "constraint", BNRE_NODE_LIST, &branch));
    if (constraint->kind == BNRE_NODE_TEXT)
        BNRE_DO(bnre_node_set(branch, NULL, constraint->text));
    for (size_t i = 0; i < constraint->count; i++)
        BNRE_DO(bnre_node_set(branch, NULL, constraint->child[i]->text));
    return BNRE_OK;
}

/* The text of a parameter in a map `label` or `unit`; NULL without. */
static const char *text_of(const bnre_node *map, const char *name)
{
    const bnre_node *node = bnre_node_find(map, name);

    return node != NULL ? node->text : NULL;
}

static bnre_status check_labels(const bnre_prior *prior, const bnre_node *map)
{
    if (map == NULL)
        return BNRE_OK;
    if (map->kind != BNRE_NODE_MAP)
        return bnre_node_fail(map,
                              "%s is a map of parameters and texts, such as "
                              "{mass: \"M\"}",
                              map->key);
    for (size_t i = 0; i < map->count; i++)
        if (map->child[i]->kind != BNRE_NODE_TEXT ||
            !is_parameter(prior, map->child[i]->key))
            return bnre_node_fail(map->child[i], "%s is the %s of no parameter",
                                  map->child[i]->key, map->key);
    return BNRE_OK;
}

/* What figures and tables call the parameters. */
static bnre_status set_labels(bnre_prior *prior, const bnre_node *settings,
                              bnre_node *record)
{
    const bnre_node *label = bnre_node_find(settings, "label");
    const bnre_node *unit = bnre_node_find(settings, "unit");
    const bnre_node *const map[] = {label, unit};
    bnre_node *copy;

    BNRE_DO(check_labels(prior, label));
    BNRE_DO(check_labels(prior, unit));
    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        const char *name = bnre_prior_name(prior, i);

        if (text_of(label, name) != NULL || text_of(unit, name) != NULL)
            BNRE_DO(bnre__prior_set_label(prior, i, text_of(label, name),
                                          text_of(unit, name)));
    }
    for (size_t k = 0; k < 2 && record != NULL; k++) {
        if (map[k] == NULL)
            continue;
        BNRE_DO(bnre_node_copy(map[k], &copy));
        BNRE_DO(bnre_node_add(record, map[k]->key, copy));
    }
    return BNRE_OK;
}

bnre_status bnre__task_special_prior(bnre_prior **prior,
                                     const bnre_node *settings,
                                     const bnre__draws *draws,
                                     bnre_node *record)
{
    const bnre_node *constraint = bnre_node_find(settings, "constraint");
    const bnre_node *samples = bnre_node_find(settings, "prior_samples");
    char hash[33];

    if (samples != NULL) {
        BNRE_DO(load_samples(prior, samples, draws, hash));
        if (record != NULL)
            BNRE_DO(record_samples(samples, hash, record));
    } else {
        BNRE_DO(check_stand_ins(settings));
    }
    if (constraint != NULL) {
        BNRE_DO(constrain(*prior, constraint));
        if (record != NULL)
            BNRE_DO(record_constraint(constraint, record));
    }
    return set_labels(*prior, settings, record);
}
