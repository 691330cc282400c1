/* count.c - what a process of bnre-mpi tells the others and does to files,
   counted: scale.py builds it and loads it before the program.

   At the end a line is added to the file that BNRE_COUNT names: messages, their
   bytes, broadcasts, meetings; files opened, files renamed or removed, writes,
   syncs. Only files below the directory that BNRE_COUNT_BELOW names count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES, BYTES, BROADCASTS, MEETINGS, OPENS, MOVES, WRITES, SYNCS, N };
enum { FILES = 1024 };

static atomic_ulong count[N];
static atomic_bool counts[FILES]; /* by number of an open file */

/* Handles are pointers, or numbers in their place: only passed on here. */
int PMPI_Isend(const void *data, int n, void *type, int to, int tag, void *comm,
               void *request);
int PMPI_Ibcast(void *data, int n, void *type, int root, void *comm,
                void *request);
int PMPI_Iallreduce(const void *from, void *to, int n, void *type, void *op,
                    void *comm, void *request);

int MPI_Isend(const void *data, int n, void *type, int to, int tag, void *comm,
              void *request)
{
    count[MESSAGES]++;
    count[BYTES] += (unsigned long)n;
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Ibcast(void *data, int n, void *type, int root, void *comm,
               void *request)
{
    count[BROADCASTS]++;
    return PMPI_Ibcast(data, n, type, root, comm, request);
}

int MPI_Iallreduce(const void *from, void *to, int n, void *type, void *op,
                   void *comm, void *request)
{
    count[MEETINGS]++;
    return PMPI_Iallreduce(from, to, n, type, op, comm, request);
}

static int below(const char *path)
{
    const char *directory = getenv("BNRE_COUNT_BELOW");

    return directory != NULL &&
           (strstr(path, directory) != NULL || path[0] != '/');
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static int opened(const char *path, int file)
{
    if (file >= 0 && file < FILES) {
        counts[file] = below(path);
        count[OPENS] += counts[file];
    }
    return file;
}

static mode_t mode_of(int flags, va_list rest)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

/* One that is given a mode only if it makes the file. */
#define OPEN(name, parameters, arguments)                                      \
    int name parameters                                                        \
    {                                                                          \
        va_list rest;                                                          \
        mode_t mode;                                                           \
                                                                               \
        va_start(rest, flags);                                                 \
        mode = mode_of(flags, rest);                                           \
        va_end(rest);                                                          \
        return opened(path, REAL(name) arguments);                             \
    }
OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...),
     (at, path, flags, mode))
OPEN(openat64, (int at, const char *path, int flags, ...),
     (at, path, flags, mode))

#define FOPEN(name)                                                            \
    FILE *name(const char *path, const char *mode)                             \
    {                                                                          \
        FILE *file = REAL(name)(path, mode);                                   \
                                                                               \
        if (file != NULL)                                                      \
            (void)opened(path, fileno(file));                                  \
        return file;                                                           \
    }
FOPEN(fopen)
FOPEN(fopen64)

int rename(const char *from, const char *to)
{
    count[MOVES] += below(to) != 0;
    return REAL(rename)(from, to);
}

int unlink(const char *path)
{
    count[MOVES] += below(path) != 0;
    return REAL(unlink)(path);
}

static void wrote(int file)
{
    count[WRITES] += file >= 0 && file < FILES && counts[file];
}

ssize_t write(int file, const void *data, size_t n)
{
    wrote(file);
    return REAL(write)(file, data, n);
}

ssize_t pwrite64(int file, const void *data, size_t n, off64_t at)
{
    wrote(file);
    return REAL(pwrite64)(file, data, n, at);
}

ssize_t pwrite(int file, const void *data, size_t n, off_t at)
{
    wrote(file);
    return REAL(pwrite)(file, data, n, at);
}

int fsync(int file)
{
    count[SYNCS]++;
    return REAL(fsync)(file);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("BNRE_COUNT");
    char line[256];
    size_t used = 0;
    int file;

    if (path == NULL || count[MESSAGES] + count[BROADCASTS] == 0)
        return;
    for (int i = 0; i < N; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%lu%c",
                                 count[i], i + 1 < N ? ' ' : '\n');
    file = REAL(open)(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file >= 0 && REAL(write)(file, line, used) < 0)
        abort();
}
