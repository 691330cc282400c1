/* loss.h - what training makes small. */
#ifndef BNRE_INFER_LOSS_H
#define BNRE_INFER_LOSS_H

#include <stddef.h>

#include "nn/layers/layer.h"

typedef struct bnre__loss {
    double value;         /* cross_entropy + lambda (balance - 1)^2 */
    double cross_entropy; /* chance level is 2 log 2 */
    double balance;       /* 1 for a balanced classifier */
} bnre__loss;

/* Balanced cross-entropy (Delaunoy and others, NeurIPS 2022) on the logits of n
   joint (a) and n marginal (b) pairs, in O(n):

     cross_entropy = 1/n sum_i [softplus(-a_i) + softplus(b_i)]
     balance       = 1/n sum_i [sigmoid(a_i) + sigmoid(b_i)]

   lambda = 0 is plain ratio estimation. da, db (n each) receive the
   derivatives; both may be NULL. Sum of two means, not their average: see
   docs/training.md before comparing lambda with other programs. */
bnre__loss bnre__loss_balanced(double lambda, size_t n, const bnre__real *a,
                               const bnre__real *b, bnre__real *da,
                               bnre__real *db);

#endif
