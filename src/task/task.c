/* task.c - tasks: a simulator, a prior and what else the settings say. */
#include "task/task.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "bnre/task.h"
#include "prior/joint.h"
#include "task/plugin.h"

/* The built-in records; they live in sims/, which sees only the plugin header.
 */
extern const bnre_plugin *const bnre_sims[];

/* Tasks that ship as plugins, since they need what not everybody has. */
static const struct {
    const char *name, *missing;
} shipped[] = {
    {"gw", "gravitational waves need FFTW: install libfftw3-dev (apt-get "
           "install libfftw3-dev) and build again"},
};
enum { SHIPPED = sizeof shipped / sizeof *shipped };

static size_t count_linked(void)
{
    size_t n = 0;

    while (bnre_sims[n] != NULL)
        n++;
    return n;
}

const char *bnre_task_builtin_name(size_t i)
{
    const size_t linked = count_linked();

    if (i < linked)
        return bnre_sims[i]->name;
    return i < linked + SHIPPED ? shipped[i - linked].name : NULL;
}

bnre_status bnre_task_builtin(const char *name, const bnre_plugin **out)
{
    bnre_status status = BNRE_OK;

    *out = NULL;
    for (size_t i = 0; bnre_sims[i] != NULL; i++)
        if (strcmp(bnre_sims[i]->name, name) == 0)
            *out = bnre_sims[i];
    for (size_t i = 0; i < SHIPPED; i++) {
        if (strcmp(shipped[i].name, name) != 0)
            continue;
        BNRE_TRY(bnre__plugin_find(name, out));
        if (*out == NULL)
            BNRE_THROW(BNRE_EUSAGE, "task %s is not here: %s", name,
                       shipped[i].missing);
    }
    if (*out == NULL)
        status = bnre_fail(BNRE_EUSAGE, "unknown task \"%s\"", name);
done:
    return status;
}

static const char *builtin_word(const void *list, size_t i)
{
    (void)list;
    return bnre_task_builtin_name(i);
}

/* ---- the task as text ---- */

static bnre_status describe_prior(bnre_node *root, const char *key,
                                  const bnre_prior *prior)
{
    bnre_node *map = NULL;

    if (bnre_prior_dim(prior) == 0)
        return BNRE_OK;
    BNRE_DO(bnre_node_branch(root, key, BNRE_NODE_MAP, &map));
    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        BNRE_DO(bnre_node_set(map, bnre_prior_name(prior, i),
                              bnre_prior_text(prior, i)));
    return BNRE_OK;
}

/* The key `precision`; only who gives it finds it in the text. */
static bnre_status read_precision(bnre_task *task, const bnre_node *settings,
                                  bnre_node *root)
{
    const bnre_node *node = bnre_node_find(settings, "precision");

    if (node == NULL)
        return BNRE_OK;
    if (node->kind == BNRE_NODE_TEXT && strcmp(node->text, "single") == 0)
        task->precision = BNRE__PRECISION_SINGLE;
    else if (node->kind == BNRE_NODE_TEXT && strcmp(node->text, "double") == 0)
        task->precision = BNRE__PRECISION_DOUBLE;
    else
        return bnre_node_fail(node, "precision, how many digits of x are kept, "
                                    "is single (7 digits) or double (16)");
    return bnre_node_set(root, "precision", node->text);
}

static bnre_status describe(bnre_task *task, const bnre_node *settings)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *branch = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    BNRE_TRY(bnre_node_set(root, "name", task->name));
    BNRE_TRY(task->simulator.kind->describe(&task->simulator, root));
    BNRE_TRY(bnre__task_special_prior(&task->prior, settings, NULL, root));
    BNRE_TRY(describe_prior(root, "parameters", task->prior));
    BNRE_TRY(describe_prior(root, "nuisance", task->nuisance));
    BNRE_TRY(bnre_node_branch(root, "observable", BNRE_NODE_LIST, &branch));
    for (size_t i = 0; i < task->ndim; i++) {
        char length[32];

        BNRE_TRY(bnre_node_set(
            branch, NULL, bnre__text_real((double)task->shape[i], length)));
    }
    BNRE_TRY(bnre__transform_read(&task->transform, task->prior, settings));
    BNRE_TRY(bnre__transform_record(&task->transform, task->prior, root));
    BNRE_TRY(read_precision(task, settings, root));
    BNRE_TRY(bnre_node_write(root, &task->text));
done:
    bnre_node_destroy(root);
    return status;
}

/* ---- making tasks ---- */

/* Complaints about a prior should name its own line. */
bnre_status bnre__task_check_prior(const bnre_node *given)
{
    bnre_prior *probe = NULL;
    const char *text;
    bnre_status status;

    if (given->kind != BNRE_NODE_TEXT)
        return bnre_node_fail(given,
                              "the prior of %s must be text such as "
                              "uniform(0, 10)",
                              given->key);
    if (bnre__joint_is(given->text))
        return BNRE_OK; /* seen when all that it names are there */
    text = bnre__task_prior_text(given->text);
    status =
        bnre_prior_create(1, (const char *const *)&given->key, &text, &probe);
    bnre_prior_destroy(probe);
    if (status == BNRE_EUSAGE)
        return bnre_node_fail(given, "%s", bnre_error_message());
    return status;
}

bnre_status bnre__task_path(const bnre_node *node, char **out)
{
    const char *slash = node->file == NULL ? NULL : strrchr(node->file, '/');

    if (node->text[0] == '/' || slash == NULL)
        return bnre__strdup(node->text, out);
    return bnre__text_format(out, "%.*s/%s", (int)(slash - node->file),
                             node->file, node->text);
}

bnre_status bnre__task_shape_size(size_t ndim, const size_t *shape, size_t *out)
{
    *out = 1;
    for (size_t i = 0; i < ndim; i++) {
        if (shape[i] > SIZE_MAX / 64 / *out)
            return bnre_fail(BNRE_EUSAGE, "the observable is too large");
        *out *= shape[i];
    }
    return BNRE_OK;
}

bnre_status bnre__task_finish(bnre_task *task, const bnre_node *settings)
{
    bnre_status status = BNRE_OK;

    status =
        bnre__task_shape_size(task->ndim, task->shape, &task->simulator.x_size);
    if (status != BNRE_OK)
        return bnre__fail_in(status, "task %s", task->name);
    if (settings != NULL && settings->file != NULL)
        BNRE_TRY(bnre__strdup(settings->file, &task->file));
    task->simulator.dim_theta = bnre_prior_dim(task->prior);
    task->simulator.dim_nuisance = bnre_prior_dim(task->nuisance);
    BNRE_TRY(describe(task, settings));
done:
    return status;
}

static bnre_status create_named(const bnre_node *settings,
                                const bnre_node *name, bnre_task **out)
{
    const bnre_plugin *record = NULL;
    const char *nearest;

    for (size_t i = 0; bnre_task_builtin_name(i) != NULL; i++) {
        if (strcmp(bnre_task_builtin_name(i), name->text) != 0)
            continue;
        BNRE_DO(bnre_task_builtin(name->text, &record));
        BNRE_DO(bnre_task_create_plugin(record, settings, out));
        return BNRE_OK;
    }
    nearest = bnre__text_nearest(name->text, builtin_word, NULL);
    if (nearest != NULL)
        return bnre_node_fail(name, "unknown task \"%s\": did you mean \"%s\"?",
                              name->text, nearest);
    return bnre_node_fail(name,
                          "unknown task \"%s\": bnre tasks lists those there "
                          "are; a file must end in .yaml",
                          name->text);
}

/* What a simulator is, by the key that says where it comes from. */
static const struct {
    const char *key;
    bnre_status (*create)(const bnre_node *settings, const bnre_node *simulator,
                          bnre_task **out);
    bnre_status (*describe)(const bnre_node *settings,
                            const bnre_node *simulator, bnre_task **out);
} simulators[] = {
    {"plugin", bnre__task_create_loaded, bnre__task_describe_plugin},
    /* Nothing is started until it is run. */
    {"command", bnre__task_create_external, bnre__task_create_external},
};

static const char *simulator_word(const void *list, size_t i)
{
    (void)list;
    return i < sizeof simulators / sizeof *simulators ? simulators[i].key
                                                      : NULL;
}

static bnre_status create_from_simulator(const bnre_node *settings,
                                         const bnre_node *simulator, int sealed,
                                         bnre_task **out)
{
    for (size_t i = 0; i < sizeof simulators / sizeof *simulators; i++) {
        bnre_status status;

        if (bnre_node_find(simulator, simulators[i].key) == NULL)
            continue;
        status = (sealed ? simulators[i].describe
                         : simulators[i].create)(settings, simulator, out);
        if (status == BNRE_OK)
            (*out)->simulator.sealed = sealed;
        return status;
    }
    for (size_t i = 0; i < simulator->count; i++) {
        const bnre_node *child = simulator->child[i];
        const char *nearest = NULL;

        if (child->key != NULL)
            nearest = bnre__text_nearest(child->key, simulator_word, NULL);
        if (nearest != NULL)
            return bnre_node_fail(
                child, "unknown setting \"%s\": did you mean \"%s\"?",
                child->key, nearest);
    }
    return bnre_node_fail(simulator, "a simulator is a map such as {plugin: "
                                     "./libmine.so} or {command: [python3, "
                                     "sim.py]}");
}

/* Whether a name is that of a built-in task, or nearly. */
static int means_builtin(const bnre_node *name)
{
    for (size_t i = 0; bnre_task_builtin_name(i) != NULL; i++)
        if (strcmp(bnre_task_builtin_name(i), name->text) == 0)
            return 1;
    return bnre__text_nearest(name->text, builtin_word, NULL) != NULL;
}

/* Parameters and nothing that simulates: enough to train on data that were made
   elsewhere, but not for a task. */
static bnre_status refuse_bare(const bnre_node *settings, const bnre_node *name)
{
    if (settings->kind != BNRE_NODE_MAP ||
        bnre_node_find(settings, "parameters") == NULL ||
        (name != NULL && (name->kind != BNRE_NODE_TEXT || means_builtin(name))))
        return BNRE_OK;
    return bnre_node_fail(settings,
                          "the task has no simulator, which is needed here: "
                          "add one, such as simulator: {command: [python3, "
                          "sim.py]}. Only training on data that were made "
                          "elsewhere does without");
}

static bnre_status create(const bnre_node *settings, int sealed,
                          bnre_task **out)
{
    const bnre_node *name = settings;
    const bnre_node *simulator = bnre_node_find(settings, "simulator");
    const bnre_node *models = bnre_node_find(settings, "models");

    *out = NULL;
    if (models != NULL && models->kind == BNRE_NODE_MAP)
        return bnre__task_create_models(settings, sealed, out);
    if (simulator != NULL)
        return create_from_simulator(settings, simulator, sealed, out);
    if (settings->kind == BNRE_NODE_MAP)
        name = bnre_node_find(settings, "name");
    BNRE_DO(refuse_bare(settings, name));
    if (name == NULL || name->kind != BNRE_NODE_TEXT)
        return bnre_node_fail(settings,
                              "a task is a name or a map with the key name, "
                              "simulator or models: see bnre tasks");
    return create_named(settings, name, out);
}

bnre_status bnre_task_create(const bnre_node *settings, bnre_task **out)
{
    return create(settings, 0, out);
}

bnre_status bnre_task_describe(const bnre_node *settings, bnre_task **out)
{
    return create(settings, 1, out);
}

void bnre_task_destroy(bnre_task *task)
{
    if (task == NULL)
        return;
    if (task->exact != NULL)
        task->simulator.kind->close(&task->simulator, task->exact);
    if (task->simulator.kind != NULL)
        task->simulator.kind->destroy(task->simulator.self);
    bnre__transform_clear(&task->transform);
    bnre_prior_destroy(task->nuisance);
    bnre_prior_destroy(task->prior);
    bnre__free(task->file);
    bnre__free(task->text);
    bnre__free(task->name);
    bnre__free(task);
}

/* ---- looking inside ---- */

const char *bnre_task_name(const bnre_task *task)
{
    return task->name;
}

const bnre_prior *bnre_task_prior(const bnre_task *task)
{
    return task->prior;
}

const bnre_prior *bnre_task_nuisance(const bnre_task *task)
{
    return task->nuisance;
}

const size_t *bnre_task_observable(const bnre_task *task, size_t *ndim)
{
    *ndim = task->ndim;
    return task->shape;
}

size_t bnre_task_x_size(const bnre_task *task)
{
    return task->simulator.x_size;
}

const char *bnre_task_text(const bnre_task *task)
{
    return task->text;
}

const bnre__simulator *bnre__task_simulator(const bnre_task *task)
{
    return &task->simulator;
}

int bnre_task_runs(const bnre_task *task)
{
    return !task->simulator.sealed;
}

int bnre_task_known(const bnre_task *task)
{
    return bnre_prior_dim(task->prior) > 0 && task->ndim > 0;
}

int bnre_task_tractable(const bnre_task *task)
{
    const bnre__simulator_kind *kind = task->simulator.kind;

    return kind->tractable != NULL && kind->tractable(&task->simulator);
}

bnre_status bnre_task_log_likelihood(bnre_task *task, const double *theta,
                                     const double *x, double *out)
{
    const bnre__simulator_kind *kind = task->simulator.kind;

    if (!bnre_task_tractable(task))
        return bnre_fail(BNRE_EINVAL, "task %s has no tractable likelihood",
                         task->name);
    if (task->exact == NULL)
        BNRE_DO(bnre__simulator_open(&task->simulator, &task->exact));
    *out = kind->log_likelihood(&task->simulator, task->exact, theta, x);
    return BNRE_OK;
}

static int is_file_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot != NULL &&
           (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* A copy of a task's settings as a map, so that options can be added. It comes
   from the same file, to which paths are relative. */
static bnre_status copy_as_map(const bnre_node *task, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;

    *out = NULL;
    if (task->kind == BNRE_NODE_TEXT) {
        BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
        BNRE_TRY(bnre_node_set(*out, "name", task->text));
    } else {
        BNRE_TRY(bnre_node_write(task, &text));
        BNRE_TRY(bnre_yaml_parse(text, task->file, out));
    }
done:
    bnre_free(text);
    return status;
}

static bnre_status add_option(bnre_node *map, const char *text)
{
    bnre_status status = BNRE_OK;
    const char *equals = strchr(text, '=');
    bnre_node *options = (bnre_node *)bnre_node_find(map, "options");
    char *key = NULL;

    if (equals == NULL || equals == text)
        BNRE_THROW(BNRE_EUSAGE, "option \"%s\" must be of the form key=value",
                   text);
    if (options == NULL)
        BNRE_TRY(bnre_node_branch(map, "options", BNRE_NODE_MAP, &options));
    BNRE_TRY(bnre__text_format(&key, "%.*s", (int)(equals - text), text));
    BNRE_TRY(bnre_node_set(options, key, equals + 1));
done:
    bnre__free(key);
    return status;
}

static bnre_status
open_task(const char *name_or_file, size_t n, const char *const *options,
          bnre_status (*make)(const bnre_node *settings, bnre_task **out),
          bnre_task **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *map = NULL;
    const bnre_node *task;

    *out = NULL;
    if (is_file_name(name_or_file))
        BNRE_TRY(bnre_yaml_read(name_or_file, &root));
    else
        BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, name_or_file, &root));
    task = bnre_node_find(root, "task");
    if (task == NULL)
        task = root;
    if (n > 0) {
        BNRE_TRY(copy_as_map(task, &map));
        task = map;
    }
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(add_option(map, options[i]));
    BNRE_TRY(make(task, out));
done:
    bnre_node_destroy(map);
    bnre_node_destroy(root);
    return status;
}

bnre_status bnre_task_open(const char *name_or_file, size_t n,
                           const char *const *options, bnre_task **out)
{
    return open_task(name_or_file, n, options, bnre_task_create, out);
}

bnre_status bnre_task_look(const char *name_or_file, size_t n,
                           const char *const *options, bnre_task **out)
{
    return open_task(name_or_file, n, options, bnre_task_describe, out);
}
