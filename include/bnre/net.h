/* net.h - networks that learn log ratios: what they are, and how they run.

   A network is an embedding phi of x (a list of layers, maybe empty) and a head
   on [phi(x), theta] with one output, the log ratio. It is described by
   settings:

     embedding:
       - conv1d: {channels: 8, kernel: 3, padding: 1}
       - selu
       - maxpool1d: {kernel: 3, stride: 2, padding: 1}
       - flatten
     head: {hidden: [128, 128, 128], activation: selu}

   or a preset: {preset: mlp}. A bnre_net is the description with all shapes
   worked out, and never changes. A bnre_plan is what is computed, with weights
   and room for a batch: it avoids work where the result is the same, with the
   fastest kernels of the machine. Its plain variant goes layer by layer and is
   the definition of what is right. */
#ifndef BNRE_NET_H
#define BNRE_NET_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/pool.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_net bnre_net;

/* What goes in. */
typedef struct bnre_net_input {
    size_t dim_theta;
    size_t ndim;         /* of x */
    const size_t *shape; /* (ndim) */
    size_t outputs;      /* of the head; 0 = 1, a log ratio */
} bnre_net_input;

/* Work out a network. `settings` is the name of a preset (a text), NULL for
   `mlp`, or a map with these keys:

     preset: mlp | cnn1d | dilated_cnn | resnet18
     embedding: list of layers; absent: x goes straight to the head
     head: {hidden: [widths], activation: name}, or a list of layers
     theta_first: yes if the head's input is [theta, phi(x)] rather than
                  [phi(x), theta]

   A layer is its name or {name: {settings}}; {repeat: {times: 3, layers:
   [...]}} stands for its repetition. Errors: EUSAGE naming the layer, its
   place, and both shapes where they do not fit; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_net_create(
    const bnre_node *settings, const bnre_net_input *input, bnre_net **out);
BNRE_API void bnre_net_destroy(bnre_net *net);

/* Whether the shape of x and the network look exchanged, as (1000, 3) with
   cnn1d, for which it is 1000 channels: in words, with what to do. */
enum { BNRE_NET_DOUBT = 400 };
BNRE_API int bnre_net_doubt(const bnre_net *net, char out[BNRE_NET_DOUBT]);

/* The network of the reference experiments for a built-in task, as settings
   that bnre_net_create() takes; the caller owns *out. Errors: EUSAGE when the
   task has none. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_net_paper(const char *task,
                                                    bnre_node **out);

/* All of it as YAML, presets and repeats written out. Owned by the net. */
BNRE_API const char *bnre_net_text(const bnre_net *net);

/* How many numbers are trained, and how many others are kept (running
   statistics). Each layer's stand together, in the order of the description:
   weights (out, in, kernel...) row-major, then biases; of batch-norm scale,
   then shift; buffers: running means, then variances. */
BNRE_API size_t bnre_net_weights(const bnre_net *net);
BNRE_API size_t bnre_net_buffers(const bnre_net *net);

/* Fresh weights and buffers: U(-1/sqrt(fan_in), 1/sqrt(fan_in)) for weights and
   biases; norms start as the identity. */
BNRE_API void bnre_net_init(const bnre_net *net, bnre_rng *rng, float *weights,
                            float *buffers);

/* ---- the optimiser ---- */

/* AdamW: weight decay is apart from the gradient. */
typedef struct bnre_adam {
    double learning_rate, beta1, beta2, epsilon, decay; /* decoupled */
    double clip; /* largest norm of the gradient; 0 = no clipping */
} bnre_adam;

BNRE_API bnre_adam bnre_adam_default(void);

/* ---- running ---- */

typedef struct bnre_plan bnre_plan;

typedef struct bnre_plan_opts {
    size_t batch;        /* simulations in a training step, or half the theta
                            that go through at a time */
    size_t observations; /* room for so many x at a time; 0 = batch. With less,
                            passes of pairs are as short. */
    int train;           /* room for gradients and moments */
    int plain;           /* layer by layer */
    bnre_pool *pool;     /* borrowed; NULL = one thread. Never changes a bit. */
} bnre_plan_opts;

/* Errors: EINVAL for an empty batch; EUSAGE when BNRE_KERNELS (below) names no
   set of this machine; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_plan_create(
    const bnre_net *net, const bnre_plan_opts *opts, bnre_plan **out);
BNRE_API void bnre_plan_destroy(bnre_plan *plan);

/* Copy weights and buffers in and out, in the order of the net. */
BNRE_API void bnre_plan_set(bnre_plan *plan, const float *weights,
                            const float *buffers);
BNRE_API void bnre_plan_get(const bnre_plan *plan, float *weights,
                            float *buffers);
/* The optimiser's moments and count of steps, for checkpoints. */
BNRE_API void bnre_plan_set_moments(bnre_plan *plan, const float *first,
                                    const float *second, uint64_t steps);
BNRE_API void bnre_plan_get_moments(const bnre_plan *plan, float *first,
                                    float *second, uint64_t *steps);

/* The pairs of one training step or validation batch: n <= batch simulations
   (theta_i, x_i), and n marginal pairs (theta_marginal_i, x_{x_index[i]}).
   x_index NULL means x_i. In training, nets with batch norms need an x_index
   that is a permutation of 0..n-1 (or NULL): both passes then see the same rows
   and have the same statistics. Nets without theta take rows of x: `theta` is
   NULL then. */
typedef struct bnre_pairs {
    size_t n;
    const float *theta;          /* (n, dim_theta) */
    const float *x;              /* (n, x_size) */
    const float *theta_marginal; /* (n, dim_theta); NULL: joint pairs only, and
                                    what belongs to the others may be NULL */
    const uint32_t *x_index;     /* (n) */
} bnre_pairs;

/* Logits of the joint and the marginal pairs (n each), remembering what the
   backward pass needs. In training, batch norms use the statistics of this
   batch and update the running ones, once for the joint and once for the
   marginal pairs. */
BNRE_API void bnre_plan_train_forward(bnre_plan *plan, const bnre_pairs *pairs,
                                      float *joint, float *marginal);

/* After bnre_plan_train_forward: from the loss's gradient with respect to the
   logits (n each) to new weights. */
BNRE_API void bnre_plan_update(bnre_plan *plan, const float *djoint,
                               const float *dmarginal, const bnre_adam *adam);

/* The gradient instead of the update, in the order of the net's weights. */
BNRE_API void bnre_plan_gradient(bnre_plan *plan, const float *djoint,
                                 const float *dmarginal, float *gradient);

/* Logits without memory of them, norms by running statistics: of n pairs, */
BNRE_API void bnre_plan_pairs(bnre_plan *plan, const bnre_pairs *pairs,
                              float *joint, float *marginal);
/* and of one x, which is set first and stays until a pass of pairs, with any
   number of theta. */
BNRE_API void bnre_plan_observe(bnre_plan *plan, const float *x);
BNRE_API void bnre_plan_logits(bnre_plan *plan, size_t n, const float *theta,
                               float *logits);
/* The same with d logit / d theta (n, dim_theta) and, for the sum over all n,
   d / d x (x_size); either may be NULL. For plans with `train`. */
BNRE_API void bnre_plan_logits_gradient(bnre_plan *plan, size_t n,
                                        const float *theta, float *logits,
                                        float *dtheta, float *dx);

/* The set of kernels in use ("avx2", "portable"): the best this machine has,
   unless the environment variable BNRE_KERNELS names another. */
BNRE_API const char *bnre_kernels_name(void);

#ifdef __cplusplus
}
#endif
#endif
