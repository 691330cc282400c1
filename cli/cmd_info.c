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

struct column {
    double low, high, sum;
    size_t n;
};

static void column_add(struct column *column, double value)
{
    if (column->n == 0 || value < column->low)
        column->low = value;
    if (column->n == 0 || value > column->high)
        column->high = value;
    column->sum += value;
    column->n++;
}

static void column_print(const char *name, int width,
                         const struct column *column)
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

/* Room for one block of rows, whatever the size of the file. */
struct block {
    size_t rows;
    double *theta;
    double *x;
    uint8_t *status;
    struct column *column; /* (dim_theta + 1), the last of all x */
};

static bnre_status block_init(struct block *block,
                              const bnre_dataset_info *info)
{
    const size_t wide = info->dim_theta + info->x_size + 1;

    block->rows = 1 + (1 << 20) / wide;
    if (block->rows > info->rows && info->rows > 0)
        block->rows = info->rows;
    block->theta =
        calloc(block->rows * info->dim_theta + 1, sizeof *block->theta);
    block->x = calloc(block->rows * info->x_size + 1, sizeof *block->x);
    block->status = calloc(block->rows, 1);
    block->column = calloc(info->dim_theta + 1, sizeof *block->column);
    if (block->theta == NULL || block->x == NULL || block->status == NULL ||
        block->column == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory for %zu rows", block->rows);
    return BNRE_OK;
}

static void block_clear(struct block *block)
{
    free(block->theta);
    free(block->x);
    free(block->status);
    free(block->column);
}

static void block_summarise(struct block *block, size_t rows,
                            const bnre_dataset_info *info)
{
    struct column *x = &block->column[info->dim_theta];

    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < info->dim_theta; k++)
            column_add(&block->column[k],
                       block->theta[i * info->dim_theta + k]);
        for (size_t k = 0; block->status[i] == BNRE_DRAW_OK && k < info->x_size;
             k++)
            column_add(x, block->x[i * info->x_size + k]);
    }
}

static bnre_status print_columns(bnre_dataset *data,
                                 const bnre_dataset_info *info)
{
    const int width = cli_name_width(info->dim_theta,
                                     (const char *const *)info->theta_name, 16);
    struct block block = {0};
    bnre_status status = BNRE_OK;

    CLI_TRY(block_init(&block, info));
    for (size_t first = 0, n; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        CLI_TRY(bnre_dataset_read(data, first, n, block.theta, NULL, block.x,
                                  block.status));
        block_summarise(&block, n, info);
    }
    cli_print("\n  %-*s %12s %12s %12s\n", width, "column", "min", "mean",
              "max");
    for (size_t k = 0; k < info->dim_theta; k++)
        column_print(info->theta_name[k], width, &block.column[k]);
    column_print("x", width, &block.column[info->dim_theta]);
done:
    block_clear(&block);
    return status;
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

/* All rows are read for this, and compared with their checksums. */
static bnre_status check_fingerprint(const char *path, bnre_dataset *data,
                                     const bnre_dataset_info *info)
{
    const char *stored = info->stored_fingerprint;
    bnre_status status;
    char found[33];

    status = bnre_dataset_fingerprint(data, found);
    if (status == BNRE_OK && stored == NULL) {
        cli_print("  fingerprint   %s (computed: the file stores none)\n",
                  found);
        return BNRE_OK;
    }
    if (status == BNRE_OK && strcmp(found, stored) == 0) {
        cli_print("  fingerprint   %s, verified\n", found);
        return BNRE_OK;
    }
    if (stored != NULL && (status == BNRE_OK || status == BNRE_EFORMAT))
        cli_print("  fingerprint   %s, DOES NOT MATCH the contents\n", stored);
    if (status != BNRE_OK)
        return status;
    return bnre_fail(BNRE_EFORMAT,
                     "%s was changed or damaged after it was written: its "
                     "contents do not match its fingerprint",
                     path);
}

static bnre_status print_dataset(const char *path, bnre_dataset *data)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    bnre_status status = BNRE_OK, verdict = BNRE_OK;
    char number[CLI_NUMBER], shape[CLI_NUMBER], part[CLI_PATH];

    cli_print("%s: dataset (%s)\n", path, info->format);
    cli_print("  rows          %s\n", cli_count(info->rows, number));
    snprintf(part, sizeof part, "%s.part", path);
    if (cli_exists(part))
        cli_print("  unfinished    more rows are in %s; run the same `bnre "
                  "simulate` again to add them\n",
                  part);
    if (info->failed > 0)
        CLI_TRY(cli_print_failures(data, info->failed, info->rows));
    cli_print("  x             %s\n",
              cli_shape(info->shape, info->ndim, shape));
    CLI_TRY(print_origin(path, info));
    verdict = check_fingerprint(path, data, info);
    if (verdict == BNRE_OK)
        CLI_TRY(print_columns(data, info));
done:
    return verdict != BNRE_OK ? verdict : status;
}

static bnre_status print_settings(const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL;
    const bnre_node *node;
    bnre_task *task = NULL;
    char *text = NULL;
    int is_study;

    CLI_TRY(bnre_yaml_read(path, &root));
    node = bnre_node_find(root, "task");
    is_study = node != NULL;
    if (bnre_task_is_outline(is_study ? node : root) &&
        bnre_node_find(is_study ? node : root, "parameters") != NULL) {
        CLI_TRY(bnre_node_write(is_study ? node : root, &text));
        cli_print("%s: parameters and priors, without a simulator (YAML)\n\n",
                  path);
        cli_print_lines(stdout, text);
        goto done;
    }
    CLI_TRY(bnre_task_look(path, 0, NULL, &task));
    cli_print(
        "%s: %s\n\n%s\n", path,
        is_study ? "settings with a task (YAML)" : "task (YAML)",
        bnre_task_known(task)
            ? "# the task, with all defaults"
            : "# the task; what is left out here, its plugin tells, which "
              "is not loaded");
    cli_print_lines(stdout, bnre_task_text(task));
done:
    bnre_free(text);
    bnre_task_destroy(task);
    bnre_node_destroy(root);
    return status;
}

static bnre_status print_posterior(const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    const bnre_node *names, *grid, *made, *version;
    char number[CLI_NUMBER];

    CLI_TRY(bnre_posterior_describe(path, &map));
    names = bnre_node_find(map, "parameters");
    grid = bnre_node_find(map, "grid");
    made = bnre_node_find(map, "made");
    version = bnre_node_find(map, "version");
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
done:
    bnre_node_destroy(map);
    return status;
}

/* What has none of the known endings is read as CSV in the end, whose complaint
   alone would puzzle. */
static bnre_status fail_foreign(const char *path)
{
    static const char *const known[] = {".h5",  ".hdf5", ".npz",
                                        ".npy", ".csv",  NULL};

    for (size_t i = 0; known[i] != NULL; i++)
        if (cli_ends_with(path, known[i]))
            return BNRE_EFORMAT;
    return bnre_fail(BNRE_EFORMAT,
                     "%s is no file that bnre knows (HDF5, .npz, a pair of "
                     ".npy, CSV, .yaml); read as CSV: %s",
                     path, bnre_error_message());
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    const char *path = operand[0];
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    char part[CLI_PATH];

    (void)n;
    if (cli_ends_with(path, ".yaml") || cli_ends_with(path, ".yml"))
        return print_settings(path);
    snprintf(part, sizeof part, "%s.part", path);
    if (!cli_exists(path) && cli_exists(part))
        return bnre_fail(BNRE_EIO,
                         "%s is unfinished: the rows simulated so far are in "
                         "%s; run the same `bnre simulate` again to go on",
                         path, part);
    if (cli_ends_with(path, ".part") && cli_exists(path))
        return bnre_fail(BNRE_EFORMAT,
                         "%s holds the rows of an unfinished dataset; run the "
                         "same `bnre simulate` again to go on",
                         path);
    if (bnre_estimator_recognise(path))
        return cli_print_estimator(path, args->history);
    if (!args->history && bnre_posterior_recognise(path))
        return print_posterior(path);
    if (args->history)
        return bnre_fail(BNRE_EUSAGE,
                         "only estimators have a history; %s is "
                         "none",
                         path);
    status = bnre_dataset_open(path, &data);
    if (status == BNRE_EFORMAT)
        status = fail_foreign(path);
    CLI_TRY(status);
    CLI_TRY(print_dataset(path, data));
done:
    bnre_dataset_close(data);
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
