/* conformal.h - regions that contain the truth as often as they say.

   The score of theta given x is the posterior mass of all that is at least as
   dense: s(theta, x) = q-mass of {t : q(t|x) >= q(theta|x)}. From the scores of
   m fresh pairs follows, for a level c, a bound qhat (the k-th smallest score,
   k = ceil((m + 1) c); 1 if k > m) such that

     {theta : s(theta, x) <= qhat}

   contains the true theta with probability c at least, whatever the estimator
   is, for x from the simulator with theta from the prior. That is an average
   over sets of calibration pairs; given this set coverage has the law
   Beta(k, m + 1 - k). (Split conformal prediction: Vovk, Gammerman and Shafer
   2005; with this score: Izbicki, Shimizu and Stern 2022.) A score costs the
   log ratios at its points, m of them are sorted once, and a level is then a
   place in them.

   Scores come from points that depend on x alone, in calibration and in use:
   the guarantee needs no accuracy of them. How they are placed is part of what
   a calibrated file means. */
#ifndef BNRE_TRUST_CONFORMAL_H
#define BNRE_TRUST_CONFORMAL_H

#include <stddef.h>

#include "bnre/certificate.h"
#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/estimator.h"
#include "bnre/posterior.h"
#include "bnre/status.h"
#include "trust/scores.h"

/* score (n) of pairs theta (n, dim), x (n, x_size). The result does not depend
   on the threads of the pool (may be NULL). Errors: those of the density;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__conformal_scores(
    const bnre_density *density, size_t n, const double *theta, const double *x,
    bnre_pool *pool, double *score);

/* Keep with the estimator the scores of valid pairs of a dataset, of `most` (as
   in bnre_diag_opts) or of all (0), and what it sees in their x: the
   classifier's answers at some fixed theta. Where the points of scores do not
   resolve the posteriors there is nothing to calibrate: it keeps none, and has
   no conformal regions. Errors:
   EUSAGE for a dataset of another task, or with pairs that the estimator was
   trained on; those of reading; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__conformal_calibrate(bnre_estimator *est,
                                                      bnre_dataset *data,
                                                      size_t most,
                                                      bnre_pool *pool);

/* From m sorted scores. */
bnre_conformal bnre__conformal_level(size_t m, const double *score,
                                     double level);

/* out (n) of the levels (n) for what the session observed, which must be one
   observation x (x_size) and an estimator with calibration scores; measured on
   the posterior, of whatever kind. With `local` from the calibration pairs
   whose x look most like this one to the estimator: those within a fifth of
   them, 200 at least; no guarantee, but closer to what holds for such x.
   Errors: EUSAGE without scores or (local) what goes with them; EDOUBT if the
   points do not resolve this posterior; those of the density; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__conformal_regions(
    const bnre_estimator *est, bnre_session *session, const double *x,
    bnre_posterior *posterior, int local, size_t n, const double *level,
    bnre_conformal_region *out);

/* Whether the points of a scorer that has observed x see its posterior at all:
   EDOUBT if it is too narrow for them. */
BNRE_MUST_CHECK bnre_status bnre__conformal_sees(bnre__scorer *scorer);

/* The regions of out->conformal, whose level and qhat are there: the nominal one
   and that of the scores up to qhat. */
BNRE_MUST_CHECK bnre_status bnre__conformal_place(const bnre__scorer *scorer,
                                                  bnre_posterior *posterior,
                                                  bnre_conformal_region *out);

/* From m scores in any order with weights within (0, 1], for pairs of another
   prior than that which is meant: the weights are proportional to the quotient
   of the two. Errors: ENOMEM. (conformal_prior.c) */
BNRE_MUST_CHECK bnre_status bnre__conformal_weigh(size_t m, const double *score,
                                                  const double *weight,
                                                  double level,
                                                  bnre_conformal *out);

/* Regions at x = observed (x_size) for a density under another prior than that
   of the pairs in `data`, which are arranged for it: weighed by density.keep
   (NULL: they are of that prior). `lost` is the share of the prior that the
   weights miss, by which coverage may be lower. Errors: EDOUBT and others as
   above. */
BNRE_MUST_CHECK bnre_status bnre__conformal_changed(
    const bnre_density *density, bnre_dataset *data, double lost,
    bnre_pool *pool, const double *observed, bnre_posterior *posterior,
    size_t n, const double *level, bnre_conformal_region *out);

/* The same out of fold, for an estimator that was trained with trust: auto and
   needs no further pairs (cross-conformal prediction: Vovk 2015; Barber, Candes,
   Ramdas, Tibshirani 2021). With S_i the score of simulation i by the members
   that have not seen it, and s_i(theta) that of theta at x by the same members,

     {theta : #{i : S_i < s_i(theta)} < c (N + 1)}

   contains the true theta with probability 2 c - 1 - sqrt(2 / N) at least,
   whatever the estimator is, and about c in practice. The regions given are the
   smallest regions of highest density of the posterior that contain it, as the
   posterior's points see them; qhat is their posterior mass, and `assured` that
   bound, an average over data and simulations. Errors: EUSAGE without such
   scores; EDOUBT and others as above. */
BNRE_MUST_CHECK bnre_status bnre__conformal_cross(const bnre_estimator *est,
                                                  const double *x,
                                                  bnre_posterior *posterior,
                                                  size_t n, const double *level,
                                                  bnre_conformal_region *out);

/* The least m for which a level below 1 has a bound: k <= m. */
size_t bnre__conformal_needed(double level);

#endif
