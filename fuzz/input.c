#define _GNU_SOURCE /* memfd_create */
#include "input.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const char *input_path(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("input", MFD_CLOEXEC);
        MUST(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    MUST(ftruncate(fd, 0) == 0);
    MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
    return path;
}
