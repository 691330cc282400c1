/* print_completion.c - what a shell offers when the tab key is pressed, from the
   tables of options. */
#include <string.h>

#include "print.h"

/* The words of a choice, "a|b", with blanks between them. */
static void put_words(const char *rule)
{
    for (; *rule != 0; rule++)
        fputc(*rule == '|' ? ' ' : *rule, stdout);
}

/* The beginning of a text without letters that mean something to shells. */
static void put_gist(const char *help)
{
    enum { GIST = 72 };
    char text[1024];
    size_t n = 0;

    snprintf(text, sizeof text, "%s", help);
    cli_name_options(text);
    for (; text[n] != 0 && n < GIST; n++)
        if (text[n] == ';' || (text[n] == '.' && text[n + 1] == ' ') ||
            text[n] == '(' || (text[n] == ':' && text[n + 1] == ' '))
            break;
    if (n == GIST && text[n] != 0) /* no half words */
        while (n > 0 && text[n] != ' ')
            n--;
    while (n > 0 && text[n - 1] == ' ')
        n--;
    for (size_t i = 0; i < n; i++)
        fputc(strchr("'\"`[]:\\$", text[i]) != NULL ? ' ' : text[i], stdout);
}

/* ---- bash ---- */

static void bash_command(const struct command *command)
{
    struct cli_table table;
    char flag[64];

    cli_table_init(&table, command);
    cli_print("    %s)\n        case $before in\n", command->name);
    for (size_t i = 0; i < table.shown; i++)
        if (table.row[i].type == BNRE_OPT_CHOICE) {
            cli_print("        %s) words='", cli_flag(table.row[i].name, flag));
            put_words(table.row[i].rule);
            cli_print("' ;;\n");
        }
    cli_print("        *) options='");
    for (size_t i = 0; i < table.shown; i++)
        cli_print("%s ", cli_flag(table.row[i].name, flag));
    cli_print("--help --help-all' ;;\n        esac\n        ;;\n");
}

void cli_print_bash(void)
{
    cli_print("# bash completion of bnre\n_bnre() {\n"
              "    local now=${COMP_WORDS[COMP_CWORD]}\n"
              "    local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
              "    local words='' options=''\n"
              "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
              "        words='");
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        cli_print("%s ", cli_commands[i]->name);
    cli_print("help'\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        bash_command(cli_commands[i]);
    cli_print("    esac\n"
              "    if [ -n \"$words\" ]; then\n"
              "        COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
              "    elif [ \"${now#-}\" != \"$now\" ]; then\n"
              "        COMPREPLY=($(compgen -W \"$options\" -- \"$now\"))\n"
              "    else\n"
              "        COMPREPLY=($(compgen -f -- \"$now\"))\n"
              "    fi\n}\n"
              "complete -o filenames -F _bnre bnre\n");
}

/* ---- zsh ---- */

static void zsh_option(const bnre_opt *row)
{
    char flag[64];

    cli_print(" \\\n            '%s%s[", row->type == BNRE_OPT_LIST ? "*" : "",
              cli_flag(row->name, flag));
    put_gist(row->help);
    cli_print("]");
    if (row->type == BNRE_OPT_CHOICE) {
        cli_print(":word:(");
        put_words(row->rule);
        cli_print(")");
    } else if (row->type != BNRE_OPT_FLAG) {
        cli_print(":value:_files");
    }
    cli_print("'");
}

void cli_print_zsh(void)
{
    struct cli_table table;

    cli_print("#compdef bnre\n_bnre() {\n    local -a commands\n"
              "    commands=(\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        cli_print("        '%s:", cli_commands[i]->name);
        put_gist(cli_commands[i]->title);
        cli_print("'\n");
    }
    cli_print("    )\n    if (( CURRENT == 2 )); then\n"
              "        _describe command commands\n        return\n    fi\n"
              "    case $words[2] in\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        cli_table_init(&table, cli_commands[i]);
        cli_print("    %s)\n        _arguments", cli_commands[i]->name);
        for (size_t k = 0; k < table.shown; k++)
            zsh_option(&table.row[k]);
        cli_print(" \\\n            '*:file:_files'\n        ;;\n");
    }
    /* as a file in fpath, or sourced */
    cli_print("    esac\n}\n"
              "if [ \"$funcstack[1]\" = _bnre ]; then\n    _bnre \"$@\"\n"
              "else\n    compdef _bnre bnre\nfi\n");
}

/* ---- fish ---- */

static void fish_option(const char *command, const bnre_opt *row)
{
    char flag[64];

    cli_print("complete -c bnre -n '__fish_seen_subcommand_from %s' -l %s ",
              command, cli_flag(row->name, flag) + 2);
    if (strcmp(row->name, "output") == 0)
        cli_print("-s o ");
    if (row->type == BNRE_OPT_CHOICE) {
        cli_print("-x -a '");
        put_words(row->rule);
        cli_print("' ");
    } else if (row->type != BNRE_OPT_FLAG) {
        cli_print("-r ");
    }
    cli_print("-d '");
    put_gist(row->help);
    cli_print("'\n");
}

void cli_print_fish(void)
{
    struct cli_table table;

    cli_print("# fish completion of bnre\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const struct command *command = cli_commands[i];

        cli_print("complete -c bnre -n __fish_use_subcommand -f -a %s -d '",
                  command->name);
        put_gist(command->title);
        cli_print("'\n");
        cli_table_init(&table, command);
        for (size_t k = 0; k < table.shown; k++)
            fish_option(command->name, &table.row[k]);
    }
}
