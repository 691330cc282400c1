/* The command `report`: bnre_report_write(), told by print_study.c. */
#include <stddef.h>

#include "print.h"

struct args {
    struct common common;
    bnre_report_settings settings;
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const char *directory = work->operand[0];
    bnre_report_result result;
    bnre_status status = BNRE_OK;

    if (args->common.dry_run) {
        cli_print("would write %s/report.html and figures in %s/figures\n",
                  directory, directory);
        return BNRE_OK;
    }
    CLI_TRY(bnre_report_write(directory, args->settings.format, &result));
    cli_print_page(&args->common, directory, &result);
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
    .shared = {bnre_report_options},
    .shared_at = offsetof(struct args, settings),
    .idle = "threads seed force",
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
