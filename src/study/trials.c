/* trials.c - short trials of simulators and networks, timed: a few rows, a few
   steps. */
#include "study/trials.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/parameters.h"
#include "data/rows.h"
#include "infer/estimator/conditional.h"
#include "infer/train/train.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "num/streams.h"
#include "task/simulator.h"

/* Seconds that one trial may last, besides its first step. */
#define TRIAL_SECONDS 0.004

/* A step that lasts so long is not repeated in other forms. */
#define SLOW_SECONDS 0.3

/* Rows of a trial of a simulator at most. */
enum { TRIAL_ROWS = 64, WIDE = 128, NARROW = 8 };

/* What a simulation by an external program is taken to last: it is not started
   just to know. */
#define EXTERNAL_SECONDS 0.1

/* Time that this thread had a core for: others may share it. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- simulators ---- */

bnre_status bnre__time_row(const bnre_task *task, double *out)
{
    const bnre__simulator *simulator = bnre__task_simulator(task);
    const bnre_dataset_info info = {.dim_theta = simulator->dim_theta,
                                    .dim_nuisance = simulator->dim_nuisance,
                                    .x_size = simulator->x_size};
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_status status = BNRE_OK;
    bnre__block block = {0};
    void *state = NULL;
    size_t rows = 0;
    double begin;

    *out = EXTERNAL_SECONDS;
    if (simulator->kind->begin != NULL || !bnre_task_runs(task))
        return BNRE_OK;
    BNRE_TRY(bnre__block_init(&block, &info, 1));
    BNRE_TRY(bnre__simulator_open(simulator, &state));
    begin = now();
    for (; rows < TRIAL_ROWS && now() - begin < TRIAL_SECONDS; rows++) {
        const bnre__batch batch = {.seed = 1,
                                   .split = opts.split,
                                   .row = rows,
                                   .n = 1,
                                   .theta = block.theta,
                                   .nuisance = block.nuisance,
                                   .x = block.x,
                                   .status = block.status,
                                   .reason = block.reason};

        bnre__parameters_draw(task, &opts, rows, 1, block.theta,
                              block.nuisance);
        BNRE_TRY(simulator->kind->run(simulator, state, &batch));
    }
    *out = (now() - begin) / (double)rows;
done:
    if (state != NULL)
        simulator->kind->close(simulator, state);
    bnre__block_clear(&block);
    return status;
}

/* ---- networks ---- */

/* What is timed: the network of a ratio, or the chain of networks of a
   conditional density; and a batch of zeros, which costs as much as any other.
 */
struct trial {
    bnre__net *net;
    bnre__conditional *density;
    bnre__plan *plan; /* of the one, */
    bnre__chain_plan *chain;
    bnre__conditional_room room; /* and of the other */
    float *theta, *x, *out, *weights, *buffers;
    double *drawn;
    bnre_rng *rng;
    size_t n;
};

/* As it is trained. */
static bnre_status make_net(const bnre_study *study, const bnre__cell *cell,
                            struct trial *trial)
{
    const bnre_task *task = study->task[cell->task].task;
    const bnre_prior *prior = bnre_task_prior(task);
    bnre__net_input input = {.dim_theta = bnre_prior_dim(prior)};
    bnre_train_opts opts = cell->fields.train;
    const bnre_node *settings = NULL;
    bnre_status status = BNRE_OK;
    bnre_node *own = NULL;

    input.shape = bnre_task_observable(task, &input.ndim);
    opts.settings = bnre_node_find(cell->settings, "network");
    status = bnre__train_network(&opts, input.ndim, bnre_task_text(task), &own,
                                 &settings);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(bnre_node_find(cell->settings, "task"), "%s",
                                bnre_error_message());
    BNRE_TRY(status);
    if (bnre_method_is_conditional(opts.method))
        BNRE_TRY(bnre__conditional_create(prior, settings, &input, 0, NULL,
                                          BNRE__COMPONENTS, &trial->density));
    else
        BNRE_TRY(bnre__net_create(settings, &input, &trial->net));
done:
    bnre_node_destroy(own);
    return status;
}

/* Of a chain that of its last factor, which tells all others. */
static const bnre__net *net_of(const struct trial *trial)
{
    return trial->density != NULL ? bnre__chain_net(trial->density->chain)
                                  : trial->net;
}

static void trial_forget(struct trial *trial)
{
    bnre__plan_destroy(trial->plan);
    bnre__chain_plan_destroy(trial->chain);
    bnre__conditional_room_clear(&trial->room);
    bnre__free(trial->theta);
    bnre__free(trial->x);
    bnre__free(trial->out);
    bnre__free(trial->weights);
    bnre__free(trial->buffers);
    bnre__free(trial->drawn);
    bnre__free(trial->rng);
    *trial = (struct trial){.net = trial->net, .density = trial->density};
}

static void trial_clear(struct trial *trial)
{
    trial_forget(trial);
    bnre__net_destroy(trial->net);
    bnre__conditional_destroy(trial->density);
}

/* Weights as training begins with: not all of the kernels take any. */
static bnre_status plan_density(struct trial *trial)
{
    const bnre__conditional *c = trial->density;
    const bnre__plan_opts opts = {.batch = trial->n, .train = 1};
    bnre_rng rng = bnre_rng_stream(
        0, bnre__purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_TRAIN), 0);
    bnre_status status = BNRE_OK;

    BNRE_NEW(trial->out, trial->n * c->factors * c->outputs);
    BNRE_NEW(trial->drawn, trial->n * bnre_prior_dim(c->prior));
    BNRE_NEW(trial->rng, trial->n);
    BNRE_NEW(trial->weights, bnre__chain_weights(c->chain));
    BNRE_NEW(trial->buffers, bnre__chain_buffers(c->chain));
    for (size_t i = 0; i < trial->n; i++)
        trial->rng[i] = bnre_rng_stream(0, 0, i);
    BNRE_TRY(bnre__conditional_room_init(&trial->room, c, trial->n, trial->n));
    BNRE_TRY(bnre__chain_plan_create(c->chain, &opts, &trial->chain));
    bnre__conditional_begin(c, trial->out);
    bnre__chain_init(c->chain, &rng, trial->out, trial->weights,
                     trial->buffers);
    bnre__chain_set(trial->chain, trial->weights, trial->buffers);
done:
    return status;
}

static bnre_status plan_ratio(struct trial *trial)
{
    const bnre__plan_opts opts = {.batch = trial->n, .train = 1};
    bnre_rng rng = bnre_rng_stream(
        0, bnre__purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_TRAIN), 0);
    bnre_status status = BNRE_OK;

    BNRE_NEW(trial->out, 2 * trial->n);
    BNRE_NEW(trial->weights, bnre__net_weights(trial->net));
    BNRE_NEW(trial->buffers, bnre__net_buffers(trial->net));
    BNRE_TRY(bnre__plan_create(trial->net, &opts, &trial->plan));
    bnre__net_init(trial->net, &rng, trial->weights, trial->buffers);
    bnre__plan_set(trial->plan, trial->weights, trial->buffers);
done:
    return status;
}

static bnre_status trial_plan(struct trial *trial, const bnre_task *task,
                              size_t n)
{
    bnre_status status = BNRE_OK;

    trial_forget(trial);
    trial->n = n;
    BNRE_NEW(trial->theta, n * bnre_prior_dim(bnre_task_prior(task)));
    BNRE_NEW(trial->x, n * bnre_task_x_size(task));
    BNRE_TRY(trial->density != NULL ? plan_density(trial) : plan_ratio(trial));
done:
    return status;
}

enum kind { STEP, CHECK, LOOK, POINTS, DRAWS };

static void do_ratio(const struct trial *d, enum kind kind)
{
    const bnre__minibatch pairs = {
        .n = d->n, .theta = d->theta, .x = d->x, .theta_marginal = d->theta};
    const bnre__adam adam = bnre__adam_default();

    switch (kind) {
    case STEP:
        bnre__plan_train_forward(d->plan, &pairs, d->out, d->out + d->n);
        memset(d->out, 0, 2 * d->n * sizeof *d->out);
        bnre__plan_update(d->plan, d->out, d->out + d->n, &adam);
        break;
    case CHECK:
        bnre__plan_pairs(d->plan, &pairs, d->out, d->out + d->n);
        break;
    case LOOK:
        bnre__plan_observe(d->plan, d->x);
        break;
    case POINTS:
    case DRAWS:
        bnre__plan_logits(d->plan, d->n, d->theta, d->out);
        break;
    }
}

static void do_density(struct trial *d, enum kind kind)
{
    const bnre__conditional *c = d->density;
    const bnre__adam adam = bnre__adam_default();

    switch (kind) {
    case STEP:
        bnre__chain_forward(d->chain, 1, d->n, d->theta, d->x, d->out);
        memset(d->out, 0, d->n * c->factors * c->outputs * sizeof *d->out);
        bnre__chain_update(d->chain, d->out, &adam);
        break;
    case LOOK:
        bnre__chain_observe(d->chain, d->n, d->x);
        break;
    case CHECK:
        bnre__conditional_pairs(c, d->chain, 1, &d->room, d->n, d->theta, d->x,
                                d->out);
        break;
    case POINTS:
        bnre__conditional_log_ratio(c, d->chain, 1, &d->room, d->n, d->theta,
                                    NULL, d->out);
        break;
    case DRAWS:
        bnre__conditional_draw(c, d->chain, 1, &d->room, d->n, NULL, d->rng,
                               d->drawn, NULL, NULL);
        break;
    }
}

static void do_once(struct trial *trial, enum kind kind)
{
    if (trial->density != NULL)
        do_density(trial, kind);
    else
        do_ratio(trial, kind);
}

/* Seconds of one call, the best of a few. */
static double time_kind(struct trial *trial, enum kind kind)
{
    double begin = now(), best = INFINITY;

    do {
        double start = now(), seconds;

        do_once(trial, kind);
        seconds = now() - start;
        if (seconds < best)
            best = seconds;
    } while (now() - begin < TRIAL_SECONDS);
    return best;
}

static bnre_status time_net(struct trial *trial, const bnre_task *task,
                            size_t batch, bnre__rates *rates)
{
    const double n = (double)batch;

    BNRE_DO(trial_plan(trial, task, batch));
    rates->step = time_kind(trial, STEP) / n;
    if (rates->step * n < SLOW_SECONDS) {
        rates->check = time_kind(trial, CHECK) / n;
        rates->look = time_kind(trial, LOOK) / (trial->density != NULL ? n : 1);
    } else {
        /* One way is a third of there and back. */
        rates->check = rates->look = rates->step / 3;
        do_once(trial, LOOK);
    }
    rates->point = time_kind(trial, POINTS) / n;
    rates->draw = time_kind(trial, DRAWS) / n;
    return BNRE_OK;
}

bnre_status bnre__time_cell(bnre__trials *trials, const bnre__cell *cell,
                            const bnre__rates **out)
{
    const bnre_task *task = trials->study->task[cell->task].task;
    bnre_status status = BNRE_OK;
    struct trial trial = {0};
    bnre__rates *rates;
    char *name = NULL;

    BNRE_TRY(make_net(trials->study, cell, &trial));
    BNRE_TRY(bnre__text_format(&name, "%zu %s",
                               trial.density != NULL ? trial.density->factors
                                                     : (size_t)0,
                               bnre__net_text(net_of(&trial))));
    for (size_t i = 0; i < trials->n; i++)
        if (strcmp(trials->rates[i].net, name) == 0) {
            *out = &trials->rates[i];
            goto done;
        }
    BNRE_GROW(trials->rates, trials->room, trials->n + 1);
    rates = &trials->rates[trials->n++];
    rates->net = name;
    name = NULL;
    BNRE_TRY(time_net(&trial, task, NARROW, rates));
    /* Small networks are faster in wide batches. */
    if (rates->step * WIDE < 0.05)
        BNRE_TRY(time_net(&trial, task, WIDE, rates));
    *out = rates;
done:
    bnre__free(name);
    trial_clear(&trial);
    return status;
}

void bnre__trials_clear(bnre__trials *trials)
{
    for (size_t i = 0; i < trials->n; i++)
        bnre__free(trials->rates[i].net);
    bnre__free(trials->rates);
}

bnre_status bnre__cell_weights(const bnre_study *study, const bnre__cell *cell,
                               size_t *out)
{
    bnre_status status = BNRE_OK;
    struct trial trial = {0};

    BNRE_TRY(make_net(study, cell, &trial));
    *out = trial.density != NULL ? bnre__chain_weights(trial.density->chain)
                                 : bnre__net_weights(trial.net);
done:
    trial_clear(&trial);
    return status;
}
