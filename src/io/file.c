/* file.c - files that appear whole or not at all. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/temporary.h"

enum { BUFFER = 1 << 20 };

struct bnre__file {
    char *path, *temporary;
    int fd;
    int created; /* the temporary is there, and ours to remove */
    int failed;  /* something was not written: never publish this */
    unsigned char *buffer;
    size_t used;      /* of the buffer */
    uint64_t flushed; /* bytes that left the buffer */
};

/* How much of a path is its directory, without the final slash; 0 = none. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return 0;
    return slash == path ? 1 : (size_t)(slash - path);
}

bnre_status bnre__file_fail(const char *path, const char *action, int error)
{
    size_t length = directory_length(path);
    const char *directory = length > 0 ? path : ".";
    int n = length > 0 ? (int)length : 1;
    int writing = strcmp(action, "write") == 0;
    char reason[128];

    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "system error %d", error);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        return bnre_fail(BNRE_EIO,
                         "no space left on the disk of %s (%s): free some and "
                         "run again; what was there before is intact",
                         path, reason);
    if (writing && error == ENOENT)
        return bnre_fail(BNRE_EIO,
                         "cannot write %s: the directory %.*s does not exist: "
                         "create it or choose another `output`",
                         path, n, directory);
    if (writing && error == ENOTDIR)
        return bnre_fail(
            BNRE_EIO,
            "cannot write %s: %.*s is not a directory: choose another `output`",
            path, n, directory);
    if (writing && (error == EACCES || error == EPERM || error == EROFS))
        return bnre_fail(BNRE_EIO,
                         "cannot write %s (%s): choose another `output` or get "
                         "the right to write in %.*s",
                         path, reason, n, directory);
    return bnre_fail(BNRE_EIO, "cannot %s %s: %s", action, path, reason);
}

/* Renaming over a device or a directory is never what was meant. */
static bnre_status check_target(const char *path)
{
    struct stat info;

    if (path[0] == 0)
        return bnre_fail(BNRE_EIO, "the name of a file to write is empty");
    if (stat(path, &info) != 0)
        return BNRE_OK;
    if (S_ISDIR(info.st_mode))
        return bnre_fail(BNRE_EIO,
                         "cannot write %s: it is a directory: name a file in "
                         "it",
                         path);
    if (!S_ISREG(info.st_mode))
        return bnre_fail(BNRE_EIO,
                         "cannot write %s: it is not a regular file: choose "
                         "another `output`",
                         path);
    return BNRE_OK;
}

bnre_status bnre__file_create(const char *path, bnre__file **out)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    *out = NULL;
    BNRE_NEW(file, 1);
    file->fd = -1;
    BNRE_TRY(bnre__strdup(path, &file->path));
    BNRE_NEW(file->buffer, BUFFER);
    BNRE_TRY(check_target(path));
    BNRE_TRY(bnre__temporary_create(path, &file->temporary, &file->fd));
    file->created = 1;
    *out = file;
    file = NULL;
done:
    bnre__file_discard(file);
    return status;
}

bnre_status bnre__file_check_writable(const char *path)
{
    bnre_status status = BNRE_OK;
    char *name = NULL;
    int fd = -1;

    BNRE_TRY(check_target(path));
    BNRE_TRY(bnre__temporary_create(path, &name, &fd));
    unlink(name);
done:
    if (fd >= 0)
        close(fd);
    bnre__free(name);
    return status;
}

/* All of `data`, at `offset`, whatever the system takes at a time. */
static bnre_status write_fully(bnre__file *file, uint64_t offset,
                               const unsigned char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = pwrite(file->fd, data, bytes, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            file->failed = 1;
            return bnre__file_fail(file->path, "write", n < 0 ? errno : ENOSPC);
        }
        data += n;
        offset += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return BNRE_OK;
}

static bnre_status flush(bnre__file *file)
{
    BNRE_DO(write_fully(file, file->flushed, file->buffer, file->used));
    file->flushed += file->used;
    file->used = 0;
    return BNRE_OK;
}

static bnre_status check_whole(const bnre__file *file)
{
    if (!file->failed)
        return BNRE_OK;
    return bnre_fail(BNRE_EIO, "%s is incomplete: an earlier write failed",
                     file->path);
}

bnre_status bnre__file_write(bnre__file *file, const void *data, size_t bytes)
{
    BNRE_DO(check_whole(file));
    if (bytes > BUFFER - file->used)
        BNRE_DO(flush(file));
    if (bytes >= BUFFER) {
        BNRE_DO(write_fully(file, file->flushed, data, bytes));
        file->flushed += bytes;
    } else if (bytes > 0) {
        memcpy(file->buffer + file->used, data, bytes);
        file->used += bytes;
    }
    return BNRE_OK;
}

bnre_status bnre__file_write_at(bnre__file *file, uint64_t offset,
                                const void *data, size_t bytes)
{
    const unsigned char *from = data;
    uint64_t end = bnre__file_offset(file);

    BNRE_DO(check_whole(file));
    if (offset > end || bytes > end - offset)
        return bnre_fail(BNRE_EINVAL,
                         "%zu bytes at %llu of %s go beyond its end at %llu",
                         bytes, (unsigned long long)offset, file->path,
                         (unsigned long long)end);
    if (bytes == 0)
        return BNRE_OK;
    if (offset < file->flushed) {
        uint64_t below = file->flushed - offset;
        size_t n = below < bytes ? (size_t)below : bytes;

        BNRE_DO(write_fully(file, offset, from, n));
        from += n;
        offset += n;
        bytes -= n;
    }
    if (bytes > 0)
        memcpy(file->buffer + (offset - file->flushed), from, bytes);
    return BNRE_OK;
}

uint64_t bnre__file_offset(const bnre__file *file)
{
    return file->flushed + file->used;
}

bnre_status bnre__file_extend(bnre__file *file, uint64_t offset)
{
    BNRE_DO(check_whole(file));
    BNRE_DO(flush(file));
    if (offset < file->flushed)
        return bnre_fail(BNRE_EINVAL, "%s has more than %llu bytes already",
                         file->path, (unsigned long long)offset);
    if (offset > INT64_MAX || ftruncate(file->fd, (off_t)offset) != 0) {
        file->failed = 1;
        return bnre__file_fail(file->path, "write",
                               offset > INT64_MAX ? EFBIG : errno);
    }
    file->flushed = offset;
    return BNRE_OK;
}

/* Some file systems know no sync; more cannot be done there. */
static int sync_failed(int fd)
{
    return fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS &&
           errno != ENOTSUP;
}

/* The directory of `path`, for syncing; -1 where it is not readable, which does
   not forbid writing in it. */
static bnre_status open_directory(const char *path, int *fd)
{
    bnre_status status = BNRE_OK;
    size_t length = directory_length(path);
    char *directory = NULL;

    BNRE_TRY(bnre__text_format(&directory, "%.*s", length > 0 ? (int)length : 1,
                               length > 0 ? path : "."));
    *fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
done:
    bnre__free(directory);
    return status;
}

/* Sets *renamed once the temporary is no more, even if the sync fails then. */
static bnre_status rename_over(const char *temporary, const char *path,
                               int *renamed)
{
    bnre_status status = BNRE_OK;
    int directory = -1;

    *renamed = 0;
    BNRE_TRY(check_target(path));
    BNRE_TRY(open_directory(path, &directory));
    if (rename(temporary, path) != 0) {
        status = bnre__file_fail(path, "write", errno);
        goto done;
    }
    *renamed = 1;
    if (directory >= 0 && sync_failed(directory))
        status = bnre__file_fail(path, "sync the directory of", errno);
done:
    if (directory >= 0)
        close(directory);
    return status;
}

bnre_status bnre__file_settle(bnre__file *file)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(check_whole(file));
    BNRE_TRY(flush(file));
    if (sync_failed(file->fd)) {
        file->failed = 1;
        status = bnre__file_fail(file->path, "write", errno);
    }
done:
    return status;
}

bnre_status bnre__file_commit(bnre__file *file)
{
    bnre_status status = BNRE_OK;
    int closed, renamed, locked = -1;

    BNRE_TRY(bnre__file_settle(file));
    /* Some file systems tell only when closing that something was not written;
       the temporary stays locked until it has its name. */
    locked = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    closed = close(file->fd);
    file->fd = -1;
    if (closed != 0) {
        status = bnre__file_fail(file->path, "write", errno);
        goto done;
    }
    status = rename_over(file->temporary, file->path, &renamed);
    file->created = !renamed;
done:
    if (locked >= 0)
        close(locked);
    bnre__file_discard(file);
    return status;
}

bnre_status bnre__file_put(const char *path, const void *data, size_t bytes)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    if (bytes > 0)
        BNRE_TRY(bnre__file_write(file, data, bytes));
done:
    return bnre__file_end(file, status);
}

void bnre__file_discard(bnre__file *file)
{
    if (file == NULL)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->created)
        unlink(file->temporary);
    bnre__free(file->buffer);
    bnre__free(file->temporary);
    bnre__free(file->path);
    bnre__free(file);
}

bnre_status bnre__file_end(bnre__file *file, bnre_status status)
{
    if (status == BNRE_OK && file != NULL)
        return bnre__file_commit(file);
    bnre__file_discard(file);
    return status;
}

/* One read that is not interrupted: bytes, 0 at the end, or -1. */
static ssize_t read_some(int fd, void *data, size_t bytes)
{
    ssize_t n;

    do
        n = read(fd, data, bytes);
    while (n < 0 && errno == EINTR);
    return n;
}

bnre_status bnre__file_read_all(const char *path, size_t limit, char **out,
                                size_t *bytes)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;
    size_t used = 0, room = 0;
    ssize_t n = -1;
    int fd;

    *out = NULL;
    *bytes = 0;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        status = bnre__file_fail(path, "read", errno);
        goto done;
    }
    do {
        BNRE_GROW(text, room, used + 4096);
        n = read_some(fd, text + used, room - used - 1);
        if (n < 0) {
            status = bnre__file_fail(path, "read", errno);
            goto done;
        }
        used += (size_t)n;
        if (used > limit)
            BNRE_THROW(BNRE_EFORMAT,
                       "%s has more than %zu bytes, too many for what it "
                       "should be: is it the right file?",
                       path, limit);
    } while (n > 0);
    text[used] = 0;
    *out = text;
    *bytes = used;
    text = NULL;
done:
    if (fd >= 0)
        close(fd);
    bnre__free(text);
    return status;
}

int bnre__file_exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

bnre_status bnre__make_parents(const char *path)
{
    bnre_status status = BNRE_OK;
    char *copy = NULL;
    struct stat info;

    BNRE_TRY(bnre__strdup(path, &copy));
    for (char *slash = copy; (slash = strchr(slash, '/')) != NULL; slash++) {
        if (slash == copy)
            continue;
        *slash = 0;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            BNRE_TRY(bnre__file_fail(copy, "write", errno));
        if (stat(copy, &info) == 0 && !S_ISDIR(info.st_mode))
            BNRE_THROW(BNRE_EIO,
                       "cannot write %s: %s is not a directory: choose another "
                       "`output`",
                       path, copy);
        *slash = '/';
    }
done:
    bnre__free(copy);
    return status;
}

bnre_status bnre__make_directories(const char *path)
{
    bnre_status status = BNRE_OK;
    char *copy = NULL;

    BNRE_TRY(bnre__text_format(&copy, "%s/", path));
    BNRE_TRY(bnre__make_parents(copy));
done:
    bnre__free(copy);
    return status;
}

bnre_status bnre__file_remove(const char *path)
{
    bnre_status status = BNRE_OK;
    int directory = -1;

    BNRE_TRY(open_directory(path, &directory));
    if (unlink(path) != 0)
        status = bnre__file_fail(path, "remove", errno);
    else if (directory >= 0 && sync_failed(directory))
        status = bnre__file_fail(path, "sync the directory of", errno);
done:
    if (directory >= 0)
        close(directory);
    return status;
}

/* Results are directories: which file in this one may have been meant. */
static bnre_status fail_directory(const char *path)
{
    static const char *const known[] = {"estimator.h5", "posterior.h5"};
    size_t length = strlen(path);
    char inner[4096];

    while (length > 1 && path[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(inner, sizeof inner, "%.*s/%s", (int)length, path, known[i]);
        if (bnre__file_exists(inner))
            return bnre_fail(
                BNRE_EIO, "cannot read %s: it is a directory: did you mean %s?",
                path, inner);
    }
    return bnre_fail(
        BNRE_EIO, "cannot read %s: it is a directory: name a file in it", path);
}

bnre_status bnre__file_open(const char *path, int *fd, uint64_t *size)
{
    bnre_status status = BNRE_OK;
    struct stat info;

    /* Opening a pipe without a writer would wait; nothing else minds. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 || fstat(*fd, &info) != 0) {
        status = bnre__file_fail(path, "read", errno);
        goto done;
    }
    if (S_ISDIR(info.st_mode))
        BNRE_TRY(fail_directory(path));
    if (!S_ISREG(info.st_mode))
        BNRE_THROW(BNRE_EIO, "cannot read %s: it is no regular file", path);
    *size = (uint64_t)info.st_size;
done:
    if (status != BNRE_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

bnre_status bnre__file_read_at(int fd, const char *path, uint64_t offset,
                               void *data, size_t bytes)
{
    unsigned char *to = data;

    while (bytes > 0) {
        ssize_t n = pread(fd, to, bytes, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return bnre__file_fail(path, "read", errno);
        if (n == 0)
            return bnre_fail(BNRE_EFORMAT,
                             "%s ends at byte %llu, more was expected: is it "
                             "still being written?",
                             path, (unsigned long long)offset);
        to += n;
        offset += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return BNRE_OK;
}

bnre_status bnre__file_hash(const char *path, char out[33])
{
    enum { AT_A_TIME = 1 << 18 };
    bnre_status status = BNRE_OK;
    unsigned char *bytes = NULL;
    uint64_t size = 0, at = 0;
    bnre__hash hash;
    int fd = -1;

    BNRE_NEW(bytes, AT_A_TIME);
    BNRE_TRY(bnre__file_open(path, &fd, &size));
    bnre__hash_init(&hash, size, 0, 1);
    while (at < size) {
        size_t n = size - at < AT_A_TIME ? (size_t)(size - at) : AT_A_TIME;

        BNRE_TRY(bnre__file_read_at(fd, path, at, bytes, n));
        bnre__hash_add(&hash, bytes, n);
        at += n;
    }
    bnre__hash_end_hex(&hash, out);
done:
    if (fd >= 0)
        close(fd);
    bnre__free(bytes);
    return status;
}
