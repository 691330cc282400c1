/* writer_lock.c - one writer at a time for each output, and inputs apart
   from outputs: what is asked before any work begins. */
#include "io/writer_lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "io/temporary.h"

struct bnre__writer_lock {
    char *path;
    int fd;
};

/* .NAME.lock beside PATH; a long NAME is cut. */
static bnre_status name_lock(const char *path, char **out)
{
    enum { LONGEST = NAME_MAX - 8 };
    const char *slash = strrchr(path, '/');
    const char *last = slash == NULL ? path : slash + 1;

    return bnre__text_format(out, "%.*s.%.*s.lock", (int)(last - path), path,
                             LONGEST, last);
}

static int open_lock(const char *path)
{
    const int flags = O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = open(path, O_RDWR | flags, 0666);

    if (fd < 0 && errno == EACCES) /* another user's, which may be looked at */
        fd = open(path, O_RDONLY | flags, 0666);
    return fd;
}

/* The file may have been removed between the two by the one who had it. */
static bnre_status open_locked(bnre__writer_lock *lock, const char *path)
{
    struct stat mine, there;

    for (;;) {
        lock->fd = open_lock(lock->path);
        if (lock->fd < 0 && errno == ELOOP)
            return bnre_fail(BNRE_EIO,
                             "cannot write %s: %s is a symbolic link: remove "
                             "it",
                             path, lock->path);
        if (lock->fd < 0 || fstat(lock->fd, &mine) != 0)
            return bnre__file_fail(path, "write", errno);
        if (!S_ISREG(mine.st_mode))
            return bnre_fail(BNRE_EIO,
                             "cannot write %s: %s is no regular file: remove "
                             "it",
                             path, lock->path);
        if (!bnre__lock_now(lock->fd))
            return bnre_fail(BNRE_EIO,
                             "%s is being written by another process: wait for "
                             "it, or choose another `output`",
                             path);
        if (lstat(lock->path, &there) == 0 && there.st_ino == mine.st_ino &&
            there.st_dev == mine.st_dev)
            return BNRE_OK;
        close(lock->fd);
    }
}

bnre_status bnre__writer_lock_take_as(const char *path, const char *shown,
                                      bnre__writer_lock **out)
{
    bnre_status status = BNRE_OK;
    bnre__writer_lock *lock = NULL;

    *out = NULL;
    BNRE_NEW(lock, 1);
    lock->fd = -1;
    BNRE_TRY(name_lock(path, &lock->path));
    status = open_locked(lock, shown != NULL ? shown : path);
    if (status != BNRE_OK && lock->fd >= 0) {
        close(lock->fd); /* not ours to remove */
        lock->fd = -1;
    }
    BNRE_TRY(status);
    *out = lock;
    lock = NULL;
done:
    bnre__writer_lock_release(lock);
    return status;
}

bnre_status bnre__writer_lock_take(const char *path, bnre__writer_lock **out)
{
    return bnre__writer_lock_take_as(path, NULL, out);
}

void bnre__writer_lock_release(bnre__writer_lock *lock)
{
    if (lock == NULL)
        return;
    if (lock->fd >= 0) {
        unlink(lock->path);
        close(lock->fd);
    }
    bnre__free(lock->path);
    bnre__free(lock);
}

/* ---- inputs ---- */

int bnre__same_file(const char *a, const char *b)
{
    struct stat one, two;

    return stat(a, &one) == 0 && stat(b, &two) == 0 &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static bnre_status refuse_same(const char *output, const char *input)
{
    if (!bnre__same_file(output, input))
        return BNRE_OK;
    return bnre_fail(
        BNRE_EUSAGE,
        "%s would be written, but it is the input %s: choose another `output`",
        output, input);
}

bnre_status bnre__refuse_input(const char *output, const char *input)
{
    bnre_status status = BNRE_OK;
    char *part = NULL;
    const char *comma, *colon;

    if (input == NULL)
        return BNRE_OK;
    BNRE_TRY(refuse_same(output, input));
    comma = strstr(input, ".npy,");
    colon = strrchr(input, ':');
    if (comma != NULL) {
        comma += strlen(".npy");
        BNRE_TRY(bnre__text_format(&part, "%.*s", (int)(comma - input), input));
        BNRE_TRY(refuse_same(output, comma + 1));
    } else if (colon != NULL && isdigit((unsigned char)colon[1])) {
        BNRE_TRY(bnre__text_format(&part, "%.*s", (int)(colon - input), input));
    }
    if (part != NULL)
        BNRE_TRY(refuse_same(output, part));
done:
    bnre__free(part);
    return status;
}

bnre_status bnre__refuse_existing(const char *path, int force)
{
    if (force || !bnre__file_exists(path))
        return BNRE_OK;
    return bnre_fail(
        BNRE_EEXIST,
        "%s is there already: use `force` to replace it, or another name",
        path);
}
