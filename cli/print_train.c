/* print_train.c - what came of a training, or would come of it. */
#include <math.h>

#include "print.h"

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
        cli_fact("failed", "%s more rows", cli_count(result->failed, number));
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
        cli_fact("failed", "%s more: %s outcomes of the model, %s missing",
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
        cli_fact("epochs", "%zu of %zu, the best was %zu%s", result->last_epoch,
                 result->most_epochs, result->best_epoch, why(result));
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
    cli_fact("loss", "%.4f in validation, %.4f in training; chance is %.4f",
             result->loss, result->train_loss, result->chance);
    if (result->classes)
        cli_print_class_report(&result->report);
    else
        cli_fact("balance", "%.4f (1 is balanced)", result->balance);
    if (!isnan(result->information))
        cli_fact("information", "%.3f +- %.3f nats about the parameters",
                 result->information, result->information_error);
    if (!result->found)
        cli_fact("time", "%s", cli_duration(seconds, number));
}

static void print_warnings(const struct common *common, unsigned warnings)
{
    for (unsigned bit = 1; bit <= warnings; bit <<= 1)
        if (warnings & bit && bnre_train_warning(bit) != NULL)
            cli_note(common, "warning: %s", bnre_train_warning(bit));
}

static void print_plan(const struct common *common,
                       const bnre_train_settings *settings, const char *path,
                       const bnre_train_outcome *outcome)
{
    const bnre_train_result *plan = &outcome->result.train;

    cli_print("would train %zu network%s into %s\n", plan->members,
              plan->members == 1 ? "" : "s", path);
    print_method(plan);
    print_counts(plan, &settings->train);
    cli_fact("weights", "%zu in each", plan->weights);
    if (outcome->choice != NULL)
        cli_print_lines(stdout, outcome->choice);
    if (cli_exists(path))
        cli_print("  there already %s: %s\n", path,
                  common->force ? "it would be replaced"
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

    cli_fact(
        "chosen",
        "widths times %g, temper %g, of %zu choices, by members of %zu folds",
        c->widen, c->temper, c->n, c->folds);
    cli_fact("budget",
             "%s simulations to learn from and check with, %s more to certify "
             "or calibrate with, %s in all",
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
        cli_fact("chosen", "lambda %g, temper %g, of %zu choices", c->lambda,
                 c->temper, c->n);
        cli_fact("cost", "no more than about %.1f plain trainings", c->effort);
    }
    cli_fact("pairs", "%s to select, %s to certify, %s to calibrate with",
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

void cli_print_training(const struct common *common,
                        const bnre_train_settings *settings, const char *path,
                        const bnre_train_outcome *outcome, double seconds)
{
    const bnre_trust_result *result = &outcome->result;

    if (common->dry_run) {
        print_plan(common, settings, path, outcome);
        return;
    }
    if (!common->quiet && outcome->chosen && result->train.found)
        cli_print("%s (was there already)\n", path); /* bnre info tells more */
    else if (!common->quiet)
        print_summary(path, &settings->train, &result->train, seconds);
    if (!common->quiet && outcome->chosen)
        print_choice(result);
    if (!common->quiet && outcome->models.n > 0)
        cli_print_models_report(&outcome->models);
    fflush(stdout);
    print_warnings(common, result->train.warnings);
    cli_note(common, "next: bnre info %s", path);
}
