/* layer.h - layers, one after the other: the plain definition of a network.

   Every layer maps rows of `in` values to rows of `out` values. Values of a row
   are in the order of its shape, row-major: (channels, length), (channels,
   rows, columns), (items, features). Nothing here is meant to be fast: it says
   what is right. */
#ifndef BNRE_NN_LAYER_H
#define BNRE_NN_LAYER_H

#include <stddef.h>

#include "bnre/rng.h"
#include "bnre/settings.h"
#include "bnre/status.h"

/* Tests build these files once more with double. */
#ifndef BNRE_REAL
#define BNRE_REAL float
#endif
typedef BNRE_REAL bnre__real;

enum { BNRE__MAX_SHAPE = 8 };

typedef struct bnre__shape {
    size_t ndim;
    size_t dim[BNRE__MAX_SHAPE];
    size_t size; /* product of dim; 1 if ndim is 0 */
} bnre__shape;

typedef struct bnre__layer bnre__layer;
typedef struct bnre__sequence bnre__sequence;

/* One pass of n rows. */
typedef struct bnre__pass {
    size_t n;
    int train;           /* how many training passes of these rows it stands
                            for: 0 = norms use running statistics, else those of
                            the batch, updating the running ones so often */
    const bnre__real *w; /* all weights of the net */
    bnre__real *dw;      /* their gradient, added to */
    bnre__real *buffer;  /* running statistics, updated by training passes */
} bnre__pass;

typedef struct bnre__layer_type {
    const char *name;
    const char *const *keys; /* settings, NULL-ended; NULL = none */

    /* Read the settings (NULL if there are none); layer->in is known; fill in
       `out`, `weights`, ... Errors: EUSAGE, ENOMEM. */
    bnre_status (*create)(bnre__layer *layer, const bnre_node *settings);

    /* w, buffer: the layer's own. NULL: nothing to start. */
    void (*init)(const bnre__layer *layer, bnre_rng *rng, float *w,
                 float *buffer);

    void (*forward)(const bnre__layer *layer, const bnre__pass *pass,
                    const bnre__real *x, bnre__real *y, bnre__real *keep);

    /* From dy (n, out) to dx (n, in), unless dx is NULL, and to pass->dw. x, y
       and keep are those of the forward pass; dkeep is room like keep. */
    void (*backward)(const bnre__layer *layer, const bnre__pass *pass,
                     const bnre__real *x, const bnre__real *y,
                     const bnre__real *keep, const bnre__real *dy,
                     bnre__real *dx, bnre__real *dkeep);
} bnre__layer_type;

struct bnre__layer {
    const bnre__layer_type *type;
    bnre__shape in, out;
    size_t weights, buffers;     /* how many */
    size_t weight_at, buffer_at; /* where in the net's blocks */
    size_t keep_row, keep_fixed; /* reals kept: n * keep_row + keep_fixed */

    size_t kernel[2], stride[2], padding[2], dilation[2];
    int bias;
    double slope, epsilon, momentum;
    bnre__real *shift, *scale; /* of fixed scalings, (size) each */
    bnre__sequence *branch[2]; /* of residual blocks: main, shortcut */

    bnre_node *record; /* the settings, defaults included; NULL = none */
};

/* Layers in order. Regions of n * row + fixed reals hold what a pass keeps:
   each layer's output, then what it keeps besides. */
struct bnre__sequence {
    size_t count, room;
    bnre__layer *layer;
    bnre__shape in, out;
    size_t weights, buffers;
    size_t row, fixed;
};

/* A list of layers from settings; `place` says where they stand ("embedding").
   weight_at and buffer_at are moved past what the layers take. */
BNRE_MUST_CHECK bnre_status bnre__sequence_create(
    const bnre_node *list, const bnre__shape *in, const char *place,
    size_t *weight_at, size_t *buffer_at, bnre__sequence **out);
void bnre__sequence_destroy(bnre__sequence *sequence);
void bnre__sequence_init(const bnre__sequence *sequence, bnre_rng *rng,
                         float *w, float *buffer);
/* The layers as settings, appended to `list`. */
BNRE_MUST_CHECK bnre_status
bnre__sequence_record(const bnre__sequence *sequence, bnre_node *list);

/* Run through; the result is in `store` (n * row + fixed reals), or is x itself
   if there are no layers. */
const bnre__real *bnre__sequence_forward(const bnre__sequence *sequence,
                                         const bnre__pass *pass,
                                         const bnre__real *x,
                                         bnre__real *store);
void bnre__sequence_backward(const bnre__sequence *sequence,
                             const bnre__pass *pass, const bnre__real *x,
                             const bnre__real *store, const bnre__real *dy,
                             bnre__real *dx, bnre__real *dstore);

/* ---- for the layers' own use ---- */

/* Settings of a layer, recorded with their values. `preset` 0 with `needed`
   makes the key compulsory. */
BNRE_MUST_CHECK bnre_status bnre__layer_size(bnre__layer *layer,
                                             const bnre_node *settings,
                                             const char *key, size_t preset,
                                             const char *rule, size_t *out);
BNRE_MUST_CHECK bnre_status bnre__layer_real(bnre__layer *layer,
                                             const bnre_node *settings,
                                             const char *key, double preset,
                                             const char *rule, double *out);
BNRE_MUST_CHECK bnre_status bnre__layer_flag(bnre__layer *layer,
                                             const bnre_node *settings,
                                             const char *key, int preset,
                                             int *out);

/* EUSAGE: the layer needs another shape than it gets. */
bnre_status bnre__layer_mismatch(const bnre__layer *layer,
                                 const char *expected);

/* Fill w (n) with U(-1/sqrt(fan_in), 1/sqrt(fan_in)). */
void bnre__init_uniform(bnre_rng *rng, size_t fan_in, size_t n, float *w);

BNRE_MUST_CHECK bnre_status bnre__shape_set(bnre__shape *shape, size_t ndim,
                                            const size_t *dim);
/* "(2, 128)" */
const char *bnre__shape_text(const bnre__shape *shape, char out[128]);

/* All kinds of layers, NULL-ended. */
extern const bnre__layer_type *const bnre__layer_types[];

extern const bnre__layer_type bnre__layer_linear, bnre__layer_selu,
    bnre__layer_relu, bnre__layer_leaky_relu, bnre__layer_elu, bnre__layer_gelu,
    bnre__layer_tanh, bnre__layer_conv1d, bnre__layer_conv2d,
    bnre__layer_maxpool1d, bnre__layer_maxpool2d, bnre__layer_avgpool,
    bnre__layer_batchnorm, bnre__layer_layernorm, bnre__layer_residual,
    bnre__layer_flatten, bnre__layer_reshape, bnre__layer_transpose,
    bnre__layer_scale, bnre__layer_set_mean, bnre__layer_set_sum;

#endif
