/* chain.h - a network for each parameter, given those before it.

   By the chain rule a density of D parameters is a product of D densities of
   one. Factor j has a head of its own on [phi(x), theta_1 .. theta_{j-1}]; all
   factors share the embedding phi, which is computed once. A head has several
   outputs, the numbers of a density on a line.

   Weights are one block: the embedding's, then each head's in turn. */
#ifndef BNRE_NN_CHAIN_H
#define BNRE_NN_CHAIN_H

#include "nn/net.h"
#include "nn/plan.h"

typedef struct bnre__chain bnre__chain;
typedef struct bnre__chain_plan bnre__chain_plan;

/* Work out the networks of input->dim_theta factors (input->levels: which of
   them are categories) with input->outputs outputs each. `settings` as for bnre__net_create(): the head's description is that of
   every factor. Errors: those of bnre__net_create(); EUSAGE for heads that keep
   statistics (batchnorm). */
BNRE_MUST_CHECK bnre_status bnre__chain_create(const bnre_node *settings,
                                               const bnre__net_input *input,
                                               bnre__chain **out);
void bnre__chain_destroy(bnre__chain *chain);

size_t bnre__chain_weights(const bnre__chain *chain);
size_t bnre__chain_buffers(const bnre__chain *chain);
/* The network of the last factor, which has the most inputs; its embedding is
   that of all. */
const bnre__net *bnre__chain_net(const bnre__chain *chain);

/* The network of a factor; its weights are counted as if the embedding's stood
   right before the head's (see bnre__chain_part). */
const bnre__net *bnre__chain_net_at(const bnre__chain *chain, size_t factor);

/* Whether the embedding has weights; if not, factors share nothing, and the
   weights of factor j are *n numbers from *at on. */
int bnre__chain_shares(const bnre__chain *chain);
void bnre__chain_part(const bnre__chain *chain, size_t factor, size_t *at,
                      size_t *n);

/* Fresh weights as of bnre__net_init(), except that output layers begin small,
   with biases `output` (factors, outputs). */
void bnre__chain_init(const bnre__chain *chain, bnre_rng *rng,
                      const float *output, float *weights, float *buffers);

/* Room and weights. opts->batch: rows in a pass; opts->observations is
   ignored. */
BNRE_MUST_CHECK bnre_status bnre__chain_plan_create(const bnre__chain *chain,
                                                    const bnre__plan_opts *opts,
                                                    bnre__chain_plan **out);
void bnre__chain_plan_destroy(bnre__chain_plan *plan);

void bnre__chain_set(bnre__chain_plan *plan, const float *weights,
                     const float *buffers);
void bnre__chain_get(const bnre__chain_plan *plan, float *weights,
                     float *buffers);
void bnre__chain_set_moments(bnre__chain_plan *plan, const float *first,
                             const float *second, uint64_t steps);
void bnre__chain_get_moments(const bnre__chain_plan *plan, float *first,
                             float *second, uint64_t *steps);

/* Outputs of all factors for n <= batch rows: theta (n, factors), x (n, x
   size), out (factors, n, outputs). x must stay until the way back. */
void bnre__chain_forward(bnre__chain_plan *plan, int train, size_t n,
                         const float *theta, const float *x, float *out);

/* After a forward pass with `train`: from the derivatives dout (factors, n,
   outputs) to new weights, or to the gradient. */
void bnre__chain_update(bnre__chain_plan *plan, const float *dout,
                        const bnre__adam *adam);
void bnre__chain_gradient(bnre__chain_plan *plan, const float *dout,
                          float *gradient);

/* x (n, x size), n <= batch, which stay until a pass of pairs; then the outputs
   (n, outputs) of one factor for any number of theta (n, stride), of which it
   sees the first `factor` values, and of x number index (n); NULL: the first.
   What comes out of a row does not depend on those beside it. */
void bnre__chain_observe(bnre__chain_plan *plan, size_t n, const float *x);
void bnre__chain_factor(bnre__chain_plan *plan, size_t factor, size_t n,
                        const float *theta, size_t stride,
                        const uint32_t *index, float *out);

/* Those of the first factor, which sees no theta: (n, outputs) of the x that
   were observed, until others are. */
const float *bnre__chain_first(bnre__chain_plan *plan);

/* Right after bnre__chain_factor(), with n <= batch rows, a plan for training and a factor that
   saw something: from dout (n, outputs) to the derivatives dtheta (n, factor)
   by what it saw. */
void bnre__chain_factor_back(bnre__chain_plan *plan, size_t factor, size_t n,
                             const float *dout, float *dtheta);

#endif
