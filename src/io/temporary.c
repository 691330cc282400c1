/* temporary.c - names that nobody else can guess, and what is left of them. */
#define _DEFAULT_SOURCE /* getentropy */
#include "io/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"

#define ENDING ".tmp"

void bnre__random_letters(char out[BNRE__RANDOM + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char bytes[BNRE__RANDOM];

    if (getentropy(bytes, sizeof bytes) != 0) {
        /* Names are made with O_EXCL: a guess can only be in the way. */
        struct timespec t;
        uint64_t word;

        clock_gettime(CLOCK_REALTIME, &t);
        word = (uint64_t)t.tv_nsec ^ (uint64_t)t.tv_sec << 30 ^
               (uint64_t)getpid() << 40;
        for (size_t i = 0; i < sizeof bytes; i++) {
            word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
            bytes[i] = (unsigned char)(word >> 56);
        }
    }
    for (size_t i = 0; i < BNRE__RANDOM; i++)
        out[i] = letters[bytes[i] % 32];
    out[BNRE__RANDOM] = 0;
}

int bnre__random_name(const char *entry, const char *start, const char *end)
{
    const size_t head = strlen(start), length = strlen(entry);

    if (length != head + BNRE__RANDOM + strlen(end) ||
        strncmp(entry, start, head) != 0 ||
        strcmp(entry + head + BNRE__RANDOM, end) != 0)
        return 0;
    for (size_t i = head; i < head + BNRE__RANDOM; i++)
        if (strchr("abcdefghijklmnopqrstuvwxyz012345", entry[i]) == NULL)
            return 0;
    return 1;
}

int bnre__lock_now(int fd)
{
    int result;

    do
        result = flock(fd, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno != EWOULDBLOCK;
}

/* Remove `entry` of the directory `at` if it is ours and its writer is gone. */
static void remove_abandoned(int at, const char *entry)
{
    const int fd =
        openat(at, entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;

    if (fd < 0)
        return;
    /* Where there are no locks nobody knows, and it stays. */
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(at, entry, 0);
    close(fd);
}

static void remove_all_abandoned(const char *directory, const char *start)
{
    DIR *list = opendir(directory);
    const struct dirent *entry;

    if (list == NULL)
        return;
    while ((entry = readdir(list)) != NULL)
        if (bnre__random_name(entry->d_name, start, ENDING))
            remove_abandoned(dirfd(list), entry->d_name);
    closedir(list);
}

/* One that another process removes before it is locked counts for nothing. */
static int create_locked(const char *path)
{
    const int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    struct stat info;

    if (fd < 0)
        return -1;
    if (bnre__lock_now(fd) && fstat(fd, &info) == 0 && info.st_nlink > 0)
        return fd;
    close(fd);
    errno = EEXIST;
    return -1;
}

bnre_status bnre__temporary_create(const char *path, char **name, int *fd)
{
    enum { LONGEST = NAME_MAX - BNRE__RANDOM - sizeof ENDING };
    const char *slash = strrchr(path, '/');
    const char *last = slash == NULL ? path : slash + 1;
    const int directory = (int)(last - path);
    bnre_status status = BNRE_OK;
    char *start = NULL, *place = NULL;

    *name = NULL;
    *fd = -1;
    BNRE_TRY(bnre__text_format(&start, "%.*s.", LONGEST, last));
    BNRE_TRY(bnre__text_format(&place, "%.*s", directory > 0 ? directory : 1,
                               directory > 0 ? path : "."));
    remove_all_abandoned(place, start);
    for (int tries = 0; *fd < 0; tries++) {
        char random[BNRE__RANDOM + 1];

        bnre__random_letters(random);
        bnre__free(*name);
        *name = NULL;
        BNRE_TRY(bnre__text_format(name, "%.*s%s%s" ENDING, directory, path,
                                   start, random));
        *fd = create_locked(*name);
        if (*fd < 0 && (errno != EEXIST || tries == 100)) {
            status = bnre__file_fail(path, "write", errno);
            goto done;
        }
    }
done:
    if (status != BNRE_OK) {
        bnre__free(*name);
        *name = NULL;
    }
    bnre__free(place);
    bnre__free(start);
    return status;
}
