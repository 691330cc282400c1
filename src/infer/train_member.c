/* Training one network: epochs of passes of batches. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "infer/checkpoint.h"
#include "infer/loss.h"
#include "infer/train.h"

/* Shifts of the marginal theta in validation: many where each counts. */
enum { FEW_ROWS = 16384, MOST_SHIFTS = 7, LEAST_SHIFTS = 3 };

/* So many steps in a row with a loss that is not finite are no accident. */
enum { MOST_SKIPPED = 10 };

struct member {
    const bnre__train_job *job;
    const bnre_train_opts *opts;
    const bnre_net *net;
    int paper;
    bnre_plan *plan;
    bnre__loader *loader[BNRE__PASSES];
    bnre__pairing pairing[BNRE__PASSES];
    bnre__train_state state;
    bnre__trained *out;
    float *first, *second; /* moments, for checkpoints */
    double saved;          /* when */

    float *a, *b, *da, *db; /* (batch); b: (MOST_SHIFTS + 1, batch) */
    float *theta[2];        /* (batch, dim) */
    double *room;           /* (4 thetas) */
    size_t thetas;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t bnre__member_seed(uint64_t seed, size_t k)
{
    bnre_rng rng = bnre_rng_stream(
        seed, bnre_purpose(BNRE_USE_MEMBER, BNRE_SPLIT_TRAIN), k);

    return bnre_rng_u64(&rng);
}

void bnre__trained_clear(bnre__trained *trained)
{
    for (int e = 0; e < BNRE__EPOCHS; e++) {
        bnre__free(trained->weights[e]);
        bnre__free(trained->buffers[e]);
    }
    bnre__history_clear(&trained->history);
    *trained = (bnre__trained){0};
}

/* ---- making ---- */

static const bnre__subset *subset_of(const struct member *m, int pass)
{
    const bnre__train_inputs *inputs = m->job->inputs;

    return pass == BNRE__PASS_TRAIN      ? inputs->train
           : pass == BNRE__PASS_VALIDATE ? inputs->validation
                                         : inputs->schedule;
}

static bnre_split split_of(int pass)
{
    return pass == BNRE__PASS_TRAIN      ? BNRE_SPLIT_TRAIN
           : pass == BNRE__PASS_VALIDATE ? BNRE_SPLIT_VALIDATE
                                         : BNRE_SPLIT_SCHEDULE;
}

static bnre_status make_loader(struct member *m, int pass)
{
    const bnre__loader_opts opts = {
        .batch = m->opts->batch_size,
        .remainder = pass == BNRE__PASS_TRAIN ? BNRE__REMAINDER_DROP
                     : m->paper               ? BNRE__REMAINDER_KEEP
                                              : BNRE__REMAINDER_SPREAD,
        .shuffle = pass == BNRE__PASS_TRAIN || m->paper,
        .seed = m->job->seed,
        .split = split_of(pass),
        .theta = m->job->inputs->theta,
        .x = m->job->inputs->x,
    };

    if (subset_of(m, pass) == NULL)
        return BNRE_OK;
    m->pairing[pass].permute = m->opts->pairing == BNRE_PAIRING_PERMUTATION &&
                               (pass == BNRE__PASS_TRAIN || m->paper);
    return bnre__loader_create(subset_of(m, pass), &opts, &m->loader[pass]);
}

static bnre_status make(struct member *m)
{
    bnre_status status = BNRE_OK;
    const size_t batch = m->opts->batch_size;
    const size_t dim = m->job->inputs->train->info->dim_theta;

    for (int pass = 0; pass < BNRE__PASSES; pass++)
        BNRE_TRY(make_loader(m, pass));
    BNRE_TRY(bnre_plan_create(
        m->net,
        &(bnre_plan_opts){.batch = batch, .train = 1, .pool = m->job->pool},
        &m->plan));
    BNRE_NEW(m->first, bnre_net_weights(m->net));
    BNRE_NEW(m->second, bnre_net_weights(m->net));
    for (int e = 0; e < BNRE__EPOCHS; e++) {
        BNRE_NEW(m->out->weights[e], bnre_net_weights(m->net));
        BNRE_NEW(m->out->buffers[e], bnre_net_buffers(m->net));
    }
    BNRE_NEW(m->a, batch);
    BNRE_NEW(m->b, (MOST_SHIFTS + 1) * batch);
    BNRE_NEW(m->da, batch);
    BNRE_NEW(m->db, batch);
    BNRE_NEW(m->theta[0], batch * dim);
    BNRE_NEW(m->theta[1], batch * dim);
done:
    return status;
}

static void clear(struct member *m)
{
    bnre__free(m->room);
    bnre__free(m->theta[1]);
    bnre__free(m->theta[0]);
    bnre__free(m->db);
    bnre__free(m->da);
    bnre__free(m->b);
    bnre__free(m->a);
    bnre__free(m->second);
    bnre__free(m->first);
    bnre_plan_destroy(m->plan);
    for (int pass = 0; pass < BNRE__PASSES; pass++) {
        bnre__pairing_clear(&m->pairing[pass]);
        bnre__loader_destroy(m->loader[pass]);
    }
}

/* Fresh weights, or those given, at the beginning of the first epoch. */
static void begin(struct member *m)
{
    float *weights = m->out->weights[BNRE__LAST];
    float *buffers = m->out->buffers[BNRE__LAST];
    bnre_rng rng = bnre_rng_stream(
        m->job->seed, bnre_purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_TRAIN), 0);

    bnre_net_init(m->net, &rng, weights, buffers);
    if (m->job->weights != NULL)
        memcpy(weights, m->job->weights,
               bnre_net_weights(m->net) * sizeof *weights);
    if (m->job->buffers != NULL && bnre_net_buffers(m->net) > 0)
        memcpy(buffers, m->job->buffers,
               bnre_net_buffers(m->net) * sizeof *buffers);
    bnre_plan_set(m->plan, weights, buffers);
    memset(&m->state, 0, sizeof m->state);
    m->state.epoch = 1;
    m->state.best = INFINITY;
    m->state.distance = NAN;
    bnre__schedule_init(&m->state.schedule, BNRE__SCHEDULE_PLATEAU,
                        m->opts->learning_rate, m->opts->epochs);
}

/* ---- checkpoints ---- */

static bnre__checkpoint checkpoint_of(struct member *m)
{
    return (bnre__checkpoint){
        .state = &m->state,
        .weights = bnre_net_weights(m->net),
        .buffers = bnre_net_buffers(m->net),
        .now = m->out->weights[BNRE__LAST],
        .now_buffers = m->out->buffers[BNRE__LAST],
        .best = m->out->weights[BNRE__BEST],
        .best_buffers = m->out->buffers[BNRE__BEST],
        .first = m->first,
        .second = m->second,
        .history = &m->out->history,
    };
}

static bnre_status save(struct member *m)
{
    const bnre__checkpoint checkpoint = checkpoint_of(m);

    m->saved = now();
    if (m->job->checkpoint == NULL)
        return BNRE_OK;
    bnre_plan_get(m->plan, checkpoint.now, checkpoint.now_buffers);
    bnre_plan_get_moments(m->plan, m->first, m->second, &m->state.steps);
    return bnre__checkpoint_save(m->job->checkpoint, m->job->identity,
                                 &checkpoint);
}

static bnre_status begin_or_resume(struct member *m)
{
    bnre_status status = BNRE_OK;
    bnre__checkpoint checkpoint = checkpoint_of(m);
    int found = 0;

    begin(m);
    m->saved = now();
    if (m->job->checkpoint == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre__checkpoint_load(m->job->checkpoint, m->job->identity,
                                   &checkpoint, &found));
    if (found) {
        bnre_plan_set(m->plan, checkpoint.now, checkpoint.now_buffers);
        bnre_plan_set_moments(m->plan, m->first, m->second, m->state.steps);
    }
done:
    return status;
}

/* After every batch: whether to stop, and whether it is time to save. */
static bnre_status tick(struct member *m, size_t rows)
{
    const bnre__train_watch *watch = &m->job->watch;
    bnre_status status = BNRE_OK;

    if (watch->tick != NULL &&
        watch->tick(watch->arg, rows, &m->out->history) != 0) {
        BNRE_TRY(save(m));
        BNRE_THROW(BNRE_EINTR, "interrupted in epoch %zu",
                   (size_t)m->state.epoch);
    }
    if (now() - m->saved >= m->opts->save_every)
        BNRE_TRY(save(m));
done:
    return status;
}

/* ---- passes ---- */

static double lambda_now(const struct member *m)
{
    const double ramp =
        1.25 * (double)(m->state.epoch - 1) / (double)m->opts->epochs;

    return m->opts->lambda_ramp && ramp < 1 ? ramp * m->opts->lambda
                                            : m->opts->lambda;
}

static bnre_status draw_pairing(struct member *m, int pass, uint64_t epoch,
                                const bnre__batch_rows *rows)
{
    bnre_rng rng = bnre_rng_stream(m->job->seed,
                                   bnre_purpose(BNRE_USE_PAIR, split_of(pass)),
                                   epoch << 32 | m->state.batch);

    return bnre__pairing_draw(&m->pairing[pass], &rng, rows->n, rows->spare);
}

static bnre_pairs make_pairs(struct member *m, int pass,
                             const bnre__batch_rows *rows)
{
    const bnre__pairing *pairing = &m->pairing[pass];

    bnre__pairing_gather(pairing, m->job->inputs->train->info->dim_theta,
                         rows->theta, 1, m->theta[0]);
    return (bnre_pairs){
        .n = rows->n,
        .theta = rows->theta,
        .x = rows->x,
        .theta_marginal = m->theta[0],
        .x_index = pairing->permute ? pairing->x_index : NULL,
    };
}

static bnre_status fail_not_finite(const struct member *m)
{
    return bnre_fail(
        BNRE_ENUM,
        "the loss was not a finite number in %d steps in a row, epoch %zu: "
        "lower --learning-rate (it was %g), give --clip 1, %s",
        MOST_SKIPPED, (size_t)m->state.epoch, m->state.schedule.rate,
        m->opts->standardise == BNRE_STANDARDISE_NONE
            ? "or standardise the data (they are not)"
            : "or look for values of x that lie far out (bnre info)");
}

/* A step, unless its loss is not finite: then the weights stay. */
static bnre_status train_batch(struct member *m, const bnre__batch_rows *rows)
{
    bnre_status status = BNRE_OK;
    bnre__train_state *state = &m->state;
    const bnre_adam adam = {.learning_rate = state->schedule.rate,
                            .beta1 = bnre_adam_default().beta1,
                            .beta2 = bnre_adam_default().beta2,
                            .epsilon = bnre_adam_default().epsilon,
                            .decay = m->opts->weight_decay,
                            .clip = m->opts->clip};
    bnre_pairs pairs;
    bnre__loss loss;

    BNRE_TRY(draw_pairing(m, BNRE__PASS_TRAIN, state->epoch, rows));
    pairs = make_pairs(m, BNRE__PASS_TRAIN, rows);
    bnre_plan_train_forward(m->plan, &pairs, m->a, m->b);
    loss =
        bnre__loss_balanced(lambda_now(m), rows->n, m->a, m->b, m->da, m->db);
    if (!isfinite(loss.value)) {
        state->skipped++;
        if (++state->in_a_row >= MOST_SKIPPED)
            BNRE_TRY(fail_not_finite(m));
        goto done;
    }
    state->in_a_row = 0;
    bnre__set_add_loss(&state->sums, &loss);
    bnre_plan_update(m->plan, m->da, m->db, &adam);
done:
    return status;
}

/* As the reference does it. */
static bnre_status evaluate_batch(struct member *m, int pass,
                                  const bnre__batch_rows *rows)
{
    bnre_status status = BNRE_OK;
    bnre_pairs pairs;
    bnre__loss loss;

    BNRE_TRY(draw_pairing(m, pass, m->state.epoch, rows));
    pairs = make_pairs(m, pass, rows);
    bnre_plan_pairs(m->plan, &pairs, m->a, m->b);
    loss = bnre__loss_balanced(lambda_now(m), rows->n, m->a, m->b, NULL, NULL);
    bnre__set_add_loss(&m->state.sums, &loss);
done:
    return status;
}

/* All shifts of a batch, two at a time after the first, since a call evaluates
   two thetas for each x. */
static void evaluate_shifts(struct member *m, const bnre__pairing *pairing,
                            const bnre__batch_rows *rows, size_t shifts,
                            const size_t *shift)
{
    const size_t dim = m->job->inputs->train->info->dim_theta, n = rows->n;
    bnre_pairs pairs = {.n = n, .x = rows->x, .theta = rows->theta};

    pairs.theta_marginal = m->theta[0];
    bnre__pairing_gather(pairing, dim, rows->theta, shift[0], m->theta[0]);
    bnre_plan_pairs(m->plan, &pairs, m->a, m->b);
    pairs.theta = m->theta[0];
    pairs.theta_marginal = m->theta[1];
    for (size_t s = 1; s < shifts; s += 2) {
        const size_t other = s + 1 < shifts ? s + 1 : s;

        bnre__pairing_gather(pairing, dim, rows->theta, shift[s], m->theta[0]);
        bnre__pairing_gather(pairing, dim, rows->theta, shift[other],
                             m->theta[1]);
        bnre_plan_pairs(m->plan, &pairs, m->b + s * n, m->b + (s + 1) * n);
    }
}

/* Pairings that are the same in every epoch, several of them. */
static bnre_status evaluate_fixed(struct member *m, int pass,
                                  const bnre__batch_rows *rows)
{
    bnre_status status = BNRE_OK;
    const bnre__pairing *pairing = &m->pairing[pass];
    const size_t thetas = rows->n + rows->spare;
    size_t shifts =
        subset_of(m, pass)->joint < FEW_ROWS ? MOST_SHIFTS : LEAST_SHIFTS;
    size_t shift[MOST_SHIFTS];

    if (shifts > thetas - 1)
        shifts = thetas - 1;
    for (size_t s = 0; s < shifts; s++)
        shift[s] = 1 + s * (thetas - 1) / shifts;
    BNRE_TRY(draw_pairing(m, pass, 0, rows));
    BNRE_GROW(m->room, m->thetas, 4 * thetas);
    evaluate_shifts(m, pairing, rows, shifts, shift);
    bnre__set_add_shifts(&m->state.sums, pairing, rows->n, m->a, shifts, shift,
                         m->b, m->room);
done:
    return status;
}

static bnre_status do_batch(struct member *m, int pass,
                            const bnre__batch_rows *rows)
{
    if (pass == BNRE__PASS_TRAIN)
        return train_batch(m, rows);
    return m->paper ? evaluate_batch(m, pass, rows)
                    : evaluate_fixed(m, pass, rows);
}

static int out_of_time(const struct member *m)
{
    return m->job->deadline > 0 && now() >= m->job->deadline;
}

/* The current pass, from the batch where it stands. */
static bnre_status do_pass(struct member *m)
{
    bnre_status status = BNRE_OK;
    bnre__train_state *state = &m->state;
    const int pass = (int)state->pass;
    bnre__loader *loader = m->loader[pass];
    bnre__batch_rows rows;

    BNRE_TRY(bnre__loader_begin(loader, (size_t)state->epoch));
    BNRE_TRY(bnre__loader_skip(loader, (size_t)state->batch));
    for (;;) {
        BNRE_TRY(bnre__loader_next(loader, &rows));
        if (rows.n == 0)
            break;
        BNRE_TRY(do_batch(m, pass, &rows));
        state->batch++;
        BNRE_TRY(tick(m, pass == BNRE__PASS_TRAIN ? rows.n : 0));
        if (pass == BNRE__PASS_TRAIN && out_of_time(m))
            break;
    }
    state->set[pass] = pass == BNRE__PASS_TRAIN || m->paper
                           ? bnre__set_by_batches(&state->sums)
                           : bnre__set_unbiased(&state->sums, m->opts->lambda);
    memset(&state->sums, 0, sizeof state->sums);
    state->batch = 0;
done:
    return status;
}

/* ---- epochs ---- */

static bnre_status add_history(struct member *m)
{
    const bnre__train_state *state = &m->state;
    const bnre__set_loss *train = &state->set[BNRE__PASS_TRAIN];
    const bnre__set_loss *validation = &state->set[BNRE__PASS_VALIDATE];
    const double row[BNRE__COLUMNS] = {
        [BNRE__EPOCH] = (double)state->epoch,
        [BNRE__RATE] = state->schedule.rate,
        [BNRE__LAMBDA] = lambda_now(m),
        [BNRE__TRAIN_LOSS] = train->loss,
        [BNRE__TRAIN_ENTROPY] = train->cross_entropy,
        [BNRE__TRAIN_BALANCE] = train->balance,
        [BNRE__VALIDATION_LOSS] = validation->loss,
        [BNRE__VALIDATION_ENTROPY] = validation->cross_entropy,
        [BNRE__VALIDATION_BALANCE] = validation->balance,
        [BNRE__SCHEDULE_LOSS] = m->job->inputs->schedule != NULL
                                    ? state->set[BNRE__PASS_SCHEDULE].loss
                                    : NAN,
        [BNRE__SKIPPED] = (double)(state->skipped - state->before),
    };

    return bnre__history_add(&m->out->history, row);
}

/* While lambda grows, losses of epochs cannot be compared. */
static int is_ramping(const struct member *m)
{
    return m->opts->lambda_ramp && !m->paper && lambda_now(m) < m->opts->lambda;
}

static bnre_train_stop look_for_end(const struct member *m)
{
    const bnre__train_state *state = &m->state;

    if (state->epoch >= m->opts->epochs)
        return BNRE_STOP_EPOCHS;
    if (out_of_time(m))
        return BNRE_STOP_TIME;
    if (is_ramping(m))
        return BNRE_STOP_NOT;
    if (state->epoch - state->best_epoch >= m->opts->patience)
        return BNRE_STOP_PATIENCE;
    if (m->opts->stop_at_floor && bnre__schedule_at_floor(&state->schedule))
        return BNRE_STOP_FLOOR;
    return BNRE_STOP_NOT;
}

static bnre_status end_epoch(struct member *m)
{
    bnre_status status = BNRE_OK;
    bnre__train_state *state = &m->state;
    const bnre__set_loss *validation = &state->set[BNRE__PASS_VALIDATE];
    const int drives = m->job->inputs->schedule != NULL ? BNRE__PASS_SCHEDULE
                                                        : BNRE__PASS_VALIDATE;

    BNRE_TRY(add_history(m));
    if (validation->loss < state->best) {
        state->best = validation->loss;
        state->best_epoch = state->epoch;
        state->distance = validation->distance;
        bnre_plan_get(m->plan, m->out->weights[BNRE__BEST],
                      m->out->buffers[BNRE__BEST]);
    }
    if (!is_ramping(m))
        bnre__schedule_next(&state->schedule, state->set[drives].loss);
    state->stop = look_for_end(m);
    state->before = state->skipped;
    state->pass = BNRE__PASS_TRAIN;
    if (state->stop == BNRE_STOP_NOT)
        state->epoch++;
done:
    return status;
}

static bnre_status train(struct member *m)
{
    bnre_status status = BNRE_OK;
    bnre__train_state *state = &m->state;

    while (state->stop == BNRE_STOP_NOT) {
        BNRE_TRY(do_pass(m));
        if (++state->pass < BNRE__PASSES && m->loader[state->pass] != NULL)
            continue;
        BNRE_TRY(end_epoch(m));
        if (state->stop == BNRE_STOP_NOT)
            BNRE_TRY(tick(m, 0));
        else
            BNRE_TRY(save(m));
    }
    if (state->best_epoch == 0)
        BNRE_THROW(BNRE_ENUM,
                   "the validation loss was never a finite number: lower "
                   "--learning-rate (it was %g), or give --clip 1",
                   m->opts->learning_rate);
done:
    return status;
}

bnre_status bnre__train_member(const bnre__train_job *job, bnre__trained *out)
{
    bnre_status status = BNRE_OK;
    struct member m = {.job = job,
                       .opts = job->opts,
                       .net = job->inputs->net,
                       .paper = job->opts->recipe == BNRE_RECIPE_PAPER,
                       .out = out};

    BNRE_TRY(make(&m));
    BNRE_TRY(begin_or_resume(&m));
    BNRE_TRY(train(&m));
    bnre_plan_get(m.plan, out->weights[BNRE__LAST], out->buffers[BNRE__LAST]);
    out->epoch[BNRE__BEST] = (size_t)m.state.best_epoch;
    out->epoch[BNRE__LAST] = (size_t)m.state.epoch;
    out->stop = (bnre_train_stop)m.state.stop;
    out->skipped = (size_t)m.state.skipped;
    out->distance = m.state.distance;
done:
    clear(&m);
    return status;
}
