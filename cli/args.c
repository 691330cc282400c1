/* The command line and the file of --config, by the option tables. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "cli.h"

#define AT(field) offsetof(struct common, field)
static const bnre_opt common_opts[] = {
    {"threads", BNRE_OPT_SIZE, AT(threads), "0", "[0, 4096]", "N",
     BNRE_OPT_USUAL,
     "number of threads; 0 means one per core. The results do not depend on "
     "it"},
    {"seed", BNRE_OPT_SEED, AT(seed), "1", NULL, "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "seed of all random numbers; the same seed gives the same bytes"},
    {"quiet", BNRE_OPT_FLAG, AT(quiet), NULL, NULL, NULL, 0,
     "print only errors and results"},
    {"force", BNRE_OPT_FLAG, AT(force), NULL, NULL, NULL, BNRE_OPT_USUAL,
     "replace output that exists already"},
    {"dry_run", BNRE_OPT_FLAG, AT(dry_run), NULL, NULL, NULL, BNRE_OPT_USUAL,
     "print what would be done, without doing it"},
    {"json", BNRE_OPT_FLAG, AT(json), NULL, NULL, NULL, 0,
     "print the result as JSON, for programs"},
    {"config", BNRE_OPT_TEXT, AT(config), NULL, NULL, "FILE.yaml", 0,
     "read options from a YAML file with lines such as \"count: 1000\"; "
     "options "
     "on the command line take precedence"},
};

/* The common options that a command has no other one for: those that mean
   something to it, or those that `idle` names. */
static void add_common(struct cli_table *table, const char *idle, int are_idle)
{
    for (size_t i = 0; i < sizeof common_opts / sizeof *common_opts; i++) {
        const char *name = common_opts[i].name;

        if (cli_is_among(idle != NULL ? idle : "", name) == are_idle &&
            bnre_opt_find(table->row, table->own, name) == NULL)
            table->row[table->n++] = common_opts[i];
    }
}

void cli_table_init(struct cli_table *table, const struct command *command)
{
    table->n = 0;
    for (size_t k = 0; k < 2 && command->shared[k] != NULL; k++) {
        size_t n;
        const bnre_opt *shared = command->shared[k](&n);

        assert(table->n + n + command->n_opts +
                   sizeof common_opts / sizeof *common_opts <=
               CLI_MOST_OPTIONS);
        for (size_t i = 0; i < n; i++) {
            table->row[table->n] = shared[i];
            table->row[table->n++].offset += command->shared_at;
        }
    }
    for (size_t i = 0; i < command->n_opts; i++)
        table->row[table->n++] = command->opts[i];
    table->own = table->n;
    add_common(table, command->idle, 0);
    table->shown = table->n;
    add_common(table, command->idle, 1);
}

struct parser {
    const struct cli_table *table;
    void *args;
    unsigned char given[CLI_MOST_OPTIONS];
};

static bnre_status fail_unknown(const struct parser *parser, const char *dashes,
                                const char *name)
{
    const char *nearest =
        bnre_opt_nearest(parser->table->row, parser->table->n, name);
    char flag[64];

    if (nearest == NULL)
        return bnre_fail(BNRE_EUSAGE, "unknown option %s%s", dashes, name);
    return bnre_fail(BNRE_EUSAGE, "unknown option %s%s: did you mean %s?",
                     dashes, name, cli_flag(nearest, flag));
}

/* Old names of options work for one release more. */
static void note_old(const struct parser *parser, const bnre_opt *row,
                     const char *name)
{
    char now[64];

    if (bnre_opt_is_old(row, name))
        cli_note(parser->args,
                 "note: --%s is called %s now; the old name works until the "
                 "next release",
                 name, cli_flag(row->name, now));
}

/* An option whose value is shown as several words, "A B", takes so many; with
   "..." behind them also all that follow up to the next option. */
static bnre_status take_more(const struct parser *parser, const bnre_opt *row,
                             int argc, char *const *argv, int *i)
{
    bnre_status status = BNRE_OK;
    char flag[64];

    for (const char *word = row->value; word != NULL; word++) {
        word = strchr(word, ' ');
        if (word == NULL)
            break;
        cli_flag(row->name, flag);
        if (strcmp(word, " ...") == 0) {
            while (*i + 1 < argc && argv[*i + 1][0] != '-')
                CLI_TRY(bnre_opt_set(row, parser->args, argv[++*i]));
            break;
        }
        if (*i + 1 == argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return bnre_fail(BNRE_EUSAGE, "%s needs more values: %s %s", flag,
                             flag, row->value);
        CLI_TRY(bnre_opt_set(row, parser->args, argv[++*i]));
    }
done:
    return status;
}

/* Set the option `name` (length letters) to `value`, or to what follows in
   argv, which *i moves over. */
static bnre_status set_option(struct parser *parser, const char *name,
                              const char *value, int argc, char *const *argv,
                              int *i)
{
    const bnre_opt *row =
        bnre_opt_find(parser->table->row, parser->table->n, name);
    bnre_status status = BNRE_OK;
    char flag[64];

    if (row == NULL)
        return fail_unknown(parser, "--", name);
    note_old(parser, row, name);
    if (value == NULL && row->type == BNRE_OPT_FLAG)
        value = "yes";
    if (value == NULL) {
        cli_flag(row->name, flag);
        if (*i + 1 == argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return bnre_fail(BNRE_EUSAGE, "%s needs a value: %s %s", flag, flag,
                             row->value != NULL ? row->value : "TEXT");
        value = argv[++*i];
    }
    CLI_TRY(bnre_opt_set(row, parser->args, value));
    CLI_TRY(take_more(parser, row, argc, argv, i));
    parser->given[row - parser->table->row] = 1;
done:
    return status;
}

static bnre_status take_option(struct parser *parser, int argc,
                               char *const *argv, int *i)
{
    const char *text = argv[*i];
    const char *equals = strchr(text, '=');
    char name[64];
    size_t length;

    if (strcmp(text, "-o") == 0)
        return set_option(parser, "output", NULL, argc, argv, i);
    if (strncmp(text, "--", 2) != 0)
        return fail_unknown(parser, "-", text + 1);
    length = equals != NULL ? (size_t)(equals - text - 2) : strlen(text + 2);
    if (length >= sizeof name)
        return bnre_fail(BNRE_EUSAGE, "unknown option %s", text);
    memcpy(name, text + 2, length);
    name[length] = 0;
    return set_option(parser, name, equals != NULL ? equals + 1 : NULL, argc,
                      argv, i);
}

static enum cli_help asks_for_help(int argc, char *const *argv)
{
    enum cli_help help = CLI_HELP_NONE;

    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help-all") == 0)
            return CLI_HELP_ALL;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            help = CLI_HELP_SHORT;
    }
    return help;
}

static bnre_status take_operand(const struct command *command, const char *text,
                                struct cli_call *call)
{
    if (call->n == command->most)
        return bnre_fail(BNRE_EUSAGE, "unexpected argument \"%s\"", text);
    call->operand[call->n++] = text;
    return BNRE_OK;
}

static bnre_status read_config(struct parser *parser)
{
    const struct common *common = parser->args;
    bnre_status status = BNRE_OK;
    const bnre_node *own;
    bnre_node *map = NULL;

    CLI_TRY(bnre_yaml_read(common->config, &map));
    own = bnre_node_find(map, "config");
    if (own != NULL) {
        status = bnre_node_fail(own, "config cannot be set in a file");
        goto done;
    }
    CLI_TRY(bnre_opt_set_map(parser->table->row, parser->table->n, parser->args,
                             map, parser->given));
    for (size_t i = 0; i < map->count; i++)
        note_old(parser,
                 bnre_opt_find(parser->table->row, parser->table->n,
                               map->child[i]->key),
                 map->child[i]->key);
done:
    bnre_node_destroy(map);
    return status;
}

static bnre_status check_needed(const struct parser *parser)
{
    for (size_t i = 0; i < parser->table->n; i++) {
        const bnre_opt *row = &parser->table->row[i];
        char flag[64];

        if (row->flags & BNRE_OPT_NEEDED && !parser->given[i])
            return bnre_fail(BNRE_EUSAGE, "%s %s is needed: %s",
                             cli_flag(row->name, flag), row->value, row->help);
    }
    return BNRE_OK;
}

bnre_status cli_parse(const struct cli_table *table,
                      const struct command *command, int argc,
                      char *const *argv, void *args, struct cli_call *call)
{
    struct parser parser = {.table = table, .args = args};
    const struct common *common = args;
    bnre_status status = BNRE_OK;
    int only_operands = 0;

    *call = (struct cli_call){.help = asks_for_help(argc, argv)};
    if (call->help != CLI_HELP_NONE)
        return BNRE_OK;
    for (int i = 0; i < argc; i++) {
        if (!only_operands && strcmp(argv[i], "--") == 0)
            only_operands = 1;
        else if (only_operands || argv[i][0] != '-' || argv[i][1] == 0)
            CLI_TRY(take_operand(command, argv[i], call));
        else
            CLI_TRY(take_option(&parser, argc, argv, &i));
    }
    if (common->config != NULL)
        CLI_TRY(read_config(&parser));
    CLI_TRY(check_needed(&parser));
    if (call->n < command->least)
        status = bnre_fail(BNRE_EUSAGE, "usage: bnre %s %s", command->name,
                           command->usage);
done:
    memcpy(call->given, parser.given, sizeof call->given);
    return status;
}
