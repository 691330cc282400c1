#include "bnre/task.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/opt.h"
#include "model/load.h"
#include "model/plugin.h"
#include "model/simulator.h"

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

struct bnre_task {
    char *name;
    char *plugin_path; /* as the user wrote it; NULL for built-in tasks */
    bnre_prior *prior, *nuisance;
    size_t ndim, shape[BNRE_MAX_NDIM];
    bnre__simulator simulator;
    void *exact; /* the simulator's state for log likelihoods, once asked for */
    char *text;
};

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

/* Names and prior texts while a prior is being put together. */
struct entries {
    size_t n, room_name, room_text;
    char **name, **text;
};

static void clear_entries(struct entries *entries)
{
    for (size_t i = 0; i < entries->n; i++) {
        bnre__free(entries->name[i]);
        bnre__free(entries->text[i]);
    }
    bnre__free(entries->name);
    bnre__free(entries->text);
}

static bnre_status add_entry(struct entries *entries, const char *name,
                             const char *prior, size_t index, int indexed)
{
    bnre_status status = BNRE_OK;
    const size_t n = entries->n;

    BNRE_GROW(entries->name, entries->room_name, n + 1);
    BNRE_GROW(entries->text, entries->room_text, n + 1);
    entries->n = n + 1;
    if (indexed)
        BNRE_TRY(bnre__text_format(&entries->name[n], "%s_%zu", name, index));
    else
        BNRE_TRY(bnre__strdup(name, &entries->name[n]));
    BNRE_TRY(bnre__strdup(prior, &entries->text[n]));
done:
    return status;
}

/* The record's parameters with their default priors, repeats written out. */
static bnre_status list_defaults(const bnre__plugin *plugin,
                                 const bnre_plugin_parameter *list,
                                 struct entries *entries)
{
    bnre_status status = BNRE_OK;

    for (; list != NULL && list->name != NULL; list++) {
        const bnre_plugin_value *repeat = NULL;
        size_t times = 1;

        if (list->repeat != NULL) {
            repeat = bnre__plugin_option(plugin, list->repeat);
            if (repeat == NULL || !(repeat->number >= 1) ||
                repeat->number != floor(repeat->number))
                BNRE_THROW(BNRE_EUSAGE,
                           "parameter %s of %s: \"%s\" is not an option with a "
                           "whole number",
                           list->name, plugin->record->name, list->repeat);
            times = (size_t)repeat->number;
        }
        for (size_t i = 0; i < times; i++)
            BNRE_TRY(
                add_entry(entries, list->name, list->prior, i, repeat != NULL));
    }
done:
    return status;
}

/* Complaints about a prior should name its own line. */
static bnre_status check_prior(const bnre_node *given)
{
    bnre_prior *probe = NULL;
    bnre_status status =
        bnre_prior_create(1, (const char *const *)&given->key,
                          (const char *const *)&given->text, &probe);

    bnre_prior_destroy(probe);
    if (status == BNRE_EUSAGE)
        return bnre_node_fail(given, "%s", bnre_error_message());
    return status;
}

/* Replace priors by those of the settings' map, parameter by parameter. */
static bnre_status override_priors(const bnre_node *map,
                                   struct entries *entries)
{
    bnre_status status = BNRE_OK;
    const char **known = NULL;

    if (map == NULL)
        return BNRE_OK;
    if (map->kind != BNRE_NODE_MAP)
        return bnre_node_fail(map,
                              "%s must be a map of names and priors, such "
                              "as {rate: \"uniform(0, 10)\"}",
                              map->key);
    BNRE_NEW(known, entries->n + 1);
    for (size_t i = 0; i < entries->n; i++)
        known[i] = entries->name[i];
    BNRE_TRY(bnre_node_check_keys(map, known));
    for (size_t i = 0; i < entries->n; i++) {
        const bnre_node *given = bnre_node_find(map, entries->name[i]);

        if (given == NULL)
            continue;
        if (given->kind != BNRE_NODE_TEXT)
            BNRE_TRY(bnre_node_fail(given,
                                    "the prior of %s must be text such "
                                    "as uniform(0, 10)",
                                    given->key));
        BNRE_TRY(check_prior(given));
        bnre__free(entries->text[i]);
        entries->text[i] = NULL;
        BNRE_TRY(bnre__strdup(given->text, &entries->text[i]));
    }
done:
    bnre__free(known);
    return status;
}

static bnre_status make_prior(const bnre_task *task,
                              const bnre_plugin_parameter *list,
                              const bnre_node *map, bnre_prior **out)
{
    bnre_status status = BNRE_OK;
    struct entries entries = {0};

    BNRE_TRY(list_defaults(task->simulator.self, list, &entries));
    BNRE_TRY(override_priors(map, &entries));
    BNRE_TRY(bnre_prior_create(entries.n, (const char *const *)entries.name,
                               (const char *const *)entries.text, out));
done:
    clear_entries(&entries);
    return status;
}

/* ---- the task as text ---- */

static bnre_status describe_prior(bnre_node *root, const char *key,
                                  const bnre_prior *prior)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    if (bnre_prior_dim(prior) == 0)
        return BNRE_OK;
    BNRE_TRY(bnre_node_branch(root, key, BNRE_NODE_MAP, &map));
    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        BNRE_TRY(bnre_node_set(map, bnre_prior_name(prior, i),
                               bnre_prior_text(prior, i)));
done:
    return status;
}

static bnre_status describe(bnre_task *task)
{
    bnre_status status = BNRE_OK;
    const bnre__plugin *plugin = task->simulator.self;
    bnre_node *root = NULL, *branch = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    BNRE_TRY(bnre_node_set(root, "name", task->name));
    if (task->plugin_path != NULL) {
        BNRE_TRY(bnre_node_branch(root, "simulator", BNRE_NODE_MAP, &branch));
        BNRE_TRY(bnre_node_set(branch, "plugin", task->plugin_path));
    }
    if (plugin->n > 0)
        BNRE_TRY(bnre_node_branch(root, "options", BNRE_NODE_MAP, &branch));
    for (size_t i = 0; i < plugin->n; i++)
        BNRE_TRY(bnre_node_set(branch, plugin->record->options[i].name,
                               plugin->value[i].text));
    BNRE_TRY(describe_prior(root, "parameters", task->prior));
    BNRE_TRY(describe_prior(root, "nuisance", task->nuisance));
    BNRE_TRY(bnre_node_branch(root, "observable", BNRE_NODE_LIST, &branch));
    for (size_t i = 0; i < task->ndim; i++) {
        char length[32];

        BNRE_TRY(bnre_node_set(
            branch, NULL, bnre__text_real((double)task->shape[i], length)));
    }
    BNRE_TRY(bnre_node_write(root, &task->text));
done:
    bnre_node_destroy(root);
    return status;
}

/* ---- making tasks ---- */

/* What a file says of the shape of x must be what the simulator makes. */
static bnre_status check_observable(const bnre_task *task,
                                    const bnre_node *given)
{
    bnre_status status = BNRE_OK;
    bnre__text ours = {0};
    int same;

    if (given == NULL)
        return BNRE_OK;
    same = given->kind == BNRE_NODE_LIST && given->count == task->ndim;
    for (size_t i = 0; i < task->ndim; i++) {
        size_t length = 0;

        BNRE_TRY(
            bnre__text_add(&ours, i == 0 ? "%zu" : ", %zu", task->shape[i]));
        if (same && given->child[i]->kind == BNRE_NODE_TEXT &&
            bnre_read_size(given->child[i]->text, NULL, "", &length) ==
                BNRE_OK &&
            length == task->shape[i])
            continue;
        same = 0;
    }
    if (!same)
        BNRE_TRY(bnre_node_fail(given,
                                "observable: the simulator %s makes x of shape "
                                "[%s]; leave the key out or write that",
                                task->name, ours.data));
done:
    bnre__free(ours.data);
    return status;
}

/* `path` is where the record came from, NULL if it is built in. */
static bnre_status create_around(const bnre_plugin *record,
                                 const bnre_node *settings, const char *path,
                                 bnre_task **out)
{
    static const char *const keys[] = {"name",       "simulator", "options",
                                       "parameters", "nuisance",  "observable",
                                       NULL};
    bnre_status status = BNRE_OK;
    const bnre_node *map = settings;
    bnre__plugin *plugin = NULL;
    bnre_task *task = NULL;

    *out = NULL;
    if (map != NULL && map->kind == BNRE_NODE_MAP)
        BNRE_TRY(bnre_node_check_keys(map, keys));
    BNRE_TRY(
        bnre__plugin_create(record, bnre_node_find(map, "options"), &plugin));
    BNRE_NEW(task, 1);
    task->simulator.kind = &bnre__plugin_simulator;
    task->simulator.self = plugin;
    plugin = NULL;
    BNRE_TRY(bnre__strdup(record->name, &task->name));
    if (path != NULL)
        BNRE_TRY(bnre__strdup(path, &task->plugin_path));
    BNRE_TRY(make_prior(task, record->parameters,
                        bnre_node_find(map, "parameters"), &task->prior));
    BNRE_TRY(make_prior(task, record->nuisance, bnre_node_find(map, "nuisance"),
                        &task->nuisance));
    BNRE_TRY(
        bnre__plugin_shape(task->simulator.self, &task->ndim, task->shape));
    task->simulator.dim_theta = bnre_prior_dim(task->prior);
    task->simulator.dim_nuisance = bnre_prior_dim(task->nuisance);
    task->simulator.x_size = 1;
    for (size_t i = 0; i < task->ndim; i++) {
        if (task->shape[i] > SIZE_MAX / 64 / task->simulator.x_size)
            BNRE_THROW(BNRE_EUSAGE, "the observable of %s is too large",
                       task->name);
        task->simulator.x_size *= task->shape[i];
    }
    BNRE_TRY(check_observable(task, bnre_node_find(map, "observable")));
    BNRE_TRY(describe(task));
    *out = task;
    task = NULL;
done:
    bnre_task_destroy(task);
    bnre__plugin_destroy(plugin);
    return status;
}

bnre_status bnre_task_create_plugin(const bnre_plugin *record,
                                    const bnre_node *settings, bnre_task **out)
{
    return create_around(record, settings, NULL, out);
}

/* A path in a settings file is relative to that file. */
static bnre_status resolve_path(const bnre_node *node, char **out)
{
    const char *slash = node->file == NULL ? NULL : strrchr(node->file, '/');

    if (node->text[0] == '/' || slash == NULL)
        return bnre__strdup(node->text, out);
    return bnre__text_format(out, "%.*s/%s", (int)(slash - node->file),
                             node->file, node->text);
}

static bnre_status create_loaded(const bnre_node *settings,
                                 const bnre_node *path, bnre_task **out)
{
    bnre_status status = BNRE_OK;
    const bnre_plugin *record = NULL;
    char *file = NULL;

    if (path->kind != BNRE_NODE_TEXT)
        return bnre_node_fail(path, "plugin must be the path of a shared "
                                    "object such as ./libmine.so");
    BNRE_TRY(resolve_path(path, &file));
    status = bnre__plugin_load(file, &record);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(path, "%s", bnre_error_message());
    BNRE_TRY(status);
    BNRE_TRY(create_around(record, settings, path->text, out));
done:
    bnre__free(file);
    return status;
}

static bnre_status create_named(const bnre_node *settings,
                                const bnre_node *name, bnre_task **out)
{
    bnre_status status = BNRE_OK;
    const bnre_plugin *record = NULL;
    const char *nearest;

    for (size_t i = 0; bnre_task_builtin_name(i) != NULL; i++) {
        if (strcmp(bnre_task_builtin_name(i), name->text) != 0)
            continue;
        BNRE_TRY(bnre_task_builtin(name->text, &record));
        BNRE_TRY(create_around(record, settings, NULL, out));
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
done:
    return status;
}

bnre_status bnre_task_create(const bnre_node *settings, bnre_task **out)
{
    static const char *const keys[] = {"plugin", NULL};
    const bnre_node *name = settings;
    const bnre_node *simulator = bnre_node_find(settings, "simulator");
    const bnre_node *path = bnre_node_find(simulator, "plugin");
    bnre_status status = BNRE_OK;

    *out = NULL;
    if (simulator != NULL) {
        if (simulator->kind != BNRE_NODE_MAP)
            return bnre_node_fail(simulator, "simulator must be a map such as "
                                             "{plugin: ./libmine.so}");
        BNRE_TRY(bnre_node_check_keys(simulator, keys));
        if (path != NULL)
            return create_loaded(settings, path, out);
        return bnre_node_fail(simulator, "simulator needs the key plugin");
    }
    if (settings->kind == BNRE_NODE_MAP)
        name = bnre_node_find(settings, "name");
    if (name == NULL || name->kind != BNRE_NODE_TEXT)
        return bnre_node_fail(settings,
                              "a task is a name or a map with the key name or "
                              "simulator: see bnre tasks");
    return create_named(settings, name, out);
done:
    return status;
}

void bnre_task_destroy(bnre_task *task)
{
    if (task == NULL)
        return;
    if (task->exact != NULL)
        task->simulator.kind->close(&task->simulator, task->exact);
    if (task->simulator.kind != NULL)
        task->simulator.kind->destroy(task->simulator.self);
    bnre_prior_destroy(task->nuisance);
    bnre_prior_destroy(task->prior);
    bnre__free(task->text);
    bnre__free(task->plugin_path);
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

int bnre_task_tractable(const bnre_task *task)
{
    const bnre__plugin *plugin = task->simulator.self;

    return plugin->record->log_likelihood != NULL;
}

bnre_status bnre_task_log_likelihood(bnre_task *task, const double *theta,
                                     const double *x, double *out)
{
    bnre_status status = BNRE_OK;

    if (task->exact == NULL)
        BNRE_TRY(task->simulator.kind->open(&task->simulator, &task->exact));
    BNRE_TRY(bnre__plugin_log_likelihood(&task->simulator, task->exact, theta,
                                         x, out));
done:
    return status;
}
