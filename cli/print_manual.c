/* print_manual.c - manual pages, from the tables of options. */
#include <string.h>

#include "print.h"

/* Text as troff takes it: no dots at the beginning of lines, no escapes. */
static void put(const char *text)
{
    int first = 1;

    for (; *text != 0; text++) {
        if (first && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            fputc(*text, stdout);
        first = *text == '\n';
    }
}

/* The same, with lines as they are. */
static void put_lines(const char *text)
{
    const char *end;
    char line[256];

    for (; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        put(line);
        fputs("\n.br\n", stdout);
    }
    put(text + strspn(text, " "));
}

static void put_option(const bnre_opt *row)
{
    char flag[64], help[1024];
    const char last = row->help[strlen(row->help) - 1];

    snprintf(help, sizeof help, "%s", row->help);
    cli_name_options(help);
    fputs(".TP\n.B \"", stdout);
    if (strcmp(row->name, "output") == 0)
        put("-o, ");
    put(cli_flag(row->name, flag));
    if (row->type != BNRE_OPT_FLAG) {
        fputs(" \\fI", stdout);
        put(row->value != NULL ? row->value : "TEXT");
        fputs("\\fR", stdout);
    }
    fputs("\"\n", stdout);
    put(help);
    if (last != '.')
        put(".");
    if (row->type == BNRE_OPT_CHOICE) {
        put(" One of ");
        put(row->rule);
        put(".");
    }
    if (row->preset != NULL && strstr(row->help, "(default") == NULL) {
        put(" Default: ");
        put(row->preset);
        put(".");
    }
    fputc('\n', stdout);
}

void cli_print_manual(const struct command *command)
{
    struct cli_table table;

    cli_table_init(&table, command);
    cli_print(".TH BNRE-%s 1 \"\" \"bnre " BNRE_VERSION "\" \"bnre\"\n"
              ".SH NAME\nbnre\\-%s \\- ",
              command->name, command->name);
    put(command->title);
    fputs("\n.SH SYNOPSIS\n.B bnre ", stdout);
    put(command->name);
    fputs("\\fR\n", stdout);
    put_lines(command->usage);
    fputs("\n.SH DESCRIPTION\n", stdout);
    put(command->text);
    fputs("\n.SH OPTIONS\n", stdout);
    for (size_t i = 0; i < table.shown; i++)
        put_option(&table.row[i]);
    fputs(".SH EXAMPLES\n.nf\n", stdout);
    put(command->examples);
    fputs(".fi\n.SH SEE ALSO\n.BR bnre (1)\n", stdout);
}

void cli_print_manual_of_all(void)
{
    fputs(".TH BNRE 1 \"\" \"bnre " BNRE_VERSION "\" \"bnre\"\n"
          ".SH NAME\nbnre \\- from a simulator to posteriors one can trust\n"
          ".SH SYNOPSIS\n.B bnre\n.I COMMAND\n[options]\n.SH COMMANDS\n",
          stdout);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        fputs(".TP\n.BR bnre\\-", stdout);
        put(cli_commands[i]->name);
        fputs(" (1)\n", stdout);
        put(cli_commands[i]->title);
        fputc('\n', stdout);
    }
    fputs(".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 done but not to "
          "be relied on, 130 interrupted with everything saved.\n",
          stdout);
}
