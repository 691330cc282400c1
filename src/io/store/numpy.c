/* numpy.c - arrays of NumPy as stores: .npz archives, and .npy files of one
   array or two. The member `bnre` of an archive is a text, YAML, that tells
   what arrays cannot. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "io/npy.h"
#include "io/store/kind.h"

static void keep(bnre__array *array, bnre__npy *npy)
{
    array->self = npy;
    if (npy != NULL)
        array->info = *bnre__npy_describe(npy);
}

static void let_go(void *self)
{
    bnre__npy_close(self);
}

static bnre_status read_array(bnre__array *array, char kind, size_t item,
                              size_t first, size_t n, void *out)
{
    return bnre__npy_read(array->self, kind, item, first, n, out);
}

/* ---- files of one array, or pairs ---- */

static bnre_status open_npy(bnre__store *store)
{
    size_t second;

    if (bnre__is_pair(store->path, &second) || store->sole != NULL)
        return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT,
                     "%s is one array: a dataset is theta and x, written "
                     "\"theta.npy,x.npy\"",
                     store->path);
}

static bnre_status find_in_pair(bnre__store *store, bnre__array *array)
{
    bnre_status status = BNRE_OK;
    bnre__npy *npy = NULL;
    char *path = NULL;
    size_t second;

    if (!bnre__is_pair(store->path, &second)) {
        if (strcmp(array->name, store->sole) == 0)
            BNRE_TRY(bnre__npy_open(store->path, &npy));
    } else if (strcmp(array->name, "theta") == 0) {
        BNRE_TRY(
            bnre__text_format(&path, "%.*s", (int)second - 1, store->path));
        BNRE_TRY(bnre__npy_open(path, &npy));
    } else if (strcmp(array->name, "x") == 0) {
        BNRE_TRY(bnre__npy_open(store->path + second, &npy));
    }
    keep(array, npy);
done:
    bnre__free(path);
    return status;
}

static void close_npy(void *self)
{
    (void)self; /* there is none */
}

const bnre__store_kind bnre__store_npy = {.format = "npy",
                                          .open = open_npy,
                                          .find = find_in_pair,
                                          .read = read_array,
                                          .let_go = let_go,
                                          .close = close_npy};

/* ---- archives ---- */

/* The record, if there is one, becomes the archive's self. */
static bnre_status open_npz(bnre__store *store)
{
    bnre_status status = BNRE_OK;
    bnre__npy *npy = NULL;
    bnre_node *record = NULL;
    char *text = NULL;

    BNRE_TRY(bnre__npz_open(store->path, "bnre", &npy));
    if (npy == NULL)
        goto done;
    if (bnre__npy_describe(npy)->kind != 'S')
        BNRE_THROW(BNRE_EFORMAT, "%s: the member bnre is no text", store->path);
    BNRE_TRY(bnre__npy_read_text(npy, &text));
    status = bnre_yaml_parse(text, store->path, &record);
    if (status == BNRE_EUSAGE)
        status = bnre_fail(BNRE_EFORMAT, "%s", bnre_error_message());
    store->self = record;
done:
    bnre__free(text);
    bnre__npy_close(npy);
    return status;
}

static void close_npz(void *self)
{
    bnre_node_destroy(self);
}

static bnre_status find_member(bnre__store *store, bnre__array *array)
{
    bnre__npy *npy = NULL;
    bnre_status status = bnre__npz_open(store->path, array->name, &npy);

    keep(array, npy);
    return status;
}

static bnre_status read_names(bnre__array *array, size_t *n, char ***out)
{
    bnre_status status = BNRE_OK;
    const bnre_node *list = bnre_node_find(array->store->self, array->name);
    char **name = NULL;
    size_t count = 0;

    if (list == NULL || list->kind != BNRE_NODE_LIST || list->count == 0)
        return BNRE_OK;
    BNRE_NEW(name, list->count);
    for (; count < list->count; count++) {
        const char *text = list->child[count]->text;

        BNRE_TRY(bnre__strdup(text == NULL ? "" : text, &name[count]));
    }
    *n = count;
    *out = name;
    name = NULL;
done:
    bnre__texts_free(count, name);
    return status;
}

static bnre_status read_text(bnre__store *store, const char *name, char **out)
{
    const bnre_node *node = bnre_node_find(store->self, name);

    if (node == NULL || node->kind != BNRE_NODE_TEXT)
        return BNRE_OK;
    return bnre__strdup(node->text, out);
}

static bnre_status read_number(bnre__store *store, const char *name, int *found,
                               int64_t *out)
{
    bnre_status status = BNRE_OK;
    char *text = NULL, *end;

    BNRE_TRY(read_text(store, name, &text));
    if (text == NULL)
        goto done;
    *out = strtoll(text, &end, 10);
    if (end == text || *end != 0)
        BNRE_THROW(BNRE_EFORMAT, "%s: %s is \"%s\", not a number", store->path,
                   name, text);
    *found = 1;
done:
    bnre__free(text);
    return status;
}

const bnre__store_kind bnre__store_npz = {.format = "npz",
                                          .open = open_npz,
                                          .find = find_member,
                                          .read = read_array,
                                          .names = read_names,
                                          .text = read_text,
                                          .number = read_number,
                                          .let_go = let_go,
                                          .close = close_npz};
