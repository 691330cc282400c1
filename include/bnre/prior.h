/* prior.h - priors of named parameters, from text.

   Each parameter has a family and its arguments, written as in
   "uniform(0, 10)":

     uniform(low, high)                log_uniform(low, high), 0 < low
     normal(mean, sd)                  log_normal(mean, sd) of the logarithm
     half_normal(sd)                   truncated_normal(mean, sd, low, high)
     exponential(rate)                 gamma(shape, rate)
     beta(a, b)                        student_t(df, location, scale)
     cauchy(location, scale)           half_cauchy(scale)
     inverse_gamma(shape, scale)       weibull(shape, scale)
     fixed(value)
     integer(low, high)                categorical(p, q, ...)
     bernoulli(p)                      poisson(rate)

   The last four are whole numbers; what is called a density is then the
   probability of a value. Parameters that depend on each other have one text,
   the same for each of them:

     [a, b]: multivariate_normal([0, 1], [[1, 0.8], [0.8, 1]])

   mean and covariance in the order of the names; each alone is normal.

   An argument is a finite number such as -1e-3, or a fraction such as 1/3; the
   bounds of truncated_normal may be inf or -inf.

   The prior is their product, maybe with conditions between parameters; or it
   is a table of draws. All functions that take a prior are safe to call from
   many threads at once. */
#ifndef BNRE_PRIOR_H
#define BNRE_PRIOR_H

#include <stddef.h>

#include "bnre/rng.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_prior bnre_prior;

/* The product of n priors, text[i] being that of the parameter name[i]. Names
   are letters, digits and '_', not starting with a digit, and distinct. n may
   be 0. The caller owns *out.
   Errors: EUSAGE with the position in the text, what was found there and what
   is expected; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_prior_create(size_t n,
                                                       const char *const *name,
                                                       const char *const *text,
                                                       bnre_prior **out);
BNRE_API void bnre_prior_destroy(bnre_prior *prior);

/* Restrict a prior, before its first use, to where all n conditions hold, such
   as "m1 >= m2" or "0 < a + b < 1": expressions of numbers, parameters, + - * /
   ( ), abs, exp, log, sqrt. Draws are rejected until they do; the density is
   divided by the share that is accepted, which is measured once on 65,536
   draws (a share of one half is then known to 0.4 %). Quantile, cdf, moments
   and support of single parameters stay those of the product without
   conditions. Errors: EUSAGE with the position, or when (almost) no draw is
   accepted; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_prior_constrain(bnre_prior *prior, size_t n, const char *const *text);

/* A prior known by draws from it: `rows` of them, (rows, n), copied. To draw is
   to take one of them at random. Its density is unknown: log_density gives NaN,
   and bnre_prior_has_density() tells; single parameters have the distribution
   of their column. Errors: EUSAGE for wrong names or fewer than 2 rows; ENUM
   with row and name for a value that is not finite; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_prior_create_samples(size_t n, const char *const *name, size_t rows,
                          const double *sample, bnre_prior **out);
BNRE_API int bnre_prior_has_density(const bnre_prior *prior);

BNRE_API size_t bnre_prior_dim(const bnre_prior *prior);
BNRE_API const char *bnre_prior_name(const bnre_prior *prior, size_t i);

/* How parameter i is to be called in figures and tables: "label [unit]", or its
   name where there is no label. */
BNRE_API const char *bnre_prior_title(const bnre_prior *prior, size_t i);

/* The canonical text of parameter i, which reads back to the same prior; of a
   prior known by draws "samples". */
BNRE_API const char *bnre_prior_text(const bnre_prior *prior, size_t i);

/* Smallest and largest possible value of parameter i, maybe infinite. Values
   at the ends belong to the support if they are finite. */
BNRE_API void bnre_prior_support(const bnre_prior *prior, size_t i, double *low,
                                 double *high);

/* Mean and variance of parameter i; NaN where there is no finite one. */
BNRE_API void bnre_prior_moments(const bnre_prior *prior, size_t i,
                                 double *mean, double *variance);

/* Draw theta (dim): one uniform number per parameter, through the quantile.
   Values are finite and, if a double fits between, off the ends. */
BNRE_API void bnre_prior_draw(const bnre_prior *prior, bnre_rng *rng,
                              double *theta);

/* log p(theta); -inf outside the support, +inf at an end where the density is
   infinite (no draw is there), NaN for a NaN. A fixed parameter contributes 0
   at its value and -inf elsewhere. */
BNRE_API double bnre_prior_log_density(const bnre_prior *prior,
                                       const double *theta);

/* P(parameter i <= value), and its inverse for 0 <= u <= 1 (NaN for others).
   Lower tails keep their relative accuracy. */
BNRE_API double bnre_prior_cdf(const bnre_prior *prior, size_t i, double value);
BNRE_API double bnre_prior_quantile(const bnre_prior *prior, size_t i,
                                    double u);

/* ---- from one prior to another ---- */

/* What becomes of draws of a prior `from` where another one, `to`, is meant. */
typedef struct bnre_prior_change {
    double outside; /* mass of `to` where `from` has none, */
    double far; /* and where it has hardly any: beyond its quantiles 1e-6 and
                       1 - 1e-6 of a parameter, as draws tell */
    int exact;  /* computed; 0: the share of 65,536 draws */

    /* A draw of `from` taken with probability min(1, v / most), v = to / from,
       is a draw of `to` but for a share `lost` of its mass: what is outside, and
       at most BNRE_PRIOR_LOST of what has a larger v. `most` follows from other
       draws, so that taking them is independent of what they show. NaN where v
       is not known: one of the two is known by draws, or fixes a parameter that
       the other does not. */
    double most, lost;
} bnre_prior_change;

#define BNRE_PRIOR_OUTSIDE 0.001 /* more outside is too much, by convention */
#define BNRE_PRIOR_LOST 0.001

/* Compare them, the parameters of `from` being found in `to` by their names;
   others may be there. Errors: EUSAGE for one that is missing; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_prior_compare(const bnre_prior *from,
                                                        const bnre_prior *to,
                                                        bnre_prior_change *out);

#ifdef __cplusplus
}
#endif
#endif
