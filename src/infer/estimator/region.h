/* region.h - a part of the prior that holds the posterior of one observation.

   On paper. An estimator q of conditional densities, an observation x_o and a
   small level make a region

     R = { theta : theta_j in S_j(theta_<j) for all j }

   of one set for each of the D factors, an interval or several, in the
   coordinates c of the estimator (those of the prior, or places in the region
   it has itself). There are two kinds of sets. One follows the networks: with
   q the mixture of all members (its conditionals weigh members by the product
   of their earlier factors, as the chain rule has it) and beta = 1 - (1 -
   level)^(1/D),

     S_j(theta_<j) = where q_j(. | x_o, theta_<j) is densest, all but beta of it

   The other is fixed, but for slopes,

     S_j(theta_<j) = { c_j : c_j - sum_k<j b_jk c_k in T_j }

   where T_j holds all but level / D of the draws of q(. | x_o), b_j = 0 or the
   slopes by which least squares make T_j small. Either way q leaves at most
   the level outside of R. Modes that lie apart leave gaps that are no part of R;
   slopes and networks follow correlations, which no box does.

   Which kind (region_settle.c): the simplest, unless slopes make the set smaller
   than 4/5 of it, or the networks than 4/5 for each parameter that they follow.
   That is no matter of taste.
   The next round learns the density of places in R, and where places are a
   simple function of theta, what there is to learn is as simple as it was: with
   fixed sets it is the same problem seen from nearer. With sets that follow, a
   place is a function of what the earlier networks made of x_o and of all
   earlier parameters, errors and all; ten parameters were then learned worse in
   a region of 1e-5 of the prior than in all of it (docs/infer.md).

   The mixture, not the union of members' own sets: a mode that only
   one of K members knows has about 1/K of the mass and stays as long as that is
   above beta; but what a member says beyond its own posterior does not count.

   Coordinates. u_j = place of theta_j in S_j(theta_<j), by mass of the prior:
   between 0 and 1, gaps left out. In these R is the unit cube and a posterior
   of any narrowness fills it again. The cut is exactly at the ends of the cube
   for every x, also for those whose posteriors R cuts off, which in many
   dimensions are nearly all: a density within the cube has no mass to lose
   outside, is normalised, and its ranks are uniform where it is right. (Places
   in a box around sets that follow would have to learn those borders.) The
   prior is not uniform there: with w(theta) = prod_j P_j(S_j), its density is
   w / P(R), and

     log q(theta) - log p(theta) = log q(u) - log w(theta)

   for a density q(u) in the cube. p is the whole prior: that of R is p / P(R).
   Conditions that put parameters in order (a >= b) are in the coordinates of
   the prior already, and their shares are a part of w. With fixed sets w is the
   same everywhere but where the prior's bounds cut sets that slopes have moved.

   Draws of the prior within R: u uniform in the cube, kept with probability
   w / max w. A maximum that was found by looking is no bound: a draw above it
   raises it, and each earlier one stays with probability old / new, before
   anything is simulated. P(R) is the mean of w over all proposals.

   Regions nest: an estimator of R_1 has coordinates of R_1, in which its own
   sets make R_2 within R_1. So an estimator with a region owns the estimator
   that made the region, and so on: the list of estimators is the region.

   What may be claimed. The level is of q, not of the truth, and is chosen by how
   often held-out truths of the round fall outside sets that follow, for their
   own data (rounds/place.c). The region was made from the earlier simulations,
   so those inside it are no independent draws given R: they teach, but do not
   check.

   What goes wrong, and where it is tested (tests/infer/test_region.c,
   tests/rounds): a mode with little mass (kept while it has more than beta);
   posteriors pressed against a bound of the prior (sets end there); sets in
   pieces (places and back); conditions between parameters; discrete x (nothing
   here needs a density of x); draws that do not follow p within R (compared
   with rejection). A prior known by draws has no density to restrict, and
   conditions that are no order cannot be drawn from by intervals: both are
   refused. */
#ifndef BNRE_INFER_REGION_H
#define BNRE_INFER_REGION_H

#include "bnre/estimator.h"
#include "bnre/pool.h"
#include "bnre/rng.h"

typedef struct bnre__region {
    bnre_estimator *earlier; /* owned: that which made it */
    double *x;               /* (x_size): the observation */
    double *sets;            /* (factors, bnre__region_numbers) of factors; all
                                follow until it is settled */
    double level;            /* q leaves at most this outside */
    double alpha;            /* what may be cut off, as it is told */
    double share, error;     /* P(R) of the whole prior, with standard error */
    double rare; /* with fewer proposals kept than this share a chain takes
                    over; BNRE__RARE */
} bnre__region;

/* As long as one in a thousand is kept, drawing takes no time worth saving. */
#define BNRE__RARE 1e-3

/* Takes `earlier`, also on failure; alpha is the level until it is set. Errors: EUSAGE for an estimator that is no
   conditional density, is tempered, has a prior known by draws or with
   conditions that are no order; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__region_create(bnre_estimator *earlier,
                                                const double *x, double level,
                                                bnre__region **out);
void bnre__region_destroy(bnre__region *region); /* NULL is fine */

/* Numbers that a factor has in region->sets: how many pieces its fixed set has,
   0 = it follows; slopes (factors); lower ends and upper ends of pieces. */
size_t bnre__region_numbers(const bnre_estimator *earlier);

/* Which sets are fixed: decides by draws of q. Errors: ENUM; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__region_settle(bnre__region *region,
                                                uint64_t seed);

/* Whether an estimator can make a region. Errors: EUSAGE, as above. */
BNRE_MUST_CHECK bnre_status bnre__region_check(const bnre_estimator *earlier);

/* ---- one thread ---- */

typedef struct bnre__region_room bnre__region_room;

BNRE_MUST_CHECK bnre_status bnre__region_room_open(const bnre__region *region,
                                                   bnre__region_room **out);
/* The same by the members that have not seen a fold. */
BNRE_MUST_CHECK bnre_status bnre__region_room_open_fold(
    const bnre__region *region, size_t fold, bnre__region_room **out);
/* From now on the region of another observation than its own. */
BNRE_MUST_CHECK bnre_status bnre__region_room_observe(bnre__region_room *room,
                                                      const double *x);
void bnre__region_room_close(bnre__region_room *room);

/* From theta (n, dim), inside the support of the prior, to u (n, dim); log_w
   (n) is log w, and -inf where theta is outside, whose u is somewhere in the
   cube. Fixed parameters have u = their value. */
BNRE_MUST_CHECK bnre_status bnre__region_places(bnre__region_room *room,
                                                size_t n, const double *theta,
                                                double *u, double *log_w);
/* The way back. */
BNRE_MUST_CHECK bnre_status bnre__region_values(bnre__region_room *room,
                                                size_t n, const double *u,
                                                double *theta, double *log_w);

/* How near to an end of its sets that is no bound of the prior a draw has to
   be to be at the border, in places. */
#define BNRE__BORDER 0.005

/* After calls of the functions above: the largest density, over factors, of
   what they looked at near such ends, 1 being what is uniform in the cube; and
   begin to count anew. Posteriors that fill a region have little there; one
   that was cut off has much. */
double bnre__region_border(bnre__region_room *room);

/* ---- the whole region ---- */

/* How drawing went. */
typedef struct bnre__region_draws {
    size_t proposals, raised; /* the latter: how often the maximum was raised
                                 after the first 1,000 */
    double acceptance;
    int chain; /* by a Markov chain, as hardly any proposal is kept */
} bnre__region_draws;

/* n draws, theta (n, dim), of the prior within the region; sets region->share
   and ->error. The same for any pool. Errors: ENUM when w is 0 everywhere;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__region_draw(bnre__region *region,
                                              bnre_pool *pool, uint64_t seed,
                                              size_t n, double *theta,
                                              bnre__region_draws *how);

/* u (n, dim) and log_w (n) of theta (n, dim), by all threads. */
BNRE_MUST_CHECK bnre_status bnre__region_map(const bnre__region *region,
                                             bnre_pool *pool, size_t n,
                                             const double *theta, double *u,
                                             double *log_w);

#endif
