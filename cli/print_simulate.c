/* print_simulate.c - what was simulated, or would be. */
#include "print.h"

static void print_stream(const struct common *common,
                         const bnre_simulate_settings *settings)
{
    cli_fact("stream", "split %s, seed %llu",
             bnre_split_name((bnre_split)settings->split),
             (unsigned long long)common->seed);
}

static void print_plan(const struct common *common,
                       const bnre_simulate_settings *settings,
                       const bnre_simulate_outcome *outcome)
{
    const int theta_only = outcome->known && settings->theta_only;
    char number[CLI_NUMBER];

    cli_print("would %s %s rows into %s\n",
              theta_only ? "write the parameters of" : "simulate",
              cli_count(outcome->count, number), outcome->path);
    print_stream(common, settings);
    if (outcome->known)
        cli_fact("size", "about %s", cli_bytes(outcome->bytes, number));
    else
        cli_words("size", "not known: a dry run does not load the plugin, "
                          "which tells the parameters and the shape of x");
    if (outcome->known && cli_exists(outcome->path))
        cli_fact("there already", "%s: %s", outcome->path,
                 common->force ? "it would be replaced"
                 : theta_only  ? "--force is needed"
                               : "its rows are kept if the stream is the "
                                 "same, otherwise --force is needed");
    cli_print(outcome->known ? "\n# the task\n"
                             : "\n# the task, as far as its file tells\n");
    cli_print_lines(stdout, bnre_task_text(outcome->task));
}

static bnre_status print_summary(const struct common *common,
                                 const bnre_simulate_settings *settings,
                                 const bnre_simulate_outcome *outcome,
                                 double seconds)
{
    const bnre_simulate_result *result = &outcome->result;
    const size_t fresh = result->rows - result->found;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    char number[CLI_NUMBER], other[CLI_NUMBER];

    cli_print("%s\n  rows          %s", outcome->path,
              cli_count(settings->theta_only ? outcome->count : result->rows,
                        number));
    if (settings->theta_only) {
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
    print_stream(common, settings);
    cli_fact("size", "%s", cli_bytes((double)result->bytes, number));
    if (fresh > 0 && seconds > 0)
        cli_fact("speed", "%s", cli_rate((double)fresh / seconds, number));
    cli_fact("fingerprint", "%s", result->fingerprint);
done:
    bnre_dataset_close(data);
    return status;
}

bnre_status cli_print_simulation(const struct common *common,
                                 const bnre_simulate_settings *settings,
                                 const bnre_simulate_outcome *outcome,
                                 double seconds)
{
    bnre_status status = BNRE_OK;

    if (common->dry_run) {
        print_plan(common, settings, outcome);
        return BNRE_OK;
    }
    if (!common->quiet)
        CLI_TRY(print_summary(common, settings, outcome, seconds));
    fflush(stdout);
    if (settings->theta_only)
        cli_note(common,
                 "next: simulate them, and bring x back as columns x.0, x.1, "
                 "... of a .csv or as x.npy beside theta.npy");
    else
        cli_note(common, "next: bnre info %s", outcome->path);
done:
    return status;
}
