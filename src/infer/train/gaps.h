/* gaps.h - values of parameters that come again and again. */
#ifndef BNRE_INFER_GAPS_H
#define BNRE_INFER_GAPS_H

#include "infer/estimator/conditional.h"

/* Whether the parameter of a factor has few values in n rows of theta (n, dim):
   *values of them, less than half as many as rows; else 0. If its coordinate is
   its own (not cut at another parameter), they are kept as c->gaps. Errors:
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__gaps_find(bnre__conditional *c, size_t factor,
                                            size_t n, const double *theta,
                                            size_t *values);

/* Coordinates at (n) of a factor, each moved to somewhere in the part of the
   line that it stands for; without gaps they stay. */
void bnre__gaps_spread(const bnre__conditional *c, size_t factor, bnre_rng *rng,
                       size_t n, float *at);

#endif
