/* The command `manual`: manual pages, made by print_manual.c. */
#include <string.h>

#include "print.h"

struct args {
    struct common common;
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    (void)fields;
    if (work->n == 0) {
        cli_print_manual_of_all();
        return BNRE_OK;
    }
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        if (strcmp(cli_commands[i]->name, work->operand[0]) == 0) {
            cli_print_manual(cli_commands[i]);
            return BNRE_OK;
        }
    return bnre_fail(BNRE_EUSAGE, "there is no command \"%s\"",
                     work->operand[0]);
}

const struct command cli_manual = {
    .name = "manual",
    .title = "the manual page of a command, for man",
    .usage = "[COMMAND]",
    .text = "Prints a manual page in the format of man: that of a command, or "
            "of the program. They are installed with the program.",
    .examples = "  bnre manual train | man -l -\n",
    .idle = "threads seed quiet force dry_run json config",
    .size = sizeof(struct args),
    .most = 1,
    .run = run,
};
