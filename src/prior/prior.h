/* prior.h - what only files and pictures need to know of a prior. */
#ifndef BNRE_PRIOR_PRIOR_H
#define BNRE_PRIOR_PRIOR_H

#include "bnre/prior.h"
#include "prior/constraint.h"
#include "prior/family.h"
#include "prior/joint.h"

/* The draws (rows, dim) by which a prior is known; NULL and 0 rows if it has
   families. */
const double *bnre__prior_samples(const bnre_prior *prior, size_t *rows);

/* The family of parameter i and its arguments, owned by the prior; NULL if the
   prior is known by draws. */
const bnre__family *bnre__prior_family(const bnre_prior *prior, size_t i,
                                       const double **arg);

/* What values parameter i has, and if they are whole numbers, their list: *n
   values from the smallest on, all that matter. Of families without an end
   (poisson) values on either side that have less than 5e-10 of the mass
   together count as the last one before them. n may be NULL. */
bnre__discrete bnre__prior_values(const bnre_prior *prior, size_t i, size_t *n);

/* Value k of the list and its probability; and where in the list a value is,
   or the one next to it. */
double bnre__prior_value(const bnre_prior *prior, size_t i, size_t k);
double bnre__prior_mass(const bnre_prior *prior, size_t i, size_t k);
size_t bnre__prior_index(const bnre_prior *prior, size_t i, double value);

/* Whether parameter i has one value only. */
int bnre__prior_is_fixed(const bnre_prior *prior, size_t i);

/* Whether any parameter has a list of values, and whether all have, but for
   fixed ones. */
int bnre__prior_is_mixed(const bnre_prior *prior);
int bnre__prior_is_discrete(const bnre_prior *prior);

/* The place u of a value in the mass of parameter i, so that u is uniform if
   the value follows the prior and v is uniform in (0, 1): P(X < value) + v P(X
   = value). bnre_prior_quantile() leads back to the value. */
double bnre__prior_place(const bnre_prior *prior, size_t i, double value,
                         double v);

/* How far the distribution of n values, in order, is from that of parameter i:
   the largest difference of the two distribution functions; values that are
   equal but for rounding to floats are taken to be so. */
double bnre__prior_distance(const bnre_prior *prior, size_t i, size_t n,
                            const double *value);
/* Of n independent draws it is larger in one of 10^9 cases at most (Massart
   1990). */
double bnre__prior_far(size_t n);

/* The block of parameters that parameter i depends on, and its place there;
   NULL if it depends on none. */
const bnre__joint *bnre__prior_joint(const bnre_prior *prior, size_t i,
                                     size_t *place);
/* Whether any parameters depend on each other, and log p - the sum of the log
   densities of each alone (conditions aside); 0 if not. */
int bnre__prior_depends(const bnre_prior *prior);
double bnre__prior_dependence(const bnre_prior *prior, const double *theta);

/* From numbers u (dim), uniform and independent in (0, 1), to theta (dim) that
   follows the prior, conditions aside; each u_i is bnre_prior_cdf() of theta_i,
   if it depends on no other. And back; of whole numbers with v (dim) as in
   bnre__prior_place(). */
void bnre__prior_from_places(const bnre_prior *prior, const double *u,
                             double *theta);
void bnre__prior_to_places(const bnre_prior *prior, const double *theta,
                           const double *v, double *u);

/* Whether bnre_prior_constrain() was used. */
int bnre__prior_is_constrained(const bnre_prior *prior);

/* The conditions that only compare parameters and numbers: how many comparisons
   these are, of which at most `most` are written. *others: whether there are
   conditions that say more. */
size_t bnre__prior_orderings(const bnre_prior *prior, size_t most,
                             bnre__ordering *out, int *others);

/* Of these others: whether they speak of parameter i, and whether all of them
   hold; parameters that they do not speak of may be anything. */
int bnre__prior_others_name(const bnre_prior *prior, size_t i);
int bnre__prior_others_hold(const bnre_prior *prior, const double *theta);

/* The logarithm of the share of draws that conditions accept; 0 without. */
double bnre__prior_log_share(const bnre_prior *prior);

/* The density of parameter i, conditions aside; of families only. Finite, also
   at ends where it is not. */
double bnre__prior_density_of(const bnre_prior *prior, size_t i, double value);

/* The draws of parameter i, (rows) in order; of priors known by draws. */
const double *bnre__prior_sorted(const bnre_prior *prior, size_t i);

/* Whether all of n parameters (n, dim) are possible. `what` calls them in
   messages ("pair"), the first one has the number `first`. Errors: EUSAGE when
   one is outside the prior or breaks a constraint; ENUM. */
BNRE_MUST_CHECK bnre_status bnre__prior_check(const bnre_prior *prior,
                                              const char *what, size_t first,
                                              size_t n, const double *theta);

/* What bnre_prior_title() is made of. bnre__prior_set_label() sets both, of
   which either may be NULL or "", before the first use. Errors: EUSAGE for text with
   control characters or of more than 100 bytes; ENOMEM. */
const char *bnre__prior_label(const bnre_prior *prior, size_t i);
const char *bnre__prior_unit(const bnre_prior *prior, size_t i);
BNRE_MUST_CHECK bnre_status bnre__prior_set_label(bnre_prior *prior, size_t i,
                                                  const char *label,
                                                  const char *unit);

/* A smooth one-to-one map between the support and all real vectors z (dim):
   identity on the line, logarithm on a half-line, logit on an interval; a fixed
   parameter has z = 0, and a whole number is its own z, back from the nearest.
   Finite arguments give finite results: values at or beyond an end are taken as
   the double next to it inside.

   *log_jacobian = log |d theta / d z| (fixed parameters left out), so that
   log p_z(z) = log p(theta) + *log_jacobian. It may be NULL. dlogj (dim, may be
   NULL) receives its derivative d log|J| / d z, and dtheta (dim, may be NULL)
   d theta_i / d z_i. */
void bnre__prior_to_real(const bnre_prior *prior, const double *theta,
                         double *z);
void bnre__prior_from_real(const bnre_prior *prior, const double *z,
                           double *theta, double *log_jacobian, double *dlogj,
                           double *dtheta);

#endif
