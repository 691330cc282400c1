/* settings.c - trees of settings: building, searching, refusing unknown
   keys, writing as YAML. */
#include "bnre/settings.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Even with every byte written as an escape, a key must stay below the 1024
   bytes in which YAML readers look for the colon after it. */
enum { LONGEST_KEY = 200 };

bnre_status bnre_node_create(bnre_node_kind kind, const char *text,
                             bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;

    *out = NULL;
    BNRE_NEW(node, 1);
    node->kind = kind;
    if (kind == BNRE_NODE_TEXT)
        BNRE_TRY(bnre__strdup(text != NULL ? text : "", &node->text));
    *out = node;
    node = NULL;
done:
    bnre_node_destroy(node);
    return status;
}

void bnre_node_destroy(bnre_node *node)
{
    if (node == NULL)
        return;
    for (size_t i = 0; i < node->count; i++)
        bnre_node_destroy(node->child[i]);
    bnre__free(node->child);
    bnre__free(node->key);
    bnre__free(node->text);
    bnre__free(node->owned_file);
    bnre__free(node);
}

bnre_status bnre_node_add(bnre_node *parent, const char *key, bnre_node *child)
{
    bnre_status status = BNRE_OK;

    if (parent->kind == BNRE_NODE_TEXT ||
        (parent->kind == BNRE_NODE_MAP) != (key != NULL))
        BNRE_THROW(BNRE_EINVAL, "only maps have keys, and texts no children");
    if (key != NULL) {
        if (strlen(key) > LONGEST_KEY) {
            status = bnre_node_fail(child, "a key of %zu letters is too long",
                                    strlen(key));
            goto done;
        }
        if (bnre_node_find(parent, key) != NULL) {
            status = bnre_node_fail(child, "\"%s\" is given twice", key);
            goto done;
        }
        bnre__free(child->key);
        child->key = NULL;
        BNRE_TRY(bnre__strdup(key, &child->key));
    }
    BNRE_GROW(parent->child, parent->room, parent->count + 1);
    parent->child[parent->count++] = child;
    child = NULL;
done:
    bnre_node_destroy(child);
    return status;
}

bnre_status bnre_node_copy(const bnre_node *node, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *copy = NULL, *child = NULL;

    *out = NULL;
    BNRE_TRY(bnre_node_create(node->kind, node->text, &copy));
    copy->file = node->file;
    copy->line = node->line;
    copy->column = node->column;
    for (size_t i = 0; i < node->count; i++) {
        BNRE_TRY(bnre_node_copy(node->child[i], &child));
        BNRE_TRY(bnre_node_add(copy, node->child[i]->key, child));
    }
    *out = copy;
    copy = NULL;
done:
    bnre_node_destroy(copy);
    return status;
}

void bnre_node_remove(bnre_node *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++) {
        if (map->child[i]->key == NULL || strcmp(map->child[i]->key, key) != 0)
            continue;
        bnre_node_destroy(map->child[i]);
        map->count--;
        memmove(&map->child[i], &map->child[i + 1],
                (map->count - i) * sizeof *map->child);
        return;
    }
}

bnre_status bnre_node_set(bnre_node *parent, const char *key, const char *text)
{
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, text, &node));
    for (size_t i = 0; parent->kind == BNRE_NODE_MAP && i < parent->count;
         i++) {
        if (key == NULL || strcmp(parent->child[i]->key, key) != 0)
            continue;
        BNRE_TRY(bnre__strdup(key, &node->key));
        bnre_node_destroy(parent->child[i]);
        parent->child[i] = node;
        return BNRE_OK;
    }
    status = bnre_node_add(parent, key, node);
    node = NULL;
done:
    bnre_node_destroy(node);
    return status;
}

bnre_status bnre_node_branch(bnre_node *parent, const char *key,
                             bnre_node_kind kind, bnre_node **out)
{
    bnre_node *node = NULL;

    *out = NULL;
    BNRE_DO(bnre_node_create(kind, NULL, &node));
    BNRE_DO(bnre_node_add(parent, key, node));
    *out = node;
    return BNRE_OK;
}

const bnre_node *bnre_node_find(const bnre_node *map, const char *key)
{
    if (map == NULL || map->kind != BNRE_NODE_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->child[i]->key, key) == 0)
            return map->child[i];
    return NULL;
}

bnre_status bnre_node_fail(const bnre_node *node, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (node->file == NULL)
        return bnre_fail(BNRE_EUSAGE, "%s", text);
    return bnre_fail(BNRE_EUSAGE, "%s:%zu: %s", node->file, node->line, text);
}

static const char *word_of(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

bnre_status bnre_node_check_keys(const bnre_node *map, const char *const *keys)
{
    if (map->kind != BNRE_NODE_MAP)
        return bnre_node_fail(map, "settings (key: value) are expected here");
    for (size_t i = 0; i < map->count; i++) {
        const bnre_node *child = map->child[i];
        const char *nearest;
        size_t k = 0;

        while (keys[k] != NULL && strcmp(keys[k], child->key) != 0)
            k++;
        if (keys[k] != NULL)
            continue;
        nearest = bnre__text_nearest(child->key, word_of, keys);
        if (nearest != NULL)
            return bnre_node_fail(
                child, "unknown setting \"%s\": did you mean \"%s\"?",
                child->key, nearest);
        return bnre_node_fail(child, "unknown setting \"%s\"", child->key);
    }
    return BNRE_OK;
}

/* Control characters, line ends of any kind, and marks that make text look like
   another. */
static int needs_escape(long code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
           bnre__text_is_hidden(code) || (code & 0xfffe) == 0xfffe;
}

static int plain_is_safe(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = strlen(text);

    if (length == 0 || strchr("?:,[]{}#&*!|>'\"%@` ", text[0]) != NULL ||
        text[length - 1] == ' ' || text[length - 1] == ':')
        return 0;
    if (text[0] == '-' && (text[1] < '0' || text[1] > '9') && text[1] != '.')
        return 0;
    if (strncmp(text, "...", 3) == 0 || strstr(text, ": ") != NULL ||
        strstr(text, " #") != NULL)
        return 0;
    while (*at != 0)
        if (needs_escape(bnre__text_code(&at)))
            return 0;
    return 1;
}

static bnre_status write_quoted(bnre__text *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    BNRE_DO(bnre__text_add(out, "\""));
    while (*at != 0) {
        const unsigned char *from = at;
        long code = bnre__text_code(&at);

        if (code == '"' || code == '\\')
            BNRE_DO(bnre__text_add(out, "\\%c", (int)code));
        else if (code == '\n')
            BNRE_DO(bnre__text_add(out, "\\n"));
        else if (code == '\t')
            BNRE_DO(bnre__text_add(out, "\\t"));
        else if (!needs_escape(code))
            BNRE_DO(
                bnre__text_add(out, "%.*s", (int)(at - from), (char *)from));
        else if (code < 0x100)
            BNRE_DO(bnre__text_add(out, "\\x%02lX", code));
        else if (code < 0x10000)
            BNRE_DO(bnre__text_add(out, "\\u%04lX", code));
        else
            BNRE_DO(bnre__text_add(out, "\\U%08lX", code));
    }
    return bnre__text_add(out, "\"");
}

static bnre_status write_text(bnre__text *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at != 0)
        if (bnre__text_code(&at) < 0)
            return bnre_fail(BNRE_EUSAGE, "\"%s\" is not UTF-8 text", text);
    if (plain_is_safe(text))
        return bnre__text_add(out, "%s", text);
    return write_quoted(out, text);
}

/* What fits on the line it starts on. */
static int is_short(const bnre_node *node)
{
    return node->kind == BNRE_NODE_TEXT || node->count == 0;
}

static bnre_status write_short(bnre__text *out, const bnre_node *node)
{
    if (node->kind == BNRE_NODE_TEXT)
        BNRE_DO(write_text(out, node->text));
    else
        BNRE_DO(bnre__text_add(out, node->kind == BNRE_NODE_MAP ? "{}" : "[]"));
    return bnre__text_add(out, "\n");
}

/* The children of a list or map, each on lines of its own. The first follows
   what the line holds already when it stands behind the dash of a list. */
static bnre_status write_children(bnre__text *out, const bnre_node *node,
                                  int indent, int behind_dash)
{
    for (size_t i = 0; i < node->count; i++) {
        const bnre_node *child = node->child[i];
        int spaces = i == 0 && behind_dash ? 0 : indent;

        BNRE_DO(bnre__text_add(out, "%*s", spaces, ""));
        if (node->kind == BNRE_NODE_LIST) {
            BNRE_DO(bnre__text_add(out, "- "));
        } else {
            BNRE_DO(write_text(out, child->key));
            BNRE_DO(bnre__text_add(out, is_short(child) ? ": " : ":\n"));
        }
        if (is_short(child))
            BNRE_DO(write_short(out, child));
        else
            BNRE_DO(write_children(out, child, indent + 2,
                                   node->kind == BNRE_NODE_LIST));
    }
    return BNRE_OK;
}

bnre_status bnre_node_write(const bnre_node *node, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    *out = NULL;
    if (is_short(node))
        BNRE_TRY(write_short(&text, node));
    else
        BNRE_TRY(write_children(&text, node, 0, 0));
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}
