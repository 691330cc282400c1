/* The command `completion`: scripts for shells, made by print_completion.c. */
#include <string.h>

#include "print.h"

struct args {
    struct common common;
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", cli_print_bash},
                  {"zsh", cli_print_zsh},
                  {"fish", cli_print_fish}};

    (void)fields;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, work->operand[0]) == 0) {
            shells[i].print();
            return BNRE_OK;
        }
    return bnre_fail(BNRE_EUSAGE,
                     "there is no completion for \"%s\": there is bash, zsh "
                     "and fish",
                     work->operand[0]);
}

const struct command cli_completion = {
    .name = "completion",
    .title = "what a shell offers at the tab key: bash, zsh, fish",
    .usage = "SHELL",
    .text = "Prints the completion of commands and options for a shell. They "
            "are installed with the program.",
    .examples = "  bnre completion bash > ~/.local/share/bash-completion/"
                "completions/bnre\n",
    .idle = "threads seed quiet force dry_run json config",
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
