/* The command `convert`: what people are told of bnre_convert_make(). */
#include "cli.h"

struct args {
    struct common common;
};

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    bnre_convert_outcome outcome;
    struct progress progress;
    bnre_monitor monitor;
    bnre_status status;
    char number[CLI_NUMBER];

    (void)n;
    if (args->common.dry_run) {
        cli_print("would convert %s into %s\n", operand[0], operand[1]);
        return BNRE_OK;
    }
    monitor = cli_progress_start(&progress, "convert", &args->common);
    status = bnre_convert_make(operand[0], operand[1], args->common.force,
                               &monitor, &outcome);
    cli_progress_finish(&progress);
    if (status == BNRE_OK && !args->common.quiet)
        cli_print(
            "%s\n  format        %s\n  rows          %s\n  fingerprint   %s\n",
            operand[1], outcome.format, cli_count(outcome.rows, number),
            outcome.fingerprint);
    return status;
}

const struct command cli_convert = {
    .name = "convert",
    .title = "copy a dataset into another format: h5, npz, npy, csv",
    .usage = "IN OUT [options]",
    .text =
        "Copies a dataset into another format, which the ending of OUT "
        "selects: .h5, .npz, .csv, or a pair of files written as "
        "theta.npy,x.npy. The format of IN is recognised from its contents. "
        "OUT appears whole or not at all, and the fingerprint stays the same.",
    .examples = "  bnre convert train.h5 train.npz\n"
                "  bnre convert theta.npy,x.npy pairs.h5\n"
                "  bnre convert pairs.csv pairs.h5 --force\n",
    .size = sizeof(struct args),
    .least = 2,
    .most = 2,
    .run = run,
};
