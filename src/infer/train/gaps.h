/* gaps.h - values of parameters that come again and again. */
#ifndef BNRE_INFER_GAPS_H
#define BNRE_INFER_GAPS_H

#include "bnre/train.h"
#include "infer/estimator/estimator.h"

/* The values of a factor's parameter in n rows of theta (n, dim); none if its
   coordinate is not its own (but cut at another parameter). The caller frees
   out->value. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__gaps_take(const bnre__conditional *c,
                                            size_t factor, size_t n,
                                            const double *theta,
                                            bnre__gaps *out);

/* The gaps of set number `set` of `sets`, each of whose members learn from other
   rows: of parameters with less than half as many values as there are rows theta
   (n, dim). Nothing to do for ratios. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__gaps_find(bnre_estimator *est, size_t set,
                                            size_t sets, size_t n,
                                            const double *theta);

/* Tell which parameters these are. */
BNRE_MUST_CHECK bnre_status bnre__gaps_tell(const bnre_estimator *est,
                                            const bnre_train_opts *opts,
                                            size_t n, const double *theta);

/* Coordinates at (n) of a factor, each moved to somewhere in the part of the
   line that it stands for; without gaps they stay. */
void bnre__gaps_spread(const bnre__gaps *gaps, bnre__range range, bnre_rng *rng,
                       size_t n, float *at);

#endif
