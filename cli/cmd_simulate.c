/* The command `simulate`: what people are told of bnre_simulate_make(). */
#include <stddef.h>

#include "cli.h"

struct args {
    struct common common;
    bnre_simulate_settings settings;
};

static void print_stream(const struct args *args)
{
    cli_print("  stream        split %s, seed %llu\n",
              bnre_split_name((bnre_split)args->settings.split),
              (unsigned long long)args->common.seed);
}

/* Bytes of a row, about. */
static double row_size(const struct args *args, const bnre_task *task)
{
    const size_t theta = 8 * bnre_prior_dim(bnre_task_prior(task)) +
                         8 * bnre_prior_dim(bnre_task_nuisance(task));

    return (double)(args->settings.theta_only
                        ? theta
                        : theta + 4 * bnre_task_x_size(task) + 1);
}

static void print_plan(const struct args *args,
                       const bnre_simulate_outcome *outcome)
{
    const int theta_only = outcome->known && args->settings.theta_only;
    char number[CLI_NUMBER];

    cli_print("would %s %s rows into %s\n",
              theta_only ? "write the parameters of" : "simulate",
              cli_count(outcome->count, number), outcome->path);
    print_stream(args);
    if (outcome->known)
        cli_print(
            "  size          about %s\n",
            cli_bytes(row_size(args, outcome->task) * (double)outcome->count,
                      number));
    else
        cli_print(
            "  size          not known: a dry run does not load the plugin, "
            "which tells the\n                parameters and the shape of x\n");
    if (outcome->known && cli_exists(outcome->path))
        cli_print("  there already %s: %s\n", outcome->path,
                  args->common.force ? "it would be replaced"
                  : theta_only       ? "--force is needed"
                                     : "its rows are kept if the stream is the "
                                       "same, otherwise --force is needed");
    cli_print(outcome->known ? "\n# the task\n"
                             : "\n# the task, as far as its file tells\n");
    cli_print_lines(stdout, bnre_task_text(outcome->task));
}

static bnre_status print_summary(const struct args *args,
                                 const bnre_simulate_outcome *outcome,
                                 double seconds)
{
    const bnre_simulate_result *result = &outcome->result;
    const size_t fresh = result->rows - result->found;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    char number[CLI_NUMBER], other[CLI_NUMBER];

    cli_print(
        "%s\n  rows          %s", outcome->path,
        cli_count(args->settings.theta_only ? outcome->count : result->rows,
                  number));
    if (args->settings.theta_only) {
        cli_print(" of parameters\n");
        goto done;
    }
    if (fresh == 0)
        cli_print(", all were there already");
    else if (result->found > 0)
        cli_print(": %s new, %s were there already", cli_count(fresh, number),
                  cli_count(result->found, other));
    cli_print("\n");
    if (result->failed > 0) {
        CLI_TRY(bnre_dataset_open(outcome->path, &data));
        CLI_TRY(cli_print_failures(data, result->failed, result->rows));
    }
    print_stream(args);
    cli_print("  size          %s\n", cli_bytes((double)result->bytes, number));
    if (fresh > 0 && seconds > 0)
        cli_print("  speed         %s\n",
                  cli_rate((double)fresh / seconds, number));
    cli_print("  fingerprint   %s\n", result->fingerprint);
done:
    bnre_dataset_close(data);
    return status;
}

static bnre_status tell(const struct args *args,
                        const bnre_simulate_outcome *outcome, double seconds)
{
    bnre_status status = BNRE_OK;

    if (args->common.dry_run) {
        print_plan(args, outcome);
        return BNRE_OK;
    }
    if (!args->common.quiet)
        CLI_TRY(print_summary(args, outcome, seconds));
    fflush(stdout);
    if (args->settings.theta_only)
        cli_note(&args->common,
                 "next: simulate them, and bring x back as columns x.0, x.1, "
                 "... of a .csv or as x.npy beside theta.npy");
    else
        cli_note(&args->common, "next: bnre info %s", outcome->path);
done:
    return status;
}

static bnre_status fail_interrupted(const bnre_simulate_outcome *outcome)
{
    char rows[CLI_NUMBER], count[CLI_NUMBER];

    if (outcome->result.rows == 0)
        return bnre_fail(BNRE_EINTR, "interrupted before the first rows were "
                                     "done");
    return bnre_fail(BNRE_EINTR,
                     "interrupted: %s of %s rows are safe in %s.part; run the "
                     "same command again to go on",
                     cli_count(outcome->result.rows, rows),
                     cli_count(outcome->count, count), outcome->path);
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    bnre_simulate_request request = {.settings = &args->settings,
                                     .seed = args->common.seed,
                                     .input = args->common.config,
                                     .force = args->common.force,
                                     .dry_run = args->common.dry_run};
    bnre_simulate_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;
    double seconds;

    (void)n;
    (void)operand;
    CLI_TRY(bnre_pool_create(args->common.threads, &request.pool));
    monitor = cli_progress_start(&progress, "simulate", &args->common);
    request.monitor = &monitor;
    status = bnre_simulate_make(&request, &outcome);
    seconds = cli_progress_finish(&progress);
    if (status == BNRE_EINTR && outcome.path != NULL)
        status = fail_interrupted(&outcome);
    CLI_TRY(status);
    CLI_TRY(tell(args, &outcome, seconds));
done:
    bnre_simulate_outcome_clear(&outcome);
    bnre_pool_destroy(request.pool);
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
    .shared = {bnre_simulate_options},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .run = run,
};
