#include "reference.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { PATH_SIZE = 256 };

/* A ref is jansson's value; the cast is confined to these two. */
static const json_t *as_json(const ref *node)
{
    return (const json_t *)(const void *)node;
}

static const ref *as_ref(const json_t *value)
{
    return (const ref *)(const void *)value;
}

ref *ref_load(const char *name)
{
    char path[1024];
    json_error_t error;
    json_t *root;

    snprintf(path, sizeof path, "%s/reference/%s", TEST_DATA, name);
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return (ref *)(void *)root;
}

void ref_free(ref *root)
{
    json_decref((json_t *)(void *)root);
}

static const json_t *walk(const json_t *value, char *path)
{
    char *rest = NULL;

    for (char *step = strtok_r(path, "/", &rest); step != NULL && value != NULL;
         step = strtok_r(NULL, "/", &rest)) {
        if (json_is_object(value)) {
            value = json_object_get(value, step);
        } else {
            char *end;
            unsigned long i = strtoul(step, &end, 10);

            value = *end == 0 ? json_array_get(value, i) : NULL;
        }
    }
    return value;
}

const ref *ref_at(const ref *node, const char *path, ...)
{
    char text[PATH_SIZE], steps[PATH_SIZE];
    const json_t *value;
    va_list args;

    va_start(args, path);
    vsnprintf(text, sizeof text, path, args);
    va_end(args);
    memcpy(steps, text, sizeof steps);
    value = walk(as_json(node), steps);
    if (value == NULL)
        fail_msg("no %s in the reference data", text);
    return as_ref(value);
}

int ref_has(const ref *node, const char *path, ...)
{
    char steps[PATH_SIZE];
    va_list args;

    va_start(args, path);
    vsnprintf(steps, sizeof steps, path, args);
    va_end(args);
    return walk(as_json(node), steps) != NULL;
}

size_t ref_count(const ref *node)
{
    const json_t *value = as_json(node);

    return json_is_array(value) ? json_array_size(value)
                                : json_object_size(value);
}

const char *ref_key(const ref *object, size_t i)
{
    json_t *map = (json_t *)(void *)(uintptr_t)object;
    void *entry = json_object_iter(map);

    while (entry != NULL && i-- > 0)
        entry = json_object_iter_next(map, entry);
    if (entry == NULL)
        fail_msg("no such key in the reference data");
    return json_object_iter_key(entry);
}

double ref_number(const ref *node)
{
    if (!json_is_number(as_json(node)))
        fail_msg("not a number in the reference data");
    return json_number_value(as_json(node));
}

const char *ref_text(const ref *node)
{
    if (!json_is_string(as_json(node)))
        fail_msg("not a text in the reference data");
    return json_string_value(as_json(node));
}

/* Count the numbers below `value`; write those that fit into out (room). */
static size_t flatten(const json_t *value, size_t room, double *out)
{
    size_t n = 0;

    if (!json_is_array(value)) {
        if (room > 0)
            out[0] = ref_number(as_ref(value));
        return 1;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        size_t left = room > n ? room - n : 0;

        n += flatten(json_array_get(value, i), left, left > 0 ? out + n : out);
    }
    return n;
}

void ref_numbers(const ref *node, size_t n, double *out)
{
    size_t found = flatten(as_json(node), n, out);

    if (found != n)
        fail_msg("%zu numbers in the reference data, expected %zu", found, n);
}

double *ref_array(const ref *node, size_t *n)
{
    double *out = NULL;

    *n = flatten(as_json(node), 0, NULL);
    assert_non_null(out = bnre__alloc(*n, sizeof *out));
    ref_numbers(node, *n, out);
    return out;
}
