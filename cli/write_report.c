/* The page of a study, and what is said about it. */
#include "cli.h"

bnre_status cli_write_report(const struct common *common, const char *directory,
                             const char *formats)
{
    bnre_report_result result;
    bnre_status status = BNRE_OK;

    CLI_TRY(bnre_report_write(directory, formats, &result));
    if (!result.drawn)
        cli_note(common,
                 "gnuplot was not found: the figures' data and scripts are in "
                 "%s/figures; install gnuplot, then: bnre report %s",
                 directory, directory);
    if (common->quiet)
        goto done;
    if (result.done < result.runs)
        cli_print("  runs          %zu of %zu are done\n", result.done,
                  result.runs);
    cli_print("  report        %s/report.html\n", directory);
done:
    return status;
}
