/* The page and the figures of a study. */
#include "cli.h"

struct args {
    struct common common;
    char *format;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "LIST", 0,
     "file formats of the figures: svg, pdf, png; svg is always written, "
     "because the page needs it"},
};

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    bnre_status status = BNRE_OK;

    (void)n;
    if (args->common.dry_run)
        cli_print("would write %s/report.html and figures in %s/figures\n",
                  operand[0], operand[0]);
    else
        CLI_TRY(cli_write_report(&args->common, operand[0], args->format));
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
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
