/* prior.c - one prior for one or several estimators: that of their training, or
   what a file says in its place. */
#include "command/prior.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/classes.h"
#include "prior/constraint.h"
#include "task/outline.h"
#include "task/task.h"

bnre_status bnre__prior_refuse_region(const bnre_estimator *est)
{
    if (bnre_estimator_describe(est)->region < 1)
        return bnre_fail(BNRE_EUSAGE,
                         "this estimator knows the prior within a region "
                         "around one observation only: it has no posterior "
                         "under another prior or with other experiments");
    return BNRE_OK;
}

static int has_text(const bnre_node *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->child[i]->text, text) == 0)
            return 1;
    return 0;
}

/* The conditions of a task, text or list, behind those that are there. */
static bnre_status add_conditions(const bnre_node *from, bnre_node *list)
{
    if (from == NULL)
        return BNRE_OK;
    if (from->kind == BNRE_NODE_TEXT)
        return has_text(list, from->text)
                   ? BNRE_OK
                   : bnre_node_set(list, NULL, from->text);
    for (size_t i = 0; i < from->count; i++)
        BNRE_DO(add_conditions(from->child[i], list));
    return BNRE_OK;
}

/* What figures call them, behind what is there. */
static bnre_status add_labels(const bnre_node *task, const char *key,
                              bnre_node *map)
{
    const bnre_node *from = bnre_node_find(task, key), *there;
    bnre_node *to = NULL;

    if (from == NULL || from->kind != BNRE_NODE_MAP)
        return BNRE_OK;
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->child[i]->key, key) == 0)
            to = map->child[i];
    if (to == NULL)
        BNRE_DO(bnre_node_branch(map, key, BNRE_NODE_MAP, &to));
    for (size_t i = 0; i < from->count; i++) {
        there = bnre_node_find(to, from->child[i]->key);
        if (there == NULL)
            BNRE_DO(
                bnre_node_set(to, from->child[i]->key, from->child[i]->text));
    }
    return BNRE_OK;
}

/* Parameters and conditions of an estimator; shared ones must agree, unless
   `given` names them. */
static bnre_status add_estimator(const bnre_estimator *est,
                                 const bnre_node *given, bnre_node *map,
                                 bnre_node *parameters, bnre_node *conditions)
{
    const bnre_prior *prior = bnre_estimator_prior(est);
    bnre_status status = BNRE_OK;
    bnre_node *task = NULL;

    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        const char *name = bnre_prior_name(prior, i);
        const char *text = bnre_prior_text(prior, i);
        const bnre_node *there = bnre_node_find(parameters, name);

        if (there == NULL)
            BNRE_TRY(bnre_node_set(parameters, name, text));
        else if (strcmp(there->text, text) != 0 &&
                 bnre_node_find(given, name) == NULL)
            BNRE_THROW(BNRE_EUSAGE,
                       "the estimators were trained with different priors of "
                       "%s, %s and %s: say which is meant with `prior: FILE`",
                       name, there->text, text);
    }
    BNRE_TRY(
        bnre_yaml_parse(bnre_estimator_describe(est)->task, "task", &task));
    BNRE_TRY(add_conditions(bnre_node_find(task, "constraint"), conditions));
    BNRE_TRY(add_labels(task, "label", map));
    BNRE_TRY(add_labels(task, "unit", map));
done:
    bnre_node_destroy(task);
    return status;
}

static int has_parameter(const bnre_prior *prior, const char *name)
{
    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        if (strcmp(bnre_prior_name(prior, i), name) == 0)
            return 1;
    return 0;
}

/* A condition of one of them on a parameter that both have, which the other does
   not know: their priors of it are different. */
static bnre_status compare_condition(const bnre_prior *own, const char *text,
                                     const bnre_prior *other,
                                     const bnre_node *others)
{
    const size_t n = bnre_prior_dim(own);
    bnre_status status = BNRE_OK;
    bnre__constraint *condition = NULL;
    const char **name = NULL;

    if (has_text(others, text))
        return BNRE_OK;
    BNRE_NEW(name, n);
    for (size_t i = 0; i < n; i++)
        name[i] = bnre_prior_name(own, i);
    BNRE_TRY(bnre__constraint_create(text, n, name, &condition));
    for (size_t i = 0; i < n; i++)
        if (bnre__constraint_names(condition, i) &&
            has_parameter(other, name[i]))
            BNRE_THROW(BNRE_EUSAGE,
                       "the estimators were trained with different priors of "
                       "%s, one with the condition %s and one without: say "
                       "which is meant with `prior: FILE`",
                       name[i], text);
done:
    bnre__constraint_destroy(condition);
    bnre__free(name);
    return status;
}

static bnre_status read_conditions(const bnre_estimator *est, bnre_node **list)
{
    bnre_status status = BNRE_OK;
    bnre_node *task = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_LIST, NULL, list));
    BNRE_TRY(
        bnre_yaml_parse(bnre_estimator_describe(est)->task, "task", &task));
    BNRE_TRY(add_conditions(bnre_node_find(task, "constraint"), *list));
done:
    bnre_node_destroy(task);
    return status;
}

/* Of each two of them, unless a file says what is meant. */
static bnre_status compare_conditions(const bnre_estimator *a,
                                      const bnre_estimator *b)
{
    const bnre_prior *one = bnre_estimator_prior(a);
    const bnre_prior *two = bnre_estimator_prior(b);
    bnre_status status = BNRE_OK;
    bnre_node *own = NULL, *other = NULL;

    BNRE_TRY(read_conditions(a, &own));
    BNRE_TRY(read_conditions(b, &other));
    for (size_t i = 0; i < own->count; i++)
        BNRE_TRY(compare_condition(one, own->child[i]->text, two, other));
    for (size_t i = 0; i < other->count; i++)
        BNRE_TRY(compare_condition(two, other->child[i]->text, one, own));
done:
    bnre_node_destroy(other);
    bnre_node_destroy(own);
    return status;
}

/* What the file says of parameters that are there. */
static bnre_status replace(const bnre_node *given, bnre_node *parameters)
{
    for (size_t i = 0; i < given->count; i++) {
        const bnre_node *one = given->child[i];

        if (one->kind != BNRE_NODE_TEXT ||
            bnre_node_find(parameters, one->key) == NULL)
            return bnre_node_fail(one, "there is no parameter called %s here",
                                  one->key);
        BNRE_DO(bnre_node_set(parameters, one->key, one->text));
    }
    return BNRE_OK;
}

static const bnre_node *priors_in(const bnre_node *root)
{
    const bnre_node *task = bnre_node_find(root, "task");

    return task != NULL && task->kind == BNRE_NODE_MAP ? task : root;
}

static bnre_status read_file(const char *file, bnre_node **root)
{
    const bnre_node *parameters;

    if (file == NULL)
        return BNRE_OK;
    BNRE_DO(bnre_yaml_read(file, root));
    parameters = bnre_node_find(priors_in(*root), "parameters");
    if (parameters == NULL || parameters->kind != BNRE_NODE_MAP)
        return bnre_fail(BNRE_EUSAGE,
                         "%s: a prior is a map parameters: {name: \"normal(0, "
                         "1)\", ...}, as in a task",
                         file);
    return BNRE_OK;
}

/* All of it as one map: parameters, constraint. */
static bnre_status gather(size_t n, const bnre_estimator *const *est,
                          const bnre_node *file, bnre_node *map)
{
    const bnre_node *given = bnre_node_find(file, "parameters");
    const bnre_node *own = bnre_node_find(file, "constraint");
    bnre_node *parameters, *conditions;

    BNRE_DO(bnre_node_branch(map, "parameters", BNRE_NODE_MAP, &parameters));
    BNRE_DO(bnre_node_branch(map, "constraint", BNRE_NODE_LIST, &conditions));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(add_estimator(est[i], given, map, parameters, conditions));
    for (size_t i = 0; i < n && file == NULL; i++)
        for (size_t k = 0; k < i; k++)
            BNRE_DO(compare_conditions(est[k], est[i]));
    if (given != NULL)
        BNRE_DO(replace(given, parameters));
    if (own != NULL) {
        bnre_node_remove(map, "constraint");
        BNRE_DO(
            bnre_node_branch(map, "constraint", BNRE_NODE_LIST, &conditions));
        BNRE_DO(add_conditions(own, conditions));
    }
    if (conditions->count == 0)
        bnre_node_remove(map, "constraint");
    return BNRE_OK;
}

/* The samples of a file keep their place, which paths are relative to. */
static bnre_status add_samples(const bnre_node *file, bnre_node *map)
{
    const bnre_node *samples = bnre_node_find(file, "prior_samples");
    bnre_node *copy = NULL;

    if (samples == NULL)
        return BNRE_OK;
    BNRE_DO(bnre_node_copy(samples, &copy));
    return bnre_node_add(map, "prior_samples", copy);
}

/* {parameters: {model: "categorical(A, B, ...)"}} */
static bnre_status read_odds(const bnre_estimator *est, const char *odds,
                             bnre_node **root)
{
    const size_t classes = bnre_models_count(est);
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    char *text = NULL;
    size_t n = 1;

    if (odds == NULL)
        return BNRE_OK;
    for (const char *c = odds; *c != 0; c++)
        n += *c == ',';
    if (classes == 0)
        return bnre_fail(BNRE_EUSAGE,
                         "odds are for classifiers (trained with `classes`, or "
                         "of a task with `models`)");
    if (n != classes)
        return bnre_fail(BNRE_EUSAGE,
                         "odds %s: %zu numbers are needed, one for each class",
                         odds, classes);
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, root));
    BNRE_TRY(bnre_node_branch(*root, "parameters", BNRE_NODE_MAP, &map));
    BNRE_TRY(bnre__text_format(&text, "categorical(%s)", odds));
    BNRE_TRY(bnre_node_set(map, bnre_prior_name(bnre_estimator_prior(est), 0),
                           text));
done:
    bnre__free(text);
    return status;
}

bnre_status bnre__prior_of(size_t n, const bnre_estimator *const *est,
                           const char *file, const char *odds, bnre_prior **out,
                           bnre_node **record)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *map = NULL;
    bnre_prior *prior = NULL;

    *out = NULL;
    BNRE_TRY(read_file(file, &root));
    if (root == NULL)
        BNRE_TRY(read_odds(est[0], odds, &root));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    BNRE_TRY(gather(n, est, root != NULL ? priors_in(root) : NULL, map));
    if (root != NULL)
        BNRE_TRY(add_samples(priors_in(root), map));
    BNRE_TRY(bnre__task_read_priors(bnre_node_find(map, "parameters"), &prior));
    BNRE_TRY(bnre__task_special_prior(&prior, map, NULL, NULL));
    *out = prior;
    prior = NULL;
    if (record != NULL) {
        *record = map;
        map = NULL;
    }
done:
    bnre_prior_destroy(prior);
    bnre_node_destroy(map);
    bnre_node_destroy(root);
    return status;
}

bnre_status bnre__prior_of_data(const bnre_node *record, const char *file,
                                const bnre_dataset *data, const char *path,
                                int *same)
{
    const char *task = bnre_dataset_describe(data)->task;
    bnre_status status = BNRE_OK;
    char *text = NULL;

    *same = 0;
    if (task == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_node_write(record, &text));
    *same = bnre__task_same_prior(task, path, text, file) == BNRE_OK;
done:
    bnre_free(text);
    return status;
}
