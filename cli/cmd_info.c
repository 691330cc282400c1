/* The command `info`: bnre_info_make(), told by print_file.c. */
#include <stddef.h>

#include "print.h"

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

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const char *path = work->operand[0];
    bnre_info_outcome outcome = {0};
    bnre_status status = BNRE_OK, made;
    char message[1024];

    if (args->history)
        return cli_print_history(path);
    made = bnre_info_make(path, &outcome);
    snprintf(message, sizeof message, "%s", bnre_error_message());
    if (made == BNRE_OK || outcome.data != NULL)
        CLI_TRY(cli_print_file(path, &outcome, made));
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
    .idle = "threads seed quiet force dry_run",
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
