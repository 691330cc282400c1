/* validity.h - how probable it is that a simulation gives a result.

   Where failed simulations are missing rather than outcomes of the model, rows
   with a result are draws of p(theta) P(result | theta) p(x | theta), and what
   learns a density of theta from them would take p(theta) P(result | theta) for
   the prior. Each row then counts as 1 / P(result | theta) ones.

   P is a small network of theta alone, fitted to all rows by their log loss, so
   that class sizes are right as they are. It is cross-fitted: theta belongs to
   one of three parts by a hash of its numbers, and what weighs it was fitted to
   the other two. With folds there are three for each fold, fitted to rows
   outside it, for the members that may see no others. */
#ifndef BNRE_INFER_VALIDITY_H
#define BNRE_INFER_VALIDITY_H

#include "nn/chain.h"

enum { BNRE__VALIDITY_PARTS = 3 };

/* A smaller probability counts as this: a row counts as twenty at most. */
#define BNRE__LEAST_VALID 0.05

typedef struct bnre__validity {
    size_t factors;     /* parameters, in the order of the factors */
    size_t sets;        /* folds, or 1 */
    bnre__chain *chain; /* one head, whose x is theta */
    float *weights;     /* (sets, parts, weights of the chain) */
    double *share;      /* (sets) what weights of rows are divided by, so that
                           they are 1 on average; set by the fit alone */
} bnre__validity;

/* With zeros for weights. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__validity_create(size_t factors, size_t sets,
                                                  bnre__validity **out);
void bnre__validity_destroy(bnre__validity *validity); /* NULL is fine */

/* The part of a theta, as networks see it (factors). */
size_t bnre__validity_part(const bnre__validity *validity, const float *seen);

/* The weights of one network. */
float *bnre__validity_at(const bnre__validity *validity, size_t set,
                         size_t part);

/* Networks to evaluate, by one thread: those of a set, or of all of them. */
typedef struct bnre__validity_plan {
    const bnre__validity *validity;
    size_t first, sets;      /* these sets */
    size_t batch;            /* rows in a pass */
    bnre__chain_plan **plan; /* (sets, parts) */
    float *nothing, *logit;  /* (batch) */
} bnre__validity_plan;

#define BNRE__ALL_SETS ((size_t)-1)
BNRE_MUST_CHECK bnre_status bnre__validity_plan_init(
    bnre__validity_plan *plan, const bnre__validity *validity, size_t set,
    size_t batch);
void bnre__validity_plan_clear(bnre__validity_plan *plan);

/* P (n) of n <= batch theta, seen (n, factors), not below the least: of theta
   that the set may have been fitted to (`own`) by the network that has not seen
   it; of others the mean of all. */
void bnre__validity_of(bnre__validity_plan *plan, int own, size_t n,
                       const float *seen, double *p);

#endif
