/* factor_loss.h - the loss of one factor of a conditional density.

   With l_i = log q_j - log g_j at the parameter of simulation i, and m_i the
   same at a value drawn afresh from g_j, d = sigmoid:

     log loss = -1/n sum_i l_i                 (0 is what the prior says)
     balance  = 1/n sum_i [d(l_i) + d(m_i)]
     loss     = log loss + lambda (balance - 1)^2

   At the true conditional the balance is 1 for any g_j that is both drawn from
   and subtracted; so the penalty, as that of balanced ratio estimation, has the
   truth for its minimum (compare Delaunoy and others 2023, who balance other
   estimators than ratios). O(n) for a batch. */
#ifndef BNRE_INFER_FACTOR_LOSS_H
#define BNRE_INFER_FACTOR_LOSS_H

#include <stddef.h>

#include "infer/train/loss.h"
#include "infer/train/set_loss.h"
#include "num/line.h"

/* Of a batch: the value, and unless NULL the derivatives dl, dm (n). Rows count
   by weights w (n), 1 on average over many batches; NULL: all are 1. Without
   penalty (lambda 0) m and dm are not looked at. In bnre__loss the log loss
   stands for the cross-entropy.

   The balance of a batch is noise for the most part: (B - 1)^2 is then a
   penalty on its variance, which says to know less. So B is an average over the
   last steps, kept in *balance (0 = there is none yet; NULL = the batch alone),
   and the derivative 2 lambda (B - 1) dB has this B and the batch's dB. */
bnre__loss bnre__factor_loss(double lambda, size_t n, const double *w,
                             const float *l, const float *m, double *balance,
                             float *dl, float *dm);

/* Of a parameter that is one of K classes: with q_k the probability of class k
   given x, p_k its share of the rows, and

     d_k = sigmoid(log q_k / (1 - q_k) - log p_k / (1 - p_k)),

   which tells class k from all others if both are equally frequent, B_k is the
   mean of d_k over the rows of class k plus that over all others, 1 if q is
   right. Adds lambda sum_k (B_k - 1)^2 to the loss, and its derivatives to
   lines->draw. The balance of a batch is noise for the most part, and its square
   would say to know less: so the square is the product of what the even and the
   odd rows say, which is right on average. Classes that one of them lacks are
   left out. The balance that is told is the one farthest from 1. */
void bnre__class_penalty(double lambda, const bnre__lines *lines,
                         bnre__loss *loss);

/* Sums over a set; plain numbers for checkpoints. */
typedef struct bnre__factor_sums {
    double rows, squares; /* sum of weights, and of their squares */
    double log_loss;
    double d, d2;     /* d(l_i) + mean over draws of d(m_i), and its square */
    double certainty; /* |2 d(l_i) - 1| */
} bnre__factor_sums;

/* n rows of weights w (NULL: 1), with `draws` fresh values each: m (draws, n).
 */
void bnre__factor_add(bnre__factor_sums *sums, size_t n, const double *w,
                      const float *l, size_t draws, const float *m);

/* From sums over independent rows, which are worth (sum w)^2 / sum w^2 equal
   ones: the penalty is lambda ((B - 1)^2 - variance
   of B), or 0 if that is negative, as in set_loss.h. */
bnre__set_loss bnre__factor_set(const bnre__factor_sums *sums, double lambda);

#endif
