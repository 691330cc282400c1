/* costs.c - how long the work of a study takes, from short trials: a few rows
   of each simulator, a few steps of each network. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "data/parameters.h"
#include "data/rows.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "num/streams.h"
#include "study/costs.h"
#include "task/simulator.h"
#include "trust/trust.h"

/* Of a network, in seconds. */
struct rates {
    char *net;    /* its text */
    double step;  /* per simulation of a training step */
    double check; /* per simulation of a validation pass */
    double look;  /* to set an x */
    double point; /* per theta after that */
};

struct trials {
    const bnre_study *study;
    struct rates *rates;
    size_t n, room;
};

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

static bnre_status time_row(const bnre_task *task, double *out)
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

        bnre__parameters_draw(task, &opts, rows, block.theta, block.nuisance);
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

/* The network of a cell: its own, or the recipe's. */
static bnre_status make_net(const bnre_study *study, const bnre__cell *cell,
                            bnre__net **out)
{
    const bnre_task *task = study->task[cell->task].task;
    const bnre_node *settings = bnre_node_find(cell->settings, "network");
    bnre__net_input input = {.dim_theta =
                                 bnre_prior_dim(bnre_task_prior(task))};
    bnre_status status = BNRE_OK;
    bnre_node *paper = NULL;

    input.shape = bnre_task_observable(task, &input.ndim);
    if (settings == NULL && cell->fields.train.recipe == BNRE_RECIPE_PAPER) {
        status = bnre__net_paper(bnre_task_name(task), &paper);
        if (status == BNRE_EUSAGE)
            status = bnre_node_fail(bnre_node_find(cell->settings, "task"),
                                    "%s: set `network`", bnre_error_message());
        BNRE_TRY(status);
        settings = paper;
    }
    BNRE_TRY(bnre__net_create(settings, &input, out));
done:
    bnre_node_destroy(paper);
    return status;
}

/* A batch of zeros, which costs as much as any other. */
struct trial {
    float *theta, *x, *logit;
    size_t n;
};

static bnre_status trial_init(struct trial *trial, const bnre_task *task,
                              size_t n)
{
    bnre_status status = BNRE_OK;

    trial->n = n;
    BNRE_NEW(trial->theta, n * bnre_prior_dim(bnre_task_prior(task)));
    BNRE_NEW(trial->x, n * bnre_task_x_size(task));
    BNRE_NEW(trial->logit, 2 * n);
done:
    return status;
}

static void trial_clear(struct trial *trial)
{
    bnre__free(trial->theta);
    bnre__free(trial->x);
    bnre__free(trial->logit);
    *trial = (struct trial){0};
}

enum kind { STEP, CHECK, LOOK, POINTS };

static void do_once(bnre__plan *plan, const struct trial *d, enum kind kind)
{
    const bnre__minibatch pairs = {
        .n = d->n, .theta = d->theta, .x = d->x, .theta_marginal = d->theta};
    const bnre__adam adam = bnre__adam_default();

    switch (kind) {
    case STEP:
        bnre__plan_train_forward(plan, &pairs, d->logit, d->logit + d->n);
        memset(d->logit, 0, 2 * d->n * sizeof *d->logit);
        bnre__plan_update(plan, d->logit, d->logit + d->n, &adam);
        break;
    case CHECK:
        bnre__plan_pairs(plan, &pairs, d->logit, d->logit + d->n);
        break;
    case LOOK:
        bnre__plan_observe(plan, d->x);
        break;
    case POINTS:
        bnre__plan_logits(plan, d->n, d->theta, d->logit);
        break;
    }
}

/* Seconds of one call, the best of a few. */
static double time_kind(bnre__plan *plan, const struct trial *trial,
                        enum kind kind)
{
    double begin = now(), best = INFINITY;

    do {
        double start = now(), seconds;

        do_once(plan, trial, kind);
        seconds = now() - start;
        if (seconds < best)
            best = seconds;
    } while (now() - begin < TRIAL_SECONDS);
    return best;
}

/* Weights as training begins with: not all of the kernels take any. */
static bnre_status set_weights(const bnre__net *net, bnre__plan *plan)
{
    bnre_rng rng = bnre_rng_stream(
        0, bnre__purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_TRAIN), 0);
    float *weights = NULL, *buffers = NULL;
    bnre_status status = BNRE_OK;

    BNRE_NEW(weights, bnre__net_weights(net));
    BNRE_NEW(buffers, bnre__net_buffers(net));
    bnre__net_init(net, &rng, weights, buffers);
    bnre__plan_set(plan, weights, buffers);
done:
    bnre__free(weights);
    bnre__free(buffers);
    return status;
}

static bnre_status time_net(const bnre__net *net, const bnre_task *task,
                            size_t batch, struct rates *rates)
{
    const bnre__plan_opts opts = {.batch = batch, .train = 1};
    const double n = (double)batch;
    bnre_status status = BNRE_OK;
    struct trial trial = {0};
    bnre__plan *plan = NULL;

    BNRE_TRY(trial_init(&trial, task, batch));
    BNRE_TRY(bnre__plan_create(net, &opts, &plan));
    BNRE_TRY(set_weights(net, plan));
    rates->step = time_kind(plan, &trial, STEP) / n;
    if (rates->step * n < SLOW_SECONDS) {
        rates->check = time_kind(plan, &trial, CHECK) / n;
        rates->look = time_kind(plan, &trial, LOOK);
    } else {
        /* One way is a third of there and back. */
        rates->check = rates->look = rates->step / 3;
        do_once(plan, &trial, LOOK);
    }
    rates->point = time_kind(plan, &trial, POINTS) / n;
done:
    bnre__plan_destroy(plan);
    trial_clear(&trial);
    return status;
}

static bnre_status rates_of(struct trials *trials, const bnre__cell *cell,
                            const struct rates **out)
{
    const bnre_task *task = trials->study->task[cell->task].task;
    bnre_status status = BNRE_OK;
    bnre__net *net = NULL;
    struct rates *rates;

    BNRE_TRY(make_net(trials->study, cell, &net));
    for (size_t i = 0; i < trials->n; i++)
        if (strcmp(trials->rates[i].net, bnre__net_text(net)) == 0) {
            *out = &trials->rates[i];
            goto done;
        }
    BNRE_GROW(trials->rates, trials->room, trials->n + 1);
    rates = &trials->rates[trials->n];
    BNRE_TRY(bnre__strdup(bnre__net_text(net), &rates->net));
    trials->n++;
    BNRE_TRY(time_net(net, task, NARROW, rates));
    /* Small networks are faster in wide batches. */
    if (rates->step * WIDE < 0.05)
        BNRE_TRY(time_net(net, task, WIDE, rates));
    *out = rates;
done:
    bnre__net_destroy(net);
    return status;
}

/* ---- runs ---- */

static double train_seconds(const bnre__cell *cell, const struct rates *rates)
{
    const bnre_train_opts *opts = &cell->fields.train;
    double rows = (double)opts->simulations;
    double checked = (double)cell->rows[BNRE_SPLIT_VALIDATE] +
                     (double)cell->rows[BNRE_SPLIT_SCHEDULE];
    double epochs = opts->epochs > 0 ? (double)opts->epochs : 500;

    if (checked == 0) {
        checked = rows / 10;
        rows -= checked;
    }
    /* Most trainings with patience end long before. */
    if (opts->recipe == BNRE_RECIPE_DEFAULT && epochs > 100)
        epochs = 100;
    return (double)opts->members * epochs *
           (rows * rates->step + checked * rates->check);
}

static const bnre_prior *prior_of(const bnre_study *study,
                                  const bnre__cell *cell)
{
    return bnre_task_prior(study->task[cell->task].task);
}

/* What a member evaluates for `points` points in `cells` cells: one member
   alone finds out where they should go. */
static double fitted_points(const bnre__cell *cell, double cells, double points)
{
    return points + 0.8 * cells / (double)cell->fields.train.members;
}

/* The same for draws of the posterior, each of them made by one member. */
static double drawn_points(const bnre__cell *cell, double draws)
{
    return draws + draws / (double)cell->fields.train.members;
}

static double points_of(const bnre_study *study, const bnre__cell *cell)
{
    static const double usual[] = {96, 384, 512}, usual_draws = 100;
    const double draws = (double)cell->fields.diagnose.draws;
    const double points = (double)cell->fields.diagnose.points;
    const size_t dim = bnre_prior_dim(prior_of(study, cell));
    double n;

    if (draws > 0 && !bnre_method_is_conditional(cell->fields.train.method))
        return draws;
    if (strcmp(cell->fields.diagnose.grid, "paper") == 0)
        return pow(90, (double)dim);
    if (bnre_read_real(cell->fields.diagnose.grid, NULL, "grid", &n) == BNRE_OK)
        return dim <= 3 ? pow(n, (double)dim) : n;
    if (points == 0 && bnre_method_is_conditional(cell->fields.train.method))
        return drawn_points(cell, draws > 0 ? draws : usual_draws);
    n = points > 0 ? points : usual[dim < 3 ? dim - 1 : 2];
    return fitted_points(cell, n, n);
}

static double diagnose_seconds(const bnre_study *study, const bnre__cell *cell,
                               const struct rates *rates)
{
    const size_t theorems = cell->fields.diagnose.theorems;
    const double exact = 1e-3; /* a pair compared with theory, about */
    double seconds = (double)cell->rows[BNRE_SPLIT_TEST] *
                     (double)cell->fields.train.members *
                     (rates->look + points_of(study, cell) * rates->point);

    if (cell->fields.study.learning_curve) /* a quarter and a half */
        seconds += 0.75 * train_seconds(cell, rates);
    return seconds + exact * (double)theorems;
}

/* Steps of lambda as they usually are, and pairs looked at for each. */
static double choose_seconds(const bnre_study *study, const bnre__cell *cell,
                             const struct rates *rates)
{
    const double steps = 2, share = 0.1;
    const double pairs = steps * (double)cell->rows[BNRE_SPLIT_SELECT] +
                         (double)cell->rows[BNRE_SPLIT_CERTIFY];
    const double training = train_seconds(cell, rates);
    size_t cells, points;
    double each, looks;

    if (!bnre__fields_choose(&cell->fields))
        return 0;
    bnre__trust_points(prior_of(study, cell), cell->fields.diagnose.points,
                       &cells, &points);
    each = points > 0 ? fitted_points(cell, (double)cells, (double)points)
                      : points_of(study, cell);
    looks = pairs * (double)cell->fields.train.members *
            (rates->look + each * rates->point);
    /* Pairs that would cost more are left out. */
    return fmin((steps - 1) * share * training + looks,
                (cell->fields.study.effort - 1) * training);
}

/* A fine grid twice, and gnuplot. */
static double posterior_seconds(const bnre__cell *cell,
                                const struct rates *rates)
{
    return 1 + (double)cell->fields.train.members *
                   (rates->look + 2e5 * rates->point);
}

/* In whole milliseconds, at least one, so that all work shows. */
static size_t in_ms(double seconds)
{
    return (size_t)(1e3 * seconds) + 1;
}

static bnre_status add_runs(bnre__costs *costs, struct trials *trials)
{
    const bnre_study *study = trials->study;

    for (size_t i = 0; i < study->cells; i++) {
        const bnre__cell *cell = &study->cell[i];
        const struct rates *rates = NULL;

        BNRE_DO(rates_of(trials, cell, &rates));
        costs->run[i][BNRE__STAGE_TRAIN] = in_ms(
            train_seconds(cell, rates) + choose_seconds(study, cell, rates));
        if (cell->rows[BNRE_SPLIT_TEST] > 0)
            costs->run[i][BNRE__STAGE_DIAGNOSE] =
                in_ms(diagnose_seconds(study, cell, rates));
        if (study->fields.study.observation != NULL)
            costs->run[i][BNRE__STAGE_POSTERIOR] =
                in_ms(posterior_seconds(cell, rates));
        if (cell->fields.study.check > 0) /* its simulations not counted */
            costs->run[i][BNRE__STAGE_CHECK] =
                in_ms(2 * posterior_seconds(cell, rates));
    }
    return BNRE_OK;
}

static bnre_status add_data(bnre__costs *costs, const bnre_study *study)
{
    bnre_status status = BNRE_OK;
    double *row = NULL;

    BNRE_NEW(row, study->tasks);
    for (size_t i = 0; i < study->tasks; i++)
        BNRE_TRY(time_row(study->task[i].task, &row[i]));
    for (size_t i = 0; i < study->datasets; i++)
        costs->data[i] =
            in_ms(row[study->data[i].task] * (double)study->data[i].rows);
done:
    bnre__free(row);
    return status;
}

bnre_status bnre__costs_init(const bnre_study *study, bnre__costs *out)
{
    bnre_status status = BNRE_OK;

    *out = (bnre__costs){0};
    BNRE_NEW(out->data, study->datasets);
    BNRE_NEW(out->run, study->cells);
done:
    if (status != BNRE_OK)
        bnre__costs_clear(out);
    return status;
}

bnre_status bnre__costs_estimate(const bnre_study *study, bnre__costs *out)
{
    struct trials trials = {.study = study};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__costs_init(study, out));
    BNRE_TRY(add_data(out, study));
    BNRE_TRY(add_runs(out, &trials));
done:
    for (size_t i = 0; i < trials.n; i++)
        bnre__free(trials.rates[i].net);
    bnre__free(trials.rates);
    if (status != BNRE_OK)
        bnre__costs_clear(out);
    return status;
}

void bnre__costs_clear(bnre__costs *costs)
{
    bnre__free(costs->data);
    bnre__free(costs->run);
    *costs = (bnre__costs){0};
}

/* What a run leaves: weights of two epochs, and tables. */
static bnre_status run_bytes(const bnre_study *study, const bnre__cell *cell,
                             double *out)
{
    const bnre_train_opts *opts = &cell->fields.train;
    const double epochs = opts->epochs > 0 ? (double)opts->epochs : 500;
    bnre_status status = BNRE_OK;
    bnre__net *net = NULL;

    BNRE_TRY(make_net(study, cell, &net));
    *out = (double)opts->members *
               (8 * (double)bnre__net_weights(net) + 250 * epochs) +
           8 * (double)opts->simulations + 20e3;
done:
    bnre__net_destroy(net);
    return status;
}

bnre_status bnre_study_estimate_costs(const bnre_study *study,
                                      bnre_study_estimate *out)
{
    const double repeats = (double)study->fields.study.repeats;
    bnre_status status = BNRE_OK;
    bnre__costs costs = {0};
    double bytes;

    *out = (bnre_study_estimate){0};
    for (size_t i = 0; i < study->tasks; i++)
        if (!bnre_task_known(study->task[i].task))
            out->unknown = 1;
    if (out->unknown)
        return BNRE_OK;
    BNRE_TRY(bnre__costs_estimate(study, &costs));
    for (size_t i = 0; i < study->datasets; i++) {
        out->simulate += 1e-3 * (double)costs.data[i];
        out->data += bnre_study_dataset_at(study, i).bytes;
    }
    for (size_t i = 0; i < study->tasks; i++)
        if (bnre__task_simulator(study->task[i].task)->kind->begin != NULL ||
            !bnre_task_runs(study->task[i].task))
            out->external = 1;
    for (size_t i = 0; i < study->cells; i++) {
        out->train += 1e-3 * repeats * (double)costs.run[i][BNRE__STAGE_TRAIN];
        out->diagnose += 1e-3 * repeats *
                         (double)(costs.run[i][BNRE__STAGE_DIAGNOSE] +
                                  costs.run[i][BNRE__STAGE_POSTERIOR] +
                                  costs.run[i][BNRE__STAGE_CHECK]);
        BNRE_TRY(run_bytes(study, &study->cell[i], &bytes));
        out->runs += repeats * bytes;
    }
done:
    bnre__costs_clear(&costs);
    return status;
}
