/* moves.h - Metropolis steps of many walkers at once.

   Three kinds, each of which leaves the target as it is:

     leap    to a draw of a mixture fitted to earlier points, or of the prior:
             crosses between modes; walkers forget where they were. One
             evaluation each, and O(m^2)
     differ  by a scaled difference of two earlier points of the same component:
             follows the shape of the target without its gradient (ter Braak
             and Vrugt 2008). One evaluation each
     glide   along the gradient, in many small steps (Hamiltonian Monte Carlo:
             Neal 2011). As many evaluations with gradient as it has steps

   All walkers make the same kind at a time, so each step is one batch for the
   density. What a step learns from is fixed between calls of
   bnre__moves_learn(), so that walkers are independent Markov chains. */
#ifndef BNRE_POSTERIOR_MOVES_H
#define BNRE_POSTERIOR_MOVES_H

#include "bnre/rng.h"
#include "posterior/mixture.h"
#include "posterior/target.h"

typedef struct bnre__moves {
    bnre__target *target; /* borrowed */
    size_t most;          /* walkers at a time */
    bnre__walkers next;   /* proposals */
    double *log_weight;   /* (most) of the last leaps: log pi_1 / density of
                             the proposal, whose mean is the evidence */
    double *leap_ratio;   /* (most) and the ratio at the proposal */
    unsigned char *alive; /* (most) gliding walkers that may be accepted */
    double *momentum, *energy; /* (most, m), (most) */

    bnre__mixture mixture;
    double *factor; /* (m, m) the shape of a component */

    /* Earlier points, grouped by component. */
    size_t kept, room;
    double *point;                        /* (kept, m) */
    unsigned char *belongs;               /* (kept) */
    size_t first[BNRE__MIXTURE_MOST + 1]; /* where each component begins */

    int glides;            /* local moves follow the gradient */
    double scale;          /* of differences */
    double stride;         /* of a step when gliding */
    double leaping, local; /* share accepted lately */
} bnre__moves;

BNRE_MUST_CHECK bnre_status bnre__moves_init(bnre__moves *moves,
                                             bnre__target *target, size_t most);
void bnre__moves_clear(bnre__moves *moves);

/* Learn from the points z (n, m). */
BNRE_MUST_CHECK bnre_status bnre__moves_learn(bnre__moves *moves, size_t n,
                                              const double *z, bnre_rng *rng);

/* A leap of all walkers, then a local move: glide where there are gradients
   and many dimensions, else differ, twice. With `adapt` (0: not, else a rate)
   the sizes of local steps move towards good shares of acceptance. */
BNRE_MUST_CHECK bnre_status bnre__moves_step(bnre__moves *moves,
                                             bnre__walkers *walkers,
                                             double beta, double adapt,
                                             bnre_rng *rng);

/* log density of where a leap may end, at walker k. */
double bnre__moves_log_leap(const bnre__moves *moves,
                            const bnre__walkers *walkers, size_t k);

/* The same moves in an order that is its own reverse, towards the posterior
   (beta = 1), without adapting anything: given what the moves have learned, and
   how many strides a glide takes, walkers move independently by a reversible
   kernel. */
BNRE_MUST_CHECK bnre_status bnre__moves_mirrored(bnre__moves *moves,
                                                 bnre__walkers *walkers,
                                                 uint64_t strides,
                                                 bnre_rng *rng);

/* Strides of a glide, drawn. */
uint64_t bnre__moves_strides(const bnre__moves *moves, bnre_rng *rng);

#endif
