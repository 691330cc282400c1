/* conv1d.h - kernels of convolutions along one dimension.

   Some observations lie side by side, as many as a set of kernels says (`side`):
   the values of a signal are

     data[offset of the position + channel * side + observation]

   Channels of results are padded to whole quads of 4. Which values meet which
   weights is said by lists of offsets, so that padding, strides, dilations, and
   positions left out cost nothing here. Packed weights of a sum over `rows`
   values are [output / 4][row][output % 4].

   An element is a sum over the same values in the same order, whatever block it
   is computed in. All pointers are aligned to 4 * side bytes, and so are
   offsets. */
#ifndef BNRE_NUM_CONV1D_H
#define BNRE_NUM_CONV1D_H

#include "num/kernels.h"

enum {
    BNRE__SIDE_MOST = 16,   /* observations side by side */
    BNRE__QUAD = 4,         /* channels computed together */
    BNRE__TILE1D = 3,       /* positions computed together */
    BNRE__TURN = 16,        /* values turned together */
    BNRE__WINDOW_MOST = 255 /* length of a maximum's window */
};

/* Up to three positions of a result. In a list of numbers, from `at` on: the
   result's offset for each position, then for each term the first row of
   weights, how many rows, and for each position the offset of the first value;
   values follow each other by `side`. */
typedef struct bnre__tile1d {
    uint32_t count, terms, at;
} bnre__tile1d;

/* y = f(b + sum of w x), or on the way back y = (sum of w x) f'(.). */
typedef struct bnre__conv1d {
    size_t rows, quads; /* of packed w */
    const float *w;
    const float *bias; /* (quads * 4), or NULL */
    const float *x;
    const bnre__tile1d *tile;
    const uint32_t *list;
    float *y;
    bnre__activation activation;
    float slope;             /* of LEAKY_RELU */
    const float *derivative; /* at y's offsets: results of `activation`, by
                                whose derivative y is multiplied; NULL on the
                                way forward */
} bnre__conv1d;

/* Values that go with the rows of packed weights: `length` rows from `row` on
   see values from `from` on, by `side`, at the first position. */
typedef struct bnre__term1d {
    uint32_t row, length, from;
} bnre__term1d;

/* Gradients of packed weights over positions with even steps, added to sums of
   each of the observations: [output / 4][row][output % 4][side]. */
typedef struct bnre__gradient1d {
    size_t rows, quads, terms;
    const bnre__term1d *term;
    const float *x;
    size_t x_step; /* from one position to the next */
    const float *dz;
    size_t dz_step;
    float *dw; /* (quads * rows * 4, side) */
    float *db; /* (quads * 4, side), or NULL */
} bnre__gradient1d;

/* y = f(max of z in the window), where windows are neighbouring positions. */
typedef struct bnre__pool1d {
    size_t quads;
    const uint32_t *start, *length; /* of each window, in positions of z */
    const float *z;
    size_t z_step;
    float *y;
    size_t y_step;
    uint32_t
        *place; /* (windows, quads, side): where the first maximum is, counted
                        in the window, one byte for each channel of the quad;
                        NULL = not wanted */
    bnre__activation activation;
    float slope;
} bnre__pool1d;

/* From rows of values to observations side by side: value i of row s goes to
   y[to[i] + s], as (value - shift[i]) * factor[i] if these are given. */
typedef struct bnre__turn1d {
    const float *row[BNRE__SIDE_MOST]; /* (BNRE__TURN) each, not aligned */
    const uint32_t *to;
    const float *shift, *factor; /* or NULL, both */
    float *y;
} bnre__turn1d;

/* dz = sum of dy over the windows whose first maximum is there. */
typedef struct bnre__unpool1d {
    size_t quads;
    const uint32_t *start;
    const uint32_t *first, *windows; /* for each position of z: which have it */
    const uint32_t *place;
    const float *dy;
    size_t dy_step;
    float *dz;
    size_t dz_step;
} bnre__unpool1d;

struct bnre__conv1d_kernels {
    size_t side; /* observations side by side, 8 or 16 */
    /* Tiles first..last-1. */
    void (*conv)(const bnre__conv1d *job, size_t first, size_t last);
    /* n positions. */
    void (*gradient)(const bnre__gradient1d *job, size_t n);
    /* Windows, or positions of z, first..last-1. */
    void (*pool)(const bnre__pool1d *job, size_t first, size_t last);
    void (*unpool)(const bnre__unpool1d *job, size_t first, size_t last);
    void (*turn)(const bnre__turn1d *job);
    /* d f'(.) from results y of f, for n values (a multiple of 16). */
    void (*derive)(bnre__activation activation, float slope, size_t n,
                   const float *y, float *d);
    /* x Phi(x), and d times its derivative from the argument. */
    void (*gelu)(size_t n, const float *x, float *y);
    void (*gelu_back)(size_t n, const float *x, float *d);
    /* Both at once, for less: the argument becomes the derivative. */
    void (*gelu_both)(size_t n, float *x, float *y);
};

/* bnre__conv1d_ref has 8 side by side; the other one, which no set takes, is
   what sets of 16 are compared with. */
extern const bnre__conv1d_kernels bnre__conv1d_ref, bnre__conv1d_ref16,
    bnre__conv1d_portable, bnre__conv1d_avx2, bnre__conv1d_avx512;

#endif
