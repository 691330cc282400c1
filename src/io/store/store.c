/* store.c - finding a file's format, and its arrays by name. */
#include "io/store/store.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "io/store/kind.h"

int bnre__is_pair(const char *path, size_t *second)
{
    for (const char *comma = strchr(path, ','); comma != NULL;
         comma = strchr(comma + 1, ',')) {
        size_t n = (size_t)(comma - path);

        if (n > 4 && strncasecmp(comma - 4, ".npy", 4) == 0 &&
            bnre__ends_with(comma + 1, ".npy")) {
            *second = n + 1;
            return 1;
        }
    }
    return 0;
}

static const bnre__store_kind *kind_of_name(const char *path)
{
    if (bnre__ends_with(path, ".h5") || bnre__ends_with(path, ".hdf5"))
        return &bnre__store_h5;
    if (bnre__ends_with(path, ".npz"))
        return &bnre__store_npz;
    return bnre__ends_with(path, ".npy") ? &bnre__store_npy : &bnre__store_csv;
}

static bnre_status find_kind(const char *path, const bnre__store_kind **out)
{
    static const struct {
        const char *start;
        const bnre__store_kind *kind;
    } known[] = {{"\x89HDF\r\n\x1a\n", &bnre__store_h5},
                 {"\x93NUMPY", &bnre__store_npy},
                 {"PK", &bnre__store_npz}};
    bnre_status status = BNRE_OK;
    char start[9] = {0};
    uint64_t size;
    size_t second;
    int fd = -1;

    *out = &bnre__store_npy;
    if (bnre__is_pair(path, &second))
        return BNRE_OK;
    BNRE_TRY(bnre__file_open(path, &fd, &size));
    BNRE_TRY(
        bnre__file_read_at(fd, path, 0, start, size < 8 ? (size_t)size : 8));
    *out = kind_of_name(path);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(start, known[i].start, strlen(known[i].start)) == 0)
            *out = known[i].kind;
done:
    if (fd >= 0)
        close(fd);
    return status;
}

bnre_status bnre__store_format(const char *path, const char **format)
{
    const bnre__store_kind *kind;
    bnre_status status = find_kind(path, &kind);

    *format = status == BNRE_OK ? kind->format : NULL;
    return status;
}

bnre_status bnre__store_open(const char *path, const char *sole,
                             bnre__store **out)
{
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;

    *out = NULL;
    BNRE_NEW(store, 1);
    BNRE_TRY(bnre__strdup(path, &store->path));
    if (sole != NULL)
        BNRE_TRY(bnre__strdup(sole, &store->sole));
    BNRE_TRY(find_kind(path, &store->kind));
    BNRE_TRY(store->kind->open(store));
    *out = store;
    store = NULL;
done:
    bnre__store_close(store);
    return status;
}

static void destroy_array(bnre__array *array)
{
    if (array == NULL)
        return;
    array->store->kind->let_go(array->self);
    bnre__free(array->name);
    bnre__free(array);
}

void bnre__store_close(bnre__store *store)
{
    if (store == NULL)
        return;
    for (bnre__array *array = store->first, *next; array != NULL;
         array = next) {
        next = array->next;
        destroy_array(array);
    }
    if (store->kind != NULL)
        store->kind->close(store->self);
    bnre__free(store->sole);
    bnre__free(store->path);
    bnre__free(store);
}

bnre_status bnre__store_find(bnre__store *store, const char *name,
                             bnre__array **out)
{
    bnre_status status = BNRE_OK;
    bnre__array *array = NULL;

    *out = NULL;
    BNRE_NEW(array, 1);
    array->store = store;
    BNRE_TRY(bnre__strdup(name, &array->name));
    BNRE_TRY(store->kind->find(store, array));
    if (array->self == NULL)
        goto done;
    array->next = store->first;
    store->first = array;
    *out = array;
    array = NULL;
done:
    destroy_array(array);
    return status;
}

const bnre__array_info *bnre__array_describe(const bnre__array *array)
{
    return &array->info;
}

bnre_status bnre__array_read(bnre__array *array, char kind, size_t item,
                             size_t first, size_t n, void *out)
{
    return array->store->kind->read(array, kind, item, first, n, out);
}

bnre_status bnre__array_names(bnre__array *array, size_t *n, char ***out)
{
    *n = 0;
    *out = NULL;
    return array->store->kind->names == NULL
               ? BNRE_OK
               : array->store->kind->names(array, n, out);
}

bnre_status bnre__store_text(bnre__store *store, const char *name, char **out)
{
    *out = NULL;
    return store->kind->text == NULL ? BNRE_OK
                                     : store->kind->text(store, name, out);
}

bnre_status bnre__store_int(bnre__store *store, const char *name, int *found,
                            int64_t *out)
{
    *found = 0;
    return store->kind->number == NULL
               ? BNRE_OK
               : store->kind->number(store, name, found, out);
}

const char *bnre__store_stranger(const bnre__store *store, size_t n,
                                 const char *const *name)
{
    return store->kind->stranger == NULL
               ? NULL
               : store->kind->stranger(store, n, name);
}
