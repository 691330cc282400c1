/* The command `diagnose`: what people are told of bnre_diagnose_make(). */
#include <stddef.h>
#include <string.h>

#include "cli.h"
#include "print_diag.h"
#include "print_trust.h"

struct args {
    struct common common;
    bnre_diagnose_settings settings;
    char *output;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE.json", 0,
     "JSON file for the results; FILE.csv, FILE-pairs.csv and the figures are "
     "written beside it"},
};

static void print_plan(const struct args *args, const char *estimator,
                       const bnre_diagnose_outcome *outcome)
{
    char number[CLI_NUMBER];

    if (args->settings.samples_file != NULL)
        cli_print("would diagnose the samples in %s\n",
                  args->settings.samples_file);
    else
        cli_print("would diagnose %s on %s rows of %s\n", estimator,
                  cli_count(outcome->rows, number), args->settings.data);
    if (args->output != NULL)
        cli_print("  results in %s\n", args->output);
}

static void print_found(const struct args *args,
                        const bnre_diagnose_outcome *outcome)
{
    if (args->common.quiet)
        return;
    cli_print("%s (was there already)\n", args->output);
    if (outcome->verdict[0] != 0)
        cli_print("  verdict       %s\n", outcome->verdict);
}

static bnre_status print_outcome(const struct args *args, const char *estimator,
                                 const bnre_diagnose_outcome *outcome)
{
    const char *samples = args->settings.samples_file,
               *data = args->settings.data;
    bnre_status status = BNRE_OK;

    cli_print("%s", samples != NULL ? samples : estimator);
    cli_print("%s%s\n", data != NULL ? " on " : "", data != NULL ? data : "");
    if (outcome->other_prior)
        cli_print("  prior         another than that of training, %.2g of it "
                  "outside of that;\n                %s\n",
                  outcome->change.outside,
                  outcome->own_pairs
                      ? "the pairs were simulated for it"
                      : "pairs are taken with probability proportional to "
                        "the quotient of the two");
    CLI_TRY(cli_print_diag(outcome->diag));
    if (outcome->theorem.n > 0)
        cli_print_theorem(&outcome->theorem);
    if (outcome->curve.n > 0)
        cli_print_curve(&outcome->curve);
    if (outcome->certificate.given) {
        cli_print("\n");
        CLI_TRY(cli_print_guarantee(&outcome->guarantee));
    }
    cli_print_advice(&outcome->advice);
done:
    return status;
}

/* What is known without pairs. */
static void print_known(const char *estimator,
                        const bnre_diagnose_outcome *outcome)
{
    const bnre_certificate *c = &outcome->certificate;
    char number[CLI_NUMBER];

    cli_print("%s out of fold\n", estimator);
    cli_print("  simulations       %s, each judged by %zu of %zu networks, "
              "which have not seen it\n",
              cli_count(c->cross.use, number), c->members / c->folds,
              c->members);
    cli_print("  coverage AUC      %.4f +- %.4f\n", c->auc.mean, c->auc.error);
    cli_print("  information gain  %.3f +- %.3f nats%s\n", c->information.mean,
              c->information.error,
              c->certify.use > 0 ? ", on fresh pairs" : "");
    cli_print("  balance           %.4f +- %.4f (1 is balanced)\n",
              c->balance.mean, c->balance.error);
    if (c->levels > 0)
        cli_print("\n  level  coverage  lower bound%s\n",
                  c->certify.use > 0 ? " (fresh pairs)" : "");
    for (size_t i = 0; i < c->levels; i++)
        cli_print("  %5.2f  %8.4f  %11.4f\n", c->level[i], c->coverage[i],
                  c->lower_bound[i]);
    cli_print("\n  verdict       %s, %s\n", outcome->verdict,
              c->certify.use > 0 ? "on fresh pairs" : "out of fold");
    cli_print_certificate(c);
}

/* Also what was found before something failed. */
static bnre_status tell(const struct args *args, const char *estimator,
                        const bnre_diagnose_outcome *outcome)
{
    bnre_status status = BNRE_OK;

    if (outcome->known)
        print_known(estimator, outcome);
    if (outcome->found)
        print_found(args, outcome);
    if (outcome->diag != NULL && (!args->common.quiet || args->output == NULL))
        CLI_TRY(print_outcome(args, estimator, outcome));
    fflush(stdout);
    if (!outcome->drawn)
        cli_note(&args->common,
                 "gnuplot was not found: figures are there as scripts and "
                 "data, %.*s-*.gp",
                 (int)(strlen(args->output) - strlen(".json")), args->output);
done:
    return status;
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    struct watch watch, advising;
    const bnre_monitor monitor =
        cli_watch_start(&watch, "diagnose", &args->common);
    const bnre_monitor second =
        cli_watch_start(&advising, "advise", &args->common);
    bnre_diagnose_request request = {.estimator = n > 0 ? operand[0] : NULL,
                                     .settings = &args->settings,
                                     .seed = args->common.seed,
                                     .input = args->common.config,
                                     .force = args->common.force,
                                     .dry_run = args->common.dry_run,
                                     .monitor = &monitor,
                                     .advising = &second};
    bnre_diagnose_outcome outcome = {0};
    bnre_status status = BNRE_OK, made, told;
    bnre_pool *pool = NULL;

    watch.named = advising.named = 1;
    CLI_TRY(bnre_pool_create(args->common.threads, &pool));
    request.pool = pool;
    made = bnre_diagnose_make(&request, args->output, &outcome);
    cli_watch_finish(&watch);
    cli_watch_finish(&advising);
    if (made == BNRE_OK && args->common.dry_run)
        print_plan(args, request.estimator, &outcome);
    told = tell(args, request.estimator, &outcome);
    status = made != BNRE_OK ? made : told;
done:
    bnre_diagnose_outcome_clear(&outcome);
    bnre_pool_destroy(pool);
    return status;
}

const struct command cli_diagnose = {
    .name = "diagnose",
    .title = "tell from fresh pairs whether an estimator can be trusted",
    .usage = "EST.h5 [--data FILE] [options]",
    .text =
        "Evaluates the posteriors of pairs (theta, x) that the estimator has "
        "not seen: how often regions contain the true theta (coverage), how "
        "much was learned (information gain), and where it errs (bias, SBC). "
        "The verdict is CONSERVATIVE, OVERCONFIDENT, INCONCLUSIVE, "
        "UNINFORMATIVE or, if the points cannot resolve the posteriors, BLIND. "
        "It holds on average over the prior, not for a single observation. "
        "Ctrl-C ends the diagnosis with the pairs evaluated so far. Without "
        "--data it tells what is known of an estimator out of fold, from the "
        "simulations it was trained on (bnre train --trust auto).",
    .examples =
        "  bnre simulate --task slcp --split test --count 10000 -o test.h5\n"
        "  bnre diagnose slcp.h5 --data test.h5 -o diagnose.json\n"
        "  bnre diagnose slcp.h5 --data test.h5 --check || echo do not use\n"
        "  bnre diagnose slcp.h5 --data test.h5 --temper 1,0.9,0.8,0.7\n"
        "  bnre diagnose --samples-file flow.npz --data test.h5\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .shared = {bnre_diagnose_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .most = 1,
    .run = run,
};
