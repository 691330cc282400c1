/* evaluator.h - evaluating an estimator: all that one thread needs. */
#ifndef BNRE_INFER_EVALUATOR_H
#define BNRE_INFER_EVALUATOR_H

#include "infer/estimator/estimator.h"
#include "nn/plan.h"

enum {
    /* Theta at a time, with gradients or to a network of all parameters; */
    BNRE__EVALUATOR_BLOCK = 256,
    /* and to one network after the other, each of which is read from memory
       once for all of them. */
    BNRE__EVALUATOR_ROWS = 1024,
    /* x at a time. */
    BNRE__EVALUATOR_MANY = 32,
    /* Widths at a time. */
    BNRE__EVALUATOR_WIDTHS = 16
};

typedef struct bnre__evaluator bnre__evaluator;

/* Draws whose own member has looked at them (evaluator_draw.c). */
typedef struct bnre__known {
    size_t n;         /* draws of each x; 0: nothing is known */
    double *theta;    /* (x, n, dim) */
    float *c;         /* (x, n, dim): what a scaler makes of them */
    uint32_t *member; /* (x, n): who drew it, */
    float *l;         /* (x, n): and its log ratio */

    uint32_t *at;    /* (block): which one a row is, or none */
    size_t *row;     /* (block): rows that a member is asked about, */
    uint32_t *index; /* (block): of which x they are, */
    float *theta_c;  /* (block, dim): their coordinates, */
    float *answer;   /* (widths, block): and what it says */
} bnre__known;

/* For those who evaluate; others need the functions alone. */
struct bnre__evaluator {
    const bnre_estimator *est;
    size_t first, step, members; /* which of them */
    size_t sets; /* scalers there are: member k has that of member k % sets */
    double temper, widen;
    bnre_combine combine;
    size_t pairs, block; /* x and theta at a time */
    size_t observed;     /* x that are known now */

    bnre__plan **plan;           /* (members), forward only */
    bnre__chain_plan **chain;    /* (members) in its place for conditional
                                    densities, */
    bnre__conditional_room room; /* and what these need */
    uint32_t *index;             /* (block): of which x a theta is */
    double *drawn;               /* (block, dim); NULL until asked for */
    bnre__known known;           /* of draws of many x */
    bnre__chain_plan *prior; /* of a fitted prior, with room for derivatives;
                                else NULL */
    float *log_prior;        /* (block) and its density in coordinates */
    double *mass;            /* (members): of the x that was observed, what the
                          prior's conditions accept; NULL: they are orders */
    double *log_mass;        /* (pairs): of all members */
    uint64_t *key;           /* (members): of their weights, for these masses */
    double precision;        /* of these: 0.001 unless it is set */
    int weighed;             /* the masses are known */
    bnre__plan **back; /* (members), with gradients; NULL until asked for */
    bnre__chain_plan **chain_back; /* likewise for conditional densities, */
    double *dc, *dc_prior;         /* (block, factors) and */
    double *dtheta; /* (members, block, dim), their derivatives by theta */
    int ready;      /* `back` knows x */

    double *raw;     /* (pairs, x_size) as the training data had it */
    float *x;        /* (sets, pairs, x_size) as the networks see it */
    float *theta;    /* (sets, block, dim) likewise */
    double *slope;   /* (sets, block, dim): d of that / d theta */
    float *logit;    /* (members, block) */
    float *wide;     /* (BNRE__EVALUATOR_WIDTHS, members, block), when asked
                        for */
    double *weight;  /* (members, block): d result / d logit */
    float *gradient; /* (members, block, dim), with `back` */
};

/* For some members; with room for passes of `pairs` x at a time (1 = only
   bnre__evaluator_observe). Borrows the estimator, whose temper, widths and
   rule of combination it takes as they are now. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_open(const bnre__view *view,
                                                 size_t pairs,
                                                 bnre__evaluator **out);
void bnre__evaluator_close(bnre__evaluator *eval);

/* What follows is about x (x_size). Errors: ENUM when it cannot be scaled. Of
   conditional densities without conditions that reject, also about x (n,
   x_size), n <= pairs: see observe_many of density.h. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_observe(bnre__evaluator *eval,
                                                    size_t n, const double *x);

/* As log_ratio of density.h; and as log_ratio_each, unless `each` is NULL. */
BNRE_MUST_CHECK bnre_status
bnre__evaluator_log_ratio(bnre__evaluator *eval, size_t n, const double *theta,
                          double *out, double *gradient, double *each);

/* As log_ratio_many of density.h. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_log_ratio_many(
    bnre__evaluator *eval, size_t rows, const double *theta, size_t widths,
    const double *widen, double *out);

/* As rough of density.h: of the first member alone. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_rough(bnre__evaluator *eval,
                                                  size_t n, const double *theta,
                                                  double *out);

/* As draw of density.h, for conditional densities. Errors: ENUM when hardly any
   draw fulfils the constraints of the prior. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_draw(bnre__evaluator *eval,
                                                 uint64_t seed, uint64_t first,
                                                 size_t n, double *theta);
/* As draw_many of density.h. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_draw_many(bnre__evaluator *eval,
                                                      const uint64_t *seed,
                                                      size_t n, double *theta);
/* After it: rows first, ..., first + n - 1 of theta (x, rows, dim), n <= block,
   as networks see them in eval->theta, eval->index telling their x; and if
   `known`, which of the draws they are. Then log ratios l (widths, each n) of
   member k, without any network where they are known. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_find(bnre__evaluator *eval,
                                                 size_t rows,
                                                 const double *theta,
                                                 size_t first, size_t n,
                                                 int known);
void bnre__evaluator_ask(bnre__evaluator *eval, size_t k, size_t n,
                         size_t widths, const double *widen, float *const *l);
void bnre__known_clear(bnre__known *known);

/* Whether the evaluator of a view takes many x at a time. */
int bnre__evaluator_takes_many(const bnre_estimator *est);

/* The prior, where it is fitted or has conditions (evaluator_conditional.c):
   room for masses, if there
   are conditions that are no order; the masses of row i of eval->raw, which
   the chains have observed; and what the prior adds to the members' logits of theta
   (n, dim), for one x or with an x for each row. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_init_prior(bnre__evaluator *eval);
void bnre__evaluator_weigh(bnre__evaluator *eval, size_t i);
void bnre__evaluator_add_prior(bnre__evaluator *eval, size_t n,
                               const double *theta, int one_x);

/* Gradients: plans that know x, as far as memory for them is needed; and logits
   and eval->dtheta of n <= block rows theta (n, dim), conditions included. */
BNRE_MUST_CHECK bnre_status
bnre__evaluator_prepare_chains(bnre__evaluator *eval);
BNRE_MUST_CHECK bnre_status bnre__evaluator_slopes(bnre__evaluator *eval,
                                                   size_t n,
                                                   const double *theta);

/* What member k sees of x. */
float *bnre__evaluator_x(const bnre__evaluator *eval, size_t k);
/* What members of conditional densities see of theta (dim). */
void bnre__evaluator_scale(const bnre__evaluator *eval, const double *theta,
                           float *to);
/* A plan of member k for conditional densities. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_make_chain(
    const bnre__evaluator *eval, size_t k, int train, bnre__chain_plan **out);

/* Of n <= `pairs` pairs (theta_i, x_i), which are rows first, first + 1, ...
   for messages. */
BNRE_MUST_CHECK bnre_status bnre__evaluator_pairs(bnre__evaluator *eval,
                                                  size_t first, size_t n,
                                                  const double *theta,
                                                  const double *x, double *out);

#endif
