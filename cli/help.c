/* All commands, and their help texts, made from the same tables that parse. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const struct command *const cli_commands[] = {
    &cli_infer,     &cli_run,      &cli_simulate,   &cli_train,
    &cli_posterior, &cli_diagnose, &cli_check,      &cli_report,
    &cli_tasks,     &cli_info,     &cli_convert,    &cli_export,
    &cli_doctor,    &cli_manual,   &cli_completion, NULL,
};

enum { WIDTH = 79, LEFT = 26 };

/* ---- names of options ---- */

const char *cli_flag(const char *name, char out[64])
{
    snprintf(out, 64, "--%s", name);
    for (char *c = out; *c != 0; c++)
        if (*c == '_')
            *c = '-';
    return out;
}

static const struct command *speaker;

void cli_speak_for(const struct command *command)
{
    speaker = command;
}

static int has_option(const struct command *command, const char *name)
{
    struct cli_table table;

    cli_table_init(&table, command);
    return bnre_opt_find(table.row, table.n, name) != NULL;
}

int cli_is_option(const char *name)
{
    if (speaker == &cli_run)
        return has_option(&cli_run, name);
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        if (has_option(cli_commands[i], name))
            return 1;
    return 0;
}

int cli_is_among(const char *names, const char *name)
{
    const size_t length = strlen(name);

    while (*names != 0) {
        const size_t word = strcspn(names, " ");

        if (word == length && strncmp(names, name, word) == 0)
            return 1;
        names += word;
        names += strspn(names, " ");
    }
    return 0;
}

/* ---- texts ---- */

void cli_print_wrapped(FILE *out, const char *of, size_t column, size_t indent)
{
    char *copy = strdup(of);
    const char *text = copy != NULL ? copy : of;

    if (copy != NULL)
        cli_name_options(copy);
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
    free(copy);
}

/* "a|b|c" as "a, b or c". */
static void append_words(char *out, size_t room, const char *rule)
{
    size_t used = strlen(out);

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

static void append(char *out, size_t room, const char *text)
{
    const size_t used = strlen(out);

    snprintf(out + used, room - used, "%s", text);
}

/* What the row itself says of its value, in one pair of brackets. A text that
   explains the default has the last word on it. */
static void append_facts(char *out, size_t room, const bnre_opt *row)
{
    const int preset =
        row->preset != NULL && strstr(row->help, "(default") == NULL;
    const char *between = " (";

    if (row->type == BNRE_OPT_CHOICE) {
        append(out, room, between);
        append_words(out, room, row->rule);
        between = "; ";
    }
    if (preset) {
        append(out, room, between);
        append(out, room, "default ");
        append(out, room, row->preset);
        between = "; ";
    }
    if (row->flags & BNRE_OPT_NEEDED) {
        append(out, room, between);
        append(out, room, "needed");
        between = "; ";
    }
    if (row->type == BNRE_OPT_LIST && strchr(row->value, ' ') == NULL) {
        append(out, room, between);
        append(out, room, "may be repeated");
        between = "; ";
    }
    if (between[0] == ';')
        append(out, room, ")");
}

static void print_option(FILE *out, const bnre_opt *row)
{
    char left[128], text[1024], flag[64];

    snprintf(left, sizeof left, "  %s%s%s%s",
             strcmp(row->name, "output") == 0 ? "-o, " : "",
             cli_flag(row->name, flag), row->type == BNRE_OPT_FLAG ? "" : " ",
             row->type == BNRE_OPT_FLAG ? ""
             : row->value != NULL       ? row->value
                                        : "TEXT");
    snprintf(text, sizeof text, "%s", row->help);
    append_facts(text, sizeof text, row);
    cli_fprint(out, "%-*s", LEFT, left);
    if (strlen(left) >= LEFT)
        cli_fprint(out, "\n%*s", LEFT, "");
    cli_print_wrapped(out, text, LEFT, LEFT);
}

/* The groups of --help-all: for a command, a title and the options under it.
   A command without groups has "options" alone. */
static const struct group {
    const char *command, *title, *names;
} groups[] = {
    {"simulate", "data", "task option count split theta theta_file within"},
    {"simulate", "computation", "workers"},
    {"simulate", "output", "output theta_only"},
    {"train", "data",
     "data classes task simulations validation validation_rows schedule "
     "schedule_rows teach_rows test_rows parameters failure"},
    {"train", "network", "network members folds standardise"},
    {"train", "training",
     "method order lambda lambda_ramp recipe epochs batch_size learning_rate "
     "weight_decay clip weights pairing patience stop_at_floor max_time "
     "memory"},
    {"train", "trust",
     "trust temper widen select certify calibrate effort delta eps points "
     "check "
     "keep"},
    {"train", "output", "output history format"},
    {"posterior", "data", "observation each also prior odds truth"},
    {"posterior", "computation",
     "sampler samples grid bank steps temper widen"},
    {"posterior", "regions", "levels regions calibrate local"},
    {"posterior", "output", "output show format write predictive"},
    {"diagnose", "data",
     "data classes samples_file normalised observations prior task allow_seen"},
    {"diagnose", "evaluation",
     "grid points draws most_points steps temper widen each_member"},
    {"diagnose", "verdict", "delta eps check strict"},
    {"diagnose", "extra", "observation learning_curve theorems"},
    {"diagnose", "output", "output format"},
    {"check", "data", "observation task option data predictive"},
    {"check", "simulation", "draws pairs workers temper widen"},
    {"check", "test", "summary significance"},
    {"check", "output", "output format"},
    {"infer", "data", "task option observation simulations data truth"},
    {"infer", "inference", "rounds method alpha samples workers"},
    {"infer", "output", "output format"},
    {"run", "study", "set seed"},
    {"run", "output", "output no_report"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* A command with no more options than this shows all of them at once; the
   usual ones of others should not be more either. */
enum { FEW = 14 };

/* The group of a command's own option; GROUPS if none names it. */
static size_t group_of(const struct command *command, const char *name)
{
    size_t g = 0;

    while (g < GROUPS && (strcmp(groups[g].command, command->name) != 0 ||
                          !cli_is_among(groups[g].names, name)))
        g++;
    return g;
}

static void print_group(FILE *out, const struct command *command,
                        const struct cli_table *table, size_t group)
{
    int found = 0;

    for (size_t i = 0; i < table->own; i++) {
        if (group_of(command, table->row[i].name) != group)
            continue;
        if (!found)
            cli_fprint(out, "\n%s%soptions:\n",
                       group < GROUPS ? groups[group].title : "",
                       group < GROUPS ? " " : "");
        print_option(out, &table->row[i]);
        found = 1;
    }
}

/* Choose the rows of a short help: all if they are few, else the usual ones,
   what must be given and where results go. Commands that compute nothing take
   threads and a seed like all others, and need not tell. */
static size_t choose(const struct command *command,
                     const struct cli_table *table,
                     unsigned char shown[CLI_MOST_OPTIONS])
{
    size_t n = 0;

    for (size_t i = 0; i < table->shown; i++) {
        const bnre_opt *row = &table->row[i];

        shown[i] = table->shown <= FEW || strcmp(row->name, "output") == 0 ||
                   (row->flags & (BNRE_OPT_USUAL | BNRE_OPT_NEEDED)) != 0;
        if (i >= table->own && command->bar == CLI_NO_BAR &&
            (strcmp(row->name, "threads") == 0 ||
             strcmp(row->name, "seed") == 0))
            shown[i] = 0;
        n += shown[i];
    }
    return n;
}

static void print_few(FILE *out, const struct command *command,
                      const struct cli_table *table)
{
    unsigned char shown[CLI_MOST_OPTIONS];
    const size_t n = choose(command, table, shown);

    if (table->own > 0)
        cli_fprint(out,
                   n < table->shown ? "\nusual options:\n" : "\noptions:\n");
    for (size_t i = 0; i < table->own; i++)
        if (shown[i])
            print_option(out, &table->row[i]);
    cli_fprint(out, "\ncommon options:\n");
    for (size_t i = table->own; i < table->shown; i++)
        if (shown[i])
            print_option(out, &table->row[i]);
    cli_fprint(out, "%-*s%s\n", LEFT, "  -h, --help", "this text");
    if (n < table->shown)
        cli_fprint(out, "\n`bnre %s --help-all` shows all %zu options.\n",
                   command->name, table->shown);
}

static void print_all(FILE *out, const struct command *command,
                      const struct cli_table *table)
{
    for (size_t g = 0; g <= GROUPS; g++)
        print_group(out, command, table, g);
    cli_fprint(out, "\ncommon options:\n");
    for (size_t i = table->own; i < table->shown; i++)
        print_option(out, &table->row[i]);
    cli_fprint(out, "%-*s%s\n%-*s%s\n", LEFT, "  -h, --help",
               "the usual options", LEFT, "  --help-all", "this text");
}

/* What blank lines divide. */
static void print_paragraphs(FILE *out, const char *text)
{
    char paragraph[2048];

    while (*text != 0) {
        const char *end = strstr(text, "\n\n");
        const size_t n = end != NULL ? (size_t)(end - text) : strlen(text);

        snprintf(paragraph, sizeof paragraph, "%.*s", (int)n, text);
        cli_print_wrapped(out, paragraph, 0, 0);
        text += n;
        if (end != NULL) {
            fputc('\n', out);
            text += 2;
        }
    }
}

void cli_print_help(FILE *out, const struct command *command, enum cli_help how)
{
    struct cli_table table;

    cli_table_init(&table, command);
    cli_fprint(out, "usage: bnre %s ", command->name);
    cli_print_lines(out, command->usage);
    cli_fprint(out, "\n\n");
    print_paragraphs(out, command->text);
    cli_fprint(out, "\nexamples:\n");
    cli_print_lines(out, command->examples);
    if (how == CLI_HELP_ALL)
        print_all(out, command, &table);
    else
        print_few(out, command, &table);
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
        "  bnre tasks              what can be simulated\n"
        "  bnre tasks slcp         its parameters and what it gives\n"
        "  bnre simulate --task slcp --split test --count 10 -o some.h5\n"
        "  bnre infer --task slcp --observation some.h5:0\n"
        "                          the posterior of a simulated observation, "
        "as a page\n\n"
        "`bnre COMMAND --help` explains a command with examples and its usual "
        "options;\n`bnre COMMAND --help-all` shows every option.\n\n"
        "exit status:\n"
        "  0    done\n"
        "  1    failed\n"
        "  2    wrong usage\n"
        "  3    done, but do not rely on the result: a `--check` failed, or "
        "the posterior\n"
        "       must not be used, as if Markov chains did not converge\n"
        "  130  interrupted after saving; the same command continues\n");
}
