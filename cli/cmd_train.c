/* The command `train`: what people are told of bnre_train_make(). */
#include <math.h>
#include <stddef.h>

#include "cli.h"
#include "print_trust.h"

/* Options of training are followed by more of the command. */
struct args {
    struct common common;
    bnre_train_settings settings;
};

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

static void print_plan(const struct args *args, const char *path,
                       const bnre_train_outcome *outcome)
{
    const bnre_train_result *plan = &outcome->result.train;

    cli_print("would train %zu network%s into %s\n", plan->members,
              plan->members == 1 ? "" : "s", path);
    print_method(plan);
    print_counts(plan, &args->settings.train);
    cli_print("  weights       %zu in each\n", plan->weights);
    if (outcome->choice != NULL)
        cli_print_lines(stdout, outcome->choice);
    if (cli_exists(path))
        cli_print("  there already %s: %s\n", path,
                  args->common.force
                      ? "it would be replaced"
                      : "it is kept if it is the same, otherwise "
                        "--force is needed");
    cli_print("\n# the settings\n");
    cli_print_lines(stdout, outcome->plan);
}

/* What was chosen out of fold, and all simulations that it has cost. */
static void print_checked(const bnre_certificate *c)
{
    char number[CLI_NUMBER], other[CLI_NUMBER], third[CLI_NUMBER];
    const size_t certify = c->certify.given ? c->certify.rows : 0;
    const size_t calibrate = c->calibrate.given ? c->calibrate.rows : 0;

    cli_print("  chosen        widths times %g, temper %g, of %zu choices, by "
              "members of %zu folds\n",
              c->widen, c->temper, c->n, c->folds);
    cli_print("  budget        %s simulations to learn from and check with, %s "
              "more to certify or calibrate with, %s in all\n",
              cli_count(c->cross.rows, number),
              cli_count(certify + calibrate, other),
              cli_count(c->cross.rows + certify + calibrate, third));
    cli_print_certificate(c);
}

static void print_choice(const bnre_trust_result *result)
{
    const bnre_certificate *c = &result->certificate;
    char number[CLI_NUMBER], other[CLI_NUMBER], third[CLI_NUMBER];

    if (c->kind == BNRE_CERTIFICATE_CROSS) {
        print_checked(c);
        return;
    }
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

static void tell(const struct args *args, const char *path,
                 const bnre_train_outcome *outcome, double seconds)
{
    const bnre_trust_result *result = &outcome->result;

    if (args->common.dry_run) {
        print_plan(args, path, outcome);
        return;
    }
    if (!args->common.quiet && outcome->chosen && result->train.found)
        cli_print("%s (was there already)\n", path); /* bnre info tells more */
    else if (!args->common.quiet)
        print_summary(path, &args->settings.train, &result->train, seconds);
    if (!args->common.quiet && outcome->chosen)
        print_choice(result);
    if (!args->common.quiet && outcome->models.n > 0)
        cli_print_models_report(&outcome->models);
    fflush(stdout);
    print_warnings(&args->common, result->train.warnings);
    cli_note(&args->common, "next: bnre info %s", path);
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    const char *path =
        args->settings.output != NULL ? args->settings.output : "estimator.h5";
    bnre_train_request request = {.settings = &args->settings,
                                  .seed = args->common.seed,
                                  .force = args->common.force,
                                  .input = args->common.config,
                                  .dry_run = args->common.dry_run};
    bnre_train_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;
    double seconds;

    (void)n;
    (void)operand;
    CLI_TRY(bnre_pool_create(args->common.threads, &request.pool));
    monitor = cli_progress_start(&progress, "train", &args->common);
    request.monitor = &monitor;
    status = bnre_train_make(&request, path, &outcome);
    seconds = cli_progress_finish(&progress);
    if (status == BNRE_OK || status == BNRE_EDOUBT)
        tell(args, path, &outcome, seconds);
done:
    bnre_train_outcome_clear(&outcome);
    bnre_pool_destroy(request.pool);
    return status;
}

const struct command cli_train = {
    .name = "train",
    .title = "learn posteriors from a dataset",
    .usage =
        "--data FILE [options]\n       bnre train --classes A B ... [options]",
    .text = "Trains networks that know the posterior of any x. The default "
            "method bnpe learns p(theta|x) as a product of one-dimensional "
            "densities; nre and bnre learn the ratio log p(x|theta) / p(x) "
            "from a classifier of pairs (theta, x) that belong together and "
            "pairs that do not. bnpe and bnre have the penalty lambda (B - "
            "1)^2 on their balance B, which makes posteriors cautious. The "
            "file of the estimator is complete: it holds the networks, "
            "scalers, priors, settings and history. Training can be "
            "interrupted at any moment; the same command continues from there. "
            "With --trust auto each simulation is judged by networks that did "
            "not learn from it, and posteriors are made as wide as that needs; "
            "with --trust fresh the program trains with several values of "
            "lambda, evaluates them on fresh pairs, and returns the sharpest "
            "estimator that is certified to be conservative. With --classes it "
            "trains a balanced classifier of two classes of rows (CSV, npy, "
            "npz, HDF5); both classes have equal weight, whatever their sizes. "
            "More than two classes are values of a categorical parameter, "
            "learned as a conditional density that is balanced for each class "
            "against the rest; rows that are held out tell accuracy, "
            "calibration and confusion.",
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
        "  bnre train --classes measured.csv simulated.csv -o classifier.h5\n"
        "  bnre train --classes a.h5 b.h5 c.h5 -o models.h5\n",
    .shared = {bnre_train_options, bnre_train_more},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .run = run,
};
