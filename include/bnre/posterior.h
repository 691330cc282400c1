/* posterior.h - a posterior on points: evidence, moments, quantiles, regions.

   Everything here comes from the log ratios at a set of points (points.h), so
   that it is the same for grids, banks and chains; what needs neighbours, as
   counting the parts of a region, is for grids only.

   The density of a posterior is that with respect to theta, q = p exp(l) / Z.
   Where p is known by draws only it is replaced by the ratio exp(l) / Z. */
#ifndef BNRE_POSTERIOR_H
#define BNRE_POSTERIOR_H

#include <stddef.h>

#include "bnre/points.h"
#include "bnre/session.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_posterior bnre_posterior;

/* A posterior on `points`, which are borrowed and must live as long; to be
   filled by one of the two following functions, as often as wanted (also after
   the points were redrawn). Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_create(const bnre_points *points, bnre_posterior **out);
BNRE_API void bnre_posterior_destroy(bnre_posterior *posterior);

/* The posterior of what the session observed. Errors: those of
   bnre_session_log_ratio(); ENUM when the log ratio is -inf at all points. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_evaluate(bnre_posterior *posterior, bnre_session *session);

/* The same from log ratios (n) computed before, multiplied by tau > 0: for a
   whole list of tau from one evaluation. Errors: ENUM as above, and for NaN. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_weigh(
    bnre_posterior *posterior, const double *log_ratio, double tau);

BNRE_API const bnre_points *
bnre_posterior_points(const bnre_posterior *posterior);
/* (n) of the points: the log ratio, and the weights, which add up to 1. */
BNRE_API const double *
bnre_posterior_log_ratio(const bnre_posterior *posterior);
BNRE_API const double *bnre_posterior_weight(const bnre_posterior *posterior);

/* log Z = log E_prior exp(l): log q = log_prior + log_ratio - log Z. */
typedef struct bnre_evidence {
    double log_z;
    double error;  /* its standard error; 0 for grids */
    double change; /* from the first half of a bank to the whole; 0 for grids */
    double ess;    /* effective number of points, (sum w)^2 / sum w^2 */
} bnre_evidence;
BNRE_API bnre_evidence bnre_posterior_evidence(const bnre_posterior *posterior);

/* mean (dim), and unless NULL covariance (dim, dim). */
BNRE_API void bnre_posterior_moments(const bnre_posterior *posterior,
                                     double *mean, double *covariance);

/* The densest point: theta (dim); returns log q there, normalised. */
BNRE_API double bnre_posterior_mode(const bnre_posterior *posterior,
                                    double *theta);

/* out (n): quantiles of parameter i at the probabilities p (n), each within
   [0, 1]. On a grid mass is spread evenly (in quantiles of the prior) over its
   cell. Errors: EINVAL for other p or i; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_quantiles(const bnre_posterior *posterior, size_t i, size_t n,
                         const double *p, double *out);

/* The region of highest density at a level c: points from the densest down
   until their weights reach c, and those that tie with the last. */
typedef struct bnre_region {
    double level;
    double content;    /* posterior mass inside, >= level */
    double threshold;  /* theta is inside if log_prior + log_ratio, as they are
                          (not normalised), is >= this */
    double prior_mass; /* share of the prior inside */
    double volume;     /* in units of theta: sum of mass / density of points */
    size_t count;      /* points inside */
    size_t parts;      /* that do not touch, on grids; 0 for others */
} bnre_region;

/* out (n) for levels (n), each in (0, 1). Errors: EINVAL for others; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_regions(
    bnre_posterior *posterior, size_t n, const double *level, bnre_region *out);

/* Whether theta (n, dim) lie in a region of what the session observed: inside
   (n) receives 0 or 1; outside the support of the prior always 0. Errors: those
   of bnre_session_log_ratio(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_region_contains(const bnre_region *region, bnre_session *session, size_t n,
                     const double *theta, int *inside);

/* In one free dimension: the intervals that make up a region, in increasing
   order, with ends where the density interpolates to the threshold. *n receives
   their number, low and high (room for *n of them, may both be NULL) as many as
   fit. Errors: EINVAL unless the posterior is on a grid with one free
   parameter. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_intervals(
    const bnre_posterior *posterior, const bnre_region *region, size_t *n,
    double *low, double *high);

/* Posterior mass of the cells of one axis of a grid: mass (axis[i]), and unless
   NULL their edges (axis[i] + 1, maybe infinite at the ends), points in the
   middle and the density there with respect to theta (axis[i] each).
   Errors: EINVAL if it is not on a grid. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_marginal(const bnre_posterior *posterior, size_t i, double *mass,
                        double *edge, double *middle, double *density);

/* The same of two parameters: mass (axis[i], axis[j]), i different from j. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_marginal_pair(
    const bnre_posterior *posterior, size_t i, size_t j, double *mass);

#ifdef __cplusplus
}
#endif
#endif
