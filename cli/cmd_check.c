/* The command `check`: what people are told of bnre_check_make(). */
#include <math.h>
#include <stddef.h>

#include "cli.h"

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

static void print_label(const char *label, const char *text)
{
    cli_print("  %-12s  ", label);
    cli_print_wrapped(stdout, text, 16, 16);
}

static bnre_status print_trust(const char *label, const bnre_diag *diag,
                               const char *means)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_judgement_words(&diag->curve[0].judgement, &words));
    cli_print("  %-12s  ", label);
    cli_print_wrapped(stdout, words, 16, 16);
    cli_print("                ");
    cli_print_wrapped(stdout, means, 16, 16);
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
    cli_print("  verdict       %s\n                ",
              bnre_check_verdict_name(report->verdict));
    cli_print_wrapped(stdout, report->words, 16, 16);
    if (report->here != NULL) {
        CLI_TRY(print_trust("here", report->here, bnre_check_here_means()));
        cli_print("                Are its ranks uniform? %s, corrected\n",
                  bnre_readable_p_words(report->here_uniform, number));
    }
    if (report->near != NULL) {
        CLI_TRY(print_trust("near", report->near, bnre_check_near_means()));
        cli_print("                These were %zu of %s pairs\n",
                  report->near->n, cli_count(report->near_of, number));
    } else if (report->no_near != NULL) {
        print_label("near", "not looked at:");
        cli_print("                ");
        cli_print_wrapped(stdout, report->no_near, 16, 16);
    }
done:
    return status;
}

static void print_plan(const struct args *args, const char *estimator,
                       const bnre_check_outcome *outcome)
{
    const char *why = outcome->report.unchecked;

    if (why == NULL)
        cli_print("would simulate from the posterior of %s, into %s\n",
                  estimator, args->output);
    else
        cli_print("would simulate nothing: %s\n", why);
}

static bnre_status tell(const struct args *args, const char *estimator,
                        const bnre_check_outcome *outcome)
{
    bnre_status status = BNRE_OK;

    if (args->common.dry_run) {
        print_plan(args, estimator, outcome);
        return BNRE_OK;
    }
    if (outcome->found) {
        if (!args->common.quiet)
            cli_print("%s (was there already)\n  verdict       %s\n",
                      args->output, outcome->verdict);
        fflush(stdout);
        return BNRE_OK;
    }
    if (!outcome->drawn)
        cli_note(&args->common,
                 "gnuplot was not found: the figure is there as script and "
                 "data, %s/check.gp",
                 args->output);
    if (!args->common.quiet)
        CLI_TRY(print_report(&outcome->report));
    fflush(stdout);
    cli_note(&args->common, "files are in %s: check.json, check.csv, ...",
             args->output);
done:
    return status;
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    struct watch watch;
    const bnre_monitor monitor =
        cli_watch_start(&watch, "check", &args->common);
    bnre_check_request request = {.estimator = operand[0],
                                  .settings = &args->settings,
                                  .seed = args->common.seed,
                                  .input = args->common.config,
                                  .force = args->common.force,
                                  .dry_run = args->common.dry_run,
                                  .monitor = &monitor};
    bnre_check_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    bnre_pool *pool = NULL;

    (void)n;
    CLI_TRY(bnre_pool_create(args->common.threads, &pool));
    request.pool = pool;
    status = bnre_check_make(&request, args->output, &outcome);
    cli_watch_finish(&watch);
    if (status != BNRE_OK && outcome.doubt[0] == 0)
        goto done;
    CLI_TRY(tell(args, operand[0], &outcome));
    if (outcome.doubt[0] != 0)
        status = bnre_fail(BNRE_EDOUBT, "%s", outcome.doubt);
done:
    bnre_check_outcome_clear(&outcome);
    bnre_pool_destroy(pool);
    return status;
}

const struct command cli_check = {
    .name = "check",
    .title = "tell whether the model fits an observation",
    .usage = "EST.h5 --observation FILE [--task TASK] [options]",
    .text =
        "Simulates from the posterior of an observation and compares: each "
        "value of x, summaries that you name, the distance to the nearest "
        "simulations, and the log ratio, with p-values that are corrected for "
        "their number by Holm's method. The verdict is FITS, MISFIT, or "
        "UNCHECKED where nothing may be simulated. Then it tells whether the "
        "estimator can be trusted here: posterior simulation-based "
        "calibration, and the coverage of pairs near the observation. The exit "
        "status is 3 if the model does not fit, or if the estimator is "
        "overconfident here. Writes check.json, check.csv (a row for each "
        "value), check.svg (the observation in its predictive band) and "
        "predictive.h5 (the simulations). Tasks that are built in are "
        "simulated; programs and plugins only if you name them with --task.",
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
    .run = run,
};
