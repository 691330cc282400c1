/* tree.c - changing settings: values at paths, --set, files that are named. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "nn/net.h"
#include "study/study.h"
#include "task/task.h"

/* The map under `key`, made if there is none. A text becomes the map that it
   stands for: a task's name, a network's preset. */
static bnre_status enter(bnre_node *map, const char *key, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *found = (bnre_node *)bnre_node_find(map, key);
    char *text = NULL;

    if (found != NULL && found->kind == BNRE_NODE_TEXT) {
        BNRE_TRY(bnre__strdup(found->text, &text));
        bnre_node_remove(map, key);
        found = NULL;
    }
    if (found != NULL && found->kind != BNRE_NODE_MAP) {
        status = bnre_node_fail(found, "%s is a list: it has no keys", key);
        goto done;
    }
    if (found == NULL) {
        BNRE_TRY(bnre_node_branch(map, key, BNRE_NODE_MAP, &found));
        if (text != NULL)
            BNRE_TRY(bnre_node_set(
                found, strcmp(key, "network") == 0 ? "preset" : "name", text));
    }
    *out = found;
done:
    bnre__free(text);
    return status;
}

bnre_status bnre__tree_put(bnre_node *map, const char *path,
                           const bnre_node *value)
{
    bnre_status status = BNRE_OK;
    const char *dot = strchr(path, '.');
    bnre_node *copy = NULL;
    char *head = NULL;

    if (dot != NULL) {
        BNRE_TRY(bnre__text_format(&head, "%.*s", (int)(dot - path), path));
        BNRE_TRY(enter(map, head, &map));
        BNRE_TRY(bnre__tree_put(map, dot + 1, value));
        goto done;
    }
    BNRE_TRY(bnre_node_copy(value, &copy));
    bnre_node_remove(map, path);
    BNRE_TRY(bnre_node_add(map, path, copy));
done:
    bnre__free(head);
    return status;
}

/* The child of a map that is called `name`, '-' being '_'. */
static const bnre_node *find_alike(const bnre_node *map, const char *name)
{
    for (size_t i = 0; map != NULL && i < map->count; i++)
        if (map->child[i]->key != NULL &&
            strlen(map->child[i]->key) == strlen(name) &&
            bnre__text_distance(map->child[i]->key, name) == 0)
            return map->child[i];
    return NULL;
}

bnre_status bnre__tree_set(bnre_node *root, const char *text)
{
    bnre_status status = BNRE_OK;
    const char *equals = strchr(text, '=');
    bnre_node *value = NULL, *sweep;
    const bnre_node *old;
    char *path = NULL;

    if (equals == NULL || equals == text || equals[1] == 0)
        BNRE_THROW(BNRE_EUSAGE, "\"%s\" must be of the form key=value", text);
    BNRE_TRY(bnre__text_format(&path, "%.*s", (int)(equals - text), text));
    BNRE_TRY(bnre_yaml_parse(equals + 1, NULL, &value));
    old = find_alike(root, path);
    if (old != NULL && strcmp(old->key, path) != 0)
        bnre_node_remove(root, old->key);
    BNRE_TRY(bnre__tree_put(root, path, value));
    /* Not before: it may be what was just put. */
    sweep = (bnre_node *)bnre_node_find(root, "sweep");
    old = find_alike(sweep, path);
    if (old != NULL)
        bnre_node_remove(sweep, old->key);
done:
    bnre__free(path);
    bnre_node_destroy(value);
    return status == BNRE_EUSAGE ? bnre__fail_in(status, "`set: %s`", text)
                                 : status;
}

static int names_file(const bnre_node *value, const char *key)
{
    const char *dot =
        value->kind == BNRE_NODE_TEXT ? strrchr(value->text, '.') : NULL;

    if (value->kind == BNRE_NODE_TEXT && strcmp(key, "network") == 0)
        return bnre__net_names_file(value->text);
    return dot != NULL &&
           (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

bnre_status bnre__tree_load(bnre_study *study, const bnre_node *value,
                            const char *key, const bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL;
    char *path = NULL;

    *out = value;
    if (!names_file(value, key))
        return BNRE_OK;
    BNRE_TRY(bnre__task_path(value, &path));
    status = bnre_yaml_read(path, &root);
    if (status == BNRE_EIO)
        status = bnre_node_fail(value, "%s", bnre_error_message());
    BNRE_TRY(status);
    BNRE_GROW(study->file, study->file_room, study->files + 1);
    study->file[study->files++] = root;
    *out = bnre_node_find(root, key);
    if (*out == NULL)
        *out = root;
    root = NULL;
done:
    bnre_node_destroy(root);
    bnre__free(path);
    return status;
}
