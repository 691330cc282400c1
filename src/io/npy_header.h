/* npy_header.h - the text in front of an array's values. */
#ifndef BNRE_IO_NPY_HEADER_H
#define BNRE_IO_NPY_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"
#include "io/npy.h"

enum {
    BNRE__NPY_PREFIX = 12,        /* magic, version, length; at most */
    BNRE__NPY_MAX_HEADER = 65536, /* NumPy itself reads 10000 by default */
    BNRE__NPY_MAX_WRITTEN = 512,  /* what is written here always fits */
};

typedef struct bnre__npy_layout {
    bnre__npy_info info;
    int swap;       /* the byte order is not this machine's */
    uint64_t bytes; /* of the values */
} bnre__npy_layout;

/* From the first 12 bytes of a file: where the header's text starts and how
   long it is. `label` is what messages call the file. Errors: EFORMAT. */
BNRE_MUST_CHECK bnre_status bnre__npy_parse_prefix(const char *label,
                                                   const unsigned char *prefix,
                                                   size_t *start,
                                                   size_t *length);

/* The header's text, a Python dictionary. Errors: EFORMAT. Every count in *out
   is free of overflow, but not yet compared with the size of the file. */
BNRE_MUST_CHECK bnre_status bnre__npy_parse_header(const char *label,
                                                   const char *text,
                                                   size_t length,
                                                   bnre__npy_layout *out);

/* The bytes in front of the values, *bytes of them, and how many bytes the
   values must have. Errors: EINVAL for a type or shape that cannot be. */
BNRE_MUST_CHECK bnre_status bnre__npy_format_header(
    char kind, size_t item, size_t ndim, const size_t *shape,
    unsigned char out[BNRE__NPY_MAX_WRITTEN], size_t *bytes, uint64_t *values);

/* "(3, 4)", cut where `room` ends. */
const char *bnre__npy_shape_text(const bnre__npy_info *info, size_t room,
                                 char *out);

#endif
