/* member.c - training the members of an ensemble: epochs of passes, checkpoints,
   the end; and all members, side by side or one by one. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "infer/train/run.h"
#include "infer/train/step.h"
#include "num/streams.h"

#define CHANCE 1.3862943611198906 /* 2 log 2: the entropy of a coin */
#define NOTABLE 0.01
enum { SEARCH_STEPS = 1500 };

/* The training of one network. */
struct job {
    const bnre_train_opts *opts; /* resolved */
    const bnre__train_inputs *inputs;
    uint64_t seed;                  /* of this member */
    const float *weights, *buffers; /* to start from; NULL = fresh ones */
    bnre_pool *pool;                /* for the network; NULL in a worker */
    double deadline;                /* on the monotonic clock; 0 = none */
    bnre__train_watch watch;
    const char *checkpoint; /* file; NULL = none */
    const char *identity;   /* of what is trained, for the checkpoint */
};

struct member {
    const struct job *job;
    const bnre_train_opts *opts;
    bnre__trainer trainer;
    size_t weights, buffers; /* of its networks */
    bnre__trained *out;
    float *first, *second; /* moments, for checkpoints */
    double *row;           /* of the history */
    double saved;          /* when */
};

uint64_t bnre__member_seed(uint64_t seed, size_t k)
{
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_MEMBER, BNRE_SPLIT_TRAIN), k);

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

static bnre_status make(struct member *m)
{
    bnre_status status = BNRE_OK;

    m->trainer.opts = m->opts;
    m->trainer.inputs = m->job->inputs;
    m->trainer.seed = m->job->seed;
    BNRE_TRY(bnre__trainer_init(&m->trainer, m->job->pool));
    m->weights = bnre__trainer_weights(&m->trainer);
    m->buffers = bnre__trainer_buffers(&m->trainer);
    m->out->history.columns =
        BNRE__COLUMNS + m->trainer.factors * BNRE__FACTOR_COLUMNS;
    BNRE_NEW(m->first, m->weights);
    BNRE_NEW(m->second, m->weights);
    BNRE_NEW(m->row, m->out->history.columns);
    for (int e = 0; e < BNRE__EPOCHS; e++) {
        BNRE_NEW(m->out->weights[e], m->weights);
        BNRE_NEW(m->out->buffers[e], m->buffers);
    }
done:
    return status;
}

static void clear(struct member *m)
{
    bnre__free(m->row);
    bnre__free(m->second);
    bnre__free(m->first);
    bnre__trainer_clear(&m->trainer);
}

/* Fresh weights, or those given, at the beginning of the first epoch. */
static bnre_status begin(struct member *m)
{
    bnre__train_state *state = &m->trainer.state;
    float *weights = m->out->weights[BNRE__LAST];
    float *buffers = m->out->buffers[BNRE__LAST];
    bnre_rng rng = bnre_rng_stream(
        m->job->seed, bnre__purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_TRAIN), 0);

    BNRE_DO(bnre__trainer_begin(&m->trainer, &rng, weights, buffers));
    if (m->job->weights != NULL)
        memcpy(weights, m->job->weights, m->weights * sizeof *weights);
    if (m->job->buffers != NULL && m->buffers > 0)
        memcpy(buffers, m->job->buffers, m->buffers * sizeof *buffers);
    bnre__trainer_set(&m->trainer, weights, buffers);
    memset(state, 0, sizeof *state);
    state->epoch = 1;
    state->best = INFINITY;
    for (size_t j = 0; j < m->trainer.factors; j++)
        m->trainer.factor[j] = (bnre__factor_state){.best = INFINITY};
    bnre__schedule_init(&state->schedule,
                        m->trainer.factors > 0 ? BNRE__SCHEDULE_GENTLE
                                               : BNRE__SCHEDULE_PLATEAU,
                        m->opts->learning_rate, m->opts->epochs);
    return BNRE_OK;
}

/* ---- checkpoints ---- */

static bnre__checkpoint checkpoint_of(struct member *m)
{
    return (bnre__checkpoint){
        .state = &m->trainer.state,
        .weights = m->weights,
        .buffers = m->buffers,
        .now = m->out->weights[BNRE__LAST],
        .now_buffers = m->out->buffers[BNRE__LAST],
        .best = m->out->weights[BNRE__BEST],
        .best_buffers = m->out->buffers[BNRE__BEST],
        .first = m->first,
        .second = m->second,
        .history = &m->out->history,
        .factors = m->trainer.factors,
        .factor = m->trainer.factor,
    };
}

static bnre_status save(struct member *m)
{
    const bnre__checkpoint checkpoint = checkpoint_of(m);

    m->saved = bnre__clock();
    if (m->job->checkpoint == NULL)
        return BNRE_OK;
    bnre__trainer_get(&m->trainer, checkpoint.now, checkpoint.now_buffers);
    bnre__trainer_get_moments(&m->trainer, m->first, m->second,
                              &m->trainer.state.steps);
    return bnre__checkpoint_save(m->job->checkpoint, m->job->identity,
                                 &checkpoint);
}

/* Simulations that went through training so far. */
static size_t rows_done(const struct member *m)
{
    const bnre__train_state *state = &m->trainer.state;
    const size_t batches =
        bnre__loader_batches(m->trainer.loader[BNRE__PASS_TRAIN]);
    size_t done = (size_t)(state->epoch - 1) * batches;

    if (state->stop != BNRE_STOP_NOT || state->pass != BNRE__PASS_TRAIN)
        done += batches;
    else
        done += (size_t)state->batch;
    return done * m->opts->batch_size;
}

static bnre_status begin_or_resume(struct member *m)
{
    const bnre__train_watch *watch = &m->job->watch;
    const bnre__train_state *state = &m->trainer.state;
    bnre__checkpoint checkpoint = checkpoint_of(m);
    const bnre__loader *loader;
    int found = 0;

    BNRE_DO(begin(m));
    m->saved = bnre__clock();
    if (m->job->checkpoint == NULL)
        return BNRE_OK;
    BNRE_DO(bnre__checkpoint_load(m->job->checkpoint, m->job->identity,
                                  &checkpoint, &found));
    if (!found)
        return BNRE_OK;
    loader = m->trainer.loader[state->pass];
    if (loader == NULL || state->batch > bnre__loader_batches(loader)) {
        return bnre__checkpoint_fail_damaged(m->job->checkpoint);
    }
    bnre__trainer_set(&m->trainer, checkpoint.now, checkpoint.now_buffers);
    bnre__trainer_set_moments(&m->trainer, m->first, m->second,
                              m->trainer.state.steps);
    if (watch->found != NULL)
        watch->found(watch->arg, rows_done(m));
    return BNRE_OK;
}

/* After every batch: whether to stop, and whether it is time to save. */
static bnre_status tick(struct member *m, size_t rows)
{
    const bnre__train_watch *watch = &m->job->watch;

    if (watch->tick != NULL &&
        watch->tick(watch->arg, rows, &m->out->history) != 0) {
        BNRE_DO(save(m));
        return bnre_fail(BNRE_EINTR, "interrupted in epoch %zu",
                         (size_t)m->trainer.state.epoch);
    }
    if (bnre__clock() - m->saved >= m->opts->save_every)
        BNRE_DO(save(m));
    return BNRE_OK;
}

/* ---- epochs ---- */

static int out_of_time(const struct member *m)
{
    return m->job->deadline > 0 && bnre__clock() >= m->job->deadline;
}

/* The current pass, from the batch where it stands. */
static bnre_status do_pass(struct member *m)
{
    const bnre__train_state *state = &m->trainer.state;
    const int training = state->pass == BNRE__PASS_TRAIN;
    bnre__loader *loader = m->trainer.loader[state->pass];
    bnre__batch_rows rows;

    BNRE_DO(bnre__loader_begin(loader, (size_t)state->epoch));
    BNRE_DO(bnre__loader_skip(loader, (size_t)state->batch));
    for (;;) {
        BNRE_DO(bnre__loader_next(loader, &rows));
        if (rows.n == 0)
            break;
        BNRE_DO(bnre__trainer_batch(&m->trainer, &rows));
        BNRE_DO(tick(m, training ? rows.n : 0));
        if (training && out_of_time(m))
            break;
    }
    bnre__trainer_end_pass(&m->trainer);
    return BNRE_OK;
}

static bnre_status add_history(struct member *m)
{
    const bnre__train_state *state = &m->trainer.state;
    const bnre__set_loss *train = &state->set[BNRE__PASS_TRAIN];
    const bnre__set_loss *validation = &state->set[BNRE__PASS_VALIDATE];
    const double row[BNRE__COLUMNS] = {
        [BNRE__EPOCH] = (double)state->epoch,
        [BNRE__RATE] = state->schedule.rate,
        [BNRE__LAMBDA] = bnre__trainer_lambda(&m->trainer),
        [BNRE__TRAIN_LOSS] = train->loss,
        [BNRE__TRAIN_ENTROPY] = train->cross_entropy,
        [BNRE__TRAIN_BALANCE] = train->balance,
        [BNRE__VALIDATION_LOSS] = validation->loss,
        [BNRE__VALIDATION_ENTROPY] = validation->cross_entropy,
        [BNRE__VALIDATION_BALANCE] = validation->balance,
        [BNRE__VALIDATION_CERTAINTY] = validation->certainty,
        [BNRE__SCHEDULE_LOSS] = m->job->inputs->schedule != NULL
                                    ? state->set[BNRE__PASS_SCHEDULE].loss
                                    : NAN,
        [BNRE__SKIPPED] = (double)(state->skipped - state->before),
    };

    memcpy(m->row, row, sizeof row);
    for (size_t j = 0; j < m->trainer.factors; j++) {
        const bnre__set_loss *set =
            &m->trainer.factor[j].set[BNRE__PASS_VALIDATE];
        double *to = m->row + BNRE__COLUMNS + j * BNRE__FACTOR_COLUMNS;

        to[BNRE__FACTOR_LOSS] = set->loss;
        to[BNRE__FACTOR_LOG_LOSS] = set->cross_entropy;
        to[BNRE__FACTOR_BALANCE] = set->balance;
    }
    return bnre__history_add(&m->out->history, m->row);
}

/* While lambda grows, a worse loss is no reason to slow down or stop. (The
   reference does not care.) */
static int is_ramping(const struct member *m)
{
    return m->opts->lambda_ramp && !m->trainer.paper &&
           bnre__trainer_lambda(&m->trainer) < m->opts->lambda;
}

/* With few data a network may take many epochs to find anything, and on the
   validation data its entropy may rise before it falls. Until it is below that
   of chance, slowing down or stopping would end the search. (The reference
   does not care.) */
static int is_searching(const struct member *m)
{
    const bnre__train_state *state = &m->trainer.state;
    const size_t batches =
        bnre__loader_batches(m->trainer.loader[BNRE__PASS_TRAIN]);

    return !m->trainer.paper && m->trainer.factors == 0 &&
           state->epoch * batches < SEARCH_STEPS &&
           !(state->set[BNRE__PASS_VALIDATE].cross_entropy < CHANCE - NOTABLE);
}

static bnre_train_stop look_for_end(const struct member *m)
{
    const bnre__train_state *state = &m->trainer.state;

    if (state->epoch >= m->opts->epochs)
        return BNRE_STOP_EPOCHS;
    if (out_of_time(m))
        return BNRE_STOP_TIME;
    if (is_ramping(m) || is_searching(m))
        return BNRE_STOP_NOT;
    if (state->epoch - state->best_epoch >= m->opts->patience)
        return BNRE_STOP_PATIENCE;
    if (m->opts->stop_at_floor && bnre__schedule_at_floor(&state->schedule))
        return BNRE_STOP_FLOOR;
    return BNRE_STOP_NOT;
}

/* Factors that share nothing have their best epochs each for itself. (Room for
   a moment is free between checkpoints.) */
static void keep_best_factors(struct member *m)
{
    const bnre__chain *chain = m->job->inputs->conditional->chain;
    bnre__train_state *state = &m->trainer.state;
    float *weights = m->first;
    size_t at, n;

    bnre__trainer_get(&m->trainer, weights, m->out->buffers[BNRE__BEST]);
    for (size_t j = 0; j < m->trainer.factors; j++) {
        bnre__factor_state *factor = &m->trainer.factor[j];
        const double loss = factor->set[BNRE__PASS_VALIDATE].loss;

        if (!(loss < factor->best))
            continue;
        factor->best = loss;
        state->best_epoch = state->epoch;
        bnre__chain_part(chain, j, &at, &n);
        memcpy(m->out->weights[BNRE__BEST] + at, weights + at,
               n * sizeof *weights);
    }
}

static bnre_status end_epoch(struct member *m)
{
    bnre__train_state *state = &m->trainer.state;
    const bnre__set_loss *validation = &state->set[BNRE__PASS_VALIDATE];
    const int drives = m->job->inputs->schedule != NULL ? BNRE__PASS_SCHEDULE
                                                        : BNRE__PASS_VALIDATE;

    BNRE_DO(add_history(m));
    if (m->trainer.factors > 0 &&
        !bnre__chain_shares(m->job->inputs->conditional->chain))
        keep_best_factors(m);
    else if (validation->loss < state->best) {
        state->best = validation->loss;
        state->best_epoch = state->epoch;
        bnre__trainer_get(&m->trainer, m->out->weights[BNRE__BEST],
                          m->out->buffers[BNRE__BEST]);
    }
    if (!is_ramping(m) && !is_searching(m))
        bnre__schedule_next(&state->schedule, state->set[drives].loss);
    state->stop = look_for_end(m);
    state->before = state->skipped;
    state->pass = BNRE__PASS_TRAIN;
    if (state->stop == BNRE_STOP_NOT)
        state->epoch++;
    return BNRE_OK;
}

static bnre_status train(struct member *m)
{
    const bnre__train_state *state = &m->trainer.state;

    while (state->stop == BNRE_STOP_NOT) {
        BNRE_DO(do_pass(m));
        if (state->pass < BNRE__PASSES &&
            m->trainer.loader[state->pass] != NULL)
            continue;
        BNRE_DO(end_epoch(m));
        if (state->stop == BNRE_STOP_NOT)
            BNRE_DO(tick(m, 0));
        else
            BNRE_DO(save(m));
    }
    if (state->best_epoch == 0)
        return bnre_fail(BNRE_ENUM,
                         "the validation loss was never a finite number: lower "
                         "`learning_rate` (it was %g), or give `clip: 1`",
                         m->opts->learning_rate);
    return BNRE_OK;
}

/* One network. Start from {0}; clear it in any case. */
static bnre_status train_member(const struct job *job, bnre__trained *out)
{
    bnre_status status = BNRE_OK;
    struct member m = {.job = job, .opts = job->opts, .out = out};
    const bnre__train_state *state = &m.trainer.state;

    BNRE_TRY(make(&m));
    BNRE_TRY(begin_or_resume(&m));
    BNRE_TRY(train(&m));
    bnre__trainer_get(&m.trainer, out->weights[BNRE__LAST],
                      out->buffers[BNRE__LAST]);
    out->epoch[BNRE__BEST] = (size_t)state->best_epoch;
    out->epoch[BNRE__LAST] = (size_t)state->epoch;
    out->stop = (bnre_train_stop)state->stop;
    out->skipped = (size_t)state->skipped;
done:
    clear(&m);
    return status;
}

/* ---- all members, side by side or one by one ---- */

/* The rows that member k may see, scaled by what they say of themselves. */
static bnre_status take_own(const bnre__train_run *run, size_t k,
                            bnre__train_data *data, bnre__train_inputs *inputs)
{
    bnre_train_opts opts = run->opts;

    if (!run->alone)
        opts.memory /= bnre_pool_threads(opts.pool);
    BNRE_DO(bnre__train_data_of_member(&run->data, &opts, k % opts.folds,
                                       bnre__member_seed(opts.seed, k), data));
    BNRE_DO(bnre__train_data_keep(data, &opts));
    inputs->fold = k % opts.folds;
    inputs->theta = bnre__estimator_scale_theta(run->est, k);
    inputs->x = bnre__estimator_scale_x(run->est, k);
    inputs->train = data->set[BNRE__ROLE_TRAIN];
    inputs->validation = data->set[BNRE__ROLE_VALIDATE];
    BNRE_DO(bnre__subset_scale(data->set[BNRE__ROLE_TRAIN], inputs->theta,
                               inputs->x));
    return bnre__subset_scale(data->set[BNRE__ROLE_VALIDATE], inputs->theta,
                              inputs->x);
}

/* With folds every thread has a copy of what its member may see. */
int bnre__train_keeps(const bnre__train_run *run)
{
    if (run->opts.folds == 0)
        return bnre__train_data_is_kept(&run->data);
    return (double)bnre__subset_bytes(run->data.set[BNRE__ROLE_TRAIN]) *
               (double)bnre_pool_threads(run->opts.pool) <=
           1048576 * (double)run->opts.memory;
}

static bnre_status train_members(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    bnre__train_run *run = arg;
    bnre_status status = BNRE_OK;
    bnre__train_data data = {0};

    (void)worker;
    for (size_t k = first; k < last; k++) {
        const bnre__member *from =
            run->start != NULL ? &run->start->member[k] : NULL;
        bnre__train_inputs own = run->inputs;
        const struct job job = {
            .opts = &run->opts,
            .inputs = &own,
            .seed = bnre__member_seed(run->opts.seed, k),
            .weights = from != NULL ? from->weights[from->uses] : NULL,
            .buffers = from != NULL ? from->buffers[from->uses] : NULL,
            .pool = run->alone ? run->opts.pool : NULL,
            .deadline = run->deadline,
            .watch = bnre__train_watch_of(run, k),
            .checkpoint = run->part[k],
            .identity = run->identity,
        };

        bnre__train_data_clear(&data);
        if (run->opts.folds > 0)
            BNRE_TRY(take_own(run, k, &data, &own));
        BNRE_TRY(train_member(&job, &run->trained[k]));
        bnre__train_over(run, k);
    }
done:
    bnre__train_data_clear(&data);
    return status;
}

bnre_status bnre__train_all(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *train = run->data.set[BNRE__ROLE_TRAIN];
    const bnre__subset *other = run->data.other[BNRE__ROLE_TRAIN];
    const size_t members = run->opts.members, batch = run->opts.batch_size;
    const size_t rows = other != NULL && other->joint > train->joint
                            ? other->joint
                            : train->joint;

    run->inputs = (bnre__train_inputs){
        .net = run->est->net,
        .conditional = run->est->conditional,
        .theta = &run->est->theta,
        .x = &run->est->x,
        .train = train,
        .validation = run->data.set[BNRE__ROLE_VALIDATE],
        .schedule =
            run->data.classes ? NULL : run->data.set[BNRE__ROLE_SCHEDULE],
        .train_other = other,
        .validation_other = run->data.other[BNRE__ROLE_VALIDATE],
    };
    run->each = run->opts.epochs * (rows / batch * batch);
    run->total = members * run->each;
    run->alone = members == 1 || !bnre__train_keeps(run);
    if (run->opts.max_time > 0)
        run->deadline = bnre__clock() + run->opts.max_time;
    BNRE_NEW(run->trained, members);
    BNRE_NEW(run->state, members);
    BNRE_TRY(bnre_pool_for(run->alone ? NULL : run->opts.pool, members, 1,
                           train_members, run));
done:
    return status;
}
