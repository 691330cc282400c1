/* output_publish.c - from files in a private place to the output that
   everybody sees. */
#define _GNU_SOURCE /* renameat2 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "io/file.h"
#include "io/temporary.h"
#include "output/output.h"
#include "task/external/remove_tree.h"

/* Names to be removed, each with a 0 behind it, in a directory of commit. */
#define REMOVALS ".remove"

enum { MOST_REMOVALS = 1 << 20 };

/* ---- directories ---- */

struct list {
    size_t n, room;
    char **name;
};

static void clear_list(struct list *list)
{
    for (size_t i = 0; i < list->n; i++)
        bnre__free(list->name[i]);
    bnre__free(list->name);
}

/* All names in a directory in order; *there = 0 if there is none. */
static bnre_status list_directory(const char *path, struct list *out,
                                  int *there)
{
    bnre_status status = BNRE_OK;
    const struct dirent *entry;
    DIR *directory = opendir(path);

    *there = directory != NULL;
    if (directory == NULL && errno != ENOENT)
        return bnre__file_fail(path, "read", errno);
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        BNRE_GROW(out->name, out->room, out->n + 1);
        BNRE_TRY(bnre__strdup(entry->d_name, &out->name[out->n]));
        out->n++;
    }
    if (out->n > 1)
        bnre__sort_texts(out->n, out->name);
done:
    if (directory != NULL)
        closedir(directory);
    return status;
}

static int has(const struct list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->name[i], name) == 0)
            return 1;
    return 0;
}

/* Some file systems know no sync of directories; more cannot be done there. */
static bnre_status sync_directory(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bnre_status status = BNRE_OK;

    if (fd < 0)
        return BNRE_OK;
    if (fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS &&
        errno != ENOTSUP)
        status = bnre__file_fail(path, "sync", errno);
    close(fd);
    return status;
}

/* A directory of ours, not a link to one. */
static int is_ours(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
           info.st_uid == geteuid();
}

static bnre_status name_commit(const bnre__output_files *output, char **out)
{
    return bnre__text_format(out, "%s/.%s.commit", output->home, output->name);
}

/* ---- one file after the other ---- */

static bnre_status move(const bnre__output_files *output, const char *from,
                        const char *name)
{
    bnre_status status = BNRE_OK;
    char *source = NULL, *target = NULL;

    BNRE_TRY(bnre__output_join(from, name, &source));
    BNRE_TRY(bnre__output_join(output->directory, name, &target));
    if (rename(source, target) != 0)
        status = bnre__file_fail(target, "write", errno);
done:
    bnre__free(target);
    bnre__free(source);
    return status;
}

/* Remove what the old output had and the new one has not. */
static bnre_status remove_old(const bnre__output_files *output,
                              const char *commit)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *names = NULL, *target = NULL;
    size_t bytes = 0;

    BNRE_TRY(bnre__output_join(commit, REMOVALS, &path));
    if (!bnre__file_exists(path))
        goto done;
    BNRE_TRY(bnre__file_read_all(path, MOST_REMOVALS, &names, &bytes));
    for (size_t at = 0; at < bytes; at += strlen(names + at) + 1) {
        if (names[at] == 0 || strchr(names + at, '/') != NULL)
            continue;
        bnre__free(target);
        target = NULL;
        BNRE_TRY(bnre__output_join(output->directory, names + at, &target));
        if (unlink(target) != 0 && errno != ENOENT && errno != EISDIR)
            BNRE_TRY(bnre__file_fail(target, "remove", errno));
    }
    if (unlink(path) != 0)
        status = bnre__file_fail(path, "remove", errno);
done:
    bnre__free(target);
    bnre__free(names);
    bnre__free(path);
    return status;
}

/* Begun again after a kill, it does what is left. */
static bnre_status move_all(const bnre__output_files *output,
                            const char *commit)
{
    bnre_status status = BNRE_OK;
    struct list list = {0};
    int there;

    BNRE_TRY(list_directory(commit, &list, &there));
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.name[i], output->main) != 0 &&
            strcmp(list.name[i], REMOVALS) != 0)
            BNRE_TRY(move(output, commit, list.name[i]));
    BNRE_TRY(remove_old(output, commit));
    BNRE_TRY(sync_directory(output->directory));
    if (has(&list, output->main))
        BNRE_TRY(move(output, commit, output->main));
    BNRE_TRY(sync_directory(output->directory));
    if (rmdir(commit) != 0)
        status = bnre__file_fail(commit, "remove", errno);
done:
    clear_list(&list);
    return status;
}

int bnre__output_is_pending(const bnre__output_files *output)
{
    char *commit = NULL;
    int pending = name_commit(output, &commit) == BNRE_OK && is_ours(commit);

    bnre__free(commit);
    return pending;
}

bnre_status bnre__output_recover(bnre__output_files *output)
{
    bnre_status status = BNRE_OK;
    char *commit = NULL, *start = NULL, *path = NULL;
    struct list list = {0};
    int there;

    BNRE_TRY(name_commit(output, &commit));
    if (is_ours(commit)) {
        if (mkdir(output->directory, 0777) != 0 && errno != EEXIST)
            BNRE_TRY(bnre__file_fail(output->directory, "write", errno));
        BNRE_TRY(move_all(output, commit));
    }
    BNRE_TRY(bnre__text_format(&start, ".%s.", output->name));
    BNRE_TRY(list_directory(output->home, &list, &there));
    for (size_t i = 0; i < list.n; i++) {
        if (!bnre__random_name(list.name[i], start, ".new"))
            continue;
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__output_join(output->home, list.name[i], &path));
        if (is_ours(path))
            bnre__remove_tree(path);
    }
done:
    clear_list(&list);
    bnre__free(path);
    bnre__free(start);
    bnre__free(commit);
    return status;
}

/* ---- before it is published ---- */

/* What the main file tells of the others, and of what is missing. */
static bnre_status complete_main(const bnre__output_files *output,
                                 const struct list *list,
                                 const char *unfinished, const char *doubt)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *files;
    char *path = NULL;

    BNRE_TRY(bnre__output_join(output->place, output->main, &path));
    BNRE_TRY(bnre__json_read(path, &root));
    BNRE_TRY(bnre__json_list(root, "files", &files));
    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->name[i];

        if (strcmp(name, output->main) == 0)
            continue;
        if (strncmp(name, output->main, output->stem) != 0)
            BNRE_THROW(BNRE_EINVAL, "%s does not begin like %s", name,
                       output->main);
        BNRE_TRY(bnre__json_text(files, NULL, name + output->stem));
    }
    if (unfinished != NULL)
        BNRE_TRY(bnre__json_text(root, "unfinished", unfinished));
    if (doubt != NULL)
        BNRE_TRY(bnre__json_text(root, "doubt", doubt));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    bnre__free(path);
    return status;
}

static bnre_status compare_files(const char *a, const char *b, int *same)
{
    char one[33], two[33];

    *same = 0;
    BNRE_DO(bnre__file_hash(a, one));
    if (bnre__file_hash(b, two) == BNRE_OK)
        *same = strcmp(one, two) == 0;
    return BNRE_OK;
}

/* A file that is there is replaced only if it is part of what is replaced. */
static bnre_status check_file(const bnre__output_files *output,
                              const char *name)
{
    const int own = bnre__output_owns(output, name);
    bnre_status status = BNRE_OK;
    char *target = NULL, *made = NULL;
    struct stat info;
    int same = 0;

    BNRE_TRY(bnre__output_join(output->directory, name, &target));
    if (lstat(target, &info) != 0)
        goto done;
    if (S_ISDIR(info.st_mode))
        BNRE_THROW(BNRE_EEXIST, "cannot write %s: it is a directory", target);
    if (output->force || (own && output->state == BNRE__OUTPUT_UNFINISHED))
        goto done;
    BNRE_TRY(bnre__output_join(output->place, name, &made));
    if (own && S_ISREG(info.st_mode))
        BNRE_TRY(compare_files(made, target, &same));
    if (own && !same && strcmp(name, output->main) != 0)
        BNRE_THROW(BNRE_EEXIST,
                   "%s was changed since it was made (`force` replaces it)",
                   target);
    if (!own)
        BNRE_TRY(bnre__refuse_existing(target, 0));
done:
    bnre__free(made);
    bnre__free(target);
    return status;
}

/* ---- all at once ---- */

/* Whether the directory that is there holds nothing but what is replaced. */
static bnre_status holds_only_ours(const bnre__output_files *output,
                                   const struct list *staged, int *out)
{
    bnre_status status = BNRE_OK;
    struct list list = {0};
    int there;

    *out = 1;
    BNRE_TRY(list_directory(output->directory, &list, &there));
    for (size_t i = 0; i < list.n && *out; i++)
        *out = bnre__output_owns(output, list.name[i]) ||
               has(staged, list.name[i]);
done:
    clear_list(&list);
    return status;
}

/* Let the place be the directory, in one step. *done = 0 where the system
   cannot. */
static bnre_status exchange(bnre__output_files *output, int *done)
{
    struct stat info;
    unsigned mode = output->mode;

    *done = 0;
    if (lstat(output->directory, &info) == 0)
        mode = (unsigned)info.st_mode & 07777;
    if (chmod(output->place, (mode_t)mode) != 0)
        return bnre__file_fail(output->place, "write", errno);
    /* An empty directory, or none, is replaced by rename(). */
    if (rename(output->place, output->directory) == 0) {
        *done = 1;
    } else if (renameat2(AT_FDCWD, output->place, AT_FDCWD, output->directory,
                         RENAME_EXCHANGE) == 0) {
        *done = 1;
        bnre__remove_tree(output->place); /* what was there before */
    }
    return *done ? sync_directory(output->home) : BNRE_OK;
}

/* ---- otherwise ---- */

/* What is there and will not be any more: by the list of the main file or, for
   those of older versions, by the plan. */
static bnre_status write_removals(const bnre__output_files *output,
                                  const struct list *staged)
{
    const int has_list = bnre__json_find(output->old, "files") != NULL;
    const size_t n = has_list ? bnre__output_count(output) : output->names;
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;
    char *path = NULL, *name = NULL;

    BNRE_TRY(bnre__output_join(output->place, REMOVALS, &path));
    BNRE_TRY(bnre__file_create(path, &file));
    for (size_t i = 0; i < n; i++) {
        bnre__free(name);
        name = NULL;
        if (has_list)
            BNRE_TRY(bnre__output_listed(output, i, &name));
        else
            BNRE_TRY(bnre__strdup(output->known[i], &name));
        if (name != NULL && bnre__output_owns(output, name) &&
            !has(staged, name))
            BNRE_TRY(bnre__file_write(file, name, strlen(name) + 1));
    }
done:
    status = bnre__file_end(file, status);
    bnre__free(name);
    bnre__free(path);
    return status;
}

static bnre_status move_in_turn(bnre__output_files *output,
                                const struct list *staged)
{
    bnre_status status = BNRE_OK;
    char *commit = NULL;

    BNRE_TRY(name_commit(output, &commit));
    BNRE_TRY(write_removals(output, staged));
    if (rename(output->place, commit) != 0) {
        status = bnre__file_fail(output->path, "write", errno);
        goto done;
    }
    output->published = 1;
    BNRE_TRY(sync_directory(output->home));
    if (mkdir(output->directory, 0777) != 0 && errno != EEXIST)
        BNRE_TRY(bnre__file_fail(output->directory, "write", errno));
    BNRE_TRY(move_all(output, commit));
done:
    bnre__free(commit);
    return status;
}

bnre_status bnre__output_publish(bnre__output_files *output,
                                 const char *unfinished, const char *doubt)
{
    bnre_status status = BNRE_OK;
    struct list staged = {0};
    int there, ours = 0, done = 0;

    BNRE_TRY(list_directory(output->place, &staged, &there));
    BNRE_TRY(complete_main(output, &staged, unfinished, doubt));
    for (size_t i = 0; i < staged.n; i++)
        BNRE_TRY(check_file(output, staged.name[i]));
    if (output->whole)
        BNRE_TRY(holds_only_ours(output, &staged, &ours));
    if (ours)
        BNRE_TRY(exchange(output, &done));
    output->published = done;
    if (!done)
        BNRE_TRY(move_in_turn(output, &staged));
done:
    clear_list(&staged);
    return status;
}
