/* task.h - what a task is made of, for those that make one. */
#ifndef BNRE_TASK_TASK_H
#define BNRE_TASK_TASK_H

#include "bnre/task.h"
#include "task/simulator.h"
#include "task/transform.h"

/* How many digits of x are kept. */
typedef enum bnre__precision {
    BNRE__PRECISION_CHECKED, /* single, and refused where that loses much */
    BNRE__PRECISION_SINGLE,
    BNRE__PRECISION_DOUBLE
} bnre__precision;

struct bnre_task {
    char *name;
    bnre_prior *prior, *nuisance;
    size_t ndim, shape[BNRE_MAX_NDIM];
    bnre__simulator simulator;
    bnre__transform transform;
    bnre__precision precision;
    char *file;  /* that it was read from, or NULL */
    void *exact; /* the simulator's state for log likelihoods, once asked for */
    char *text;
};

/* Make a task from a map of settings and its `simulator`, which has the key
   `plugin` or `command`. */
BNRE_MUST_CHECK bnre_status bnre__task_create_loaded(const bnre_node *settings,
                                                     const bnre_node *simulator,
                                                     bnre_task **out);
BNRE_MUST_CHECK bnre_status bnre__task_create_external(
    const bnre_node *settings, const bnre_node *simulator, bnre_task **out);

/* A task of several, under the key `models`: which of them made x. */
BNRE_MUST_CHECK bnre_status bnre__task_create_models(const bnre_node *settings,
                                                     int sealed,
                                                     bnre_task **out);

/* The same around a plugin that is not loaded: the settings tell what they can.
 */
BNRE_MUST_CHECK bnre_status bnre__task_describe_plugin(
    const bnre_node *settings, const bnre_node *simulator, bnre_task **out);

/* Whether `given`, a parameter's name and prior, is right; a complaint names
   its own line. */
BNRE_MUST_CHECK bnre_status bnre__task_check_prior(const bnre_node *given);

/* The text with which a parameter's family is made: itself, or a stand-in for
   the word "samples". */
const char *bnre__task_prior_text(const char *text);

/* A table of draws from a prior. */
typedef struct bnre__draws {
    size_t rows, dim;
    const double *value; /* (rows, dim) */
} bnre__draws;

/* Apply the settings `constraint` and `prior_samples` to a prior, and record
   them for the task's text unless `record` is NULL. The draws are read from
   their file unless they are given. */
BNRE_MUST_CHECK bnre_status bnre__task_special_prior(bnre_prior **prior,
                                                     const bnre_node *settings,
                                                     const bnre__draws *draws,
                                                     bnre_node *record);

/* Names and priors of a map, in its order; none of NULL. */
BNRE_MUST_CHECK bnre_status bnre__task_read_priors(const bnre_node *map,
                                                   bnre_prior **out);

/* The key `observable`: `[2, 128]`, or `8` for a plain row of values. */
BNRE_MUST_CHECK bnre_status bnre__task_read_observable(
    const bnre_node *settings, size_t *ndim, size_t shape[BNRE_MAX_NDIM]);

/* The product of a shape. Errors: EUSAGE when it is absurd. */
BNRE_MUST_CHECK bnre_status bnre__task_shape_size(size_t ndim,
                                                  const size_t *shape,
                                                  size_t *out);

/* Rows of parameters, (rows, dim), from a .csv file with a column for each
   (found by name; without a header, by place), from .npy, or from the array
   theta of .npz and .h5; the caller frees *out, also on failure. */
BNRE_MUST_CHECK bnre_status bnre__task_read_table(const char *path,
                                                  const bnre_prior *prior,
                                                  size_t *rows, double **out);

/* A path in a settings file is relative to that file; the caller frees *out. */
BNRE_MUST_CHECK bnre_status bnre__task_path(const bnre_node *node, char **out);

/* The rest of a task that has name, priors, shape, kind and self; `settings`
   may be NULL. */
BNRE_MUST_CHECK bnre_status bnre__task_finish(bnre_task *task,
                                              const bnre_node *settings);

#endif
