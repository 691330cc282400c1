/* stamp.c - run.yaml: of what the files of a run were made, and their hashes,
   so that finished work is known and damage is found. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "io/file.h"
#include "study/job.h"

#define STAMP "run.yaml"
#define INPUTS "inputs"

bnre_status bnre__stamp_read(const char *dir, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    *out = NULL;
    BNRE_TRY(bnre__text_format(&path, "%s/" STAMP, dir));
    if (bnre__file_exists(path))
        status = bnre_yaml_read(path, out);
    /* One that cannot be read is as good as none. */
    if (status == BNRE_ENOMEM)
        goto done;
    status = BNRE_OK;
    if (*out != NULL && (*out)->kind != BNRE_NODE_MAP) {
        bnre_node_destroy(*out);
        *out = NULL;
    }
    if (*out == NULL)
        BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__stamp_write(const char *dir, const bnre_node *stamp)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *text = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/" STAMP, dir));
    BNRE_TRY(bnre_node_write(stamp, &text));
    status = bnre__file_put(path, text, strlen(text));
done:
    bnre_free(text);
    bnre__free(path);
    return status;
}

/* Whether a file is what it was when it was made. */
static bnre_status check_file(const char *dir, const bnre_node *node, int *same)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, hash[33];

    *same = 0;
    if (node->kind != BNRE_NODE_TEXT || strstr(node->key, "..") != NULL)
        return BNRE_OK;
    BNRE_TRY(bnre__text_format(&path, "%s/%s", dir, node->key));
    status = bnre__file_hash(path, hash);
    if (status == BNRE_OK)
        *same = strcmp(hash, node->text) == 0;
    else if (status == BNRE_EIO || status == BNRE_EFORMAT)
        status = BNRE_OK; /* missing: so it has to be made */
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__stamp_check(const bnre_node *stamp, const char *dir,
                              const char *stage, const char inputs[33],
                              bnre__stamp_state *out)
{
    const bnre_node *map = bnre_node_find(stamp, stage);
    const bnre_node *made = bnre_node_find(map, INPUTS);
    int same;

    *out = BNRE__STAMP_NONE;
    if (made == NULL || made->kind != BNRE_NODE_TEXT)
        return BNRE_OK;
    *out = BNRE__STAMP_OTHER;
    if (strcmp(made->text, inputs) != 0)
        return BNRE_OK;
    *out = BNRE__STAMP_GOOD;
    for (size_t i = 0; i < map->count; i++) {
        if (map->child[i] == made)
            continue;
        BNRE_DO(check_file(dir, map->child[i], &same));
        if (!same)
            *out = BNRE__STAMP_DAMAGED;
    }
    return BNRE_OK;
}

bnre_status bnre__stamp_renew(const bnre__job *job, size_t run, uint64_t seed,
                              size_t stage, bnre_node **stamp)
{
    const bnre__cell *cell = bnre__run_cell(job, run);
    bnre_status status = BNRE_OK;
    bnre_node *fresh = NULL, *copy = NULL;
    char text[32];

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &fresh));
    BNRE_TRY(bnre_node_set(fresh, "cell", cell->name));
    snprintf(text, sizeof text, "%zu", bnre__run_repeat(job, run));
    BNRE_TRY(bnre_node_set(fresh, "repeat", text));
    snprintf(text, sizeof text, "%" PRIu64, seed);
    BNRE_TRY(bnre_node_set(fresh, "seed", text));
    BNRE_TRY(bnre_node_copy(cell->settings, &copy));
    BNRE_TRY(bnre_node_add(fresh, "settings", copy));
    for (size_t i = 0; i < stage; i++) {
        const bnre_node *old = bnre_node_find(*stamp, bnre__stage_name(i));

        if (old == NULL)
            continue;
        BNRE_TRY(bnre_node_copy(old, &copy));
        BNRE_TRY(bnre_node_add(fresh, old->key, copy));
    }
    /* Copies borrow the name of the old stamp's file, and never use it. */
    bnre_node_destroy(*stamp);
    *stamp = fresh;
    fresh = NULL;
done:
    bnre_node_destroy(fresh);
    return status;
}

bnre_status bnre__stamp_put(bnre_node *stamp, const char *dir,
                            const char *stage, const char inputs[33],
                            const char *const *file)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    char *path = NULL, hash[33];

    bnre_node_remove(stamp, stage);
    BNRE_TRY(bnre_node_branch(stamp, stage, BNRE_NODE_MAP, &map));
    BNRE_TRY(bnre_node_set(map, INPUTS, inputs));
    for (; *file != NULL; file++) {
        BNRE_TRY(bnre__text_format(&path, "%s/%s", dir, *file));
        BNRE_TRY(bnre__file_hash(path, hash));
        BNRE_TRY(bnre_node_set(map, *file, hash));
        bnre__free(path);
        path = NULL;
    }
done:
    bnre__free(path);
    return status;
}
