/* conditional.h - posteriors as products of densities of one parameter.

     q(theta | x) = prod_j q_j(theta_j | x, theta_1 .. theta_{j-1})

   Each factor is a density on a line (num/line.h), the coordinate of its
   parameter's prior (prior/coordinate.h), or for whole numbers probabilities of
   values in a list; a chain of networks
   (nn/chain.h) gives its numbers. log q - log p is then the sum over factors of
   log q_j - log g_j, with g_j the prior's family, which is simple in that
   coordinate: no density of a prior has to be evaluated. Conditions between
   parameters add what coordinates say (bnre__coordinates_log_share), and, where
   they are no order, the logarithm of the mass of q that they accept, which
   depends on x alone (bnre__conditional_mass). Of a prior known by draws the
   g_j are fitted, one for all members, so that their mixture stays normalised.
 */
#ifndef BNRE_INFER_CONDITIONAL_H
#define BNRE_INFER_CONDITIONAL_H

#include "bnre/prior.h"
#include "infer/estimator/validity.h"
#include "nn/chain.h"
#include "nn/net.h"
#include "num/line.h"
#include "prior/coordinate.h"

enum { BNRE__COMPONENTS = 8 };

/* Coordinates that come again and again in training, in order (train/gaps.h);
   none: n = 0. */
typedef struct bnre__gaps {
    size_t n;
    float *value;
} bnre__gaps;

typedef struct bnre__conditional {
    const bnre_prior *prior; /* borrowed */
    bnre__chain *chain;
    bnre__chain *prior_chain; /* of a prior known by draws: its density g, by
                                 heads that see earlier parameters alone (their
                                 x is one number, which is 0); else NULL */
    float *prior_weights;     /* of this, fitted to the draws */
    bnre__validity *validity; /* where simulations give a result, if some that
                                 it was trained on are missing; else NULL */
    size_t factors, components;
    size_t outputs; /* numbers of a factor, the same for all */
    size_t *order;  /* (factors): the parameter of each */
    bnre__coordinates *coordinates;
    bnre__line *line;  /* (factors): its density */
    size_t gap_sets;   /* folds, or 1 */
    bnre__gaps *gaps;  /* (gap sets, factors), of training alone, each found
                          outside its fold; NULL = none */
    size_t *levels;    /* (factors): categories, of which networks see which
                          one it is; else 0 */
    double **log_mass; /* (factors): of values in a list, the prior's; else
                          NULL */
} bnre__conditional;

/* Which factors come in which order: `order` (n) names of parameters, those
   left out come after them as in the prior; fixed parameters are no factors.
   `input` is of x alone. Errors: EUSAGE when names are unknown or given twice, and as bnre__chain_create(); ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__conditional_create(
    const bnre_prior *prior, const bnre_node *network,
    const bnre__net_input *input, size_t n, const char *const *order,
    size_t components, bnre__conditional **out);
void bnre__conditional_destroy(bnre__conditional *conditional);

/* From coordinates as scalers give them, one for each parameter of the prior,
   to c (factors, n) of the factors and `seen` (n, factors) by the networks. */
void bnre__conditional_spread(const bnre__conditional *conditional, size_t n,
                              const float *coordinate, float *c, float *seen);

/* P(result | theta) p (n), as the validity's networks of a set say, or all of
   them (BNRE__ALL_SETS), on average: of theta (n, dim) that they were not
   fitted to. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__conditional_valid(const bnre__conditional *conditional, size_t set,
                        size_t n, const double *theta, double *p);

/* Biases with which the output layers begin: (factors, outputs). */
void bnre__conditional_begin(const bnre__conditional *conditional,
                             float *output);

/* One member, evaluated by one thread. */
typedef struct bnre__conditional_room {
    size_t rows;
    float *c, *seen, *raw, *l;
    double *drawn;            /* (rows): coordinates */
    float *draw, *dl, *dseen; /* derivatives; NULL until they are needed */
} bnre__conditional_room;

/* For so many rows at a time, and so many pairs (0: none). */
BNRE_MUST_CHECK bnre_status bnre__conditional_room_init(
    bnre__conditional_room *room, const bnre__conditional *conditional,
    size_t rows, size_t pairs);
void bnre__conditional_room_clear(bnre__conditional_room *room);

/* A plan of a fitted prior, which has observed its x. */
BNRE_MUST_CHECK bnre_status
bnre__conditional_prior_plan(const bnre__conditional *conditional, size_t batch,
                             int train, bnre__chain_plan **out);

/* l (n) = log q - log p of n <= rows parameters, coordinates (n, dim), for those
   x that the plan observed which index (n) tells; NULL: the first. The same for
   several widths, for which the networks run once: l[w] (n) is for widen[w]. Or
   of n <= the plan's batch pairs, with x (n, x_size), for whom the room is
   made. */
void bnre__conditional_log_ratio(const bnre__conditional *conditional,
                                 bnre__chain_plan *plan, double widen,
                                 bnre__conditional_room *room, size_t n,
                                 const float *coordinate, const uint32_t *index,
                                 float *l);
void bnre__conditional_widths(const bnre__conditional *conditional,
                              bnre__chain_plan *plan, size_t widths,
                              const double *widen, bnre__conditional_room *room,
                              size_t n, const float *coordinate,
                              const uint32_t *index, float *const *l);
void bnre__conditional_pairs(const bnre__conditional *conditional,
                             bnre__chain_plan *plan, double widen,
                             bnre__conditional_room *room, size_t n,
                             const float *coordinate, const float *x, float *l);

/* The same for the x that a plan for training observed, with the derivatives dc
   (n, factors) of l by the coordinates of factors. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__conditional_gradient(
    const bnre__conditional *conditional, bnre__chain_plan *plan, double widen,
    bnre__conditional_room *room, size_t n, const float *coordinate, float *l,
    double *dc);

/* theta (n, dim) of n <= rows draws of q for those x that the plan observed which
   index (n) tells; NULL: the first. Row i takes its numbers from rng[i]. Fixed
   parameters have their value. Conditions of the prior that are no order are not
   looked at. Unless they are NULL, coordinate (n, dim) are those that were
   drawn, as floats, and l (n) their log ratios, to the last bit those of
   bnre__conditional_log_ratio() for these coordinates. */
void bnre__conditional_draw(const bnre__conditional *conditional,
                            bnre__chain_plan *plan, double widen,
                            bnre__conditional_room *room, size_t n,
                            const uint32_t *index, bnre_rng *rng, double *theta,
                            float *coordinate, float *l);

/* The mass of q, for the x that the plan observed, that conditions of the prior
   accept which are no order; 1 without any. The mean over points of eight
   shifted lattices, whose numbers are addressed by `key`: as many as are needed
   for a relative standard error of `precision`, at most 65,536. `theta` (dim)
   is room. */
double bnre__conditional_mass(const bnre__conditional *conditional,
                              bnre__chain_plan *plan, double widen,
                              bnre__conditional_room *room, uint64_t key,
                              double precision, double *theta);

#endif
