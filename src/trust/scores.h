/* scores.h - the score of theta given x, from points that depend on x alone:
   of more than three parameters draws of the posterior itself, where they can
   be had, as points of the prior would miss it.

   An estimate of the posterior mass of what is denser, ties counted whole: a
   falling function of the log density, known at the points and linear between
   them, from 1 (impossible) to 0 (infinitely dense). A thousandth of it is the
   place among the points. */
#ifndef BNRE_TRUST_SCORES_H
#define BNRE_TRUST_SCORES_H

#include "bnre/density.h"
#include "diag/cells.h"
#include "posterior/distinct.h"
#include "posterior/points.h"

/* A point as the score sees it. */
typedef struct bnre__scored {
    double log_density; /* log p + l, not normalised */
    double score;
} bnre__scored;

/* What one thread needs. */
typedef struct bnre__scorer {
    bnre_session *session;
    bnre__cells *cells;           /* NULL where the prior has no density */
    double *theta;                /* (placed, dim) */
    double *log_prior, *log_mass; /* (placed) */
    double *log_ratio;            /* (placed) */
    size_t placed;
    double *weight;        /* (placed) the largest is 1, */
    double top;            /* and exp(top), not normalised */
    int drawn;             /* from the prior: all of the same mass */
    size_t own;            /* so many drawn from the posterior, of the same
                              weight; 0: other points */
    bnre__row_weight *row; /* (placed), NULL if no two points are the same */
    bnre__scored *point;   /* (n) by falling density, no two the same */
    size_t n;
} bnre__scorer;

/* Start from {0}; clear it in any case. Errors: ENOMEM; those of sessions. */
BNRE_MUST_CHECK bnre_status bnre__scorer_init(bnre__scorer *scorer,
                                              const bnre_density *density);
void bnre__scorer_clear(bnre__scorer *scorer);

/* Take so many draws of the posterior (0: the usual), where points are draws of
   it. */
void bnre__scorer_draws(bnre__scorer *scorer, size_t draws);

/* About how many points an observation takes. */
size_t bnre__scorer_points(const bnre_density *density);

/* Observe x: points, their densities and masses. */
BNRE_MUST_CHECK bnre_status bnre__scorer_observe(bnre__scorer *scorer,
                                                 const double *x);

/* How many points bear the weight, with theta (dim) of this log ratio among
   them; NULL: without. */
double bnre__scorer_ess(bnre__scorer *scorer, const double *theta,
                        double log_ratio);

/* The score of what has this log density. */
double bnre__scorer_score(const bnre__scorer *scorer, double log_density);

/* The log density whose score is qhat; -inf for 1. */
double bnre__scorer_threshold(const bnre__scorer *scorer, double qhat);

/* log p(theta) as scores count it: 0 where p is known by draws only. */
double bnre__scorer_prior(const bnre_prior *prior, const double *theta);

/* score (n) of pairs theta (n, dim), x (n, x_size) and, unless NULL, what is
   seen in x, view (n, BNRE__VIEWS), and how many points bear the weight, ess
   (n). Scorers that draw from the posterior take `own` draws (0: as many as
   usual). The same for any number of threads. */
BNRE_MUST_CHECK bnre_status bnre__score_pairs(
    const bnre_density *density, size_t own, size_t n, const double *theta,
    const double *x, bnre_pool *pool, double *score, float *view, double *ess);
/* The region above a density, as the posterior's points see it
   (conformal.c). */
BNRE_MUST_CHECK bnre_status bnre__region_above(bnre_posterior *posterior,
                                               double threshold,
                                               bnre_region *out);
/* Whether the points do not resolve the posteriors of pairs with this ess. */
int bnre__scores_are_blind(size_t n, const double *ess);

enum { BNRE__VIEWS = 32 };

/* What an estimator sees in x: d = sigmoid(l) at fixed theta, (BNRE__VIEWS). */
BNRE_MUST_CHECK bnre_status bnre__view_of(bnre_session *session, float *out);

#endif
