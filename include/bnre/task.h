/* task.h - a task: named parameters with priors, and a simulator. */
#ifndef BNRE_TASK_H
#define BNRE_TASK_H

#include <stddef.h>

#include "bnre/plugin.h"
#include "bnre/prior.h"
#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BNRE_MAX_NDIM 8

typedef struct bnre_task bnre_task;

/* Make a task from settings: the name of a built-in task, or a map

     name: gaussian                  # built-in
     options: {dim: 3}               # of its simulator
     parameters: {theta_0: normal(0, 2)}   # priors other than the default
     nuisance: {...}

     constraint: a >= b              # see bnre_prior_constrain()
     prior_samples: draws.csv        # in place of families
     transform: {rate: log, x: log}  # what a network shall see as logarithms

   with `simulator: {plugin: ./libmine.so}` in place of the name for a
   simulator in a shared object (plugin.h), or `simulator: {command: [...]}`
   for an external program, which also needs `observable`, the shape of x; paths
   are relative to the file. With `models: {NAME: TASK, ...}` in place of the
   name the one parameter, `model`, is which of these tasks made x: a row draws
   it (each is as probable as the others, unless `parameters: {model:
   "categorical(4, 1)"}` says otherwise), then the parameters of that task.

   The caller owns *out. Errors: EUSAGE with the place of what is wrong and the
   nearest valid name; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_create(const bnre_node *settings,
                                                      bnre_task **out);

/* The same for settings that nobody vouches for, such as those stored in a data
   file, and for showing: nothing is loaded or started, now or later. A built-in
   task is whole. One around a program or plugin tells what its settings tell,
   and bnre_task_runs() says that it cannot be simulated; what a plugin's record
   would add is not known then.
   Errors: as bnre_task_create(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_task_describe(const bnre_node *settings, bnre_task **out);

/* The same around a record of the caller's, which must outlive the task.
   `settings` may be NULL. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_create_plugin(
    const bnre_plugin *record, const bnre_node *settings, bnre_task **out);

/* From the command line: a built-in name, or a YAML file that either is a task
   or has one under the key `task`; `options` (n) are "key=value" texts for the
   simulator, which win. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_open(const char *name_or_file,
                                                    size_t n,
                                                    const char *const *options,
                                                    bnre_task **out);

/* The same as bnre_task_describe() does it. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_look(const char *name_or_file,
                                                    size_t n,
                                                    const char *const *options,
                                                    bnre_task **out);

BNRE_API void bnre_task_destroy(bnre_task *task);

/* Whether the task can be simulated; and whether its parameters and the shape
   of x are known, which a plugin that is not loaded may leave open (then it has
   none). */
BNRE_API int bnre_task_runs(const bnre_task *task);
BNRE_API int bnre_task_known(const bnre_task *task);

BNRE_API const char *bnre_task_name(const bnre_task *task);
BNRE_API const bnre_prior *bnre_task_prior(const bnre_task *task);
BNRE_API const bnre_prior *bnre_task_nuisance(const bnre_task *task);

/* The shape of x: ndim numbers. */
BNRE_API const size_t *bnre_task_observable(const bnre_task *task,
                                            size_t *ndim);
/* Their product. */
BNRE_API size_t bnre_task_x_size(const bnre_task *task);

/* All that defines the task, defaults included, as YAML from which
   bnre_task_create() makes an equal one. Owned by the task. */
BNRE_API const char *bnre_task_text(const bnre_task *task);

/* log p(x | theta) where the simulator can tell; NaN where it cannot.
   bnre_task_tractable() says which. For one thread at a time. */
BNRE_API int bnre_task_tractable(const bnre_task *task);
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_log_likelihood(
    bnre_task *task, const double *theta, const double *x, double *out);

/* The names of the built-in tasks: i from 0; NULL past the last. */
BNRE_API const char *bnre_task_builtin_name(size_t i);

/* The record of a built-in task. Errors: EUSAGE when there is none of this
   name, or when it ships as a plugin that was not built here: the message says
   what is missing and how to get it. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_builtin(const char *name,
                                                       const bnre_plugin **out);

#ifdef __cplusplus
}
#endif
#endif
