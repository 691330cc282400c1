/* print_file.c - what is in a file: dataset, posterior, task; and what all
   files tell of their task. */
#include <stdlib.h>
#include <string.h>

#include "print.h"

/* ---- settings and tasks ---- */

static void print_names(const char *label, size_t n, const char *const *name,
                        const bnre_node *priors)
{
    const int width = cli_name_width(n, name, 15);

    for (size_t i = 0; i < n; i++) {
        const bnre_node *prior = bnre_node_find(priors, name[i]);

        cli_print("  %-14s%-*s %s\n", i == 0 ? label : "", width, name[i],
                  prior != NULL && prior->text != NULL ? prior->text : "");
    }
}

void cli_print_map(const char *label, const bnre_node *map)
{
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        const bnre_node *child = map->child[i];

        if (child->kind == BNRE_NODE_MAP)
            continue;
        cli_print("  %-14s%-15s ", i == 0 ? label : "", child->key);
        if (child->kind == BNRE_NODE_TEXT)
            cli_print("%s", child->text);
        for (size_t k = 0; k < child->count; k++)
            if (child->child[k]->kind == BNRE_NODE_TEXT)
                cli_print(k > 0 ? " %s" : "%s", child->child[k]->text);
        cli_print("\n");
    }
}

static void print_list(const char *label, const bnre_node *list)
{
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (list->child[i]->kind == BNRE_NODE_TEXT)
            cli_print("  %-14s%s\n", i == 0 ? label : "", list->child[i]->text);
}

void cli_print_task_of(const bnre_node *task, size_t n, const char *const *name)
{
    const bnre_node *title = bnre_node_find(task, "name");

    if (title != NULL && title->kind == BNRE_NODE_TEXT)
        cli_fact("task", "%s", title->text);
    cli_print_map("simulator", bnre_node_find(task, "simulator"));
    cli_print_map("options", bnre_node_find(task, "options"));
    print_names("parameters", n, name, bnre_node_find(task, "parameters"));
    print_list("constraint", bnre_node_find(task, "constraint"));
    cli_print_map("prior samples", bnre_node_find(task, "prior_samples"));
    cli_print_map("transform", bnre_node_find(task, "transform"));
}

/* ---- a dataset ---- */

static bnre_status print_place(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_failures_words(data, &words));
    cli_print("                %s\n", words);
done:
    bnre_free(words);
    return status;
}

bnre_status cli_print_failures(bnre_dataset *data, size_t failed, size_t rows)
{
    enum { SHOWN = 5 };
    bnre_failure list[SHOWN];
    char number[CLI_NUMBER];
    bnre_status status;
    size_t n = 0, told = 0;

    status = bnre_dataset_failures(data, SHOWN, list, &n);
    if (status != BNRE_OK)
        return status;
    cli_fact("failed", "%s (%.3g %% of the rows)", cli_count(failed, number),
             100.0 * (double)failed / (double)(rows > 0 ? rows : 1));
    for (size_t i = 0; i < n; i++) {
        cli_print("                %s x %s: %s\n",
                  cli_count(list[i].count, number),
                  list[i].status == BNRE_DRAW_LOST ? "lost" : "invalid",
                  list[i].reason[0] != 0 ? list[i].reason : "no reason given");
        told += list[i].count;
    }
    if (n > 0 && told < failed)
        cli_print("                %s x for other reasons\n",
                  cli_count(failed - told, number));
    return failed > 0 && rows >= 100 ? print_place(data) : BNRE_OK;
}

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
    cli_print_task_of(task, info->dim_theta, info->theta_name);
    print_names("nuisance", info->dim_nuisance, info->nuisance_name,
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
        cli_fact("fingerprint", "%s (computed: the file stores none)",
                 outcome->fingerprint);
    else if (made == BNRE_OK)
        cli_fact("fingerprint", "%s, verified", outcome->fingerprint);
    else if (stored != NULL && made == BNRE_EFORMAT)
        cli_fact("fingerprint", "%s, DOES NOT MATCH the contents", stored);
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
    cli_fact("rows", "%s", cli_count(info->rows, number));
    if (outcome->unfinished)
        cli_fact("unfinished",
                 "more rows are in %s.part; run the same `bnre simulate` again "
                 "to add them",
                 path);
    if (info->failed > 0)
        CLI_TRY(cli_print_failures(outcome->data, info->failed, info->rows));
    cli_fact("x", "%s%s", cli_shape(info->shape, info->ndim, shape),
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
    cli_fact("samples", "%s",
             cli_count((size_t)strtoull(bnre_node_find(map, "samples")->text,
                                        NULL, 10),
                       number));
    cli_print("  parameters    ");
    for (size_t i = 0; i < names->count; i++)
        cli_print("%s%s", i > 0 ? ", " : "", names->child[i]->text);
    cli_print("\n");
    if (grid != NULL)
        cli_fact("density", "on a grid of %s", grid->text);
    if (made != NULL) {
        cli_print_map("made from", made);
        cli_print_map("settings", bnre_node_find(made, "settings"));
    }
    if (version != NULL)
        cli_print("  made by       bnre %s\n", version->text);
}

bnre_status cli_print_file(const char *path, const bnre_info_outcome *outcome,
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
