/* load.h - simulators in shared objects. */
#ifndef BNRE_TASK_LOAD_H
#define BNRE_TASK_LOAD_H

#include "bnre/plugin.h"
#include "bnre/status.h"

/* Load the record of the shared object at `path`; it stays loaded until the
   program ends. Errors: EUSAGE with what the loader said, or when it has no
   record or one of another ABI. */
BNRE_MUST_CHECK bnre_status bnre__plugin_load(const char *path,
                                              const bnre_plugin **out);

/* Load a task that ships as a plugin (name.so), from where it is built or
   installed: $BNRE_PLUGIN_PATH (directories, ':' between), beside the program
   or library, the installation. *out = NULL and BNRE_OK when there is none. */
BNRE_MUST_CHECK bnre_status bnre__plugin_find(const char *name,
                                              const bnre_plugin **out);

#endif
