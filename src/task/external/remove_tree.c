/* remove_tree.c - removing a directory with all that is in it. Linked into
   bnre-supervise too, so it uses nothing of the library. */
#include "task/external/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each level holds a descriptor; a tree deeper than this is nobody's output. */
enum { DEEPEST = 100 };

static int remove_entry(int parent, const char *name, int depth);

static int remove_entries(int fd, int depth)
{
    DIR *stream = fdopendir(fd);
    struct dirent *entry;
    int error = 0;

    if (stream == NULL) {
        close(fd);
        return -1;
    }
    while ((entry = readdir(stream)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            if (remove_entry(dirfd(stream), entry->d_name, depth) != 0 &&
                error == 0)
                error = errno;
    closedir(stream);
    if (error == 0)
        return 0;
    errno = error; /* the cause, and not that the rest is not empty */
    return -1;
}

static int remove_entry(int parent, const char *name, int depth)
{
    int fd, error;

    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    error = errno;
    if (depth == 0)
        return -1;
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOTDIR) {
        errno = error; /* a file that could not be removed */
        return -1;
    }
    if (fd >= 0 && remove_entries(fd, depth - 1) != 0)
        return -1;
    return unlinkat(parent, name, AT_REMOVEDIR);
}

int bnre__remove_tree(const char *path)
{
    return remove_entry(AT_FDCWD, path, DEEPEST);
}
