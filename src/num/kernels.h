/* kernels.h - the arithmetic that takes the time, for each instruction set.

   Matrices of activations are kept in panels of 16 columns: element (i, j) of a
   matrix with room for `rows` rows is at

     data[(j / 16) * rows * 16 + i * 16 + j % 16]

   and columns are padded to a multiple of 16 with zeros. Packed weights of a
   product with K inputs and N outputs are such panels with K rows: element (k,
   n) at data[(n / 16) * K * 16 + k * 16 + n % 16]. All pointers are aligned to
   64 bytes.

   An element of a product is the sum over its inputs in order, whatever block
   of rows or panels it is computed in: results do not depend on threads. */
#ifndef BNRE_NUM_KERNELS_H
#define BNRE_NUM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/rng.h"
#include "bnre/status.h"

enum {
    BNRE__PANEL = 16,
    BNRE__TILE = 6 /* rows are computed in groups of so many */
};

typedef enum bnre__activation {
    BNRE__IDENTITY,
    BNRE__SELU,
    BNRE__ELU,
    BNRE__RELU,
    BNRE__LEAKY_RELU,
    BNRE__TANH
} bnre__activation;

/* y = f(a W + b + c), row i of c being row index[i] of `add`; on the way back
   y = (a W) f'(.). */
typedef struct bnre__product {
    size_t rows; /* room of a, y and derivative, a multiple of BNRE__TILE */
    size_t inputs, panels; /* K; N / 16 */
    const float *a;        /* (rows, K) */
    const float *w;        /* packed (K, N) */
    const float *bias;     /* (N), or NULL */
    const float *add;      /* (add_rows, N), or NULL */
    size_t add_rows;
    const uint32_t *index; /* (rows) */
    float *y;              /* (rows, N) */
    bnre__activation activation;
    float slope;             /* of LEAKY_RELU */
    const float *derivative; /* (rows, N): results of `activation`, by whose
                                derivative y is multiplied; NULL on the way
                                forward */
} bnre__product;

/* What an update needs besides the gradient. */
typedef struct bnre__adam_rates {
    float beta1, beta2, epsilon;
    float step;   /* learning rate / (1 - beta1^t) */
    float unbias; /* 1 / (1 - beta2^t) */
    float keep;   /* 1 - learning rate * decay */
} bnre__adam_rates;

/* The gradient a^T dy of a packed weight (K, N), over n rows. */
typedef struct bnre__weight_gradient {
    size_t n, rows; /* rows: room of a and dy */
    size_t inputs;
    const float *a;  /* (n, K) */
    const float *dy; /* (n, N) */
    /* Stored if `gradient` is given: packed (K, N) and (N). Else it goes
       straight into AdamW of packed w, its moments, and its transpose, packed
       (N, K). */
    float *gradient, *bias_gradient;
    const bnre__adam_rates *adam;
    float *w, *m, *v, *transpose;
    size_t outputs;                /* N, the rows of the transpose */
    float *bias, *bias_m, *bias_v; /* (N); without biases these and
                                      bias_gradient are NULL */
} bnre__weight_gradient;

/* The last layer, with one output: logit = y . w + b. */
typedef struct bnre__output {
    size_t rows, panels; /* room of y and dy; N / 16 */
    const float *y;      /* (rows, N): results of `activation` */
    const float *w;      /* (N) */
    float bias;
    bnre__activation activation;
    float slope;
} bnre__output;

typedef struct bnre__conv1d_kernels bnre__conv1d_kernels;     /* conv1d.h */
typedef struct bnre__conv2d_kernels bnre__conv2d_kernels;     /* conv2d.h */
typedef struct bnre__logistic_kernels bnre__logistic_kernels; /* logistic.h */

typedef struct bnre__kernels {
    const char *name;
    const char *rounding; /* sets of the same give the same bytes: the name of
                             the first of them */
    const bnre__conv1d_kernels *conv1d;
    const bnre__conv2d_kernels *conv2d;
    const bnre__logistic_kernels *logistic;
    /* Rows first..last-1 (multiples of BNRE__TILE). */
    void (*product)(const bnre__product *product, size_t first, size_t last);
    /* Output panels first..last-1. */
    void (*weight_gradient)(const bnre__weight_gradient *job, size_t first,
                            size_t last);
    /* Logits of rows first..last-1. */
    void (*output)(const bnre__output *out, size_t first, size_t last,
                   float *logits);
    /* dy = dlogits w f'(.) for rows first..last-1. */
    void (*output_back)(const bnre__output *out, size_t first, size_t last,
                        const float *dlogits, float *dy);
    /* The gradient of w (N) over n rows, panels first..last-1. */
    void (*output_gradient)(const bnre__output *out, size_t first, size_t last,
                            size_t n, const float *dlogits, float *gradient);
    /* Rows of a panel: row index[i] of `to` += row i of `from`, for n rows in
       their order. */
    void (*gather)(size_t n, const uint32_t *index, const float *from,
                   float *to);
    /* AdamW on n values (a multiple of 16). */
    void (*adam)(const bnre__adam_rates *rates, size_t n, const float *g,
                 float *w, float *m, float *v);
    /* y = f(x) for n values (a multiple of 16). Over all floats, relative
       errors stay below

         exp   1.5e-7  (1.3 units of the last place were found)
         ELU   1.5e-7  (1.4)
         SELU  2.0e-7  (2.5)
         TANH  2.5e-7  (2.6)

       where results are normal numbers; smaller ones become 0 or a number as
       small, exp(x) beyond the largest float infinite. Not-a-numbers and
       infinities go where they should. Products apply the same functions; their
       derivatives come from the results, by one operation. */
    void (*activate)(bnre__activation activation, float slope, size_t n,
                     const float *x, float *y);
    void (*exp)(size_t n, const float *x, float *y);
    /* Of checksum.h. */
    void (*checksum_sums)(const unsigned char *data, size_t bytes,
                          uint64_t sum[8]);
    /* Of random.h. */
    void (*random_refill)(bnre_rng *rng);
    void (*random_start)(size_t blocks, bnre_rng *stream);
} bnre__kernels;

/* The best set this machine has, or the one that BNRE_KERNELS names. A name
   that means nothing here is the business of bnre__kernels_check(), which comes
   first: EUSAGE, telling the names there are. */
const bnre__kernels *bnre__kernels_best(void);
BNRE_MUST_CHECK bnre_status bnre__kernels_check(void);

/* All sets that this machine can run, the plain reference first; NULL past the
   last. */
const bnre__kernels *bnre__kernels_set(size_t i);

#endif
