/* store.h - files of named arrays: HDF5, .npz, .npy and CSV behind one face.

   A store is opened by its path, arrays are found by name and read by rows, and
   texts say what else is known. What a format does not have is simply not
   there. Every claim of a file is compared with its size before anything is
   allocated. A store and its arrays are for one thread at a time. */
#ifndef BNRE_IO_STORE_STORE_H
#define BNRE_IO_STORE_STORE_H

#include "bnre/status.h"
#include "io/array.h"

typedef struct bnre__store bnre__store;
typedef struct bnre__array bnre__array;

/* The format of a file by its first bytes, and by its name where these say
   nothing: "HDF5", "npz", "npy" (also the pair "theta.npy,x.npy") or "CSV".
   Errors: EIO. */
BNRE_MUST_CHECK bnre_status bnre__store_format(const char *path,
                                               const char **format);

/* `sole` is what an array is called that has no name in its file: that of a
   single .npy file, and the columns of a CSV file without a header or with
   names that belong to no array. NULL: such files are refused, except that
   columns may have any name (see bnre__store_stranger()).
   Errors: EIO; EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__store_open(const char *path, const char *sole,
                                             bnre__store **out);
void bnre__store_close(bnre__store *store); /* with its arrays; NULL is fine */

/* The array called `name`, which lives as long as the store; a missing one
   gives BNRE_OK and *out = NULL. In CSV files the columns NAME.COLUMN are an
   array (rows, columns), and a column NAME is one of shape (rows); columns x.0,
   x.1.7, ... of an array x are the shape that their indices span, in this
   order. Errors: EFORMAT for an array that cannot be; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__store_find(bnre__store *store,
                                             const char *name,
                                             bnre__array **out);
const bnre__array_info *bnre__array_describe(const bnre__array *array);

/* Rows first..first+n-1 as floats of 4 or 8 bytes, or as what they are. HDF5
   also converts to other numbers. Errors: EINVAL past the end; EFORMAT; EIO. */
BNRE_MUST_CHECK bnre_status bnre__array_read(bnre__array *array, char kind,
                                             size_t item, size_t first,
                                             size_t n, void *out);

/* The names of an array's columns, none (*n = 0) if the file has none; free
   them with bnre__texts_free(). Errors: EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__array_names(bnre__array *array, size_t *n,
                                              char ***out);

/* What a file tells of itself under a name: attributes of an HDF5 file, keys of
   the member `bnre` of an archive. A missing one gives *out = NULL, or *found =
   0. The caller frees the text. Errors: EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__store_text(bnre__store *store,
                                             const char *name, char **out);
BNRE_MUST_CHECK bnre_status bnre__store_int(bnre__store *store,
                                            const char *name, int *found,
                                            int64_t *out);

/* The first column of a CSV file that is in none of these n arrays; NULL if
   there is none. Other files may hold whatever they like. */
const char *bnre__store_stranger(const bnre__store *store, size_t n,
                                 const char *const *name);

/* Whether a path names a pair of .npy files; where its second part begins. */
int bnre__is_pair(const char *path, size_t *second);

#endif
