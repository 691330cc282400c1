/* Makes the n-th change of a file fail, for tests of what is said and left.

   With LD_PRELOAD, counts calls that create, write, sync, rename, remove or
   close files and directories:
     FAULT_AT=n       the n-th of them fails, counted from 1
     FAULT_HOW=       eio:    with EIO (the default)
                      enospc: with ENOSPC
                      full:   if it writes, after half of its bytes; from then
   on all that needs room fails with ENOSPC FAULT_IN=name    only in programs of
   this name: children inherit the shim FAULT_LOG=file   a line is added to it
   when a call was made to fail What stdio writes is beyond its reach. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC visibility push(default)

static atomic_long calls;
static atomic_int full; /* the disk, from now on */

static int is_file(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 &&
           (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

static int is_written(int fd)
{
    const int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && is_file(fd);
}

static int how(const char *word)
{
    const char *text = getenv("FAULT_HOW");

    return strcmp(text != NULL ? text : "eio", word) == 0;
}

static void tell(const char *name)
{
    const char *path = getenv("FAULT_LOG");
    char line[80];
    int n = snprintf(line, sizeof line, "%s\n", name), fd;

    if (path == NULL)
        return;
    fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || syscall(SYS_write, fd, line, (size_t)n) != n)
        abort();
    syscall(SYS_close, fd);
}

/* Whether this call fails: 0 or an error; `grows` if it needs room. */
static int fault(const char *name, int grows)
{
    const char *at = getenv("FAULT_AT"), *program = getenv("FAULT_IN");
    int error;

    if (at == NULL || (program != NULL &&
                       strcmp(program, program_invocation_short_name) != 0))
        return 0;
    if (grows && full)
        return ENOSPC;
    if (atomic_fetch_add(&calls, 1) + 1 != atol(at))
        return 0;
    error = how("eio") ? EIO : ENOSPC;
    if (how("full")) {
        full = 1;
        error = grows ? ENOSPC : 0;
    }
    tell(name);
    return error;
}

/* The function that the caller meant. */
static void find_real(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        abort();
    memcpy(function, &found, sizeof found);
}

/* Return -1 with the error, if the call `name` shall fail. */
#define MAY_FAIL(name, grows)                                                  \
    do {                                                                       \
        const int error_ = fault(name, grows);                                 \
        if (error_ != 0) {                                                     \
            errno = error_;                                                    \
            return -1;                                                         \
        }                                                                      \
    } while (0)

/* ---- writing ---- */

/* A full disk takes some of it first. */
static ssize_t write_half(int fd, const void *data, size_t bytes, off_t offset,
                          int error)
{
    if (how("full") && bytes > 1)
        return offset < 0 ? syscall(SYS_write, fd, data, bytes / 2)
                          : syscall(SYS_pwrite64, fd, data, bytes / 2, offset);
    errno = error;
    return -1;
}

/* The first write that meets a full disk is short, all after it fail. */
static int first_of_full(int before)
{
    return how("full") && !before;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t);
    const int before = full;
    const int error = is_file(fd) ? fault("write", 1) : 0;

    find_real("write", &real);
    if (error == 0)
        return real(fd, data, bytes);
    if (first_of_full(before))
        return write_half(fd, data, bytes, -1, error);
    errno = error;
    return -1;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t);
    const int before = full;
    const int error = is_file(fd) ? fault("pwrite", 1) : 0;

    find_real("pwrite", &real);
    if (error == 0)
        return real(fd, data, bytes, offset);
    if (first_of_full(before))
        return write_half(fd, data, bytes, offset, error);
    errno = error;
    return -1;
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset)
{
    return pwrite(fd, data, bytes, (off_t)offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t (*real)(int, const struct iovec *, int);
    const int before = full;
    const int error = is_file(fd) ? fault("writev", 1) : 0;

    find_real("writev", &real);
    if (error == 0)
        return real(fd, parts, count);
    if (first_of_full(before) && count > 0)
        return count > 1 ? real(fd, parts, count / 2)
                         : write_half(fd, parts[0].iov_base, parts[0].iov_len,
                                      -1, error);
    errno = error;
    return -1;
}

int ftruncate(int fd, off_t length)
{
    int (*real)(int, off_t);
    struct stat info;

    MAY_FAIL("ftruncate", fstat(fd, &info) == 0 && length > info.st_size);
    find_real("ftruncate", &real);
    return real(fd, length);
}

int ftruncate64(int fd, off64_t length)
{
    return ftruncate(fd, (off_t)length);
}

int fsync(int fd)
{
    int (*real)(int);

    MAY_FAIL("fsync", 1);
    find_real("fsync", &real);
    return real(fd);
}

int fdatasync(int fd)
{
    int (*real)(int);

    MAY_FAIL("fdatasync", 1);
    find_real("fdatasync", &real);
    return real(fd);
}

/* As a disk that reports late what it could not do: the file is closed. */
int close(int fd)
{
    int (*real)(int);
    const int error = is_written(fd) ? fault("close", 0) : 0;
    int result;

    find_real("close", &real);
    result = real(fd);
    if (error == 0)
        return result;
    errno = error;
    return -1;
}

/* ---- names ---- */

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(list, unsigned) : 0;
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...);
    va_list list;
    mode_t mode;

    va_start(list, flags);
    mode = mode_of(flags, list);
    va_end(list);
    if (flags & O_CREAT)
        MAY_FAIL("open", access(path, F_OK) != 0);
    find_real("open", &real);
    return real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    mode_t mode;

    va_start(list, flags);
    mode = mode_of(flags, list);
    va_end(list);
    return open(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    int (*real)(int, const char *, int, ...);
    va_list list;
    mode_t mode;

    va_start(list, flags);
    mode = mode_of(flags, list);
    va_end(list);
    if (flags & O_CREAT)
        MAY_FAIL("openat", faccessat(at, path, F_OK, 0) != 0);
    find_real("openat", &real);
    return real(at, path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    int (*real)(const char *, mode_t);

    MAY_FAIL("mkdir", 1);
    find_real("mkdir", &real);
    return real(path, mode);
}

int mkdirat(int at, const char *path, mode_t mode)
{
    int (*real)(int, const char *, mode_t);

    MAY_FAIL("mkdirat", 1);
    find_real("mkdirat", &real);
    return real(at, path, mode);
}

char *mkdtemp(char *path)
{
    char *(*real)(char *);
    const int error = fault("mkdtemp", 1);

    find_real("mkdtemp", &real);
    if (error == 0)
        return real(path);
    errno = error;
    return NULL;
}

int mkstemp(char *path)
{
    int (*real)(char *);

    MAY_FAIL("mkstemp", 1);
    find_real("mkstemp", &real);
    return real(path);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);

    MAY_FAIL("rename", 0);
    find_real("rename", &real);
    return real(from, to);
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    int (*real)(int, const char *, int, const char *);

    MAY_FAIL("renameat", 0);
    find_real("renameat", &real);
    return real(from_at, from, to_at, to);
}

int renameat2(int from_at, const char *from, int to_at, const char *to,
              unsigned flags)
{
    int (*real)(int, const char *, int, const char *, unsigned);

    MAY_FAIL("renameat2", 0);
    find_real("renameat2", &real);
    return real(from_at, from, to_at, to, flags);
}

int link(const char *from, const char *to)
{
    int (*real)(const char *, const char *);

    MAY_FAIL("link", 1);
    find_real("link", &real);
    return real(from, to);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
    int (*real)(int, const char *, int, const char *, int);

    MAY_FAIL("linkat", 1);
    find_real("linkat", &real);
    return real(from_at, from, to_at, to, flags);
}

int unlink(const char *path)
{
    int (*real)(const char *);

    MAY_FAIL("unlink", 0);
    find_real("unlink", &real);
    return real(path);
}

int unlinkat(int at, const char *path, int flags)
{
    int (*real)(int, const char *, int);

    MAY_FAIL("unlinkat", 0);
    find_real("unlinkat", &real);
    return real(at, path, flags);
}

int rmdir(const char *path)
{
    int (*real)(const char *);

    MAY_FAIL("rmdir", 0);
    find_real("rmdir", &real);
    return real(path);
}
