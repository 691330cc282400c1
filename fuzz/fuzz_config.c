/* Settings files of commands (--config): the first byte chooses the command. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "input.h"

static const struct command *const commands[] = {
    &cli_run,      &cli_simulate, &cli_train,  &cli_posterior,
    &cli_diagnose, &cli_report,   &cli_convert};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct command *command;
    struct cli_table table;
    struct cli_call call;
    char option[] = "--config", path[512];
    char *argv[] = {option, path};
    void *args;

    if (size == 0)
        return 0;
    command = commands[data[0] % (sizeof commands / sizeof *commands)];
    args = calloc(1, command->size);
    MUST(args != NULL);
    snprintf(path, sizeof path, "%s",
             input_file("config.yaml", data + 1, size - 1));
    cli_table_init(&table, command);
    MUST(bnre_opt_init(table.row, table.n, args) == BNRE_OK);
    if (cli_parse(&table, command, 2, argv, args, &call) == BNRE_OK) {
        bnre_node *record = NULL;

        if (bnre_opt_record(table.row, table.n, args, &record) != BNRE_OK)
            MUST_TELL();
        bnre_node_destroy(record);
    } else {
        MUST_TELL();
    }
    bnre_opt_clear(table.row, table.n, args);
    free(args);
    return 0;
}
