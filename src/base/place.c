/* place.c - where the program or library lies, asked of the dynamic linker. */
#define _GNU_SOURCE /* dladdr */
#include "base/place.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

bnre_status bnre__own_directory(char **out)
{
    bnre_status status = BNRE_OK;
    const char *slash;
    char *real = NULL;
    Dl_info info;

    *out = NULL;
    /* A program gives its own name as it was called; the kernel knows better.
     */
    if (dladdr((void *)(uintptr_t)bnre__own_directory, &info) != 0 &&
        info.dli_fname != NULL)
        real = realpath(info.dli_fname, NULL);
    if (real == NULL || strstr(real, ".so") == NULL) {
        free(real);
        real = realpath("/proc/self/exe", NULL);
    }
    slash = real == NULL ? NULL : strrchr(real, '/');
    if (slash != NULL)
        BNRE_TRY(bnre__text_format(out, "%.*s", (int)(slash - real), real));
done:
    free(real);
    return status;
}
