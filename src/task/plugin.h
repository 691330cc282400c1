/* plugin.h - a simulator made from a C record and the values of its options. */
#ifndef BNRE_TASK_PLUGIN_H
#define BNRE_TASK_PLUGIN_H

#include "bnre/plugin.h"
#include "bnre/settings.h"
#include "bnre/task.h"
#include "task/simulator.h"

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
