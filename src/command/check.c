/* check.c - the command `check`: whether a model fits an observation and its
   estimator can be trusted there, once for the command line and for studies. */
#include "command/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "bnre/text.h"
#include "command/observation.h"
#include "infer/estimator/estimator.h"
#include "infer/estimator/restricted.h"
#include "io/file.h"
#include "output/check_files.h"
#include "posterior/posterior.h"
#include "trust/advice.h"

/* ---- options ---- */

#define AT(field) offsetof(bnre_check_settings, field)
static const bnre_opt options[] = {
    {"observation", BNRE_OPT_LIST, AT(observation), NULL, NULL, "FILE",
     BNRE_OPT_RESULT | BNRE_OPT_NEEDED | BNRE_OPT_USUAL,
     "the observation, as for bnre posterior"},
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml",
     BNRE_OPT_USUAL,
     "the task to simulate (default: that of the estimator, if it is built "
     "in: what a file names is never run)"},
    {"option", BNRE_OPT_LIST, AT(option), NULL, NULL, "KEY=VALUE", 0,
     "option of the simulator"},
    {"summary", BNRE_OPT_LIST, AT(summary), NULL, NULL, "TEXT",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "also compare a summary of x: mean, sd, min, max, median, quantile:P or "
     "autocorrelation:LAG, of all values or of some, such as sd[0:50]"},
    {"draws", BNRE_OPT_SIZE, AT(draws), "0", "[0, 1e7]", "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of simulations from the posterior (default: 1000, or as many as "
     "the level needs; p-values are 2/(N+1) at least)"},
    {"pairs", BNRE_OPT_TEXT, AT(pairs), "auto", NULL, "auto|N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of pairs to simulate from the prior; the tenth of them that is "
     "nearest to the observation is diagnosed. auto: 4000, none where "
     "simulators are external programs; 0: none"},
    {"data", BNRE_OPT_TEXT, AT(data), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "fresh pairs to take the nearest from, in place of new simulations"},
    {"predictive", BNRE_OPT_TEXT, AT(predictive), NULL, NULL, "FILE", 0,
     "simulations for samples of this posterior that were made elsewhere "
     "(simulate with `theta_file: samples.csv`), in place of new ones"},
    {"significance", BNRE_OPT_REAL, AT(significance), "0.01", "(0, 1)", "X",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "level: the model does not fit if a corrected p-value is below"},
    {"temper", BNRE_OPT_REAL, AT(temper), NULL, "(0, 1]", "T", 0,
     "as for bnre posterior"},
    {"widen", BNRE_OPT_REAL, AT(widen), NULL, "[1, 100]", "C", 0,
     "as for bnre posterior"},
    {"workers", BNRE_OPT_SIZE, AT(workers), NULL, "[1, 4096]", "N", 0,
     "number of external programs that run at the same time"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png",
     BNRE_OPT_RESULT, "file formats of the figure"},
};

const bnre_opt *bnre_check_options(size_t *n)
{
    *n = sizeof options / sizeof *options;
    return options;
}

/* ---- the work, and what it says ---- */

static void clear_work(bnre__check_work *work)
{
    bnre__output_close(work->output);
    bnre_node_destroy(work->made);
    bnre__free(work->bank);
    bnre__free(work->y);
    bnre__free(work->theta);
    bnre_posterior_destroy(work->posterior);
    bnre_session_close(work->session);
    bnre_dataset_close(work->data);
    bnre__free(work->why);
    bnre_task_destroy(work->task);
    for (size_t i = 0; work->summary != NULL && i < work->summaries; i++)
        bnre__check_summary_destroy(work->summary[i]);
    bnre__free(work->summary);
    bnre_observations_clear(&work->own);
    bnre_estimator_close(work->estimator);
}

void bnre_check_outcome_clear(bnre_check_outcome *outcome)
{
    bnre__check_report_clear(&outcome->report);
    bnre__texts_free(outcome->warnings, outcome->warning);
    *outcome = (bnre_check_outcome){0};
}

/* Say it, and keep it for the file of results. */
static bnre_status warn(bnre__check_work *work, const char *text)
{
    return bnre__warning_say(work->request->monitor, text,
                             &work->outcome->warnings, &work->outcome->warning);
}

/* ---- what is asked for ---- */

static bnre_status open_estimator(bnre__check_work *work)
{
    const bnre_check_settings *settings = work->settings;
    const char *path = work->request->estimator;

    BNRE_DO(bnre_estimator_open(path, &work->estimator));
    if (bnre_estimator_prior(work->estimator) == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s is a classifier without parameters: it has no "
                         "posterior to simulate from",
                         path);
    BNRE_DO(bnre_estimator_fingerprint(work->estimator, work->print));
    if (settings->temper > 0)
        BNRE_DO(bnre_estimator_set_temper(work->estimator, settings->temper));
    if (settings->widen > 0)
        BNRE_DO(bnre_estimator_set_widen(work->estimator, settings->widen));
    work->density = bnre_estimator_density(work->estimator, BNRE_ALL_MEMBERS);
    return BNRE_OK;
}

static bnre_status read_summaries(bnre__check_work *work)
{
    const bnre_estimator_info *info = bnre_estimator_describe(work->estimator);
    const bnre_opt_list *list = &work->settings->summary;
    bnre_status status = BNRE_OK;

    BNRE_NEW(work->summary, list->count);
    for (; work->summaries < list->count; work->summaries++)
        BNRE_TRY(bnre__check_summary_parse(list->text[work->summaries],
                                           info->x_size, info->x_name,
                                           &work->summary[work->summaries]));
done:
    return status;
}

/* As many as were asked for, or as are needed. */
static bnre_status count_draws(bnre__check_work *work)
{
    enum { USUAL = 1000 };
    const bnre_check_settings *settings = work->settings;
    const size_t tests = bnre__check_tests(work->summaries);
    const size_t needed = bnre__check_needed(tests, settings->significance);

    work->draws = settings->draws;
    if (work->draws == 0)
        work->draws = needed > USUAL ? needed : USUAL;
    if (work->draws >= needed)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "`draws: %zu` are too few for %zu tests at the level %g: "
                     "no p-value could be so small. %zu are the least",
                     work->draws, tests, settings->significance, needed);
}

static bnre_status open_pairs(bnre__check_work *work)
{
    size_t seen;

    if (work->settings->data == NULL)
        return BNRE_OK;
    BNRE_DO(bnre_dataset_open(work->settings->data, &work->data));
    BNRE_DO(bnre__estimator_overlap(work->estimator, work->data, &seen));
    BNRE_DO(bnre__estimator_check_prior(work->estimator, work->data));
    BNRE_DO(bnre__estimator_arrange(work->estimator, work->data));
    if (seen > 0)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu pairs of %s are ones that the estimator was "
                         "trained on: simulate fresh ones with `split: test`",
                         seen, work->settings->data);
    return BNRE_OK;
}

static bnre_status prepare(bnre__check_work *work)
{
    BNRE_DO(open_estimator(work));
    BNRE_DO(bnre__observation_read(work->estimator, work->request->observed,
                                   &work->settings->observation, &work->own,
                                   &work->observed));
    BNRE_DO(bnre__restricted_observed(work->estimator, work->observed->n,
                                      work->observed->x));
    BNRE_DO(read_summaries(work));
    BNRE_DO(count_draws(work));
    BNRE_DO(open_pairs(work));
    return bnre__check_find_task(work);
}

/* ---- the output ---- */

/* How the result comes about; the caller destroys *out. */
static bnre_status record(const bnre__check_work *work, bnre_node **out)
{
    const bnre_estimator_info *info = bnre_estimator_describe(work->estimator);
    bnre_status status = BNRE_OK;
    bnre_node *settings = NULL;
    char text[33];

    BNRE_TRY(bnre_opt_record(options, sizeof options / sizeof *options,
                             work->settings, &settings));
    BNRE_TRY(bnre__observation_record(work->print, info->temper, info->widen,
                                      work->request->seed, work->observed,
                                      out));
    if (work->task != NULL)
        BNRE_TRY(bnre_node_set(*out, "task", bnre_task_text(work->task)));
    if (work->data != NULL) {
        BNRE_TRY(bnre_dataset_fingerprint(work->data, text));
        BNRE_TRY(bnre_node_set(*out, "data", text));
    }
    if (work->settings->predictive != NULL) {
        BNRE_TRY(bnre__file_fingerprint(work->settings->predictive, text));
        BNRE_TRY(bnre_node_set(*out, "predictive", text));
    }
    status = bnre_node_add(*out, "settings", settings);
    settings = NULL;
done:
    bnre_node_destroy(settings);
    return status;
}

static bnre_status open_output(bnre__check_work *work)
{
    static const char *const name[] = {
        "check.csv", "predictive.h5", "check.gp", "check.dat",
        "check.svg", "check.pdf",     "check.png"};
    const bnre_check_settings *settings = work->settings;
    const char *const input[] = {work->request->estimator, work->request->input,
                                 settings->data, settings->predictive,
                                 settings->task};
    bnre__output_plan plan = {.path = work->directory,
                              .main = "check.json",
                              .names = sizeof name / sizeof *name,
                              .name = name,
                              .inputs = sizeof input / sizeof *input,
                              .input = input,
                              .more = &settings->observation,
                              .force = work->request->force};

    BNRE_DO(record(work, &work->made));
    plan.made = work->made;
    BNRE_DO(bnre__make_parents(work->directory));
    BNRE_DO(bnre__output_open(&plan, &work->output));
    return BNRE_OK;
}

/* ---- the work ---- */

/* What can be told of x_o without simulating. */
static bnre_status look_at_observation(bnre__check_work *work)
{
    bnre_check_report *report = &work->outcome->report;
    char text[200], words[BNRE_READABLE];
    double p;

    report->outside = NAN;
    for (size_t k = 0; k < work->observed->n; k++) {
        const double *x = work->observed->x + k * work->observed->x_size;

        report->beyond += bnre_estimator_compare_x(work->estimator, x).count;
        BNRE_DO(bnre__outside_estimator(work->estimator, x, &p));
        report->outside = fmin(report->outside, p);
    }
    if (report->beyond > 0) {
        snprintf(text, sizeof text,
                 "%zu values of the observation lie outside of all that they "
                 "were in training",
                 report->beyond);
        BNRE_DO(warn(work, text));
    }
    if (report->outside < BNRE_UNLIKE) {
        snprintf(text, sizeof text,
                 "the observation is unlike the pairs of the calibration (%s)",
                 bnre_readable_p_words(report->outside, words));
        BNRE_DO(warn(work, text));
    }
    return BNRE_OK;
}

static bnre_status compute_posterior(bnre__check_work *work)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_check_outcome *outcome = work->outcome;
    const double temper = bnre_estimator_describe(work->estimator)->temper;
    char why[BNRE_DOUBT];

    opts.seed = work->request->seed;
    opts.monitor = work->request->monitor;
    BNRE_DO(
        bnre_session_open(&work->density, work->request->pool, &work->session));
    BNRE_DO(bnre_session_observe(work->session, work->observed->n,
                                 work->observed->x));
    BNRE_DO(bnre_posterior_compute(work->session, &opts, &work->posterior));
    if (!bnre__posterior_doubt(work->posterior, outcome->doubt))
        outcome->doubt[0] = 0;
    outcome->report.log_z = work->observed->n == 1
                                ? bnre_posterior_evidence(work->posterior).log_z
                                : (double)NAN;
    if (bnre__posterior_far(work->posterior, work->observed->n, temper, why))
        BNRE_DO(warn(work, why));
    return BNRE_OK;
}

static bnre_status check_fit(bnre__check_work *work,
                             const bnre__check_input *input)
{
    bnre_check_report *report = &work->outcome->report;
    const size_t needed = bnre__check_needed(bnre__check_tests(work->summaries),
                                             work->settings->significance);
    char text[200];

    if (work->n < needed)
        return bnre_fail(BNRE_ESIM,
                         "%zu of %zu simulations from the posterior failed: "
                         "%zu are left, and %zu are the least",
                         report->failed, work->n + report->failed, work->n,
                         needed);
    if (report->failed > 0) {
        snprintf(text, sizeof text,
                 "%zu of %zu simulations from the posterior failed and are "
                 "left out: what follows is about those that did not",
                 report->failed, work->n + report->failed);
        BNRE_DO(warn(work, text));
    }
    BNRE_DO(bnre__check_fit(input, &report->check));
    report->verdict = report->check.fits ? BNRE_CHECK_FITS : BNRE_CHECK_MISFIT;
    return bnre__check_words(&report->check, &report->words);
}

static bnre_status check_near(bnre__check_work *work,
                              const bnre__check_input *input)
{
    bnre_check_report *report = &work->outcome->report;
    bnre_dataset *own = NULL, *data;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__check_pairs(work, &own, &data, &report->no_near));
    if (data == NULL)
        goto done;
    report->near_of = bnre_dataset_describe(data)->rows;
    BNRE_TRY(bnre__check_near(input, data, work->request->seed,
                              work->request->monitor, &report->near));
done:
    bnre_dataset_close(own);
    return status;
}

static void tell(const bnre__check_work *work, const char *text)
{
    const bnre_monitor *monitor = work->request->monitor;

    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, text);
}

static bnre_status check_all(bnre__check_work *work)
{
    bnre_check_report *report = &work->outcome->report;
    const int simulates =
        work->settings->predictive != NULL || work->task != NULL;
    const bnre_density judged = bnre__estimator_judged_density(work->estimator);
    bnre__check_input input = {
        .density = &work->density,
        .judged = &judged,
        .observations = work->observed->n,
        .x = work->observed->x,
        .summaries = work->summaries,
        .summary = (const bnre__check_summary *const *)work->summary,
        .alpha = work->settings->significance,
        .pool = work->request->pool};

    BNRE_DO(bnre__check_draw(work));
    if (simulates) {
        BNRE_DO(bnre__check_simulate(work));
        input.n = work->n;
        input.theta = work->theta;
        input.y = work->y;
        BNRE_DO(check_fit(work, &input));
        if (work->estimator->region != NULL) {
            tell(work, "within a region the estimator is not looked at for "
                       "data that this posterior predicts, only for those near "
                       "the observation");
            return check_near(work, &input);
        }
        BNRE_DO(bnre__check_here(&input, work->m, work->bank,
                                 work->request->seed, work->request->monitor,
                                 &report->here));
        report->here_uniform = bnre__check_uniform(report->here);
        return check_near(work, &input);
    }
    report->verdict = BNRE_CHECK_UNCHECKED;
    report->unchecked = work->why;
    work->why = NULL;
    BNRE_DO(bnre__text_format(&report->words, "nothing was simulated: %s",
                              report->unchecked));
    input.n = work->m; /* places to look at data from */
    input.theta = work->bank;
    return check_near(work, &input);
}

/* Why the posterior must not be relied on, if something says so. */
static void find_doubt(bnre_check_outcome *outcome)
{
    const bnre_check_report *report = &outcome->report;
    const bnre_diag *diag[] = {report->here, report->near};
    static const char *const where[] = {
        "at data like those that its posterior predicts (posterior SBC)",
        "for data near the observation"};

    snprintf(outcome->verdict, sizeof outcome->verdict, "%s",
             bnre_check_verdict_name(report->verdict));
    if (report->verdict == BNRE_CHECK_MISFIT)
        snprintf(outcome->doubt, sizeof outcome->doubt,
                 "the model does not fit: %s", report->words);
    for (size_t i = 0; i < 2; i++)
        if (outcome->doubt[0] == 0 && diag[i] != NULL &&
            diag[i]->n_curves > 0 &&
            diag[i]->curve[0].judgement.verdict == BNRE_OVERCONFIDENT)
            snprintf(outcome->doubt, sizeof outcome->doubt,
                     "the estimator is overconfident %s", where[i]);
}

static bnre_status write_files(const bnre__check_work *work)
{
    bnre_check_outcome *outcome = work->outcome;
    const bnre__check_files files = {
        .directory = bnre__output_place(work->output),
        .report = &outcome->report,
        .warnings = outcome->warnings,
        .warning = (const char *const *)outcome->warning,
        .x = work->observed->x,
        .x_name = bnre_estimator_describe(work->estimator)->x_name,
        .formats = work->settings->format,
        .made = work->made};

    BNRE_DO(bnre__check_save(&files, &outcome->drawn));
    return bnre__output_publish(work->output,
                                outcome->drawn ? NULL : "gnuplot was not found",
                                outcome->doubt[0] != 0 ? outcome->doubt : NULL);
}

/* All of it, from the output that is open to the files. */
static bnre_status make(bnre__check_work *work)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(look_at_observation(work));
    BNRE_TRY(compute_posterior(work));
    BNRE_TRY(check_all(work));
    find_doubt(work->outcome);
    BNRE_TRY(write_files(work));
done:
    if (status != BNRE_OK)
        work->outcome->doubt[0] = 0; /* there is nothing to be doubted */
    return status;
}

/* What was found when it was made. */
static void recall(const bnre__check_work *work)
{
    const char *verdict = bnre__output_text(work->output, "verdict");
    const char *doubt = bnre__output_text(work->output, "doubt");

    work->outcome->found = 1;
    snprintf(work->outcome->verdict, sizeof work->outcome->verdict, "%s",
             verdict != NULL ? verdict : "");
    snprintf(work->outcome->doubt, sizeof work->outcome->doubt, "%s",
             doubt != NULL ? doubt : "");
}

bnre_status bnre_check_make(const bnre_check_request *request,
                            const char *directory, bnre_check_outcome *outcome)
{
    bnre__check_work work = {.request = request,
                             .settings = request->settings,
                             .directory = directory,
                             .outcome = outcome};
    bnre_status status = BNRE_OK;

    *outcome = (bnre_check_outcome){.drawn = 1};
    BNRE_TRY(prepare(&work));
    if (request->dry_run) {
        outcome->report.unchecked = work.why;
        work.why = NULL;
        goto done;
    }
    BNRE_TRY(open_output(&work));
    if (bnre__output_done(work.output))
        recall(&work);
    else
        BNRE_TRY(make(&work));
    if (outcome->doubt[0] != 0)
        BNRE_THROW(BNRE_EDOUBT, "%s", outcome->doubt);
done:
    clear_work(&work);
    return status;
}
