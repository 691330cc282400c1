/* check_task.c - what the command `check` simulates, where it may: draws of the
   posterior, and pairs of the prior. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/dataset.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "command/check.h"
#include "infer/estimator/estimator.h"
#include "infer/estimator/restricted.h"
#include "io/file.h"
#include "num/streams.h"
#include "task/outline.h"
#include "task/simulator.h"

enum { BANK = 4096, PAIRS = 4000, FEWEST = 1000 };

/* ---- the task ---- */

/* The parameter of the task called so; its number is dim if there is none. */
static size_t find_parameter(const bnre_prior *prior, const char *name)
{
    size_t i = 0;

    while (i < bnre_prior_dim(prior) &&
           strcmp(bnre_prior_name(prior, i), name) != 0)
        i++;
    return i;
}

/* That what it simulates is what the estimator is about. */
static bnre_status check_task(const bnre__check_work *work)
{
    const bnre_prior *own = bnre_estimator_prior(work->estimator);
    const bnre_prior *prior = bnre_task_prior(work->task);
    const size_t dim = bnre_prior_dim(own), x_size = work->density.x_size;

    for (size_t i = 0; i < dim; i++)
        if (find_parameter(prior, bnre_prior_name(own, i)) ==
            bnre_prior_dim(prior))
            return bnre_fail(BNRE_EUSAGE,
                             "the task has no parameter %s, which the "
                             "estimator is about: is it another task?",
                             bnre_prior_name(own, i));
    if (bnre_task_x_size(work->task) != x_size)
        return bnre_fail(BNRE_EUSAGE,
                         "x of the task has %zu values, that of the estimator "
                         "%zu: is it another task, or has it other options?",
                         bnre_task_x_size(work->task), x_size);
    return BNRE_OK;
}

/* A built-in task. Where an estimator is about some of its parameters alone, the
   record has the others as nuisance, which the simulator does not know: they
   are parameters again, and drawn from the prior. */
static bnre_status describe_task(bnre_node *node, bnre_task **out)
{
    const bnre_node *nuisance = bnre_node_find(node, "nuisance");
    bnre_node *parameters = (bnre_node *)bnre_node_find(node, "parameters");
    bnre_status status = bnre_task_describe(node, out);

    if (status != BNRE_EUSAGE || nuisance == NULL || parameters == NULL ||
        nuisance->kind != BNRE_NODE_MAP || parameters->kind != BNRE_NODE_MAP)
        return status;
    for (size_t i = 0; i < nuisance->count; i++)
        if (nuisance->child[i]->kind == BNRE_NODE_TEXT)
            BNRE_DO(bnre_node_set(parameters, nuisance->child[i]->key,
                                  nuisance->child[i]->text));
    bnre_node_remove(node, "nuisance");
    return bnre_task_describe(node, out);
}

/* What the estimator records of its task, if that may be run. */
static bnre_status recorded_task(bnre__check_work *work)
{
    const char *text = bnre_estimator_describe(work->estimator)->task;
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;

    BNRE_TRY(bnre_yaml_parse(text, NULL, &node));
    if (bnre_node_find(node, "simulator") != NULL)
        BNRE_TRY(bnre__strdup(
            "its task runs a program or a plugin, and what a file names is "
            "never run: if you trust it, name it with `task: FILE.yaml`",
            &work->why));
    else if (bnre__task_is_outline(node))
        BNRE_TRY(bnre__strdup(
            "its data were made elsewhere: name a task that simulates them "
            "with `task: FILE.yaml`, or give simulations for samples of this "
            "posterior with `predictive: FILE`",
            &work->why));
    else
        BNRE_TRY(describe_task(node, &work->task));
done:
    bnre_node_destroy(node);
    return status;
}

/* As a number, before any work; 0 for `auto`. */
static bnre_status read_pairs(const bnre_check_settings *settings, size_t *out)
{
    *out = 0;
    if (strcmp(settings->pairs, "auto") != 0)
        BNRE_DO(bnre__read_size(settings->pairs, "[0, 1e7]", "pairs", out));
    if (*out > 0 && *out < FEWEST)
        return bnre_fail(BNRE_EUSAGE,
                         "`pairs: %zu` are too few to have enough near the "
                         "observation: %d are the least",
                         *out, FEWEST);
    return BNRE_OK;
}

bnre_status bnre__check_find_task(bnre__check_work *work)
{
    const bnre_check_settings *settings = work->settings;
    bnre_status status = BNRE_OK;
    size_t pairs;

    BNRE_TRY(read_pairs(settings, &pairs));
    if (work->request->task != NULL)
        BNRE_TRY(bnre_task_create(work->request->task, &work->task));
    else if (settings->task != NULL)
        BNRE_TRY((work->request->dry_run ? bnre_task_look : bnre_task_open)(
            settings->task, settings->option.count,
            (const char *const *)settings->option.text, &work->task));
    else
        BNRE_TRY(recorded_task(work));
    if (work->task == NULL || !bnre_task_known(work->task))
        goto done;
    BNRE_TRY(check_task(work));
done:
    return status;
}

/* ---- simulating ---- */

/* Numbers that no other command simulates with, whatever its seed. */
static uint64_t seed_of(const bnre__check_work *work, uint64_t what)
{
    bnre_rng rng =
        bnre_rng_stream(work->request->seed,
                        bnre__purpose(BNRE_USE_CHECK, BNRE_SPLIT_TEST), what);

    return bnre_rng_u64(&rng);
}

static bnre_status path_of(const bnre__check_work *work, const char *name,
                           char **out)
{
    return bnre__text_format(out, "%s/%s", bnre__output_place(work->output),
                             name);
}

/* Remove what programs have said, which is no part of the result. */
static bnre_status remove_log(const char *path)
{
    bnre_status status = BNRE_OK;
    char *log = NULL;

    BNRE_TRY(bnre__text_format(&log, "%s.log", path));
    if (bnre__file_exists(log))
        BNRE_TRY(bnre__file_remove(log));
done:
    bnre__free(log);
    return status;
}

static bnre_simulate_opts opts_of(const bnre__check_work *work, uint64_t what)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    opts.seed = seed_of(work, what);
    opts.split = BNRE_SPLIT_TEST;
    opts.workers = work->settings->workers;
    opts.pool = work->request->pool;
    opts.monitor = work->request->monitor;
    return opts;
}

/* theta (draws, dim) in the order of the task, each for all observations.
   Parameters that the estimator is not about are drawn from the prior. */
static bnre_status arrange(const bnre__check_work *work, const double *theta,
                           double **out)
{
    const bnre_prior *own = bnre_estimator_prior(work->estimator);
    const bnre_prior *prior = bnre_task_prior(work->task);
    const size_t dim = bnre_prior_dim(own), all = bnre_prior_dim(prior);
    const size_t k = work->observed->n;
    bnre_status status = BNRE_OK;

    BNRE_NEW(*out, work->draws * k * all);
    for (size_t j = 0; j < work->draws; j++) {
        double *row = *out + j * k * all;
        bnre_rng rng =
            bnre_rng_stream(seed_of(work, 3),
                            bnre__purpose(BNRE_USE_CHECK, BNRE_SPLIT_TEST), j);

        if (all > dim)
            bnre_prior_draw(prior, &rng, row);
        for (size_t i = 0; i < dim; i++)
            row[find_parameter(prior, bnre_prior_name(own, i))] =
                theta[j * dim + i];
        for (size_t i = 1; i < k; i++)
            memcpy(row + i * all, row, all * sizeof *row);
    }
done:
    return status;
}

/* Simulate from the draws into predictive.h5. */
static bnre_status simulate(bnre__check_work *work, const double *theta,
                            const char *path)
{
    bnre_simulate_opts opts = opts_of(work, 0);
    bnre_status status = BNRE_OK;
    double *arranged = NULL;

    BNRE_TRY(arrange(work, theta, &arranged));
    opts.count = opts.theta_rows = work->draws * work->observed->n;
    opts.observations = work->observed->n;
    opts.theta = arranged;
    BNRE_TRY(bnre_simulate(work->task, &opts, path, NULL));
    BNRE_TRY(remove_log(path));
done:
    bnre__free(arranged);
    return status;
}

/* What did not fail of a file of simulations. */
static bnre_status read_simulations(bnre__check_work *work, const char *path)
{
    const size_t dim = bnre_prior_dim(work->density.prior);
    const size_t k = work->observed->n, size = k * work->density.x_size;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    uint8_t *drawn = NULL;
    double *theta = NULL;
    size_t groups;

    BNRE_TRY(bnre_dataset_open(path, &data));
    BNRE_TRY(bnre__estimator_arrange(work->estimator, data));
    if (bnre_dataset_describe(data)->dim_theta != dim)
        BNRE_THROW(BNRE_EUSAGE, "%s has %zu parameters, the estimator has %zu",
                   path, bnre_dataset_describe(data)->dim_theta, dim);
    groups = bnre_dataset_describe(data)->rows / k;
    BNRE_NEW(work->theta, groups * dim);
    BNRE_NEW(work->y, groups * size);
    BNRE_NEW(theta, k * dim);
    BNRE_NEW(drawn, k);
    for (size_t j = 0; j < groups; j++) {
        int whole = 1;

        BNRE_TRY(bnre_dataset_read(data, j * k, k, theta, NULL,
                                   work->y + work->n * size, drawn));
        for (size_t i = 0; i < k; i++)
            whole = whole && drawn[i] == BNRE_DRAW_OK &&
                    memcmp(theta, theta + i * dim, dim * sizeof *theta) == 0;
        if (!whole) {
            work->outcome->report.failed++;
            continue;
        }
        memcpy(work->theta + work->n++ * dim, theta, dim * sizeof *theta);
    }
done:
    bnre__free(drawn);
    bnre__free(theta);
    bnre_dataset_close(data);
    return status;
}

bnre_status bnre__check_draw(bnre__check_work *work)
{
    const size_t dim = bnre_prior_dim(work->density.prior);
    bnre_status status = BNRE_OK;

    work->m = work->draws > BANK ? work->draws : BANK;
    BNRE_NEW(work->bank, work->m * dim);
    BNRE_TRY(bnre_posterior_sample(work->posterior, work->m, seed_of(work, 1),
                                   work->bank));
done:
    return status;
}

/* Draws that were simulated elsewhere are draws of this posterior like those
   here, and take the place of as many: what is ranked is among what it is ranked
   with, or the farthest would lie outside of it. */
static bnre_status join_bank(bnre__check_work *work)
{
    const size_t dim = bnre_prior_dim(work->density.prior);
    bnre_status status = BNRE_OK;

    if (work->n > work->m) {
        bnre__free(work->bank);
        work->m = work->n;
        BNRE_NEW(work->bank, work->m * dim);
    }
    memcpy(work->bank, work->theta, work->n * dim * sizeof *work->theta);
done:
    return status;
}

bnre_status bnre__check_simulate(bnre__check_work *work)
{
    const char *given = work->settings->predictive;
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (given != NULL) {
        BNRE_DO(read_simulations(work, given));
        return join_bank(work);
    }
    BNRE_TRY(path_of(work, "predictive.h5", &path));
    BNRE_TRY(simulate(work, work->bank, path));
    BNRE_TRY(read_simulations(work, path));
done:
    bnre__free(path);
    return status;
}

/* ---- pairs of the prior ---- */

static int is_external(const bnre_task *task)
{
    return bnre__task_simulator(task)->kind->begin != NULL;
}

static bnre_status count_pairs(const bnre__check_work *work, size_t *out,
                               char **why)
{
    *out = 0;
    if (work->observed->n > 1)
        return bnre__strdup("pairs have a single observation each", why);
    if (work->task == NULL || !bnre_task_runs(work->task))
        return bnre__strdup(
            "no task may be run: give fresh pairs with `data: FILE`", why);
    BNRE_DO(read_pairs(work->settings, out));
    if (strcmp(work->settings->pairs, "auto") == 0 && !is_external(work->task))
        *out = PAIRS;
    if (*out == 0)
        return bnre__strdup("no pairs were asked for: `pairs: N` simulates "
                            "some, `data: FILE` has some",
                            why);
    return BNRE_OK;
}

/* Of an estimator that knows the prior within a region only: draws of that,
   which the caller frees. */
static bnre_status draw_within(const bnre__check_work *work,
                               bnre_simulate_opts *opts, double **theta,
                               char name[33])
{
    const bnre_estimator_info *info = bnre_estimator_describe(work->estimator);
    const bnre_prior *own = bnre_estimator_prior(work->estimator);
    const bnre_prior *prior = bnre_task_prior(work->task);
    bnre_status status = BNRE_OK;

    if (!(info->region < 1))
        return BNRE_OK;
    /* What is drawn is given to the simulator column by column. */
    for (size_t i = 0; i < info->dim_theta; i++)
        if (find_parameter(prior, bnre_prior_name(own, i)) != i ||
            bnre_prior_dim(prior) != info->dim_theta)
            BNRE_THROW(BNRE_EUSAGE,
                       "the task has other parameters than the estimator, or "
                       "in another order: pairs within its region need the "
                       "same");
    BNRE_NEW(*theta, opts->count * info->dim_theta);
    BNRE_TRY(bnre__restricted_draw(work->estimator, opts->pool, opts->seed,
                                   opts->split, opts->count, *theta, name));
    opts->theta_rows = opts->count;
    opts->theta = *theta;
    opts->within = name;
done:
    return status;
}

bnre_status bnre__check_pairs(bnre__check_work *work, bnre_dataset **own,
                              bnre_dataset **out, char **why)
{
    bnre_simulate_opts opts = opts_of(work, 2);
    bnre_status status = BNRE_OK;
    char *path = NULL, name[33];
    double *theta = NULL;

    *own = *out = NULL;
    if (work->data != NULL && work->observed->n == 1) {
        *out = work->data;
        return BNRE_OK;
    }
    BNRE_TRY(count_pairs(work, &opts.count, why));
    if (opts.count == 0)
        goto done;
    BNRE_TRY(path_of(work, "pairs.h5", &path));
    BNRE_TRY(draw_within(work, &opts, &theta, name));
    BNRE_TRY(bnre_simulate(work->task, &opts, path, NULL));
    BNRE_TRY(remove_log(path));
    BNRE_TRY(bnre_dataset_open(path, own));
    BNRE_TRY(bnre__estimator_check_prior(work->estimator, *own));
    BNRE_TRY(bnre__estimator_arrange(work->estimator, *own));
    /* It stays readable, and is no part of the result. */
    BNRE_TRY(bnre__file_remove(path));
    *out = *own;
done:
    bnre__free(theta);
    bnre__free(path);
    return status;
}
