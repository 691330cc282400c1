/* onnx.h - a graph of ONNX operators being put together, and its file.

   Values are numbers that stand for names. Every value has `rows` as its first
   dimension. The first failure of memory stays, as with texts. */
#ifndef BNRE_EXPORT_ONNX_H
#define BNRE_EXPORT_ONNX_H

#include <stdint.h>

#include "export/export.h"

enum { BNRE__ONNX_OPSET = 17 };

typedef enum bnre__onnx_type {
    BNRE__ONNX_FLOAT = 1,
    BNRE__ONNX_INT64 = 7,
    BNRE__ONNX_BOOL = 9,
    BNRE__ONNX_DOUBLE = 11
} bnre__onnx_type;

/* Values that are there from the beginning, and none. */
enum { BNRE__ONNX_THETA, BNRE__ONNX_X, BNRE__ONNX_FIRST };
#define BNRE__ONNX_NONE ((size_t)-1)

typedef struct bnre__onnx {
    bnre__bytes node, initializer;
    size_t next; /* value; BNRE__ONNX_FIRST at first */
    size_t rows;
} bnre__onnx;

/* A setting of an operator: one number or a list. */
typedef struct bnre__onnx_attribute {
    const char *name;
    int is_real;
    double real;
    size_t n; /* 0: integer[0] alone, not a list */
    int64_t integer[4];
} bnre__onnx_attribute;

/* The value that an operator gives. */
size_t bnre__onnx_node(bnre__onnx *graph, const char *op, size_t n,
                       const size_t *in, size_t attributes,
                       const bnre__onnx_attribute *attribute);
/* The same of one or two values, without settings. */
size_t bnre__onnx_op1(bnre__onnx *graph, const char *op, size_t a);
size_t bnre__onnx_op2(bnre__onnx *graph, const char *op, size_t a, size_t b);
size_t bnre__onnx_where(bnre__onnx *graph, size_t when, size_t yes, size_t no);
size_t bnre__onnx_cast(bnre__onnx *graph, size_t value, bnre__onnx_type to);
/* Joined along the second dimension. */
size_t bnre__onnx_concat(bnre__onnx *graph, size_t n, const size_t *in);
/* With the rows and this shape. */
size_t bnre__onnx_reshape(bnre__onnx *graph, size_t value, size_t ndim,
                          const size_t *dim);

/* Constants. */
size_t bnre__onnx_constant(bnre__onnx *graph, bnre__onnx_type type, size_t ndim,
                           const size_t *dim, const void *data, size_t bytes);
size_t bnre__onnx_real(bnre__onnx *graph, double value); /* one double */

/* A sequence of layers on floats; weights begin at w, running statistics at
   s. */
BNRE_MUST_CHECK bnre_status bnre__onnx_sequence(bnre__onnx *graph,
                                                const bnre__sequence *sequence,
                                                const float *w, const float *s,
                                                size_t in, size_t *out);

/* The coordinate (rows, 1) of a parameter, as double. */
size_t bnre__onnx_coordinate(bnre__onnx *graph, const bnre_prior *prior,
                             size_t parameter);
/* log q - log p (rows, 1) of a factor at coordinate c, from what its network
   says (rows, 3 components). */
size_t bnre__onnx_mixture(bnre__onnx *graph, bnre__range range,
                          size_t components, double widen, size_t raw,
                          size_t c);
/* log of the mean of exp over the second dimension, or of the sum. */
size_t bnre__onnx_log_mean_exp(bnre__onnx *graph, size_t value, int sum);

/* The file: theta (rows, dim) and x (rows, shape) in double, and log_ratio
   (rows). */
BNRE_MUST_CHECK bnre_status bnre__onnx_finish(bnre__onnx *graph,
                                              const bnre_estimator *est,
                                              size_t result, bnre__bytes *out);

#endif
