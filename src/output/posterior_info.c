/* posterior_info.c - what is in a file that bnre_posterior_save() wrote. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/posterior_files.h"
#include "bnre/settings.h"
#include "io/store/store.h"
#include "output/posterior_files.h"

int bnre__posterior_recognise(const char *path)
{
    bnre__store *store = NULL;
    char *kind = NULL;
    int found = 0;

    if (bnre__store_open(path, "theta", &store) == BNRE_OK &&
        bnre__store_text(store, "bnre_format", &kind) == BNRE_OK &&
        kind != NULL)
        found = strcmp(kind, "posterior") == 0;
    bnre__free(kind);
    bnre__store_close(store);
    return found;
}

static bnre_status add_draws(bnre__store *store, const char *path,
                             bnre_node *map)
{
    bnre_status status = BNRE_OK;
    bnre__array *array = NULL;
    bnre_node *list = NULL;
    char **name = NULL, number[32];
    size_t n = 0;

    BNRE_TRY(bnre__store_find(store, "theta", &array));
    if (array == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s has no array called theta", path);
    snprintf(number, sizeof number, "%zu", bnre__array_describe(array)->rows);
    BNRE_TRY(bnre_node_set(map, "samples", number));
    BNRE_TRY(bnre__array_names(array, &n, &name));
    BNRE_TRY(bnre_node_branch(map, "parameters", BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre_node_set(list, NULL, name[i]));
done:
    bnre__texts_free(n, name);
    return status;
}

static bnre_status add_grid(bnre__store *store, bnre_node *map)
{
    bnre_status status = BNRE_OK;
    bnre__array *array = NULL;
    const bnre__array_info *info;
    bnre__text text = {0};

    BNRE_TRY(bnre__store_find(store, "density", &array));
    if (array == NULL)
        goto done;
    info = bnre__array_describe(array);
    for (size_t i = 0; i < info->ndim; i++)
        bnre__text_put(&text, i > 0 ? " x %zu" : "%zu", info->shape[i]);
    BNRE_TRY(bnre__text_check(&text));
    BNRE_TRY(bnre_node_set(map, "grid", text.data != NULL ? text.data : "1"));
done:
    bnre__free(text.data);
    return status;
}

static bnre_status add_origin(bnre__store *store, const char *path,
                              bnre_node *map)
{
    bnre_status status = BNRE_OK;
    char *version = NULL, *made = NULL;
    bnre_node *child = NULL;

    BNRE_TRY(bnre__store_text(store, "version", &version));
    BNRE_TRY(bnre__store_text(store, "made", &made));
    if (version != NULL)
        BNRE_TRY(bnre_node_set(map, "version", version));
    if (made != NULL) {
        BNRE_TRY(bnre_yaml_parse(made, path, &child));
        status = bnre_node_add(map, "made", child);
    }
done:
    bnre__free(made);
    bnre__free(version);
    return status;
}

bnre_status bnre__posterior_describe(const char *path, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    bnre_node *map = NULL;

    *out = NULL;
    BNRE_TRY(bnre__store_open(path, "theta", &store));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    BNRE_TRY(add_draws(store, path, map));
    BNRE_TRY(add_grid(store, map));
    BNRE_TRY(add_origin(store, path, map));
    *out = map;
    map = NULL;
done:
    bnre_node_destroy(map);
    bnre__store_close(store);
    return status;
}
