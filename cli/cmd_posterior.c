/* The command `posterior`: bnre_posterior_make(), told by print_posterior.c. */
#include <stddef.h>

#include "print.h"

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

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const bnre_posterior_request request = {.estimator = work->operand[0],
                                            CLI_REQUEST(args, work)};
    bnre_posterior_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    int classified = 0;

    CLI_TRY(cli_classify(work, &args->settings, &classified));
    if (classified)
        goto done;
    status = bnre_posterior_make(&request, args->output, &outcome);
    cli_work_end(work);
    if (status != BNRE_OK && outcome.doubt[0] == 0)
        goto done;
    CLI_TRY(cli_print_posterior(&args->common, &args->settings, args->output,
                                &outcome));
    status = cli_doubt(outcome.doubt);
done:
    bnre_posterior_outcome_clear(&outcome);
    return status;
}

const struct command cli_posterior = {
    .name = "posterior",
    .title = "from an observation to a posterior: samples, regions, a picture",
    .usage = "EST.h5 --observation FILE|--each DATA [options]",
    .text = "Computes the posterior of the parameters given an observation and "
            "writes it to a directory: a summary (posterior.json), samples "
            "(samples.csv, samples.npy), samples and grid density "
            "(posterior.h5), and a corner plot with its data and script "
            "(corner.svg, .pdf, .dat, .gp). With more than 8 parameters the "
            "plot has several pages (corner-2.svg, ...), and "
            "corner-marginals.svg shows all parameters one by one.\n\n"
            "Up to 3 parameters are evaluated on a grid. More are drawn "
            "independently where the estimator can do that (npe and bnpe), "
            "else sampled with Markov chains, which are checked for "
            "convergence. The exit status is 3 if the chains did not converge, "
            "or if the weighted draws from the prior are worth too few "
            "samples. The program warns about an observation that is unlike "
            "all simulated ones.\n\n"
            "With a classifier (bnre train --classes) it prints a line of CSV "
            "for each row of the files: the log ratio and the probability of "
            "the first class, or the probability of each where there are more "
            "than two; --odds gives them prior odds.",
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
    .bar = CLI_LATE_BAR,
    .run = run,
};
