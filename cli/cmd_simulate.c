#include <string.h>

#include "cli.h"

struct args {
    struct common common;
    char *task;
    bnre_opt_list option;
    size_t count;
    int split;
    char *theta, *theta_file;
    int theta_only;
    size_t workers;
    char *output;
};

#define AT(field) offsetof(struct args, field)
#define SPLITS "train|validate|schedule|select|certify|calibrate|test"
static const bnre_opt opts[] = {
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml",
     BNRE_OPT_RESULT | BNRE_OPT_NEEDED | BNRE_OPT_USUAL,
     "name of a built-in task (see `bnre tasks`), or a file that describes a "
     "task"},
    {"option", BNRE_OPT_LIST, AT(option), NULL, NULL, "KEY=VALUE",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "option of the simulator; `bnre tasks NAME` lists them"},
    {"count", BNRE_OPT_SIZE, AT(count), NULL, "[1, inf)", "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of rows in the dataset, also written as 1e6 or 2^17 (default "
     "1024, or all rows of --theta-file)"},
    {"split", BNRE_OPT_CHOICE, AT(split), "train", SPLITS, "WORD",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "purpose of the rows; each purpose has its own random numbers"},
    {"theta", BNRE_OPT_TEXT, AT(theta), NULL, NULL, "A,B,...",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "use these parameters in every row; nuisance parameters are still drawn"},
    {"theta_file", BNRE_OPT_TEXT, AT(theta_file), NULL, NULL, "FILE",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "read the parameters of each row from a .csv, .npy, .npz or .h5 file, for "
     "example posterior samples"},
    {"theta_only", BNRE_OPT_FLAG, AT(theta_only), NULL, NULL, NULL,
     BNRE_OPT_USUAL,
     "write the parameters alone, to .csv, .npy, .npz or .h5, to simulate them "
     "elsewhere"},
    {"workers", BNRE_OPT_SIZE, AT(workers), NULL, "[1, 4096]", "N",
     BNRE_OPT_USUAL,
     "number of external programs that run at the same time (default: as the "
     "task says, or the number of threads)"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "file for the dataset: .h5, .npz or .csv (default: TASK.h5, or "
     "TASK-SPLIT.h5 for other splits than train)"},
};

static const char *split_name(int split)
{
    static const char *const names[] = {[BNRE_SPLIT_TRAIN] = "train",
                                        [BNRE_SPLIT_VALIDATE] = "validate",
                                        [BNRE_SPLIT_SCHEDULE] = "schedule",
                                        [BNRE_SPLIT_SELECT] = "select",
                                        [BNRE_SPLIT_CERTIFY] = "certify",
                                        [BNRE_SPLIT_CALIBRATE] = "calibrate",
                                        [BNRE_SPLIT_TEST] = "test"};

    return names[split];
}

static bnre_status choose_output(const struct args *args, const bnre_task *task,
                                 char out[CLI_PATH])
{
    int length;

    if (args->output != NULL)
        length = snprintf(out, CLI_PATH, "%s", args->output);
    else if (args->split == BNRE_SPLIT_TRAIN)
        length = snprintf(out, CLI_PATH, "%s.h5", bnre_task_name(task));
    else
        length = snprintf(out, CLI_PATH, "%s-%s.h5", bnre_task_name(task),
                          split_name(args->split));
    if (length >= CLI_PATH)
        return bnre_fail(BNRE_EUSAGE, "the name of the output is too long");
    return BNRE_OK;
}

static void print_plan(const struct args *args, const bnre_task *task,
                       size_t count, const char *path)
{
    const size_t theta = 8 * bnre_prior_dim(bnre_task_prior(task)) +
                         8 * bnre_prior_dim(bnre_task_nuisance(task));
    const size_t row =
        args->theta_only ? theta : theta + 4 * bnre_task_x_size(task) + 1;
    char number[CLI_NUMBER];

    cli_print("would %s %s rows into %s\n",
              args->theta_only ? "write the parameters of" : "simulate",
              cli_count(count, number), path);
    cli_print("  stream        split %s, seed %llu\n", split_name(args->split),
              (unsigned long long)args->common.seed);
    cli_print("  size          about %s\n",
              cli_bytes((double)row * (double)count, number));
    if (cli_exists(path))
        cli_print("  there already %s: %s\n", path,
                  args->common.force ? "it would be replaced"
                  : args->theta_only ? "--force is needed"
                                     : "its rows are kept if the stream is the "
                                       "same, otherwise --force is needed");
    cli_print("\n# the task\n");
    cli_print_lines(stdout, bnre_task_text(task));
}

/* The plan for a plugin that is not loaded, and alone would tell the rest. */
static void print_unknown(const struct args *args, const bnre_task *task,
                          const char *path)
{
    const size_t count =
        args->count > 0 ? args->count : bnre_simulate_opts_default().count;
    char number[CLI_NUMBER];

    cli_print("would simulate %s rows into %s\n", cli_count(count, number),
              path);
    cli_print("  stream        split %s, seed %llu\n", split_name(args->split),
              (unsigned long long)args->common.seed);
    cli_print(
        "  size          not known: a dry run does not load the plugin, "
        "which tells the\n                parameters and the shape of x\n");
    cli_print("\n# the task, as far as its file tells\n");
    cli_print_lines(stdout, bnre_task_text(task));
}

static bnre_status print_summary(const struct args *args, const char *path,
                                 const bnre_simulate_result *result,
                                 double seconds)
{
    const size_t fresh = result->rows - result->found;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    char number[CLI_NUMBER], other[CLI_NUMBER];

    cli_print("%s\n", path);
    if (fresh == 0)
        cli_print("  rows          %s, all were there already\n",
                  cli_count(result->rows, number));
    else if (result->found == 0)
        cli_print("  rows          %s\n", cli_count(result->rows, number));
    else
        cli_print("  rows          %s: %s new, ",
                  cli_count(result->rows, number), cli_count(fresh, other));
    if (fresh > 0 && result->found > 0)
        cli_print("%s were there already\n", cli_count(result->found, number));
    if (result->failed > 0) {
        CLI_TRY(bnre_dataset_open(path, &data));
        CLI_TRY(cli_print_failures(data, result->failed, result->rows));
    }
    cli_print("  stream        split %s, seed %llu\n", split_name(args->split),
              (unsigned long long)args->common.seed);
    cli_print("  size          %s\n", cli_bytes((double)result->bytes, number));
    if (fresh > 0 && seconds > 0)
        cli_print("  speed         %s\n",
                  cli_rate((double)fresh / seconds, number));
    cli_print("  fingerprint   %s\n", result->fingerprint);
done:
    bnre_dataset_close(data);
    return status;
}

static bnre_status fail_interrupted(size_t total, const char *path,
                                    const bnre_simulate_result *result)
{
    char rows[CLI_NUMBER], count[CLI_NUMBER];

    if (result->rows == 0)
        return bnre_fail(BNRE_EINTR, "interrupted before the first rows were "
                                     "done");
    return bnre_fail(BNRE_EINTR,
                     "interrupted: %s of %s rows are safe in %s.part; run the "
                     "same command again to go on",
                     cli_count(result->rows, rows), cli_count(total, count),
                     path);
}

/* What the library is told; the caller frees *theta. */
static bnre_status make_settings(const struct args *args, const bnre_task *task,
                                 bnre_simulate_opts *settings, double **theta)
{
    bnre_status status = BNRE_OK;

    *settings = bnre_simulate_opts_default();
    settings->seed = args->common.seed;
    settings->split = (bnre_split)args->split;
    settings->force = args->common.force;
    if (args->theta != NULL && args->theta_file != NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "--theta and --theta-file exclude each other");
    if (args->theta != NULL) {
        CLI_TRY(bnre_theta_parse(task, args->theta, theta));
        settings->theta_rows = 1;
    }
    if (args->theta_file != NULL) {
        CLI_TRY(bnre_theta_read(task, args->theta_file, &settings->theta_rows,
                                theta));
        settings->count = settings->theta_rows;
    }
    settings->theta = *theta;
    if (args->count > 0)
        settings->count = args->count;
done:
    return status;
}

static bnre_status write_theta(const struct args *args, const bnre_task *task,
                               const bnre_simulate_opts *settings,
                               const char *path)
{
    bnre_status status = BNRE_OK;
    char number[CLI_NUMBER];

    CLI_TRY(bnre_simulate_theta(task, settings, path));
    if (!args->common.quiet)
        cli_print("%s\n  rows          %s of parameters\n", path,
                  cli_count(settings->count, number));
    fflush(stdout);
    cli_note(&args->common,
             "next: simulate them, and bring x back as columns x.0, x.1, ... "
             "of a .csv or as x.npy beside theta.npy");
done:
    return status;
}

static bnre_status simulate(const struct args *args, bnre_task *task,
                            bnre_simulate_opts settings, const char *path)
{
    bnre_simulate_result result = {0};
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;
    bnre_pool *pool = NULL;
    double seconds;

    CLI_TRY(bnre_pool_create(args->common.threads, &pool));
    monitor = cli_progress_start(&progress, "simulate", &args->common);
    settings.workers = args->workers;
    settings.pool = pool;
    settings.monitor = &monitor;
    status = bnre_simulate(task, &settings, path, &result);
    seconds = cli_progress_finish(&progress);
    if (status == BNRE_EINTR)
        status = fail_interrupted(settings.count, path, &result);
    CLI_TRY(status);
    if (!args->common.quiet)
        CLI_TRY(print_summary(args, path, &result, seconds));
    fflush(stdout);
    cli_note(&args->common, "next: bnre info %s", path);
done:
    bnre_pool_destroy(pool);
    return status;
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    bnre_status status = BNRE_OK;
    bnre_simulate_opts settings;
    bnre_task *task = NULL;
    const char *const input[] = {args->theta_file, args->task,
                                 args->common.config};
    double *theta = NULL;
    char path[CLI_PATH];

    (void)n;
    (void)operand;
    /* A dry run loads no plugin. */
    CLI_TRY((args->common.dry_run ? bnre_task_look : bnre_task_open)(
        args->task, args->option.count, (const char *const *)args->option.text,
        &task));
    CLI_TRY(choose_output(args, task, path));
    if (!bnre_task_known(task)) {
        print_unknown(args, task, path);
        goto done;
    }
    CLI_TRY(make_settings(args, task, &settings, &theta));
    if (args->common.dry_run) {
        print_plan(args, task, settings.count, path);
        goto done;
    }
    CLI_TRY(
        bnre_output_refuse_inputs(path, sizeof input / sizeof *input, input));
    CLI_TRY(cli_make_parents(path));
    if (args->theta_only)
        CLI_TRY(write_theta(args, task, &settings, path));
    else
        CLI_TRY(simulate(args, task, settings, path));
done:
    bnre_free(theta);
    bnre_task_destroy(task);
    return status;
}

const struct command cli_simulate = {
    .name = "simulate",
    .title = "draw parameters and simulate them into a dataset",
    .usage = "--task NAME|FILE.yaml [options]",
    .text = "Draws parameters from the priors of a task, simulates them and "
            "writes the pairs to a dataset. Each row depends only on the task, "
            "the seed, the split and its number. The same command therefore "
            "continues a dataset where it was stopped, and a larger --count "
            "simulates only the new rows.",
    .examples = "  bnre simulate --task gaussian --count 1e6 -o train.h5\n"
                "  bnre simulate --task gaussian --split test -o test.h5\n"
                "  bnre simulate --task gaussian --option dim=5 --seed 7\n"
                "  bnre simulate --task slcp --theta 0.5,-1.2 --count 1000\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .run = run,
};
