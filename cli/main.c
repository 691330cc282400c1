/* The program: finding the command, and its exit status. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { DONE = 0, FAILED = 1, MISUSED = 2 }; /* as bnre_exit_status() */

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

static int fail_unknown(const char *name)
{
    bnre_opt names[CLI_MOST_OPTIONS] = {{0}};
    const char *nearest;
    size_t n = 0;

    if (name[0] == '-') {
        cli_fprint(stderr,
                   "bnre: unknown option %s (options follow a command)\n",
                   name);
    } else {
        for (; cli_commands[n] != NULL; n++)
            names[n].name = cli_commands[n]->name;
        nearest = bnre_opt_nearest(names, n, name);
        cli_fprint(stderr, "bnre: unknown command \"%s\"", name);
        if (nearest != NULL)
            cli_fprint(stderr, ": did you mean \"%s\"?", nearest);
        fputc('\n', stderr);
    }
    fputs("see bnre --help\n", stderr);
    return MISUSED;
}

double cli_work_end(struct cli_work *work)
{
    if (work->watch.verb != NULL)
        cli_watch_finish(&work->watch);
    return work->progress.verb != NULL ? cli_progress_finish(&work->progress)
                                       : 0;
}

static bnre_status do_work(const struct command *command, const void *args,
                           const struct cli_call *call)
{
    struct cli_work work = {
        .common = args, .n = call->n, .operand = call->operand};
    bnre_status status = BNRE_OK;

    if (command->bar != CLI_NO_BAR)
        CLI_TRY(bnre_pool_create(work.common->threads, &work.pool));
    if (command->bar == CLI_BAR)
        work.monitor =
            cli_progress_start(&work.progress, command->name, work.common);
    else if (command->bar == CLI_LATE_BAR)
        work.monitor = cli_watch_start(&work.watch, command->name, work.common);
    status = command->run(args, &work);
    cli_work_end(&work);
done:
    bnre_pool_destroy(work.pool);
    return status;
}

static int run_command(const struct command *command, int argc,
                       char *const *argv)
{
    struct cli_table table;
    struct cli_call call;
    bnre_status status;
    void *args = calloc(1, command->size);

    if (args == NULL) {
        fputs("bnre: out of memory\n", stderr);
        return FAILED;
    }
    cli_speak_for(command);
    cli_table_init(&table, command);
    status = bnre_opt_init(table.row, table.n, args);
    if (status == BNRE_OK)
        status = cli_parse(&table, command, argc, argv, args, &call);
    if (status != BNRE_OK) {
        cli_fprint(stderr, "bnre %s: %s\nsee bnre %s --help\n", command->name,
                   bnre_error_message(), command->name);
    } else if (call.help != CLI_HELP_NONE) {
        cli_print_help(stdout, command, call.help);
    } else {
        status = ((const struct common *)args)->json && !command->own_json
                     ? cli_json(command, &table, args, &call)
                     : do_work(command, args, &call);
        if (status != BNRE_OK) {
            fflush(stdout);
            cli_fprint(stderr, "bnre %s: %s\n", command->name,
                       bnre_error_message());
        }
    }
    bnre_opt_clear(table.row, table.n, args);
    free(args);
    return bnre_exit_status(status);
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    const struct command *command = NULL;

    if (strcmp(name, "--version") == 0) {
        cli_print("bnre " BNRE_VERSION " (plugin ABI %d)\n", BNRE_PLUGIN_ABI);
        return DONE;
    }
    if (strcmp(name, "help") == 0 && argc > 2) {
        command = find_command(argv[2]);
        if (command == NULL)
            return fail_unknown(argv[2]);
        cli_print_help(stdout, command, CLI_HELP_SHORT);
        return DONE;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 ||
        strcmp(name, "-h") == 0) {
        cli_print_commands(stdout, cli_commands);
        return DONE;
    }
    command = find_command(name);
    if (command == NULL)
        return fail_unknown(name);
    return run_command(command, argc - 2, argv + 2);
}

int cli_main(int argc, char **argv)
{
    int code;

    /* A closed pipe or a size limit shall be an error of the call that meets
       it, so that work is saved and the reason is told. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (errno != EPIPE)
            cli_fprint(stderr, "bnre: cannot write the result: %s\n",
                       strerror(errno));
        if (code == DONE)
            code = FAILED;
    }
    return code;
}
