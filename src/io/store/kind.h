/* kind.h - a format of files of named arrays; for io/store only. */
#ifndef BNRE_IO_STORE_KIND_H
#define BNRE_IO_STORE_KIND_H

#include "io/store/store.h"

/* What store.h promises, by format. Functions are NULL where a format has no
   such thing. */
typedef struct bnre__store_kind {
    const char *format;
    /* Set store->self. */
    bnre_status (*open)(bnre__store *store);
    /* Set array->self and array->info; self stays NULL if there is none. */
    bnre_status (*find)(bnre__store *store, bnre__array *array);
    bnre_status (*read)(bnre__array *array, char kind, size_t item,
                        size_t first, size_t n, void *out);
    bnre_status (*names)(bnre__array *array, size_t *n, char ***out);
    bnre_status (*text)(bnre__store *store, const char *name, char **out);
    bnre_status (*number)(bnre__store *store, const char *name, int *found,
                          int64_t *out);
    const char *(*stranger)(const bnre__store *store, size_t n,
                            const char *const *name);
    void (*let_go)(void *array_self); /* NULL is fine, here and below */
    void (*close)(void *self);
} bnre__store_kind;

struct bnre__store {
    const bnre__store_kind *kind;
    char *path, *sole; /* sole may be NULL */
    void *self;
    bnre__array *first;
};

struct bnre__array {
    bnre__store *store;
    bnre__array *next; /* of the same store */
    char *name;
    bnre__array_info info;
    void *self;
};

extern const bnre__store_kind bnre__store_h5, bnre__store_npz, bnre__store_npy,
    bnre__store_csv;

#endif
