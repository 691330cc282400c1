/* restricted.h - estimators whose prior is restricted to a region. */
#ifndef BNRE_INFER_RESTRICTED_H
#define BNRE_INFER_RESTRICTED_H

#include "bnre/density.h"
#include "infer/estimator/estimator.h"
#include "infer/estimator/region.h"

enum { BNRE__MOST_REGIONS = 20 };

/* The density of places that an estimator with a region has becomes one of
   theta: -inf outside the region. Log ratios are to the whole prior. */
void bnre__restricted_density(bnre_density *density);

/* Places u (n, dim) of theta (n, dim), with log w (n). Errors: EUSAGE with the
   row that lies outside. */
BNRE_MUST_CHECK bnre_status bnre__restricted_places(const bnre_estimator *est,
                                                    bnre_pool *pool, size_t n,
                                                    const double *theta,
                                                    double *u, double *log_w);

/* The density of the places themselves, for pairs that were simulated within
   the region: ranks in it are those that the round's own simulations have. */
void bnre__restricted_judged(const bnre_estimator *est, bnre_density *density);

/* Whether x (n, x_size) are the observation that the region was made for, but
   for the digits that single precision has; nothing to ask without a region.
   Errors: EUSAGE when they are not. */
BNRE_MUST_CHECK bnre_status bnre__restricted_observed(const bnre_estimator *est,
                                                      size_t n,
                                                      const double *x);

/* What names the region of an estimator, the same for all that have it. */
void bnre__restricted_name(const bnre_estimator *est, char out[33]);
/* n draws, theta (n, dim), of the prior within it, and its name: parameters for
   pairs of a purpose. */
BNRE_MUST_CHECK bnre_status bnre__restricted_draw(const bnre_estimator *est,
                                                  bnre_pool *pool,
                                                  uint64_t seed,
                                                  bnre_split split, size_t n,
                                                  double *theta, char name[33]);

/* After est->image, region_x and region_number were read: open the earlier
   estimator, and let est be one of theta. Errors: EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__estimator_restrict(bnre_estimator *est,
                                                     int depth);

/* Write into `path` the estimator of theta, of one that was trained on places
   in a region made by that in the file `earlier`. */
BNRE_MUST_CHECK bnre_status bnre__estimator_dress(const char *inner,
                                                  const bnre__region *region,
                                                  const char *earlier,
                                                  const char *path);

/* As bnre_estimator_open(), from the bytes of a file. (read.c) */
BNRE_MUST_CHECK bnre_status bnre__estimator_open_bytes(const char *name,
                                                       const void *bytes,
                                                       size_t n, int depth,
                                                       bnre_estimator **out);

#endif
