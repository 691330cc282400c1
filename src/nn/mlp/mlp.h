/* mlp.h - a head of linear layers and one activation, as fast as it goes.

   It has one output, a logit, or several (net->outputs).

   The first layer is split: its part of phi is computed once per observation
   and shared by all pairs that have it, its part of theta once per pair.
   Weights are kept packed for both directions and updated in place. Layouts are
   those of num/kernels.h. */
#ifndef BNRE_NN_MLP_H
#define BNRE_NN_MLP_H

#include "bnre/pool.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "num/kernels.h"

typedef struct bnre__mlp bnre__mlp;

typedef struct bnre__mlp_opts {
    size_t observations; /* rows of phi at most */
    size_t pairs;        /* pairs at most */
    int train;
    bnre_pool *pool;              /* borrowed */
    const bnre__kernels *kernels; /* NULL = the best */
    /* Forward alone, and never at the same time: a head whose room for a pass
       this one uses too, with layers as wide, as many rows, and as many inputs
       or more; it must live as long. NULL: room of its own. */
    const bnre__mlp *share;
} bnre__mlp_opts;

/* The kernels' name of an activation; 0 if they do not have it. */
int bnre__activation_of(const bnre__layer_type *type, bnre__activation *out);

/* Whether this engine can run the head of a net. */
int bnre__mlp_fits(const bnre__net *net);

BNRE_MUST_CHECK bnre_status bnre__mlp_create(const bnre__net *net,
                                             const bnre__mlp_opts *opts,
                                             bnre__mlp **out);
void bnre__mlp_destroy(bnre__mlp *mlp);

/* Copy the head's numbers from and to the net's order; `which` is weights or
   one of the moments. `all` is the whole net's block. */
typedef enum bnre__mlp_block {
    BNRE__MLP_WEIGHTS,
    BNRE__MLP_FIRST_MOMENT,
    BNRE__MLP_SECOND_MOMENT
} bnre__mlp_block;
void bnre__mlp_set(bnre__mlp *mlp, bnre__mlp_block which, const float *all);
void bnre__mlp_get(const bnre__mlp *mlp, bnre__mlp_block which, float *all);

/* phi (n, size) row-major; stays for the passes that follow. */
void bnre__mlp_observe(bnre__mlp *mlp, size_t n, const float *phi);

/* Outputs (n, outputs) of n pairs (theta_i, observation index_i). */
void bnre__mlp_forward(bnre__mlp *mlp, size_t n, const float *theta,
                       const uint32_t *index, float *logits);

/* After forward: derivatives of the sum of dlogits logits, both (n, outputs).
   dphi (observations, size) and dtheta (n, dim_theta) are set unless NULL. */
void bnre__mlp_backward(bnre__mlp *mlp, const float *dlogits, float *dphi,
                        float *dtheta);
/* After backward: the gradient of the weights, in the net's order, */
void bnre__mlp_gradient(bnre__mlp *mlp, float *all);
/* or their update; t counts steps from 1. */
void bnre__mlp_update(bnre__mlp *mlp, const bnre__adam *adam, uint64_t t);

#endif
