/* simulate.c - the command `simulate`: from a task to a dataset. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "bnre/text.h"
#include "data/parameters.h"
#include "infer/estimator/restricted.h"
#include "io/file.h"
#include "output/output.h"
#include "task/outline.h"

#define AT(field) offsetof(bnre_simulate_settings, field)
#define SPLITS "train|validate|schedule|select|certify|calibrate|test"
static const bnre_opt rows[] = {
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml",
     BNRE_OPT_RESULT | BNRE_OPT_NEEDED | BNRE_OPT_USUAL,
     "name of a built-in task (see `bnre tasks`), or a file that describes a "
     "task"},
    {"option", BNRE_OPT_LIST, AT(option), NULL, NULL, "KEY=VALUE",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "option of the simulator; `bnre tasks NAME` lists them"},
    {"count", BNRE_OPT_SIZE, AT(count), NULL, "[1, inf)", "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of rows in the dataset, also written as 1e6 or 2^17 (default "
     "1024, or all rows of `theta_file`)"},
    {"split", BNRE_OPT_CHOICE, AT(split), "train", SPLITS, "WORD",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "purpose of the rows; each purpose has its own random numbers"},
    {"theta", BNRE_OPT_TEXT, AT(theta), NULL, NULL, "A,B,...",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "use these parameters in every row; nuisance parameters are still drawn"},
    {"theta_file", BNRE_OPT_TEXT, AT(theta_file), NULL, NULL, "FILE",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "read the parameters of each row from a .csv, .npy, .npz or .h5 file, for "
     "example posterior samples"},
    {"within", BNRE_OPT_TEXT, AT(within), NULL, NULL, "ESTIMATOR",
     BNRE_OPT_RESULT,
     "draw the parameters from the prior within the region of an estimator "
     "that `bnre infer` made in rounds, for pairs to diagnose it with"},
    {"theta_only", BNRE_OPT_FLAG, AT(theta_only), NULL, NULL, NULL,
     BNRE_OPT_USUAL,
     "write the parameters alone, to .csv, .npy, .npz or .h5, to simulate them "
     "elsewhere"},
    {"workers", BNRE_OPT_SIZE, AT(workers), NULL, "[1, 4096]", "N",
     BNRE_OPT_USUAL,
     "number of external programs that run at the same time (default: as the "
     "task says, or the number of threads)"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "file for the dataset: .h5, .npz or .csv (default: TASK.h5, or "
     "TASK-SPLIT.h5 for other splits than train)"},
};

const bnre_opt *bnre_simulate_options(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

void bnre_simulate_outcome_clear(bnre_simulate_outcome *outcome)
{
    bnre__free(outcome->path);
    bnre_task_destroy(outcome->task);
    *outcome = (bnre_simulate_outcome){0};
}

static bnre_status name_output(const bnre_simulate_settings *settings,
                               bnre_simulate_outcome *outcome)
{
    const char *task = bnre_task_name(outcome->task);
    const bnre_split split = (bnre_split)settings->split;

    if (settings->output != NULL)
        return bnre__strdup(settings->output, &outcome->path);
    if (split == BNRE_SPLIT_TRAIN)
        return bnre__text_format(&outcome->path, "%s.h5", task);
    return bnre__text_format(&outcome->path, "%s-%s.h5", task,
                             bnre_split_name(split));
}

/* Draws of the prior within the region of an estimator, and its name. */
static bnre_status draw_within(const bnre_simulate_request *request,
                               const bnre_task *task, bnre_simulate_opts *opts,
                               double **theta, char name[33])
{
    const char *path = request->settings->within;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;

    BNRE_TRY(bnre_estimator_open(path, &est));
    if (est->region == NULL)
        BNRE_THROW(BNRE_EUSAGE,
                   "the estimator %s is of the whole prior: simulate without "
                   "within",
                   path);
    BNRE_TRY(bnre__task_same_prior(bnre_task_text(task), "the task",
                                   est->info.task, path));
    opts->within = name;
    opts->theta_rows = opts->count;
    BNRE_NEW(*theta, opts->count * est->info.dim_theta);
    BNRE_TRY(bnre__restricted_draw(est, opts->pool, request->seed, opts->split,
                                   opts->count, *theta, name));
done:
    bnre_estimator_close(est);
    return status;
}

/* What the library is told; the caller frees *theta. */
static bnre_status make_opts(const bnre_simulate_request *request,
                             const bnre_task *task, bnre_simulate_opts *opts,
                             double **theta, char name[33])
{
    const bnre_simulate_settings *settings = request->settings;

    *opts = bnre_simulate_opts_default();
    opts->seed = request->seed;
    opts->split = (bnre_split)settings->split;
    opts->force = request->force;
    opts->workers = settings->workers;
    opts->pool = request->pool;
    opts->monitor = request->monitor;
    if ((settings->theta != NULL) + (settings->theta_file != NULL) +
            (settings->within != NULL) >
        1)
        return bnre_fail(BNRE_EUSAGE,
                         "theta, theta_file and within exclude each other");
    if (settings->theta != NULL) {
        BNRE_DO(bnre__theta_parse(task, settings->theta, theta));
        opts->theta_rows = 1;
    }
    if (settings->theta_file != NULL) {
        BNRE_DO(bnre__theta_read(task, settings->theta_file, &opts->theta_rows,
                                 theta));
        opts->count = opts->theta_rows;
    }
    if (settings->count > 0)
        opts->count = settings->count;
    if (settings->within != NULL && !request->dry_run)
        BNRE_DO(draw_within(request, task, opts, theta, name));
    opts->theta = *theta;
    return BNRE_OK;
}

static bnre_status fail_interrupted(const bnre_simulate_outcome *outcome)
{
    char safe[BNRE_READABLE], count[BNRE_READABLE];

    if (outcome->result.rows == 0)
        return bnre_fail(BNRE_EINTR, "interrupted before the first rows were "
                                     "done");
    return bnre_fail(BNRE_EINTR,
                     "interrupted: %s of %s rows are safe in %s.part; run the "
                     "same command again to go on",
                     bnre_readable_count(outcome->result.rows, safe),
                     bnre_readable_count(outcome->count, count), outcome->path);
}

/* Bytes of all rows, about. */
static double size_of(const bnre_simulate_settings *settings,
                      const bnre_simulate_outcome *outcome)
{
    const bnre_task *task = outcome->task;
    size_t row = 8 * bnre_prior_dim(bnre_task_prior(task)) +
                 8 * bnre_prior_dim(bnre_task_nuisance(task));

    if (!settings->theta_only)
        row += 4 * bnre_task_x_size(task) + 1;
    return (double)row * (double)outcome->count;
}

bnre_status bnre_simulate_make(const bnre_simulate_request *request,
                               bnre_simulate_outcome *outcome)
{
    const bnre_simulate_settings *settings = request->settings;
    const char *const input[] = {settings->theta_file, settings->task,
                                 settings->within, request->input};
    bnre_status status = BNRE_OK;
    bnre_simulate_opts opts;
    double *theta = NULL;
    char region[33];

    *outcome = (bnre_simulate_outcome){0};
    BNRE_TRY((request->dry_run ? bnre_task_look : bnre_task_open)(
        settings->task, settings->option.count,
        (const char *const *)settings->option.text, &outcome->task));
    BNRE_TRY(name_output(settings, outcome));
    outcome->known = bnre_task_known(outcome->task);
    outcome->count = settings->count > 0 ? settings->count
                                         : bnre_simulate_opts_default().count;
    if (!outcome->known)
        goto done;
    BNRE_TRY(make_opts(request, outcome->task, &opts, &theta, region));
    outcome->count = opts.count;
    outcome->bytes = size_of(settings, outcome);
    if (request->dry_run)
        goto done;
    BNRE_TRY(bnre__output_refuse_inputs(outcome->path,
                                        sizeof input / sizeof *input, input));
    BNRE_TRY(bnre__make_parents(outcome->path));
    if (settings->theta_only)
        BNRE_TRY(bnre__simulate_theta(outcome->task, &opts, outcome->path));
    else
        BNRE_TRY(bnre_simulate(outcome->task, &opts, outcome->path,
                               &outcome->result));
done:
    if (status == BNRE_EINTR && outcome->path != NULL)
        status = fail_interrupted(outcome);
    bnre_free(theta);
    return status;
}
