/* json.c - results for programs: a tree of values, written and read as JSON. */
#include "io/json.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "io/file.h"

enum { LARGEST_FILE = 1 << 28, DIGITS = 15, ALL_DIGITS = 17 };

/* A bnre__json is jansson's value; the casts are confined to these two. */
static json_t *as_json(const bnre__json *value)
{
    return (json_t *)(void *)(size_t)value;
}

static bnre__json *as_ours(json_t *value)
{
    return (bnre__json *)(void *)value;
}

bnre_status bnre__json_create(bnre__json **out)
{
    *out = as_ours(json_object());
    if (*out == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory for results");
    return BNRE_OK;
}

void bnre__json_destroy(bnre__json *root)
{
    json_decref(as_json(root));
}

/* Takes `value`. */
static bnre_status put(bnre__json *parent, const char *key, json_t *value)
{
    json_t *to = as_json(parent);

    if (value == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory for results");
    if (key == NULL ? json_array_append_new(to, value)
                    : json_object_set_new(to, key, value))
        return bnre_fail(BNRE_EINVAL, "cannot put '%s' into the results",
                         key == NULL ? "a value" : key);
    return BNRE_OK;
}

bnre_status bnre__json_object(bnre__json *parent, const char *key,
                              bnre__json **out)
{
    json_t *value = json_object();

    *out = as_ours(value);
    return put(parent, key, value);
}

bnre_status bnre__json_list(bnre__json *parent, const char *key,
                            bnre__json **out)
{
    json_t *value = json_array();

    *out = as_ours(value);
    return put(parent, key, value);
}

bnre_status bnre__json_real(bnre__json *parent, const char *key, double value)
{
    return put(parent, key, isfinite(value) ? json_real(value) : json_null());
}

bnre_status bnre__json_size(bnre__json *parent, const char *key, size_t value)
{
    return put(parent, key, json_integer((json_int_t)value));
}

bnre_status bnre__json_flag(bnre__json *parent, const char *key, int value)
{
    return put(parent, key, json_boolean(value));
}

bnre_status bnre__json_text(bnre__json *parent, const char *key,
                            const char *value)
{
    json_t *text = value == NULL ? json_null() : json_string(value);

    if (text == NULL)
        return bnre_fail(BNRE_EINVAL, "the text of '%s' is not UTF-8",
                         key == NULL ? "a list" : key);
    return put(parent, key, text);
}

bnre_status bnre__json_reals(bnre__json *parent, const char *key, size_t n,
                             const double *value)
{
    bnre__json *list;

    BNRE_DO(bnre__json_list(parent, key, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__json_real(list, NULL, value[i]));
    return BNRE_OK;
}

struct sink {
    bnre__file *file;
    bnre_status status;
};

static int write_part(const char *text, size_t bytes, void *arg)
{
    struct sink *sink = arg;

    sink->status = bnre__file_write(sink->file, text, bytes);
    return sink->status == BNRE_OK ? 0 : -1;
}

bnre_status bnre__json_write(const bnre__json *root, const char *path)
{
    bnre_status status = BNRE_OK;
    struct sink sink = {NULL, BNRE_OK};

    BNRE_TRY(bnre__file_create(path, &sink.file));
    if (json_dump_callback(as_json(root), write_part, &sink,
                           JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) != 0) {
        BNRE_TRY(sink.status);
        BNRE_THROW(BNRE_ENOMEM, "no memory to write %s", path);
    }
    BNRE_TRY(bnre__file_write(sink.file, "\n", 1));
done:
    return bnre__file_end(sink.file, status);
}

static int put_part(const char *text, size_t bytes, void *arg)
{
    bnre__text_put(arg, "%.*s", (int)bytes, text);
    return 0;
}

bnre_status bnre__json_print(const bnre__json *root, char **out)
{
    bnre__text text = {0};

    *out = NULL;
    if (json_dump_callback(as_json(root), put_part, &text,
                           JSON_ENCODE_ANY | JSON_INDENT(1) |
                               JSON_REAL_PRECISION(ALL_DIGITS)) != 0)
        text.status = bnre_fail(BNRE_ENOMEM, "no memory for results");
    return bnre__text_take(&text, out);
}

bnre_status bnre__json_adopt(bnre__json *parent, const char *key,
                             bnre__json *child)
{
    return put(parent, key, as_json(child));
}

bnre_status bnre__json_read(const char *path, bnre__json **out)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;
    size_t bytes;
    json_error_t error;
    json_t *root;

    *out = NULL;
    BNRE_TRY(bnre__file_read_all(path, LARGEST_FILE, &text, &bytes));
    root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s:%d: %s", path, error.line, error.text);
    *out = as_ours(root);
done:
    bnre__free(text);
    return status;
}

int bnre__json_same(const bnre__json *a, const bnre__json *b)
{
    return json_equal(as_json(a), as_json(b));
}

const bnre__json *bnre__json_find(const bnre__json *object, const char *key)
{
    return as_ours(json_object_get(as_json(object), key));
}

const bnre__json *bnre__json_at(const bnre__json *list, size_t i)
{
    return as_ours(json_array_get(as_json(list), i));
}

size_t bnre__json_count(const bnre__json *list)
{
    return json_array_size(as_json(list));
}

double bnre__json_as_real(const bnre__json *value)
{
    return json_is_number(as_json(value)) ? json_number_value(as_json(value))
                                          : NAN;
}

int bnre__json_as_flag(const bnre__json *value)
{
    return json_is_true(as_json(value));
}

const char *bnre__json_as_text(const bnre__json *value)
{
    return json_string_value(as_json(value));
}

double bnre__json_real_of(const bnre__json *object, const char *key)
{
    return bnre__json_as_real(bnre__json_find(object, key));
}

size_t bnre__json_size_of(const bnre__json *object, const char *key)
{
    const double value = bnre__json_real_of(object, key);

    return value > 0 && value < 1e15 ? (size_t)value : 0;
}

int bnre__json_flag_of(const bnre__json *object, const char *key)
{
    return bnre__json_as_flag(bnre__json_find(object, key));
}

const char *bnre__json_text_of(const bnre__json *object, const char *key)
{
    return bnre__json_as_text(bnre__json_find(object, key));
}

/* What a map or a list holds; entries of lists have no key. */
static bnre_status add_children(bnre__json *parent, const bnre_node *node)
{
    const int named = node->kind == BNRE_NODE_MAP;

    for (size_t i = 0; i < node->count; i++) {
        const bnre_node *child = node->child[i];
        const char *key = named ? child->key : NULL;
        bnre__json *inner = NULL;

        switch (child->kind) {
        case BNRE_NODE_TEXT:
            BNRE_DO(bnre__json_text(parent, key, child->text));
            break;
        case BNRE_NODE_MAP:
            BNRE_DO(bnre__json_object(parent, key, &inner));
            BNRE_DO(add_children(inner, child));
            break;
        case BNRE_NODE_LIST:
            BNRE_DO(bnre__json_list(parent, key, &inner));
            BNRE_DO(add_children(inner, child));
            break;
        }
    }
    return BNRE_OK;
}

bnre_status bnre__made_add(bnre__json *root, const bnre_node *made)
{
    bnre__json *inner = NULL;

    if (made == NULL)
        return BNRE_OK;
    BNRE_DO(bnre__json_object(root, "made", &inner));
    return add_children(inner, made);
}

bnre_status bnre__json_settings(bnre__json *parent, const char *key,
                                const bnre_node *node)
{
    bnre__json *inner = NULL;
    double value;

    if (node->kind == BNRE_NODE_TEXT) {
        const char *end = node->text + strlen(node->text);

        /* Some fingerprints read as numbers. */
        if ((key == NULL || strcmp(key, "fingerprint") != 0) &&
            bnre__number_scan(node->text, end, &value) == end)
            return bnre__json_real(parent, key, value);
        return bnre__json_text(parent, key, node->text);
    }
    if (node->kind == BNRE_NODE_MAP)
        BNRE_DO(bnre__json_object(parent, key, &inner));
    else
        BNRE_DO(bnre__json_list(parent, key, &inner));
    for (size_t i = 0; i < node->count; i++)
        BNRE_DO(bnre__json_settings(
            inner, node->kind == BNRE_NODE_MAP ? node->child[i]->key : NULL,
            node->child[i]));
    return BNRE_OK;
}
