/* opt.c - tables of options: defaults, values from the command line and from
   settings, the record of what a file was made with, and the nearest name of
   a misspelt one. */
#include "bnre/settings.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"

struct names {
    const bnre_opt *table;
    size_t n;
};

static const char *name_of(const void *list, size_t i)
{
    const struct names *names = list;

    return i < names->n ? names->table[i].name : NULL;
}

static void *field_of(const bnre_opt *row, void *fields)
{
    return (char *)fields + row->offset;
}

static const void *value_of(const bnre_opt *row, const void *fields)
{
    return (const char *)fields + row->offset;
}

/* Options whose names have changed. An old name works for one release more, in
   tables that have no other option of this name: remove it with the next. */
static const struct {
    const char *was, *is;
} renamed[] = {
    {"method", "sampler"},       /* of posterior */
    {"samples", "samples_file"}, /* of diagnose */
};

/* Dashes and underscores are alike, so their distance is 0. */
static int is_same_name(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && bnre__text_distance(a, b) == 0;
}

static const bnre_opt *find_name(const bnre_opt *table, size_t n,
                                 const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (is_same_name(table[i].name, name))
            return &table[i];
    return NULL;
}

const bnre_opt *bnre_opt_find(const bnre_opt *table, size_t n, const char *name)
{
    const bnre_opt *row = find_name(table, n, name);

    for (size_t i = 0; row == NULL && i < sizeof renamed / sizeof *renamed; i++)
        if (is_same_name(renamed[i].was, name))
            row = find_name(table, n, renamed[i].is);
    return row;
}

int bnre_opt_is_old(const bnre_opt *row, const char *name)
{
    return row != NULL && !is_same_name(row->name, name);
}

const char *bnre_opt_nearest(const bnre_opt *table, size_t n, const char *name)
{
    struct names names = {table, n};

    return bnre__text_nearest(name, name_of, &names);
}

bnre_status bnre_opt_init(const bnre_opt *table, size_t n, void *fields)
{
    static const size_t size[] = {[BNRE_OPT_FLAG] = sizeof(int),
                                  [BNRE_OPT_SIZE] = sizeof(size_t),
                                  [BNRE_OPT_SEED] = sizeof(uint64_t),
                                  [BNRE_OPT_REAL] = sizeof(double),
                                  [BNRE_OPT_TEXT] = sizeof(char *),
                                  [BNRE_OPT_CHOICE] = sizeof(int),
                                  [BNRE_OPT_LIST] = sizeof(bnre_opt_list)};
    bnre_status status = BNRE_OK;

    /* First all of them, so that they can be cleared if one fails. */
    for (size_t i = 0; i < n; i++)
        memset(field_of(&table[i], fields), 0, size[table[i].type]);
    for (size_t i = 0; i < n; i++)
        if (table[i].preset != NULL && table[i].type != BNRE_OPT_LIST)
            BNRE_TRY(bnre_opt_set(&table[i], fields, table[i].preset));
done:
    if (status != BNRE_OK)
        bnre_opt_clear(table, n, fields);
    return status;
}

void bnre_opt_clear(const bnre_opt *table, size_t n, void *fields)
{
    for (size_t i = 0; i < n; i++) {
        void *field = field_of(&table[i], fields);

        if (table[i].type == BNRE_OPT_TEXT) {
            bnre__free(*(char **)field);
            *(char **)field = NULL;
        } else if (table[i].type == BNRE_OPT_LIST) {
            bnre_opt_list *list = field;

            for (size_t k = 0; k < list->count; k++)
                bnre__free(list->text[k]);
            bnre__free(list->text);
            *list = (bnre_opt_list){NULL, 0};
        }
    }
}

static bnre_status read_flag(const char *text, const char *what, int *out)
{
    static const char *const words[] = {"no",  "yes", "false", "true",
                                        "off", "on",  "0",     "1"};

    for (int i = 0; i < 8; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *out = i % 2;
            return BNRE_OK;
        }
    return bnre_fail(BNRE_EUSAGE, "%s must be yes or no, got \"%s\"", what,
                     text);
}

static bnre_status append(bnre_opt_list *list, const char *text)
{
    bnre_status status = BNRE_OK;
    char **grown = NULL;
    char *copy = NULL;

    BNRE_TRY(bnre__strdup(text, &copy));
    BNRE_NEW(grown, list->count + 1);
    if (list->count > 0)
        memcpy(grown, list->text, list->count * sizeof *grown);
    bnre__free(list->text);
    list->text = grown;
    list->text[list->count++] = copy;
    copy = NULL;
done:
    bnre__free(copy);
    return status;
}

bnre_status bnre_opt_set(const bnre_opt *row, void *fields, const char *text)
{
    void *field = field_of(row, fields);
    char *copy = NULL;

    switch (row->type) {
    case BNRE_OPT_FLAG:
        return read_flag(text, row->name, field);
    case BNRE_OPT_SIZE:
        return bnre__read_size(text, row->rule, row->name, field);
    case BNRE_OPT_SEED:
        return bnre__read_seed(text, row->rule, row->name, field);
    case BNRE_OPT_REAL:
        return bnre__read_real(text, row->rule, row->name, field);
    case BNRE_OPT_CHOICE:
        return bnre__read_choice(text, row->rule, row->name, field);
    case BNRE_OPT_LIST:
    case BNRE_OPT_TEXT:
        break;
    }
    if (text[0] == 0)
        return bnre_fail(BNRE_EUSAGE, "%s must not be empty", row->name);
    if (row->type == BNRE_OPT_LIST)
        return append(field, text);
    BNRE_DO(bnre__strdup(text, &copy));
    bnre__free(*(char **)field);
    *(char **)field = copy;
    return BNRE_OK;
}

/* Lists take a value, a list of values, or a map as "key=value" texts. */
static bnre_status set_list(const bnre_opt *row, void *fields,
                            const bnre_node *node)
{
    bnre_status status = BNRE_OK;
    char *pair = NULL;

    for (size_t i = 0; i < node->count; i++) {
        const bnre_node *child = node->child[i];

        if (child->kind != BNRE_NODE_TEXT)
            BNRE_THROW(BNRE_EUSAGE, "%s takes single values only", row->name);
        if (node->kind == BNRE_NODE_MAP) {
            bnre__free(pair);
            BNRE_TRY(
                bnre__text_format(&pair, "%s=%s", child->key, child->text));
        }
        BNRE_TRY(bnre_opt_set(row, fields, pair != NULL ? pair : child->text));
    }
done:
    bnre__free(pair);
    return status;
}

static bnre_status set_node(const bnre_opt *row, void *fields,
                            const bnre_node *node)
{
    if (node->kind == BNRE_NODE_TEXT)
        return bnre_opt_set(row, fields, node->text);
    if (row->type == BNRE_OPT_LIST)
        return set_list(row, fields, node);
    return bnre_fail(BNRE_EUSAGE, "%s takes a single value, not a %s",
                     row->name, node->kind == BNRE_NODE_LIST ? "list" : "map");
}

static bnre_status fail_unknown(const bnre_opt *table, size_t n,
                                const bnre_node *node)
{
    const char *nearest = bnre_opt_nearest(table, n, node->key);

    if (nearest == NULL)
        return bnre_node_fail(node, "unknown setting \"%s\"", node->key);
    return bnre_node_fail(node, "unknown setting \"%s\": did you mean \"%s\"?",
                          node->key, nearest);
}

bnre_status bnre_opt_set_map(const bnre_opt *table, size_t n, void *fields,
                             const bnre_node *map, unsigned char *given)
{
    if (map->kind != BNRE_NODE_MAP)
        return bnre_node_fail(map, "settings (key: value) are expected here");
    for (size_t i = 0; i < map->count; i++) {
        const bnre_node *node = map->child[i];
        const bnre_opt *row = bnre_opt_find(table, n, node->key);
        bnre_status status;

        if (row == NULL)
            return fail_unknown(table, n, node);
        for (size_t k = 0; k < i; k++) /* batch-size after batch_size */
            if (bnre_opt_find(table, n, map->child[k]->key) == row)
                return bnre_node_fail(node, "%s is given twice", row->name);
        if (given != NULL && given[row - table])
            continue;
        status = set_node(row, fields, node);
        if (status == BNRE_EUSAGE)
            return bnre_node_fail(node, "%s", bnre_error_message());
        if (status != BNRE_OK)
            return status;
        if (given != NULL)
            given[row - table] = 1;
    }
    return BNRE_OK;
}

/* The word number `index` of a choice's rule. */
static bnre_status word_of(const char *rule, int index, char **out)
{
    for (; index > 0; index--)
        rule = strchr(rule, '|') + 1;
    return bnre__text_format(out, "%.*s", (int)strcspn(rule, "|"), rule);
}

static bnre_status write_value(const bnre_opt *row, const void *fields,
                               char **out)
{
    const void *value = value_of(row, fields);
    char digits[32];

    switch (row->type) {
    case BNRE_OPT_FLAG:
        return bnre__strdup(*(const int *)value ? "yes" : "no", out);
    case BNRE_OPT_SIZE:
        return bnre__text_format(out, "%zu", *(const size_t *)value);
    case BNRE_OPT_SEED:
        return bnre__text_format(out, "%llu",
                                 (unsigned long long)*(const uint64_t *)value);
    case BNRE_OPT_REAL:
        if (isnan(*(const double *)value) && row->rule != NULL &&
            strchr(row->rule, '|') != NULL)
            return bnre__strdup(strchr(row->rule, '|') + 1, out);
        return bnre__strdup(bnre__text_real(*(const double *)value, digits),
                            out);
    case BNRE_OPT_CHOICE:
        return word_of(row->rule, *(const int *)value, out);
    case BNRE_OPT_TEXT:
    case BNRE_OPT_LIST:
        break;
    }
    return bnre__strdup(*(char *const *)value, out);
}

/* The value of a row as a node; *out is NULL when it is absent. */
static bnre_status record_value(const bnre_opt *row, const void *fields,
                                bnre_node **out)
{
    const bnre_opt_list *list = value_of(row, fields);
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL, *item = NULL;
    char *text = NULL;

    *out = NULL;
    if (row->type == BNRE_OPT_LIST) {
        BNRE_TRY(bnre_node_create(BNRE_NODE_LIST, NULL, &node));
        for (size_t i = 0; i < list->count; i++) {
            BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, list->text[i], &item));
            BNRE_TRY(bnre_node_add(node, NULL, item));
        }
    } else if (row->type != BNRE_OPT_TEXT ||
               *(char *const *)value_of(row, fields) != NULL) {
        BNRE_TRY(write_value(row, fields, &text));
        BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, text, &node));
    }
    *out = node;
    node = NULL;
done:
    bnre__free(text);
    bnre_node_destroy(node);
    return status;
}

bnre_status bnre_opt_record(const bnre_opt *table, size_t n, const void *fields,
                            bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL, *node = NULL;

    *out = NULL;
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    for (size_t i = 0; i < n; i++) {
        if (!(table[i].flags & BNRE_OPT_RESULT))
            continue;
        BNRE_TRY(record_value(&table[i], fields, &node));
        if (node != NULL)
            BNRE_TRY(bnre_node_add(map, table[i].name, node));
    }
    *out = map;
    map = NULL;
done:
    bnre_node_destroy(map);
    return status;
}
