/* coordinate.h - parameters in the coordinates of their prior.

   Factors of a conditional density live on lines on which the prior is simple
   (num/logistic.h). Which line it is depends on the bounds of the parameter,
   with F the distribution function of its family:

     both finite     BNRE__UNIT   c = F(theta)
     one finite      BNRE__HALF   c = -log of the mass on the unbounded side
     none            BNRE__LINE   c = log F - log(1 - F)

   Conditions that put parameters in order (m1 >= m2) cut the later parameter's
   interval at the value of the earlier one: F is then that of the family within
   the interval, whose mass is "the volume". So densities on these lines are
   zero where the condition does not hold, and nothing has to be rejected.

   Whole numbers have the coordinates BNRE__VALUES: 0, 1, ... for the values
   that matter (bnre__prior_values). Conditions that speak of them are no order.

   Of parameters that depend on each other (joint.h), F is the distribution
   function given the earlier ones: normal again, so that c is on a LINE.

   Of a prior known by draws, c is a smooth function of theta that leads from
   the smallest draw at 0 to the largest at 1, and is made of the draws
   (sample_map.h): nothing is known outside.

   A value so far out that F is 0 or 1 in double precision is taken as the last
   that is not: coordinates are always finite. */
#ifndef BNRE_PRIOR_COORDINATE_H
#define BNRE_PRIOR_COORDINATE_H

#include "bnre/prior.h"
#include "num/logistic.h"

typedef struct bnre__coordinates bnre__coordinates;

/* Coordinates of `factors` parameters, order (factors) telling which come after
   which; all others are fixed. The prior is borrowed. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__coordinates_create(const bnre_prior *prior,
                                                     size_t factors,
                                                     const size_t *order,
                                                     bnre__coordinates **out);
void bnre__coordinates_destroy(bnre__coordinates *coordinates);

bnre__range bnre__coordinates_range(const bnre__coordinates *coordinates,
                                    size_t factor);

/* Whether the coordinate of a factor is a function of its parameter alone,
   whatever the earlier ones are. */
int bnre__coordinates_alone(const bnre__coordinates *coordinates,
                            size_t factor);

/* Whether the prior has conditions that no interval can stand for. */
int bnre__coordinates_reject(const bnre__coordinates *coordinates);

/* The coordinate of a factor; and c (dim) of all parameters theta (dim), of
   fixed ones 0: the function of a scaler. */
double bnre__coordinates_at(const bnre__coordinates *coordinates, size_t factor,
                            const double *theta);
void bnre__coordinates_of(const void *coordinates, const double *theta,
                          float *c);

/* The value of a factor's parameter from its coordinate, the earlier ones being
   in theta (dim). */
double bnre__coordinates_value(const bnre__coordinates *coordinates,
                               size_t factor, const double *theta, double c);

/* What the prior is to the lines: log p(theta) = sum over factors of the log
   density of the line's prior at theta - this (conditions hold). 0 without
   conditions. */
double bnre__coordinates_log_share(const bnre__coordinates *coordinates,
                                   const double *theta);

/* The way back: from the derivatives dc (factors) of something by coordinates,
   to that of the same plus log_share by theta (dim). */
void bnre__coordinates_back(const bnre__coordinates *coordinates,
                            const double *theta, const double *dc,
                            double *dtheta);

/* A coordinate as networks see it: mean 0 and variance 1 under the prior; of
   categories the coordinate itself, which the networks take apart
   (bnre__net_input.levels). And its derivative, which values in a list have not:
   0. */
double bnre__coordinates_seen(const bnre__coordinates *coordinates,
                              size_t factor, double c);
double bnre__coordinates_seen_slope(const bnre__coordinates *coordinates,
                                    size_t factor);

/* The same of a range that is no list. */
double bnre__coordinate_standard(bnre__range range, double c);
double bnre__coordinate_standard_slope(bnre__range range);

#endif
