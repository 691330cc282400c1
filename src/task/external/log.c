/* log.c - what external programs say on their stderr: the last line, and a
   file for everything. */
#include "task/external/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

void bnre__tail_clear(bnre__tail *tail)
{
    tail->line[0] = 0;
    tail->length = 0;
}

static void end_line(bnre__tail *tail)
{
    size_t length = tail->length;

    tail->length = 0;
    while (length > 0 && tail->part[length - 1] == ' ')
        length--;
    if (length == 0)
        return;
    memcpy(tail->line, tail->part, length);
    tail->line[length] = 0;
}

void bnre__tail_add(bnre__tail *tail, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = bytes[i];

        if (c == '\n' || c == '\r') {
            end_line(tail);
            continue;
        }
        if (c == '\t' || (c == ' ' && tail->length == 0))
            c = ' ';
        if (c == ' ' && tail->length == 0)
            continue;
        if (tail->length + 1 < sizeof tail->part)
            tail->part[tail->length++] = c >= ' ' && c <= '~' ? c : '?';
    }
}

const char *bnre__tail_line(bnre__tail *tail)
{
    end_line(tail);
    return tail->line;
}

enum { MOST = 16 << 20 };

struct bnre__log {
    pthread_mutex_t lock;
    char *path;
    int fd; /* -1: not open */
    size_t room;
};

bnre_status bnre__log_create(bnre__log **out)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(*out, 1);
    (*out)->fd = -1;
    pthread_mutex_init(&(*out)->lock, NULL);
done:
    return status;
}

void bnre__log_destroy(bnre__log *log)
{
    if (log == NULL)
        return;
    if (log->fd >= 0)
        close(log->fd);
    pthread_mutex_destroy(&log->lock);
    bnre__free(log->path);
    bnre__free(log);
}

bnre_status bnre__log_set(bnre__log *log, const char *path)
{
    char *copy = NULL;

    if (path != NULL)
        BNRE_DO(bnre__strdup(path, &copy));
    if (log->fd >= 0)
        close(log->fd);
    bnre__free(log->path);
    log->path = copy;
    log->fd = -1;
    log->room = MOST;
    return BNRE_OK;
}

const char *bnre__log_path(const bnre__log *log)
{
    return log->path;
}

/* A link, or another name of a file, would lead the words elsewhere; a pipe
   would let us wait. */
static int open_log(const char *path)
{
    const int fd = open(path,
                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
                            O_NONBLOCK,
                        0666);
    struct stat info;

    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_nlink == 1)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void write_out(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, bytes, length);

        if (done <= 0)
            return;
        bytes += done;
        length -= (size_t)done;
    }
}

void bnre__log_add(bnre__log *log, const char *bytes, size_t length)
{
    static const char full[] = "\n[the log is full; what follows is dropped]\n";

    if (log->path == NULL || length == 0)
        return;
    pthread_mutex_lock(&log->lock);
    if (log->fd < 0 && log->room > 0) {
        log->fd = open_log(log->path);
        if (log->fd < 0)
            log->room = 0;
    }
    if (log->room > 0) {
        size_t n = length < log->room ? length : log->room;

        write_out(log->fd, bytes, n);
        log->room -= n;
        if (log->room == 0)
            write_out(log->fd, full, sizeof full - 1);
    }
    pthread_mutex_unlock(&log->lock);
}
