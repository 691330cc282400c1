/* Paths and what lies there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

int cli_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

int cli_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);

    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* Directories of one path of `length` letters. */
static bnre_status make_parents(const char *path, size_t length)
{
    char directory[CLI_PATH];

    if (length >= sizeof directory)
        return bnre_fail(BNRE_EIO, "a path of %zu letters is too long", length);
    memcpy(directory, path, length);
    directory[length] = 0;
    for (char *slash = directory + 1;
         length > 0 && (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        if (mkdir(directory, 0777) != 0 && errno != EEXIST)
            return bnre_fail(BNRE_EIO, "cannot make the directory %s: %s",
                             directory, strerror(errno));
        *slash = '/';
    }
    return BNRE_OK;
}

bnre_status cli_make_parents(const char *path)
{
    const char *comma = strstr(path, ".npy,");
    bnre_status status;

    if (comma == NULL)
        return make_parents(path, strlen(path));
    comma += strlen(".npy");
    status = make_parents(path, (size_t)(comma - path));
    if (status != BNRE_OK)
        return status;
    return make_parents(comma + 1, strlen(comma + 1));
}
