/* prior.h - what only files need to know of a prior. */
#ifndef BNRE_MODEL_PRIOR_H
#define BNRE_MODEL_PRIOR_H

#include "bnre/prior.h"

/* The draws (rows, dim) by which a prior is known; NULL and 0 rows if it has
   families. */
const double *bnre__prior_samples(const bnre_prior *prior, size_t *rows);

#endif
