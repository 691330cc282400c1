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
    int result = 0;

    if (stream == NULL) {
        close(fd);
        return -1;
    }
    while ((entry = readdir(stream)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            result |= remove_entry(dirfd(stream), entry->d_name, depth);
    closedir(stream);
    return result;
}

static int remove_entry(int parent, const char *name, int depth)
{
    int fd;

    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (depth == 0)
        return -1;
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        remove_entries(fd, depth - 1);
    return unlinkat(parent, name, AT_REMOVEDIR);
}

int bnre__remove_tree(const char *path)
{
    return remove_entry(AT_FDCWD, path, DEEPEST);
}
