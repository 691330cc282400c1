/* The command `infer`: what people are told of bnre_infer(). */
#include <stddef.h>

#include "cli.h"

struct args {
    struct common common;
    bnre_infer_settings settings;
};

static void tell(const struct args *args, const bnre_infer_outcome *outcome,
                 double seconds)
{
    char number[CLI_NUMBER];

    if (args->common.dry_run) {
        cli_print_lines(stdout, outcome->summary);
        return;
    }
    if (!args->common.quiet) {
        cli_print("%s%s\n", args->settings.output,
                  outcome->found ? " (was there already)" : "");
        cli_print_facts(outcome->summary);
        if (!outcome->found)
            cli_fact("time", "%s", cli_duration(seconds, number));
    }
    fflush(stdout);
    cli_note(&args->common, "next: open %s", outcome->page);
}

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const bnre_infer_request request = {CLI_REQUEST(args, work)};
    bnre_infer_outcome outcome = {0};
    bnre_status status;
    double seconds;

    work->progress.bare = 1;
    status = bnre_infer(&request, &outcome);
    seconds = cli_work_end(work);
    if (status == BNRE_OK || outcome.doubt[0] != 0)
        tell(args, &outcome, seconds);
    if (outcome.doubt[0] != 0)
        status = cli_doubt(outcome.doubt);
    bnre_infer_outcome_clear(&outcome);
    return status;
}

const struct command cli_infer = {
    .name = "infer",
    .title = "from a simulator and an observation to a posterior, in one go",
    .usage = "--task NAME|FILE.yaml --observation FILE [options]",
    .text = "Simulates, trains, checks what was learned, and computes the "
            "posterior of one observation, all in one directory. "
            "DIR/report.html is the page to read first and to hand on: the "
            "posterior, how far to believe it, what it cost and how to make it "
            "again. Samples, numbers and pictures are in DIR/posterior, the "
            "estimator is DIR/estimator.h5.\n\n"
            "The work can be interrupted at any moment; the same command "
            "continues from there. Every simulation counts towards "
            "--simulations, and all of them teach.",
    .examples =
        "  bnre infer --task task.yaml --observation obs.csv\n"
        "  bnre infer --task slcp --observation test.h5:3 --simulations 4096\n"
        "  bnre infer --task task.yaml --observation obs.npy --data runs.h5 "
        "--simulations 20000 -o result\n",
    .shared = {bnre_infer_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .bar = CLI_BAR,
    .run = run,
};
