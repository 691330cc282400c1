/* convergence.h - whether Markov chains agree, and how much they are worth.

   Rank-normalised split R-hat and effective sample sizes of the bulk and of the
   tails: Vehtari, Gelman, Simpson, Carpenter, Buerkner, "Rank-normalization,
   folding, and localization: an improved R-hat for assessing convergence of
   MCMC", Bayesian Analysis 16 (2021). */
#ifndef BNRE_POSTERIOR_CONVERGENCE_H
#define BNRE_POSTERIOR_CONVERGENCE_H

#include <stddef.h>

#include "bnre/posterior.h"

/* Of the values x[(step * chains + chain) * stride], steps >= 4. Values that
   are all alike have R-hat 1 and as many effective draws as there are.
   Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__convergence(size_t chains, size_t steps,
                                              size_t stride, const double *x,
                                              bnre_convergence *out);

#endif
