/* coverage.h - from ranks to a verdict.

   The rank r* of a pair (theta*, x) is the posterior mass of all theta that are
   denser than theta*; coverage at a level c is the share of pairs with
   r* <= c. It is c for an exact posterior, larger for a conservative one and
   smaller for an overconfident one. diag.h computes ranks; here is what follows
   from them, wherever they come from. */
#ifndef BNRE_COVERAGE_H
#define BNRE_COVERAGE_H

#include <stddef.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BNRE_DIAG_LEVELS = 19, /* 0.05, 0.10, ..., 0.95 */
    BNRE_DIAG_LEAST = 20   /* pairs; fewer say nothing */
};

/* Credibility level i, from 0. */
static inline double bnre_diag_level(size_t i)
{
    return (double)(i + 1) / 20;
}

/* A mean over pairs with its standard error; NaN where it is not known. */
typedef struct bnre_estimate {
    double mean, error;
} bnre_estimate;

typedef struct bnre_coverage {
    size_t n;                         /* pairs */
    size_t covered[BNRE_DIAG_LEVELS]; /* of them, with r* <= level */
    double share[BNRE_DIAG_LEVELS];   /* covered / n */

    /* Clopper-Pearson interval of each level by itself. */
    double low[BNRE_DIAG_LEVELS], high[BNRE_DIAG_LEVELS];

    /* Dvoretzky-Kiefer-Wolfowitz: share +- band holds at all levels at once. */
    double band;

    bnre_estimate auc;      /* mean over the levels of share - level */
    bnre_estimate mean_auc; /* 1/2 - mean of r*: the same without levels */
} bnre_coverage;

/* Coverage of n >= 1 ranks in [0, 1], with intervals at confidence 1 - delta,
   0 < delta < 1. `strict` counts r* < level, as the paper does on its grid. */
BNRE_API void bnre_coverage_of(size_t n, const double *rank, int strict,
                               double delta, bnre_coverage *out);

/* Bounds at confidence 1 - delta on a probability of which k of n trials
   succeeded, each one-sided (Clopper-Pearson). */
BNRE_API double bnre_binomial_lower(size_t k, size_t n, double delta);
BNRE_API double bnre_binomial_upper(size_t k, size_t n, double delta);

typedef enum bnre_verdict {
    BNRE_CONSERVATIVE,
    BNRE_OVERCONFIDENT,
    BNRE_INCONCLUSIVE,
    BNRE_UNINFORMATIVE,
    BNRE_BLIND
} bnre_verdict;

/* "CONSERVATIVE" ... */
BNRE_API const char *bnre_verdict_name(bnre_verdict verdict);
/* The verdict of this name; 0 if there is none. */
BNRE_API int bnre_verdict_find(const char *name, bnre_verdict *out);

typedef struct bnre_judgement {
    bnre_verdict verdict;
    double delta, eps, least_gain; /* by which it was found */
    size_t n;                      /* pairs */
    int low[BNRE_DIAG_LEVELS];     /* levels where coverage is too low */
    size_t worst;                  /* level with the smallest share - level */
    double margin;                 /* share - level there */
    bnre_estimate gain;            /* information gain; NaN = not known */
    double ess; /* effective points per pair (median) behind the ranks, set by
                   a diagnosis; below 10 the words warn that errors of the
                   estimator may go unseen; NaN = not known */

    /* If INCONCLUSIVE: how many pairs in all would decide if coverage stays as
       it was found, and what they would say. 0 = beyond 10^9. */
    size_t needed;
    bnre_verdict expected;

    /* Set by a diagnosis: the share of ranks that is chance, for want of
       points, and how many of these (cells or draws of a pair) were tried where
       they did not suffice. NaN, 0 = not known. */
    double chance;
    size_t tried;
} bnre_judgement;

/* At confidence 1 - delta and tolerance eps:

   UNINFORMATIVE  the gain is not significantly above least_gain (in nats);
   CONSERVATIVE   at every level the lower bound at delta is >= level - eps;
   OVERCONFIDENT  at some level the upper bound at delta / 19 is < level - eps;
   INCONCLUSIVE   otherwise.

   BLIND is said by a diagnosis, in place of any of these, if its points do not
   resolve the posteriors, so that errors may go unseen.

   The first that holds is the verdict; `low` is filled in for all. A gain whose
   mean is NaN is not looked at. Nothing here holds for a single observation:
   all is on average over the prior. */
BNRE_API void bnre_judge(const bnre_coverage *coverage, bnre_estimate gain,
                         double delta, double eps, double least_gain,
                         bnre_judgement *out);

/* The verdict in a sentence or two, which the caller frees with bnre_free().
   Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_judgement_words(const bnre_judgement *judgement, char **out);

/* Whether to go on with such an estimator: EDOUBT for
   OVERCONFIDENT, UNINFORMATIVE and BLIND, if `strict` also for INCONCLUSIVE; OK
   for the others. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_judgement_check(const bnre_judgement *judgement, int strict);

typedef struct bnre_uniformity {
    double ks;         /* Kolmogorov-Smirnov distance */
    double ks_p;       /* P(at least as far | uniform) */
    double chi_square; /* of the histogram */
    double chi_square_p;
} bnre_uniformity;

/* Tests of n >= 1 values in [0, 1], and their histogram count (bins). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_uniformity_of(size_t n,
                                                        const double *value,
                                                        size_t bins,
                                                        size_t *count,
                                                        bnre_uniformity *out);

#ifdef __cplusplus
}
#endif
#endif
