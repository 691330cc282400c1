/* plan.h - how a network runs: forward, backward, one step of AdamW.

   A plan is what is computed for a bnre__net, with weights and room for a batch:
   it avoids work where the result is the same, with the fastest kernels of the
   machine. Its plain variant goes layer by layer and is the definition of what
   is right. */
#ifndef BNRE_NN_PLAN_H
#define BNRE_NN_PLAN_H

#include "nn/net.h"

/* ---- the optimiser ---- */

/* AdamW: weight decay is apart from the gradient. */
typedef struct bnre__adam {
    double learning_rate, beta1, beta2, epsilon, decay; /* decoupled */
    double clip; /* largest norm of the gradient; 0 = no clipping */
} bnre__adam;

bnre__adam bnre__adam_default(void);

/* ---- running ---- */

typedef struct bnre__plan bnre__plan;

typedef struct bnre__plan_opts {
    size_t batch;        /* simulations in a training step, or half the theta
                            that go through at a time */
    size_t observations; /* room for so many x at a time; 0 = batch. With less,
                            passes of pairs are as short. */
    int train;           /* room for gradients and moments */
    int plain;           /* layer by layer */
    bnre_pool *pool;     /* borrowed; NULL = one thread. Never changes a bit. */
} bnre__plan_opts;

/* Errors: EINVAL for an empty batch; EUSAGE when BNRE_KERNELS (below) names no
   set of this machine; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__plan_create(const bnre__net *net,
                                              const bnre__plan_opts *opts,
                                              bnre__plan **out);
void bnre__plan_destroy(bnre__plan *plan);

/* Copy weights and buffers in and out, in the order of the net. */
void bnre__plan_set(bnre__plan *plan, const float *weights,
                    const float *buffers);
void bnre__plan_get(const bnre__plan *plan, float *weights, float *buffers);
/* The optimiser's moments and count of steps, for checkpoints. */
void bnre__plan_set_moments(bnre__plan *plan, const float *first,
                            const float *second, uint64_t steps);
void bnre__plan_get_moments(const bnre__plan *plan, float *first, float *second,
                            uint64_t *steps);

/* The pairs of one training step or validation batch: n <= batch simulations
   (theta_i, x_i), and n marginal pairs (theta_marginal_i, x_{x_index[i]}).
   x_index NULL means x_i. In training, nets with batch norms need an x_index
   that is a permutation of 0..n-1 (or NULL): both passes then see the same rows
   and have the same statistics. Nets without theta take rows of x: `theta` is
   NULL then. */
typedef struct bnre__minibatch {
    size_t n;
    const float *theta;          /* (n, dim_theta) */
    const float *x;              /* (n, x_size) */
    const float *theta_marginal; /* (n, dim_theta); NULL: joint pairs only, and
                                    what belongs to the others may be NULL */
    const uint32_t *x_index;     /* (n) */
} bnre__minibatch;

/* Logits of the joint and the marginal pairs (n each), remembering what the
   backward pass needs. In training, batch norms use the statistics of this
   batch and update the running ones, once for the joint and once for the
   marginal pairs. */
void bnre__plan_train_forward(bnre__plan *plan, const bnre__minibatch *pairs,
                              float *joint, float *marginal);

/* After bnre__plan_train_forward: from the loss's gradient with respect to the
   logits (n each) to new weights. */
void bnre__plan_update(bnre__plan *plan, const float *djoint,
                       const float *dmarginal, const bnre__adam *adam);

/* The gradient instead of the update, in the order of the net's weights. */
void bnre__plan_gradient(bnre__plan *plan, const float *djoint,
                         const float *dmarginal, float *gradient);

/* Logits without memory of them, norms by running statistics: of n pairs, */
void bnre__plan_pairs(bnre__plan *plan, const bnre__minibatch *pairs,
                      float *joint, float *marginal);
/* and of one x, which is set first and stays until a pass of pairs, with any
   number of theta. */
void bnre__plan_observe(bnre__plan *plan, const float *x);
void bnre__plan_logits(bnre__plan *plan, size_t n, const float *theta,
                       float *logits);
/* The same with d logit / d theta (n, dim_theta) and, for the sum over all n,
   d / d x (x_size); either may be NULL. For plans with `train`. */
void bnre__plan_logits_gradient(bnre__plan *plan, size_t n, const float *theta,
                                float *logits, float *dtheta, float *dx);

#endif
