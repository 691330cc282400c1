/* call.c - a command by its name, with settings as text. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/flat.h"
#include "flat/describe.h"
#include "flat/tell.h"
#include "flat/verbs.h"

const char *bnre_version(void)
{
    return BNRE_VERSION;
}

int bnre_exit_status(bnre_status status)
{
    switch (status) {
    case BNRE_OK:
        return 0;
    case BNRE_EUSAGE:
        return 2;
    case BNRE_EDOUBT:
        return 3;
    case BNRE_EINTR:
        return 130;
    default:
        return 1;
    }
}

const char *bnre_call_verb(size_t i)
{
    const bnre__verb *verb = bnre__verb_at(i);

    return verb != NULL ? verb->name : NULL;
}

static const char *name_at(const void *list, size_t i)
{
    (void)list;
    return bnre_call_verb(i);
}

static bnre_status find_verb(const char *name, const bnre__verb **out)
{
    const char *nearest;

    for (size_t i = 0; (*out = bnre__verb_at(i)) != NULL; i++)
        if (strcmp((*out)->name, name) == 0)
            return BNRE_OK;
    nearest = bnre__text_nearest(name, name_at, NULL);
    if (nearest == NULL)
        return bnre_fail(BNRE_EUSAGE, "there is no command \"%s\"", name);
    return bnre_fail(BNRE_EUSAGE,
                     "there is no command \"%s\": did you mean %s?", name,
                     nearest);
}

/* ---- the table of a verb ---- */

#define AT(field) offsetof(bnre__verb_args, field)
static const bnre_opt common[] = {
    {"seed", BNRE_OPT_SEED, AT(seed), "1", NULL, "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "seed of all random numbers; the same seed gives the same bytes"},
    {"threads", BNRE_OPT_SIZE, AT(threads), "0", "[0, 4096]", "N",
     BNRE_OPT_USUAL,
     "number of threads; 0 means one per core. The results do not depend on "
     "it"},
    {"force", BNRE_OPT_FLAG, AT(force), NULL, NULL, NULL, BNRE_OPT_USUAL,
     "replace output that exists already"},
    {"dry_run", BNRE_OPT_FLAG, AT(dry_run), NULL, NULL, NULL, 0,
     "check everything, and make nothing"},
};

static const bnre_opt operands[] = {
    {"estimator", BNRE_OPT_TEXT, AT(estimator), NULL, NULL, "FILE.h5",
     BNRE_OPT_USUAL, "file of an estimator"},
    {"input", BNRE_OPT_TEXT, AT(input), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "dataset to be converted"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "PATH", BNRE_OPT_USUAL,
     "file or directory of the result"},
    {"file", BNRE_OPT_TEXT, AT(file), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "file to be described"},
    {"study", BNRE_OPT_TEXT, AT(study), NULL, NULL, "FILE.yaml", BNRE_OPT_USUAL,
     "file of a study"},
    {"directory", BNRE_OPT_TEXT, AT(directory), NULL, NULL, "DIR",
     BNRE_OPT_USUAL, "directory of a study"},
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml",
     BNRE_OPT_USUAL, "name of a built-in task, or a file that describes one"},
};

/* The row of an operand, "!" meaning that it is needed. */
static bnre_opt operand_row(const char *name)
{
    const size_t length = strcspn(name, "!");
    bnre_opt row = {0};

    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (strlen(operands[i].name) == length &&
            strncmp(operands[i].name, name, length) == 0)
            row = operands[i];
    if (name[length] == '!')
        row.flags |= BNRE_OPT_NEEDED;
    return row;
}

static size_t make_table(const bnre__verb *verb,
                         bnre_opt row[BNRE__VERB_OPTIONS])
{
    size_t n = 0;

    for (size_t i = 0; verb->own[i] != NULL; i++)
        row[n++] = operand_row(verb->own[i]);
    for (size_t k = 0; k < 2 && verb->options[k] != NULL; k++) {
        size_t count;
        const bnre_opt *table = verb->options[k](&count);

        for (size_t i = 0; i < count && n < BNRE__VERB_OPTIONS; i++) {
            row[n] = table[i];
            row[n++].offset += verb->at;
        }
    }
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (bnre_opt_find(row, n, common[i].name) == NULL &&
            n < BNRE__VERB_OPTIONS)
            row[n++] = common[i];
    return n;
}

/* Old names of settings work for one release more. */
static void note_old(const bnre_opt *row, size_t n, const bnre_node *map,
                     const bnre_monitor *monitor)
{
    char text[200];

    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->child[i]->key;
        const bnre_opt *found = bnre_opt_find(row, n, key);

        if (!bnre_opt_is_old(found, key))
            continue;
        snprintf(text, sizeof text,
                 "%s is called %s now; the old name works until the next "
                 "release",
                 key, found->name);
        monitor->note(monitor->context, text);
    }
}

static bnre_status read_settings(const bnre_opt *row, size_t n,
                                 const char *text, const bnre_monitor *monitor,
                                 bnre__verb_args *args)
{
    unsigned char given[BNRE__VERB_OPTIONS] = {0};
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    BNRE_TRY(bnre_yaml_parse(text != NULL ? text : "", "settings", &map));
    BNRE_TRY(bnre_opt_set_map(row, n, args, map, given));
    note_old(row, n, map, monitor);
    for (size_t i = 0; i < n; i++)
        if (row[i].flags & BNRE_OPT_NEEDED && !given[i])
            BNRE_THROW(BNRE_EUSAGE, "%s is needed: %s", row[i].name,
                       row[i].help);
done:
    bnre_node_destroy(map);
    return status;
}

/* ---- the options of a verb, for programs ---- */

static bnre_status add_option(bnre__json *list, const bnre_opt *row)
{
    static const char *const types[] = {
        [BNRE_OPT_FLAG] = "flag",     [BNRE_OPT_SIZE] = "size",
        [BNRE_OPT_SEED] = "seed",     [BNRE_OPT_REAL] = "real",
        [BNRE_OPT_TEXT] = "text",     [BNRE_OPT_LIST] = "list",
        [BNRE_OPT_CHOICE] = "choice",
    };
    bnre__json *item;

    BNRE_DO(bnre__json_object(list, NULL, &item));
    BNRE_DO(bnre__json_text(item, "name", row->name));
    BNRE_DO(bnre__json_text(item, "type", types[row->type]));
    BNRE_DO(bnre__json_text(item, "preset", row->preset));
    BNRE_DO(bnre__json_text(item, "rule", row->rule));
    BNRE_DO(
        bnre__json_flag(item, "needed", (row->flags & BNRE_OPT_NEEDED) != 0));
    BNRE_DO(bnre__json_flag(item, "usual", (row->flags & BNRE_OPT_USUAL) != 0));
    BNRE_DO(bnre__json_text(item, "help", row->help));
    return BNRE_OK;
}

bnre_status bnre_call_options(const char *name, char **result)
{
    bnre_opt row[BNRE__VERB_OPTIONS];
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *list;
    const bnre__verb *verb;
    size_t n;

    *result = NULL;
    BNRE_TRY(find_verb(name, &verb));
    n = make_table(verb, row);
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__json_list(root, "options", &list));
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(add_option(list, &row[i]));
    BNRE_TRY(bnre__json_print(list, result));
done:
    bnre__json_destroy(root);
    return status;
}

/* ---- the call ---- */

static bnre_status make(const bnre__verb *verb, const bnre__verb_args *args,
                        const bnre__teller *teller, bnre__json *root)
{
    bnre_status status = BNRE_OK, made;
    bnre_pool *pool = NULL;

    BNRE_TRY(bnre_pool_create(args->threads, &pool));
    made = verb->run(args, pool, &teller->monitor, root);
    if (made != BNRE_OK && made != BNRE_EDOUBT)
        BNRE_TRY(made);
    BNRE_TRY(bnre__json_text(root, "status", made == BNRE_OK ? "ok" : "doubt"));
    BNRE_TRY(bnre__describe_texts(root, "notes", teller->notes,
                                  (const char *const *)teller->note));
    status = made;
done:
    bnre_pool_destroy(pool);
    return status;
}

bnre_status bnre_call(const char *name, const char *settings, bnre_tell tell,
                      void *user, char **result)
{
    bnre_opt row[BNRE__VERB_OPTIONS];
    bnre__verb_args args = {0};
    bnre_status status = BNRE_OK, printed;
    bnre__json *root = NULL;
    const bnre__verb *verb;
    bnre__teller teller;
    size_t n = 0;

    *result = NULL;
    bnre__teller_init(&teller, tell, user);
    BNRE_TRY(find_verb(name, &verb));
    n = make_table(verb, row);
    BNRE_TRY(bnre_opt_init(row, n, &args));
    BNRE_TRY(read_settings(row, n, settings, &teller.monitor, &args));
    BNRE_TRY(bnre__json_create(&root));
    status = make(verb, &args, &teller, root);
    if (status == BNRE_OK || status == BNRE_EDOUBT) {
        printed = bnre__json_print(root, result);
        status = printed != BNRE_OK ? printed : status;
    }
done:
    bnre__json_destroy(root);
    bnre_opt_clear(row, n, &args);
    bnre__teller_clear(&teller);
    return status;
}
