/* models.c - more than two classes of rows: one dataset of them to train on,
   whose parameter is the class, and a report on rows that are held out. */
#include "command/models.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/rng.h"
#include "data/dataset.h"
#include "data/gather.h"
#include "infer/estimator/classes.h"
#include "infer/train/train.h"
#include "io/file.h"
#include "num/streams.h"

void bnre__models_clear(bnre__models *models)
{
    for (size_t c = 0; c < models->n; c++) {
        bnre_dataset_close(models->data[c]);
        bnre__free(models->name[c]);
        bnre__free(models->order[c]);
    }
    bnre__free(models->task);
    bnre__free(models->settings);
    bnre__free(models->path);
    *models = (bnre__models){0};
}

/* ---- rows ---- */

/* The name of a file without directory and ending; the path where another class
   is called so. Commas, quotes and the like have no place in a name. */
static bnre_status name_class(bnre__models *models, size_t c, const char *path)
{
    BNRE_DO(bnre__class_name(path, &models->name[c]));
    for (size_t k = 0; k < c; k++)
        if (strcmp(models->name[k], models->name[c]) == 0) {
            bnre__free(models->name[c]);
            models->name[c] = NULL;
            return bnre__strdup(path, &models->name[c]);
        }
    return BNRE_OK;
}

/* Rows that did not fail in a random order. */
static bnre_status order_rows(bnre__models *models, size_t c, uint64_t seed,
                              size_t *n)
{
    const size_t rows = bnre_dataset_describe(models->data[c])->rows;
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_SELECT, BNRE_SPLIT_TEST), c);
    bnre_status status = BNRE_OK;
    uint8_t *drawn = NULL;

    *n = 0;
    BNRE_NEW(drawn, rows);
    BNRE_NEW(models->order[c], rows);
    BNRE_TRY(
        bnre_dataset_read(models->data[c], 0, rows, NULL, NULL, NULL, drawn));
    for (size_t i = 0; i < rows; i++)
        if (drawn[i] == BNRE_DRAW_OK)
            models->order[c][(*n)++] = i;
    bnre_rng_shuffle(&rng, *n, models->order[c]);
done:
    bnre__free(drawn);
    return status;
}

static int by_row(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

static bnre_status open_class(bnre__models *models, size_t c,
                              const bnre_train_opts *opts)
{
    const char *path = opts->classes.text[c];
    const bnre_dataset_info *first, *info;
    size_t n, *order;

    BNRE_DO(bnre_dataset_open_x(path, &models->data[c]));
    models->n = c + 1;
    info = bnre_dataset_describe(models->data[c]);
    first = bnre_dataset_describe(models->data[0]);
    BNRE_DO(bnre__classes_compare(opts->classes.text[0], first, path, info));
    BNRE_DO(bnre__dataset_arrange(models->data[c], NULL, first->x_name));
    BNRE_DO(name_class(models, c, path));
    BNRE_DO(order_rows(models, c, opts->seed, &n));
    models->test[c] = opts->test_rows > 0 ? opts->test_rows : n / 10;
    if (models->test[c] < 2 || models->test[c] + 10 > n)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has %zu valid rows: that is too few to hold out "
                         "%zu for the report and to learn from the others",
                         path, n, models->test[c]);
    models->use[c] = n - models->test[c];
    order = models->order[c];
    qsort(order, models->test[c], sizeof *order, by_row);
    qsort(order + models->test[c], models->use[c], sizeof *order, by_row);
    return BNRE_OK;
}

/* ---- words ---- */

/* The prior is the share of the rows: log ratios do not depend on it. */
static bnre_status write_task(bnre__models *models)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *map, *list;
    bnre__text prior = {0};

    bnre__text_put(&prior, "categorical(");
    for (size_t c = 0; c < models->n; c++)
        bnre__text_put(&prior, "%s%zu", c > 0 ? ", " : "", models->use[c]);
    bnre__text_put(&prior, ")");
    BNRE_TRY(bnre__text_check(&prior));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    BNRE_TRY(bnre_node_set(root, "name", "models"));
    BNRE_TRY(bnre_node_branch(root, "parameters", BNRE_NODE_MAP, &map));
    BNRE_TRY(bnre_node_set(map, "model", prior.data));
    BNRE_TRY(bnre_node_branch(root, "models", BNRE_NODE_LIST, &list));
    for (size_t c = 0; c < models->n; c++)
        BNRE_TRY(bnre_node_set(list, NULL, models->name[c]));
    BNRE_TRY(bnre_node_write(root, &models->task));
done:
    bnre__free(prior.data);
    bnre_node_destroy(root);
    return status;
}

/* What the dataset depends on. */
static bnre_status write_settings(bnre__models *models, uint64_t seed)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    char print[33];

    bnre__text_put(&text, "seed: %" PRIu64 "\nclasses:\n", seed);
    for (size_t c = 0; c < models->n; c++) {
        BNRE_TRY(bnre_dataset_fingerprint(models->data[c], print));
        bnre__text_put(&text, "  - {fingerprint: %s, held_out: %zu}\n", print,
                       models->test[c]);
    }
    BNRE_TRY(bnre__text_take(&text, &models->settings));
done:
    bnre__free(text.data);
    return status;
}

bnre_status bnre__models_open(bnre__models *models, const bnre_train_opts *opts,
                              const char *path)
{
    BNRE_DO(bnre__classes_check(opts));
    if (!bnre__ends_with(path, ".h5"))
        return bnre_fail(BNRE_EUSAGE, "%s: an estimator's file ends in .h5",
                         path);
    for (size_t c = 0; c < opts->classes.count; c++) {
        models->n = c + 1;
        BNRE_DO(open_class(models, c, opts));
    }
    BNRE_DO(write_task(models));
    BNRE_DO(write_settings(models, opts->seed));
    return bnre__text_format(&models->path, "%.*s.classes.h5",
                             (int)(strlen(path) - 3), path);
}

bnre_status bnre__models_are_in(const char *path, int *out)
{
    const bnre_dataset_info *info;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    bnre_node *root = NULL;

    *out = 0;
    if (!bnre__ends_with(path, ".h5")) /* others have no task */
        return BNRE_OK;
    status = bnre_dataset_open(path, &data);
    info = status == BNRE_OK ? bnre_dataset_describe(data) : NULL;
    if (info != NULL && info->task != NULL && info->dim_theta == 1 &&
        strstr(info->task, "models:") != NULL)
        status = bnre_yaml_parse(info->task, NULL, &root);
    *out = root != NULL && bnre_node_find(root, "models") != NULL;
    bnre_node_destroy(root);
    bnre_dataset_close(data);
    return status == BNRE_ENOMEM ? status : BNRE_OK;
}

/* ---- the dataset ---- */

static bnre_status is_there(const bnre__models *models, int force, int *there)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    const bnre_dataset_info *info;

    *there = 0;
    if (force || !bnre__file_exists(models->path))
        return BNRE_OK;
    BNRE_TRY(bnre_dataset_open(models->path, &data));
    info = bnre_dataset_describe(data);
    *there = info->settings != NULL && info->task != NULL &&
             strcmp(info->settings, models->settings) == 0 &&
             strcmp(info->task, models->task) == 0;
    if (!*there)
        BNRE_THROW(BNRE_EEXIST,
                   "%s holds rows of other classes, or another choice of them: "
                   "give another `output`, or `force` to replace it",
                   models->path);
done:
    bnre_dataset_close(data);
    return status;
}

bnre_status bnre__models_write(const bnre__models *models, int force)
{
    static const char *const name[] = {"model"};
    bnre__gather_source source[BNRE_MOST_MODELS] = {{0}};
    double *theta[BNRE_MOST_MODELS] = {0};
    bnre_status status = BNRE_OK;
    char print[33];
    int there;

    BNRE_TRY(is_there(models, force, &there));
    if (there)
        goto done;
    for (size_t c = 0; c < models->n; c++) {
        BNRE_NEW(theta[c], models->use[c]);
        for (size_t i = 0; i < models->use[c]; i++)
            theta[c][i] = (double)c;
        source[c] =
            (bnre__gather_source){.data = models->data[c],
                                  .n = models->use[c],
                                  .row = models->order[c] + models->test[c],
                                  .theta = theta[c],
                                  .dim = 1,
                                  .name = name};
    }
    BNRE_TRY(bnre__make_parents(models->path));
    BNRE_TRY(bnre__dataset_gather(models->n, source, models->task,
                                  models->settings, models->path, print));
done:
    for (size_t c = 0; c < models->n; c++)
        bnre__free(theta[c]);
    return status;
}

/* ---- the report ---- */

static bnre_status look_at(const bnre__models *models, size_t c,
                           const bnre_estimator *est, bnre_pool *pool,
                           double **out)
{
    const size_t size = bnre_dataset_describe(models->data[c])->x_size;
    bnre_status status = BNRE_OK;
    double *x = NULL;

    BNRE_NEW(x, models->test[c] * size);
    BNRE_NEW(*out, models->test[c] * models->n);
    for (size_t i = 0; i < models->test[c]; i++)
        BNRE_TRY(bnre_dataset_read(models->data[c], models->order[c][i], 1,
                                   NULL, NULL, x + i * size, NULL));
    BNRE_TRY(bnre__models_log_ratio(est, pool, models->test[c], x, *out));
done:
    bnre__free(x);
    return status;
}

bnre_status bnre__models_assess(const bnre__models *models, const char *path,
                                bnre_pool *pool, bnre_models_report *out)
{
    double *l[BNRE_MOST_MODELS] = {0};
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;

    BNRE_TRY(bnre_estimator_open(path, &est));
    if (bnre_models_report_of(est, out) == BNRE_OK)
        goto done;
    bnre_models_report_clear(out);
    for (size_t c = 0; c < models->n; c++)
        BNRE_TRY(look_at(models, c, est, pool, &l[c]));
    BNRE_TRY(
        bnre__models_report_make(models->n, (const char *const *)models->name,
                                 models->test, (const double *const *)l, out));
    BNRE_TRY(bnre__models_keep(est, out));
    BNRE_TRY(bnre_estimator_save(est, path, 1));
done:
    for (size_t c = 0; c < models->n; c++)
        bnre__free(l[c]);
    bnre_estimator_close(est);
    return status;
}
