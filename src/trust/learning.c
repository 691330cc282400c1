/* What more simulations would bring, from fewer: two more trainings, on a
   quarter and on half of them, and three looks at the same pairs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/certificate.h"
#include "bnre/settings.h"
#include "bnre/train.h"
#include "diag/rank.h"
#include "io/file.h"
#include "trust/advice.h"
#include "trust/trust.h"

/* On the scale of logarithms, where what doubling brings shrinks as gains of
   information do. The pairs are the same, so that taking the errors of both
   budgets for independent makes the range rather too wide. */
static void extrapolate_volume(bnre_learning_curve *curve, double ratio)
{
    const double *volume = curve->volume, *error = curve->volume_error;
    const double last = log(volume[2] / volume[1]);
    const double two = 2 * hypot(error[1] / volume[1], error[2] / volume[2]);

    curve->shrink = exp(last * ratio);
    curve->shrink_low = exp(fmin(last, last * 0.25) - two);
    curve->shrink_high = exp(fmax(last, last * 0.25) + two);
}

void bnre__learning_extrapolate(bnre_learning_curve *curve,
                                const double error[2])
{
    const double first =
        curve->information[1].mean - curve->information[0].mean;
    const double last = curve->information[2].mean - curve->information[1].mean;
    double ratio = first > 0 ? last / first : 0.5;

    ratio = fmin(fmax(ratio, 0.25), 1);
    curve->gain = fmax(0, last * ratio);
    curve->gain_low = fmax(0, last * 0.25 - 2 * error[1]);
    curve->gain_high = fmax(0, last) + 2 * error[1];
    extrapolate_volume(curve, ratio);
}

/* The settings with which the path of an estimator began that was trained from
   other weights; its own few epochs would teach fresh ones next to nothing.
   Where they are not told they become the recipe's. */
static bnre_status begin_anew(bnre_node *map)
{
    static const char *const own[] = {"epochs", "learning_rate", "patience"};
    const bnre_node *plain = bnre_node_find(map, "plain");

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        bnre_node_remove(map, own[i]);
    for (size_t i = 0; plain != NULL && i < plain->count; i++)
        if (plain->child[i]->kind == BNRE_NODE_TEXT)
            BNRE_DO(bnre_node_set(map, plain->child[i]->key,
                                  plain->child[i]->text));
    return BNRE_OK;
}

/* The settings of the estimator's training, for a part of its data; of its last
   step or, `first`, of the one from fresh weights. *steps: they differ. */
static bnre_status read_settings(const bnre_estimator_info *info, int first,
                                 bnre_train_opts *out, int *steps)
{
    bnre_status status = BNRE_OK;
    size_t rows;
    const bnre_opt *table = bnre_train_options(&rows);
    static const char *const others[] = {
        "seed",        "start",           "plain",
        "simulations", "validation_rows", "schedule_rows"};
    bnre_node *map = NULL;
    const bnre_node *seed;

    *out = bnre_train_opts_default();
    BNRE_TRY(bnre_yaml_parse(info->settings, "settings", &map));
    seed = bnre_node_find(map, "seed");
    if (seed != NULL && seed->kind == BNRE_NODE_TEXT)
        BNRE_TRY(bnre__read_seed(seed->text, NULL, "seed", &out->seed));
    *steps = bnre_node_find(map, "start") != NULL;
    if (*steps && first)
        BNRE_TRY(begin_anew(map));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        bnre_node_remove(map, others[i]);
    BNRE_TRY(bnre_opt_set_map(table, rows, out, map, NULL));
done:
    bnre_node_destroy(map);
    return status;
}

/* Information and volume of one estimator; gain of each pair. */
static bnre_status measure(const bnre_estimator *est, bnre_dataset *pairs,
                           size_t most, bnre_pool *pool,
                           const bnre_monitor *monitor, bnre_diag **out)
{
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_diag_opts opts = bnre_diag_opts_default();

    opts.most = most;
    opts.pool = pool;
    opts.monitor = monitor;
    return bnre_diagnose_dataset(&density, pairs, 1, &opts, out);
}

struct curve_work {
    const bnre_estimator_info *info;
    bnre_train_opts opts; /* from fresh weights */
    int steps;            /* a path of lambda follows, */
    bnre_train_opts step; /* with these */
    const char *stem;
    bnre_dataset *pairs;
    size_t most;
    bnre_diag *diag[3];
};

/* One training on a part of the data, from `start` if that is not NULL. What an
   interrupted one has left is used, what another one has left replaced. */
static bnre_status train_step(const struct curve_work *work, double lambda,
                              size_t simulations, const char *start,
                              const char *path, const char *history)
{
    bnre_train_opts opts = start != NULL ? work->step : work->opts;
    bnre_status status;

    opts.simulations = simulations;
    if (opts.batch_size > simulations / 4)
        opts.batch_size = simulations / 4 > 2 ? simulations / 4 : 2;
    opts.lambda = lambda;
    opts.start = start;
    opts.history = history;
    opts.no_information = 1;
    status = bnre_train(&opts, path, NULL);
    if (status != BNRE_EEXIST)
        return status;
    opts.force = 1;
    return bnre_train(&opts, path, NULL);
}

/* All that led to the estimator, on a part of the data: one training, or steps
   of growing lambda, in turns in two files. *last: which holds the result. */
static bnre_status train_all(const struct curve_work *work, size_t simulations,
                             char *const path[2], const char *history,
                             size_t *last)
{
    const double lambda = work->opts.lambda;
    double at = work->steps ? 0 : lambda;

    *last = 0;
    BNRE_DO(train_step(work, at, simulations, NULL, path[0], history));
    for (size_t i = 1; at < lambda; i++) {
        at = i < BNRE__LAMBDAS ? fmin(bnre__trust_lambda[i], lambda) : lambda;
        BNRE_DO(train_step(work, at, simulations, path[*last], path[1 - *last],
                           history));
        *last = 1 - *last;
    }
    return BNRE_OK;
}

/* Simulations that were learned from, with what was held out of them; not what
   came from other files. */
static size_t rows_of_data(const bnre_estimator_info *info)
{
    const bnre_estimator_data *const held[] = {&info->validation,
                                               &info->scheduling};
    size_t rows = info->training.rows;

    for (size_t i = 0; i < 2; i++)
        if (strcmp(held[i]->fingerprint, info->training.fingerprint) == 0)
            rows += held[i]->rows;
    return rows;
}

/* Rows of the data for a part that is to learn from as large a share of what
   the estimator has learned from, when a tenth of them is held out for each
   purpose, whatever files the estimator had for these. */
static size_t rows_of_part(const struct curve_work *work, size_t simulations)
{
    const int purposes = work->opts.recipe == BNRE_RECIPE_PAPER ? 2 : 1;
    const double all = (double)rows_of_data(work->info);

    return (size_t)(10 * (double)simulations *
                    (double)work->info->training.rows /
                    (all * (10 - purposes)));
}

/* The same training on a part of the data. */
static bnre_status train_part(struct curve_work *work, size_t part,
                              size_t simulations, bnre_diag **out)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    char *path[2] = {NULL, NULL}, *history = NULL;
    size_t last;

    for (size_t i = 0; i < 2; i++)
        BNRE_TRY(bnre__text_format(&path[i], "%s.%zu%s.h5", work->stem, part,
                                   i == 0 ? "" : ".step"));
    BNRE_TRY(bnre__text_format(&history, "%s.%zu.csv", work->stem, part));
    BNRE_TRY(
        train_all(work, rows_of_part(work, simulations), path, history, &last));
    BNRE_TRY(bnre_estimator_open(path[last], &est));
    BNRE_TRY(bnre_estimator_set_temper(est, work->info->temper));
    BNRE_TRY(measure(est, work->pairs, work->most, work->opts.pool,
                     work->opts.monitor, out));
    for (size_t i = 0; i < 2; i++)
        if (bnre__file_exists(path[i]))
            BNRE_TRY(bnre__file_remove(path[i]));
    BNRE_TRY(bnre__file_remove(history));
done:
    bnre_estimator_close(est);
    bnre__free(history);
    bnre__free(path[1]);
    bnre__free(path[0]);
    return status;
}

/* The error of the mean difference of two curves on the same pairs. */
static bnre_status error_between(const bnre_diag *a, const bnre_diag *b,
                                 double *out)
{
    bnre_status status = BNRE_OK;
    double *difference = NULL;

    BNRE_NEW(difference, a->n);
    for (size_t i = 0; i < a->n; i++)
        difference[i] = b->curve[0].gain[i] - a->curve[0].gain[i];
    *out = bnre__estimate(a->n, difference, 1).error;
done:
    bnre__free(difference);
    return status;
}

static bnre_status sum_up(const struct curve_work *work,
                          bnre_learning_curve *out)
{
    double error[2];

    out->n = 3;
    for (size_t i = 0; i < 3; i++) {
        out->information[i] = work->diag[i]->curve[0].information;
        out->volume[i] = work->diag[i]->volume[BNRE_DIAG_LEVELS - 1];
        out->volume_error[i] =
            work->diag[i]->volume_error[BNRE_DIAG_LEVELS - 1];
    }
    for (size_t i = 0; i < 2; i++)
        BNRE_DO(error_between(work->diag[i], work->diag[i + 1], &error[i]));
    bnre__learning_extrapolate(out, error);
    return BNRE_OK;
}

bnre_status bnre__learning_curve_make(const bnre_estimator *est,
                                      const char *data, const char *pairs,
                                      size_t most, const char *stem,
                                      bnre_pool *pool,
                                      const bnre_monitor *monitor,
                                      bnre_learning_curve *out)
{
    struct curve_work work = {
        .info = bnre_estimator_describe(est), .stem = stem, .most = most};
    const bnre_estimator_info *info = work.info;
    const size_t all = rows_of_data(info);
    bnre_status status = BNRE_OK;
    bnre_dataset *own = NULL;
    bnre_node *network = NULL;
    bnre_train_opts read[2] = {{0}}; /* their texts are of the table */
    size_t n;
    const bnre_opt *rows = bnre_train_options(&n);
    char found[33];

    *out = (bnre_learning_curve){.simulations = {all / 4, all / 2, all}};
    BNRE_TRY(bnre_dataset_open(data, &own));
    BNRE_TRY(bnre_dataset_fingerprint(own, found));
    if (strcmp(found, info->training.fingerprint) != 0)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s are not the data that the estimator was trained on",
                   data);
    BNRE_TRY(bnre_yaml_parse(info->network, "network", &network));
    for (int i = 0; i < 2; i++) {
        bnre_train_opts *opts = i == 0 ? &work.opts : &work.step;

        BNRE_TRY(read_settings(info, i == 0, &read[i], &work.steps));
        *opts = read[i];
        opts->data = data;
        opts->settings = network;
        opts->pool = pool;
        opts->monitor = monitor;
    }
    BNRE_TRY(bnre_dataset_open(pairs, &work.pairs));
    for (size_t i = 0; i < 2; i++)
        BNRE_TRY(train_part(&work, i == 0 ? 4 : 2, out->simulations[i],
                            &work.diag[i]));
    BNRE_TRY(measure(est, work.pairs, most, pool, monitor, &work.diag[2]));
    BNRE_TRY(sum_up(&work, out));
done:
    for (size_t i = 0; i < 3; i++)
        bnre_diag_destroy(work.diag[i]);
    bnre_dataset_close(work.pairs);
    for (int i = 0; i < 2; i++)
        bnre_opt_clear(rows, n, &read[i]);
    bnre_node_destroy(network);
    bnre_dataset_close(own);
    return status;
}
