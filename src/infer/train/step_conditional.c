/* step_conditional.c - batches for conditional densities: all factors of a
   chain at once. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/train/factor_loss.h"
#include "infer/train/gaps.h"
#include "infer/train/step.h"
#include "nn/plan.h"
#include "num/streams.h"

/* Fresh values for each row of a set that is judged; with the row's own, so many
   coordinates for each mixture. */
enum { DRAWS = 4, SETS = 1 + DRAWS };

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
    BNRE_NEW(t->chain.at, SETS * batch);
    BNRE_NEW(t->chain.raw, batch * outputs);
    BNRE_NEW(t->chain.draw, batch * outputs);
    if (c->prior_chain != NULL) {
        BNRE_TRY(bnre__conditional_prior_plan(c, batch, 0, &t->chain.prior));
        BNRE_NEW(t->chain.prior_raw, batch * outputs);
        BNRE_NEW(t->chain.log_prior, SETS * batch);
        BNRE_NEW(t->chain.nothing, batch);
    }
    if (c->validity != NULL) {
        BNRE_TRY(bnre__validity_plan_init(&t->chain.valid, c->validity,
                                          t->inputs->fold, batch));
        BNRE_NEW(t->chain.weight, batch);
    }
    BNRE_NEW(t->a, SETS * batch);
    BNRE_NEW(t->da, SETS * batch);
done:
    return status;
}

/* A coordinate drawn from the reference g of row i: the prior's family, or what
   was fitted to its draws. */
static double draw_reference(const bnre__trainer *t, size_t factor, size_t n,
                             size_t i, bnre_rng *rng)
{
    const bnre__conditional *c = t->inputs->conditional;
    const bnre__line *line = &c->line[factor];
    bnre__line_density g;

    if (t->chain.prior == NULL)
        return bnre__line_prior_draw(line, rng);
    line->type->read(line, t->chain.prior_raw + (factor * n + i) * c->outputs,
                     1, &g);
    return line->type->draw(&g, rng);
}

/* Factors and draws take numbers from parts of one stream. */
static bnre_rng stream_of(const bnre__trainer *t, uint64_t epoch, size_t factor,
                          size_t draw)
{
    bnre_rng rng = bnre_rng_stream(
        t->seed,
        bnre__purpose(BNRE_USE_PAIR,
                      bnre__trainer_split((size_t)t->state.pass)),
        epoch << 32 | t->state.batch);

    return bnre_rng_stream(bnre_rng_u64(&rng), (uint32_t)factor, draw);
}

/* Coordinates of a factor: those of the rows, and fresh ones. Those of epoch 0
   are the same in every one. */
static void place(const bnre__trainer *t, uint64_t epoch, size_t factor,
                  size_t draws, size_t n)
{
    memcpy(t->chain.at, t->chain.c + factor * n, n * sizeof *t->chain.at);
    for (size_t d = 0; d < draws; d++) {
        bnre_rng rng = stream_of(t, epoch, factor, d);

        for (size_t i = 0; i < n; i++)
            t->chain.at[(1 + d) * n + i] =
                (float)draw_reference(t, factor, n, i, &rng);
    }
}

/* Values that come again and again are somewhere in their part of the line, in
   epoch 0 always at the same place. */
static void spread_values(const bnre__trainer *t, uint64_t epoch, size_t n)
{
    const bnre__conditional *c = t->inputs->conditional;
    enum { NO_DRAW = 1000 };

    for (size_t j = 0; c->gaps != NULL && j < c->factors; j++) {
        bnre_rng rng = stream_of(t, epoch, j, NO_DRAW);

        bnre__gaps_spread(&c->gaps[t->inputs->fold * c->factors + j],
                          c->line[j].range, &rng, n, t->chain.c + j * n);
    }
}

static bnre__lines lines_of(const bnre__trainer *t, size_t factor, size_t draws,
                            size_t n)
{
    const bnre__conditional *c = t->inputs->conditional;
    const size_t outputs = c->outputs;
    bnre__lines lines = bnre__line_pass(&c->line[factor], outputs);

    lines.n = n;
    lines.more = draws;
    lines.raw = t->chain.raw + factor * n * outputs;
    lines.c = t->chain.at;
    lines.l = t->a;
    lines.dl = t->da;
    lines.draw = t->chain.draw + factor * n * outputs;
    return lines;
}

/* l = log q - log g of some coordinates. */
static void forward(const bnre__trainer *t, size_t factor,
                    const bnre__lines *lines)
{
    const bnre__conditional *c = t->inputs->conditional;
    const bnre__line_type *type = c->line[factor].type;
    bnre__lines prior = *lines;

    type->forward(lines);
    if (t->chain.prior == NULL)
        return;
    prior.raw = t->chain.prior_raw + factor * lines->n * c->outputs;
    prior.l = t->chain.log_prior;
    type->forward(&prior);
    for (size_t i = 0; i < (1 + lines->more) * lines->n; i++)
        lines->l[i] -= prior.l[i];
}

/* What rows count, where others are missing: 1 / P(result | theta), divided by
   its mean. */
static void weigh(bnre__trainer *t, size_t n)
{
    const bnre__validity *v = t->inputs->conditional->validity;

    if (v == NULL)
        return;
    bnre__validity_of(&t->chain.valid, 1, n, t->chain.seen, t->chain.weight);
    for (size_t i = 0; i < n; i++)
        t->chain.weight[i] = v->share[t->inputs->fold] / t->chain.weight[i];
}

/* Numbers of all factors for a batch, and weights. */
static void look_at(bnre__trainer *t, int train, const bnre__batch_rows *rows)
{
    bnre__conditional_spread(t->inputs->conditional, rows->n, rows->theta,
                             t->chain.c, t->chain.seen);
    spread_values(t, train ? t->state.epoch : 0, rows->n);
    bnre__chain_forward(t->chain.plan, train, rows->n, t->chain.seen, rows->x,
                        t->chain.raw);
    if (t->chain.prior != NULL)
        bnre__chain_forward(t->chain.prior, 0, rows->n, t->chain.seen,
                            t->chain.nothing, t->chain.prior_raw);
    weigh(t, rows->n);
}

/* The loss of a factor in this batch, and its part of the derivatives. */
static bnre__loss step_factor(bnre__trainer *t, size_t factor, size_t n)
{
    const bnre__line_type *type = t->inputs->conditional->line[factor].type;
    const double lambda = bnre__trainer_lambda(t);
    const size_t draws = lambda > 0 ? 1 : 0;
    const bnre__lines lines = lines_of(t, factor, draws, n);
    bnre__loss loss;

    place(t, t->state.epoch, factor, draws, n);
    forward(t, factor, &lines);
    loss = bnre__factor_loss(lambda, n, t->chain.weight, t->a, t->a + n,
                             &t->factor[factor].balance, t->da, t->da + n);
    type->back(&lines);
    return loss;
}

/* The same of a class, balanced against all others. */
static bnre__loss step_class(bnre__trainer *t, size_t factor, size_t n)
{
    const bnre__line *line = &t->inputs->conditional->line[factor];
    const bnre__lines lines = lines_of(t, factor, 0, n);
    bnre__loss loss;

    place(t, 0, factor, 0, n);
    forward(t, factor, &lines);
    loss =
        bnre__factor_loss(0, n, t->chain.weight, t->a, NULL, NULL, t->da, NULL);
    line->type->back(&lines);
    bnre__class_penalty(bnre__trainer_lambda(t), &lines, &loss);
    return loss;
}

static int is_class(const bnre__trainer *t, size_t factor)
{
    return t->opts->models && bnre__trainer_lambda(t) > 0 &&
           t->inputs->conditional->line[factor].log_mass != NULL;
}

/* A training step, whole. One forward pass gives the numbers of the densities
   q_j(theta_j | x, theta_1 .. theta_{j-1}) for the n rows. Each factor j then has
   l_i = log q_j - log g_j at row i, with g_j what the prior says, and m_i the same
   at a value drawn afresh from g_j, and the balanced loss

     L_j = -1/n sum_i l_i + lambda (B_j - 1)^2
     B_j = 1/n sum_i [sigmoid(l_i) + sigmoid(m_i)]

   (factor_loss.h; lambda = 0 is plain maximum likelihood). Its derivatives by
   l_i and m_i go back to the numbers of the density, those through the networks
   of all factors, and AdamW takes the step. Costs about three forward passes. */
static bnre_status train_batch(bnre__trainer *t, const bnre__batch_rows *rows)
{
    const bnre__conditional *c = t->inputs->conditional;
    const size_t n = rows->n;
    bnre__loss all = {.balance = 1};

    look_at(t, 1, rows);
    memset(t->chain.draw, 0,
           n * c->factors * c->outputs * sizeof *t->chain.draw);
    for (size_t j = 0; j < c->factors; j++) {
        const bnre__loss loss =
            is_class(t, j) ? step_class(t, j, n) : step_factor(t, j, n);

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

    look_at(t, 0, rows);
    for (size_t j = 0; j < c->factors; j++) {
        const bnre__lines lines = lines_of(t, j, DRAWS, n);

        place(t, 0, j, DRAWS, n);
        forward(t, j, &lines);
        bnre__factor_add(&t->factor[j].sums, n, t->chain.weight, t->a, DRAWS,
                         t->a + n);
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
