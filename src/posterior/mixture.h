/* mixture.h - mixtures of multivariate t distributions, fitted to points. */
#ifndef BNRE_POSTERIOR_MIXTURE_H
#define BNRE_POSTERIOR_MIXTURE_H

#include "bnre/rng.h"

enum { BNRE__MIXTURE_MOST = 8 }; /* components */

typedef struct bnre__mixture {
    size_t m;    /* dimensions */
    size_t most; /* components that a fit may have, up to MIXTURE_MOST */
    size_t count;
    double constant;                      /* of the log density, by m alone */
    double weight[BNRE__MIXTURE_MOST];    /* adds up to 1 */
    double log_scale[BNRE__MIXTURE_MOST]; /* log det of the factor */
    double *mean;                         /* (MOST, m) */
    double *factor; /* (MOST, m, m) lower Cholesky factor of the covariance */
} bnre__mixture;

BNRE_MUST_CHECK bnre_status bnre__mixture_init(bnre__mixture *mixture,
                                               size_t m);
void bnre__mixture_clear(bnre__mixture *mixture);

/* Fit to the points z (n, m), n >= 1, and their number of components, by
   expectation-maximisation and the Bayesian information criterion. belongs (n)
   receives the component of each point. Any points do, even all alike. */
BNRE_MUST_CHECK bnre_status bnre__mixture_fit(bnre__mixture *mixture, size_t n,
                                              const double *z, bnre_rng *rng,
                                              unsigned char *belongs);

/* Draws and log density with tails of 5 degrees of freedom, thicker than those
   of the points may be. */
void bnre__mixture_draw(const bnre__mixture *mixture, bnre_rng *rng, double *z);
double bnre__mixture_log_density(const bnre__mixture *mixture, const double *z);

/* The lower Cholesky factor (m, m) of the mean covariance of components: the
   shape of a part, without the distance between parts. */
BNRE_MUST_CHECK bnre_status
bnre__mixture_common_factor(const bnre__mixture *mixture, double *factor);

#endif
