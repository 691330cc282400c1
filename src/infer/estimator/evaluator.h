/* evaluator.h - evaluating an estimator: all that one thread needs. */
#ifndef BNRE_INFER_EVALUATOR_H
#define BNRE_INFER_EVALUATOR_H

#include "infer/estimator/estimator.h"

typedef struct bnre__evaluator bnre__evaluator;

/* For some members; with room for passes of `pairs` x at a time (1 = only
   bnre__evaluator_observe). Borrows the estimator, whose temper and rule of
   combination it takes as they are now. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_open(const bnre__view *view,
                                                 size_t pairs,
                                                 bnre__evaluator **out);
void bnre__evaluator_close(bnre__evaluator *eval);

/* What follows is about x (x_size). Errors: ENUM when it cannot be scaled. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_observe(bnre__evaluator *eval,
                                                    const double *x);

/* As log_ratio of density.h; and as log_ratio_each, unless `each` is NULL. */
BNRE_MUST_CHECK bnre_status
bnre__evaluator_log_ratio(bnre__evaluator *eval, size_t n, const double *theta,
                          double *out, double *gradient, double *each);

/* As rough of density.h: of the first member alone. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_rough(bnre__evaluator *eval,
                                                  size_t n, const double *theta,
                                                  double *out);

/* As draw of density.h, for conditional densities. Errors: ENUM when hardly any
   draw fulfils the constraints of the prior. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_draw(bnre__evaluator *eval,
                                                 uint64_t seed, uint64_t first,
                                                 size_t n, double *theta);

/* Of n <= `pairs` pairs (theta_i, x_i), which are rows first, first + 1, ...
   for messages. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_pairs(bnre__evaluator *eval,
                                                  size_t first, size_t n,
                                                  const double *theta,
                                                  const double *x, double *out);

#endif
