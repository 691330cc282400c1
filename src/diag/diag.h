/* diag.h - how a diagnosis goes: pairs from somewhere, a look at each of them
   by one of several threads, and a summary. */
#ifndef BNRE_DIAG_DIAG_H
#define BNRE_DIAG_DIAG_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/diag.h"

/* Pairs that are read by blocks. */
typedef struct bnre__pairs {
    size_t n, observations;
    const double *theta;  /* (n, dim) */
    const uint8_t *group; /* (n) marginal pairs are made within each of these;
                             NULL: all are alike */
    const double *weight; /* (n) how much each counts in coverage, information
                             and balance; NULL: all the same */
    void *self;
    /* x (n, observations, x_size) of pairs first..first+n-1. */
    bnre_status (*read)(void *self, size_t first, size_t n, double *x);
} bnre__pairs;

/* As often as it takes: with more points where they do not suffice. */
BNRE_MUST_CHECK bnre_status bnre__diagnose(const bnre_density *density,
                                           const bnre__pairs *pairs,
                                           const bnre_diag_opts *opts,
                                           bnre_diag **out);

/* Once, with the points that the options ask for. */
BNRE_MUST_CHECK bnre_status bnre__diagnose_once(const bnre_density *density,
                                                const bnre__pairs *pairs,
                                                const bnre_diag_opts *opts,
                                                bnre_diag **out);

/* Of a bank and of a posterior, unless told otherwise. */
enum { BNRE__DRAWS = 512, BNRE__POSTERIOR_DRAWS = 100, BNRE__CHAIN_STEPS = 4 };

/* Of chains, each way. */
size_t bnre__steps_of(const bnre_diag_opts *opts);

/* More parameters than this are too many for points of the prior. */
enum { BNRE__FEW_PARAMETERS = 3 };

/* What is kept of each pair until all are summed up, besides what the result
   keeps: arrays (n), unless they say more. */
typedef struct bnre__found {
    size_t n, dim, members;
    int fixed;            /* all parameters are: there is nothing to resolve */
    double *log_prior;    /* of theta*; NaN if unknown */
    double *log_ratio;    /* of theta*, tau = 1 */
    double *gain_change;  /* when the points double; NaN if not looked at */
    double *balance;      /* d(theta, x) + d(theta', x) by sigmoid(l) */
    double *normalised;   /* the same by sigmoid(log q - log p) */
    double *error;        /* (n, dim) posterior mean - theta* */
    double *variance;     /* (n, dim) of the posterior */
    double *rank;         /* (n, dim) by each parameter */
    double *member_ratio; /* (n, members) log ratio of theta* */
    double *member_rank;  /* (n, members) */
    float *volume;        /* (n, BNRE_DIAG_LEVELS) */
    size_t curves;
    double *place; /* (n, curves, 2) of theta*, and of ends of its chains on
                      average (star.h) */
    const double *weight; /* borrowed from the pairs; NULL: all the same */
    unsigned char *done;  /* whether it was looked at */
} bnre__found;

/* An empty result with room for n pairs, and what is found on the way. */
BNRE_MUST_CHECK bnre_status bnre__diag_create(size_t n, size_t dim,
                                              size_t curves, size_t members,
                                              const bnre_diag_opts *opts,
                                              bnre_diag **out);
BNRE_MUST_CHECK bnre_status bnre__found_init(bnre__found *found, size_t n,
                                             size_t dim, size_t members,
                                             size_t curves);
void bnre__found_clear(bnre__found *found);

/* Leave out of both what was not looked at. */
void bnre__diag_compact(bnre_diag *diag, bnre__found *found);

/* Everything that is a mean, a test or a verdict. */
BNRE_MUST_CHECK bnre_status bnre__diag_summarise(bnre_diag *diag,
                                                 const bnre__found *found,
                                                 const bnre_diag_opts *opts);

/* Refuse settings that make no sense. */
BNRE_MUST_CHECK bnre_status bnre__diag_check(size_t n,
                                             const bnre_diag_opts *opts);

/* How far apart values of parameter i are, for distances: the standard
   deviation of the prior, or as much of its quartiles; 1 if fixed. */
double bnre__prior_spread(const bnre_prior *prior, size_t i);

/* Whose theta makes the marginal pair of each: other (n). Pairs form a random
   cycle, so that none keeps its own, or one in each group (n) unless it is NULL;
   with `any`, a random order in which one pair does so on average, as the
   reference has it. Uses order (n). */
void bnre__pair_up(size_t n, const uint8_t *group, uint64_t seed, int any,
                   size_t *order, size_t *other);

/* How many parameters are not fixed. */
size_t bnre__free_parameters(const bnre_prior *prior);

/* What one thread needs to look at pairs. */
typedef struct bnre__look bnre__look;

typedef struct bnre__look_job {
    const bnre_density *density;
    const bnre_diag_opts *opts;
    bnre_diag_grid grid; /* not AUTO */
    const double *theta; /* (n, dim) of all pairs */
    size_t observations;
    const size_t *other;  /* (n) whose theta makes the marginal pair of each */
    const double *spread; /* (dim) */
    bnre_diag *diag;
    bnre__found *found;
} bnre__look_job;

BNRE_MUST_CHECK bnre_status bnre__look_create(const bnre__look_job *job,
                                              bnre__look **out);
void bnre__look_destroy(bnre__look *look);

/* Add the points, theta* not counted, of all pairs that were looked at so far,
   and the evaluations of the density; those to see what more points would
   change are not counted. */
void bnre__look_count(const bnre__look *look, size_t *points,
                      size_t *evaluations);

/* Look at pair i with observations x (observations, x_size). */
BNRE_MUST_CHECK bnre_status bnre__look_at(bnre__look *look, size_t i,
                                          const double *x);

/* Look at pairs i, i + 1, ..., n of them, with x (n, observations, x_size): one
   after the other, or together where the density can, which changes no bit of
   what is found. */
BNRE_MUST_CHECK bnre_status bnre__look_at_some(bnre__look *look, size_t i,
                                               size_t n, const double *x);

/* Coverage of n >= 1 ranks in [0, 1], with intervals at confidence 1 - delta,
   0 < delta < 1. `strict` counts r* < level, as the paper does on its grid. */
void bnre__coverage_of(size_t n, const double *rank, int strict, double delta,
                       bnre_coverage *out);

/* Bounds at confidence 1 - delta on a probability of which k of n trials
   succeeded, each one-sided (Clopper-Pearson). */
double bnre__binomial_lower(size_t k, size_t n, double delta);
double bnre__binomial_upper(size_t k, size_t n, double delta);

/* The verdict of this name; 0 if there is none. */
int bnre__verdict_find(const char *name, bnre_verdict *out);

/* The verdict by the rules of bnre/diag.h; `low` is filled in whatever it is. A
   gain whose mean is NaN is not looked at. */
void bnre__judge(const bnre_coverage *coverage, bnre_estimate gain,
                 double delta, double eps, double least_gain,
                 bnre_judgement *out);

/* Whether to go on with such an estimator: EDOUBT for
   OVERCONFIDENT, UNINFORMATIVE and BLIND, if `strict` also for INCONCLUSIVE; OK
   for the others. */
BNRE_MUST_CHECK bnre_status
bnre__judgement_check(const bnre_judgement *judgement, int strict);

/* Tests of n >= 1 values in [0, 1], and their histogram count (bins). */
BNRE_MUST_CHECK bnre_status bnre__uniformity_of(size_t n, const double *value,
                                                size_t bins, size_t *count,
                                                bnre_uniformity *out);

#endif
