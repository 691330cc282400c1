/* flat.h - the part of the library that other languages bind to.

   Everything here is plain: numbers, texts, arrays of double by pointer and
   count, and handles whose insides nobody sees. There are no structs to lay
   out, no macros to translate, and nothing in it changes its meaning within a
   major version; new functions may be added. It is enough for a whole package:

     bnre_call()        every command of the program, with its settings as text
     bnre_model_*       an estimator: log ratios, gradients, what it knows
     bnre_observed_*    a posterior: draws, levels, regions of an observation
     bnre_task_*        a task: its priors, simulations into arrays
     bnre_dataset_*     a file of pairs, read into arrays

   Texts are UTF-8. Settings are YAML, of which JSON is a part: a binding passes
   a dictionary as JSON. Results are JSON; numbers that are not finite are null.
   The caller frees every text that it gets by a `char **` with bnre_free();
   what is returned as `const char *` belongs to the handle.

   Arrays are row-major: theta (n, dim) has the parameters of row i at
   theta[i * dim]. All arrays are the caller's, and are filled as a whole or, on
   failure, not to be used.

   Functions that can fail return a status: 0 is success, and otherwise
   bnre_error_message() tells in words what was wrong, for the calling thread
   (status.h has the codes). A handle serves one thread at a time; different
   handles are independent of each other. */
#ifndef BNRE_FLAT_H
#define BNRE_FLAT_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Free text that the library handed out; NULL is fine. */
BNRE_API void bnre_free(void *text);

/* The version of the library, such as "0.2.0". */
BNRE_API const char *bnre_version(void);

/* ---- commands ---- */

/* How work that takes long tells of itself, called now and then, maybe by
   another thread than the caller's but never by two at once:

     "progress"   `done` of `total` units are done; text is NULL
     "state"      how it stands, in a few words that replace those before
     "note"       a sentence that people should see, such as a warning

   A result other than 0 asks the work to save what it has and to end with the
   status BNRE_EINTR; the same call then goes on from there. */
typedef int (*bnre_tell)(void *user, const char *kind, const char *text,
                         size_t done, size_t total);

/* Do what `bnre VERB` does, with the same checks, files and warnings:

     simulate    task, ... and output        -> a dataset
     train       data, ... and output        -> an estimator
     posterior   estimator, observation, ... -> a directory; output
     diagnose    estimator, data, ...        -> results; output is optional
     convert     input, output               -> a dataset in another format
     export      estimator, output, ...      -> C or ONNX
     info        file                        -> what it is
     tasks       task (optional)             -> the built-in tasks, or one
     doctor                                  -> what is here, and what is missing
     infer       task, observation, ...      -> a directory; output
     run         study, set, output          -> a directory
     report      directory, format           -> the page of a study

   `settings` is a map of the command's options by their names (batch_size), and
   of seed, threads, force and dry_run; NULL is an empty one. Operands of the
   command line have the names above. Paths are relative to the working
   directory.

   *result receives an object. Its keys `status` (a word: ok, doubt) and `notes`
   (warnings, a list) are always there, `output` where files were made; the
   others are those of the command's own JSON file, or what it prints.
   Errors: EUSAGE for settings that are none, with the nearest name; those of
   the command. EDOUBT means that the work is done and all files are there, but
   the result should not be used as it is: *result is given then, too; after
   other failures it is NULL. `tell` may be NULL. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_call(const char *verb,
                                               const char *settings,
                                               bnre_tell tell, void *user,
                                               char **result);

/* The status with which the program would end: 0 done, 1 failed, 2 wrong usage,
   3 unreliable, 130 interrupted. */
BNRE_API int bnre_exit_status(bnre_status status);

/* The names of the verbs, i from 0; NULL past the last. */
BNRE_API const char *bnre_call_verb(size_t i);

/* The settings of a verb: a list of objects with name, type (flag, size, seed,
   real, text, choice, list), preset, rule, usual and help. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_call_options(const char *verb,
                                                       char **result);

/* ---- estimators ---- */

typedef struct bnre_model bnre_model;

/* Open the file of an estimator, to be evaluated with so many threads (0 = one
   per core): results do not depend on it. Errors: EIO; EFORMAT; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_model_open(const char *path,
                                                     size_t threads,
                                                     bnre_model **out);
BNRE_API void bnre_model_close(bnre_model *model); /* NULL is fine */

/* Parameters (0 for a classifier), and numbers of one x. */
BNRE_API size_t bnre_model_dim(const bnre_model *model);
BNRE_API size_t bnre_model_x_size(const bnre_model *model);

/* What it is: kind, method, members, parameters (name, prior, low, high, mean,
   sd), shape, x_names, temper, widen, order, task, settings, training,
   version, fingerprint. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_model_text(const bnre_model *model,
                                                     char **json);

/* Its certificate as it is in the file, numbers being numbers; the text "null"
   without one. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_model_certificate(const bnre_model *model, char **json);

/* Its training: a list of members, each with seed, best, last, and columns: an
   object that has for every name a list of one number for each epoch. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_model_history(const bnre_model *model,
                                                        char **json);

/* out (n) = log p(theta_i); -inf outside its support, NaN where the prior is
   known by draws only. */
BNRE_API void bnre_model_log_prior(const bnre_model *model, size_t n,
                                   const double *theta, double *out);

/* theta (n, dim): draws from the prior. Number first + i depends on it and the
   seed alone. */
BNRE_API void bnre_model_draw_prior(const bnre_model *model, uint64_t seed,
                                    uint64_t first, size_t n, double *theta);

/* out (n): the log ratio log p(theta_i | x_i) - log p(theta_i), tempered and
   widened as the estimator says. x is (rows, x_size) with rows = n, or rows = 1
   for one x that goes with every theta, which is much faster. Outside the
   support of the prior it is -inf. Unless it is NULL, gradient (n, dim)
   receives d out / d theta, 0 where out is -inf. Of a classifier theta is
   ignored, and the result is log p(first class | x) - log p(second | x).
   Errors: EINVAL for other rows, and for gradients of a classifier; ENUM with
   the row of a value that is not finite; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_model_log_ratio(
    const bnre_model *model, size_t n, const double *theta, size_t rows,
    const double *x, double *out, double *gradient);

/* ---- posteriors ---- */

typedef struct bnre_observed bnre_observed;

/* What a model says of an observation: x (rows, x_size), rows > 1 being
   independent observations of the same parameters. `settings` (NULL: none) are
   those of the command `posterior` that say how it is computed: method, grid,
   samples, bank, steps, and seed; the same settings give the same draws as the
   command. The model must be closed later than this.
   Errors: EUSAGE; ENUM; EINTR when `tell` asked to stop; ENOMEM. A posterior
   that should not be used is none: see bnre_observed_doubt(). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_observed_open(
    const bnre_model *model, size_t rows, const double *x, const char *settings,
    bnre_tell tell, void *user, bnre_observed **out);
BNRE_API void bnre_observed_close(bnre_observed *observed);

/* Why it should not be used (chains that did not converge, say), with what to
   do; "" if it may be. */
BNRE_API const char *bnre_observed_doubt(const bnre_observed *observed);

/* theta (n, dim): draws from the posterior. Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_observed_sample(
    const bnre_observed *observed, uint64_t seed, size_t n, double *theta);

/* level (n): the posterior mass of all that is denser than theta_i, which is
   the level of the smallest highest-density region that has it; 1 outside the
   support. So theta lies in the region of level c if its level is at most c.
   Errors: ENUM; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_observed_level(const bnre_observed *observed, size_t n,
                    const double *theta, double *level);

/* The highest-density region of a level in (0, 1): theta belongs to it if
   log prior + log ratio is at least *threshold, and it has *prior_mass of the
   prior (may be NULL). Errors: EINVAL; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_observed_region(const bnre_observed *observed, double level,
                     double *threshold, double *prior_mass);

/* Its numbers: method, points, doubt, evidence (log_z, error, ess), parameters
   (name, mean, sd, median, central_68, central_95, mode). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_observed_text(const bnre_observed *observed, char **json);

/* ---- tasks ---- */

typedef struct bnre_task bnre_task;

/* A task by its name, or from a YAML file; options (n) are "key=value" texts.
   Opening the task of a file trusts it: its plugin is loaded.
   Errors: EUSAGE; EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_open(const char *name_or_file,
                                                    size_t n,
                                                    const char *const *options,
                                                    bnre_task **out);

/* The same from the text of such a file (YAML or JSON). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_parse(const char *text,
                                                     bnre_task **out);
BNRE_API void bnre_task_destroy(bnre_task *task); /* NULL is fine */

/* Parameters, numbers of one x, and what it is: name, parameters, nuisance,
   shape, tractable, runs, and its description as YAML under `text`. */
BNRE_API size_t bnre_task_dim(const bnre_task *task);
BNRE_API size_t bnre_task_x_size(const bnre_task *task);
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_json(const bnre_task *task,
                                                    char **json);

/* x (n, x_size) for theta (n, dim), by a built-in task or a plugin; nuisance
   parameters are drawn. With draw_theta theta is filled by draws from the prior
   first. Row i has number first + i, and depends on it, the seed and its theta
   alone: these are the rows that the command `simulate` makes, before x is
   rounded to single precision. status (n, may be NULL) receives 0, or why a row
   failed, whose x is NaN then (bnre_draw in plugin.h).
   Errors: EUSAGE for external programs, which the command `simulate` runs; ENUM
   with the row of a theta that is not finite; ESIM; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_task_simulate(
    const bnre_task *task, size_t threads, uint64_t seed, uint64_t first,
    size_t n, int draw_theta, double *theta, double *x, uint8_t *status);

/* ---- datasets ---- */

typedef struct bnre_dataset bnre_dataset;

/* Open a dataset of any format (dataset.h). Errors: EIO; EFORMAT; ENUM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_dataset_open(const char *path,
                                                       bnre_dataset **out);
BNRE_API void bnre_dataset_close(bnre_dataset *data); /* NULL is fine */

/* What it is: format, rows, failed, parameters (names), nuisance, shape,
   x_names, x_double, task, settings, version. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_dataset_json(const bnre_dataset *data,
                                                       char **json);

/* Rows first..first+n-1 into theta (n, parameters), nuisance (n, nuisance), x
   (n, product of shape) and status (n), each of which may be NULL. Errors:
   EINVAL past the end; EIO; EFORMAT; ENUM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_dataset_read(bnre_dataset *data, size_t first, size_t n, double *theta,
                  double *nuisance, double *x, uint8_t *status);

#ifdef __cplusplus
}
#endif
#endif
