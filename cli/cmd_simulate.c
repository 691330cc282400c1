/* The command `simulate`: bnre_simulate_make(), told by print_simulate.c. */
#include <stddef.h>

#include "print.h"

struct args {
    struct common common;
    bnre_simulate_settings settings;
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const bnre_simulate_request request = {CLI_REQUEST(args, work)};
    bnre_simulate_outcome outcome = {0};
    bnre_status status = bnre_simulate_make(&request, &outcome);
    const double seconds = cli_work_end(work);

    if (status == BNRE_OK)
        status = cli_print_simulation(&args->common, &args->settings, &outcome,
                                      seconds);
    bnre_simulate_outcome_clear(&outcome);
    return status;
}

const struct command cli_simulate = {
    .name = "simulate",
    .title = "draw parameters and simulate them into a dataset",
    .usage = "--task NAME|FILE.yaml [options]",
    .text = "Draws parameters from the priors of a task, simulates them and "
            "writes the pairs to a dataset. Each row depends only on the task, "
            "the seed, the split and its number. The same command therefore "
            "continues a dataset where it was stopped, and a larger --count "
            "simulates only the new rows.",
    .examples = "  bnre simulate --task gaussian --count 1e6 -o train.h5\n"
                "  bnre simulate --task gaussian --split test -o test.h5\n"
                "  bnre simulate --task gaussian --option dim=5 --seed 7\n"
                "  bnre simulate --task slcp --theta 0.5,-1.2 --count 1000\n",
    .shared = {bnre_simulate_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .bar = CLI_BAR,
    .run = run,
};
