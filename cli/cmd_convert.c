/* The command `convert`: what people are told of bnre_convert_make(). */
#include "cli.h"

struct args {
    struct common common;
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    const char *from = work->operand[0], *to = work->operand[1];
    bnre_convert_outcome outcome;
    bnre_status status;
    char number[CLI_NUMBER];

    (void)fields;
    if (work->common->dry_run) {
        cli_print("would convert %s into %s\n", from, to);
        return BNRE_OK;
    }
    status = bnre_convert_make(from, to, work->common->force, &work->monitor,
                               &outcome);
    cli_work_end(work);
    if (status == BNRE_OK && !work->common->quiet) {
        cli_print("%s\n", to);
        cli_fact("format", "%s", outcome.format);
        cli_fact("rows", "%s", cli_count(outcome.rows, number));
        cli_fact("fingerprint", "%s", outcome.fingerprint);
    }
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
    .idle = "threads seed config",
    .size = sizeof(struct args),
    .least = 2,
    .most = 2,
    .bar = CLI_BAR,
    .run = run,
};
