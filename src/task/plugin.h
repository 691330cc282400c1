/* plugin.h - simulators in shared objects, and what their records and the values
   of their options make. */
#ifndef BNRE_TASK_PLUGIN_H
#define BNRE_TASK_PLUGIN_H

#include "bnre/plugin.h"
#include "bnre/settings.h"
#include "bnre/status.h"
#include "bnre/task.h"
#include "task/simulator.h"

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

/* A record with its options set. Owns the values, borrows the record. */
typedef struct bnre__plugin {
    const bnre_plugin *record;
    char *path; /* of its file as the user wrote it; NULL if built in */
    size_t n;   /* options */
    bnre_plugin_value *value;
} bnre__plugin;

/* Check the record and set its options: defaults, then those of the map
   `options` (may be NULL). Errors: EUSAGE, ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__plugin_create(const bnre_plugin *record,
                                                const bnre_node *options,
                                                bnre__plugin **out);
void bnre__plugin_destroy(bnre__plugin *plugin);

/* The value of an option that counts something: parameters, or a length of x.
   Errors: EUSAGE when there is no such option or it is no whole number. */
BNRE_MUST_CHECK bnre_status bnre__plugin_count(const bnre__plugin *plugin,
                                               const char *option, size_t *out);

/* The shape of x, its options replaced by their values. */
BNRE_MUST_CHECK bnre_status bnre__plugin_shape(const bnre__plugin *plugin,
                                               size_t *ndim,
                                               size_t shape[BNRE_MAX_NDIM]);

/* `self` of a simulator of this kind is a bnre__plugin, which it takes. */
extern const bnre__simulator_kind bnre__plugin_simulator;

#endif
