/* conv2d.h - kernels of networks on pictures.

   The values of n pictures with some channels and positions (rows by columns)
   are kept in panels of 16 channels, as

     data[((c / 16) * positions + p) * n * 16 + i * 16 + c % 16]

   for channel c, position p, picture i; channels are padded with zeros. So the
   pictures at one position are the rows of a matrix, and neighbouring positions
   follow without a gap. A convolution is then a sum of products of matrices,
   one for each tap that meets the picture: padding costs nothing.

   As in kernels.h, packed weights are panels of 16 outputs, pointers are
   aligned to 64 bytes, and no result depends on how rows or panels are split
   into calls. */
#ifndef BNRE_NUM_CONV2D_H
#define BNRE_NUM_CONV2D_H

#include "num/kernels.h"

/* Some values of a row, one after the other, and their weights: places relative
   to the first row and to each panel of weights. */
typedef struct bnre__term {
    size_t a, w, count;
} bnre__term;

/* y = b + sum over terms of a w, for `rows` rows and `panels` panels. */
typedef struct bnre__sum {
    size_t rows, panels;
    size_t terms;
    const bnre__term *term;
    const float *a;
    size_t a_row; /* from one row to the next */
    const float *w;
    size_t w_panel;    /* from one panel to the next */
    const float *bias; /* (panels * 16), or NULL */
    int add;           /* to what y holds, instead of the bias */
    float *y;          /* rows of 16 */
    size_t y_panel;
} bnre__sum;

/* dw = a^T dy for one panel of dy. */
typedef struct bnre__outer {
    size_t rows, inputs;
    const float
        *a; /* input k of row i: a[i * a_row + k / 16 * a_panel + k % 16]
             */
    size_t a_row, a_panel;
    const float *dy; /* (rows, 16) */
    int add;
    float *dw; /* (inputs, 16) */
} bnre__outer;

/* y = f((a - mean_a) scale_a [+ (b - mean_b) scale_b] + shift) of one panel. */
typedef struct bnre__point {
    size_t rows;
    bnre__activation activation;
    float slope;
    const float *a, *b;    /* (rows, 16); b may be NULL */
    const float *mean[2];  /* (16) each */
    const float *scale[2]; /* (16) each */
    const float *shift;    /* (16) */
    float *y;              /* may be a */
} bnre__point;

/* The way back, first part: dy becomes g = dy f'(.), told from y. */
typedef struct bnre__point_back {
    size_t rows;
    bnre__activation activation;
    float slope;
    const float *y;
    float *dy;
    const float *a, *b; /* as before; NULL: no sum is wanted */
    const float *mean[2];
    double *sum;     /* (16): of g; NULL = no sums */
    double *with[2]; /* (16) each: of g (a - mean_a), g (b - mean_b) */
} bnre__point_back;

/* Second part: dx = scale g + at_mean + slope (x - mean). */
typedef struct bnre__line_back {
    size_t rows;
    const float *g, *x;                          /* (rows, 16) */
    const float *scale, *at_mean, *slope, *mean; /* (16) each */
    int add;
    float *dx; /* may be g */
} bnre__line_back;

/* One dimension of a tile of winograd.h, for n values (a multiple of 16) side
   by side: from inputs or weights to points, or from points to outputs; or the
   transpose of that, for gradients. */
typedef enum bnre__side { BNRE__INPUT, BNRE__OUTPUT, BNRE__WEIGHTS } bnre__side;

typedef struct bnre__combination {
    int kind;
    bnre__side side;
    int back; /* the transpose */
    size_t n;
    const float *const *from;
    float *const *to;
    int add;
} bnre__combination;

enum { BNRE__MAX_WINDOW = 64 };

struct bnre__conv2d_kernels {
    void (*sum)(const bnre__sum *sum);
    void (*outer)(const bnre__outer *outer);
    void (*point)(const bnre__point *point);
    void (*point_back)(const bnre__point_back *point);
    void (*line_back)(const bnre__line_back *line);
    /* Mean and sum of squared distances from it of each of 16 columns. */
    void (*moments)(size_t rows, const float *x, double mean[16],
                    double squares[16]);
    /* y = the largest of x[0], x[1], ...; `place` tells which: the first that
       is (NULL: nobody asks). All are n values, a multiple of 16. */
    void (*largest)(size_t n, size_t count, const float *const *x, float *y,
                    float *place);
    /* And back, for one x: dx = sum of those dy[k] whose place[k] is which[k].
     */
    void (*largest_back)(size_t n, size_t count, const float *const *place,
                         const float *which, const float *const *dy, int add,
                         float *dx);
    void (*combine)(const bnre__combination *combination);
    /* Turn 16 rows of `columns` values (a multiple of 16): column j goes to the
       16 places from to + place[j] on, */
    void (*turn)(size_t columns, const float *from, size_t from_row,
                 const size_t *place, float *to);
    /* and back. */
    void (*turn_back)(size_t columns, const float *from, const size_t *place,
                      float *to, size_t to_row);
};

/* One for each set; kernels.h leads to that of the set in use. */
extern const bnre__conv2d_kernels bnre__conv2d_ref, bnre__conv2d_portable,
    bnre__conv2d_avx2, bnre__conv2d_avx512;

#endif
