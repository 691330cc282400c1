/* anneal.h - from the prior to the posterior in steps.

   A population of walkers starts as draws of the prior, weighted; then beta
   grows from 0 to 1 as fast as the weights allow, and after each step walkers
   are chosen by weight and moved. So it finds posteriors that are far narrower
   than the prior, and all modes that the prior's draws lead to, in proportion
   to their mass. */
#ifndef BNRE_POSTERIOR_ANNEAL_H
#define BNRE_POSTERIOR_ANNEAL_H

#include "posterior/moves.h"

/* How much is spent on a step of beta. */
typedef struct bnre__anneal_pace {
    double share; /* of the walkers that stay effective */
    double moved; /* times that each is moved on average */
    int least;    /* steps, at least */
} bnre__anneal_pace;

extern const bnre__anneal_pace bnre__anneal_careful; /* to be what counts */
extern const bnre__anneal_pace bnre__anneal_brisk;   /* to start from */

/* Fill `walkers` with points distributed about as the posterior, from `bank`
   draws of the prior; stages receives how many steps beta took. The moves have
   learned from them. Errors: ENUM when nothing in the bank is possible, or when
   the log ratio is so steep that beta does not reach 1; those of the session.
 */
BNRE_MUST_CHECK bnre_status bnre__anneal(bnre__moves *moves,
                                         bnre__anneal_pace pace, size_t bank,
                                         bnre_rng *prior_rng, bnre_rng *rng,
                                         bnre__walkers *walkers,
                                         size_t *stages);

#endif
