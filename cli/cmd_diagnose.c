/* The command `diagnose`: bnre_diagnose_make(), told by print_diag.c. */
#include <stddef.h>

#include "print.h"

struct args {
    struct common common;
    bnre_diagnose_settings settings;
    char *output;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE.json", 0,
     "JSON file for the results; FILE.csv, FILE-pairs.csv and the figures are "
     "written beside it"},
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const char *estimator = work->n > 0 ? work->operand[0] : NULL;
    struct watch advising;
    const bnre_monitor second =
        cli_watch_start(&advising, "advise", &args->common);
    const bnre_diagnose_request request = {
        .estimator = estimator, CLI_REQUEST(args, work), .advising = &second};
    bnre_diagnose_outcome outcome = {0};
    bnre_status made, told;

    work->watch.named = advising.named = 1;
    made = bnre_diagnose_make(&request, args->output, &outcome);
    cli_work_end(work);
    cli_watch_finish(&advising);
    told = cli_print_diagnosis(&args->common, &args->settings, estimator,
                               args->output, &outcome, made);
    bnre_diagnose_outcome_clear(&outcome);
    return made != BNRE_OK ? made : told;
}

const struct command cli_diagnose = {
    .name = "diagnose",
    .title = "tell from fresh pairs whether an estimator can be trusted",
    .usage = "EST.h5 [--data FILE] [options]",
    .text =
        "Evaluates the posteriors of pairs (theta, x) that the estimator "
        "has not seen: how often regions contain the true theta "
        "(coverage), how much was learned (information gain), and where it "
        "errs (bias, SBC). The verdict is CONSERVATIVE, OVERCONFIDENT, "
        "INCONCLUSIVE, UNINFORMATIVE or, if the points cannot resolve the "
        "posteriors, BLIND. It holds on average over the prior, not for a "
        "single observation. Ctrl-C ends the diagnosis with the pairs "
        "evaluated so far.\n\n"
        "Without --data it tells what is known of an estimator out of "
        "fold, from the simulations it was trained on (bnre train --trust "
        "auto). With --classes it tells how well an estimator of classes "
        "knows rows that it has not seen: accuracy, calibration, confusion.",
    .examples =
        "  bnre simulate --task slcp --split test --count 10000 -o test.h5\n"
        "  bnre diagnose slcp.h5 --data test.h5 -o diagnose.json\n"
        "  bnre diagnose slcp.h5 --data test.h5 --check || echo do not use\n"
        "  bnre diagnose slcp.h5 --data test.h5 --temper 1,0.9,0.8,0.7\n"
        "  bnre diagnose models.h5 --classes a.h5 b.h5 c.h5\n"
        "  bnre diagnose --samples-file flow.npz --data test.h5\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .shared = {bnre_diagnose_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .most = 1,
    .bar = CLI_LATE_BAR,
    .run = run,
};
