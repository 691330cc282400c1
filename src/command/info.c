/* info.c - the command `info`: what a file is, and whether it is intact. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/store/store.h"
#include "task/outline.h"

void bnre_info_outcome_clear(bnre_info_outcome *outcome)
{
    bnre__free(outcome->column);
    bnre__free(outcome->outline);
    bnre_task_destroy(outcome->task);
    bnre_node_destroy(outcome->posterior);
    bnre_estimator_close(outcome->estimator);
    bnre_dataset_close(outcome->data);
    *outcome = (bnre_info_outcome){0};
}

/* ---- datasets ---- */

static void add_value(bnre_info_column *column, double value)
{
    if (column->n == 0 || value < column->low)
        column->low = value;
    if (column->n == 0 || value > column->high)
        column->high = value;
    column->sum += value;
    column->n++;
}

/* Room for one block of rows, whatever the size of the file. */
struct block {
    size_t rows;
    double *theta, *x; /* (rows, dim_theta), (rows, x_size) */
    uint8_t *status;   /* (rows) */
};

static void add_rows(const struct block *block, size_t rows,
                     const bnre_dataset_info *info, bnre_info_column *column)
{
    bnre_info_column *x = &column[info->dim_theta];

    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < info->dim_theta; k++)
            add_value(&column[k], block->theta[i * info->dim_theta + k]);
        for (size_t k = 0; block->status[i] == BNRE_DRAW_OK && k < info->x_size;
             k++)
            add_value(x, block->x[i * info->x_size + k]);
    }
}

static bnre_status find_columns(bnre_info_outcome *outcome)
{
    enum { NUMBERS = 1 << 20 }; /* of a block, about */
    const bnre_dataset_info *info = bnre_dataset_describe(outcome->data);
    struct block block = {.rows = 1 + NUMBERS /
                                          (info->dim_theta + info->x_size + 1)};
    bnre_status status = BNRE_OK;

    if (block.rows > info->rows && info->rows > 0)
        block.rows = info->rows;
    BNRE_NEW(block.theta, block.rows * info->dim_theta + 1);
    BNRE_NEW(block.x, block.rows * info->x_size + 1);
    BNRE_NEW(block.status, block.rows);
    BNRE_NEW(outcome->column, info->dim_theta + 1);
    for (size_t first = 0, n; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(bnre_dataset_read(outcome->data, first, n, block.theta, NULL,
                                   block.x, block.status));
        add_rows(&block, n, info, outcome->column);
    }
done:
    bnre__free(block.status);
    bnre__free(block.x);
    bnre__free(block.theta);
    return status;
}

/* All rows are read for this, and compared with their checksums. */
static bnre_status check_contents(const char *path, bnre_info_outcome *outcome)
{
    const char *stored =
        bnre_dataset_describe(outcome->data)->stored_fingerprint;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_dataset_fingerprint(outcome->data, outcome->fingerprint));
    if (stored != NULL && strcmp(outcome->fingerprint, stored) != 0)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s was changed or damaged after it was written: its "
                   "contents do not match its fingerprint",
                   path);
done:
    return status;
}

/* What has none of the known endings is read as CSV in the end, whose complaint
   alone would puzzle. */
static bnre_status fail_foreign(const char *path)
{
    static const char *const known[] = {".h5", ".hdf5", ".npz", ".npy", ".csv"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (bnre__ends_with(path, known[i]))
            return BNRE_EFORMAT;
    return bnre_fail(BNRE_EFORMAT,
                     "%s is no file that bnre knows (HDF5, .npz, a pair of "
                     ".npy, CSV, .yaml); read as CSV: %s",
                     path, bnre_error_message());
}

static bnre_status refuse_unfinished(const char *path, const char *part)
{
    if (!bnre__file_exists(path) && bnre__file_exists(part))
        return bnre_fail(BNRE_EIO,
                         "%s is unfinished: the rows simulated so far are in "
                         "%s; run the same `bnre simulate` again to go on",
                         path, part);
    if (bnre__ends_with(path, ".part") && bnre__file_exists(path))
        return bnre_fail(BNRE_EFORMAT,
                         "%s holds the rows of an unfinished dataset; run the "
                         "same `bnre simulate` again to go on",
                         path);
    return BNRE_OK;
}

static bnre_status look_at_dataset(const char *path, bnre_info_outcome *outcome)
{
    bnre_status status = bnre_dataset_open(path, &outcome->data);

    if (status == BNRE_EFORMAT)
        status = fail_foreign(path);
    BNRE_TRY(status);
    BNRE_TRY(check_contents(path, outcome));
    BNRE_TRY(find_columns(outcome));
done:
    return status;
}

/* ---- posteriors ---- */

/* Whether it is a file that bnre_posterior_save() wrote. */
static int is_posterior(const char *path)
{
    bnre__store *store = NULL;
    char *kind = NULL;
    int found = 0;

    if (bnre__store_open(path, "theta", &store) == BNRE_OK &&
        bnre__store_text(store, "bnre_format", &kind) == BNRE_OK &&
        kind != NULL)
        found = strcmp(kind, "posterior") == 0;
    bnre__free(kind);
    bnre__store_close(store);
    return found;
}

static bnre_status add_draws(bnre__store *store, const char *path,
                             bnre_node *map)
{
    bnre_status status = BNRE_OK;
    bnre__array *array = NULL;
    bnre_node *list = NULL;
    char **name = NULL, number[32];
    size_t n = 0;

    BNRE_TRY(bnre__store_find(store, "theta", &array));
    if (array == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s has no array called theta", path);
    snprintf(number, sizeof number, "%zu", bnre__array_describe(array)->rows);
    BNRE_TRY(bnre_node_set(map, "samples", number));
    BNRE_TRY(bnre__array_names(array, &n, &name));
    BNRE_TRY(bnre_node_branch(map, "parameters", BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre_node_set(list, NULL, name[i]));
done:
    bnre__texts_free(n, name);
    return status;
}

static bnre_status add_grid(bnre__store *store, bnre_node *map)
{
    bnre_status status = BNRE_OK;
    bnre__array *array = NULL;
    const bnre__array_info *info;
    bnre__text text = {0};

    BNRE_TRY(bnre__store_find(store, "density", &array));
    if (array == NULL)
        goto done;
    info = bnre__array_describe(array);
    for (size_t i = 0; i < info->ndim; i++)
        bnre__text_put(&text, i > 0 ? " x %zu" : "%zu", info->shape[i]);
    BNRE_TRY(bnre__text_check(&text));
    BNRE_TRY(bnre_node_set(map, "grid", text.data != NULL ? text.data : "1"));
done:
    bnre__free(text.data);
    return status;
}

static bnre_status add_origin(bnre__store *store, const char *path,
                              bnre_node *map)
{
    bnre_status status = BNRE_OK;
    char *version = NULL, *made = NULL;
    bnre_node *child = NULL;

    BNRE_TRY(bnre__store_text(store, "version", &version));
    BNRE_TRY(bnre__store_text(store, "made", &made));
    if (version != NULL)
        BNRE_TRY(bnre_node_set(map, "version", version));
    if (made != NULL) {
        BNRE_TRY(bnre_yaml_parse(made, path, &child));
        status = bnre_node_add(map, "made", child);
    }
done:
    bnre__free(made);
    bnre__free(version);
    return status;
}

/* A map with the keys samples, parameters (a list), grid (as "256 x 256", if it
   was one), version and made. */
static bnre_status describe_posterior(const char *path, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    bnre_node *map = NULL;

    *out = NULL;
    BNRE_TRY(bnre__store_open(path, "theta", &store));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    BNRE_TRY(add_draws(store, path, map));
    BNRE_TRY(add_grid(store, map));
    BNRE_TRY(add_origin(store, path, map));
    *out = map;
    map = NULL;
done:
    bnre_node_destroy(map);
    bnre__store_close(store);
    return status;
}

/* ---- other files ---- */

static bnre_status look_at_yaml(const char *path, bnre_info_outcome *outcome)
{
    const bnre_node *task, *own;
    bnre__outline outline = {0};
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL;

    BNRE_TRY(bnre_yaml_read(path, &root));
    task = bnre_node_find(root, "task");
    own = task != NULL ? task : root;
    outcome->kind = task != NULL ? BNRE_INFO_STUDY : BNRE_INFO_TASK;
    if (bnre__task_is_outline(own) &&
        bnre_node_find(own, "parameters") != NULL) {
        outcome->kind = BNRE_INFO_OUTLINE;
        BNRE_TRY(bnre__outline_from(&outline, own, NULL));
        BNRE_TRY(bnre_node_write(own, &outcome->outline));
    } else {
        BNRE_TRY(bnre_task_look(path, 0, NULL, &outcome->task));
    }
done:
    bnre__outline_clear(&outline);
    bnre_node_destroy(root);
    return status;
}

/* A name that `task` accepts. */
static int is_builtin(const char *path)
{
    const char *name;

    for (size_t i = 0; (name = bnre_task_builtin_name(i)) != NULL; i++)
        if (strcmp(name, path) == 0)
            return !bnre__file_exists(path);
    return 0;
}

bnre_status bnre_info_make(const char *path, bnre_info_outcome *outcome)
{
    bnre_status status = BNRE_OK;
    char *part = NULL;

    *outcome = (bnre_info_outcome){.kind = BNRE_INFO_DATASET};
    if (bnre__ends_with(path, ".yaml") || bnre__ends_with(path, ".yml"))
        return look_at_yaml(path, outcome);
    if (is_builtin(path)) {
        outcome->kind = BNRE_INFO_TASK;
        return bnre_task_look(path, 0, NULL, &outcome->task);
    }
    BNRE_TRY(bnre__text_format(&part, "%s.part", path));
    BNRE_TRY(refuse_unfinished(path, part));
    outcome->unfinished = bnre__file_exists(part);
    if (bnre_estimator_recognise(path)) {
        outcome->kind = BNRE_INFO_ESTIMATOR;
        BNRE_TRY(bnre_estimator_open(path, &outcome->estimator));
        BNRE_TRY(bnre_estimator_fingerprint(outcome->estimator,
                                            outcome->fingerprint));
    } else if (is_posterior(path)) {
        outcome->kind = BNRE_INFO_POSTERIOR;
        BNRE_TRY(describe_posterior(path, &outcome->posterior));
    } else {
        BNRE_TRY(look_at_dataset(path, outcome));
    }
done:
    bnre__free(part);
    return status;
}
