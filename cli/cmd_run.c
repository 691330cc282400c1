/* The command `run`: bnre_run_make(), told by print_study.c. */
#include <stddef.h>

#include "print.h"

struct args {
    struct common common;
    bnre_run_settings settings;
};

/* Who works is not up to the program: it may be the ranks of a cluster. */
static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const struct common *common = &args->common;
    bnre_run_request request = {.study = work->operand[0],
                                .settings = &args->settings,
                                .force = common->force,
                                .dry_run = common->dry_run,
                                .monitor = &work->monitor};
    bnre_run_outcome outcome = {0};
    bnre_executor executor = {0};
    bnre_status status = BNRE_OK;

    CLI_TRY(cli_executor_open(common->threads, &executor));
    request.executor = &executor;
    /* Every process of a cluster catches Ctrl-C, told of progress or not. */
    work->monitor = common->dry_run
                        ? cli_watch_start(&work->watch, "run", common)
                        : cli_progress_start(&work->progress, "run", common);
    work->progress.bare = 1;
    status = bnre_run_make(&request, &outcome);
    cli_work_end(work);
    if (status == BNRE_OK && common->dry_run && executor.leads)
        cli_print_study_plan(&outcome, executor.workers);
    if (outcome.result.outcome != NULL && executor.leads && !common->quiet)
        cli_print_study(&outcome);
    if (outcome.reported)
        cli_print_page(common, outcome.path, &outcome.report);
done:
    bnre_run_outcome_clear(&outcome);
    cli_executor_close(&executor);
    return status;
}

const struct command cli_run = {
    .name = "run",
    .title = "simulate, train, diagnose and report a study",
    .usage = "STUDY.yaml [-o DIR] [options]",
    .text = "Runs a whole study: simulates its data, trains and diagnoses "
            "every cell of its sweep, with repeats, and writes results.csv (a "
            "row for each run), figures, and a page for readers, report.html. "
            "The same command continues a study that was stopped; after a "
            "change of the file it repeats only what the change affects. "
            "--dry-run shows the cells, data, time and disk space.\n\n"
            "A study is a file of settings: the task, the options of train and "
            "diagnose, and simulations, test, validation, schedule, repeats "
            "and seed. Each of them can be a list under `sweep`; the cells are "
            "the product of these lists.",
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
