#define _GNU_SOURCE /* nftw */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[256];

/* HDF5 forgets memory of its own when it gives up on a damaged file. */
__attribute__((visibility("default"))) const char *
__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *ftw)
{
    (void)info;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_place(void)
{
    remove_tree(place);
}

static const char *input_place(void)
{
    const char *parent = getenv("TMPDIR");

    if (place[0] == 0) {
        if (parent == NULL || parent[0] == 0 || strlen(parent) > 200)
            parent = "/tmp";
        snprintf(place, sizeof place, "%s/fuzz.XXXXXX", parent);
        MUST(mkdtemp(place) != NULL);
        atexit(remove_place);
    }
    return place;
}

const char *input_path(const char *name)
{
    static char path[4][512];
    static unsigned turn;
    char *out = path[turn++ % 4];

    snprintf(out, sizeof path[0], "%s/%s", input_place(), name);
    return out;
}

void input_forget(const char *name)
{
    remove_tree(input_path(name));
}

static void make_parents(const char *path)
{
    char part[512];

    for (size_t n = strlen(place) + 1; path[n] != 0; n++)
        if (path[n] == '/') {
            snprintf(part, sizeof part, "%.*s", (int)n, path);
            MUST(mkdir(part, 0777) == 0 || errno == EEXIST);
        }
}

const char *input_file(const char *name, const void *data, size_t size)
{
    const char *path = input_path(name);
    int fd;

    make_parents(path);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    MUST(fd >= 0);
    MUST(size == 0 || write(fd, data, size) == (ssize_t)size);
    MUST(close(fd) == 0);
    return path;
}

char *input_text(const uint8_t **data, size_t *size)
{
    const uint8_t *zero = *size > 0 ? memchr(*data, 0, *size) : NULL;
    const size_t length = zero != NULL ? (size_t)(zero - *data) : *size;
    const size_t skip = zero != NULL ? length + 1 : length;
    char *text = malloc(length + 1); /* exact: reading on is found */

    MUST(text != NULL);
    if (length > 0)
        memcpy(text, *data, length);
    text[length] = 0;
    *data += skip;
    *size -= skip;
    return text;
}
