/* The command `check`: bnre_check_make(), told by print_check.c. */
#include <stddef.h>

#include "print.h"

struct args {
    struct common common;
    bnre_check_settings settings;
    char *output;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"output", BNRE_OPT_TEXT, AT(output), "check", NULL, "DIR", BNRE_OPT_USUAL,
     "directory for the results"},
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const bnre_check_request request = {.estimator = work->operand[0],
                                        CLI_REQUEST(args, work)};
    bnre_check_outcome outcome = {0};
    bnre_status status = bnre_check_make(&request, args->output, &outcome);

    cli_work_end(work);
    if (status != BNRE_OK && outcome.doubt[0] == 0)
        goto done;
    CLI_TRY(cli_print_check(&args->common, work->operand[0], args->output,
                            &outcome));
    status = cli_doubt(outcome.doubt);
done:
    bnre_check_outcome_clear(&outcome);
    return status;
}

const struct command cli_check = {
    .name = "check",
    .title = "tell whether the model fits an observation",
    .usage = "EST.h5 --observation FILE [--task TASK] [options]",
    .text = "Simulates from the posterior of an observation and compares: each "
            "value of x, summaries that you name, the distance to the nearest "
            "simulations, and the log ratio, with p-values that are corrected "
            "for their number by Holm's method. The verdict is FITS, MISFIT, "
            "or UNCHECKED where nothing may be simulated. Then it tells "
            "whether the estimator can be trusted here: posterior "
            "simulation-based calibration, and the coverage of pairs near the "
            "observation. The exit status is 3 if the model does not fit, or "
            "if the estimator is overconfident here.\n\n"
            "Writes check.json, check.csv (a row for each value), check.svg "
            "(the observation in its predictive band) and predictive.h5 (the "
            "simulations). Tasks that are built in are simulated; programs and "
            "plugins only if you name them with --task.",
    .examples =
        "  bnre check slcp.h5 --observation obs.npy\n"
        "  bnre check mine.h5 --observation obs.npy --task mine.yaml\n"
        "  bnre check est.h5 --observation obs.csv --summary sd --summary "
        "'max[0:50]'\n"
        "  bnre check est.h5 --observation obs.csv -o fit || echo look "
        "closer\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .shared = {bnre_check_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .bar = CLI_LATE_BAR,
    .run = run,
};
