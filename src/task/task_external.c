/* task_external.c - tasks around an external program: the settings name
   everything. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/text.h"
#include "task/external/external.h"
#include "task/task.h"

enum { LONGEST_NAME = 100 };

static int is_visible(const char *text)
{
    char shown[LONGEST_NAME + 1];

    return bnre_show_text(shown, sizeof shown, text, 0) == strlen(text) &&
           strcmp(shown, text) == 0;
}

/* A label, which may become the name of a file. */
static bnre_status read_name(const bnre_node *settings, bnre_task *task)
{
    const bnre_node *node = bnre_node_find(settings, "name");

    if (node == NULL)
        return bnre__strdup("external", &task->name);
    if (node->kind != BNRE_NODE_TEXT || node->text[0] == 0 ||
        node->text[0] == '.' || strchr(node->text, '/') != NULL ||
        strlen(node->text) > LONGEST_NAME || !is_visible(node->text))
        return bnre_node_fail(node, "name must be a short text without '/' or "
                                    "control characters");
    return bnre__strdup(node->text, &task->name);
}

static bnre_status check_names(const bnre_node *nuisance,
                               const bnre_prior *prior)
{
    for (size_t i = 0; nuisance != NULL && i < nuisance->count; i++)
        for (size_t k = 0; k < bnre_prior_dim(prior); k++)
            if (strcmp(nuisance->child[i]->key, bnre_prior_name(prior, k)) == 0)
                return bnre_node_fail(nuisance->child[i],
                                      "%s is already a parameter",
                                      nuisance->child[i]->key);
    return BNRE_OK;
}

static bnre_status create_simulator(const bnre_node *simulator, bnre_task *task)
{
    bnre_status status = BNRE_OK;
    const size_t dim = bnre_prior_dim(task->prior);
    const size_t n = dim + bnre_prior_dim(task->nuisance);
    const char **name = NULL;
    bnre__external *external = NULL;
    bnre__placeholders names;

    BNRE_NEW(name, n);
    for (size_t i = 0; i < n; i++)
        name[i] = i < dim ? bnre_prior_name(task->prior, i)
                          : bnre_prior_name(task->nuisance, i - dim);
    names = (bnre__placeholders){n, name};
    BNRE_TRY(bnre__external_create(simulator, &names, &external));
    task->simulator.kind = &bnre__external_simulator;
    task->simulator.self = external;
done:
    bnre__free(name);
    return status;
}

bnre_status bnre__task_create_external(const bnre_node *settings,
                                       const bnre_node *simulator,
                                       bnre_task **out)
{
    static const char *const keys[] = {
        "name",       "simulator",  "parameters",    "nuisance",
        "observable", "constraint", "prior_samples", "transform",
        "precision",  "label",      "unit",          NULL};
    const bnre_node *parameters = bnre_node_find(settings, "parameters");
    const bnre_node *nuisance = bnre_node_find(settings, "nuisance");
    bnre_status status = BNRE_OK;
    bnre_task *task = NULL;

    *out = NULL;
    if (bnre_node_find(settings, "options") != NULL)
        BNRE_TRY(bnre_node_fail(settings,
                                "an external program has no options: put them "
                                "into its command"));
    BNRE_TRY(bnre_node_check_keys(settings, keys));
    if (parameters == NULL)
        BNRE_TRY(bnre_node_fail(settings,
                                "parameters, a map of names and priors such "
                                "as {rate: \"uniform(0, 10)\"}, is missing"));
    BNRE_NEW(task, 1);
    BNRE_TRY(read_name(settings, task));
    BNRE_TRY(bnre__task_read_priors(parameters, &task->prior));
    BNRE_TRY(bnre__task_read_priors(nuisance, &task->nuisance));
    BNRE_TRY(check_names(nuisance, task->prior));
    BNRE_TRY(bnre__task_read_observable(settings, &task->ndim, task->shape));
    BNRE_TRY(create_simulator(simulator, task));
    BNRE_TRY(bnre__task_finish(task, settings));
    *out = task;
    task = NULL;
done:
    bnre_task_destroy(task);
    return status;
}
