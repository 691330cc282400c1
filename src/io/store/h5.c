/* h5.c - HDF5 files as stores: arrays are datasets, names an attribute. */
#include "io/h5.h"
#include "io/store/kind.h"

static bnre_status open_h5(bnre__store *store)
{
    bnre__h5 *h5 = NULL;
    bnre_status status = bnre__h5_open(store->path, &h5);

    store->self = h5;
    return status;
}

static void close_h5(void *self)
{
    bnre__h5_close(self);
}

static bnre_status find_array(bnre__store *store, bnre__array *array)
{
    bnre__h5_array *found = NULL;
    bnre_status status = bnre__h5_array_open(store->self, array->name, &found);

    array->self = found;
    if (found != NULL)
        array->info = *bnre__h5_array_describe(found);
    return status;
}

static void let_go(void *self)
{
    bnre__h5_array_close(self);
}

static bnre_status read_array(bnre__array *array, char kind, size_t item,
                              size_t first, size_t n, void *out)
{
    return bnre__h5_array_read(array->self, kind, item, first, n, out);
}

static bnre_status read_names(bnre__array *array, size_t *n, char ***out)
{
    return bnre__h5_texts(array->store->self, array->name, "names", n, out);
}

static bnre_status read_text(bnre__store *store, const char *name, char **out)
{
    return bnre__h5_text(store->self, "/", name, out);
}

static bnre_status read_number(bnre__store *store, const char *name, int *found,
                               int64_t *out)
{
    return bnre__h5_int(store->self, "/", name, found, out);
}

const bnre__store_kind bnre__store_h5 = {
    .format = "HDF5",
    .open = open_h5,
    .find = find_array,
    .read = read_array,
    .names = read_names,
    .text = read_text,
    .number = read_number,
    .let_go = let_go,
    .close = close_h5,
};
