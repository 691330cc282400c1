/* output.c - outputs in the making: directories and files beside their
   target, and what others left there. */
#define _XOPEN_SOURCE 700
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "io/json.h"
#include "io/temporary.h"
#include "task/external/remove_tree.h"

/* The name of an output that is its own home. */
#define INSIDE "bnre"

bnre_status bnre__output_join(const char *directory, const char *name,
                              char **out)
{
    return strcmp(directory, ".") == 0
               ? bnre__strdup(name, out)
               : bnre__text_format(out, "%s/%s", directory, name);
}

/* ---- where ---- */

static int is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Whether the directory at `path` can give its place to another one, whose last
   name is `last`. */
static int can_be_exchanged(const bnre__output_files *output, const char *last)
{
    struct stat info;

    if (last[0] == 0 || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return 0;
    if (lstat(output->path, &info) != 0)
        return 1; /* it is not there yet */
    return S_ISDIR(info.st_mode) && access(output->home, W_OK | X_OK) == 0 &&
           !bnre__same_file(output->path, ".");
}

/* Where its files belong, and where hidden ones go. */
static bnre_status find_places(bnre__output_files *output)
{
    const char *slash = strrchr(output->path, '/');
    const char *last = slash == NULL ? output->path : slash + 1;

    if (slash == output->path)
        BNRE_DO(bnre__strdup("/", &output->home));
    else
        BNRE_DO(
            bnre__text_format(&output->home, "%.*s",
                              slash == NULL ? 1 : (int)(slash - output->path),
                              slash == NULL ? "." : output->path));
    if (!output->whole) {
        BNRE_DO(bnre__strdup(output->home, &output->directory));
        BNRE_DO(bnre__strdup(last, &output->main));
        BNRE_DO(bnre__strdup(last, &output->name));
        output->stem = strrchr(last, '.') == NULL
                           ? strlen(last)
                           : (size_t)(strrchr(last, '.') - last);
        return BNRE_OK;
    }
    BNRE_DO(bnre__strdup(output->path, &output->directory));
    output->whole = can_be_exchanged(output, last);
    BNRE_DO(bnre__strdup(output->whole ? last : INSIDE, &output->name));
    if (!output->whole) {
        bnre__free(output->home);
        output->home = NULL;
        BNRE_DO(bnre__strdup(output->path, &output->home));
    }
    return BNRE_OK;
}

static bnre_status create(const bnre__output_plan *plan,
                          bnre__output_files **out)
{
    bnre_status status = BNRE_OK;
    bnre__output_files *output = NULL;
    size_t length;

    BNRE_NEW(output, 1);
    *out = output;
    output->force = plan->force;
    output->whole = plan->main != NULL;
    BNRE_TRY(bnre__strdup(plan->path, &output->path));
    for (length = strlen(output->path);
         output->whole && length > 1 && output->path[length - 1] == '/';)
        output->path[--length] = 0;
    if (length == 0)
        BNRE_THROW(BNRE_EUSAGE, "the name of the output is empty");
    if (plan->main != NULL)
        BNRE_TRY(bnre__strdup(plan->main, &output->main));
    if (plan->main != NULL && bnre__file_exists(output->path) &&
        !is_directory(output->path))
        BNRE_THROW(BNRE_EEXIST, "%s is no directory: choose another `output`",
                   output->path);
    BNRE_NEW(output->known, plan->names);
    for (; output->names < plan->names; output->names++)
        BNRE_TRY(bnre__strdup(plan->name[output->names],
                              &output->known[output->names]));
    BNRE_TRY(find_places(output));
done:
    return status;
}

void bnre__output_close(bnre__output_files *output)
{
    if (output == NULL)
        return;
    if (output->place != NULL && !output->published)
        bnre__remove_tree(output->place);
    bnre__writer_lock_release(output->lock);
    bnre__json_destroy(output->old);
    for (size_t i = 0; i < output->names; i++)
        bnre__free(output->known[i]);
    bnre__free(output->known);
    bnre__free(output->place);
    bnre__free(output->main);
    bnre__free(output->name);
    bnre__free(output->home);
    bnre__free(output->directory);
    bnre__free(output->path);
    bnre__free(output);
}

/* ---- inputs ---- */

bnre_status bnre__output_refuse_inputs(const char *output, size_t inputs,
                                       const char *const *input)
{
    for (size_t i = 0; i < inputs; i++)
        BNRE_DO(bnre__refuse_input(output, input[i]));
    return BNRE_OK;
}

static bnre_status refuse_inputs(const bnre__output_files *output,
                                 const bnre__output_plan *plan)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t k = 0; k <= output->names; k++) {
        const char *name = k == 0 ? output->main : output->known[k - 1];

        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__output_join(output->directory, name, &path));
        BNRE_TRY(bnre__output_refuse_inputs(path, plan->inputs, plan->input));
        if (plan->more != NULL)
            BNRE_TRY(bnre__output_refuse_inputs(
                path, plan->more->count,
                (const char *const *)plan->more->text));
    }
done:
    bnre__free(path);
    return status;
}

/* ---- what is there ---- */

size_t bnre__output_count(const bnre__output_files *output)
{
    return bnre__json_count(bnre__json_find(output->old, "files"));
}

static const char *listed(const bnre__output_files *output, size_t i)
{
    const bnre__json *files = bnre__json_find(output->old, "files");

    return bnre__json_as_text(bnre__json_at(files, i));
}

bnre_status bnre__output_listed(const bnre__output_files *output, size_t i,
                                char **out)
{
    const char *text = listed(output, i);

    *out = NULL;
    if (text == NULL || strchr(text, '/') != NULL)
        return BNRE_OK;
    return bnre__text_format(out, "%.*s%s", (int)output->stem, output->main,
                             text);
}

/* Whether a name is in the list of files of what is there. */
static int is_listed(const bnre__output_files *output, const char *name)
{
    if (strncmp(name, output->main, output->stem) != 0)
        return 0;
    for (size_t i = 0; i < bnre__output_count(output); i++) {
        const char *text = listed(output, i);

        if (text != NULL && strcmp(text, name + output->stem) == 0)
            return 1;
    }
    return 0;
}

int bnre__output_owns(const bnre__output_files *output, const char *name)
{
    if (output->old == NULL)
        return 0;
    if (strcmp(name, output->main) == 0)
        return 1;
    if (bnre__json_find(output->old, "files") != NULL)
        return is_listed(output, name);
    if (bnre__json_find(output->old, "version") == NULL)
        return 0; /* none of our files at all */
    for (size_t i = 0; i < output->names; i++)
        if (strcmp(output->known[i], name) == 0)
            return 1;
    return 0;
}

/* Whether all the files it speaks of are there. */
static bnre_status find_files(const bnre__output_files *output, int *all)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *name = NULL;

    *all = 1;
    for (size_t i = 0; i < bnre__output_count(output) && *all; i++) {
        bnre__free(name);
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__output_listed(output, i, &name));
        if (name != NULL)
            BNRE_TRY(bnre__output_join(output->directory, name, &path));
        *all = path != NULL && bnre__file_exists(path);
    }
done:
    bnre__free(name);
    bnre__free(path);
    return status;
}

/* Compare with how it would be made now. */
static bnre_status compare(bnre__output_files *output,
                           const bnre__output_plan *plan)
{
    const bnre__json *files = bnre__json_find(output->old, "files");
    const char *version = bnre__json_text_of(output->old, "version");
    bnre_status status = BNRE_OK;
    bnre__json *now = NULL;
    int same, all;

    BNRE_TRY(bnre__json_create(&now));
    BNRE_TRY(bnre__made_add(now, plan->made));
    same = bnre__json_same(bnre__json_find(output->old, "made"),
                           bnre__json_find(now, "made")) &&
           version != NULL && strcmp(version, BNRE_VERSION) == 0;
    BNRE_TRY(find_files(output, &all));
    output->state = !same ? BNRE__OUTPUT_OTHER
                    : bnre__json_find(output->old, "unfinished") != NULL
                        ? BNRE__OUTPUT_UNFINISHED
                    : files == NULL || !all ? BNRE__OUTPUT_INCOMPLETE
                                            : BNRE__OUTPUT_DONE;
done:
    bnre__json_destroy(now);
    return status;
}

/* Look at the main file and find the state. One that is no file of results is
   something else, like any file. */
static bnre_status examine(bnre__output_files *output,
                           const bnre__output_plan *plan)
{
    bnre_status status = BNRE_OK;
    struct stat info;
    char *path = NULL;

    bnre__json_destroy(output->old);
    output->old = NULL;
    output->state = BNRE__OUTPUT_NEW;
    BNRE_TRY(bnre__output_join(output->directory, output->main, &path));
    if (lstat(path, &info) != 0)
        goto done;
    output->state = BNRE__OUTPUT_OTHER;
    if (!S_ISREG(info.st_mode))
        goto done;
    status = bnre__json_read(path, &output->old);
    if (status == BNRE_EFORMAT) {
        status = BNRE_OK;
        goto done;
    }
    BNRE_TRY(status);
    BNRE_TRY(compare(output, plan));
done:
    bnre__free(path);
    return status;
}

/* Nothing is replaced that is not this very result. */
static bnre_status refuse_existing(const bnre__output_files *output)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (output->force)
        return BNRE_OK;
    if (output->state == BNRE__OUTPUT_OTHER) {
        BNRE_TRY(bnre__output_join(output->directory, output->main, &path));
        BNRE_THROW(BNRE_EEXIST,
                   "%s is there already, made in another way: use `force` to "
                   "replace it, or another `output`",
                   path);
    }
    for (size_t i = 0; i < output->names; i++) {
        if (bnre__output_owns(output, output->known[i]))
            continue;
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__output_join(output->directory, output->known[i], &path));
        BNRE_TRY(bnre__refuse_existing(path, 0));
    }
done:
    bnre__free(path);
    return status;
}

/* ---- opening ---- */

/* A private directory, with the mode that it would have by itself kept for
   later. */
static bnre_status make_place(bnre__output_files *output)
{
    char random[BNRE__RANDOM + 1];
    struct stat info;

    bnre__random_letters(random);
    BNRE_DO(bnre__text_format(&output->place, "%s/.%s.%s.new", output->home,
                              output->name, random));
    if (mkdir(output->place, 0777) != 0 || lstat(output->place, &info) != 0 ||
        chmod(output->place, 0700) != 0) {
        return bnre__file_fail(output->path, "write", errno);
    }
    output->mode = (unsigned)info.st_mode & 0777;
    return BNRE_OK;
}

static bnre_status take_lock(bnre__output_files *output)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(bnre__output_join(output->home, output->name, &path));
    BNRE_TRY(bnre__writer_lock_take_as(path, output->path, &output->lock));
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__output_open(const bnre__output_plan *plan,
                              bnre__output_files **out)
{
    bnre_status status = BNRE_OK;
    bnre__output_files *output = NULL;

    *out = NULL;
    BNRE_TRY(create(plan, &output));
    BNRE_TRY(refuse_inputs(output, plan));
    if (!output->force && !bnre__output_is_pending(output)) {
        /* Refusals and finished work need no right to write. */
        BNRE_TRY(examine(output, plan));
        BNRE_TRY(refuse_existing(output));
    }
    if (output->state == BNRE__OUTPUT_DONE) {
        /* What a killed process has left is in nobody's way. */
        if (take_lock(output) == BNRE_OK)
            BNRE_TRY(bnre__output_recover(output));
    } else {
        BNRE_TRY(take_lock(output));
        BNRE_TRY(bnre__output_recover(output));
        BNRE_TRY(examine(output, plan));
        BNRE_TRY(refuse_existing(output));
        if (output->force && output->state != BNRE__OUTPUT_NEW)
            output->state = BNRE__OUTPUT_OTHER;
        if (output->state != BNRE__OUTPUT_DONE)
            BNRE_TRY(make_place(output));
    }
    *out = output;
    output = NULL;
done:
    bnre__output_close(output);
    return status;
}

int bnre__output_done(const bnre__output_files *output)
{
    return output->state == BNRE__OUTPUT_DONE;
}

const char *bnre__output_text(const bnre__output_files *output, const char *key)
{
    return bnre__json_text_of(output->old, key);
}

const char *bnre__output_place(const bnre__output_files *output)
{
    return output->place;
}

bnre_status bnre__file_fingerprint(const char *path, char out[33])
{
    return bnre__file_hash(path, out);
}
