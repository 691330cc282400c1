/* step.h - a network in training: what happens to one batch. */
#ifndef BNRE_INFER_STEP_H
#define BNRE_INFER_STEP_H

#include "infer/train/checkpoint.h"
#include "infer/train/train.h"
#include "nn/plan.h"

typedef struct bnre__trainer {
    const bnre_train_opts *opts; /* resolved */
    const bnre__train_inputs *inputs;
    uint64_t seed;
    int paper; /* the recipe */
    bnre__plan *plan;
    bnre__loader *loader[BNRE__PASSES]; /* NULL = there is no such pass */
    bnre__pairing pairing[BNRE__PASSES];
    bnre__train_state state;

    /* Of two classes, `loader` is of the one with more rows in the pass. */
    struct {
        bnre__loader *loader[BNRE__PASSES];
        uint64_t at[BNRE__PASSES]; /* batches its loader has given, over all
                                      its passes */
        int begun[BNRE__PASSES];
        float *x; /* (2 batch, x_size): the first class, then the second */
    } other;

    /* Of conditional densities, in place of `plan`. */
    size_t factors;             /* 0: it is none */
    bnre__factor_state *factor; /* (factors) */
    struct {
        bnre__chain_plan *plan;
        float *c, *seen; /* coordinates (factors, batch), (batch, factors) */
        float *at;       /* (1 + fresh ones, batch): coordinates of a factor */
        float *raw, *draw;       /* (factors, batch, outputs) and derivatives */
        bnre__chain_plan *prior; /* of a fitted prior, or NULL; */
        float *prior_raw, *log_prior; /* (factors, batch, outputs), (batch) */
        float *nothing;               /* (batch): its x */
        bnre__validity_plan valid;    /* where simulations are missing, and */
        double *weight; /* (batch) of rows, 1 on average; NULL: all 1 */
    } chain;

    float *a, *b, *da, *db; /* logits (batch) and derivatives; b has several */
    float *theta[2];        /* (batch, dim) */
    size_t room_size;
    double *room; /* for bnre__set_add_shifts() */
} bnre__trainer;

/* Start from {.opts, .inputs, .seed}; clear it in any case. */
BNRE_MUST_CHECK bnre_status bnre__trainer_init(bnre__trainer *trainer,
                                               bnre_pool *pool);
void bnre__trainer_clear(bnre__trainer *trainer);

/* Lambda of the current epoch. */
double bnre__trainer_lambda(const bnre__trainer *trainer);

/* A batch of the current pass: a step of training, or a part of the loss of a
   set; of two classes `rows` are of the larger. Errors: ENUM when too many steps in a row have a loss that is not
   finite; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__trainer_batch(bnre__trainer *trainer,
                                                const bnre__batch_rows *rows);

/* The same for conditional densities; what a set came to is the sum of its factors.
   (step_conditional.c) */
BNRE_MUST_CHECK bnre_status
bnre__trainer_init_conditional(bnre__trainer *trainer, bnre_pool *pool);
BNRE_MUST_CHECK bnre_status
bnre__trainer_conditional(bnre__trainer *trainer, const bnre__batch_rows *rows);
bnre__set_loss bnre__trainer_sum_factors(bnre__trainer *trainer);

/* Numbers of the networks, whatever they are. */
size_t bnre__trainer_weights(const bnre__trainer *trainer);
size_t bnre__trainer_buffers(const bnre__trainer *trainer);
BNRE_MUST_CHECK bnre_status bnre__trainer_begin(const bnre__trainer *trainer,
                                                bnre_rng *rng, float *weights,
                                                float *buffers);
void bnre__trainer_set(bnre__trainer *trainer, const float *weights,
                       const float *buffers);
void bnre__trainer_get(const bnre__trainer *trainer, float *weights,
                       float *buffers);
void bnre__trainer_set_moments(bnre__trainer *trainer, const float *first,
                               const float *second, uint64_t steps);
void bnre__trainer_get_moments(const bnre__trainer *trainer, float *first,
                               float *second, uint64_t *steps);

/* The random streams of a pass. */
bnre_split bnre__trainer_split(size_t pass);

/* A step from the logits and the pass they came from, unless the loss is not
   finite: then the weights stay. (Of conditional densities the derivatives are
   in place, and `da` and `db` NULL.) Errors: ENUM as above. */
BNRE_MUST_CHECK bnre_status bnre__trainer_step(bnre__trainer *trainer,
                                               const bnre__loss *loss,
                                               const float *da,
                                               const float *db);

/* The pass is over: put its losses where they belong and begin the next. */
void bnre__trainer_end_pass(bnre__trainer *trainer);

#endif
