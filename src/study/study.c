/* study.c - a study from its file: checked, typed, planned. */
#include "study/study.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"

void bnre__study_destroy(bnre_study *study)
{
    if (study == NULL)
        return;
    for (size_t i = 0; i < study->datasets; i++)
        bnre__free(study->data[i].name);
    bnre__free(study->data);
    bnre__cells_clear(study);
    bnre__axes_clear(study);
    bnre__fields_clear(&study->fields);
    bnre_node_destroy(study->base);
    for (size_t i = 0; i < study->files; i++)
        bnre_node_destroy(study->file[i]);
    bnre__free(study->file);
    bnre_node_destroy(study->root);
    bnre__free(study->title);
    bnre_free(study->text);
    bnre__free(study);
}

/* Several models are one task, whose parameter is which of them it is. */
static bnre_status make_models(bnre_study *study, const bnre_node *node)
{
    bnre_node *task = NULL, *map = NULL, *copy = NULL;
    const bnre_node *one;

    if (bnre_node_find(study->root, "task") != NULL)
        return bnre_node_fail(node, "a study has a task or models: keep one of "
                                    "them");
    if (node->kind != BNRE_NODE_MAP)
        return bnre_node_fail(node, "models is a map of names and tasks: "
                                    "{flat: flat.yaml, curved: curved.yaml}");
    BNRE_DO(bnre_node_branch(study->base, "task", BNRE_NODE_MAP, &task));
    BNRE_DO(bnre_node_branch(task, "models", BNRE_NODE_MAP, &map));
    for (size_t i = 0; i < node->count; i++) {
        BNRE_DO(bnre__tree_load(study, node->child[i], "task", &one));
        BNRE_DO(bnre_node_copy(one, &copy));
        BNRE_DO(bnre_node_add(map, node->child[i]->key, copy));
    }
    return BNRE_OK;
}

/* The keys of the file under their proper names, files that they name read. */
static bnre_status make_base(bnre_study *study)
{
    bnre_node *copy = NULL;
    bnre__key key;

    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, &study->base));
    if (study->root->kind != BNRE_NODE_MAP) {
        return bnre_node_fail(study->root,
                              "a study is a map of settings: task: slcp");
    }
    for (size_t i = 0; i < study->root->count; i++) {
        const bnre_node *node = study->root->child[i];

        if (!bnre__key_find(node->key, &key)) {
            return bnre__key_fail(node, "setting");
        }
        if (strcmp(key.name, "sweep") == 0)
            continue;
        if (strcmp(key.name, "models") == 0) {
            BNRE_DO(make_models(study, node));
            continue;
        }
        if (key.row == NULL)
            BNRE_DO(bnre__tree_load(study, node, key.name, &node));
        BNRE_DO(bnre_node_copy(node, &copy));
        BNRE_DO(bnre_node_add(study->base, key.name, copy));
    }
    return BNRE_OK;
}

/* A key is either set or varied. */
static bnre_status check_axes(const bnre_study *study)
{
    for (size_t i = 0; i < study->keys; i++) {
        const bnre_node *set = bnre_node_find(study->base, study->key[i]);

        if (set != NULL)
            return bnre_node_fail(set,
                                  "%s is set here and is an axis of the sweep: "
                                  "keep one of them",
                                  study->key[i]);
    }
    return BNRE_OK;
}

static bnre_status check_task(const bnre_study *study)
{
    if (bnre_node_find(study->base, "task") != NULL)
        return BNRE_OK;
    for (size_t i = 0; i < study->keys; i++)
        if (strcmp(study->key[i], "task") == 0)
            return BNRE_OK;
    return bnre_node_fail(study->root,
                          "the study has no task: name a built-in one (see "
                          "`bnre tasks`) or describe your own");
}

/* The file's name without directory and ending, unless there is a title. */
static bnre_status choose_title(bnre_study *study, const char *name)
{
    const char *base = strrchr(name, '/');
    const char *dot;

    if (study->fields.study.title != NULL)
        return bnre__strdup(study->fields.study.title, &study->title);
    base = base != NULL ? base + 1 : name;
    dot = strrchr(base, '.');
    if (dot == NULL || dot == base)
        return bnre__strdup(base, &study->title);
    return bnre__text_format(&study->title, "%.*s", (int)(dot - base), base);
}

/* Swept keys as the study means them. */
static bnre_status write_sweep(const bnre_study *study, bnre_node *out)
{
    bnre_node *sweep = NULL, *list = NULL, *copy = NULL;

    if (study->axes == 0)
        return BNRE_OK;
    BNRE_DO(bnre_node_branch(out, "sweep", BNRE_NODE_MAP, &sweep));
    for (size_t a = 0; a < study->axes; a++) {
        const bnre__axis *axis = &study->axis[a];
        const bnre__assignment *first = &axis->choice[0].set[0];
        bnre__key key;

        if (axis->choice[0].n > 1 || !bnre__key_find(first->path, &key) ||
            key.row == NULL) {
            BNRE_DO(bnre_node_copy(axis->node, &copy));
            BNRE_DO(bnre_node_add(sweep, axis->node->key, copy));
            continue;
        }
        BNRE_DO(bnre_node_branch(sweep, first->path, BNRE_NODE_LIST, &list));
        for (size_t i = 0; i < axis->n; i++)
            BNRE_DO(bnre_node_set(list, NULL, axis->choice[i].set[0].label));
    }
    return BNRE_OK;
}

static bnre_status write_value(bnre_node *out, const bnre__key *key,
                               const bnre_node *value)
{
    bnre_status status = BNRE_OK;
    bnre_node *copy = NULL;
    char *text = NULL;

    if (key->row != NULL && key->row->type != BNRE_OPT_LIST) {
        BNRE_TRY(bnre__key_text(key, value, &text));
        BNRE_TRY(bnre_node_set(out, key->name, text));
    } else {
        BNRE_TRY(bnre_node_copy(value, &copy));
        BNRE_TRY(bnre_node_add(out, key->name, copy));
    }
done:
    bnre__free(text);
    return status;
}

/* The study as text: title, what was set, and the study's own defaults. */
static bnre_status write_text(bnre_study *study)
{
    static const char *const own[] = {"seed", "repeats", "test"};
    bnre_status status = BNRE_OK;
    bnre_node *out = NULL;
    bnre__key key;

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &out));
    BNRE_TRY(bnre_node_set(out, "title", study->title));
    for (size_t i = 0; i < study->base->count; i++) {
        const bnre_node *node = study->base->child[i];

        if (bnre__key_find(node->key, &key) && strcmp(key.name, "title") != 0)
            BNRE_TRY(write_value(out, &key, node));
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!bnre__fields_given(&study->fields, own[i]) &&
            bnre__key_find(own[i], &key))
            BNRE_TRY(bnre_node_set(out, key.name, key.row->preset));
    BNRE_TRY(write_sweep(study, out));
    BNRE_TRY(bnre_node_write(out, &study->text));
done:
    bnre_node_destroy(out);
    return status;
}

/* Takes `root`. */
static bnre_status create(bnre_node *root, const char *name, size_t n,
                          const char *const *set, int sealed, bnre_study **out)
{
    bnre_status status = BNRE_OK;
    bnre_study *study = NULL;

    study = bnre__alloc(1, sizeof *study);
    if (study == NULL) {
        bnre_node_destroy(root);
        return BNRE_ENOMEM;
    }
    study->root = root;
    study->sealed = sealed;
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre__tree_set(root, set[i]));
    BNRE_TRY(make_base(study));
    BNRE_TRY(bnre__fields_init(&study->fields, study->base));
    BNRE_TRY(bnre__axes_read(study, bnre_node_find(root, "sweep")));
    BNRE_TRY(check_axes(study));
    BNRE_TRY(check_task(study));
    BNRE_TRY(choose_title(study, name));
    BNRE_TRY(bnre__cells_make(study));
    BNRE_TRY(bnre__data_plan(study));
    BNRE_TRY(write_text(study));
    *out = study;
    study = NULL;
done:
    bnre__study_destroy(study);
    return status;
}

bnre_status bnre__study_parse(const char *text, const char *name, size_t n,
                              const char *const *set, bnre_study **out)
{
    bnre_node *root = NULL;

    *out = NULL;
    BNRE_DO(bnre_yaml_parse(text, name, &root));
    return create(root, name, n, set, 0, out);
}

static bnre_status read(const char *path, size_t n, const char *const *set,
                        int sealed, bnre_study **out)
{
    bnre_node *root = NULL;

    *out = NULL;
    BNRE_DO(bnre_yaml_read(path, &root));
    return create(root, path, n, set, sealed, out);
}

bnre_status bnre__study_read(const char *path, size_t n, const char *const *set,
                             bnre_study **out)
{
    return read(path, n, set, 0, out);
}

bnre_status bnre__study_look(const char *path, size_t n, const char *const *set,
                             bnre_study **out)
{
    return read(path, n, set, 1, out);
}

bnre_study_info bnre_study_describe(const bnre_study *study)
{
    return (bnre_study_info){
        .title = study->title,
        .seed = study->fields.study.seed,
        .cells = study->cells,
        .repeats = study->fields.study.repeats,
        .datasets = study->datasets,
        .keys = study->keys,
        .key = (const char *const *)study->key,
        .text = study->text,
    };
}

bnre_study_cell bnre_study_cell_at(const bnre_study *study, size_t i)
{
    const bnre__cell *cell = &study->cell[i];
    bnre_study_cell out = {
        .name = cell->name,
        .value = (const char *const *)cell->value,
        .task = bnre_task_name(study->task[cell->task].task),
        .settings = cell->text,
        .doubt = cell->doubt,
        .simulations = cell->fields.train.simulations,
    };

    memcpy(out.dataset, cell->dataset, sizeof out.dataset);
    return out;
}

bnre_study_dataset bnre_study_dataset_at(const bnre_study *study, size_t i)
{
    const bnre__data *data = &study->data[i];
    const bnre_task *task = study->task[data->task].task;
    const size_t row = 8 * bnre_prior_dim(bnre_task_prior(task)) +
                       8 * bnre_prior_dim(bnre_task_nuisance(task)) +
                       4 * bnre_task_x_size(task) + 1;

    return (bnre_study_dataset){
        .name = data->name,
        .task = bnre_task_name(task),
        .split = data->split,
        .rows = data->rows,
        .bytes = (double)row * (double)data->rows,
    };
}
