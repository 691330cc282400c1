/* external.c - the settings of external programs as simulators, and the
   simulator made of them. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "task/external/external.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "io/file.h"

static const char DEFAULT_TIMEOUT[] = "60";
static const char REPLIES[] = "text|f32|f64";
static const size_t LARGEST_TEMPLATE = 16 << 20;

/* ---- reading settings ---- */

/* A single value under `key`; *out stays NULL if there is none. Texts that go
   to the system must not be empty. */
static bnre_status read_text(const bnre_node *map, const char *key,
                             const char **out)
{
    const bnre_node *node = bnre_node_find(map, key);

    *out = NULL;
    if (node == NULL)
        return BNRE_OK;
    if (node->kind != BNRE_NODE_TEXT || node->text[0] == 0)
        return bnre_node_fail(node, "%s needs a single value", key);
    *out = node->text;
    return BNRE_OK;
}

/* Complaints of the readers of single values get the place of the value. */
static bnre_status place(bnre_status status, const bnre_node *map,
                         const char *key)
{
    const bnre_node *node = bnre_node_find(map, key);

    if (status == BNRE_EUSAGE && node != NULL)
        return bnre_node_fail(node, "%s", bnre_error_message());
    return status;
}

static bnre_status read_command(bnre__external *external, const bnre_node *map)
{
    const bnre_node *node = bnre_node_find(map, "command");
    bnre_status status = BNRE_OK;

    if (node->kind != BNRE_NODE_LIST || node->count == 0)
        return bnre_node_fail(node, "command must be a list of the program and "
                                    "its arguments such as [python3, sim.py]: "
                                    "no shell takes it apart");
    BNRE_NEW(external->command, node->count);
    for (size_t i = 0; i < node->count; i++) {
        const bnre_node *word = node->child[i];

        if (word->kind != BNRE_NODE_TEXT || (i == 0 && word->text[0] == 0))
            BNRE_TRY(bnre_node_fail(word, "an argument must be a single text"));
        BNRE_TRY(bnre__strdup(word->text, &external->command[i]));
        external->argc = i + 1;
    }
done:
    return status;
}

/* The file made from the template is called like it, without its ending .in. */
static bnre_status name_input(bnre__external *external, const char *given)
{
    const char *slash, *name;
    size_t length;

    if (given != NULL)
        return bnre__strdup(given, &external->input);
    slash = strrchr(external->template, '/');
    name = slash == NULL ? external->template : slash + 1;
    length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".in") == 0)
        length -= 3;
    return bnre__text_format(&external->input, "%.*s", (int)length, name);
}

/* Whether a path leads out of the directory that it starts from. */
static int leaves(const char *path)
{
    if (*path == '/')
        return 1;
    for (; *path != 0; path += strspn(path, "/")) {
        const size_t length = strcspn(path, "/");

        if (length == 2 && memcmp(path, "..", 2) == 0)
            return 1;
        path += length;
    }
    return 0;
}

static bnre_status read_files(bnre__external *external, const bnre_node *map)
{
    const char *template, *input, *output;

    BNRE_DO(read_text(map, "template", &template));
    BNRE_DO(read_text(map, "input", &input));
    BNRE_DO(read_text(map, "output", &output));
    if (input != NULL && template == NULL)
        BNRE_DO(bnre_node_fail(bnre_node_find(map, "input"),
                               "input names the file that is made from a "
                               "template, but there is no template"));
    if (input != NULL && (strchr(input, '/') != NULL || leaves(input)))
        BNRE_DO(bnre_node_fail(bnre_node_find(map, "input"),
                               "input must be a name without '/': the file is "
                               "in the scratch directory of the run"));
    if (output != NULL && leaves(output))
        BNRE_DO(bnre_node_fail(bnre_node_find(map, "output"),
                               "output must be relative to the scratch "
                               "directory of the run, and not lead out of "
                               "it"));
    if (template != NULL) {
        BNRE_DO(bnre__strdup(template, &external->template));
        BNRE_DO(name_input(external, input));
    }
    if (output != NULL)
        BNRE_DO(bnre__strdup(output, &external->output));
    return BNRE_OK;
}

static bnre_status read_settings(bnre__external *external, const bnre_node *map)
{
    static const char *const keys[] = {"command", "reply",      "timeout",
                                       "workers", "on_failure", "template",
                                       "input",   "output",     NULL};
    const char *timeout, *workers, *reply, *on_failure;
    int choice = 0;

    BNRE_DO(bnre_node_check_keys(map, keys));
    BNRE_DO(read_command(external, map));
    BNRE_DO(read_files(external, map));
    BNRE_DO(read_text(map, "reply", &reply));
    BNRE_DO(read_text(map, "timeout", &timeout));
    BNRE_DO(read_text(map, "workers", &workers));
    BNRE_DO(read_text(map, "on_failure", &on_failure));
    if (reply != NULL)
        BNRE_DO(place(bnre__read_choice(reply, REPLIES, "reply", &choice), map,
                      "reply"));
    external->reply = (bnre__reply)choice;
    BNRE_DO(place(bnre__read_real(timeout != NULL ? timeout : DEFAULT_TIMEOUT,
                                  "(0, 1e9]", "timeout", &external->timeout),
                  map, "timeout"));
    if (workers != NULL)
        BNRE_DO(place(bnre__read_size(workers, "[1, 4096]", "workers",
                                      &external->workers),
                      map, "workers"));
    if (on_failure != NULL)
        BNRE_DO(place(bnre__read_choice(on_failure, "record|abort",
                                        "on_failure", &external->abort),
                      map, "on_failure"));
    return BNRE_OK;
}

/* ---- what follows from them ---- */

/* The directory of the settings' file, or the current one, in full: a program
   in a scratch directory would misunderstand relative paths. */
static bnre_status find_directory(bnre__external *external,
                                  const bnre_node *map)
{
    bnre_status status = BNRE_OK;
    const char *slash = map->file == NULL ? NULL : strrchr(map->file, '/');
    char *relative = NULL, *absolute = NULL;

    if (slash == NULL)
        BNRE_TRY(bnre__strdup(".", &relative));
    else
        BNRE_TRY(bnre__text_format(&relative, "%.*s/", (int)(slash - map->file),
                                   map->file));
    absolute = realpath(relative, NULL);
    if (absolute == NULL)
        BNRE_THROW(BNRE_EIO, "cannot find the directory %s: %s", relative,
                   strerror(errno));
    BNRE_TRY(bnre__strdup(absolute, &external->directory));
done:
    free(absolute);
    bnre__free(relative);
    return status;
}

/* A program kept running runs beside the settings, where its paths are right.
   One in a scratch directory needs them in full: its own, and those of
   arguments that name a file beside the settings. */
static bnre_status resolve_argument(const bnre__external *external, size_t i,
                                    char **out)
{
    const char *word = external->command[i];
    const int names_scratch_file =
        (external->input != NULL && strcmp(word, external->input) == 0) ||
        (external->output != NULL && strcmp(word, external->output) == 0);
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (external->once && word[0] != '/' && word[0] != 0 &&
        !names_scratch_file) {
        BNRE_TRY(bnre__text_format(&path, "%s/%s", external->directory, word));
        if (i == 0 ? strchr(word, '/') != NULL : access(path, F_OK) == 0) {
            *out = path;
            return BNRE_OK;
        }
    }
    status = bnre__strdup(word, out);
done:
    bnre__free(path);
    return status;
}

static bnre_status read_template(bnre__external *external,
                                 const bnre_node *node,
                                 const bnre__placeholders *names)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *text = NULL;
    size_t bytes = 0;
    struct stat info;

    BNRE_TRY(bnre__text_format(&path, "%s%s%s",
                               node->text[0] == '/' ? "" : external->directory,
                               node->text[0] == '/' ? "" : "/", node->text));
    /* A task made from the record in a dataset can be used for all but
       simulating where its files are not at hand. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        if (node->file != NULL) /* a pipe would wait for somebody to write */
            BNRE_TRY(
                bnre_node_fail(node, "template %s is not a file", node->text));
        goto done;
    }
    if (node->file == NULL && access(path, F_OK) != 0)
        goto done;
    status = bnre__file_read_all(path, LARGEST_TEMPLATE, &text, &bytes);
    if (status == BNRE_EIO || status == BNRE_EFORMAT)
        status = bnre_node_fail(node, "template: %s", bnre_error_message());
    BNRE_TRY(status);
    if (strlen(text) != bytes)
        BNRE_TRY(bnre_node_fail(node, "template %s is not a text", node->text));
    status = bnre__pattern_create(text, names, &external->content);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(node, "template %s: %s", node->text,
                                bnre_error_message());
done:
    bnre__free(text);
    bnre__free(path);
    return status;
}

static bnre_status make_patterns(bnre__external *external, const bnre_node *map,
                                 const bnre__placeholders *names)
{
    const bnre_node *command = bnre_node_find(map, "command");
    bnre_status status = BNRE_OK;

    BNRE_NEW(external->argument, external->argc);
    for (size_t i = 0; i < external->argc; i++) {
        status = bnre__pattern_create(external->command[i], names,
                                      &external->argument[i]);
        if (status == BNRE_EUSAGE)
            status =
                bnre_node_fail(command->child[i], "%s", bnre_error_message());
        BNRE_TRY(status);
        if (bnre__pattern_places(external->argument[i]) > 0)
            external->once = 1;
    }
    if (external->template != NULL || external->output != NULL)
        external->once = 1;
    if (external->template != NULL)
        BNRE_TRY(
            read_template(external, bnre_node_find(map, "template"), names));
done:
    return status;
}

/* A parameter that never reaches the program is a mistake. */
static bnre_status check_places(const bnre__external *external,
                                const bnre_node *map,
                                const bnre__placeholders *names)
{
    const bnre_node *command = bnre_node_find(map, "command");

    if (external->template != NULL && external->content == NULL)
        return BNRE_OK;
    for (size_t k = 0; external->once && k < names->n; k++) {
        int used = external->content != NULL &&
                   bnre__pattern_uses(external->content, k);

        if (strcmp(names->name[k], "seed") == 0)
            return bnre_node_fail(command, "a parameter cannot be called seed "
                                           "where {seed} stands for the seed");
        for (size_t i = 0; i < external->argc; i++)
            used |= bnre__pattern_uses(external->argument[i], k);
        if (!used)
            return bnre_node_fail(
                command,
                "{%s} is neither in the command nor in a template: the "
                "program would never see this parameter",
                names->name[k]);
    }
    return BNRE_OK;
}

/* Arguments with placeholders are texts to be filled in, not paths. */
static bnre_status resolve_arguments(bnre__external *external,
                                     const bnre__placeholders *names)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(external->argv, external->argc + 1);
    for (size_t i = 0; i < external->argc; i++) {
        if (bnre__pattern_places(external->argument[i]) > 0) {
            BNRE_TRY(bnre__strdup(external->command[i], &external->argv[i]));
            continue;
        }
        BNRE_TRY(resolve_argument(external, i, &external->argv[i]));
        bnre__pattern_destroy(external->argument[i]);
        external->argument[i] = NULL;
        BNRE_TRY(bnre__pattern_create(external->argv[i], names,
                                      &external->argument[i]));
    }
done:
    return status;
}

static bnre_status derive(bnre__external *external, const bnre_node *map,
                          const bnre__placeholders *names)
{
    external->dim = names->n;
    BNRE_DO(find_directory(external, map));
    BNRE_DO(make_patterns(external, map, names));
    BNRE_DO(check_places(external, map, names));
    BNRE_DO(resolve_arguments(external, names));
    BNRE_DO(bnre__tally_create(&external->tally));
    return bnre__log_create(&external->log);
}

bnre_status bnre__external_create(const bnre_node *settings,
                                  const bnre__placeholders *names,
                                  bnre__external **out)
{
    bnre_status status = BNRE_OK;
    bnre__external *external = NULL;

    *out = NULL;
    BNRE_NEW(external, 1);
    BNRE_TRY(read_settings(external, settings));
    BNRE_TRY(derive(external, settings, names));
    *out = external;
    external = NULL;
done:
    bnre__external_destroy(external);
    return status;
}

void bnre__external_destroy(bnre__external *external)
{
    if (external == NULL)
        return;
    for (size_t i = 0; i < external->argc; i++) {
        bnre__free(external->command[i]);
        if (external->argument != NULL)
            bnre__pattern_destroy(external->argument[i]);
        if (external->argv != NULL)
            bnre__free(external->argv[i]);
    }
    bnre__log_destroy(external->log);
    bnre__tally_destroy(external->tally);
    bnre__pattern_destroy(external->content);
    bnre__free(external->argument);
    bnre__free(external->argv);
    bnre__free(external->directory);
    bnre__free(external->output);
    bnre__free(external->input);
    bnre__free(external->template);
    bnre__free(external->command);
    bnre__free(external);
}

/* Not among them: how many work at a time and when to give up, which change
   nothing about a row. */
bnre_status bnre__external_describe(const bnre__external *external,
                                    bnre_node *map)
{
    static const char *const replies[] = {"text", "f32", "f64"};
    bnre_node *command = NULL;
    char number[BNRE__NUMBER_ROOM];

    BNRE_DO(bnre_node_branch(map, "command", BNRE_NODE_LIST, &command));
    for (size_t i = 0; i < external->argc; i++)
        BNRE_DO(bnre_node_set(command, NULL, external->command[i]));
    BNRE_DO(bnre_node_set(map, "reply", replies[external->reply]));
    bnre__number_format(external->timeout, number);
    BNRE_DO(bnre_node_set(map, "timeout", number));
    if (external->template != NULL) {
        BNRE_DO(bnre_node_set(map, "template", external->template));
        BNRE_DO(bnre_node_set(map, "input", external->input));
    }
    if (external->output != NULL)
        BNRE_DO(bnre_node_set(map, "output", external->output));
    return BNRE_OK;
}
