/* The command `tasks`: what there is to simulate, told by print_task.c. */
#include "print.h"

struct args {
    struct common common;
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    (void)fields;
    return work->n == 0 ? cli_print_tasks(work->common)
                        : cli_print_task(work->operand[0]);
}

const struct command cli_tasks = {
    .name = "tasks",
    .title = "what can be simulated: built-in tasks and their parameters",
    .usage = "[NAME|FILE.yaml]",
    .text = "Lists the built-in tasks. With a name or a file it shows that "
            "task: its parameters, priors, options and the shape of x.",
    .examples = "  bnre tasks\n"
                "  bnre tasks gaussian\n",
    .idle = "threads seed quiet force dry_run config",
    .size = sizeof(struct args),
    .most = 1,
    .run = run,
};
