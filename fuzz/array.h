/* array.h - read an open array in every way there is. */
#ifndef BNRE_FUZZ_ARRAY_H
#define BNRE_FUZZ_ARRAY_H

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "input.h"
#include "io/npy.h"

enum { MOST = 1 << 23 }; /* 4096 bytes inflate to half of that at most */

/* Doubles and floats of the same rows agree, in one piece or row by row. */
static inline void read_numbers(bnre__npy *npy)
{
    const bnre__npy_info *info = bnre__npy_describe(npy);
    size_t count = info->rows * info->row_size;
    double *f64 = NULL;
    float *f32 = NULL;

    MUST((f64 = bnre__alloc(count, sizeof *f64)) != NULL);
    MUST((f32 = bnre__alloc(count, sizeof *f32)) != NULL);
    if (bnre__npy_read_f64(npy, 0, info->rows, f64) == BNRE_OK) {
        for (size_t i = 0; i < info->rows; i++)
            MUST(bnre__npy_read_f32(npy, i, 1, f32 + i * info->row_size) ==
                 BNRE_OK);
        for (size_t i = 0; i < count; i++)
            MUST((float)f64[i] == f32[i] || isnan(f64[i]) ||
                 info->item == 8); /* from 8 bytes directly or in two steps */
    }
    MUST(bnre__npy_read_f64(npy, info->rows, 1, f64) != BNRE_OK);
    bnre__free(f32);
    bnre__free(f64);
}

/* Takes `npy`. */
static inline void read_array(bnre__npy *npy)
{
    const bnre__npy_info *info = bnre__npy_describe(npy);
    char *text = NULL;

    MUST(info->ndim <= BNRE__NPY_MAX_NDIM);
    MUST(info->rows <= MOST && info->row_size <= MOST);
    MUST(info->rows * info->row_size * info->item <= MOST);
    if (bnre__npy_read_text(npy, &text) == BNRE_OK)
        MUST(strlen(text) <= info->rows * info->row_size * info->item);
    if (info->kind != 'S')
        read_numbers(npy);
    bnre__free(text);
    bnre__npy_close(npy);
}

#endif
