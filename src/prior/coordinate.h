/* coordinate.h - parameters in the coordinates of their priors.

   Factors of a conditional density live on lines on which the prior is simple
   (num/logistic.h). Which line it is depends on the bounds of the parameter:

     both finite     BNRE__UNIT   c = F(theta)
     one finite      BNRE__HALF   c = -log of the mass on the unbounded side
     none            BNRE__LINE   c = log F - log(1 - F)

   A value so far out that F is 0 or 1 in double precision is taken as the last
   that is not: coordinates are always finite. */
#ifndef BNRE_PRIOR_COORDINATE_H
#define BNRE_PRIOR_COORDINATE_H

#include "bnre/prior.h"
#include "num/logistic.h"

bnre__range bnre__coordinate_range(const bnre_prior *prior, size_t i);

/* The coordinate of parameter i, and back. */
double bnre__coordinate_of(const bnre_prior *prior, size_t i, double theta);
double bnre__coordinate_value(const bnre_prior *prior, size_t i, double c);

/* A coordinate as networks see it: mean 0 and variance 1 under the prior. */
double bnre__coordinate_standard(bnre__range range, double c);

#endif
