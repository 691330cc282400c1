/* step.c - a network in training, whole: draw partners, forward, loss,
   backward, update. */
#include "infer/train/step.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/train/loss.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "num/streams.h"

/* Shifts of the marginal theta in validation: many where each counts. */
enum { FEW_ROWS = 16384, MOST_SHIFTS = 7, LEAST_SHIFTS = 3 };

/* So many steps in a row with a loss that is not finite are no accident. */
enum { MOST_SKIPPED = 10 };

/* ---- making ---- */

static const bnre__subset *subset_of(const bnre__trainer *t, size_t pass)
{
    return pass == BNRE__PASS_TRAIN      ? t->inputs->train
           : pass == BNRE__PASS_VALIDATE ? t->inputs->validation
                                         : t->inputs->schedule;
}

bnre_split bnre__trainer_split(size_t pass)
{
    return pass == BNRE__PASS_TRAIN      ? BNRE_SPLIT_TRAIN
           : pass == BNRE__PASS_VALIDATE ? BNRE_SPLIT_VALIDATE
                                         : BNRE_SPLIT_SCHEDULE;
}

static bnre__loader_opts loader_opts(const bnre__trainer *t, size_t pass)
{
    const int training = pass == BNRE__PASS_TRAIN;

    return (bnre__loader_opts){
        .batch = t->opts->batch_size,
        .remainder = training   ? BNRE__REMAINDER_DROP
                     : t->paper ? BNRE__REMAINDER_KEEP
                                : BNRE__REMAINDER_SPREAD,
        .shuffle = training || t->paper,
        .seed = t->seed,
        .split = bnre__trainer_split(pass),
        .theta = t->inputs->theta,
        .x = t->inputs->x,
    };
}

static bnre_status make_loader(bnre__trainer *t, size_t pass)
{
    const bnre__loader_opts opts = loader_opts(t, pass);

    if (subset_of(t, pass) == NULL)
        return BNRE_OK;
    t->pairing[pass].permute =
        opts.shuffle && t->opts->pairing == BNRE_PAIRING_PERMUTATION;
    return bnre__loader_create(subset_of(t, pass), &opts, &t->loader[pass]);
}

static int is_second_larger(const bnre__trainer *t, size_t pass)
{
    const bnre__train_inputs *in = t->inputs;

    return pass == BNRE__PASS_TRAIN
               ? in->train_other->joint > in->train->joint
               : in->validation_other->joint > in->validation->joint;
}

/* Their loaders. */
static bnre_status init_classes(bnre__trainer *t)
{
    bnre_status status = BNRE_OK;
    const bnre__train_inputs *in = t->inputs;
    const bnre__subset *set[2][2] = {
        [BNRE__PASS_TRAIN] = {in->train, in->train_other},
        [BNRE__PASS_VALIDATE] = {in->validation, in->validation_other},
    };

    BNRE_NEW(t->other.x, 2 * t->opts->batch_size * in->train->info->x_size);
    for (size_t pass = 0; pass < 2; pass++) {
        const int larger = is_second_larger(t, pass);
        bnre__loader_opts opts = loader_opts(t, pass);

        BNRE_TRY(
            bnre__loader_create(set[pass][larger], &opts, &t->loader[pass]));
        /* An order of its own: splits name streams, and training on classes
           has no other use for this one. */
        opts.split = BNRE_SPLIT_SELECT;
        BNRE_TRY(bnre__loader_create(set[pass][!larger], &opts,
                                     &t->other.loader[pass]));
    }
done:
    return status;
}

bnre_status bnre__trainer_init(bnre__trainer *t, bnre_pool *pool)
{
    bnre_status status = BNRE_OK;
    const int classes = t->inputs->train_other != NULL;
    const size_t dim = t->inputs->train->info->dim_theta;
    /* A batch is of pairs (theta, x), or of the rows of both classes. */
    const size_t batch = t->opts->batch_size << classes;

    t->paper = t->opts->recipe == BNRE_RECIPE_PAPER;
    if (classes)
        BNRE_TRY(init_classes(t));
    for (size_t pass = 0; !classes && pass < BNRE__PASSES; pass++)
        BNRE_TRY(make_loader(t, pass));
    if (t->inputs->conditional != NULL)
        return bnre__trainer_init_conditional(t, pool);
    BNRE_TRY(bnre__plan_create(
        t->inputs->net,
        &(bnre__plan_opts){.batch = batch, .train = 1, .pool = pool},
        &t->plan));
    BNRE_NEW(t->a, batch);
    BNRE_NEW(t->b, (MOST_SHIFTS + 1) * batch);
    BNRE_NEW(t->da, batch);
    BNRE_NEW(t->db, batch);
    BNRE_NEW(t->theta[0], batch * dim);
    BNRE_NEW(t->theta[1], batch * dim);
done:
    return status;
}

void bnre__trainer_clear(bnre__trainer *t)
{
    bnre__free(t->room);
    bnre__free(t->theta[1]);
    bnre__free(t->theta[0]);
    bnre__free(t->db);
    bnre__free(t->da);
    bnre__free(t->b);
    bnre__free(t->a);
    bnre__plan_destroy(t->plan);
    bnre__free(t->chain.weight);
    bnre__validity_plan_clear(&t->chain.valid);
    bnre__free(t->chain.nothing);
    bnre__free(t->chain.log_prior);
    bnre__free(t->chain.prior_raw);
    bnre__chain_plan_destroy(t->chain.prior);
    bnre__free(t->chain.draw);
    bnre__free(t->chain.raw);
    bnre__free(t->chain.at);
    bnre__free(t->chain.seen);
    bnre__free(t->chain.c);
    bnre__chain_plan_destroy(t->chain.plan);
    bnre__free(t->factor);
    for (size_t pass = 0; pass < BNRE__PASSES; pass++) {
        bnre__pairing_clear(&t->pairing[pass]);
        bnre__loader_destroy(t->other.loader[pass]);
        bnre__loader_destroy(t->loader[pass]);
    }
    bnre__free(t->other.x);
    *t = (bnre__trainer){0};
}

/* ---- numbers ---- */

size_t bnre__trainer_weights(const bnre__trainer *t)
{
    return t->factors > 0 ? bnre__chain_weights(t->inputs->conditional->chain)
                          : bnre__net_weights(t->inputs->net);
}

size_t bnre__trainer_buffers(const bnre__trainer *t)
{
    return t->factors > 0 ? bnre__chain_buffers(t->inputs->conditional->chain)
                          : bnre__net_buffers(t->inputs->net);
}

bnre_status bnre__trainer_begin(const bnre__trainer *t, bnre_rng *rng,
                                float *weights, float *buffers)
{
    const bnre__conditional *c = t->inputs->conditional;
    bnre_status status = BNRE_OK;
    float *output = NULL;

    if (c == NULL) {
        bnre__net_init(t->inputs->net, rng, weights, buffers);
        return BNRE_OK;
    }
    BNRE_NEW(output, c->factors * c->outputs);
    bnre__conditional_begin(c, output);
    bnre__chain_init(c->chain, rng, output, weights, buffers);
done:
    bnre__free(output);
    return status;
}

void bnre__trainer_set(bnre__trainer *t, const float *weights,
                       const float *buffers)
{
    if (t->factors > 0)
        bnre__chain_set(t->chain.plan, weights, buffers);
    else
        bnre__plan_set(t->plan, weights, buffers);
}

void bnre__trainer_get(const bnre__trainer *t, float *weights, float *buffers)
{
    if (t->factors > 0)
        bnre__chain_get(t->chain.plan, weights, buffers);
    else
        bnre__plan_get(t->plan, weights, buffers);
}

void bnre__trainer_set_moments(bnre__trainer *t, const float *first,
                               const float *second, uint64_t steps)
{
    if (t->factors > 0)
        bnre__chain_set_moments(t->chain.plan, first, second, steps);
    else
        bnre__plan_set_moments(t->plan, first, second, steps);
}

void bnre__trainer_get_moments(const bnre__trainer *t, float *first,
                               float *second, uint64_t *steps)
{
    if (t->factors > 0)
        bnre__chain_get_moments(t->chain.plan, first, second, steps);
    else
        bnre__plan_get_moments(t->plan, first, second, steps);
}

/* ---- training and judging ---- */

double bnre__trainer_lambda(const bnre__trainer *t)
{
    const double ramp =
        1.25 * (double)(t->state.epoch - 1) / (double)t->opts->epochs;

    return t->opts->lambda_ramp && ramp < 1 ? ramp * t->opts->lambda
                                            : t->opts->lambda;
}

/* ---- pairs ---- */

/* Pairings of an epoch; those of epoch 0 are the same in every one. */
static bnre_status draw_pairing(bnre__trainer *t, uint64_t epoch,
                                const bnre__batch_rows *rows)
{
    const size_t pass = (size_t)t->state.pass;
    bnre_rng rng = bnre_rng_stream(
        t->seed, bnre__purpose(BNRE_USE_PAIR, bnre__trainer_split(pass)),
        epoch << 32 | t->state.batch);

    return bnre__pairing_draw(&t->pairing[pass], &rng, rows->n, rows->spare);
}

/* The thetas of the marginal pairs at some shift. */
static const float *shifted(const bnre__trainer *t,
                            const bnre__batch_rows *rows, size_t shift,
                            float *out)
{
    bnre__pairing_gather(&t->pairing[t->state.pass],
                         t->inputs->train->info->dim_theta, rows->theta, shift,
                         out);
    return out;
}

static bnre__minibatch make_pairs(bnre__trainer *t,
                                  const bnre__batch_rows *rows)
{
    const bnre__pairing *pairing = &t->pairing[t->state.pass];

    return (bnre__minibatch){
        .n = rows->n,
        .theta = rows->theta,
        .x = rows->x,
        .theta_marginal = shifted(t, rows, 1, t->theta[0]),
        .x_index = pairing->permute ? pairing->x_index : NULL,
    };
}

/* ---- training ---- */

static bnre_status fail_not_finite(const bnre__trainer *t)
{
    return bnre_fail(
        BNRE_ENUM,
        "the loss was not a finite number in %d steps in a row, in epoch %zu: "
        "lower `learning_rate` (it was %g), give `clip: 1`, %s",
        MOST_SKIPPED, (size_t)t->state.epoch, t->state.schedule.rate,
        t->opts->standardise == BNRE_STANDARDISE_NONE
            ? "or let the data be standardised (they are not)"
            : "or look for values of x that lie far out (bnre info)");
}

static bnre__adam optimiser(const bnre__trainer *t)
{
    bnre__adam adam = bnre__adam_default();

    adam.learning_rate = t->state.schedule.rate;
    adam.decay = t->opts->weight_decay;
    adam.clip = t->opts->clip;
    return adam;
}

bnre_status bnre__trainer_step(bnre__trainer *t, const bnre__loss *loss,
                               const float *da, const float *db)
{
    bnre__train_state *state = &t->state;
    const bnre__adam adam = optimiser(t);

    if (!isfinite(loss->value)) {
        state->skipped++;
        return ++state->in_a_row >= MOST_SKIPPED ? fail_not_finite(t) : BNRE_OK;
    }
    state->in_a_row = 0;
    bnre__set_add_batch(&state->sums, loss, 0, NULL, NULL);
    if (t->factors > 0)
        bnre__chain_update(t->chain.plan, t->chain.draw, &adam);
    else
        bnre__plan_update(t->plan, da, db, &adam);
    return BNRE_OK;
}

/* A training step, whole. Partners of the marginal pairs are drawn; one forward
   pass gives the logits a of the n joint pairs and b of the marginal ones; then
   the balanced cross-entropy (Delaunoy and others 2022)

     L = 1/n sum_i [softplus(-a_i) + softplus(b_i)] + lambda (B - 1)^2
     B = 1/n sum_i [sigmoid(a_i) + sigmoid(b_i)]

   with dL/da and dL/db, which the step takes back through the network, and
   AdamW. Costs about three forward passes of 2n pairs. */
static bnre_status train_batch(bnre__trainer *t, const bnre__batch_rows *rows)
{
    bnre__minibatch pairs;
    bnre__loss loss;

    BNRE_DO(draw_pairing(t, t->state.epoch, rows));
    pairs = make_pairs(t, rows);
    bnre__plan_train_forward(t->plan, &pairs, t->a, t->b);
    loss = bnre__loss_balanced(bnre__trainer_lambda(t), rows->n, t->a, t->b,
                               t->da, t->db);
    return bnre__trainer_step(t, &loss, t->da, t->db);
}

/* ---- losses of sets ---- */

/* As the reference does it. */
static bnre_status evaluate_batch(bnre__trainer *t,
                                  const bnre__batch_rows *rows)
{
    bnre__minibatch pairs;
    bnre__loss loss;

    BNRE_DO(draw_pairing(t, t->state.epoch, rows));
    pairs = make_pairs(t, rows);
    bnre__plan_pairs(t->plan, &pairs, t->a, t->b);
    loss = bnre__loss_balanced(bnre__trainer_lambda(t), rows->n, t->a, t->b,
                               NULL, NULL);
    bnre__set_add_batch(&t->state.sums, &loss, rows->n, t->a, t->b);
    return BNRE_OK;
}

/* All shifts of a batch, two at a time after the first, since a call evaluates
   two thetas for each x. */
static void evaluate_shifts(bnre__trainer *t, const bnre__batch_rows *rows,
                            size_t shifts, const size_t *shift)
{
    const size_t n = rows->n;
    bnre__minibatch pairs = {.n = n, .x = rows->x, .theta = rows->theta};

    pairs.theta_marginal = shifted(t, rows, shift[0], t->theta[0]);
    bnre__plan_pairs(t->plan, &pairs, t->a, t->b);
    for (size_t s = 1; s < shifts; s += 2) {
        const size_t other = s + 1 < shifts ? s + 1 : s;

        pairs.theta = shifted(t, rows, shift[s], t->theta[0]);
        pairs.theta_marginal = shifted(t, rows, shift[other], t->theta[1]);
        bnre__plan_pairs(t->plan, &pairs, t->b + s * n, t->b + (s + 1) * n);
    }
}

/* Pairings that are the same in every epoch, several of them. */
static bnre_status evaluate_fixed(bnre__trainer *t,
                                  const bnre__batch_rows *rows)
{
    bnre_status status = BNRE_OK;
    const size_t thetas = rows->n + rows->spare;
    size_t shifts = subset_of(t, (size_t)t->state.pass)->joint < FEW_ROWS
                        ? MOST_SHIFTS
                        : LEAST_SHIFTS;
    size_t shift[MOST_SHIFTS];

    if (shifts > thetas - 1)
        shifts = thetas - 1;
    for (size_t s = 0; s < shifts; s++)
        shift[s] = 1 + s * (thetas - 1) / shifts;
    BNRE_TRY(draw_pairing(t, 0, rows));
    BNRE_GROW(t->room, t->room_size, 4 * thetas);
    evaluate_shifts(t, rows, shifts, shift);
    bnre__set_add_shifts(&t->state.sums, &t->pairing[t->state.pass], rows->n,
                         t->a, shifts, shift, t->b, t->room);
done:
    return status;
}

/* ---- batches of two classes ----

   An epoch goes once through the class with more rows. The other goes along:
   in training it begins again, in a new order, whenever its rows are used up,
   epochs or not; in validation its batches are spread over those of the larger
   one, each being seen once. */

/* Batch number k of the smaller class, all its passes counted. */
static bnre_status take_other(bnre__trainer *t, uint64_t k,
                              bnre__batch_rows *rows)
{
    const size_t pass = (size_t)t->state.pass;
    bnre__loader *loader = t->other.loader[pass];
    const size_t n = bnre__loader_batches(loader);

    if (!t->other.begun[pass] || t->other.at[pass] != k || k % n == 0) {
        BNRE_DO(bnre__loader_begin(loader, (size_t)(k / n) + 1));
        BNRE_DO(bnre__loader_skip(loader, (size_t)(k % n)));
        t->other.begun[pass] = 1;
    }
    BNRE_DO(bnre__loader_next(loader, rows));
    t->other.at[pass] = k + 1;
    return BNRE_OK;
}

static bnre_status train_classes(bnre__trainer *t, const bnre__batch_rows *rows)
{
    const size_t n = rows->n, size = t->inputs->train->info->x_size;
    const int second = is_second_larger(t, BNRE__PASS_TRAIN);
    const uint64_t batches = bnre__loader_batches(t->loader[BNRE__PASS_TRAIN]);
    const bnre__minibatch pairs = {.n = 2 * n, .x = t->other.x};
    bnre__batch_rows other;
    bnre__loss loss;

    BNRE_DO(
        take_other(t, (t->state.epoch - 1) * batches + t->state.batch, &other));
    memcpy(t->other.x + (second ? n * size : 0), rows->x,
           n * size * sizeof *rows->x);
    memcpy(t->other.x + (second ? 0 : n * size), other.x,
           n * size * sizeof *other.x);
    bnre__plan_train_forward(t->plan, &pairs, t->a, NULL);
    loss = bnre__loss_balanced(bnre__trainer_lambda(t), n, t->a, t->a + n,
                               t->da, t->da + n);
    return bnre__trainer_step(t, &loss, t->da, NULL);
}

static void evaluate_class(bnre__trainer *t, const bnre__batch_rows *rows,
                           int is_first)
{
    const bnre__minibatch pairs = {.n = rows->n, .x = rows->x};

    bnre__plan_pairs(t->plan, &pairs, t->a, NULL);
    bnre__set_add_class(&t->state.sums, rows->n, t->a, is_first);
}

static bnre_status evaluate_classes(bnre__trainer *t,
                                    const bnre__batch_rows *rows)
{
    const int second = is_second_larger(t, BNRE__PASS_VALIDATE);
    const uint64_t all = bnre__loader_batches(t->loader[BNRE__PASS_VALIDATE]);
    const uint64_t n =
        bnre__loader_batches(t->other.loader[BNRE__PASS_VALIDATE]);
    const uint64_t k = t->state.batch * n / all;
    bnre__batch_rows other;

    evaluate_class(t, rows, !second);
    if ((t->state.batch + 1) * n / all == k)
        return BNRE_OK;
    BNRE_DO(take_other(t, k, &other));
    evaluate_class(t, &other, second);
    return BNRE_OK;
}

/* ---- any batch ---- */

bnre_status bnre__trainer_batch(bnre__trainer *t, const bnre__batch_rows *rows)
{
    if (t->inputs->train_other != NULL)
        BNRE_DO(t->state.pass == BNRE__PASS_TRAIN ? train_classes(t, rows)
                                                  : evaluate_classes(t, rows));
    else if (t->factors > 0)
        BNRE_DO(bnre__trainer_conditional(t, rows));
    else if (t->state.pass == BNRE__PASS_TRAIN)
        BNRE_DO(train_batch(t, rows));
    else if (t->paper)
        BNRE_DO(evaluate_batch(t, rows));
    else
        BNRE_DO(evaluate_fixed(t, rows));
    t->state.batch++;
    return BNRE_OK;
}

void bnre__trainer_end_pass(bnre__trainer *t)
{
    bnre__train_state *state = &t->state;

    /* While lambda grows, sets are judged by what it will be. */
    state->set[state->pass] =
        state->pass == BNRE__PASS_TRAIN || t->paper
            ? bnre__set_by_batches(&state->sums)
        : t->factors > 0 ? bnre__trainer_sum_factors(t)
        : t->inputs->train_other != NULL
            ? bnre__set_of_classes(&state->sums, t->opts->lambda)
            : bnre__set_unbiased(&state->sums, t->opts->lambda);
    memset(&state->sums, 0, sizeof state->sums);
    state->batch = 0;
    state->pass++;
}
