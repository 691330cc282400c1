/* The command `doctor`: bnre_doctor_make(), told here. */
#include "cli.h"

struct args {
    struct common common;
};

static void print_table(const bnre_doctor_outcome *outcome)
{
    cli_print("bnre " BNRE_VERSION " (plugin ABI %d)\n", BNRE_PLUGIN_ABI);
    for (size_t i = 0; i < outcome->n; i++) {
        const bnre_doctor_item *item = &outcome->item[i];

        cli_print("  %-16s%s\n", item->what,
                  item->found != NULL ? item->found : item->missing);
    }
    if (outcome->complete)
        cli_print("all that is needed is there\n");
}

static bnre_status print_json(void)
{
    char *text = NULL;
    const bnre_status status = bnre_call("doctor", NULL, NULL, NULL, &text);

    if (status == BNRE_OK)
        cli_print_lines(stdout, text);
    if (status == BNRE_OK)
        cli_print("\n");
    bnre_free(text);
    return status;
}

static bnre_status run(const void *fields, struct cli_work *work)
{
    bnre_doctor_outcome outcome;
    bnre_status status = BNRE_OK;

    (void)fields;
    CLI_TRY(bnre_doctor_make(&outcome));
    if (work->common->json)
        CLI_TRY(print_json());
    else
        print_table(&outcome);
    if (!outcome.complete)
        status = bnre_fail(BNRE_EIO, "something that is needed is missing");
done:
    bnre_doctor_outcome_clear(&outcome);
    return status;
}

const struct command cli_doctor = {
    .name = "doctor",
    .title = "what is here, what is missing, and what to do about it",
    .usage = "[options]",
    .text = "Looks for what bnre works with: the kernels of this processor, "
            "the supervisor of external simulators, gnuplot for pictures, "
            "plugins, MPI and Python. The exit status is 1 if something is "
            "missing that bnre cannot do without.",
    .examples = "  bnre doctor\n",
    .own_json = 1, /* printed even if the exit status is 1 */
    .idle = "threads seed quiet force dry_run config",
    .size = sizeof(struct args),
    .run = run,
};
