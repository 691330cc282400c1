/* diag.h - whether a posterior can be trusted, from fresh pairs.

   Pairs (theta*, x) that an estimator has not seen tell how often its regions
   contain the truth, how much it has learned, and where it errs.
   All of it comes from one pass over the pairs: for each, the log ratio at J
   points of the prior and at theta*.

   For the ranks theta* takes a place among the points: that of the point in its
   own cell, or one more in a bank of draws. Given the whole set, each point is
   the true one with a probability proportional to its weight, w = exp(l) times
   the prior mass of its cell, if l is the true log ratio. So

     r* = (sum of the weights of denser points + u times those that tie with
           theta*, itself included) / (sum of all weights),   u ~ U(0, 1)

   is exactly uniform for an exact posterior, whatever J is: no discretisation
   shows. Few points make the errors of an estimator harder to see: if too few
   of them bear weight more are taken, and in the end the verdict is BLIND. The
   points depend on x alone (a hash of it and the seed).

   A posterior that can be drawn from (density.h) is compared with draws of its
   own: theta* and L draws are exchangeable if it is right, so

     r* = (draws that are denser + u (1 + draws that tie)) / (L + 1)

   is uniform for every L and any number of parameters, and nobody is BLIND.
   These draws depend on the pair and the seed.

   Any other posterior of more than three parameters is compared with the ends
   of Markov chains: some steps back from theta* to a hub, and from there as
   many forward, L times. These are exchangeable with theta* too if the
   posterior is right, however poorly the chains mix (Besag and Clifford 1989).
   Chains that remember where they began hide errors, so what they remember is
   measured, and steps are added; in the end the verdict is BLIND. */
#ifndef BNRE_DIAG_H
#define BNRE_DIAG_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/pool.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from ranks to a verdict ----

   The rank r* of a pair (theta*, x) is the posterior mass of all theta that are
   denser than theta*; coverage at a level c is the share of pairs with
   r* <= c. It is c for an exact posterior, larger for a conservative one and
   smaller for an overconfident one. What follows from ranks, wherever they come
   from: */

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

/* At confidence 1 - delta and tolerance eps, the first that holds:

   UNINFORMATIVE  the gain is not significantly above least_gain (in nats);
   CONSERVATIVE   at every level the lower bound at delta is >= level - eps;
   OVERCONFIDENT  at some level the upper bound at delta / 19 is < level - eps;
   INCONCLUSIVE   otherwise.

   BLIND is said by a diagnosis, in place of any of these, if its points do not
   resolve the posteriors, so that errors may go unseen. Nothing here holds for
   a single observation: all is on average over the prior. */
typedef enum bnre_verdict {
    BNRE_CONSERVATIVE,
    BNRE_OVERCONFIDENT,
    BNRE_INCONCLUSIVE,
    BNRE_UNINFORMATIVE,
    BNRE_BLIND
} bnre_verdict;

/* "CONSERVATIVE" ... */
BNRE_API const char *bnre_verdict_name(bnre_verdict verdict);

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

    const char *over; /* what all of it is an average over, in words; NULL = the
                         prior. Set by a diagnosis, borrowed */

    /* Set by a diagnosis: the share of ranks that is chance, for want of
       points, and how many of these (cells or draws of a pair) were tried where
       they did not suffice. NaN, 0 = not known. */
    double chance;
    size_t tried;
    size_t steps; /* of Markov chains behind the ranks, each way: chance is then
                     what they remember, mostly, and steps were tried; 0 = none
                  */
} bnre_judgement;

/* The verdict in a sentence or two, which the caller frees with bnre_free().
   Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_judgement_words(const bnre_judgement *judgement, char **out);

typedef struct bnre_uniformity {
    double ks;         /* Kolmogorov-Smirnov distance */
    double ks_p;       /* P(at least as far | uniform) */
    double chi_square; /* of the histogram */
    double chi_square_p;
} bnre_uniformity;

typedef enum bnre_diag_grid {
    BNRE_DIAG_AUTO,   /* cells if their number per parameter is given; fitted
                         if `fitted` or `strata` are; else draws of the posterior
                         where they can be had; else a bank if `draws` is given,
                         or the prior has no density; else chains for more than
                         three parameters that are not fixed; else fitted */
    BNRE_DIAG_CELLS,  /* a random point in each cell of equal prior mass */
    BNRE_DIAG_BANK,   /* draws of the prior */
    BNRE_DIAG_PAPER,  /* the reference's: 90 nodes per parameter, both ends
                         included, theta* not among them, r* the mass that is
                         denser, covered if r* < level; for comparison with
                         published curves */
    BNRE_DIAG_FITTED, /* a random point in each cell, and cells that are small
                        where the posterior is: cut where other points,
                        which serve for nothing else, found it dense */
    BNRE_DIAG_DRAWS,  /* draws of the posterior itself: for a single
                         observation, tau = 1 alone and no look at members, of a
                         density that can be drawn from */
    BNRE_DIAG_CHAINS  /* ends of Markov chains that began at theta*; the prior
                         has a density */
} bnre_diag_grid;

typedef struct bnre_diag_opts {
    bnre_diag_grid grid;
    size_t cells;  /* of a grid, per parameter; 0: 256, 19 or 7 for 1, 2 or 3
                      parameters, 90 for the reference's */
    size_t fitted; /* cells in all, of fitted ones; 0: 96, 384 or 512 for 1, 2
                      or more parameters */
    size_t strata; /* points for them, about so many; 0: nearly one in each.
                      With fewer, cells of like density have one in common,
                      and there are more cells than `fitted` where these are
                      too coarse: enough for coverage and information of all
                      but the narrowest posteriors (see ess), not for single
                      parameters; what more points would change is not
                      looked at then */
    size_t draws;  /* of a bank; 0: 512. Of the posterior, or ends of chains;
                      0: 100, and 10 are the least */
    size_t steps;  /* of chains, each way, to begin with; 0: 4 */

    /* Where so many points do not resolve the posteriors (their ranks are
       chance, see BNRE_BLIND) twice as many are taken, and again, but no more
       of `fitted` or `draws` than this; 0: 8192. Grids stay as they are. */
    size_t most_points;
    size_t most_steps; /* the same of the steps of chains, where these remember
                          too much of where they began; 0: 32 */

    /* Posteriors p exp(tau l) / Z for each of n_temper values, from the same
       evaluations; all that is not of a curve below is of the first. NULL:
       tau = 1 alone. */
    const double *temper;
    size_t n_temper;

    /* Instead of tempers, posteriors whose widths are times each of n_widen
       values, for densities that take many x (density.h): by draws of the
       density as it is, whose widths the first value must be. In the curve of
       another, points have weights q / (q of the first): of the draws and
       theta* each is the true one with a probability proportional to it if q
       is right, so that ranks are as exact. NULL: as it is. */
    const double *widen;
    size_t n_widen;

    size_t most; /* pairs of a dataset; 0: all. The first ones if rows were
                    simulated for draws from the prior; any others may be
                    sorted, and some are drawn */

    int each_member; /* look at the members too, if the density has any */

    double delta, eps, least_gain; /* of the verdict: 0.05, 0.02, 0.05 */
    const char *over; /* what the pairs are drawn from, for the words of the
                         verdict: "the new prior"; NULL = the prior */
    size_t bins;      /* of histograms: 20 */
    uint64_t seed;    /* 1 */
    bnre_pool *pool;  /* borrowed; NULL = one thread */
    const bnre_monitor *monitor; /* borrowed; NULL = silent */
} bnre_diag_opts;

BNRE_API bnre_diag_opts bnre_diag_opts_default(void);

/* What depends on tau. Arrays are (n), in the order of the pairs. */
typedef struct bnre_diag_curve {
    double tau;
    double *rank;    /* r* */
    double *gain;    /* log q(theta* | x) - log p(theta*), normalised; NaN if
                     unknown */
    double *ess;     /* effective number of points, (sum w)^2 / sum w^2 */
    double *balance; /* d(theta*, x) + d(theta', x) by sigmoid(l), whatever tau
 is */
    bnre_coverage coverage;
    bnre_estimate information; /* mean of gain, in nats */
    bnre_estimate balanced;    /* mean of balance */
    bnre_judgement judgement;
    double ess_median, ess_low; /* its median and 5 % quantile over pairs */
} bnre_diag_curve;

/* What there is of each parameter. */
typedef struct bnre_diag_parameter {
    char *name;
    double scale; /* 12 Var(prior), which is width^2 for a uniform prior; NaN
                     where the prior has no variance */

    /* Mean over pairs of (posterior mean - theta*)^2 and of the posterior
       variance, both divided by the scale. */
    bnre_estimate bias, variance;

    double *rank;      /* (n) posterior mass of smaller values: SBC */
    size_t *histogram; /* (bins) of the ranks */
    bnre_uniformity sbc;
} bnre_diag_parameter;

typedef struct bnre_diag {
    size_t n;     /* pairs that were looked at */
    size_t asked; /* pairs there were; more than n after an interruption */
    size_t dim, observations, bins;
    bnre_diag_grid grid; /* never AUTO; BANK also for samples made elsewhere */
    size_t points;       /* per pair on average, theta* not counted */
    size_t evaluations;  /* of the density, likewise, rough ones included, and
                            those with fewer points before; 0 for samples */
    uint64_t seed;

    size_t n_curves;
    bnre_diag_curve *curve;         /* (n_curves) */
    bnre_diag_parameter *parameter; /* (dim) */

    /* Mean over pairs of the log density at theta*: normalised, its median over
       pairs, and raw, log p + tau l as it comes out of the network. NaN where
       the prior is known by draws only, or densities are not given. */
    bnre_estimate log_posterior, raw_log_posterior;
    double log_posterior_median;

    /* Change of the information gain when the number of points doubles,
       measured on every sixteenth pair; NaN for the reference's grid, and for
       draws of the posterior, whose gain is exact. */
    bnre_estimate doubling;

    /* B = E_joint[d] + E_marginal[d], 1 for the exact classifier; the marginal
       pairs are the same thetas in another order. d = sigmoid(l) (NaN for
       several observations, whose sum of l is no classifier), and
       d = sigmoid(log q - log p) with q normalised. */
    bnre_estimate balance, normalised_balance;

    /* Mean share of the prior's mass in the regions of each level; of nodes
       for the reference's grid. */
    double volume[BNRE_DIAG_LEVELS];
    double volume_error[BNRE_DIAG_LEVELS]; /* its standard error */

    /* TARP: posterior mass nearer to a random point of the prior than theta*
       is, distances in units of the prior's spread. */
    double *tarp_rank; /* (n) */
    bnre_coverage tarp;
    bnre_uniformity tarp_uniformity;

    size_t n_members;
    bnre_estimate *member_auc; /* (n_members) coverage AUC of each, tau = 1 */
    bnre_estimate spread;      /* over the members, standard deviation of the
                                  log ratio at theta*; NaN without members */
} bnre_diag;

/* Diagnose `density` on n >= 20 pairs in memory: theta (n, dim), and x
   (n, observations, x_size): `observations` >= 1 independent ones of each
   theta, whose log ratios are added. The caller owns *out. The result does not
   depend on the number of threads.

   Errors: EUSAGE for fewer than 20 pairs, for settings outside their range, for
   a theta outside the prior; ENUM for values that are not finite; EINTR when
   the monitor asked to stop: *out then holds the pairs that were done, if there
   are 20, and otherwise is NULL as after every other failure; ENOMEM; those of
   the density. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_diagnose(const bnre_density *density, size_t n, size_t observations,
              const double *theta, const double *x, const bnre_diag_opts *opts,
              bnre_diag **out);

/* The same with the pairs of a dataset, which may be larger than memory; rows
   that failed are left out. Of several observations, rows 0..K-1 are those of
   the first pair and hold the same theta, and so on. Errors: also EUSAGE when
   they do not, or when the dataset's shapes are not the density's; those of
   bnre_dataset_read(). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_diagnose_dataset(
    const bnre_density *density, bnre_dataset *data, size_t observations,
    const bnre_diag_opts *opts, bnre_diag **out);

/* Posteriors made elsewhere: for each of n pairs `samples` independent draws
   (thin Markov chains before). */
typedef struct bnre_diag_samples {
    size_t n, samples, dim;
    const double *theta;  /* (n, dim) the truth */
    const double *sample; /* (n, samples, dim) */

    /* Log densities (n, samples) of the samples and (n) of theta*, both NULL if
       unknown: there are then no ranks by density, so no coverage and no
       verdict, but only SBC and TARP. */
    const double *log_density, *log_density_true;
    int normalised; /* the densities integrate to 1: gives the gain */

    const bnre_prior *prior; /* NULL if unknown: no gain, and scales are those
                                of the theta given */
    const char *const *name; /* (dim); NULL: of the prior, or theta_0, ... */
    char **own_name;         /* (dim) what a file calls them, of those that were
                                read from one; NULL without */
} bnre_diag_samples;

/* Diagnose them. Of the options delta, eps, least_gain, bins and seed count.
   Without densities n_curves is 0. Errors: EUSAGE; ENUM; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_diagnose_samples(const bnre_diag_samples *samples,
                      const bnre_diag_opts *opts, bnre_diag **out);

BNRE_API void bnre_diag_destroy(bnre_diag *diag); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
