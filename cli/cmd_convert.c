#include <string.h>

#include "cli.h"

struct args {
    struct common common;
};

static bnre_status print_summary(const char *path)
{
    const bnre_dataset_info *info;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    char fingerprint[33], number[CLI_NUMBER];

    CLI_TRY(bnre_dataset_open(path, &data));
    info = bnre_dataset_describe(data);
    if (info->stored_fingerprint != NULL)
        snprintf(fingerprint, sizeof fingerprint, "%s",
                 info->stored_fingerprint);
    else
        CLI_TRY(bnre_dataset_fingerprint(data, fingerprint));
    cli_print(
        "%s\n  format        %s\n  rows          %s\n  fingerprint   %s\n",
        path, info->format, cli_count(info->rows, number), fingerprint);
done:
    bnre_dataset_close(data);
    return status;
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;

    (void)n;
    if (args->common.dry_run) {
        cli_print("would convert %s into %s\n", operand[0], operand[1]);
        return BNRE_OK;
    }
    CLI_TRY(cli_make_parents(operand[1]));
    monitor = cli_progress_start(&progress, "convert", &args->common);
    status = bnre_dataset_convert(operand[0], operand[1], args->common.force,
                                  &monitor);
    cli_progress_finish(&progress);
    CLI_TRY(status);
    if (!args->common.quiet)
        CLI_TRY(print_summary(operand[1]));
done:
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
