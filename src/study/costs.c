/* costs.c - how long the work of a study takes: short trials (trials.h) times
   how often. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/value.h"
#include "study/costs.h"
#include "study/trials.h"
#include "task/simulator.h"
#include "trust/trust.h"

/* ---- runs ---- */

static double train_seconds(const bnre__cell *cell, const bnre__rates *rates)
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

/* Draws of the posterior itself, which a pair is compared with; 0 if not. */
static double draws_of(const bnre__cell *cell)
{
    const double draws = (double)cell->fields.diagnose.draws, usual = 100;

    if (!bnre_method_is_conditional(cell->fields.train.method) ||
        strcmp(cell->fields.diagnose.grid, "auto") != 0 ||
        cell->fields.diagnose.points > 0)
        return 0;
    return draws > 0 ? draws : usual;
}

static double points_of(const bnre_study *study, const bnre__cell *cell)
{
    static const double usual[] = {96, 384, 512};
    const double draws = (double)cell->fields.diagnose.draws;
    const double points = (double)cell->fields.diagnose.points;
    const size_t dim = bnre_prior_dim(prior_of(study, cell));
    double n;

    if (draws > 0 && !bnre_method_is_conditional(cell->fields.train.method))
        return draws;
    if (strcmp(cell->fields.diagnose.grid, "paper") == 0)
        return pow(90, (double)dim);
    if (bnre__read_real(cell->fields.diagnose.grid, NULL, "grid", &n) ==
        BNRE_OK)
        return dim <= 3 ? pow(n, (double)dim) : n;
    if (draws_of(cell) > 0)
        return draws_of(cell);
    n = points > 0 ? points : usual[dim < 3 ? dim - 1 : 2];
    return fitted_points(cell, n, n);
}

static double diagnose_seconds(const bnre_study *study, const bnre__cell *cell,
                               const bnre__rates *rates)
{
    const size_t theorems = cell->fields.diagnose.theorems;
    const double exact = 1e-3; /* a pair compared with theory, about */
    /* Each draw is made by one member, and looked at by all. */
    double seconds =
        (double)cell->rows[BNRE_SPLIT_TEST] *
        ((double)cell->fields.train.members *
             (rates->look + points_of(study, cell) * rates->point) +
         draws_of(cell) * rates->draw);

    if (cell->fields.study.learning_curve) /* a quarter and a half */
        seconds += 0.75 * train_seconds(cell, rates);
    return seconds + exact * (double)theorems;
}

/* Steps of lambda as they usually are, and pairs looked at for each. */
static double choose_seconds(const bnre_study *study, const bnre__cell *cell,
                             const bnre__rates *rates)
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
                                const bnre__rates *rates)
{
    return 1 + (double)cell->fields.train.members *
                   (rates->look + 2e5 * rates->point);
}

/* In whole milliseconds, at least one, so that all work shows. */
static size_t in_ms(double seconds)
{
    return (size_t)(1e3 * seconds) + 1;
}

static bnre_status add_runs(bnre__costs *costs, bnre__trials *trials)
{
    const bnre_study *study = trials->study;

    for (size_t i = 0; i < study->cells; i++) {
        const bnre__cell *cell = &study->cell[i];
        const bnre__rates *rates = NULL;

        BNRE_DO(bnre__time_cell(trials, cell, &rates));
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
        if (study->fields.posterior.each != NULL) /* of a hundred rows */
            costs->run[i][BNRE__STAGE_EACH] =
                in_ms(posterior_seconds(cell, rates));
        if (study->fields.posterior.prior != NULL &&
            cell->rows[BNRE_SPLIT_TEST] > 0)
            costs->run[i][BNRE__STAGE_PRIOR] =
                costs->run[i][BNRE__STAGE_DIAGNOSE] / 2;
    }
    return BNRE_OK;
}

static bnre_status add_data(bnre__costs *costs, const bnre_study *study)
{
    bnre_status status = BNRE_OK;
    double *row = NULL;

    BNRE_NEW(row, study->tasks);
    for (size_t i = 0; i < study->tasks; i++)
        BNRE_TRY(bnre__time_row(study->task[i].task, &row[i]));
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
    bnre__trials trials = {.study = study};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__costs_init(study, out));
    BNRE_TRY(add_data(out, study));
    BNRE_TRY(add_runs(out, &trials));
done:
    bnre__trials_clear(&trials);
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
    size_t weights;

    BNRE_DO(bnre__cell_weights(study, cell, &weights));
    *out = (double)opts->members * (8 * (double)weights + 250 * epochs) +
           8 * (double)opts->simulations + 20e3;
    return BNRE_OK;
}

bnre_status bnre__study_estimate_costs(const bnre_study *study,
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
                                  costs.run[i][BNRE__STAGE_CHECK] +
                                  costs.run[i][BNRE__STAGE_EACH] +
                                  costs.run[i][BNRE__STAGE_PRIOR]);
        BNRE_TRY(run_bytes(study, &study->cell[i], &bytes));
        out->runs += repeats * bytes;
    }
done:
    bnre__costs_clear(&costs);
    return status;
}
