/* Kills the process at its n-th change of a file, for tests of what is left.

   With LD_PRELOAD, counts calls that change regular files or directories:
   write, writev, pwrite, ftruncate, fsync, fdatasync, rename, renameat2,
   unlink, unlinkat, mkdir, rmdir.
     CRASH_AT=n       kill with SIGKILL at the n-th, counted from 1
     CRASH_WHEN=      before: instead of the call (the default)
                      after:  when it has returned
                      half:   after half of its bytes, if it writes some
     CRASH_COUNT=FILE how many there were, of a process that ends */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC visibility push(default)

enum when { BEFORE, AFTER, HALF };

static atomic_long calls;

/* Whether this call is the one. */
static int is_due(void)
{
    const char *at = getenv("CRASH_AT");
    const long call = atomic_fetch_add(&calls, 1) + 1;

    return at != NULL && call == atol(at);
}

__attribute__((destructor)) static void tell_count(void)
{
    const char *path = getenv("CRASH_COUNT");
    FILE *file = path == NULL ? NULL : fopen(path, "w");

    if (file == NULL)
        return;
    fprintf(file, "%ld\n", atomic_load(&calls));
    fclose(file);
}

static int is_file(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 &&
           (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

static enum when when(void)
{
    const char *text = getenv("CRASH_WHEN");

    if (text == NULL || strcmp(text, "before") == 0)
        return BEFORE;
    return strcmp(text, "half") == 0 ? HALF : AFTER;
}

/* The function that the caller meant. */
static void find_real(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        abort();
    memcpy(function, &found, sizeof found);
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

#define PASS(due, call)                                                        \
    do {                                                                       \
        if ((due) && when() != AFTER)                                          \
            die();                                                             \
        result = (call);                                                       \
        if (due)                                                               \
            die();                                                             \
    } while (0)

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t), result;
    int due = is_file(fd) && is_due();

    find_real("write", &real);
    if (due && when() == HALF)
        result = real(fd, data, bytes / 2);
    PASS(due, real(fd, data, bytes));
    return result;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t (*real)(int, const struct iovec *, int), result;
    ssize_t (*plain)(int, const void *, size_t);
    int due = is_file(fd) && is_due();

    find_real("writev", &real);
    find_real("write", &plain);
    if (due && when() == HALF) {
        /* The first half of the parts, and of the one in the middle. */
        result = real(fd, parts, count / 2);
        result =
            plain(fd, parts[count / 2].iov_base, parts[count / 2].iov_len / 2);
    }
    PASS(due, real(fd, parts, count));
    return result;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t), result;
    int due = is_file(fd) && is_due();

    find_real("pwrite", &real);
    if (due && when() == HALF)
        result = real(fd, data, bytes / 2, offset);
    PASS(due, real(fd, data, bytes, offset));
    return result;
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset)
{
    return pwrite(fd, data, bytes, (off_t)offset);
}

int ftruncate(int fd, off_t length)
{
    int (*real)(int, off_t), result;
    int due = is_due();

    find_real("ftruncate", &real);
    PASS(due, real(fd, length));
    return result;
}

int ftruncate64(int fd, off64_t length)
{
    return ftruncate(fd, (off_t)length);
}

int fsync(int fd)
{
    int (*real)(int), result;
    int due = is_due();

    find_real("fsync", &real);
    PASS(due, real(fd));
    return result;
}

int fdatasync(int fd)
{
    int (*real)(int), result;
    int due = is_due();

    find_real("fdatasync", &real);
    PASS(due, real(fd));
    return result;
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *), result;
    int due = is_due();

    find_real("rename", &real);
    PASS(due, real(from, to));
    return result;
}

int unlink(const char *path)
{
    int (*real)(const char *), result;
    int due = is_due();

    find_real("unlink", &real);
    PASS(due, real(path));
    return result;
}

int unlinkat(int at, const char *path, int flags)
{
    int (*real)(int, const char *, int), result;
    int due = is_due();

    find_real("unlinkat", &real);
    PASS(due, real(at, path, flags));
    return result;
}

int renameat2(int from_at, const char *from, int to_at, const char *to,
              unsigned flags)
{
    int (*real)(int, const char *, int, const char *, unsigned), result;
    int due = is_due();

    find_real("renameat2", &real);
    PASS(due, real(from_at, from, to_at, to, flags));
    return result;
}

int mkdir(const char *path, mode_t mode)
{
    int (*real)(const char *, mode_t), result;
    int due = is_due();

    find_real("mkdir", &real);
    PASS(due, real(path, mode));
    return result;
}

int rmdir(const char *path)
{
    int (*real)(const char *), result;
    int due = is_due();

    find_real("rmdir", &real);
    PASS(due, real(path));
    return result;
}
