/* sealed.c - tasks around a plugin that is not loaded. Settings that were
   recorded by a loaded one tell all but how to simulate; what a user wrote may
   leave parameters and the shape of x to the plugin. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "task/task.h"

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
    BNRE_TRY(bnre_node_check_keys(settings, bnre__task_plugin_keys));
    BNRE_TRY(bnre__task_plugin_path(simulator, &path));
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
