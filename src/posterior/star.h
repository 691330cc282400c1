/* star.h - parameters that are exchangeable with the true ones if a posterior
   is right, found by Markov chains that need not converge.

   Besag and Clifford (Generalized Monte Carlo significance tests, Biometrika
   76, 1989): from theta* a chain runs k steps back to a hub, and from the hub
   L chains run k steps forward. Let the kernel K be reversible for q(theta|x).
   If theta* ~ q, then so is the hub h, and given h

     q(theta*) K^k(theta*, h) = q(h) K^k(h, theta*):

   theta* is distributed as if it were one more end of a chain from the hub. So
   given h theta* and the L ends are independent draws of one law, hence
   exchangeable, whatever k, however poorly the chains mix, and though the ends
   have a hub in common. What is needed for that:

   - K is fixed before theta* is seen: what its moves learn and how large their
     steps are comes from a population that knows x alone, drawn from a stream
     of its own;
   - K is reversible: Metropolis steps of three kinds, in an order that is its
     own reverse. The numbers of strides of glides are those of the way back in
     reverse order; the leaps' density is exact but for the share of the prior
     that constraints accept (known to 0.4 %), which matters where the prior's
     part of the leaps outweighs the mixture's;
   - rejected steps make ends that coincide, with each other and with theta*:
     ties, which ranks share out at random. So theta* is mapped to the real line
     and back, as the ends are.

   If theta* ~ q_tau, proportional to p exp(tau l), and the chains are those of
   q_s, the same identity gives theta* a factor q_tau / q_s more than any other
   end would have: given the set, point j is the true one with a probability
   proportional to exp((tau - s) l_j). So one star serves several tau.

   Chains that hardly move hide errors: their ends are about where theta* is,
   and its rank among them is chance. The population, which never saw theta*,
   moves forward as the ends do, and tells (bnre__star_recall). */
#ifndef BNRE_POSTERIOR_STAR_H
#define BNRE_POSTERIOR_STAR_H

#include "bnre/density.h"
#include "posterior/moves.h"

typedef struct bnre__star {
    bnre__target target;
    bnre__moves moves;
    size_t ends, steps, others; /* L, k, and the population */
    int careful;
    double tau;            /* of the posterior that the chains are for */
    int lost;              /* the population did not find the posterior:
                                   all ends are theta* */
    bnre__walkers first;   /* (others) the population as it was found */
    bnre__walkers hub;     /* (1) */
    bnre__walkers walkers; /* (ends + others) */
    uint64_t *strides;     /* (steps) */

    /* Leaps on the way forward: l there, and log p exp(tau l) less the log
       density of leaps. */
    size_t leaps;
    double *leap_ratio, *leap_weight; /* (steps (ends + others)) */
    double *place; /* (others) log densities of the population, sorted */
} bnre__star;

/* The session is borrowed. `careful`: spend more on the population. Errors: EUSAGE for a prior known by draws or without
   free parameters; ENOMEM. Start from {0} and clear it in any case. */
BNRE_MUST_CHECK bnre_status bnre__star_init(bnre__star *star,
                                            bnre_session *session, size_t ends,
                                            size_t steps, int careful);
void bnre__star_clear(bnre__star *star);

/* Prepare for what the session has observed, at tau: `rng` must know nothing of
   theta*. */
BNRE_MUST_CHECK bnre_status bnre__star_tune(bnre__star *star, double tau,
                                            bnre_rng *rng);

/* theta (ends, dim) from the true one, `own` (dim), which becomes what the
   chains take it for. */
BNRE_MUST_CHECK bnre_status bnre__star_draw(bnre__star *star, bnre_rng *rng,
                                            double *own, double *theta);

/* log of the integral of p exp(tau l), by bridge sampling between leaps and the
   population; NaN if no leap was possible. Theta* has no part in it. */
double bnre__star_evidence(const bnre__star *star, double tau);

/* Where densities are among those of the population: from 0, denser than all,
   to 1. */
typedef struct bnre__recall {
    double own;    /* of theta* */
    double mean;   /* of its ends, on average, */
    double spread; /* and their variance, in units of 1/12, which a uniform
                      law has */
} bnre__recall;

/* From log p + tau l of theta* and of the ends (ends). Without a population,
   nothing is known: a spread of 0. */
bnre__recall bnre__star_recall(bnre__star *star, double own, const double *end,
                               bnre_rng *rng);

#endif
