/* prior.h - what only files and pictures need to know of a prior. */
#ifndef BNRE_PRIOR_PRIOR_H
#define BNRE_PRIOR_PRIOR_H

#include "bnre/prior.h"

/* The draws (rows, dim) by which a prior is known; NULL and 0 rows if it has
   families. */
const double *bnre__prior_samples(const bnre_prior *prior, size_t *rows);

/* Whether bnre_prior_constrain() was used. */
int bnre__prior_is_constrained(const bnre_prior *prior);

/* Whether all of n parameters (n, dim) are possible. `what` calls them in
   messages ("pair"), the first one has the number `first`. Errors: EUSAGE when
   one is outside the prior or breaks a constraint; ENUM. */
BNRE_MUST_CHECK bnre_status bnre__prior_check(const bnre_prior *prior,
                                              const char *what, size_t first,
                                              size_t n, const double *theta);

#endif
