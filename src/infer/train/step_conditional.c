/* step_conditional.c - batches for conditional densities: all factors of a
   chain at once. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/train/factor_loss.h"
#include "infer/train/step.h"
#include "nn/plan.h"
#include "num/streams.h"

/* Fresh values for each row of a set that is judged. */
enum { DRAWS = 4 };

bnre_status bnre__trainer_init_conditional(bnre__trainer *t, bnre_pool *pool)
{
    const bnre__conditional *c = t->inputs->conditional;
    const size_t batch = t->opts->batch_size;
    const size_t outputs = c->outputs * c->factors;
    const bnre__plan_opts opts = {.batch = batch, .train = 1, .pool = pool};
    bnre_status status = BNRE_OK;

    t->factors = c->factors;
    BNRE_NEW(t->factor, c->factors);
    BNRE_TRY(bnre__chain_plan_create(c->chain, &opts, &t->chain.plan));
    BNRE_NEW(t->chain.c, batch * c->factors);
    BNRE_NEW(t->chain.seen, batch * c->factors);
    BNRE_NEW(t->chain.fresh, batch);
    BNRE_NEW(t->chain.raw, batch * outputs);
    BNRE_NEW(t->chain.draw, batch * outputs);
    BNRE_NEW(t->a, batch);
    BNRE_NEW(t->b, DRAWS * batch);
    BNRE_NEW(t->da, batch);
    BNRE_NEW(t->db, batch);
done:
    return status;
}

/* Fresh coordinates, drawn from the prior's families. Those of epoch 0 are the
   same in every one. */
static void draw_fresh(const bnre__trainer *t, uint64_t epoch, size_t factor,
                       size_t draw, size_t n)
{
    const bnre__conditional *c = t->inputs->conditional;
    bnre_rng rng = bnre_rng_stream(
        t->seed,
        bnre__purpose(BNRE_USE_PAIR,
                      bnre__trainer_split((size_t)t->state.pass)),
        epoch << 32 | t->state.batch);

    /* Factors and draws take numbers from parts of one stream. */
    rng = bnre_rng_stream(bnre_rng_u64(&rng), (uint32_t)factor, draw);
    for (size_t i = 0; i < n; i++)
        t->chain.fresh[i] =
            (float)bnre__range_draw(c->line[factor].range, &rng);
}

static bnre__lines lines_of(const bnre__trainer *t, size_t factor, size_t n)
{
    const bnre__conditional *c = t->inputs->conditional;
    const size_t outputs = c->outputs;

    return (bnre__lines){.range = c->line[factor].range,
                         .n = n,
                         .components = c->components,
                         .widen = 1,
                         .raw = t->chain.raw + factor * n * outputs,
                         .c = t->chain.c + factor * n,
                         .l = t->a,
                         .dl = t->da,
                         .draw = t->chain.draw + factor * n * outputs};
}

/* The loss of a factor in this batch, and its part of the derivatives. */
static bnre__loss step_factor(bnre__trainer *t, size_t factor, size_t n)
{
    const bnre__line_type *type = t->inputs->conditional->line[factor].type;
    const double lambda = bnre__trainer_lambda(t);
    bnre__lines lines = lines_of(t, factor, n), fresh = lines;
    bnre__loss loss;

    fresh.c = t->chain.fresh;
    fresh.l = t->b;
    fresh.dl = t->db;
    type->forward(&lines);
    if (lambda > 0) {
        draw_fresh(t, t->state.epoch, factor, 0, n);
        type->forward(&fresh);
    }
    loss = bnre__factor_loss(lambda, n, t->a, t->b, &t->factor[factor].balance,
                             t->da, t->db);
    type->back(&lines);
    if (lambda > 0)
        type->back(&fresh);
    return loss;
}

/* Forward, the loss of each factor, and back. */
static bnre_status train_batch(bnre__trainer *t, const bnre__batch_rows *rows)
{
    const bnre__conditional *c = t->inputs->conditional;
    const size_t n = rows->n;
    bnre__loss all = {.balance = 1};

    bnre__conditional_spread(c, n, rows->theta, t->chain.c, t->chain.seen);
    bnre__chain_forward(t->chain.plan, 1, n, t->chain.seen, rows->x,
                        t->chain.raw);
    memset(t->chain.draw, 0,
           n * c->factors * c->outputs * sizeof *t->chain.draw);
    for (size_t j = 0; j < c->factors; j++) {
        const bnre__loss loss = step_factor(t, j, n);

        all.value += loss.value;
        all.cross_entropy += loss.cross_entropy;
        if (fabs(loss.balance - 1) > fabs(all.balance - 1))
            all.balance = loss.balance;
    }
    return bnre__trainer_step(t, &all, NULL, NULL);
}

static void judge_batch(bnre__trainer *t, const bnre__batch_rows *rows)
{
    const bnre__conditional *c = t->inputs->conditional;
    const size_t n = rows->n;

    bnre__conditional_spread(c, n, rows->theta, t->chain.c, t->chain.seen);
    bnre__chain_forward(t->chain.plan, 0, n, t->chain.seen, rows->x,
                        t->chain.raw);
    for (size_t j = 0; j < c->factors; j++) {
        const bnre__line_type *type = c->line[j].type;
        bnre__lines lines = lines_of(t, j, n);

        type->forward(&lines);
        lines.c = t->chain.fresh;
        for (size_t d = 0; d < DRAWS; d++) {
            draw_fresh(t, 0, j, d, n);
            lines.l = t->b + d * n;
            type->forward(&lines);
        }
        bnre__factor_add(&t->factor[j].sums, n, t->a, DRAWS, t->b);
    }
}

bnre_status bnre__trainer_conditional(bnre__trainer *t,
                                      const bnre__batch_rows *rows)
{
    if (t->state.pass == BNRE__PASS_TRAIN)
        return train_batch(t, rows);
    judge_batch(t, rows);
    return BNRE_OK;
}

/* Losses of factors add up; of balances the one farthest from 1 is told, and of
   certainties the largest. */
bnre__set_loss bnre__trainer_sum_factors(bnre__trainer *t)
{
    const size_t pass = (size_t)t->state.pass;
    bnre__set_loss all = {.balance = 1, .variance = NAN};

    for (size_t j = 0; j < t->factors; j++) {
        bnre__factor_state *factor = &t->factor[j];
        const bnre__set_loss set =
            bnre__factor_set(&factor->sums, t->opts->lambda);

        factor->set[pass] = set;
        factor->sums = (bnre__factor_sums){0};
        all.loss += set.loss;
        all.cross_entropy += set.cross_entropy;
        all.certainty = fmax(all.certainty, set.certainty);
        if (fabs(set.balance - 1) > fabs(all.balance - 1))
            all.balance = set.balance;
    }
    return all;
}
