/* print_estimator.c - what is in an estimator, and how well it learned. */
#include <math.h>
#include <string.h>

#include "print.h"

/* 2 log 2: the loss of a classifier that knows nothing. */
#define CHANCE 1.3862943611198906

/* ---- the network ---- */

/* A layer's name, and its width or channels if it has one. */
static const char *layer_text(const bnre_node *list, size_t i, char out[64])
{
    const bnre_node *layer = list->child[i], *size = NULL;
    const char *name = layer->text;

    if (layer->kind == BNRE_NODE_MAP && layer->count == 1) {
        name = layer->child[0]->key;
        size = bnre_node_find(layer->child[0], "width");
        if (size == NULL)
            size = bnre_node_find(layer->child[0], "channels");
    }
    snprintf(out, 64, "%.30s%s%.30s", name != NULL ? name : "?",
             size != NULL ? " " : "",
             size != NULL && size->text != NULL ? size->text : "");
    return out;
}

/* How many times the `period` layers from i on stand one after the other. */
static size_t repeats(const bnre_node *list, size_t i, size_t period)
{
    char a[64], b[64];
    size_t k = i + period;

    while (k < list->count &&
           strcmp(layer_text(list, k, a), layer_text(list, k - period, b)) == 0)
        k++;
    return (k - i) / period;
}

/* "conv1d 8, selu, flatten", "6 x (linear 256, selu), linear 1" */
static void print_layers(const char *label, const bnre_node *list)
{
    int column = 0;
    size_t period, times;

    for (size_t i = 0; list != NULL && i < list->count; i += period * times) {
        char part[64];

        if (column > 54) {
            cli_print(",\n");
            column = 0;
        }
        if (column == 0)
            cli_print("  %-14s", i == 0 ? label : "");
        else
            column += cli_print(", ");
        for (period = 3; period > 1 && repeats(list, i, period) < 2; period--)
            ;
        times = period > 1 ? repeats(list, i, period) : 1;
        column += 1;
        if (times > 1)
            column += cli_print("%zu x (", times);
        for (size_t k = 0; k < period; k++)
            column +=
                cli_print(k > 0 ? ", %s" : "%s", layer_text(list, i + k, part));
        if (times > 1)
            column += cli_print(")");
    }
    if (list != NULL && list->count > 0)
        cli_print("\n");
}

/* ---- the scales ---- */

static void print_scaling(const bnre_estimator *est, const char *label,
                          int of_x)
{
    const bnre_scaling scaling = bnre_estimator_scaling(est, of_x);

    if (scaling.columns == 0) {
        cli_print("  %-14s%s as it is\n", label, of_x ? "x" : "theta");
        return;
    }
    cli_print("  %-14s%s in %zu column%s", label, of_x ? "x" : "theta",
              scaling.columns, scaling.columns > 1 ? "s" : "");
    if (scaling.log > 0)
        cli_print(", %zu as logarithm", scaling.log);
    if (scaling.asinh > 0)
        cli_print(", %zu with long tails (asinh)", scaling.asinh);
    if (scaling.constant > 0)
        cli_print(", %zu CONSTANT in the data", scaling.constant);
    cli_print("\n");
}

static bnre_status print_network(const char *path,
                                 const bnre_estimator_info *info)
{
    bnre_status status = BNRE_OK;
    bnre_node *network = NULL;
    char number[CLI_NUMBER];

    CLI_TRY(bnre_yaml_parse(info->network, path, &network));
    print_layers("embedding", bnre_node_find(network, "embedding"));
    print_layers("head", bnre_node_find(network, "head"));
    cli_print("  weights       %s", cli_count(info->weights, number));
    cli_print(info->members > 1 ? " in each of %zu members\n" : "\n",
              info->members);
done:
    bnre_node_destroy(network);
    return status;
}

/* ---- the data ---- */

static void print_data(const char *label, const char *unit,
                       const bnre_estimator_data *data)
{
    char number[CLI_NUMBER];

    if (data->rows == 0)
        return;
    cli_print("  %-14s%s %s", label, cli_count(data->rows, number), unit);
    if (data->failed > 0)
        cli_print(", %s of which failed", cli_count(data->failed, number));
    if (data->fingerprint[0] != 0)
        cli_print(", of %s", data->fingerprint);
    cli_print("\n");
}

/* ---- the members ---- */

/* The value of a column in the row of an epoch; NaN if there is none. */
static double value_at(const bnre_estimator_member *member, const char *name,
                       size_t epoch)
{
    for (size_t i = 0; i < member->columns; i++)
        if (strcmp(member->name[i], name) == 0 && epoch >= 1 &&
            epoch <= member->epochs)
            return member->history[(epoch - 1) * member->columns + i];
    return NAN;
}

static void print_number(double value)
{
    if (isnan(value))
        cli_print(" %12s", "-");
    else
        cli_print(" %12.4f", value);
}

static void print_members(const bnre_estimator *est)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    const char *const column[] = {
        info->factors > 0 ? "validation_log_loss" : "validation_cross_entropy",
        "validation_balance", "validation_loss", "train_loss"};
    const size_t members = info->members;

    cli_print("\n  %-7s %20s %7s %7s %12s %12s %12s %12s\n", "member", "seed",
              "epochs", "used", info->factors > 0 ? "log loss" : "entropy",
              "balance", "loss", "training");
    for (size_t k = 0; k < members; k++) {
        const bnre_estimator_member m = bnre_estimator_describe_member(est, k);
        const size_t used = m.uses_best ? m.best : m.last;

        cli_print("  %-7zu %20llu %7zu %7zu", k + 1, (unsigned long long)m.seed,
                  m.epochs, used);
        for (size_t i = 0; i < sizeof column / sizeof *column; i++)
            print_number(value_at(&m, column[i], used));
        cli_print("\n");
    }
    cli_print(
        "  %s, balance, loss: in validation at the epoch used; chance is %.4f, "
        "balance 1\n",
        info->factors > 0 ? "log loss" : "entropy",
        info->factors > 0 ? 0 : CHANCE);
}

static void print_history(const bnre_estimator *est)
{
    const size_t members = bnre_estimator_describe(est)->members;

    for (size_t k = 0; k < members; k++) {
        const bnre_estimator_member m = bnre_estimator_describe_member(est, k);

        for (size_t i = 0; k == 0 && i < m.columns; i++)
            cli_print("%s%s", i == 0 ? "member," : ",", m.name[i]);
        if (k == 0 && m.columns > 0)
            cli_print("\n");
        for (size_t r = 0; r < m.epochs; r++) {
            cli_print("%zu", k + 1);
            for (size_t i = 0; i < m.columns; i++) {
                const double value = m.history[r * m.columns + i];

                cli_print(isnan(value) ? "," : ",%.9g", value);
            }
            cli_print("\n");
        }
    }
}

/* ---- all ---- */

/* The order of the parameters in a conditional density. */
static void print_factors(const bnre_estimator_info *info)
{
    if (info->factors == 0)
        return;
    cli_print("  density       ");
    for (size_t j = 0; j < info->factors; j++)
        cli_print("%s%s", j > 0 ? ", then " : "", info->order[j]);
    cli_print("; %zu logistics each\n", info->components);
    if (info->region < 1)
        cli_print("  region        %.3g of the prior, around one observation; "
                  "%g of the posterior may\n                lie outside by the "
                  "estimates, and nothing is known there\n",
                  info->region, info->cut);
}

/* What failed simulations were taken to mean. */
static const char *failures_of(const bnre_estimator_info *info,
                               const bnre_node *settings)
{
    const bnre_node *asked = bnre_node_find(settings, "failure");

    if (asked != NULL && asked->kind == BNRE_NODE_TEXT &&
        strcmp(asked->text, "auto") == 0)
        return "auto: invalid ones part of the model, lost ones missing";
    return strcmp(info->failure, "missing") == 0
               ? "missing: lost for reasons that have nothing to do with x"
               : "outcome: part of the model; real data were valid";
}

static bnre_status print_origin(const char *path, const bnre_estimator *est)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_status status = BNRE_OK;
    const int classes = info->kind == BNRE_ESTIMATOR_CLASSIFIER;
    const char *unit = classes ? "rows" : "simulations";
    bnre_node *task = NULL, *settings = NULL;
    char shape[CLI_NUMBER];

    CLI_TRY(bnre_yaml_parse(info->task, path, &task));
    CLI_TRY(bnre_yaml_parse(info->settings, path, &settings));
    cli_print_task_of(task, info->dim_theta, info->theta_name);
    cli_fact("x", "%s", cli_shape(info->shape, info->ndim, shape));
    CLI_TRY(print_network(path, info));
    print_factors(info);
    if (info->dim_theta > 0)
        print_scaling(est, "scaling", 0);
    print_scaling(est, info->dim_theta > 0 ? "" : "scaling", 1);
    cli_print_map("settings", settings);
    print_data("training", unit, &info->training);
    print_data("validation", unit, &info->validation);
    print_data(classes ? "report" : "scheduling", unit, &info->scheduling);
    if (info->training.failed > 0 && !classes)
        cli_fact("failures", "%s%s", failures_of(info, settings),
                 info->weighed ? "; where some are missing, the others count "
                                 "by 1 / P(result | theta)"
                               : "");
done:
    bnre_node_destroy(settings);
    bnre_node_destroy(task);
    return status;
}

static bnre_status print_findings(const bnre_estimator *est)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_status status = BNRE_OK;
    bnre_certificate certificate = bnre_certificate_none();
    char number[CLI_NUMBER];
    bnre_models_report models = {0};
    bnre_class_report report;

    if (info->kind == BNRE_ESTIMATOR_CLASSIFIER) {
        cli_print(
            "  says          log p(first class | x) - log p(second | x), for "
            "classes of equal weight;\n"
            "                bnre posterior applies it to rows\n");
        if (info->certificate != NULL) {
            CLI_TRY(bnre_classifier_report(est, &report));
            cli_print_class_report(&report);
            cli_print("\n");
        }
        goto done;
    }
    if (bnre_models_count(est) > 0) {
        cli_fact("says", "p(class | x) for any prior odds; bnre posterior "
                         "applies it to rows");
        if (bnre_models_report_of(est, &models) == BNRE_OK)
            cli_print_models_report(&models);
        goto done;
    }
    CLI_TRY(bnre_certificate_of(est, &certificate));
    cli_print_certificate(&certificate);
    if (info->scores > 0)
        cli_fact("calibrated", "with %s pairs",
                 cli_count(info->scores, number));
done:
    bnre_models_report_clear(&models);
    bnre_certificate_clear(&certificate);
    return status;
}

bnre_status cli_print_history(const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;

    if (!bnre_estimator_recognise(path))
        return bnre_fail(BNRE_EUSAGE,
                         "only estimators have a history; %s is none", path);
    CLI_TRY(bnre_estimator_open(path, &est));
    print_history(est);
done:
    bnre_estimator_close(est);
    return status;
}

bnre_status cli_print_estimator(const char *path,
                                const bnre_info_outcome *outcome)
{
    const bnre_estimator *est = outcome->estimator;
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_status status = BNRE_OK;

    cli_print("%s: estimator (%s)\n", path,
              info->factors > 0 ? "density of theta given x"
              : info->kind == BNRE_ESTIMATOR_RATIO
                  ? "log ratio of x given theta"
                  : "classifier of two classes");
    CLI_TRY(print_origin(path, est));
    if (info->members > 1)
        cli_fact("ensemble", "%s",
                 info->combine != BNRE_COMBINE_RATIO
                     ? "mean of the probabilities"
                 : info->factors > 0 ? "mixture of the members' densities"
                                     : "mean of the ratios");
    if (info->temper < 1)
        cli_fact("temper", "%g", info->temper);
    if (info->widen > 1)
        cli_fact("widen", "%g", info->widen);
    CLI_TRY(print_findings(est));
    cli_print("  made by       bnre %s\n", info->version);
    cli_fact("fingerprint", "%s, verified", outcome->fingerprint);
    print_members(est);
done:
    return status;
}
