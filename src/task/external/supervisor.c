/* supervisor.c - where bnre-supervise is. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "base/text.h"
#include "task/external/process.h"

#ifndef BNRE_LIBEXEC_DIR
#define BNRE_LIBEXEC_DIR "/usr/local/libexec/bnre"
#endif

static const char NAME[] = "bnre-supervise";

static bnre_status try_directory(const char *directory, const char *below,
                                 char **out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (*out != NULL || directory == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre__text_format(&path, "%s%s/%s", directory, below, NAME));
    if (access(path, X_OK) == 0) {
        *out = path;
        path = NULL;
    }
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__supervisor_find(char **out)
{
    bnre_status status = BNRE_OK;
    const char *named = getenv("BNRE_SUPERVISE");
    char *own = NULL;

    *out = NULL;
    if (named != NULL && named[0] != 0)
        return bnre__strdup(named, out);
    BNRE_TRY(bnre__own_directory(&own));
    BNRE_TRY(try_directory(own, "", out));
    BNRE_TRY(try_directory(own, "/..", out)); /* of test programs */
    BNRE_TRY(try_directory(own, "/../libexec/bnre", out));
    BNRE_TRY(try_directory(own, "/../../libexec/bnre", out));
    BNRE_TRY(try_directory(BNRE_LIBEXEC_DIR, "", out));
    if (*out == NULL)
        BNRE_THROW(BNRE_ESIM,
                   "%s is not there: it is installed with the library as %s/%s;"
                   " the environment variable BNRE_SUPERVISE may name it",
                   NAME, BNRE_LIBEXEC_DIR, NAME);
done:
    bnre__free(own);
    return status;
}
