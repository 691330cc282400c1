/* The commands `run` and `report`: what people are told of bnre_run_make() and
   bnre_report_write(). */
#include <stddef.h>

#include "cli.h"

struct args {
    struct common common;
    bnre_run_settings settings;
};

static void print_page(const struct common *common, const char *directory,
                       const bnre_report_result *result)
{
    if (!result->drawn)
        cli_note(common,
                 "gnuplot was not found: the figures' data and scripts are in "
                 "%s/figures; install gnuplot, then: bnre report %s",
                 directory, directory);
    if (common->quiet)
        return;
    if (result->done < result->runs)
        cli_print("  runs          %zu of %zu are done\n", result->done,
                  result->runs);
    cli_print("  report        %s/report.html\n", directory);
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    const struct common *common = &args->common;
    bnre_run_request request = {.study = operand[0],
                                .settings = &args->settings,
                                .force = common->force,
                                .dry_run = common->dry_run};
    bnre_run_outcome outcome = {0};
    bnre_executor executor = {0};
    bnre_status status = BNRE_OK;
    struct progress progress;
    struct watch watch;
    bnre_monitor monitor;

    (void)n;
    CLI_TRY(cli_executor_open(common->threads, &executor));
    request.executor = &executor;
    /* Every process of a cluster catches Ctrl-C, told of progress or not. */
    monitor = common->dry_run ? cli_watch_start(&watch, "run", common)
                              : cli_progress_start(&progress, "run", common);
    progress.bare = 1;
    request.monitor = &monitor;
    status = bnre_run_make(&request, &outcome);
    if (!common->dry_run)
        cli_progress_finish(&progress);
    if (status == BNRE_OK && common->dry_run && executor.leads)
        cli_print_study_plan(&outcome, executor.workers);
    if (outcome.result.outcome != NULL && executor.leads && !common->quiet)
        cli_print_study(&outcome);
    if (outcome.reported)
        print_page(common, outcome.path, &outcome.report);
done:
    bnre_run_outcome_clear(&outcome);
    cli_executor_close(&executor);
    return status;
}

const struct command cli_run = {
    .name = "run",
    .title = "simulate, train, diagnose and report a study",
    .usage = "STUDY.yaml [-o DIR] [options]",
    .text =
        "Runs a whole study: simulates its data, trains and diagnoses every "
        "cell of its sweep, with repeats, and writes results.csv (a row for "
        "each run), figures, and a page for readers, report.html. The same "
        "command continues a study that was stopped; after a change of the "
        "file it repeats only what the change affects. --dry-run shows the "
        "cells, data, time and disk space. A study is a file of settings: the "
        "task, the options of train and diagnose, and simulations, test, "
        "validation, schedule, repeats and seed. Each of them can be a list "
        "under `sweep`; the cells are the product of these lists.",
    .examples = "  bnre run studies/quickstart.yaml -o quickstart\n"
                "  bnre run study.yaml --dry-run\n"
                "  bnre run study.yaml --set repeats=1 --set "
                "'sweep.simulations=[256]'\n"
                "  mpirun -n 8 bnre-mpi run study.yaml -o results\n"
                "\n"
                "a study:\n"
                "  task: slcp\n"
                "  repeats: 3\n"
                "  sweep:\n"
                "    method: [nre, bnre, bnpe]\n"
                "    simulations: [1024, 4096]\n",
    .shared = {bnre_run_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};

/* ---- report ---- */

struct report_args {
    struct common common;
    bnre_report_settings settings;
};

static bnre_status report(const void *fields, size_t n,
                          const char *const *operand)
{
    const struct report_args *args = fields;
    bnre_report_result result;
    bnre_status status = BNRE_OK;

    (void)n;
    if (args->common.dry_run) {
        cli_print("would write %s/report.html and figures in %s/figures\n",
                  operand[0], operand[0]);
        return BNRE_OK;
    }
    CLI_TRY(bnre_report_write(operand[0], args->settings.format, &result));
    print_page(&args->common, operand[0], &result);
done:
    return status;
}

const struct command cli_report = {
    .name = "report",
    .title = "write the page and the figures of a study",
    .usage = "DIR [options]",
    .text = "Writes report.html and figures/ into the directory of a study "
            "that `bnre run` has made, finished or not: verdicts, figures, "
            "every run with its numbers, the settings, and how to repeat the "
            "study. The page is a single file that can be sent to others. "
            "Beside each figure are its data (.dat) and the gnuplot script "
            "that draws it (.gp). `bnre run` writes the report at its end; use "
            "this command after an interruption, or for other formats.",
    .examples = "  bnre report quickstart\n"
                "  bnre report results --format svg,pdf,png\n",
    .shared = {bnre_report_options},
    .shared_at = offsetof(struct report_args, settings),
    .size = sizeof(struct report_args),
    .least = 1,
    .most = 1,
    .run = report,
};
