/* task_models.c - tasks of several models: the parameter is which of them made
   x. A row draws its model, the parameters of that model from their own prior,
   and is simulated by it. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "num/streams.h"
#include "prior/prior.h"
#include "task/task.h"

enum { ROWS = 64, MOST = 1024 };

struct models {
    size_t n;
    char *name[MOST];
    bnre_task *task[MOST];
};

/* What a thread has for all of them. */
struct state {
    void *of[MOST];
    double *theta, *nuisance; /* (ROWS, of the largest) */
};

/* ---- rows ---- */

static void close_models(const bnre__simulator *simulator, void *arg)
{
    const struct models *models = simulator->self;
    struct state *state = arg;

    if (state == NULL)
        return;
    for (size_t k = 0; k < models->n; k++) {
        const bnre__simulator *own = &models->task[k]->simulator;

        if (state->of[k] != NULL)
            own->kind->close(own, state->of[k]);
    }
    bnre__free(state->theta);
    bnre__free(state->nuisance);
    bnre__free(state);
}

static bnre_status open_models(const bnre__simulator *simulator, void **out)
{
    const struct models *models = simulator->self;
    bnre_status status = BNRE_OK;
    struct state *state = NULL;
    size_t dim = 1, other = 1;

    BNRE_NEW(state, 1);
    for (size_t k = 0; k < models->n; k++) {
        const bnre__simulator *own = &models->task[k]->simulator;

        dim = own->dim_theta > dim ? own->dim_theta : dim;
        other = own->dim_nuisance > other ? own->dim_nuisance : other;
        BNRE_TRY(bnre__simulator_open(own, &state->of[k]));
    }
    BNRE_NEW(state->theta, ROWS * dim);
    BNRE_NEW(state->nuisance, ROWS * other);
    *out = state;
    state = NULL;
done:
    close_models(simulator, state);
    return status;
}

static bnre__batch part_of(const bnre__batch *batch, size_t first, size_t n,
                           size_t x_size)
{
    const size_t bytes = batch->x_double ? sizeof(double) : sizeof(float);
    bnre__batch part = *batch;

    part.row = batch->row + first;
    part.n = n;
    part.theta = batch->theta + first;
    if (batch->x != NULL)
        part.x = (char *)batch->x + first * x_size * bytes;
    if (batch->status != NULL)
        part.status = batch->status + first;
    if (batch->reason != NULL)
        part.reason = batch->reason + first;
    return part;
}

/* The parameters of the model, for rows that are all of it. */
static void draw_parameters(const bnre_task *task, const bnre__batch *part,
                            double *theta, double *nuisance)
{
    const uint32_t purpose = bnre__purpose(BNRE_USE_MODEL, part->split);

    for (size_t i = 0; i < part->n; i++) {
        bnre_rng rng = bnre_rng_stream(part->seed, purpose, part->row + i);

        bnre_prior_draw(task->prior, &rng,
                        theta + i * task->simulator.dim_theta);
        bnre_prior_draw(task->nuisance, &rng,
                        nuisance + i * task->simulator.dim_nuisance);
    }
}

/* The model of a row; models->n if there is no such. */
static size_t model_of(const struct models *models, const bnre__batch *batch,
                       size_t i)
{
    for (size_t k = 0; k < models->n; k++)
        if (batch->theta[i] == (double)k)
            return k;
    return models->n;
}

static bnre_status run_models(const bnre__simulator *simulator, void *arg,
                              const bnre__batch *batch)
{
    const struct models *models = simulator->self;
    const size_t x_size = simulator->x_size;
    struct state *state = arg;

    for (size_t i = 0, end; i < batch->n; i = end) {
        const size_t k = model_of(models, batch, i);
        const bnre__simulator *own;
        bnre__batch part;

        end = i + 1;
        if (k == models->n) {
            snprintf(batch->reason[i], BNRE_REASON_SIZE,
                     "there is no such model");
            bnre__batch_fail(batch, i, x_size, BNRE_DRAW_INVALID);
            continue;
        }
        while (end < batch->n && end - i < ROWS &&
               model_of(models, batch, end) == k)
            end++;
        own = &models->task[k]->simulator;
        part = part_of(batch, i, end - i, x_size);
        draw_parameters(models->task[k], &part, state->theta, state->nuisance);
        part.theta = state->theta;
        part.nuisance = state->nuisance;
        BNRE_DO(own->kind->run(own, state->of[k], &part));
    }
    return BNRE_OK;
}

static bnre_status settle_models(const bnre__simulator *simulator, void *arg)
{
    const struct models *models = simulator->self;
    const struct state *state = arg;

    for (size_t k = 0; k < models->n; k++) {
        const bnre__simulator *own = &models->task[k]->simulator;

        if (own->kind->settle != NULL)
            BNRE_DO(own->kind->settle(own, state->of[k]));
    }
    return BNRE_OK;
}

/* ---- external programs among them ---- */

/* The fewest that one of them asks for. */
static size_t count_workers(const bnre__simulator *simulator)
{
    const struct models *models = simulator->self;
    size_t least = 0;

    for (size_t k = 0; k < models->n; k++) {
        const bnre__simulator *own = &models->task[k]->simulator;
        const size_t n =
            own->kind->workers != NULL ? own->kind->workers(own) : 0;

        if (n > 0 && (least == 0 || n < least))
            least = n;
    }
    return least;
}

/* Each has a file for what it says. */
static bnre_status begin_models(const bnre__simulator *simulator,
                                const char *log)
{
    const struct models *models = simulator->self;
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t k = 0; k < models->n; k++) {
        const bnre__simulator *own = &models->task[k]->simulator;

        if (own->kind->begin == NULL)
            continue;
        if (log != NULL)
            BNRE_TRY(bnre__text_format(&path, "%s.%s", log, models->name[k]));
        BNRE_TRY(own->kind->begin(own, path));
        bnre__free(path);
        path = NULL;
    }
done:
    bnre__free(path);
    return status;
}

static bnre_status explain_models(const bnre__simulator *simulator,
                                  const bnre__batch *batch, size_t i,
                                  const char *what, bnre_status failure)
{
    const struct models *models = simulator->self;
    const size_t k = model_of(models, batch, i);
    bnre_status status = BNRE_OK;
    double *theta = NULL, *nuisance = NULL;
    const bnre__simulator *own;
    bnre__batch part;

    if (k == models->n || models->task[k]->simulator.kind->explain == NULL)
        return bnre_fail(failure, "%s", what);
    own = &models->task[k]->simulator;
    BNRE_NEW(theta, own->dim_theta);
    BNRE_NEW(nuisance, own->dim_nuisance);
    part = part_of(batch, i, 1, simulator->x_size);
    draw_parameters(models->task[k], &part, theta, nuisance);
    part.theta = theta;
    part.nuisance = nuisance;
    status = own->kind->explain(own, &part, 0, what, failure);
done:
    bnre__free(nuisance);
    bnre__free(theta);
    return status;
}

/* ---- the task ---- */

static void destroy_models(void *self)
{
    struct models *models = self;

    if (models == NULL)
        return;
    for (size_t k = 0; k < models->n; k++) {
        bnre_task_destroy(models->task[k]);
        bnre__free(models->name[k]);
    }
    bnre__free(models);
}

static bnre_status describe_models(const bnre__simulator *simulator,
                                   bnre_node *task)
{
    const struct models *models = simulator->self;
    bnre_node *map = NULL, *one = NULL;

    BNRE_DO(bnre_node_branch(task, "models", BNRE_NODE_MAP, &map));
    for (size_t k = 0; k < models->n; k++) {
        BNRE_DO(bnre_yaml_parse(models->task[k]->text, NULL, &one));
        BNRE_DO(bnre_node_add(map, models->name[k], one));
    }
    return BNRE_OK;
}

static const bnre__simulator_kind models_simulator = {
    .open = open_models,
    .run = run_models,
    .close = close_models,
    .destroy = destroy_models,
    .describe = describe_models,
};

static const bnre__simulator_kind models_with_programs = {
    .open = open_models,
    .run = run_models,
    .settle = settle_models,
    .explain = explain_models,
    .close = close_models,
    .destroy = destroy_models,
    .describe = describe_models,
    .workers = count_workers,
    .begin = begin_models,
};

/* Names stand in tables and in the names of files. */
static bnre_status check_name(const bnre_node *node)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_-. ";

    if (node->key[0] == 0 || node->key[0] == '.' ||
        node->key[strspn(node->key, plain)] != 0 || strlen(node->key) > 64)
        return bnre_node_fail(node, "a model is called by letters, digits and "
                                    "the signs _ - . and space, 64 at most");
    return BNRE_OK;
}

/* What a value stands for: itself, or what is in the file that it names, which
   the caller destroys. */
static bnre_status read_file(const bnre_node *value, bnre_node **root,
                             const bnre_node **out)
{
    const char *dot =
        value->kind == BNRE_NODE_TEXT ? strrchr(value->text, '.') : NULL;
    bnre_status status = BNRE_OK;
    char *path = NULL;

    *out = value;
    if (dot == NULL || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0))
        return BNRE_OK;
    if (value->file == NULL) /* a record in a data file has it all */
        return bnre_node_fail(value, "%s: a model in a file is named in a file",
                              value->text);
    BNRE_TRY(bnre__task_path(value, &path));
    status = bnre_yaml_read(path, root);
    if (status == BNRE_EIO)
        status = bnre_node_fail(value, "%s", bnre_error_message());
    BNRE_TRY(status);
    *out = bnre_node_find(*root, "task");
    if (*out == NULL)
        *out = *root;
done:
    bnre__free(path);
    return status;
}

static bnre_status add_model(bnre_task *task, const bnre_node *node, int sealed)
{
    struct models *models = task->simulator.self;
    const size_t k = models->n;
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL;
    const bnre_node *settings;

    BNRE_TRY(check_name(node));
    BNRE_TRY(read_file(node, &root, &settings));
    BNRE_TRY(bnre__strdup(node->key, &models->name[k]));
    models->n = k + 1;
    BNRE_TRY((sealed ? bnre_task_describe
                     : bnre_task_create)(settings, &models->task[k]));
    if (models->task[k]->simulator.kind->begin != NULL)
        task->simulator.kind = &models_with_programs;
    if (models->task[k]->simulator.sealed)
        task->simulator.sealed = 1;
    if (models->task[k]->precision == BNRE__PRECISION_DOUBLE)
        task->precision = BNRE__PRECISION_DOUBLE;
done:
    bnre_node_destroy(root);
    return status;
}

/* All of them make the same x. */
static bnre_status find_shape(bnre_task *task, const bnre_node *map)
{
    const struct models *models = task->simulator.self;

    for (size_t k = 0; k < models->n; k++) {
        const bnre_task *one = models->task[k];

        if (one->ndim == 0)
            continue;
        if (task->ndim == 0) {
            task->ndim = one->ndim;
            memcpy(task->shape, one->shape, sizeof task->shape);
        }
        if (one->ndim != task->ndim ||
            memcmp(one->shape, task->shape, one->ndim * sizeof *one->shape) !=
                0)
            return bnre_node_fail(map->child[k],
                                  "x of %s has another shape than that of the "
                                  "models before: only models of the same data "
                                  "can be compared",
                                  models->name[k]);
    }
    return BNRE_OK;
}

/* Each as probable as the others, or as `parameters` says. */
static bnre_status make_prior(bnre_task *task, const bnre_node *settings)
{
    const bnre_node *given = bnre_node_find(settings, "parameters");
    const struct models *models = task->simulator.self;
    static const char *const name[] = {"model"};
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    const char *prior;
    size_t values = 0;

    bnre__text_put(&text, "categorical(");
    for (size_t k = 0; k < models->n; k++)
        bnre__text_put(&text, "%s1", k > 0 ? ", " : "");
    bnre__text_put(&text, ")");
    BNRE_TRY(bnre__text_check(&text));
    prior = text.data;
    if (given != NULL)
        BNRE_TRY(bnre__task_read_priors(given, &task->prior));
    else
        BNRE_TRY(bnre_prior_create(1, name, &prior, &task->prior));
    if (bnre_prior_dim(task->prior) != 1 ||
        strcmp(bnre_prior_name(task->prior, 0), name[0]) != 0 ||
        bnre__prior_values(task->prior, 0, &values) != BNRE__CATEGORIES ||
        values != models->n)
        BNRE_TRY(bnre_node_fail(given,
                                "the one parameter here is model, with a "
                                "weight for each of them: {model: \"%s\"}",
                                text.data));
    BNRE_TRY(bnre_prior_create(0, NULL, NULL, &task->nuisance));
done:
    bnre__free(text.data);
    return status;
}

bnre_status bnre__task_create_models(const bnre_node *settings, int sealed,
                                     bnre_task **out)
{
    static const char *const keys[] = {"name",       "models",    "parameters",
                                       "observable", "transform", "precision",
                                       "label",      "unit",      NULL};
    const bnre_node *map = bnre_node_find(settings, "models");
    bnre_status status = BNRE_OK;
    struct models *models = NULL;
    bnre_task *task = NULL;

    *out = NULL;
    BNRE_TRY(bnre_node_check_keys(settings, keys));
    if (map->count < 2 || map->count > MOST)
        BNRE_TRY(bnre_node_fail(map,
                                "models is a map of 2 to %d names and "
                                "tasks: {flat: flat.yaml, curved: "
                                "curved.yaml}",
                                MOST));
    BNRE_NEW(task, 1);
    BNRE_NEW(models, 1);
    task->simulator.kind = &models_simulator;
    task->simulator.self = models;
    BNRE_TRY(bnre__strdup("models", &task->name));
    for (size_t k = 0; k < map->count; k++)
        BNRE_TRY(add_model(task, map->child[k], sealed));
    BNRE_TRY(find_shape(task, map));
    BNRE_TRY(make_prior(task, settings));
    if (task->ndim > 0)
        BNRE_TRY(bnre__task_finish(task, settings));
    else /* nobody knows before a plugin is loaded */
        BNRE_TRY(bnre_node_write(settings, &task->text));
    *out = task;
    task = NULL;
done:
    bnre_task_destroy(task);
    return status;
}
