/* Help texts, made from the same tables that parse. */
#include <string.h>

#include "cli.h"

enum { WIDTH = 79, LEFT = 26 };

const char *cli_flag(const char *name, char out[64])
{
    snprintf(out, 64, "--%s", name);
    for (char *c = out; *c != 0; c++)
        if (*c == '_')
            *c = '-';
    return out;
}

void cli_print_wrapped(FILE *out, const char *text, size_t column,
                       size_t indent)
{
    while (*text != 0) {
        size_t length = strcspn(text, " ");

        if (column > indent && column + 1 + length > WIDTH) {
            cli_fprint(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        cli_fprint(out, "%.*s", (int)length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* "a|b|c" as ": a, b or c". */
static void append_words(char *out, size_t room, const char *rule)
{
    size_t used = strlen(out);

    used += (size_t)snprintf(out + used, room - used, ": ");
    while (*rule != 0 && used < room) {
        size_t length = strcspn(rule, "|");
        const char *rest = rule + length + (rule[length] == '|');
        const char *after = *rest == 0                  ? ""
                            : strchr(rest, '|') == NULL ? " or "
                                                        : ", ";

        used += (size_t)snprintf(out + used, room - used, "%.*s%s", (int)length,
                                 rule, after);
        rule = rest;
    }
}

static void print_option(FILE *out, const bnre_opt *row)
{
    char left[128], text[1024], flag[64];
    size_t used;

    snprintf(left, sizeof left, "  %s%s%s%s",
             strcmp(row->name, "output") == 0 ? "-o, " : "",
             cli_flag(row->name, flag), row->type == BNRE_OPT_FLAG ? "" : " ",
             row->type == BNRE_OPT_FLAG ? ""
             : row->value != NULL       ? row->value
                                        : "TEXT");
    snprintf(text, sizeof text, "%s", row->help);
    if (row->type == BNRE_OPT_CHOICE)
        append_words(text, sizeof text, row->rule);
    used = strlen(text);
    if (row->flags & BNRE_OPT_NEEDED)
        snprintf(text + used, sizeof text - used, " (needed)");
    else if (row->type == BNRE_OPT_LIST && strchr(row->value, ' ') == NULL)
        snprintf(text + used, sizeof text - used, " (may be repeated)");
    else if (row->preset != NULL)
        snprintf(text + used, sizeof text - used, " (default %s)", row->preset);
    cli_fprint(out, "%-*s", LEFT, left);
    if (strlen(left) >= LEFT)
        cli_fprint(out, "\n%*s", LEFT, "");
    cli_print_wrapped(out, text, LEFT, LEFT);
}

void cli_print_help(FILE *out, const struct command *command)
{
    struct cli_table table;

    cli_table_init(&table, command);
    cli_fprint(out, "usage: bnre %s ", command->name);
    cli_print_lines(out, command->usage);
    cli_fprint(out, "\n\n");
    cli_print_wrapped(out, command->text, 0, 0);
    cli_fprint(out, "\nexamples:\n");
    cli_print_lines(out, command->examples);
    if (table.own > 0)
        cli_fprint(out, "\noptions:\n");
    for (size_t i = 0; i < table.own; i++)
        print_option(out, &table.row[i]);
    cli_fprint(out, "\ncommon options:\n");
    for (size_t i = table.own; i < table.n; i++)
        print_option(out, &table.row[i]);
    cli_fprint(out, "%-*s%s\n", LEFT, "  -h, --help", "this text");
}

void cli_print_commands(FILE *out, const struct command *const *commands)
{
    cli_fprint(out, "bnre " BNRE_VERSION
                    " - from a simulator to posteriors one can trust\n\n"
                    "usage: bnre COMMAND [options]\n\ncommands:\n");
    for (; *commands != NULL; commands++)
        cli_fprint(out, "  %-12s%s\n", (*commands)->name, (*commands)->title);
    cli_fprint(
        out,
        "\nstart here:\n"
        "  bnre tasks                       what can be simulated\n"
        "  bnre simulate --task gaussian    a first dataset\n"
        "  bnre info gaussian.h5            what is in it\n\n"
        "`bnre COMMAND --help` explains a command with examples and "
        "defaults.\n"
        "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done but not to be "
        "relied on\n(`--check`, or chains that did not converge), 130 "
        "interrupted after saving.\n");
}
