/* npy.h - NumPy's array files: .npy, and .npz archives of them. */
#ifndef BNRE_IO_NPY_H
#define BNRE_IO_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"
#include "io/array.h"
#include "io/file.h"

enum { BNRE__NPY_MAX_NDIM = BNRE__MAX_DIMENSIONS };

/* Element types: all integers, floats of 2, 4, 8 bytes and
   booleans, of either byte order, and S (bytes). */
typedef bnre__array_info bnre__npy_info;

typedef struct bnre__npy bnre__npy;

/* Open for reading rows, by one thread at a time. The header is checked against
   the file's size before anything is allocated. Arrays in Fortran order with
   two dimensions or more, objects, structures, complex numbers, and arrays with
   rows of no values are refused with a message, as are bytes after the array;
   shape (0, ...) is an array without rows. For 'S' the item may be of any size.
   Errors: EIO, EFORMAT, ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__npy_open(const char *path, bnre__npy **out);

/* A member ("theta", meaning theta.npy) of a .npz archive. A missing member
   gives BNRE_OK and *out = NULL. Deflated members are unpacked into memory and
   compared with their checksum here; stored ones are read in place, and
   compared when the last value has been read, if rows were read in order. */
BNRE_MUST_CHECK bnre_status bnre__npz_open(const char *path, const char *member,
                                           bnre__npy **out);
void bnre__npy_close(bnre__npy *npy);
const bnre__npy_info *bnre__npy_describe(const bnre__npy *npy);

/* Rows first..first+n-1 as they are, or converted to double or float. Errors:
   EFORMAT for other types than these. */
BNRE_MUST_CHECK bnre_status bnre__npy_read(bnre__npy *npy, char kind,
                                           size_t item, size_t first, size_t n,
                                           void *out);
BNRE_MUST_CHECK bnre_status bnre__npy_read_f64(bnre__npy *npy, size_t first,
                                               size_t n, double *out);
BNRE_MUST_CHECK bnre_status bnre__npy_read_f32(bnre__npy *npy, size_t first,
                                               size_t n, float *out);
/* All bytes of an 'S' array as text, without the zeros at its end (the caller
   frees it). */
BNRE_MUST_CHECK bnre_status bnre__npy_read_text(bnre__npy *npy, char **out);

/* Write an array's header; its rows follow as little-endian raw values. Any of
   the types above. Errors: EINVAL for other types or shapes; EIO. */
BNRE_MUST_CHECK bnre_status bnre__npy_write_header(bnre__file *file, char kind,
                                                   size_t item, size_t ndim,
                                                   const size_t *shape);

/* Write a .npz: members one after the other, stored uncompressed, without
   times, with 64-bit sizes where needed. The file stays the caller's, who
   commits it after end. Errors: EIO, ENOMEM; EINVAL for a name twice, a type or
   shape that cannot be, or more or fewer values than the shape has. */
typedef struct bnre__npz bnre__npz;
BNRE_MUST_CHECK bnre_status bnre__npz_begin(bnre__file *file, bnre__npz **out);
BNRE_MUST_CHECK bnre_status bnre__npz_member(bnre__npz *npz, const char *name,
                                             char kind, size_t item,
                                             size_t ndim, const size_t *shape);
/* Raw little-endian values of the member begun last. */
BNRE_MUST_CHECK bnre_status bnre__npz_write(bnre__npz *npz, const void *data,
                                            size_t bytes);
BNRE_MUST_CHECK bnre_status bnre__npz_end(bnre__npz *npz); /* the directory */
void bnre__npz_destroy(bnre__npz *npz);

/* For tests: use 64-bit fields from this size, offset or count on. */
void bnre__npz_wide_from(bnre__npz *npz, uint64_t limit);

#endif
