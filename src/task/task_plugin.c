/* task_plugin.c - tasks around a simulator in C: its record names parameters
   and default priors, settings replace what they like. */
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "task/plugin.h"
#include "task/task.h"

/* Names and prior texts while a prior is being put together. */
struct entries {
    size_t n, room_name, room_text, room_group;
    char **name, **text;
    const char **group; /* the record's name of parameters that are repeated,
                           which stands for all of them; or NULL */
};

static void clear_entries(struct entries *entries)
{
    for (size_t i = 0; i < entries->n; i++) {
        bnre__free(entries->name[i]);
        bnre__free(entries->text[i]);
    }
    bnre__free(entries->group);
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
    BNRE_GROW(entries->group, entries->room_group, n + 1);
    entries->n = n + 1;
    entries->group[n] = indexed ? name : NULL;
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
    for (; list != NULL && list->name != NULL; list++) {
        size_t times = 1;

        if (list->repeat != NULL)
            BNRE_DO(bnre__plugin_count(plugin, list->repeat, &times));
        for (size_t i = 0; i < times; i++)
            BNRE_DO(add_entry(entries, list->name, list->prior, i,
                              list->repeat != NULL));
    }
    return BNRE_OK;
}

/* What the settings' map says of an entry: of itself, or of its group. */
static const bnre_node *find_given(const bnre_node *map,
                                   const struct entries *entries, size_t i)
{
    const bnre_node *own = bnre_node_find(map, entries->name[i]);

    return own == NULL && entries->group[i] != NULL
               ? bnre_node_find(map, entries->group[i])
               : own;
}

/* Replace priors by those of the settings' map, parameter by parameter. */
static bnre_status override_priors(const bnre_node *map,
                                   struct entries *entries)
{
    bnre_status status = BNRE_OK;
    const char **known = NULL;
    size_t names = 0;

    if (map == NULL)
        return BNRE_OK;
    if (map->kind != BNRE_NODE_MAP)
        return bnre_node_fail(map,
                              "%s must be a map of names and priors, such "
                              "as {rate: \"uniform(0, 10)\"}",
                              map->key);
    BNRE_NEW(known, 2 * entries->n + 1);
    for (size_t i = 0; i < entries->n; i++) {
        known[names++] = entries->name[i];
        if (entries->group[i] != NULL &&
            (i == 0 || entries->group[i] != entries->group[i - 1]))
            known[names++] = entries->group[i];
    }
    BNRE_TRY(bnre_node_check_keys(map, known));
    for (size_t i = 0; i < entries->n; i++) {
        const bnre_node *given = find_given(map, entries, i);

        if (given == NULL)
            continue;
        BNRE_TRY(bnre__task_check_prior(given));
        bnre__free(entries->text[i]);
        entries->text[i] = NULL;
        BNRE_TRY(bnre__strdup(bnre__task_prior_text(given->text),
                              &entries->text[i]));
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
            bnre__read_size(given->child[i]->text, NULL, "", &length) ==
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

/* What may stand in the settings of a task with a plugin. */
static const char *const keys[] = {"name",       "simulator",     "options",
                                   "parameters", "nuisance",      "observable",
                                   "constraint", "prior_samples", "transform",
                                   "precision",  "label",         "unit",
                                   NULL};

/* `path` is where the record came from, NULL if it is built in. */
static bnre_status create_around(const bnre_plugin *record,
                                 const bnre_node *settings, const char *path,
                                 bnre_task **out)
{
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
    if (path != NULL)
        BNRE_TRY(bnre__strdup(path, &plugin->path));
    task->simulator.kind = &bnre__plugin_simulator;
    task->simulator.self = plugin;
    plugin = NULL;
    BNRE_TRY(bnre__strdup(record->name, &task->name));
    BNRE_TRY(make_prior(task, record->parameters,
                        bnre_node_find(map, "parameters"), &task->prior));
    BNRE_TRY(make_prior(task, record->nuisance, bnre_node_find(map, "nuisance"),
                        &task->nuisance));
    BNRE_TRY(
        bnre__plugin_shape(task->simulator.self, &task->ndim, task->shape));
    BNRE_TRY(check_observable(task, bnre_node_find(map, "observable")));
    BNRE_TRY(bnre__task_finish(task, map));
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

/* The path under the key `plugin`. */
static bnre_status plugin_path(const bnre_node *simulator,
                               const bnre_node **out)
{
    static const char *const alone[] = {"plugin", NULL};

    *out = bnre_node_find(simulator, "plugin");
    BNRE_DO(bnre_node_check_keys(simulator, alone));
    if ((*out)->kind != BNRE_NODE_TEXT)
        BNRE_DO(bnre_node_fail(*out, "plugin must be the path of a shared "
                                     "object such as ./libmine.so"));
    return BNRE_OK;
}

bnre_status bnre__task_create_loaded(const bnre_node *settings,
                                     const bnre_node *simulator,
                                     bnre_task **out)
{
    bnre_status status = BNRE_OK;
    const bnre_plugin *record = NULL;
    const bnre_node *path;
    char *file = NULL;

    BNRE_TRY(plugin_path(simulator, &path));
    BNRE_TRY(bnre__task_path(path, &file));
    status = bnre__plugin_load(file, &record);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(path, "%s", bnre_error_message());
    BNRE_TRY(status);
    BNRE_TRY(create_around(record, settings, path->text, out));
done:
    bnre__free(file);
    return status;
}

/* ---- a plugin that is not loaded ----

   Settings that were recorded by a loaded one tell all but how to simulate; what
   a user wrote may leave parameters and the shape of x to the plugin. */

struct absent {
    char *path;
    bnre_node *options; /* NULL: none */
};

static void destroy_absent(void *self)
{
    struct absent *absent = self;

    if (absent == NULL)
        return;
    bnre_node_destroy(absent->options);
    bnre__free(absent->path);
    bnre__free(absent);
}

/* In the order of a loaded one. */
static bnre_status describe_absent(const bnre__simulator *simulator,
                                   bnre_node *task)
{
    const struct absent *absent = simulator->self;
    bnre_node *branch = NULL;

    BNRE_DO(bnre_node_branch(task, "simulator", BNRE_NODE_MAP, &branch));
    BNRE_DO(bnre_node_set(branch, "plugin", absent->path));
    if (absent->options != NULL) {
        BNRE_DO(bnre_node_copy(absent->options, &branch));
        BNRE_DO(bnre_node_add(task, "options", branch));
    }
    return BNRE_OK;
}

/* Never opened: tasks of this kind are sealed. */
static const bnre__simulator_kind absent_simulator = {
    .destroy = destroy_absent,
    .describe = describe_absent,
};

static bnre_status create_absent(const bnre_node *settings, const char *path,
                                 bnre_task *task)
{
    const bnre_node *options = bnre_node_find(settings, "options");
    bnre_status status = BNRE_OK;
    struct absent *absent = NULL;

    BNRE_NEW(absent, 1);
    task->simulator.kind = &absent_simulator;
    task->simulator.self = absent;
    BNRE_TRY(bnre__strdup(path, &absent->path));
    if (options != NULL)
        BNRE_TRY(bnre_node_copy(options, &absent->options));
done:
    return status;
}

/* The name in the settings, or what the plugin's is likely to be: decay of
   dir/libdecay.so. */
static bnre_status name_task(const bnre_node *settings, const char *path,
                             bnre_task *task)
{
    const bnre_node *name = bnre_node_find(settings, "name");
    const char *slash = strrchr(path, '/');
    const char *stem = slash != NULL ? slash + 1 : path;

    if (name != NULL && name->kind == BNRE_NODE_TEXT)
        return bnre__strdup(name->text, &task->name);
    if (strncmp(stem, "lib", 3) == 0)
        stem += 3;
    return bnre__text_format(&task->name, "%.*s", (int)strcspn(stem, "."),
                             stem);
}

bnre_status bnre__task_describe_plugin(const bnre_node *settings,
                                       const bnre_node *simulator,
                                       bnre_task **out)
{
    const bnre_node *parameters = bnre_node_find(settings, "parameters");
    const bnre_node *observable = bnre_node_find(settings, "observable");
    const int known = parameters != NULL && observable != NULL;
    bnre_status status = BNRE_OK;
    const bnre_node *path;
    bnre_task *task = NULL;

    *out = NULL;
    BNRE_TRY(bnre_node_check_keys(settings, keys));
    BNRE_TRY(plugin_path(simulator, &path));
    BNRE_NEW(task, 1);
    BNRE_TRY(create_absent(settings, path->text, task));
    BNRE_TRY(name_task(settings, path->text, task));
    BNRE_TRY(bnre__task_read_priors(known ? parameters : NULL, &task->prior));
    BNRE_TRY(bnre__task_read_priors(
        known ? bnre_node_find(settings, "nuisance") : NULL, &task->nuisance));
    if (known) {
        BNRE_TRY(
            bnre__task_read_observable(settings, &task->ndim, task->shape));
        BNRE_TRY(bnre__task_finish(task, settings));
    } else {
        BNRE_TRY(bnre_node_write(settings, &task->text));
    }
    *out = task;
    task = NULL;
done:
    bnre_task_destroy(task);
    return status;
}
