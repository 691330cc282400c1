#include "task/load.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "base/text.h"
#include "task/plugin.h"

#define RECORD "bnre_plugin_record"

/* Where the library goes, seen from the installation's root. */
#ifndef BNRE_LIBDIR
#define BNRE_LIBDIR "lib"
#endif

bnre_status bnre__plugin_load(const char *path, const bnre_plugin **out)
{
    bnre_status status = BNRE_OK;
    char *explicit_path = NULL;
    void *library;

    *out = NULL;
    /* Without a slash the loader would search the system's directories. */
    BNRE_TRY(bnre__text_format(&explicit_path, "%s%s",
                               strchr(path, '/') == NULL ? "./" : "", path));
    library = dlopen(explicit_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        BNRE_THROW(BNRE_EUSAGE, "cannot load plugin %s: %s", path, dlerror());
    *out = dlsym(library, RECORD);
    if (*out == NULL) {
        dlclose(library);
        BNRE_THROW(BNRE_EUSAGE,
                   "plugin %s has no symbol " RECORD
                   ": does it define `const bnre_plugin " RECORD
                   "` and export it?",
                   path);
    }
    /* Checked before anything else of the record is looked at: another ABI may
       have another layout. */
    if ((*out)->abi != BNRE_PLUGIN_ABI) {
        unsigned abi = (*out)->abi;

        *out = NULL;
        dlclose(library);
        BNRE_THROW(BNRE_EUSAGE,
                   "plugin %s was built for plugin ABI %u, this program has "
                   "%d: rebuild it with this version's bnre/plugin.h",
                   path, abi, BNRE_PLUGIN_ABI);
    }
done:
    bnre__free(explicit_path);
    return status;
}

/* Load DIRECTORY/NAME.so if there is such a file. */
static bnre_status try_directory(const char *directory, size_t length,
                                 const char *between, const char *name,
                                 const bnre_plugin **out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (*out != NULL || length == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__text_format(&path, "%.*s%s/%s.so", (int)length, directory,
                               between, name));
    if (access(path, R_OK) == 0)
        BNRE_TRY(bnre__plugin_load(path, out));
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__plugin_find(const char *name, const bnre_plugin **out)
{
    /* Built: beside the program, or above a test. Installed: below the
       library, or across from the program. */
    static const char *const from_here[] = {"/plugins", "/../plugins",
                                            "/bnre/plugins",
                                            "/../" BNRE_LIBDIR "/bnre/plugins"};
    bnre_status status = BNRE_OK;
    const char *list = getenv("BNRE_PLUGIN_PATH");
    char *own = NULL;
    size_t length;

    *out = NULL;
    while (list != NULL && *list != 0) {
        length = strcspn(list, ":");
        BNRE_TRY(try_directory(list, length, "", name, out));
        list += length + (list[length] == ':');
    }
    BNRE_TRY(bnre__own_directory(&own));
    length = own == NULL ? 0 : strlen(own);
    for (size_t i = 0; i < sizeof from_here / sizeof *from_here; i++)
        BNRE_TRY(try_directory(own, length, from_here[i], name, out));
done:
    bnre__free(own);
    return status;
}
