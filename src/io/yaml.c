/* yaml.c - YAML as a tree of settings: scalars are texts, anchors and tags
   are refused. */
#include "bnre/settings.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"

/* Far beyond any settings file, and small enough that a hostile one costs
   neither memory nor time. */
enum {
    MOST_BYTES = 4 << 20,
    MOST_LEVELS = 64,
    MOST_NODES = 100000,
    MOST_KEYS = 10000 /* of one map: each is compared with those before it */
};

struct reader {
    yaml_parser_t parser;
    const char *text, *name;
    char *file; /* copy of `name`, to be owned by the root */
    size_t nodes;
    int flow;       /* between { } or [ ] */
    const char *at; /* character `index` of the text */
    size_t index;
};

static bnre_status fail_at(const struct reader *reader, yaml_mark_t mark,
                           const char *message)
{
    return bnre_fail(BNRE_EUSAGE, "%s:%zu:%zu: %s", reader->name, mark.line + 1,
                     mark.column + 1, message);
}

/* The place of byte `offset`, for complaints that come without one. */
static yaml_mark_t place_of(const char *text, size_t offset)
{
    yaml_mark_t mark = {0, 0, 0};

    for (size_t i = 0; i < offset && text[i] != 0; i++) {
        mark.column++;
        if (text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        }
    }
    return mark;
}

/* Whether the line (from 0) is indented with a tab, which YAML forbids and
   editors hide. */
static int starts_with_tab(const char *text, size_t line)
{
    while (line > 0 && (text = strchr(text, '\n')) != NULL) {
        text++;
        line--;
    }
    return text != NULL && text[strspn(text, " ")] == '\t';
}

static bnre_status fail_in_parser(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    char text[256];

    if (parser->error == YAML_MEMORY_ERROR)
        return bnre_fail(BNRE_ENOMEM, "no memory to read %s", reader->name);
    if (parser->error == YAML_READER_ERROR) {
        snprintf(text, sizeof text, "no UTF-8 text: %s", parser->problem);
        return fail_at(reader, place_of(reader->text, parser->problem_offset),
                       text);
    }
    if (starts_with_tab(reader->text, parser->problem_mark.line))
        return fail_at(reader, parser->problem_mark,
                       "lines must be indented with spaces, not tabs");
    if (parser->context != NULL)
        snprintf(text, sizeof text, "%s %s that starts in line %zu",
                 parser->problem, parser->context,
                 parser->context_mark.line + 1);
    else
        snprintf(text, sizeof text, "%s", parser->problem);
    return fail_at(reader, parser->problem_mark, text);
}

static bnre_status next_event(struct reader *reader, yaml_event_t *event)
{
    if (!yaml_parser_parse(&reader->parser, event))
        return fail_in_parser(reader);
    return BNRE_OK;
}

/* Where an event begins. libyaml counts characters, which only grow. */
static const char *text_of(struct reader *reader, const yaml_event_t *event)
{
    while (reader->index < event->start_mark.index && *reader->at != 0) {
        do
            reader->at++;
        while (((unsigned char)*reader->at & 0xc0) == 0x80);
        reader->index++;
    }
    return reader->at;
}

/* Within { } and [ ] a comma ends a text that is not quoted, also one between
   parentheses: {a: uniform(0, 1)} is a map of "a" and "1)". */
static bnre_status refuse_cut_text(struct reader *reader,
                                   const yaml_event_t *event)
{
    enum { LONGEST = 200 };
    const char *value = (const char *)event->data.scalar.value, *from;
    size_t length = strlen(value), n = 0;
    int open = 0;

    if (!reader->flow || event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
        length >= LONGEST || strchr(value, '(') == NULL)
        return BNRE_OK;
    from = text_of(reader, event);
    if (strncmp(from, value, length) != 0)
        return BNRE_OK; /* over several lines */
    do {
        if (from[n] == 0 || from[n] == '\n' || n == LONGEST)
            return BNRE_OK;
        open += (from[n] == '(') - (from[n] == ')');
    } while (from[n++] != ')' || open > 0);
    if (n <= length)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s:%zu:%zu: between { } and [ ] a comma ends a value, so "
                     "that this is cut off after %s: put it in quotes, "
                     "\"%.*s\"",
                     reader->name, event->start_mark.line + 1,
                     event->start_mark.column + 1, value, (int)n, from);
}

/* Settings stay what they look like: no hidden types or distant texts. */
static bnre_status refuse_magic(struct reader *reader,
                                const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return fail_at(reader, event->start_mark,
                       "aliases (*name) are not supported: write it out");
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        if (strlen((const char *)event->data.scalar.value) !=
            event->data.scalar.length)
            return fail_at(reader, event->start_mark,
                           "text must not contain zero bytes");
        if (refuse_cut_text(reader, event) != BNRE_OK)
            return BNRE_EUSAGE;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor != NULL)
        return fail_at(reader, event->start_mark,
                       "anchors (&name) are not supported");
    if (tag != NULL)
        return fail_at(reader, event->start_mark,
                       "tags (!type) are not supported: quote text that "
                       "starts with !");
    return BNRE_OK;
}

static bnre_status read_node(struct reader *reader, const yaml_event_t *event,
                             size_t level, bnre_node **out);

/* A key that is a list of names, [a, b]: text. Each name has the text, after the
   list that it belongs to. */
static bnre_status read_joint_entry(struct reader *reader,
                                    const yaml_event_t *event, size_t level,
                                    bnre_node *map)
{
    const yaml_mark_t mark = event->start_mark;
    bnre_status status = BNRE_OK;
    yaml_event_t value = {0};
    bnre_node *names = NULL, *child = NULL;
    bnre__text text = {0};

    BNRE_TRY(read_node(reader, event, level + 1, &names));
    BNRE_TRY(next_event(reader, &value));
    if (value.type != YAML_SCALAR_EVENT || names->count < 2) {
        status = fail_at(reader, mark,
                         "a key must be a single word or text, or for a text a "
                         "list of two names or more");
        goto done;
    }
    BNRE_TRY(refuse_magic(reader, &value));
    for (size_t i = 0; i < names->count; i++) {
        const bnre_node *name = names->child[i];
        int twice = 0;

        for (size_t k = 0; k < i && name->kind == BNRE_NODE_TEXT; k++)
            twice |= strcmp(names->child[k]->text, name->text) == 0;
        if (name->kind != BNRE_NODE_TEXT || twice ||
            bnre_node_find(map, name->text) != NULL ||
            map->count + names->count > MOST_KEYS) {
            status = fail_at(reader, mark,
                             "a key that is a list has names, each of which "
                             "is there once");
            goto done;
        }
        bnre__text_put(&text, i == 0 ? "[%s" : ", %s", names->child[i]->text);
    }
    bnre__text_put(&text, "]: %s", (const char *)value.data.scalar.value);
    BNRE_TRY(bnre__text_check(&text));
    for (size_t i = 0; i < names->count; i++) {
        BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, text.data, &child));
        child->file = reader->file;
        child->line = mark.line + 1;
        child->column = mark.column + 1;
        status = bnre_node_add(map, names->child[i]->text, child);
        child = NULL;
        BNRE_TRY(status);
    }
done:
    yaml_event_delete(&value);
    bnre_node_destroy(child);
    bnre_node_destroy(names);
    bnre__free(text.data);
    return status;
}

static bnre_status read_entry(struct reader *reader, const yaml_event_t *event,
                              size_t level, bnre_node *map)
{
    yaml_mark_t mark = event->start_mark;
    bnre_status status = BNRE_OK;
    yaml_event_t value = {0};
    bnre_node *child = NULL;
    char *key = NULL;

    BNRE_TRY(refuse_magic(reader, event));
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return read_joint_entry(reader, event, level, map);
    if (event->type != YAML_SCALAR_EVENT) {
        status = fail_at(reader, mark, "a key must be a single word or text");
        goto done;
    }
    if (map->count == MOST_KEYS) {
        status = fail_at(reader, mark, "too many keys");
        goto done;
    }
    BNRE_TRY(bnre__strdup((const char *)event->data.scalar.value, &key));
    if (bnre_node_find(map, key) != NULL)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s:%zu:%zu: \"%s\" is given twice, first in line %zu",
                   reader->name, mark.line + 1, mark.column + 1, key,
                   bnre_node_find(map, key)->line);
    BNRE_TRY(next_event(reader, &value));
    BNRE_TRY(read_node(reader, &value, level, &child));
    /* A complaint about a setting should point at its key. */
    child->line = mark.line + 1;
    child->column = mark.column + 1;
    status = bnre_node_add(map, key, child);
    child = NULL;
done:
    yaml_event_delete(&value);
    bnre_node_destroy(child);
    bnre__free(key);
    return status;
}

static bnre_status read_children(struct reader *reader, size_t level,
                                 bnre_node *parent)
{
    bnre_status status = BNRE_OK;
    yaml_event_t event = {0};
    bnre_node *child = NULL;

    for (;;) {
        yaml_event_delete(&event);
        BNRE_TRY(next_event(reader, &event));
        if (event.type == YAML_MAPPING_END_EVENT ||
            event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (parent->kind == BNRE_NODE_MAP) {
            BNRE_TRY(read_entry(reader, &event, level, parent));
        } else {
            BNRE_TRY(read_node(reader, &event, level, &child));
            BNRE_TRY(bnre_node_add(parent, NULL, child));
        }
    }
done:
    yaml_event_delete(&event);
    return status;
}

static int is_flow(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_START_EVENT
               ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
               : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
}

/* The node that begins with `event`, up to its end. */
static bnre_status read_node(struct reader *reader, const yaml_event_t *event,
                             size_t level, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node_kind kind = event->type == YAML_SCALAR_EVENT ? BNRE_NODE_TEXT
                          : event->type == YAML_MAPPING_START_EVENT
                              ? BNRE_NODE_MAP
                              : BNRE_NODE_LIST;
    bnre_node *node = NULL;

    *out = NULL;
    BNRE_TRY(refuse_magic(reader, event));
    if (level == MOST_LEVELS || ++reader->nodes > MOST_NODES) {
        status = fail_at(reader, event->start_mark,
                         level == MOST_LEVELS ? "nested too deeply"
                                              : "too many values");
        goto done;
    }
    BNRE_TRY(bnre_node_create(
        kind,
        kind == BNRE_NODE_TEXT ? (const char *)event->data.scalar.value : NULL,
        &node));
    node->file = reader->file;
    node->line = event->start_mark.line + 1;
    node->column = event->start_mark.column + 1;
    if (kind != BNRE_NODE_TEXT) {
        const int flow = reader->flow;

        reader->flow = flow || is_flow(event);
        BNRE_TRY(read_children(reader, level + 1, node));
        reader->flow = flow;
    }
    *out = node;
    node = NULL;
done:
    bnre_node_destroy(node);
    return status;
}

static bnre_status read_document(struct reader *reader, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    yaml_event_t event = {0};
    bnre_node *root = NULL;

    while (event.type != YAML_STREAM_END_EVENT) {
        yaml_event_delete(&event);
        BNRE_TRY(next_event(reader, &event));
        if (event.type == YAML_STREAM_START_EVENT ||
            event.type == YAML_STREAM_END_EVENT ||
            event.type == YAML_DOCUMENT_END_EVENT)
            continue;
        if (root != NULL) {
            status = fail_at(reader, event.start_mark,
                             "a second document (---) is not supported");
            goto done;
        }
        if (event.type != YAML_DOCUMENT_START_EVENT)
            BNRE_TRY(read_node(reader, &event, 0, &root));
    }
    if (root != NULL && root->kind == BNRE_NODE_TEXT && root->text[0] == 0) {
        bnre_node_destroy(root);
        root = NULL;
    }
    if (root == NULL) {
        BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
        root->file = reader->file;
        root->line = root->column = 1;
    }
    root->owned_file = reader->file;
    reader->file = NULL;
    *out = root;
    root = NULL;
done:
    yaml_event_delete(&event);
    bnre_node_destroy(root);
    return status;
}

bnre_status bnre_yaml_parse(const char *text, const char *name, bnre_node **out)
{
    struct reader reader = {
        .text = text, .at = text, .name = name != NULL ? name : "settings"};
    bnre_status status = BNRE_OK;
    int parsing = 0;

    *out = NULL;
    if (strlen(text) > MOST_BYTES)
        BNRE_THROW(BNRE_EUSAGE, "%s: a settings file of %zu bytes is too large",
                   reader.name, strlen(text));
    if (name != NULL)
        BNRE_TRY(bnre__strdup(name, &reader.file));
    if (!yaml_parser_initialize(&reader.parser))
        BNRE_THROW(BNRE_ENOMEM, "no memory to read %s", reader.name);
    parsing = 1;
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text,
                                 strlen(text));
    BNRE_TRY(read_document(&reader, out));
done:
    if (parsing)
        yaml_parser_delete(&reader.parser);
    bnre__free(reader.file);
    return status;
}

bnre_status bnre_yaml_read(const char *path, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;
    size_t length = 0;

    *out = NULL;
    BNRE_TRY(bnre__file_read_all(path, MOST_BYTES, &text, &length));
    if (strlen(text) != length)
        BNRE_THROW(BNRE_EUSAGE, "%s: holds zero bytes: is this a text file?",
                   path);
    BNRE_TRY(bnre_yaml_parse(text, path, out));
done:
    bnre__free(text);
    return status;
}
