/* foreign_h5.h - HDF5 files as other programs write them, honest or not. */
#ifndef BNRE_TEST_FOREIGN_H5_H
#define BNRE_TEST_FOREIGN_H5_H

#include <stddef.h>

/* A file with one array "data" (rows, cols) = 0, 1, 2, ... */
enum foreign_h5 {
    FOREIGN_PACKED,     /* big-endian 16-bit integers, chunked, compressed */
    FOREIGN_CHUNKED,    /* doubles in chunks */
    FOREIGN_HUGE_CHUNK, /* chunks of 2 GiB */
    FOREIGN_HUGE_SHAPE, /* chunked, of 2^60 rows, of which few are there */
    FOREIGN_UNWRITTEN,  /* contiguous, without data */
    FOREIGN_EXTERNAL,   /* data in a file of its own */
    FOREIGN_BOOLEAN,    /* an enumeration, as h5py stores booleans */
    FOREIGN_LINK,       /* "data" is a soft link */
    FOREIGN_GROUP       /* "data" is a group */
};
void foreign_h5_write(const char *path, enum foreign_h5 kind, size_t rows,
                      size_t cols);

/* Add an array of doubles, or an attribute of texts of variable length. */
void foreign_h5_array(const char *path, const char *name, size_t ndim,
                      const size_t *shape, const double *data);
void foreign_h5_texts(const char *path, const char *object, const char *name,
                      size_t n, const char *const *text);

#endif
