/* set_loss.h - the loss on a set of pairs, from batches of logits.

   Two ways to sum up. The reference's: the mean of the batches' losses, each
   with its own penalty. And one without bias: the penalty is on the balance of
   the whole set, minus the variance of that balance. With few pairs the first
   is mostly noise, which punishes classifiers that say something. */
#ifndef BNRE_INFER_SET_LOSS_H
#define BNRE_INFER_SET_LOSS_H

#include <stddef.h>

#include "infer/train/loss.h"
#include "infer/train/pairing.h"

/* Sums; plain numbers, so that they can be kept in a checkpoint. */
typedef struct bnre__set_sums {
    /* Of batches. */
    double batches, loss, cross_entropy, balance;

    /* Of single pairs, d being the classifier's probability. */
    double rows, pairs; /* joint and marginal pairs */
    double entropy_a, entropy_b;
    double d_a, d_b;   /* d of joint and marginal pairs, */
    double d_a2, d_b2; /* and its square; that of joint ones for classes */
    double certainty;  /* |2 d - 1| of all of these */
    /* Influence of each row on the balance, see set_loss.c. */
    double p_p, p_v, p_u, v_u, u_u;
    double within_x, within_theta, thetas; /* variances, and of how many */
} bnre__set_sums;

typedef struct bnre__set_loss {
    double loss, cross_entropy, balance;
    double variance;  /* of the balance; NaN by batches */
    double certainty; /* mean |2 d - 1|: 0 = 1/2 to everything */
} bnre__set_loss;

/* The loss of one batch of n joint (a) and marginal (b) logits; a NULL counts
   no certainty. */
void bnre__set_add_batch(bnre__set_sums *sums, const bnre__loss *loss, size_t n,
                         const float *a, const float *b);
bnre__set_loss bnre__set_by_batches(const bnre__set_sums *sums);

/* One batch with several shifts on the circle of `pairing`: b (shifts, n), of
   shifts shift[0..shifts-1]. `room` (4 thetas) is for its sums. */
void bnre__set_add_shifts(bnre__set_sums *sums, const bnre__pairing *pairing,
                          size_t n, const float *a, size_t shifts,
                          const size_t *shift, const float *b, double *room);
/* Its loss has the penalty lambda ((B - 1)^2 - variance of B), or 0 if that is
   negative: a balance within its error is as good as 1, and no better. */
bnre__set_loss bnre__set_unbiased(const bnre__set_sums *sums, double lambda);

/* n rows of one class, the first or the second, which stand for joint and
   marginal pairs. The loss is as above; rows being independent, the variance of
   the balance is that of two means. */
void bnre__set_add_class(bnre__set_sums *sums, size_t n, const float *logit,
                         int is_first);
bnre__set_loss bnre__set_of_classes(const bnre__set_sums *sums, double lambda);

#endif
