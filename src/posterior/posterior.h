/* posterior.h - the inside of a posterior on points. */
#ifndef BNRE_POSTERIOR_POSTERIOR_H
#define BNRE_POSTERIOR_POSTERIOR_H

#include "bnre/posterior.h"

struct bnre_posterior {
    const bnre_points *points;
    bnre_points *own;    /* points to destroy with it; NULL if borrowed */
    double *log_ratio;   /* (n) times tau */
    double *log_density; /* (n) log_prior + log_ratio: ranks points */
    double *weight;      /* (n) adds up to 1 */
    double log_z;
    double squares;         /* sum of the squares of weights, those of equal */
    size_t distinct;        /* rows added up first, and how many rows differ */
    double *peak;           /* (dim) a place denser than all points, or NULL, */
    double peak_density;    /* and its log density, as that of points */
    bnre_evidence evidence; /* of chains, whose weights are all alike */
    bnre_chain_report *report;     /* of chains, else NULL */
    bnre_convergence *convergence; /* (dim) of it */
    size_t *order; /* (n) points from the densest down, once it was asked for */
    int sorted;
};

/* A posterior on `points`, which are borrowed and must live as long; to be
   filled by bnre__posterior_evaluate() or bnre__posterior_weigh(), as often as
   wanted (also after the points were redrawn). Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__posterior_create(const bnre_points *points,
                                                   bnre_posterior **out);

/* The posterior of what the session observed, asking the monitor (may be NULL)
   now and then whether to go on: EINTR if not. Errors: those of
   bnre_session_log_ratio(); ENUM when the log ratio is -inf at all points. */
BNRE_MUST_CHECK bnre_status
bnre__posterior_evaluate(bnre_posterior *posterior, bnre_session *session,
                         const bnre_monitor *monitor);

/* The same from log ratios (n) computed before, multiplied by tau > 0: for a
   whole list of tau from one evaluation. Errors: ENUM as above, and for NaN. */
BNRE_MUST_CHECK bnre_status bnre__posterior_weigh(bnre_posterior *posterior,
                                                  const double *log_ratio,
                                                  double tau);

/* A posterior that owns its points, even if this fails. */
BNRE_MUST_CHECK bnre_status bnre__posterior_own(bnre_points *points,
                                                bnre_posterior **out);

/* Weights and evidence from the log ratios. Errors: ENUM if all are -inf. */
BNRE_MUST_CHECK bnre_status bnre__posterior_settle(bnre_posterior *posterior);

/* Markov chains; see bnre_posterior_compute(). */
BNRE_MUST_CHECK bnre_status
bnre__posterior_chains(bnre_session *session, const bnre_posterior_opts *opts,
                       bnre_posterior **out);

/* Look for the peak, from the densest point on. Nothing is done for priors
   known by draws. */
BNRE_MUST_CHECK bnre_status bnre__posterior_climb(bnre_posterior *posterior,
                                                  bnre_session *session,
                                                  uint64_t seed);

/* The points from the densest down; ties in the order of points. */
BNRE_MUST_CHECK bnre_status bnre__posterior_sort(bnre_posterior *posterior);

/* How many of the n points, in this order of decreasing log density, make the
   region of mass c: the first ones until their weights reach c, and all that
   tie with the last of them. n >= 1. */
size_t bnre__hpd_count(size_t n, const size_t *order, const double *log_density,
                       const double *weight, double c);

/* Parts of the set of points with log density >= threshold that do not touch:
   cells of a grid touch if they share a face. */
BNRE_MUST_CHECK bnre_status bnre__posterior_parts(
    const bnre_posterior *posterior, double threshold, size_t *parts);

/* As bnre_session_draw(), also where draws are to be weighed (`weigh` of
   density.h): draws 0 to n - 1 for one observation, whatever tau. */
BNRE_MUST_CHECK bnre_status bnre__session_propose(bnre_session *session,
                                                  uint64_t seed, size_t n,
                                                  double *theta);

int bnre__posterior_doubt(const bnre_posterior *posterior,
                          char why[BNRE_DOUBT]);
int bnre__posterior_far(const bnre_posterior *posterior, size_t observations,
                        double temper, char why[BNRE_DOUBT]);

/* ---- sessions from inside ---- */

const bnre_density *bnre__session_density(const bnre_session *session);

/* bnre_session_log_ratio() of an ensemble, and in each (members, n) of its
   members by themselves. Errors: also EINVAL for a density without members. */
BNRE_MUST_CHECK bnre_status bnre__session_log_ratio_each(bnre_session *session,
                                                         size_t n,
                                                         const double *theta,
                                                         double *out,
                                                         double *each);

/* out (n) likewise, but rough: see bnre_density. The same as log ratios where
   the density has nothing rougher. */
BNRE_MUST_CHECK bnre_status bnre__session_rough(bnre_session *session, size_t n,
                                                const double *theta,
                                                double *out);

#endif
