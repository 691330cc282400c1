/* array.h - what an array in a file is, described as in NumPy. */
#ifndef BNRE_IO_ARRAY_H
#define BNRE_IO_ARRAY_H

#include <stddef.h>
#include <stdint.h>

enum { BNRE__MAX_DIMENSIONS = 16 };

typedef struct bnre__array_info {
    char kind;   /* 'f' float, 'i' signed, 'u' unsigned, 'b' boolean, or 'S'
                    text of fixed length */
    size_t item; /* bytes per element */
    size_t ndim;
    size_t shape[BNRE__MAX_DIMENSIONS];
    size_t rows;     /* shape[0], or 1 for a scalar */
    size_t row_size; /* elements per row */
    uint64_t stored; /* bytes it takes in an HDF5 file, fewer if packed */
} bnre__array_info;

#endif
