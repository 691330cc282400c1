/* The command `posterior`: what people are told of bnre_posterior_make(). */
#include <stddef.h>

#include "cli.h"
#include "print_posterior.h"
#include "print_trust.h"

struct args {
    struct common common;
    bnre_posterior_settings settings;
    char *output;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"output", BNRE_OPT_TEXT, AT(output), "posterior", NULL, "DIR",
     BNRE_OPT_USUAL, "directory for the results"},
};

/* What is drawn, and where. */
static bnre_status print_pictures(const bnre_posterior_outcome *outcome)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_posterior_pictures(&outcome->files, outcome->density.prior,
                                    &words));
    cli_print("  pictures      ");
    cli_print_wrapped(stdout, words, 16, 16);
done:
    bnre_free(words);
    return status;
}

static bnre_status print_plan(const struct args *args,
                              const bnre_posterior_outcome *outcome)
{
    const bnre_estimator_info *info =
        bnre_estimator_describe(outcome->estimator);
    char shape[CLI_NUMBER], number[CLI_NUMBER];

    cli_print("would make the posterior of %s observation%s of shape %s\n",
              cli_count(outcome->observations, number),
              outcome->observations == 1 ? "" : "s",
              cli_shape(info->shape, info->ndim, shape));
    cli_print("  %s samples and pictures in %s\n",
              cli_count(outcome->files.samples, number), args->output);
    return print_pictures(outcome);
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Posteriors of many rows: how many of what. */
static void print_rows(const struct args *args,
                       const bnre_posterior_outcome *outcome)
{
    const bnre_posterior_rows *each = &outcome->each;
    char number[CLI_NUMBER], other[CLI_NUMBER];

    if (args->common.dry_run) {
        cli_print("would make the posteriors of %s row%s of %s in %s\n",
                  cli_count(each->rows, number), plural(each->rows),
                  args->settings.each, args->output);
        return;
    }
    cli_print("posteriors of %s row%s of %s\n", cli_count(each->rows, number),
              plural(each->rows), args->settings.each);
    if (each->kept > 0)
        cli_print("  kept          %s from before an interruption\n",
                  cli_count(each->kept, number));
    cli_print("  unlike        %s with values outside the range of training, "
              "%s unlike calibration pairs\n",
              cli_count(each->outside, number), cli_count(each->unlike, other));
    cli_print("  doubtful      %s\n", cli_count(each->doubtful, number));
}

/* Which prior it stands on, and of how many experiments. */
static void print_joint(const bnre_posterior_outcome *outcome)
{
    double outside = 0;

    if (outcome->joint == NULL)
        return;
    for (size_t k = 0; k <= outcome->others; k++) {
        const double one = bnre_joint_change(outcome->joint, k)->outside;

        outside = one > outside ? one : outside;
    }
    if (outcome->others > 0)
        cli_print("  experiments   %zu, of %zu parameters together\n",
                  1 + outcome->others, bnre_prior_dim(outcome->prior));
    if (outcome->guarantee.other_prior)
        cli_print("  prior         another than that of training; %.2g of it "
                  "lies outside of that\n",
                  outside);
}

static bnre_status print_outcome(const struct args *args,
                                 const bnre_posterior_outcome *outcome)
{
    bnre_status status = BNRE_OK;

    CLI_TRY(cli_print_posterior(outcome->posterior, outcome->session,
                                outcome->levels, outcome->level, outcome->truth,
                                args->settings.show));
    print_joint(outcome);
    if (outcome->conformals > 0)
        CLI_TRY(cli_print_conformal(
            outcome->conformals, outcome->conformal,
            args->settings.local ? outcome->local : NULL, &outcome->guarantee));
    CLI_TRY(cli_print_guarantee(&outcome->guarantee));
    CLI_TRY(print_pictures(outcome));
done:
    return status;
}

static bnre_status tell(const struct args *args,
                        const bnre_posterior_outcome *outcome)
{
    bnre_status status = BNRE_OK;

    if (args->common.dry_run && outcome->each.rows > 0) {
        print_rows(args, outcome);
        return BNRE_OK;
    }
    if (args->common.dry_run)
        return print_plan(args, outcome);
    if (outcome->found) {
        if (!args->common.quiet)
            cli_print("%s (was there already)\n", args->output);
        fflush(stdout);
        return BNRE_OK;
    }
    if (outcome->each.rows > 0) {
        if (!args->common.quiet)
            print_rows(args, outcome);
        CLI_TRY(args->common.quiet ? BNRE_OK
                                   : cli_print_guarantee(&outcome->guarantee));
        fflush(stdout);
        cli_note(&args->common,
                 "files are in %s: each.json, summaries.csv, samples.npy",
                 args->output);
        return BNRE_OK;
    }
    if (!outcome->drawn)
        cli_note(&args->common,
                 "gnuplot was not found: the picture is there as script and "
                 "data, %s/corner.gp",
                 args->output);
    if (!args->common.quiet)
        CLI_TRY(print_outcome(args, outcome));
    fflush(stdout);
    cli_note(&args->common,
             "files are in %s: posterior.json, samples.csv, "
             "corner.svg, ...",
             args->output);
done:
    return status;
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    struct watch watch;
    const bnre_monitor monitor =
        cli_watch_start(&watch, "posterior", &args->common);
    bnre_posterior_request request = {.estimator = operand[0],
                                      .settings = &args->settings,
                                      .seed = args->common.seed,
                                      .input = args->common.config,
                                      .force = args->common.force,
                                      .dry_run = args->common.dry_run,
                                      .monitor = &monitor};
    bnre_posterior_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    bnre_pool *pool = NULL;
    int classified = 0;

    (void)n;
    CLI_TRY(
        cli_classify(operand[0], &args->settings, &args->common, &classified));
    if (classified)
        goto done;
    CLI_TRY(bnre_pool_create(args->common.threads, &pool));
    request.pool = pool;
    status = bnre_posterior_make(&request, args->output, &outcome);
    cli_watch_finish(&watch);
    if (status != BNRE_OK && outcome.doubt[0] == 0)
        goto done;
    CLI_TRY(tell(args, &outcome));
    if (outcome.doubt[0] != 0)
        status = bnre_fail(BNRE_EDOUBT, "%s", outcome.doubt);
done:
    bnre_posterior_outcome_clear(&outcome);
    bnre_pool_destroy(pool);
    return status;
}

const struct command cli_posterior = {
    .name = "posterior",
    .title = "from an observation to a posterior: samples, regions, a picture",
    .usage = "EST.h5 --observation FILE|--each DATA [options]",
    .text =
        "Computes the posterior of the parameters given an observation and "
        "writes it to a directory: a summary (posterior.json), samples "
        "(samples.csv, samples.npy), samples and grid density "
        "(posterior.h5), and a corner plot with its data and script "
        "(corner.svg, .pdf, .dat, .gp). With more than 8 parameters the "
        "plot has several pages (corner-2.svg, ...), and "
        "corner-marginals.svg shows all parameters one by one. Up to 3 "
        "parameters are evaluated on a grid; more are sampled with Markov "
        "chains, which are checked for convergence. The exit status is 3 "
        "if the chains did not converge, or if the weighted draws from the "
        "prior are worth too few samples. The program warns about an "
        "observation that is unlike all simulated ones. With a classifier "
        "(bnre train --classes) it prints a line of CSV for each row of "
        "the files: the log ratio and the probability of the first class, or "
        "the probability of each where there are more than two; --odds "
        "gives them prior odds.",
    .examples =
        "  bnre posterior slcp-bnre.h5 --observation obs.npy\n"
        "  bnre posterior slcp-bnre.h5 --observation test.h5:12 -o row12\n"
        "  bnre posterior est.h5 --observation a.npy --observation b.npy\n"
        "  bnre posterior est.h5 --observation obs.csv --show mass,spin\n"
        "  bnre posterior est.h5 --each catalogue.csv -o catalogue\n"
        "  bnre posterior est.h5 --observation obs.csv --prior prior.yaml\n"
        "  bnre posterior a.h5 --observation a.csv --also b.h5 b.csv\n"
        "  bnre posterior est.h5 --observation obs.csv --levels 0.5,0.95 "
        "--temper 0.8\n"
        "  bnre posterior classifier.h5 --observation rows.csv > classes.csv\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .shared = {bnre_posterior_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
