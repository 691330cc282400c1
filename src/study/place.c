/* place.c - the directory of a study: whose it is, and what is in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "io/file.h"
#include "io/writer_lock.h"
#include "study/job.h"
#include "task/external/remove_tree.h"
#include "task/task.h"

#define STUDY "study.yaml"
#define LOCK ".lock"

/* How a study that was run begins; one without it is somebody's own. */
#define MARK "# This study as it was run here."

bnre_status bnre__job_path(const bnre__job *job, char **out, const char *fmt,
                           ...)
{
    char tail[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(tail, sizeof tail, fmt, args);
    va_end(args);
    return bnre__text_format(out, "%s/%s", job->dir, tail);
}

/* Names that may be left by a run that did not come far. */
static int counts_for_nothing(const char *name)
{
    const size_t length = strlen(name);

    return name[0] == '.' ||
           (length > 4 && strcmp(name + length - 4, ".tmp") == 0);
}

bnre_status bnre__place_clear(const char *dir, const char *begins,
                              const char *is)
{
    bnre_status status = BNRE_OK;
    DIR *directory = opendir(dir);
    const struct dirent *entry;
    char *path = NULL;

    if (directory == NULL)
        return bnre__file_fail(dir, "read", errno);
    while ((entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, begins, strlen(begins)) != 0 &&
            strcmp(entry->d_name, is) != 0)
            continue;
        BNRE_TRY(bnre__text_format(&path, "%s/%s", dir, entry->d_name));
        if (bnre__remove_tree(path) != 0)
            BNRE_TRY(bnre__file_fail(path, "remove", errno));
        bnre__free(path);
        path = NULL;
    }
done:
    bnre__free(path);
    closedir(directory);
    return status;
}

static bnre_status check_empty(const bnre__job *job)
{
    const struct dirent *entry;
    bnre_status status = BNRE_OK;
    DIR *directory = opendir(job->dir);

    if (directory == NULL)
        return bnre__file_fail(job->dir, "read", errno);
    while (status == BNRE_OK && (entry = readdir(directory)) != NULL)
        if (!counts_for_nothing(entry->d_name))
            status =
                bnre_fail(BNRE_EEXIST,
                          "%s holds %s and no study: choose another `output`, "
                          "or use `force` to put the study there as well",
                          job->dir, entry->d_name);
    closedir(directory);
    return status;
}

/* One process at a time. The lock goes away with the process, whatever ends
   it. */
static bnre_status lock_directory(bnre__job *job)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(bnre__job_path(job, &path, LOCK));
    job->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (job->lock < 0)
        BNRE_TRY(bnre__file_fail(path, "write", errno));
    if (fcntl(job->lock, F_SETLK, &lock) != 0 &&
        (errno == EACCES || errno == EAGAIN))
        BNRE_THROW(BNRE_EIO, "another process is running the study in %s",
                   job->dir);
done:
    bnre__free(path);
    return status;
}

static const char *text_of(const bnre_node *map, const char *key)
{
    const bnre_node *node = bnre_node_find(map, key);

    return node != NULL && node->kind == BNRE_NODE_TEXT ? node->text : "";
}

/* Add "key: old -> new" for a key whose values differ. */
static bnre_status compare_key(const bnre_node *old, const bnre_node *now,
                               const char *key, bnre__text *out)
{
    const bnre_node *before = bnre_node_find(old, key);
    const bnre_node *after = bnre_node_find(now, key);
    bnre_status status = BNRE_OK;
    char *a = NULL, *b = NULL;

    if (before != NULL)
        BNRE_TRY(bnre_node_write(before, &a));
    if (after != NULL)
        BNRE_TRY(bnre_node_write(after, &b));
    if (a != NULL && b != NULL && strcmp(a, b) == 0)
        goto done;
    BNRE_TRY(bnre__text_add(out, "%s%s", out->length > 0 ? ", " : "", key));
    if ((before == NULL || before->kind == BNRE_NODE_TEXT) &&
        (after == NULL || after->kind == BNRE_NODE_TEXT))
        BNRE_TRY(bnre__text_add(out, " (%s, now %s)",
                                before != NULL ? before->text : "not set",
                                after != NULL ? after->text : "not set"));
done:
    bnre_free(a);
    bnre_free(b);
    return status;
}

/* Tell what is not as it was when the study was last run here. */
static bnre_status note_changes(const bnre__job *job, const bnre_node *old,
                                const bnre_node *now)
{
    const bnre_monitor *monitor = job->monitor;
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    char *note = NULL;

    for (size_t i = 0; i < old->count; i++)
        BNRE_TRY(compare_key(old, now, old->child[i]->key, &text));
    for (size_t i = 0; i < now->count; i++)
        if (bnre_node_find(old, now->child[i]->key) == NULL)
            BNRE_TRY(compare_key(old, now, now->child[i]->key, &text));
    if (text.length == 0 || monitor == NULL || monitor->note == NULL)
        goto done;
    BNRE_TRY(
        bnre__text_format(&note, "changed since the last run: %s", text.data));
    monitor->note(monitor->context, note);
done:
    bnre__free(text.data);
    bnre__free(note);
    return status;
}

static bnre_status look_for_mark(const char *path, int *out)
{
    enum { LARGEST = 1 << 24 };
    bnre_status status = BNRE_OK;
    char *text = NULL;
    size_t bytes;

    BNRE_TRY(bnre__file_read_all(path, LARGEST, &text, &bytes));
    *out = strncmp(text, MARK, strlen(MARK)) == 0;
done:
    bnre__free(text);
    return status;
}

/* Compare with the study that was run here before, in `path`. */
static bnre_status compare_studies(const bnre__job *job, const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_node *old = NULL, *now = NULL;
    char *before = NULL, *after = NULL, *title = NULL;
    int other, marked;

    BNRE_TRY(look_for_mark(path, &marked));
    status = bnre_yaml_read(path, &old);
    if ((status == BNRE_EUSAGE || !marked) && !job->force)
        BNRE_THROW(BNRE_EEXIST,
                   "%s is no study that was run: choose another `output`, or "
                   "use `force` to write over it",
                   path);
    if (status == BNRE_EUSAGE) {
        status = BNRE_OK;
        goto done;
    }
    BNRE_TRY(status);
    BNRE_TRY(bnre_yaml_parse(job->study->text, NULL, &now));
    other = strcmp(text_of(old, "title"), job->study->title) != 0;
    if (other && !job->force) {
        BNRE_TRY(bnre__strdup(text_of(old, "title"), &title));
        bnre_node_remove(old, "title");
        bnre_node_remove(now, "title");
    }
    BNRE_TRY(bnre_node_write(old, &before));
    BNRE_TRY(bnre_node_write(now, &after));
    if (strcmp(before, after) == 0)
        goto done;
    if (title != NULL)
        BNRE_THROW(
            BNRE_EEXIST,
            "%s holds the results of another study, \"%s\": choose another "
            "`output`, or use `force` to let this one take its place",
            job->dir, title);
    if (old->kind == BNRE_NODE_MAP)
        BNRE_TRY(note_changes(job, old, now));
done:
    bnre__free(title);
    bnre_free(before);
    bnre_free(after);
    bnre_node_destroy(old);
    bnre_node_destroy(now);
    return status;
}

static bnre_status write_study(const bnre__job *job, const char *path)
{
    static const char head[] =
        MARK " Paths in it are relative to the file it\n# was read from.\n";
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__file_write(file, head, strlen(head)));
    BNRE_TRY(
        bnre__file_write(file, job->study->text, strlen(job->study->text)));
done:
    return bnre__file_end(file, status);
}

/* Any text of a study may name a file that it reads: an observation, a network.
   None of them is the file at `path`. */
static bnre_status refuse_named(const bnre_node *node, const char *path)
{
    bnre_status status = BNRE_OK;
    char *named = NULL;

    if (node->kind == BNRE_NODE_TEXT) {
        BNRE_TRY(bnre__task_path(node, &named));
        BNRE_TRY(bnre__refuse_input(path, named));
    }
    for (size_t i = 0; i < node->count; i++)
        BNRE_TRY(refuse_named(node->child[i], path));
done:
    bnre__free(named);
    return status;
}

static bnre_status refuse_inputs(const bnre__job *job)
{
    static const char *const name[] = {STUDY, "results.csv", "report.html"};
    const bnre_study *study = job->study;
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__job_path(job, &path, "%s", name[i]));
        BNRE_TRY(refuse_named(study->root, path));
        for (size_t k = 0; k < study->files; k++)
            BNRE_TRY(refuse_named(study->file[k], path));
    }
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__place_open(bnre__job *job)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *part = NULL;
    struct stat info;

    if (stat(job->dir, &info) == 0 && !S_ISDIR(info.st_mode))
        return bnre_fail(BNRE_EEXIST, "%s is a file: choose another `output`",
                         job->dir);
    BNRE_TRY(refuse_inputs(job));
    BNRE_TRY(bnre__make_directories(job->dir));
    BNRE_TRY(bnre__job_path(job, &path, STUDY));
    if (bnre__file_exists(path))
        BNRE_TRY(compare_studies(job, path));
    else if (!job->force)
        BNRE_TRY(check_empty(job));
    BNRE_TRY(lock_directory(job));
    BNRE_TRY(write_study(job, path));
    BNRE_TRY(bnre__job_path(job, &part, "data"));
    BNRE_TRY(bnre__make_directories(part));
done:
    bnre__free(part);
    bnre__free(path);
    return status;
}

void bnre__place_close(bnre__job *job)
{
    if (job->lock >= 0)
        close(job->lock);
    job->lock = -1;
}
