#include <math.h>
#include <string.h>

#include "cli.h"
#include "print_trust.h"

struct args {
    struct common common;
    bnre_train_opts train;
    bnre_trust_opts trust;
    char *history, *output, *select, *certify, *calibrate, *format;
    int check;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"trust", BNRE_OPT_CHOICE, AT(trust.trust), "no", "no|auto", "WORD",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "auto: choose lambda and temper so that the estimator is the sharpest one "
     "certified to be conservative on fresh pairs"},
    {"temper", BNRE_OPT_REAL, AT(trust.temper), NULL, "(0, 1]|auto", "T|auto",
     BNRE_OPT_RESULT,
     "widen posteriors towards the prior: p(theta) exp(T log r); auto: as far "
     "as certification needs (default 1)"},
    {"widen", BNRE_OPT_REAL, AT(trust.widen), NULL, "[1, 100]", "C",
     BNRE_OPT_RESULT,
     "multiply the widths of the densities by C, for npe and bnpe (default "
     "1)"},
    {"select", BNRE_OPT_TEXT, AT(select), NULL, NULL, "N|FILE", BNRE_OPT_RESULT,
     "pairs for choosing: a number of pairs, which are simulated beside the "
     "output, or a dataset (default 2000)"},
    {"certify", BNRE_OPT_TEXT, AT(certify), NULL, NULL, "N|FILE",
     BNRE_OPT_RESULT,
     "pairs for certifying the choice: a number or a dataset (default 10000)"},
    {"effort", BNRE_OPT_REAL, AT(trust.effort), "2.5", "[1, inf)", "X",
     BNRE_OPT_RESULT,
     "budget of the automatic choice, in units of one plain training; pairs "
     "and lambdas beyond it are skipped"},
    {"calibrate", BNRE_OPT_TEXT, AT(calibrate), NULL, NULL, "N|FILE",
     BNRE_OPT_RESULT,
     "pairs for calibrating conformal regions: a number or a dataset (default: "
     "1000 if something is chosen, else 0)"},
    {"delta", BNRE_OPT_REAL, AT(trust.delta), "0.05", "(0, 1)", "X",
     BNRE_OPT_RESULT, "the certificate has confidence 1 - X"},
    {"eps", BNRE_OPT_REAL, AT(trust.eps), "0.02", "[0, 1)", "X",
     BNRE_OPT_RESULT,
     "tolerance of the certificate: coverage may be below its level by this "
     "much"},
    {"points", BNRE_OPT_SIZE, AT(trust.points), "0", "[0, 1e6]", "N",
     BNRE_OPT_RESULT,
     "largest number of evaluation points for the posterior of each pair "
     "(default: about 13, 26, 64 or 512 for 1, 2, 3 or more parameters)"},
    {"check", BNRE_OPT_FLAG, AT(check), NULL, NULL, NULL, 0,
     "exit with status 3 if the result is NOT CERTIFIED"},
    {"keep", BNRE_OPT_FLAG, AT(trust.keep), NULL, NULL, NULL, 0,
     "keep the estimators that were not chosen, as OUTPUT.lambda-L.h5"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png", 0,
     "file formats of the figure that compares the candidates"},
    {"history", BNRE_OPT_TEXT, AT(history), NULL, NULL, "FILE.csv", 0,
     "CSV file for the losses and learning rates of all epochs (default: "
     "beside the output)"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE.h5", BNRE_OPT_USUAL,
     "file for the estimator (default estimator.h5)"},
};

/* Seconds of work that a crash may cost. */
#define SAVE_EVERY 30

static const char *why(const bnre_train_result *result)
{
    switch (result->stop) {
    case BNRE_STOP_PATIENCE:
        return ": no better one came";
    case BNRE_STOP_FLOOR:
        return ": the learning rate became so small that nothing would change "
               "any more";
    case BNRE_STOP_TIME:
        return ": the time was over";
    default:
        return "";
    }
}

static void print_classes(const bnre_train_result *result,
                          const bnre_opt_list *classes)
{
    char number[CLI_NUMBER], other[CLI_NUMBER], third[CLI_NUMBER];

    for (size_t c = 0; c < 2; c++)
        cli_print("  %-14s%s: %s rows to learn from, %s for validation, %s "
                  "for the report\n",
                  c == 0 ? "first class" : "second class", classes->text[c],
                  cli_count(result->class_rows[c], number),
                  cli_count(result->class_validation[c], other),
                  cli_count(result->report.rows[c], third));
    if (result->failed > 0)
        cli_print("  failed        %s more rows\n",
                  cli_count(result->failed, number));
}

static void print_counts(const bnre_train_result *result,
                         const bnre_train_opts *train)
{
    char number[CLI_NUMBER], other[CLI_NUMBER], third[CLI_NUMBER];

    if (result->classes) {
        print_classes(result, &train->classes);
        return;
    }

    cli_print("  simulations   %s to learn from, %s for validation",
              cli_count(result->simulations, number),
              cli_count(result->validation, other));
    if (result->scheduling > 0)
        cli_print(", %s for the learning rate",
                  cli_count(result->scheduling, number));
    cli_print("\n");
    if (result->failed > 0)
        cli_print(
            "  failed        %s more: %s outcomes of the model, %s missing\n",
            cli_count(result->failed, number),
            cli_count(result->outcome, other),
            cli_count(result->failed - result->outcome, third));
}

static void print_epochs(const bnre_train_result *result)
{
    char number[CLI_NUMBER];

    if (result->members > 1)
        cli_print("  members       %zu\n  epochs        %s in all\n",
                  result->members, cli_count(result->epochs, number));
    else
        cli_print("  epochs        %zu of %zu, the best was %zu%s\n",
                  result->last_epoch, result->most_epochs, result->best_epoch,
                  why(result));
}

static void print_method(const bnre_train_result *result)
{
    cli_print("  method        %s", bnre_method_name(result->method));
    if (bnre_method_is_balanced(result->method))
        cli_print(", lambda %g", result->lambda);
    cli_print("\n");
}

static void print_summary(const char *path, const bnre_train_opts *train,
                          const bnre_train_result *result, double seconds)
{
    char number[CLI_NUMBER];

    cli_print("%s%s\n", path, result->found ? " (was there already)" : "");
    print_method(result);
    print_counts(result, train);
    print_epochs(result);
    cli_print("  loss          %.4f in validation, %.4f in training; chance is "
              "%.4f\n",
              result->loss, result->train_loss, result->chance);
    if (result->classes)
        cli_print_class_report(&result->report);
    else
        cli_print("  balance       %.4f (1 is balanced)\n", result->balance);
    if (!isnan(result->information))
        cli_print("  information   %.3f +- %.3f nats about the parameters\n",
                  result->information, result->information_error);
    if (!result->found)
        cli_print("  time          %s\n", cli_duration(seconds, number));
}

static void print_warnings(const struct common *common, unsigned warnings)
{
    for (unsigned bit = 1; bit <= warnings; bit <<= 1)
        if (warnings & bit && bnre_train_warning(bit) != NULL)
            cli_note(common, "warning: %s", bnre_train_warning(bit));
}

static bnre_status print_plan(const struct args *args,
                              const bnre_train_opts *train,
                              const bnre_trust_opts *trust, const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_train_opts plain = *train;
    bnre_train_result plan;
    struct progress progress;
    bnre_monitor monitor =
        cli_progress_start(&progress, "train", &args->common);
    char *text = NULL, *more = NULL;

    if (isnan(plain.lambda))
        plain.lambda = 0;
    plain.monitor = &monitor;
    CLI_TRY(bnre_train_plan(&plain, &plan, &text));
    if (bnre_trust_wanted(train, trust))
        CLI_TRY(bnre_trust_plan(train, trust, &more));
    cli_print("would train %zu network%s into %s\n", plan.members,
              plan.members == 1 ? "" : "s", path);
    print_method(&plan);
    print_counts(&plan, train);
    cli_print("  weights       %zu in each\n", plan.weights);
    if (more != NULL)
        cli_print_lines(stdout, more);
    if (cli_exists(path))
        cli_print("  there already %s: %s\n", path,
                  args->common.force
                      ? "it would be replaced"
                      : "it is kept if it is the same, otherwise "
                        "--force is needed");
    cli_print("\n# the settings\n");
    cli_print_lines(stdout, text);
done:
    bnre_free(more);
    bnre_free(text);
    return status;
}

static void print_choice(const bnre_trust_result *result)
{
    const bnre_certificate *c = &result->certificate;
    char number[CLI_NUMBER], other[CLI_NUMBER], third[CLI_NUMBER];

    if (c->n > 0) {
        cli_print("  chosen        lambda %g, temper %g, of %zu choices\n",
                  c->lambda, c->temper, c->n);
        cli_print("  cost          no more than about %.1f plain trainings\n",
                  c->effort);
    }
    cli_print("  pairs         %s to select, %s to certify, %s to calibrate "
              "with\n",
              cli_count(result->selecting, number),
              cli_count(result->certifying, other),
              cli_count(result->calibrating, third));
    if (result->left_out > 0)
        cli_print(
            "  left out      %s pairs, for their cost: --effort takes more\n",
            cli_count(result->left_out, number));
    if (c->words != NULL)
        cli_print_certificate(c);
}

/* The picture beside the estimator; of one that was there already too, since
   the run that made it may have been killed before it drew. */
static bnre_status draw_choice(const struct args *args, const char *path,
                               const bnre_trust_result *result)
{
    char stem[CLI_PATH];
    int drawn;

    if (result->certificate.n < 2)
        return BNRE_OK;
    snprintf(stem, sizeof stem, "%.*s-trust", (int)(strlen(path) - 3), path);
    return bnre_trust_draw(&result->certificate, stem, args->format, &drawn);
}

/* `trust` is NULL where nothing is to be chosen. */
static bnre_status train(const struct args *args, bnre_train_opts settings,
                         const bnre_trust_opts *trust, const char *path)
{
    bnre_trust_result result = {0};
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;
    bnre_pool *pool = NULL;
    double seconds;

    CLI_TRY(cli_make_parents(path));
    CLI_TRY(bnre_pool_create(args->common.threads, &pool));
    monitor = cli_progress_start(&progress, "train", &args->common);
    settings.pool = pool;
    settings.monitor = &monitor;
    status = trust != NULL ? bnre_trust_train(&settings, trust, path, &result)
                           : bnre_train(&settings, path, &result.train);
    seconds = cli_progress_finish(&progress);
    CLI_TRY(status);
    if (trust != NULL)
        CLI_TRY(draw_choice(args, path, &result));
    if (!args->common.quiet && trust != NULL && result.train.found)
        cli_print("%s (was there already)\n", path); /* bnre info tells more */
    else if (!args->common.quiet)
        print_summary(path, &settings, &result.train, seconds);
    if (!args->common.quiet && trust != NULL)
        print_choice(&result);
    fflush(stdout);
    print_warnings(&args->common, result.train.warnings);
    cli_note(&args->common, "next: bnre info %s", path);
    if (args->check && !result.certificate.certified)
        status = bnre_fail(BNRE_EDOUBT, "the check failed: NOT CERTIFIED%s",
                           result.certificate.blind ? " (blind)" : "");
done:
    bnre_trust_result_clear(&result);
    bnre_pool_destroy(pool);
    return status;
}

/* Options that would be ignored: they are for a choice, and nothing is to be
   chosen. */
static bnre_status refuse_idle(const bnre_train_opts *train,
                               const bnre_trust_opts *trust, int check)
{
    const bnre_trust_opts usual = bnre_trust_opts_default();
    const char *flag = trust->select != NULL           ? "--select"
                       : trust->certify != NULL        ? "--certify"
                       : trust->delta != usual.delta   ? "--delta"
                       : trust->eps != usual.eps       ? "--eps"
                       : trust->points > 0             ? "--points"
                       : trust->effort != usual.effort ? "--effort"
                       : check                         ? "--check"
                                                       : NULL;

    if (flag == NULL || bnre_trust_chooses(train, trust))
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s has an effect only with --trust auto, --lambda auto "
                     "or --temper auto",
                     flag);
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    const char *path = args->output != NULL ? args->output : "estimator.h5";
    bnre_train_opts settings = args->train;
    bnre_trust_opts trust = args->trust;
    bnre_status status = BNRE_OK;

    (void)n;
    (void)operand;
    settings.seed = args->common.seed;
    settings.force = args->common.force;
    settings.history = args->history;
    settings.save_every = SAVE_EVERY;
    trust.select = args->select;
    trust.certify = args->certify;
    trust.calibrate = args->calibrate;
    CLI_TRY(refuse_idle(&settings, &trust, args->check));
    if (args->common.dry_run)
        return print_plan(args, &settings, &trust, path);
    status = train(args, settings,
                   bnre_trust_wanted(&settings, &trust) ? &trust : NULL, path);
done:
    return status;
}

const struct command cli_train = {
    .name = "train",
    .title = "learn posteriors from a dataset",
    .usage = "--data FILE [options]\n       bnre train --classes A B [options]",
    .text = "Trains networks that know the posterior of any x. The default "
            "method bnpe learns p(theta|x) as a product of one-dimensional "
            "densities; nre and bnre learn the ratio log p(x|theta) / p(x) "
            "from a classifier of pairs (theta, x) that belong together and "
            "pairs that do not. bnpe and bnre have the penalty lambda (B - "
            "1)^2 on their balance B, which makes posteriors cautious. The "
            "file of the estimator is complete: it holds the networks, "
            "scalers, priors, settings and history. Training can be "
            "interrupted at any moment; the same command continues from there. "
            "With --trust auto the program trains with several values of "
            "lambda, evaluates them on fresh pairs, and returns the sharpest "
            "estimator that is certified to be conservative. With --classes it "
            "trains a balanced classifier of two classes of rows (CSV, npy, "
            "npz, HDF5); both classes have equal weight, whatever their sizes.",
    .examples =
        "  bnre train --data slcp.h5 -o slcp-est.h5\n"
        "  bnre train --data slcp.h5 --method nre --members 5 -o nre.h5\n"
        "  bnre train --data slcp.h5 --trust auto -o slcp-est.h5\n"
        "  bnre train --data slcp.h5 --method nre --temper auto "
        "--calibrate 2000\n"
        "  bnre train --data series.h5 --network cnn1d\n"
        "  bnre train --data slcp.h5 --network net.yaml --epochs 50\n"
        "  bnre train --data slcp.h5 --recipe paper --simulations 1024 \\\n"
        "      --validation slcp-validate.h5 --schedule slcp-schedule.h5\n"
        "  bnre train --classes measured.csv simulated.csv -o classifier.h5\n",
    .shared = bnre_train_options,
    .shared_at = offsetof(struct args, train),
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .run = run,
};
