/* check.h - whether a model fits what was observed, and whether its estimator
   can be trusted there.

   From draws theta_j of the posterior of x_o, and y_j simulated from each:

   Fit. A statistic T of x_o is compared with T of the y_j. Its p-value is
   min(1, 2 min(a, b)), a and b being the shares, x_o counted among them, with
   T(y_j) <= T(x_o) and T(y_j) >= T(x_o): ties count on both sides, so that
   discrete data make p larger, never smaller. p is 2 / (n + 1) at least.

   These are posterior predictive p-values. x_o has led to the theta_j and is
   then compared with what they predict, so p lies nearer to 1/2 than a uniform
   number does if the model is right: P(p <= a) is 2 a at most (Meng 1994) and
   mostly far below a; it is a for statistics that do not depend on theta.
   A small p is evidence that either the simulator or the posterior is wrong; a
   large one shows only that this statistic sees nothing.

     values      of x, each against what is predicted for it. They are corrected
                 for their number by the law of the farthest of them (Westfall
                 and Young 1993), however they depend on each other: together
                 they are one test
     summaries   that the user names
     neighbours  the mean distance to the 10 nearest, of x_o and of each y_j
                 among all others
     ratio       log r(theta_j, x_o) against log r(theta_j, y_j)

   The tests are corrected for their number by Holm's method.

   Here: posterior simulation-based calibration (Sailynoja et al. 2025). The
   theta_j and y_j are pairs of a joint law whose prior is the posterior of x_o;
   given both x_o and y_j that of theta is proportional to it times r(theta,
   y_j), and ranks of theta_j in it are uniform if r is right. This tests the
   estimator at data like the y_j, and never the posterior of x_o itself, which
   is the prior here, right or wrong.

   Near: the coverage of pairs of the prior whose x are most like x_o to the
   estimator. They are chosen by x alone, which leaves theta a draw of its
   posterior; choosing by theta would change the prior. This tests posteriors of
   data near x_o, on average over these. */
#ifndef BNRE_CHECK_H
#define BNRE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/diag.h"
#include "bnre/pool.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- summaries ----

   NAME, NAME:NUMBER or either with [VALUES] behind it: mean, sd, min, max,
   median, quantile:P, autocorrelation:LAG; of all values of x, or of those that
   are listed: "sd", "quantile:0.9[0:50]", "mean[3,7:9]", "max[flux]". i:j are
   the values i to j - 1, i:j:k every k-th of them. Of several observations it
   is taken over the values of all of them. */
typedef struct bnre_check_summary bnre_check_summary;

/* x_name (x_size) may be NULL. The caller destroys *out. Errors: EUSAGE with
   what is expected; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_check_summary_parse(const char *text, size_t x_size,
                         const char *const *x_name, bnre_check_summary **out);
BNRE_API void bnre_check_summary_destroy(bnre_check_summary *summary);
/* Its text, and its value of x (observations, x_size). Errors: ENOMEM. */
BNRE_API const char *bnre_check_summary_text(const bnre_check_summary *summary);
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_check_summary_of(const bnre_check_summary *summary, size_t observations,
                      const double *x, double *out);

/* ---- fit ---- */

/* A statistic: what it is of x_o, of the y_j (quantiles 2.5 %, 50 %, 97.5 %),
   and how likely that is. NaN where there is no such number. */
typedef struct bnre_check_test {
    char *name; /* "values", "neighbours", "ratio", or a summary's text */
    double observed, low, median, high;
    double p;        /* of it alone */
    double adjusted; /* by Holm's method, among all tests */
} bnre_check_test;

/* One value of x. */
typedef struct bnre_check_value {
    double observed;
    double low95, low68, median, high68, high95; /* predicted */
    double p;                                    /* of it alone */
    double adjusted;                             /* for the number of values */
} bnre_check_value;

typedef struct bnre_check {
    size_t draws; /* simulations that x_o was compared with */
    size_t observations, x_size;
    double alpha; /* it does not fit if an adjusted p is below */
    int fits;
    size_t tests;
    bnre_check_test *test;   /* (tests) */
    bnre_check_value *value; /* (observations, x_size) */
    size_t worst;            /* value that is farthest */
} bnre_check;

typedef struct bnre_check_input {
    const bnre_density *density;
    size_t observations;
    const double *x; /* (observations, x_size): what was observed */
    size_t n;
    const double *theta; /* (n, dim) draws of its posterior */
    const double *y;     /* (n, observations, x_size) simulated from them */
    size_t summaries;
    const bnre_check_summary *const *summary;
    double alpha;    /* 0 = 0.01 */
    bnre_pool *pool; /* NULL = one thread */
} bnre_check_input;

/* The least n with which so many tests can find anything: 2 tests / alpha. */
BNRE_API size_t bnre_check_needed(size_t tests, double alpha);
/* Tests that are made with so many summaries. */
BNRE_API size_t bnre_check_tests(size_t summaries);

/* The caller clears *out in any case. The result does not depend on the
   threads. Errors: EUSAGE for fewer draws than are needed; ENUM for values that
   are not finite; those of the density; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_check_fit(const bnre_check_input *input, bnre_check *out);
BNRE_API void bnre_check_clear(bnre_check *check);

/* "nothing in the observation is unlike ...", or which of it is; to be freed
   with bnre_free(). Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_check_words(const bnre_check *check,
                                                      char **out);

/* adjusted (n) from p (n), by Holm's method. Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_holm(size_t n, const double *p,
                                               double *adjusted);

/* ---- trust ---- */

/* Whether ranks are uniform: that by density and those of each parameter, each
   tested by its Kolmogorov-Smirnov distance; the smallest of their p-values,
   corrected for their number by Holm's method. */
BNRE_API double bnre_check_uniform(const bnre_diag *diag);

/* Posterior simulation-based calibration: input->theta and input->y are the
   pairs, and bank (m, dim) are draws of the same posterior, theta among them or
   not. The caller destroys *out with bnre_diag_destroy(). Errors: those of
   bnre_diagnose(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_check_here(const bnre_check_input *input, size_t m, const double *bank,
                uint64_t seed, const bnre_monitor *monitor, bnre_diag **out);

/* How many of n pairs are near: a tenth, 200 at least. */
BNRE_API size_t bnre_check_nearest(size_t n);

/* Coverage of the nearest of the pairs of `data`, which are draws of the prior
   that the estimator has not seen: by the log ratios of x at some of
   input->theta, which are compared with those of x_o. Failed rows are left out.
   For single observations. Errors: those of bnre_diagnose_dataset(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_check_near(const bnre_check_input *input, bnre_dataset *data,
                uint64_t seed, const bnre_monitor *monitor, bnre_diag **out);

#ifdef __cplusplus
}
#endif
#endif
