/* cmd_info.c - the sub-command `info`: what is in a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "describe.h"

struct args {
    struct common common;
    int history;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"history", BNRE_OPT_FLAG, AT(history), NULL, NULL, NULL, 0,
     "print only the training history of an estimator, one line of CSV for "
     "each epoch"},
};

static void print_column(const char *name, int width,
                         const bnre_info_column *column)
{
    /* To a thousandth of what lies between; a constant as it is. */
    const double spread = (column->high - column->low) / 100;
    const double mean = column->sum / (double)column->n;
    char low[BNRE_READABLE], middle[BNRE_READABLE], high[BNRE_READABLE];

    if (column->n == 0) {
        cli_print("  %-*s %12s %12s %12s\n", width, name, "-", "-", "-");
        return;
    }
    if (column->high > column->low) {
        bnre_readable_real(column->low, spread, low);
        bnre_readable_real(mean, spread, middle);
        bnre_readable_real(column->high, spread, high);
    } else {
        snprintf(low, sizeof low, "%.9g", column->low);
        memcpy(middle, low, sizeof low);
        memcpy(high, low, sizeof low);
    }
    cli_print("  %-*s %12s %12s %12s\n", width, name, low, middle, high);
}

static void print_columns(const bnre_dataset_info *info,
                          const bnre_info_column *column)
{
    const int width = cli_name_width(info->dim_theta,
                                     (const char *const *)info->theta_name, 16);

    cli_print("\n  %-*s %12s %12s %12s\n", width, "column", "min", "mean",
              "max");
    for (size_t k = 0; k < info->dim_theta; k++)
        print_column(info->theta_name[k], width, &column[k]);
    print_column("x", width, &column[info->dim_theta]);
}

static bnre_status print_origin(const char *path, const bnre_dataset_info *info)
{
    bnre_node *task = NULL, *settings = NULL;
    bnre_status status = BNRE_OK;

    CLI_TRY(bnre_yaml_parse(info->task != NULL ? info->task : "", path, &task));
    CLI_TRY(bnre_yaml_parse(info->settings != NULL ? info->settings : "", path,
                            &settings));
    cli_print_task(task, info->dim_theta, info->theta_name);
    cli_print_names("nuisance", info->dim_nuisance, info->nuisance_name,
                    bnre_node_find(task, "nuisance"));
    cli_print_map("settings", settings);
    if (info->version != NULL)
        cli_print("  made by       bnre %s\n", info->version);
    if (info->task == NULL)
        cli_print("  made by       unknown: the file does not tell\n");
done:
    bnre_node_destroy(settings);
    bnre_node_destroy(task);
    return status;
}

/* What was found when all rows were read. */
static void print_fingerprint(const bnre_info_outcome *outcome,
                              bnre_status made)
{
    const char *stored =
        bnre_dataset_describe(outcome->data)->stored_fingerprint;

    if (made == BNRE_OK && stored == NULL)
        cli_print("  fingerprint   %s (computed: the file stores none)\n",
                  outcome->fingerprint);
    else if (made == BNRE_OK)
        cli_print("  fingerprint   %s, verified\n", outcome->fingerprint);
    else if (stored != NULL && made == BNRE_EFORMAT)
        cli_print("  fingerprint   %s, DOES NOT MATCH the contents\n", stored);
}

/* Also of one that turned out to be damaged. */
static bnre_status print_dataset(const char *path,
                                 const bnre_info_outcome *outcome,
                                 bnre_status made)
{
    const bnre_dataset_info *info = bnre_dataset_describe(outcome->data);
    bnre_status status = BNRE_OK;
    char number[CLI_NUMBER], shape[CLI_NUMBER];

    cli_print("%s: dataset (%s)\n", path, info->format);
    cli_print("  rows          %s\n", cli_count(info->rows, number));
    if (outcome->unfinished)
        cli_print(
            "  unfinished    more rows are in %s.part; run the same `bnre "
            "simulate` again to add them\n",
            path);
    if (info->failed > 0)
        CLI_TRY(cli_print_failures(outcome->data, info->failed, info->rows));
    cli_print("  x             %s%s\n",
              cli_shape(info->shape, info->ndim, shape),
              info->x_double ? ", in double precision" : "");
    CLI_TRY(print_origin(path, info));
    print_fingerprint(outcome, made);
    if (outcome->column != NULL)
        print_columns(info, outcome->column);
done:
    return status;
}

static void print_settings(const char *path, const bnre_info_outcome *outcome)
{
    if (outcome->kind == BNRE_INFO_OUTLINE) {
        cli_print("%s: parameters and priors, without a simulator (YAML)\n\n",
                  path);
        cli_print_lines(stdout, outcome->outline);
        return;
    }
    cli_print("%s: %s\n\n%s\n", path,
              outcome->kind == BNRE_INFO_STUDY ? "settings with a task (YAML)"
                                               : "task (YAML)",
              bnre_task_known(outcome->task)
                  ? "# the task, with all defaults"
                  : "# the task; what is left out here, its plugin tells, "
                    "which is not loaded");
    cli_print_lines(stdout, bnre_task_text(outcome->task));
}

static void print_posterior(const char *path, const bnre_node *map)
{
    const bnre_node *names = bnre_node_find(map, "parameters");
    const bnre_node *grid = bnre_node_find(map, "grid");
    const bnre_node *made = bnre_node_find(map, "made");
    const bnre_node *version = bnre_node_find(map, "version");
    char number[CLI_NUMBER];

    cli_print("%s: posterior (HDF5)\n", path);
    cli_print("  samples       %s\n",
              cli_count((size_t)strtoull(bnre_node_find(map, "samples")->text,
                                         NULL, 10),
                        number));
    cli_print("  parameters    ");
    for (size_t i = 0; i < names->count; i++)
        cli_print("%s%s", i > 0 ? ", " : "", names->child[i]->text);
    cli_print("\n");
    if (grid != NULL)
        cli_print("  density       on a grid of %s\n", grid->text);
    if (made != NULL) {
        cli_print_map("made from", made);
        cli_print_map("settings", bnre_node_find(made, "settings"));
    }
    if (version != NULL)
        cli_print("  made by       bnre %s\n", version->text);
}

static bnre_status print(const char *path, const bnre_info_outcome *outcome,
                         bnre_status made)
{
    switch (outcome->kind) {
    case BNRE_INFO_DATASET:
        return print_dataset(path, outcome, made);
    case BNRE_INFO_ESTIMATOR:
        return cli_print_estimator(path, outcome);
    case BNRE_INFO_POSTERIOR:
        print_posterior(path, outcome->posterior);
        return BNRE_OK;
    default:
        print_settings(path, outcome);
        return BNRE_OK;
    }
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    const char *path = operand[0];
    bnre_info_outcome outcome = {0};
    bnre_status status = BNRE_OK, made;
    char message[1024];

    (void)n;
    if (args->history)
        return cli_print_history(path);
    made = bnre_info_make(path, &outcome);
    snprintf(message, sizeof message, "%s", bnre_error_message());
    if (made == BNRE_OK || outcome.data != NULL)
        CLI_TRY(print(path, &outcome, made));
    if (made != BNRE_OK)
        status = bnre_fail(made, "%s", message);
done:
    bnre_info_outcome_clear(&outcome);
    return status;
}

const struct command cli_info = {
    .name = "info",
    .title = "what a file is, how it was made, and whether it is intact",
    .usage = "FILE [options]",
    .text = "Shows what a file is and how it was made. For a dataset: rows, "
            "shapes, parameters with their priors, failures, and whether the "
            "contents still match the stored fingerprint (exit status 1 if "
            "not). For an estimator: the task, the networks, how they were "
            "trained and how well. For a posterior: what it was made from. For "
            "a YAML file: the task with all defaults. Nothing that the file "
            "names is loaded or started.",
    .examples = "  bnre info train.h5\n"
                "  bnre info estimator.h5\n"
                "  bnre info estimator.h5 --history > history.csv\n"
                "  bnre info theta.npy,x.npy\n"
                "  bnre info task.yaml\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
