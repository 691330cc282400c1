/* plain.h - a network run layer by layer: slow, simple, and what is right. */
#ifndef BNRE_NN_PLAIN_H
#define BNRE_NN_PLAIN_H

#include "nn/net.h"
#include "nn/plan.h"

/* One pass of pairs through the net, remembered for the way back. */
typedef struct bnre__plain_slot {
    size_t n;
    int train;
    const bnre__real *x;          /* borrowed from the caller of forward */
    bnre__real *input;            /* (n, phi + theta) of the head */
    bnre__real *embedding, *head; /* regions of the sequences */
} bnre__plain_slot;

typedef struct bnre__plain {
    const bnre__net *net;
    size_t batch;
    bnre__real *w, *dw, *buffer;
    bnre__plain_slot slot[2]; /* joint and marginal pairs */
    bnre__real *dinput, *dphi, *dembedding, *dhead;
} bnre__plain;

BNRE_MUST_CHECK bnre_status bnre__plain_create(const bnre__net *net,
                                               size_t batch, bnre__plain **out);
void bnre__plain_destroy(bnre__plain *plain);

/* The outputs (n, outputs) of n <= batch pairs (theta_i, x_i): one logit each,
   unless the net says otherwise. x must stay until the way back. */
void bnre__plain_forward(bnre__plain *plain, size_t slot, int train, size_t n,
                         const bnre__real *theta, const bnre__real *x,
                         bnre__real *logits);

/* Add to plain->dw the gradient of the sum of dlogits logits, both (n,
   outputs); dtheta (n, dim_theta) and dx (n, x size) are set unless NULL. */
void bnre__plain_backward(bnre__plain *plain, size_t slot,
                          const bnre__real *dlogits, bnre__real *dtheta,
                          bnre__real *dx);

/* One step of AdamW on n weights, the t-th (from 1):

     w -= lr decay w
     m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
     w -= lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)

   and the factor by which clipping shrinks a gradient. */
void bnre__adam_step(const bnre__adam *adam, uint64_t t, size_t n,
                     const bnre__real *g, bnre__real *w, bnre__real *m,
                     bnre__real *v);
double bnre__clip_factor(const bnre__adam *adam, size_t n, const bnre__real *g);

#endif
