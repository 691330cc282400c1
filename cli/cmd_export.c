/* The command `export`: a trained log ratio for other programs. */
#include <stddef.h>

#include "cli.h"

struct args {
    struct common common;
    bnre_export_settings settings;
    char *output;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE",
     BNRE_OPT_NEEDED | BNRE_OPT_USUAL,
     "the file to write: its ending .c or .onnx says what it will be"},
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const bnre_export_request request = {.estimator = work->operand[0],
                                         .settings = &args->settings,
                                         .input = args->common.config,
                                         .force = args->common.force,
                                         .dry_run = args->common.dry_run};
    bnre_export_outcome outcome = {0};
    const bnre_estimator_info *info;
    bnre_status status = BNRE_OK;

    CLI_TRY(bnre_export_make(&request, args->output, &outcome));
    info = bnre_estimator_describe(outcome.estimator);
    if (args->common.dry_run) {
        cli_print("would export %s to %s\n", work->operand[0], args->output);
        goto done;
    }
    if (args->common.quiet)
        goto done;
    cli_print("%s\n  theta         ", args->output);
    for (size_t i = 0; i < info->dim_theta; i++)
        cli_print(i == 0 ? "%s" : ", %s", info->theta_name[i]);
    cli_print("\n  x             %zu numbers\n  members       %zu\n",
              info->x_size, info->members);
    if (info->temper < 1 || info->widen > 1)
        cli_print("  as trusted    temper %g, widen %g\n", info->temper,
                  info->widen > 0 ? info->widen : 1);
done:
    bnre_export_outcome_clear(&outcome);
    return status;
}

const struct command cli_export = {
    .name = "export",
    .title = "a trained log ratio as C or ONNX, for other programs",
    .usage = "EST.h5 -o FILE [options]",
    .text =
        "Writes what an estimator has learned, log p(x|theta) - log p(x), for "
        "other programs: all members, scalers, coordinates of the prior, "
        "temper and widen. FILE.c is one file of C99 that needs the C library "
        "alone, with the log ratio, its gradient by theta and the log density "
        "of the prior. FILE.onnx is a model of operator set 17 with the inputs "
        "theta (rows, parameters) and x (rows, shape of x) in double precision "
        "and the output log_ratio (rows). What cannot be exported is refused.",
    .examples = "  bnre export slcp-bnpe.h5 -o ratio.c\n"
                "  bnre export slcp-bnpe.h5 -o ratio.onnx --rows 256\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .shared = {bnre_export_options},
    .shared_at = offsetof(struct args, settings),
    .idle = "threads seed",
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
