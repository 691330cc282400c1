/* prepare.c - before anything is simulated: the task, the observation, given
   simulations, and whether all of it goes together. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "bnre/command.h"
#include "bnre/text.h"
#include "command/posterior.h"
#include "data/dataset.h"
#include "prior/prior.h"
#include "rounds/command/command.h"
#include "task/outline.h"
#include "task/task.h"

#define AT(field) offsetof(bnre_infer_settings, field)
static const bnre_opt rows[] = {
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml",
     BNRE_OPT_NEEDED | BNRE_OPT_USUAL,
     "name of a built-in task (see `bnre tasks`), or a file that describes a "
     "task"},
    {"option", BNRE_OPT_LIST, AT(option), NULL, NULL, "KEY=VALUE",
     BNRE_OPT_USUAL, "option of the simulator; `bnre tasks NAME` lists them"},
    {"observation", BNRE_OPT_LIST, AT(observation), NULL, NULL, "FILE",
     BNRE_OPT_NEEDED | BNRE_OPT_USUAL,
     "the observation: .npy, .npz, .h5 (array x), text, DATASET:ROW, or - for "
     "standard input"},
    {"simulations", BNRE_OPT_SIZE, AT(simulations), "10000", "[32, 1e10]", "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of simulations in all; those of `data` are among them"},
    {"rounds", BNRE_OPT_TEXT, AT(rounds), "auto", NULL, "auto|K",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of rounds; after each the prior is cut to where the posterior is. "
     "1: all simulations are of the whole prior, and the estimator serves "
     "every observation; auto: as many as the simulations allow"},
    {"method", BNRE_OPT_CHOICE, AT(method), "npe", "npe|bnpe|nre|bnre", "WORD",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "what the networks learn, as for `bnre train`"},
    {"data", BNRE_OPT_TEXT, AT(data), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "simulations that are there already: parameters drawn from the prior, "
     "and x. They count"},
    {"alpha", BNRE_OPT_REAL, AT(alpha), "0.05", "(0, 0.5]", "X",
     BNRE_OPT_RESULT,
     "mass of the posterior that all rounds together may cut off; on average "
     "over the prior it is a fifth of that"},
    {"samples", BNRE_OPT_SIZE, AT(samples), "10000", "[1, 1e8]", "N",
     BNRE_OPT_RESULT, "number of posterior samples to write"},
    {"truth", BNRE_OPT_TEXT, AT(truth), NULL, NULL, "A,B,...", BNRE_OPT_RESULT,
     "true parameters, to be marked in pictures (default: those of the row, if "
     "the observation is a row of a dataset)"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png",
     BNRE_OPT_RESULT, "file formats of the pictures; svg is among them"},
    {"workers", BNRE_OPT_SIZE, AT(workers), NULL, "[1, 4096]", "N", 0,
     "number of external programs that run at the same time (default: as the "
     "task says, or the number of threads)"},
    {"output", BNRE_OPT_TEXT, AT(output), "result", NULL, "DIR", BNRE_OPT_USUAL,
     "directory for everything"},
};

const bnre_opt *bnre_infer_options(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

/* ---- what is asked for ---- */

static int method_of(const bnre__infer *infer)
{
    /* In the order of the words of --method. */
    static const int method[] = {BNRE_METHOD_NPE, BNRE_METHOD_BNPE,
                                 BNRE_METHOD_NRE, BNRE_METHOD_BNRE};

    return method[infer->settings->method];
}

static bnre_status read_observation(bnre__infer *infer)
{
    const bnre_opt_list *list = &infer->settings->observation;
    const bnre_prior *prior = bnre_task_prior(infer->task);
    bnre_observation_form form = {.prior = prior};
    bnre_status status = BNRE_OK;

    form.shape = bnre_task_observable(infer->task, &form.ndim);
    BNRE_TRY(bnre_observations_read(
        &form, list->count, (const char *const *)list->text, &infer->observed));
    BNRE_TRY(bnre__posterior_truth(infer->settings->truth, &infer->observed,
                                   bnre_prior_dim(prior), &infer->truth));
done:
    return status;
}

/* ---- given simulations ---- */

/* Whether parameter i of n draws could come from the prior. */
static bnre_status check_column(const bnre__infer *infer, size_t i, size_t n,
                                const double *theta, double *column)
{
    const bnre_prior *prior = bnre_task_prior(infer->task);
    const size_t dim = bnre_prior_dim(prior);
    double distance;

    if (bnre__prior_is_fixed(prior, i))
        return BNRE_OK;
    for (size_t k = 0; k < n; k++)
        column[k] = theta[k * dim + i];
    bnre__sort_doubles(n, column);
    distance = bnre__prior_distance(prior, i, n, column);
    if (distance <= bnre__prior_far(n))
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s: its values of %s are not draws of the prior %s "
                     "(distribution functions differ by %.3f): give "
                     "simulations whose parameters were drawn from the prior "
                     "of the task, all of them",
                     infer->settings->data, bnre_prior_name(prior, i),
                     bnre_prior_text(prior, i), distance);
}

static bnre_status check_draws(const bnre__infer *infer)
{
    const bnre_prior *prior = bnre_task_prior(infer->task);
    const size_t dim = bnre_prior_dim(prior), n = infer->given_rows;
    bnre_status status = BNRE_OK;
    double *theta = NULL, *column = NULL;

    BNRE_NEW(theta, n * dim);
    BNRE_NEW(column, n);
    BNRE_TRY(bnre_dataset_read(infer->given, 0, n, theta, NULL, NULL, NULL));
    BNRE_TRY(bnre__prior_check(prior, "row", 0, n, theta));
    for (size_t i = 0; !bnre__prior_is_constrained(prior) && i < dim; i++)
        BNRE_TRY(check_column(infer, i, n, theta, column));
done:
    bnre__free(column);
    bnre__free(theta);
    return status;
}

static bnre_status open_given(bnre__infer *infer)
{
    const bnre_infer_settings *settings = infer->settings;
    const bnre_dataset_info *info;
    bnre_status status = BNRE_OK;

    if (settings->data == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_dataset_open(settings->data, &infer->given));
    BNRE_TRY(bnre__dataset_arrange(infer->given, bnre_task_prior(infer->task),
                                   NULL));
    info = bnre_dataset_describe(infer->given);
    if (info->dim_theta != bnre_prior_dim(bnre_task_prior(infer->task)) ||
        info->x_size != bnre_task_x_size(infer->task))
        BNRE_THROW(BNRE_EUSAGE,
                   "%s has %zu parameters and %zu values of x, the task has "
                   "%zu and %zu: was it made for another task?",
                   settings->data, info->dim_theta, info->x_size,
                   bnre_prior_dim(bnre_task_prior(infer->task)),
                   bnre_task_x_size(infer->task));
    if (info->task != NULL)
        BNRE_TRY(bnre__task_same_prior(info->task, settings->data,
                                       bnre_task_text(infer->task),
                                       infer->task->file));
    if (info->settings != NULL && strstr(info->settings, "\ntheta") != NULL)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s was simulated for given parameters: infer needs "
                   "simulations whose parameters were drawn from the prior",
                   settings->data);
    if (info->rows > settings->simulations)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s has %zu simulations, and `simulations` says %zu in all: "
                   "they count, so ask for %zu or more",
                   settings->data, info->rows, settings->simulations,
                   info->rows);
    infer->given_rows = info->rows;
    BNRE_TRY(check_draws(infer));
    BNRE_TRY(bnre_dataset_fingerprint(infer->given, infer->given_print));
done:
    return status;
}

/* ---- the record ---- */

/* All that the result depends on, as YAML: infer.yaml. */
static bnre_status describe(bnre__infer *infer)
{
    bnre_status status = BNRE_OK;
    bnre_node *made = NULL, *task = NULL;
    char text[40];

    BNRE_TRY(bnre_opt_record(rows, sizeof rows / sizeof *rows, infer->settings,
                             &made));
    snprintf(text, sizeof text, "%" PRIu64, infer->request->seed);
    BNRE_TRY(bnre_node_set(made, "seed", text));
    bnre__observations_fingerprint(&infer->observed, text);
    BNRE_TRY(bnre_node_set(made, "observed", text));
    if (infer->given != NULL)
        BNRE_TRY(bnre_node_set(made, "data", infer->given_print));
    BNRE_TRY(bnre_yaml_parse(bnre_task_text(infer->task), NULL, &task));
    status = bnre_node_add(made, "task", task);
    task = NULL;
    BNRE_TRY(status);
    BNRE_TRY(bnre_node_write(made, &infer->made));
done:
    bnre_node_destroy(task);
    bnre_node_destroy(made);
    return status;
}

bnre_status bnre__infer_prepare(bnre__infer *infer)
{
    const bnre_infer_settings *settings = infer->settings;
    bnre_status status = BNRE_OK;

    infer->method = method_of(infer);
    BNRE_TRY((infer->request->dry_run ? bnre_task_look : bnre_task_open)(
        settings->task, settings->option.count,
        (const char *const *)settings->option.text, &infer->task));
    if (!bnre_task_known(infer->task))
        BNRE_THROW(BNRE_EUSAGE,
                   "a dry run does not load the plugin of %s, which alone "
                   "tells the parameters and the shape of x",
                   settings->task);
    BNRE_TRY(read_observation(infer));
    BNRE_TRY(open_given(infer));
    if (!infer->request->dry_run && !bnre_task_runs(infer->task) &&
        infer->given_rows < settings->simulations)
        BNRE_THROW(BNRE_EUSAGE,
                   "the task %s has no simulator: give all simulations with "
                   "`data`, and their number with `simulations`",
                   settings->task);
    BNRE_TRY(bnre__infer_settle(infer));
    BNRE_TRY(describe(infer));
done:
    return status;
}

bnre_status bnre__infer_plan(const bnre__infer *infer, char **out)
{
    const bnre_infer_settings *settings = infer->settings;
    const bnre_prior *prior = bnre_task_prior(infer->task);
    char number[BNRE_READABLE];
    bnre__text text = {0};

    bnre__text_show(&text, "would infer %zu parameter%s of %s into %s\n",
                    bnre_prior_dim(prior),
                    bnre_prior_dim(prior) == 1 ? "" : "s",
                    bnre_task_name(infer->task), infer->directory);
    bnre__text_show(
        &text, "  observation   %zu value%s%s\n", infer->observed.x_size,
        infer->observed.x_size == 1 ? "" : "s",
        infer->observed.n > 1 ? ", several observations of the same "
                                "parameters"
                              : "");
    bnre__text_put(&text, "  simulations   %s in all",
                   bnre_readable_count(settings->simulations, number));
    if (infer->given != NULL)
        bnre__text_show(&text, ", of these %s from %s",
                        bnre_readable_count(infer->given_rows, number),
                        settings->data);
    bnre__text_put(&text, "\n  rounds        %s%zu\n",
                   infer->rounds > 2 ? "up to " : "", infer->rounds);
    bnre__text_put(&text, "  method        %s\n",
                   bnre_method_name(infer->method));
    bnre__text_put(&text, "\n# infer.yaml\n%s", infer->made);
    return bnre__text_take(&text, out);
}
