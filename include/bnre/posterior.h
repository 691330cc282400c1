/* posterior.h - a posterior on points: evidence, moments, quantiles, regions.

   Everything here comes from the log ratios at a set of points, so
   that it is the same for grids, banks and chains; what needs neighbours, as
   counting the parts of a region, is for grids only.

   The density of a posterior is that with respect to theta, q = p exp(l) / Z; of
   whole numbers it is a probability, and regions are the likeliest values.
   Where p is known by draws only it is replaced by the ratio exp(l) / Z. */
#ifndef BNRE_POSTERIOR_H
#define BNRE_POSTERIOR_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/density.h"
#include "bnre/prior.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- points: where a posterior is evaluated ----

   A set of points stands for the prior: each point for a share of its mass.
   With weights (mass of the point) x exp(log ratio) it stands for a posterior.

     grid    cells of equal prior mass: a regular grid in the quantiles of the
             prior, so that priors without bounds need no truncation; the point
             is the middle of its cell, or (jittered) any place in it
     paper   nodes at equal distances over the support, both ends included
     bank    independent draws of the prior; for any number of parameters

   A fixed parameter has one cell and does not count as a dimension of a grid;
   neither does a whole number, which has a cell for each value, of its probability.
   Points of a grid where a constraint of the prior does not hold are left out.
 */

typedef enum bnre_points_kind {
    BNRE_POINTS_GRID,
    BNRE_POINTS_PAPER,
    BNRE_POINTS_BANK,
    BNRE_POINTS_CHAIN, /* draws of a posterior (posterior.h): by chains, */
    BNRE_POINTS_DRAWS  /* or independent ones */
} bnre_points_kind;

enum { BNRE_GRID_DIMS = 3, BNRE_GRID_PAPER = 90 };

#define BNRE_NO_POINT ((size_t)-1)

/* To be read, not written, outside the library. */
typedef struct bnre_points {
    const bnre_prior *prior; /* borrowed */
    bnre_points_kind kind;
    size_t n, dim;
    double *theta;     /* (n, dim), inside the support */
    double *log_prior; /* (n) log p(theta); 0 where p is known by draws only:
                          "densest" then means "of the largest ratio" */
    double *log_mass;  /* (n) log of the prior mass it stands for; they add up
                          to 1, or to that of the box below */

    /* Of grids; 0 and NULL for others. */
    size_t cells;       /* product of axis */
    size_t *axis;       /* (dim) cells per parameter, the last runs fastest */
    double *low, *high; /* (dim) the box covered: of quantiles, from 0 to 1 or
                          less; of theta for `paper` */
    size_t *cell;       /* (n) the cell of each point, increasing */
} bnre_points;

typedef struct bnre_posterior bnre_posterior;

/* ---- from a session to a posterior ---- */

typedef enum bnre_sampler {
    BNRE_SAMPLER_AUTO,  /* a grid up to BNRE_GRID_DIMS free parameters, a bank
                          where the prior is known by draws, else independent
                          draws if that is possible, else chains */
    BNRE_SAMPLER_GRID,  /* cells of equal prior mass; without a size given,
                          laid again over where the mass is found */
    BNRE_SAMPLER_PAPER, /* the nodes of the reference */
    BNRE_SAMPLER_BANK,
    BNRE_SAMPLER_CHAIN,
    BNRE_SAMPLER_DRAWS /* independent draws, of densities that can be drawn from
                         (bnre_session_can_draw) */
} bnre_sampler;

typedef struct bnre_posterior_opts {
    bnre_sampler sampler;
    uint64_t seed;
    size_t grid; /* cells per parameter; 0: the default of points.h */
    size_t bank; /* draws of the prior, for banks and to start chains from */

    /* Markov chains. They start from a population of walkers that is led from
       the prior to the posterior, and go on until `draws` are there and they
       have converged, or for `steps` steps. */
    size_t walkers, chains;
    size_t draws;
    size_t steps;
    double rhat, ess; /* converged: R-hat at most, effective draws at least */

    /* For many posteriors in turn: `auto` takes independent draws first, grids
       that are laid again begin with 256, 48 or 20 cells per parameter, and the
       densest point is the densest that was met. */
    int quick;

    const bnre_monitor *monitor; /* may be NULL */
} bnre_posterior_opts;

/* auto, seed 1, a bank of 65536, 1024 walkers, 128 chains, 10,000 draws, up to
   6400 steps, R-hat 1.01 and 400 effective draws. */
BNRE_API bnre_posterior_opts bnre_posterior_opts_default(void);

/* The posterior of what the session observed; it owns its points. The same
   settings give the same bits for any number of threads. Chains that did not
   converge are no failure: see bnre_posterior_report().
   Errors: EUSAGE for methods that the prior does not allow, saying what to use
   instead, and for settings out of range; ENUM as for evaluate below; EINTR
   when the monitor asks to stop; those of the density; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_compute(bnre_session *session, const bnre_posterior_opts *opts,
                       bnre_posterior **out);

typedef struct bnre_convergence {
    double rhat; /* rank-normalised, split; 1 is perfect */
    double bulk; /* effective draws for means and medians, */
    double tail; /* and for the quantiles 5 % and 95 % */
} bnre_convergence;

typedef struct bnre_chain_report {
    int converged;
    char why[160]; /* in words, either way */
    size_t chains, steps;
    size_t stages;         /* from the prior to the posterior */
    size_t evaluations;    /* of the log ratio */
    double leaping, local; /* shares of accepted proposals */
    size_t worst;          /* parameter with the largest R-hat */
    size_t dim;
    const bnre_convergence *parameter; /* (dim), belongs to the posterior */
} bnre_chain_report;

/* How the chains went; NULL for posteriors on other points. */
BNRE_API const bnre_chain_report *
bnre_posterior_report(const bnre_posterior *posterior);

/* n draws, theta (n, dim): points by weight, on grids anywhere in their cell.
   From chains, when n is the number of points, the points themselves.
   Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_sample(
    const bnre_posterior *posterior, size_t n, uint64_t seed, double *theta);

BNRE_API void bnre_posterior_destroy(bnre_posterior *posterior);

/* What it stands on. */
BNRE_API const bnre_points *
bnre_posterior_points(const bnre_posterior *posterior);
/* (n) of the points: the log ratio, and the weights, which add up to 1. */
BNRE_API const double *
bnre_posterior_log_ratio(const bnre_posterior *posterior);
BNRE_API const double *bnre_posterior_weight(const bnre_posterior *posterior);

/* ---- what it says ---- */

/* log Z = log E_prior exp(l): log q = log_prior + log_ratio - log Z. */
typedef struct bnre_evidence {
    double log_z;
    double error;  /* its standard error; 0 for grids */
    double change; /* from the first half of the draws to all; 0 for grids */
    double ess;    /* effective number of points, (sum w)^2 / sum w^2, equal
                      rows counting as one; of chains the smallest of their
                      parameters */
} bnre_evidence;
BNRE_API bnre_evidence bnre_posterior_evidence(const bnre_posterior *posterior);

/* Whether it should not be used as it is: its chains did not converge, or its
   draws of the prior are worth fewer than BNRE_FEWEST_DRAWS distinct ones.
   `why` then says so, and what to do. */
enum { BNRE_DOUBT = 320, BNRE_FEWEST_DRAWS = 100 };

/* Whether its evidence says that the ratio is not to be believed where the data
   are: for one observation, whichever it is, an exact ratio has log Z = 0. The
   log ratios are `temper` times those of the estimator, which is undone. More
   than BNRE_FAR_EVIDENCE, and twice its error, from 0 is far: `why` then says
   what that means. Of several observations log Z is something else, and 0 is
   returned. */
#define BNRE_FAR_EVIDENCE 2.302585 /* log 10 */

/* mean (dim), and unless NULL covariance (dim, dim). */
BNRE_API void bnre_posterior_moments(const bnre_posterior *posterior,
                                     double *mean, double *covariance);

/* The densest point: theta (dim); returns log q there, normalised. For banks
   and chains of bnre_posterior_compute() it was looked for beyond the points,
   uphill from the densest. */
BNRE_API double bnre_posterior_mode(const bnre_posterior *posterior,
                                    double *theta);

/* out (n): quantiles of parameter i at the probabilities p (n), each within
   [0, 1]. On a grid mass is spread evenly (in quantiles of the prior) over its
   cell. Errors: EINVAL for other p or i; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_quantiles(const bnre_posterior *posterior, size_t i, size_t n,
                         const double *p, double *out);

/* A parameter in a few numbers: moments, the median and central intervals, and
   its value at the densest point. */
typedef struct bnre_summary {
    double mean, sd, median;
    double low68, high68; /* the quantiles 15.87 % and 84.13 %, */
    double low95, high95; /* 2.5 % and 97.5 % */
    double mode;
} bnre_summary;

/* out (dim). Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_summary(const bnre_posterior *posterior, bnre_summary *out);

/* Of a parameter that is a whole number: its values in increasing order and
   their probabilities, as many as fit (room). Returns how many there are; 0 if
   the parameter has a density. */
BNRE_API size_t bnre_posterior_values(const bnre_posterior *posterior, size_t i,
                                      size_t room, double *value,
                                      double *probability);

/* Posterior mass of what is denser than theta (dim), given what the session
   observed: the level of the smallest region that contains it. 1 outside the
   support. Errors: those of bnre_session_log_ratio(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_rank(const bnre_posterior *posterior, bnre_session *session,
                    const double *theta, double *rank);

/* The region of highest density at a level c: points from the densest down
   until their weights reach c, and those that tie with the last. */
typedef struct bnre_region {
    double level;
    double content;    /* posterior mass inside, >= level */
    double threshold;  /* theta is inside if log_prior + log_ratio, as they are
                          (not normalised), is >= this */
    double prior_mass; /* share of the prior inside */
    double volume;     /* in units of theta: sum of mass / density of points */
    size_t count;      /* points inside */
    size_t parts;      /* that do not touch, on grids; 0 for others */
} bnre_region;

/* out (n) for levels (n), each in (0, 1). Errors: EINVAL for others; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_regions(
    bnre_posterior *posterior, size_t n, const double *level, bnre_region *out);

/* Whether theta (n, dim) lie in a region of what the session observed: inside
   (n) receives 0 or 1; outside the support of the prior always 0. Errors: those
   of bnre_session_log_ratio(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_region_contains(const bnre_region *region, bnre_session *session, size_t n,
                     const double *theta, int *inside);

/* In one free dimension: the intervals that make up a region, in increasing
   order, with ends where the density interpolates to the threshold. *n receives
   their number, low and high (room for *n of them, may both be NULL) as many as
   fit. Errors: EINVAL unless the posterior is on a grid with one free
   parameter. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_intervals(
    const bnre_posterior *posterior, const bnre_region *region, size_t *n,
    double *low, double *high);

/* Posterior mass of the cells of one axis of a grid:
   mass (axis[i]), which divided by the width is the marginal density.
   Errors: EINVAL if there is no such axis. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_marginal(
    const bnre_posterior *posterior, size_t i, double *mass);

/* The same of two parameters: mass (axis[i], axis[j]), i different from j. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_marginal_pair(
    const bnre_posterior *posterior, size_t i, size_t j, double *mass);

#ifdef __cplusplus
}
#endif
#endif
