/* run.c - the commands `run` and `report`: their options, and a study from its
   file to its page. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "output/output.h"
#include "study/study.h"

#define AT(field) offsetof(bnre_run_settings, field)
static const bnre_opt rows[] = {
    {"set", BNRE_OPT_LIST, AT(set), NULL, NULL, "KEY=VALUE", 0,
     "set KEY to VALUE, over what the file says, for example epochs=10, "
     "task.options.dim=3 or 'sweep.simulations=[256, 512]'"},
    {"seed", BNRE_OPT_TEXT, AT(seed), NULL, NULL, "N", 0,
     "short for `set: seed=N`"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "DIR", 0,
     "directory for the results (default: the name of the study's file without "
     "its ending)"},
    {"no_report", BNRE_OPT_FLAG, AT(no_report), NULL, NULL, NULL, 0,
     "do not write report.html and the figures; `bnre report` can write them "
     "later"},
};

static const bnre_opt report_rows[] = {
    {"format", BNRE_OPT_TEXT, offsetof(bnre_report_settings, format), "svg,pdf",
     NULL, "svg,pdf,png", 0,
     "file formats of the figures; svg is always written, because the page "
     "needs it"},
};

const bnre_opt *bnre_run_options(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

const bnre_opt *bnre_report_options(size_t *n)
{
    *n = sizeof report_rows / sizeof *report_rows;
    return report_rows;
}

void bnre_run_outcome_clear(bnre_run_outcome *outcome)
{
    bnre__study_result_clear(&outcome->result);
    bnre__study_destroy(outcome->study);
    bnre__free(outcome->path);
    *outcome = (bnre_run_outcome){0};
}

/* ---- what is asked for ---- */

static bnre_status choose_output(const bnre_run_request *request, char **out)
{
    const char *file = request->study;
    const char *base = strrchr(file, '/');
    const char *dot;

    base = base != NULL ? base + 1 : file;
    dot = strrchr(base, '.');
    if (request->settings->output != NULL)
        return bnre__strdup(request->settings->output, out);
    if (dot == NULL || dot == base)
        return bnre_fail(BNRE_EUSAGE,
                         "output is needed: a directory for the results");
    return bnre__text_format(out, "%.*s", (int)(dot - base), base);
}

/* The directory gets a study.yaml of its own, which must not be the one that is
   run: comments would be lost. Without force it is refused anyway. */
static bnre_status keep_study(const char *path, const char *file)
{
    bnre_status status = BNRE_OK;
    char *own = NULL;

    BNRE_TRY(bnre__text_format(&own, "%s/study.yaml", path));
    BNRE_TRY(bnre__output_refuse_inputs(own, 1, &file));
done:
    bnre__free(own);
    return status;
}

/* A dry run loads no plugin. */
static bnre_status read_study(const bnre_run_request *request, bnre_study **out)
{
    const bnre_run_settings *settings = request->settings;
    bnre_status status = BNRE_OK;
    const char **set = NULL;
    char *seed = NULL;
    size_t n = settings->set.count;

    BNRE_NEW(set, n + 1);
    for (size_t i = 0; i < n; i++)
        set[i] = settings->set.text[i];
    if (settings->seed != NULL) {
        BNRE_TRY(bnre__text_format(&seed, "seed=%s", settings->seed));
        set[n++] = seed;
    }
    BNRE_TRY((request->dry_run ? bnre__study_look : bnre__study_read)(
        request->study, n, set, out));
done:
    bnre__free(seed);
    bnre__free(set);
    return status;
}

static bnre_status prepare(const bnre_run_request *request,
                           bnre_run_outcome *outcome)
{
    BNRE_DO(choose_output(request, &outcome->path));
    if (request->force)
        BNRE_DO(keep_study(outcome->path, request->study));
    return read_study(request, &outcome->study);
}

/* What looks wrong before anything is done, each once. */
static bnre_status tell_doubts(const bnre_run_request *request,
                               const bnre_study *study)
{
    const bnre_monitor *monitor = request->monitor;
    const size_t n = bnre_study_describe(study).cells;
    bnre_status status = BNRE_OK;
    char *text = NULL;

    for (size_t i = 0; monitor != NULL && monitor->note != NULL && i < n; i++) {
        const char *doubt = bnre_study_cell_at(study, i).doubt;
        size_t k = 0;

        while (strcmp(bnre_study_cell_at(study, k).doubt, doubt) != 0)
            k++;
        if (doubt[0] == 0 || k < i)
            continue;
        bnre__free(text);
        text = NULL;
        BNRE_TRY(bnre__text_format(&text, "warning: %s", doubt));
        monitor->note(monitor->context, text);
    }
done:
    bnre__free(text);
    return status;
}

/* ---- the work ---- */

/* The page, also if some runs have failed; that failure stays. */
static bnre_status report(const bnre_run_request *request, bnre_status so_far,
                          bnre_run_outcome *outcome)
{
    bnre_status status = BNRE_OK;
    char message[1024];

    snprintf(message, sizeof message, "%s", bnre_error_message());
    if (!request->settings->no_report) {
        status = bnre_report_write(outcome->path, "svg,pdf", &outcome->report);
        outcome->reported = status == BNRE_OK;
    }
    return so_far != BNRE_OK ? bnre_fail(so_far, "%s", message) : status;
}

static bnre_status run(const bnre_run_request *request,
                       const bnre_executor *executor, bnre_run_outcome *outcome)
{
    const bnre__study_opts opts = {.force = request->force,
                                   .executor = executor,
                                   .monitor = request->monitor};
    const double start = bnre__clock();
    bnre_status status =
        bnre__study_run(outcome->study, &opts, outcome->path, &outcome->result);

    outcome->seconds = bnre__clock() - start;
    if (status == BNRE_EINTR)
        status = bnre_fail(BNRE_EINTR,
                           "interrupted: what is done so far is safe in %s; "
                           "run the same command again to go on",
                           outcome->path);
    if (outcome->result.outcome != NULL && executor->leads)
        status = report(request, status, outcome);
    return status;
}

bnre_status bnre_run_make(const bnre_run_request *request,
                          bnre_run_outcome *outcome)
{
    const bnre_executor one = bnre_executor_threads(NULL);
    const bnre_executor *executor =
        request->executor != NULL ? request->executor : &one;
    bnre_status status = BNRE_OK;

    *outcome = (bnre_run_outcome){0};
    status = prepare(request, outcome);
    BNRE_TRY(executor->agree(executor->context, status));
    if (executor->leads)
        BNRE_TRY(tell_doubts(request, outcome->study));
    if (!request->dry_run)
        BNRE_TRY(run(request, executor, outcome));
    else if (executor->leads)
        BNRE_TRY(
            bnre__study_estimate_costs(outcome->study, &outcome->estimate));
done:
    return status;
}
