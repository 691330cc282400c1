/* Results for programs: --json does the same work through bnre_call() and prints
   the object that comes of it. */
#include <string.h>

#include "cli.h"

/* What operands are called there, a command in each row. */
static const struct {
    const char *command, *operand[2];
} names[] = {
    {"posterior", {"estimator", NULL}}, {"diagnose", {"estimator", NULL}},
    {"check", {"estimator", NULL}},     {"export", {"estimator", NULL}},
    {"convert", {"input", "output"}},   {"info", {"file", NULL}},
    {"tasks", {"task", NULL}},          {"run", {"study", NULL}},
    {"report", {"directory", NULL}},
};

static const char *name_of(const struct command *command, size_t i)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k].command, command->name) == 0 && i < 2)
            return names[k].operand[i];
    return NULL;
}

/* Options that are about printing alone. */
static int is_manner(const char *name)
{
    return strcmp(name, "json") == 0 || strcmp(name, "quiet") == 0 ||
           strcmp(name, "config") == 0;
}

static int is_verb(const char *name)
{
    const char *verb;

    for (size_t i = 0; (verb = bnre_call_verb(i)) != NULL; i++)
        if (strcmp(verb, name) == 0)
            return 1;
    return 0;
}

/* What was given, as settings. */
static bnre_status settings_of(const struct command *command,
                               const struct cli_table *table, const void *args,
                               const struct cli_call *call, char **out)
{
    bnre_opt row[CLI_MOST_OPTIONS];
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    size_t n = 0;

    for (size_t i = 0; i < table->n; i++)
        if (call->given[i] && !is_manner(table->row[i].name)) {
            row[n] = table->row[i];
            row[n++].flags |= BNRE_OPT_RESULT;
        }
    CLI_TRY(bnre_opt_record(row, n, args, &map));
    for (size_t i = 0; i < call->n; i++) {
        const char *name = name_of(command, i);

        if (name == NULL) {
            status = bnre_fail(BNRE_EUSAGE, "--json takes no argument \"%s\"",
                               call->operand[i]);
            goto done;
        }
        CLI_TRY(bnre_node_set(map, name, call->operand[i]));
    }
    CLI_TRY(bnre_node_write(map, out));
done:
    bnre_node_destroy(map);
    return status;
}

/* As the commands tell of their work. */
static int tell(void *user, const char *kind, const char *text, size_t done,
                size_t total)
{
    const bnre_monitor *monitor = user;

    if (strcmp(kind, "note") == 0)
        monitor->note(monitor->context, text);
    else if (strcmp(kind, "state") == 0)
        monitor->state(monitor->context, text);
    else
        return monitor->progress(monitor->context, done, 0, total);
    return 0;
}

bnre_status cli_json(const struct command *command,
                     const struct cli_table *table, const void *args,
                     const struct cli_call *call)
{
    struct watch watch;
    bnre_monitor monitor = cli_watch_start(&watch, command->name, args);
    bnre_status status = BNRE_OK;
    char *settings = NULL, *result = NULL;

    if (!is_verb(command->name)) {
        status = bnre_fail(BNRE_EUSAGE, "--json: what this command prints is "
                                        "text for other programs already");
        goto done;
    }
    CLI_TRY(settings_of(command, table, args, call, &settings));
    status = bnre_call(command->name, settings, tell, &monitor, &result);
    cli_watch_finish(&watch);
    if (result != NULL) {
        cli_print_lines(stdout, result);
        fputc('\n', stdout);
    }
done:
    bnre_free(result);
    bnre_free(settings);
    return status;
}
