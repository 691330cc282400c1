/* embed.h - engines that compute phi(x).

   An engine runs the embedding of the nets it fits; plan.c takes the first one
   of a table that does. The last goes layer by layer, fits every net, and says
   what the others must give. */
#ifndef BNRE_NN_EMBED_H
#define BNRE_NN_EMBED_H

#include "bnre/pool.h"
#include "nn/net.h"
#include "num/kernels.h"

typedef struct bnre__embed_opts {
    size_t batch;    /* rows of x at most */
    int train;       /* passes in training, and backward, will be wanted */
    bnre_pool *pool; /* borrowed; never changes a bit */
    const bnre__kernels *kernels; /* NULL = the best */
} bnre__embed_opts;

typedef struct bnre__embed_type {
    const char *name;

    /* Whether this engine can run the embedding; `train` as in the options. */
    int (*fits)(const bnre__net *net, int train);

    bnre_status (*create)(const bnre__net *net, const bnre__embed_opts *opts,
                          void **out);
    void (*destroy)(void *engine); /* NULL is fine */

    /* Called whenever weights have changed: all weights of the net, in its
       order, which stay where they are until the next call. `buffers`, all of
       the net too, are copied; NULL leaves them as they are. */
    void (*set)(void *engine, const float *weights, const float *buffers);
    /* Copy the embedding's buffers out, to their place among the net's. */
    void (*get_buffers)(const void *engine, float *buffers);

    /* phi (n, size), which stays with the engine until the next call; so must
       x (n, x size) with the caller, until backward.

       In training, batch norms use the statistics of this batch. It stands for
       the joint and for the marginal pass, which have the same rows in another
       order: running statistics are updated twice. Otherwise norms use the
       running ones. */
    const float *(*forward)(void *engine, size_t n, const float *x, int train);

    /* After forward, for engines made with `train`: from dphi (n, size) to dw,
       the gradient of the embedding's weights in the net's order, and to dx (n,
       x size). Both are set, not added to; either may be NULL. */
    void (*backward)(void *engine, const float *dphi, float *dw, float *dx);
} bnre__embed_type;

/* The engine to take for a net. */
const bnre__embed_type *bnre__embed_choose(const bnre__net *net, int train);

/* All engines in the order in which they are tried, NULL-ended. */
extern const bnre__embed_type *const bnre__embed_types[];

extern const bnre__embed_type bnre__embed_conv1d, bnre__embed_conv2d,
    bnre__embed_plain;

#endif
