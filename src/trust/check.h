/* check.h - the parts of a check: summaries, fit, trust. What they mean is told
   in bnre/check.h. */
#ifndef BNRE_TRUST_CHECK_H
#define BNRE_TRUST_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/check.h"
#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/diag.h"
#include "bnre/pool.h"
#include "bnre/status.h"

/* ---- summaries ----

   NAME, NAME:NUMBER or either with [VALUES] behind it: mean, sd, min, max,
   median, quantile:P, autocorrelation:LAG; of all values of x, or of those that
   are listed: "sd", "quantile:0.9[0:50]", "mean[3,7:9]", "max[flux]". i:j are
   the values i to j - 1, i:j:k every k-th of them. Of several observations it
   is taken over the values of all of them. */
typedef struct bnre__check_summary bnre__check_summary;

/* x_name (x_size) may be NULL. The caller destroys *out. Errors: EUSAGE with
   what is expected; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__check_summary_parse(const char *text, size_t x_size,
                          const char *const *x_name, bnre__check_summary **out);
void bnre__check_summary_destroy(bnre__check_summary *summary);
/* Its text, and its value of x (observations, x_size). Errors: ENOMEM. */
const char *bnre__check_summary_text(const bnre__check_summary *summary);
BNRE_MUST_CHECK bnre_status
bnre__check_summary_of(const bnre__check_summary *summary, size_t observations,
                       const double *x, double *out);

/* ---- fit ---- */

typedef struct bnre__check_input {
    const bnre_density *density;
    const bnre_density *judged; /* in which pairs of the prior are ranked, of
                                   places in a region; NULL = the same */
    size_t observations;
    const double *x; /* (observations, x_size): what was observed */
    size_t n;
    const double *theta; /* (n, dim) draws of its posterior */
    const double *y;     /* (n, observations, x_size) simulated from them */
    size_t summaries;
    const bnre__check_summary *const *summary;
    double alpha;    /* 0 = 0.01 */
    bnre_pool *pool; /* NULL = one thread */
} bnre__check_input;

/* The least n with which so many tests can find anything: 2 tests / alpha. */
size_t bnre__check_needed(size_t tests, double alpha);
/* Tests that are made with so many summaries. */
size_t bnre__check_tests(size_t summaries);

/* The caller clears *out in any case. The result does not depend on the
   threads. Errors: EUSAGE for fewer draws than are needed; ENUM for values that
   are not finite; those of the density; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__check_fit(const bnre__check_input *input,
                                            bnre_check *out);
void bnre__check_clear(bnre_check *check);

/* "nothing in the observation is unlike ...", or which of it is; to be freed
   with bnre_free(). Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__check_words(const bnre_check *check,
                                              char **out);

void bnre__check_report_clear(bnre_check_report *report);

/* adjusted (n) from p (n), by the method of Holm (1979), in O(n log n). Errors:
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__holm(size_t n, const double *p,
                                       double *adjusted);

/* ---- trust ---- */

/* Whether ranks are uniform: that by density and those of each parameter, each
   tested by its Kolmogorov-Smirnov distance; the smallest of their p-values,
   corrected for their number by Holm's method. */
double bnre__check_uniform(const bnre_diag *diag);

/* Posterior simulation-based calibration: input->theta and input->y are the
   pairs, and bank (m, dim) are draws of the same posterior, theta among them or
   not. The caller destroys *out with bnre_diag_destroy(). Errors: those of
   bnre_diagnose(). */
BNRE_MUST_CHECK bnre_status bnre__check_here(const bnre__check_input *input,
                                             size_t m, const double *bank,
                                             uint64_t seed,
                                             const bnre_monitor *monitor,
                                             bnre_diag **out);

/* How many of n pairs are near: a tenth, 200 at least. */
size_t bnre__check_nearest(size_t n);

/* Coverage of the nearest of the pairs of `data`, which are draws of the prior
   that the estimator has not seen: by the log ratios of x at some of
   input->theta, which are compared with those of x_o. Failed rows are left out.
   For single observations. Errors: those of bnre_diagnose_dataset(). */
BNRE_MUST_CHECK bnre_status bnre__check_near(const bnre__check_input *input,
                                             bnre_dataset *data, uint64_t seed,
                                             const bnre_monitor *monitor,
                                             bnre_diag **out);

#endif
