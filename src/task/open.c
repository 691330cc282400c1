/* open.c - tasks named on the command line: built-in, or in a file. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "bnre/task.h"

static int is_file_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot != NULL &&
           (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* A copy of a task's settings as a map, so that options can be added. It comes
   from the same file, to which paths are relative. */
static bnre_status copy_as_map(const bnre_node *task, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;

    *out = NULL;
    if (task->kind == BNRE_NODE_TEXT) {
        BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
        BNRE_TRY(bnre_node_set(*out, "name", task->text));
    } else {
        BNRE_TRY(bnre_node_write(task, &text));
        BNRE_TRY(bnre_yaml_parse(text, task->file, out));
    }
done:
    bnre_free(text);
    return status;
}

static bnre_status add_option(bnre_node *map, const char *text)
{
    bnre_status status = BNRE_OK;
    const char *equals = strchr(text, '=');
    bnre_node *options = (bnre_node *)bnre_node_find(map, "options");
    char *key = NULL;

    if (equals == NULL || equals == text)
        BNRE_THROW(BNRE_EUSAGE, "option \"%s\" must be of the form key=value",
                   text);
    if (options == NULL)
        BNRE_TRY(bnre_node_branch(map, "options", BNRE_NODE_MAP, &options));
    BNRE_TRY(bnre__text_format(&key, "%.*s", (int)(equals - text), text));
    BNRE_TRY(bnre_node_set(options, key, equals + 1));
done:
    bnre__free(key);
    return status;
}

static bnre_status
open_task(const char *name_or_file, size_t n, const char *const *options,
          bnre_status (*create)(const bnre_node *settings, bnre_task **out),
          bnre_task **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *map = NULL;
    const bnre_node *task;

    *out = NULL;
    if (is_file_name(name_or_file))
        BNRE_TRY(bnre_yaml_read(name_or_file, &root));
    else
        BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, name_or_file, &root));
    task = bnre_node_find(root, "task");
    if (task == NULL)
        task = root;
    if (n > 0) {
        BNRE_TRY(copy_as_map(task, &map));
        task = map;
    }
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(add_option(map, options[i]));
    BNRE_TRY(create(task, out));
done:
    bnre_node_destroy(map);
    bnre_node_destroy(root);
    return status;
}

bnre_status bnre_task_open(const char *name_or_file, size_t n,
                           const char *const *options, bnre_task **out)
{
    return open_task(name_or_file, n, options, bnre_task_create, out);
}

bnre_status bnre_task_look(const char *name_or_file, size_t n,
                           const char *const *options, bnre_task **out)
{
    return open_task(name_or_file, n, options, bnre_task_describe, out);
}
