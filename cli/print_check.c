/* print_check.c - whether a model fits, for people. */
#include <math.h>

#include "print.h"

static void print_number(double value, double spread, int width)
{
    char number[CLI_NUMBER];

    cli_print(" %*s", width, bnre_readable_real(value, spread, number));
}

static void print_tests(const bnre_check *check)
{
    char number[CLI_NUMBER];
    int width = 10;

    for (size_t i = 0; i < check->tests; i++)
        width =
            cli_name_width(1, (const char *const *)&check->test[i].name, width);
    cli_print("\n  %-*s %10s %10s %10s %10s %10s\n", width, "statistic",
              "observed", "2.5 %", "97.5 %", "p", "corrected");
    for (size_t i = 0; i < check->tests; i++) {
        const bnre_check_test *test = &check->test[i];
        const double spread = (test->high - test->low) / 4;

        cli_print("  %-*s", width, test->name);
        print_number(test->observed, spread, 10);
        print_number(test->low, spread, 10);
        print_number(test->high, spread, 10);
        cli_print(" %10s", bnre_readable_p(test->p, number));
        cli_print(" %10s\n", bnre_readable_p(test->adjusted, number));
    }
    cli_print("\n");
}

static bnre_status print_trust(const char *label, const bnre_diag *diag,
                               const char *means)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_judgement_words(&diag->curve[0].judgement, &words));
    cli_words(label, words);
    cli_words("", means);
done:
    bnre_free(words);
    return status;
}

static bnre_status print_report(const bnre_check_report *report)
{
    char number[CLI_NUMBER];
    bnre_status status = BNRE_OK;

    if (report->check.tests > 0) {
        cli_print("  simulations   %s from the posterior",
                  cli_count(report->check.draws, number));
        if (report->failed > 0)
            cli_print(", %s more failed", cli_count(report->failed, number));
        cli_print("\n");
        print_tests(&report->check);
    }
    cli_fact("verdict", "%s", bnre_check_verdict_name(report->verdict));
    cli_words("", report->words);
    if (report->here != NULL) {
        CLI_TRY(print_trust("here", report->here, bnre_check_here_means()));
        cli_fact("", "Are its ranks uniform? %s, corrected",
                 bnre_readable_p_words(report->here_uniform, number));
    }
    if (report->near != NULL) {
        CLI_TRY(print_trust("near", report->near, bnre_check_near_means()));
        cli_fact("", "These were %zu of %s pairs", report->near->n,
                 cli_count(report->near_of, number));
    } else if (report->no_near != NULL) {
        cli_fact("near", "not looked at:");
        cli_words("", report->no_near);
    }
done:
    return status;
}

bnre_status cli_print_check(const struct common *common, const char *estimator,
                            const char *output,
                            const bnre_check_outcome *outcome)
{
    const char *why = outcome->report.unchecked;
    bnre_status status = BNRE_OK;

    if (common->dry_run && why == NULL)
        cli_print("would simulate from the posterior of %s, into %s\n",
                  estimator, output);
    else if (common->dry_run)
        cli_print("would simulate nothing: %s\n", why);
    if (common->dry_run)
        return BNRE_OK;
    if (!outcome->found && !outcome->drawn)
        cli_note(common,
                 "gnuplot was not found: the figure is there as script and "
                 "data, %s/check.gp",
                 output);
    if (!common->quiet && outcome->found) {
        cli_print("%s (was there already)\n", output);
        cli_fact("verdict", "%s", outcome->verdict);
    } else if (!common->quiet) {
        CLI_TRY(print_report(&outcome->report));
    }
    fflush(stdout);
    if (!outcome->found)
        cli_note(common, "files are in %s: check.json, check.csv, ...", output);
done:
    return status;
}
