/* axes.c - the sweep of a study: which keys vary, and over what. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "study/study.h"

/* Keys of an axis whose values set several keys at once. */
#define TOGETHER "together"

const char *bnre__short_hash(const char *text, char out[BNRE__SHORT_HASH])
{
    snprintf(out, BNRE__SHORT_HASH, "%08" PRIx32,
             (uint32_t)(bnre__hash_bytes(text, strlen(text)) >> 32));
    return out;
}

/* Of these each study has one. */
static const struct {
    const char *key, *reason;
} single[] = {
    {"sweep", "its axes are keys of the study"},
    {"models", "a study compares them with each other"},
    {"seed", "repeats vary the seed of each cell"},
    {"repeats", "it counts the runs of every cell"},
    {"title", "it names the whole study"},
    {"observation", "a study has one"},
    {"truth", "a study has one observation"},
    {"each", "its posteriors are to be compared"},
    {"odds", "a study has one observation"},
    {"prior", "a study has one; `bnre posterior` takes others"},
    {"also", "a study has one observation"},
    {"show", "its pictures are to be compared"},
    {"workers", "it does not change results"},
};

/* The key that an axis is about: "task" of "task.options.dim". */
static bnre_status find_key(const bnre_node *node, bnre__key *out)
{
    bnre_status status = BNRE_OK;
    const char *dot = strchr(node->key, '.');
    char *head = NULL;

    BNRE_TRY(bnre__text_format(
        &head, "%.*s",
        (int)(dot != NULL ? (size_t)(dot - node->key) : strlen(node->key)),
        node->key));
    if (!bnre__key_find(head, out)) {
        status = bnre__key_fail(node, "axis");
        goto done;
    }
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (strcmp(single[i].key, out->name) == 0) {
            status = bnre_node_fail(node, "%s cannot be an axis: %s", out->name,
                                    single[i].reason);
            goto done;
        }
    if (dot != NULL && out->row != NULL)
        status = bnre_node_fail(node, "%s has no keys of its own", out->name);
done:
    bnre__free(head);
    return status;
}

/* A value of `task` or `network` in a few letters: its name or file, or what it
   is made of. */
static bnre_status label_named(const bnre_node *value, bnre__assignment *set)
{
    const bnre_node *name = bnre_node_find(value, "name");
    const char *base;

    if (name == NULL)
        name = bnre_node_find(value, "preset");
    if (value->kind == BNRE_NODE_TEXT)
        name = value;
    set->derived = name == NULL || name->kind != BNRE_NODE_TEXT;
    if (set->derived)
        return bnre__label_tree(value, &set->label);
    base = strrchr(name->text, '/');
    base = base != NULL ? base + 1 : name->text;
    return bnre__text_format(&set->label, "%.*s", (int)strcspn(base, "."),
                             base);
}

/* Numbers keep their point; of names a word before it is enough. */
static bnre_status label_nested(const bnre_node *value, bnre__assignment *set)
{
    if (value->kind == BNRE_NODE_TEXT)
        return bnre__strdup(value->text, &set->label);
    return label_named(value, set);
}

/* What may be part of a directory's name in any shell without quotes. */
static void make_safe(char *label)
{
    for (; *label != 0; label++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789._+-",
                   *label) == NULL)
            *label = '-';
}

static bnre_status find_place(bnre_study *study, const char *path, size_t *out)
{
    bnre_status status = BNRE_OK;

    for (*out = 0; *out < study->keys; ++*out)
        if (strcmp(study->key[*out], path) == 0)
            return BNRE_OK;
    BNRE_GROW(study->key, study->key_room, study->keys + 1);
    BNRE_TRY(bnre__strdup(path, &study->key[study->keys]));
    study->keys++;
done:
    return status;
}

/* Add `value` for the key that `node` names to a choice. */
static bnre_status assign(bnre_study *study, bnre__choice *choice,
                          const bnre_node *node, const bnre_node *value)
{
    bnre_status status = BNRE_OK;
    bnre__assignment *set;
    const char *dot = strchr(node->key, '.');
    bnre__key key;

    BNRE_TRY(find_key(node, &key));
    BNRE_GROW(choice->set, choice->room, choice->n + 1);
    set = &choice->set[choice->n++];
    BNRE_TRY(bnre__text_format(&set->path, "%s%s", key.name,
                               dot != NULL ? dot : ""));
    BNRE_TRY(find_place(study, set->path, &set->key));
    for (size_t i = 0; i + 1 < choice->n; i++)
        if (choice->set[i].key == set->key) {
            status = bnre_node_fail(node, "%s is given twice", set->path);
            goto done;
        }
    if (key.row != NULL)
        BNRE_TRY(bnre__key_text(&key, value, &set->label));
    else if (dot != NULL)
        BNRE_TRY(label_nested(value, set));
    else
        BNRE_TRY(label_named(value, set));
    make_safe(set->label);
    set->value = value;
    if (key.row == NULL && dot == NULL)
        BNRE_TRY(bnre__tree_load(study, value, key.name, &set->value));
done:
    return status;
}

/* Two values of an axis that would have the same name are the same value, or
   are told apart by their hash. */
static bnre_status distinguish(bnre__axis *axis)
{
    bnre__choice *last = &axis->choice[axis->n - 1];
    bnre_status status = BNRE_OK;
    char *ours = NULL, *theirs = NULL;

    for (size_t i = 0; i + 1 < axis->n; i++) {
        bnre__choice *other = &axis->choice[i];
        char hash[BNRE__SHORT_HASH], *longer = NULL;
        bnre__assignment *set = &last->set[0];

        if (other->n != last->n)
            continue;
        for (size_t k = 0; k < last->n; k++)
            if (strcmp(other->set[k].path, last->set[k].path) != 0 ||
                strcmp(other->set[k].label, last->set[k].label) != 0)
                goto differ;
        BNRE_TRY(bnre_node_write(set->value, &ours));
        BNRE_TRY(bnre_node_write(other->set[0].value, &theirs));
        if (set->value->kind == BNRE_NODE_TEXT || strcmp(ours, theirs) == 0) {
            status = bnre_node_fail(set->value, "%s has the value %s twice",
                                    axis->node->key, set->label);
            goto done;
        }
        BNRE_TRY(bnre__text_format(&longer, "%s-%s", set->label,
                                   bnre__short_hash(ours, hash)));
        bnre__free(set->label);
        set->label = longer;
        set->derived = other->set[0].derived = 1;
    differ:
        bnre_free(ours);
        bnre_free(theirs);
        ours = theirs = NULL;
    }
done:
    bnre_free(ours);
    bnre_free(theirs);
    return status;
}

/* The same keys may not be varied by two axes, nor twice in one value. */
static bnre_status check_apart(const bnre_study *study, const bnre__axis *axis)
{
    for (size_t a = 0; a < study->axes; a++) {
        const bnre__choice *other = &study->axis[a].choice[0];

        for (size_t i = 0; i < axis->choice[0].n; i++)
            for (size_t k = 0; k < other->n; k++)
                if (axis != &study->axis[a] &&
                    strcmp(axis->choice[0].set[i].path, other->set[k].path) ==
                        0)
                    return bnre_node_fail(axis->node,
                                          "%s is varied by two axes",
                                          other->set[k].path);
    }
    return BNRE_OK;
}

/* A value of the axis `together`: a map of keys, the same in all values. */
static bnre_status assign_together(bnre_study *study, bnre__axis *axis,
                                   bnre__choice *choice, const bnre_node *value)
{
    bnre_status status = BNRE_OK;

    if (value->kind != BNRE_NODE_MAP || value->count == 0)
        return bnre_node_fail(value, "a value of " TOGETHER
                                     " is a map such as {method: nre, weights: "
                                     "last}");
    for (size_t i = 0; i < value->count; i++)
        BNRE_TRY(assign(study, choice, value->child[i], value->child[i]));
    for (size_t i = 0; i < choice->n; i++)
        if (choice->n != axis->choice[0].n ||
            strcmp(choice->set[i].path, axis->choice[0].set[i].path) != 0) {
            status =
                bnre_node_fail(value, "all values of " TOGETHER
                                      " must set the same keys in the same "
                                      "order");
            goto done;
        }
done:
    return status;
}

static bnre_status read_axis(bnre_study *study, const bnre_node *node)
{
    bnre_status status = BNRE_OK;
    bnre__axis *axis;
    bnre__key key;

    if (strcmp(node->key, TOGETHER) != 0)
        BNRE_TRY(find_key(node, &key));
    if (node->kind == BNRE_NODE_LIST && node->count == 0)
        return bnre_node_fail(node,
                              "the axis %s is empty: give it values or leave "
                              "it out",
                              node->key);
    if (node->kind != BNRE_NODE_LIST)
        return bnre_node_fail(node, "an axis is a list of values: %s: [a, b]",
                              node->key);
    BNRE_GROW(study->axis, study->axis_room, study->axes + 1);
    axis = &study->axis[study->axes++];
    axis->node = node;
    for (size_t i = 0; i < node->count; i++) {
        BNRE_GROW(axis->choice, axis->room, axis->n + 1);
        axis->n++;
        if (strcmp(node->key, TOGETHER) == 0)
            BNRE_TRY(
                assign_together(study, axis, &axis->choice[i], node->child[i]));
        else
            BNRE_TRY(assign(study, &axis->choice[i], node, node->child[i]));
        BNRE_TRY(distinguish(axis));
    }
    BNRE_TRY(bnre__labels_show(axis));
    BNRE_TRY(check_apart(study, axis));
done:
    return status;
}

bnre_status bnre__axes_read(bnre_study *study, const bnre_node *sweep)
{
    if (sweep == NULL)
        return BNRE_OK;
    if (sweep->kind != BNRE_NODE_MAP)
        return bnre_node_fail(sweep, "sweep is a map of axes: {method: [nre, "
                                     "bnre]}");
    for (size_t i = 0; i < sweep->count; i++)
        BNRE_DO(read_axis(study, sweep->child[i]));
    return BNRE_OK;
}

void bnre__axes_clear(bnre_study *study)
{
    for (size_t a = 0; a < study->axes; a++) {
        bnre__axis *axis = &study->axis[a];

        for (size_t i = 0; i < axis->n; i++) {
            for (size_t k = 0; k < axis->choice[i].n; k++) {
                bnre__free(axis->choice[i].set[k].path);
                bnre__free(axis->choice[i].set[k].label);
                bnre__free(axis->choice[i].set[k].shown);
            }
            bnre__free(axis->choice[i].set);
        }
        bnre__free(axis->choice);
    }
    bnre__free(study->axis);
    for (size_t i = 0; i < study->keys; i++)
        bnre__free(study->key[i]);
    bnre__free(study->key);
}
