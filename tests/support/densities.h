/* densities.h - posteriors with known answers, as densities (density.h). */
#ifndef BNRE_TEST_DENSITIES_H
#define BNRE_TEST_DENSITIES_H

#include "bnre/density.h"

/* Independent parameters a, b, c, ... with the same prior. */
bnre_prior *prior_of(size_t dim, const char *text);

/* The exact log ratio of the task `gaussian` for a prior of normal(0, 1), with
   its gradient; x has the dimensions of theta. */
bnre_density gaussian_density(const bnre_prior *prior);

/* The same of one parameter, without a gradient, but with draws: of a single
   thread, which keeps what it observed in *x. */
bnre_density drawn_density(const bnre_prior *prior, double *x);

/* A log ratio that does not depend on x (x_size 1); the gradient, if there is
   one, is written unless it is NULL. */
typedef struct log_ratio_function {
    const bnre_prior *prior;
    double (*value)(const void *context, size_t dim, const double *theta,
                    double *gradient);
    const void *context;
    int has_gradient;
} log_ratio_function;
bnre_density function_density(const log_ratio_function *function);

/* A posterior that is a mixture of normal distributions: l is the log of the
   mixture over the prior, so that the evidence is 1. Within a component the
   correlation of parameters i and j is rho^|i - j|. */
typedef struct normal_mixture {
    size_t count;
    double weight[4]; /* adds up to 1 */
    double mean[4][40];
    double sd[4]; /* of all parameters of a component */
    double rho;
    const bnre_prior *prior;
    double prior_variance; /* of normal(0, sd); 0 for uniform priors */
} normal_mixture;
/* For log_ratio_function, with a gradient. */
double normal_mixture_ratio(const void *context, size_t dim,
                            const double *theta, double *gradient);

/* A session that observed n rows of x; 0s for functions. */
struct bnre_session;
struct bnre_session *session_for(const bnre_density *density, size_t n,
                                 const double *x);

#endif
