/* posterior_info.c - what is in a file that bnre_posterior_save() wrote. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/posterior_files.h"
#include "bnre/settings.h"
#include "io/h5.h"

int bnre_posterior_recognise(const char *path)
{
    bnre__h5 *h5 = NULL;
    char *kind = NULL;
    int found = 0;

    if (bnre__h5_open(path, &h5) == BNRE_OK &&
        bnre__h5_text(h5, "/", "bnre_format", &kind) == BNRE_OK && kind != NULL)
        found = strcmp(kind, "posterior") == 0;
    bnre__free(kind);
    bnre__h5_close(h5);
    return found;
}

static bnre_status add_draws(bnre__h5 *h5, const char *path, bnre_node *map)
{
    bnre_status status = BNRE_OK;
    bnre__h5_array *array = NULL;
    bnre_node *list = NULL;
    char **name = NULL, number[32];
    size_t n = 0;

    BNRE_TRY(bnre__h5_array_open(h5, "theta", &array));
    if (array == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s has no array called theta", path);
    snprintf(number, sizeof number, "%zu",
             bnre__h5_array_describe(array)->rows);
    BNRE_TRY(bnre_node_set(map, "samples", number));
    BNRE_TRY(bnre__h5_texts(h5, "theta", "names", &n, &name));
    BNRE_TRY(bnre_node_branch(map, "parameters", BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre_node_set(list, NULL, name[i]));
done:
    bnre__texts_free(n, name);
    bnre__h5_array_close(array);
    return status;
}

static bnre_status add_grid(bnre__h5 *h5, bnre_node *map)
{
    bnre_status status = BNRE_OK;
    bnre__h5_array *array = NULL;
    const bnre__h5_info *info;
    bnre__text text = {0};

    BNRE_TRY(bnre__h5_array_open(h5, "density", &array));
    if (array == NULL)
        goto done;
    info = bnre__h5_array_describe(array);
    for (size_t i = 0; i < info->ndim; i++)
        bnre__text_put(&text, i > 0 ? " x %zu" : "%zu", info->shape[i]);
    BNRE_TRY(bnre__text_check(&text));
    BNRE_TRY(bnre_node_set(map, "grid", text.data != NULL ? text.data : "1"));
done:
    bnre__free(text.data);
    bnre__h5_array_close(array);
    return status;
}

static bnre_status add_origin(bnre__h5 *h5, const char *path, bnre_node *map)
{
    bnre_status status = BNRE_OK;
    char *version = NULL, *made = NULL;
    bnre_node *child = NULL;

    BNRE_TRY(bnre__h5_text(h5, "/", "version", &version));
    BNRE_TRY(bnre__h5_text(h5, "/", "made", &made));
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

bnre_status bnre_posterior_describe(const char *path, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre__h5 *h5 = NULL;
    bnre_node *map = NULL;

    *out = NULL;
    BNRE_TRY(bnre__h5_open(path, &h5));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    BNRE_TRY(add_draws(h5, path, map));
    BNRE_TRY(add_grid(h5, map));
    BNRE_TRY(add_origin(h5, path, map));
    *out = map;
    map = NULL;
done:
    bnre_node_destroy(map);
    bnre__h5_close(h5);
    return status;
}
