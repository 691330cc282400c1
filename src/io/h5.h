/* h5.h - HDF5 files: arrays of numbers, and attributes that describe them.

   Objects are named by their path in the file: "theta", "failures/row", "/".
   Kinds and items of arrays are those of array.h; there are no booleans.
   All functions may be called from any thread; one file or array is for one
   thread at a time. */
#ifndef BNRE_IO_H5_H
#define BNRE_IO_H5_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"
#include "io/array.h"

enum { BNRE__H5_MAX_NDIM = BNRE__MAX_DIMENSIONS };

/* Writing. Equal calls give equal bytes. HDF5 lays the file out in memory and
   never touches the disk: it does not survive a write that fails. What reaches
   the disk goes through file.h, so the file appears whole or not at all. */
typedef struct bnre__h5_writer bnre__h5_writer;

/* At least as many groups, arrays and attributes as will be added, and as many
   bytes as their names and texts will have. */
BNRE_MUST_CHECK bnre_status bnre__h5_writer_create(const char *path,
                                                   size_t objects, size_t text,
                                                   bnre__h5_writer **out);

BNRE_MUST_CHECK bnre_status bnre__h5_writer_group(bnre__h5_writer *writer,
                                                  const char *name);

/* Room for an array, zeros until written; *id (from 0 on) stands for it.
   Without dimensions it has one element. */
BNRE_MUST_CHECK bnre_status bnre__h5_writer_array(bnre__h5_writer *writer,
                                                  const char *name, char kind,
                                                  size_t item, size_t ndim,
                                                  const size_t *shape,
                                                  size_t *id);

/* Rows first..first+n-1 (of the first dimension) as little-endian values. */
BNRE_MUST_CHECK bnre_status bnre__h5_writer_rows(bnre__h5_writer *writer,
                                                 size_t id, size_t first,
                                                 size_t n, const void *data);

/* Attributes: a text, n texts, an integer. Those of more than 60000 bytes (n
   times the longest) have to come before the first array. EINVAL otherwise, or
   when there is more than was announced. */
BNRE_MUST_CHECK bnre_status bnre__h5_writer_text(bnre__h5_writer *writer,
                                                 const char *object,
                                                 const char *name,
                                                 const char *text);
BNRE_MUST_CHECK bnre_status bnre__h5_writer_texts(bnre__h5_writer *writer,
                                                  const char *object,
                                                  const char *name, size_t n,
                                                  const char *const *text);
BNRE_MUST_CHECK bnre_status bnre__h5_writer_int(bnre__h5_writer *writer,
                                                const char *object,
                                                const char *name,
                                                int64_t value);

/* As bnre__file_commit and bnre__file_discard. */
BNRE_MUST_CHECK bnre_status bnre__h5_writer_commit(bnre__h5_writer *writer);
void bnre__h5_writer_discard(bnre__h5_writer *writer); /* NULL is fine */

/* Reading. Errors: EIO; EFORMAT when the file is cut short, no HDF5 file, or
   holds something else than was asked for; ENOMEM. */
typedef struct bnre__h5 bnre__h5;
typedef struct bnre__h5_array bnre__h5_array;

typedef bnre__array_info bnre__h5_info;

BNRE_MUST_CHECK bnre_status bnre__h5_open(const char *path, bnre__h5 **out);
/* The same of the bytes of a file, copied; `name` stands for it. */
BNRE_MUST_CHECK bnre_status bnre__h5_open_bytes(const char *name,
                                                const void *bytes, size_t n,
                                                bnre__h5 **out);
void bnre__h5_close(bnre__h5 *h5); /* NULL is fine; close its arrays before */

/* The array called `name`; a missing one gives BNRE_OK and *out = NULL. Shapes
   are checked against the file's size; data kept in other files, types that
   are no numbers and chunks too large to be honest are refused. */
BNRE_MUST_CHECK bnre_status bnre__h5_array_open(bnre__h5 *h5, const char *name,
                                                bnre__h5_array **out);
void bnre__h5_array_close(bnre__h5_array *array);
const bnre__h5_info *bnre__h5_array_describe(const bnre__h5_array *array);

/* Rows first..first+n-1 converted to the type of `out`, contiguous or chunked,
   compressed or not. 'S' is given with the array's own item size only. */
BNRE_MUST_CHECK bnre_status bnre__h5_array_read(bnre__h5_array *array,
                                                char kind, size_t item,
                                                size_t first, size_t n,
                                                void *out);

/* Attributes; a missing one gives BNRE_OK and *out = NULL (or *n = 0, or
   *found = 0). The caller frees the text, or the list with
   bnre__texts_free(). */
BNRE_MUST_CHECK bnre_status bnre__h5_text(bnre__h5 *h5, const char *object,
                                          const char *name, char **out);
BNRE_MUST_CHECK bnre_status bnre__h5_texts(bnre__h5 *h5, const char *object,
                                           const char *name, size_t *n,
                                           char ***out);
BNRE_MUST_CHECK bnre_status bnre__h5_int(bnre__h5 *h5, const char *object,
                                         const char *name, int *found,
                                         int64_t *out);

#endif
