/* dataset.h - simulated pairs in files, and what was observed.

   Row i holds parameters theta (double), nuisance parameters (double), an
   observable x (float, or double where that would lose too much) and a status.
   HDF5 files keep all of it with a record of how it was made; .npz files, pairs
   of .npy files (written "theta.npy,x.npy") and CSV files are read and written
   too. Rows are read by blocks, so data may be larger than memory. */
#ifndef BNRE_DATASET_H
#define BNRE_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/pool.h"
#include "bnre/prior.h"
#include "bnre/status.h"
#include "bnre/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Status of a row: a bnre_draw; only rows with BNRE_DRAW_OK have an x, in the
   others it is NaN. */

typedef struct bnre_dataset bnre_dataset;

typedef struct bnre_dataset_info {
    const char *format; /* "HDF5", "npz", "npy", "CSV" */
    size_t rows;
    size_t failed; /* rows whose status is not BNRE_DRAW_OK */
    size_t dim_theta, dim_nuisance;
    size_t ndim; /* of x */
    size_t shape[BNRE_MAX_NDIM];
    size_t x_size; /* product of shape */
    int x_double;  /* x is kept in double precision, not in single */
    const char *const *theta_name;    /* (dim_theta) */
    const char *const *nuisance_name; /* (dim_nuisance) */
    const char *const *x_name; /* (x_size), of columns that have names of their
                                  own; else NULL */

    /* How it was made; NULL where the file does not say. */
    const char *task;     /* YAML, see bnre_task_text() */
    const char *settings; /* YAML: seed, split, ... */
    const char *version;  /* of the program that made it */
    const char *stored_fingerprint;
} bnre_dataset_info;

/* Open any supported file; its kind is found from its contents. Shapes are
   checked against the file's size before anything is allocated. Files that this
   program wrote are verified: what describes the rows now, rows when they are
   read, by blocks of up to 1024 (files of version 0.1.0 have no checksums of
   blocks: they are read as a whole now). EFORMAT when something is not as it
   was written.
   Errors: EIO; EFORMAT with what is wrong; ENUM with row and column of a
   non-finite value (text and npy formats are checked when opened, HDF5 when
   read); ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_dataset_open(const char *path,
                                                       bnre_dataset **out);
/* The same for files of which only x matters: rows of one class, say. They have
   no parameters (dim_theta is 0), and what else is in a file is left alone.
   Also a single .npy file, (rows, ...), is one, and a CSV file whose columns
   have names of their own: all of them are x then. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_dataset_open_x(const char *path,
                                                         bnre_dataset **out);
BNRE_API void bnre_dataset_close(bnre_dataset *data);

BNRE_API const bnre_dataset_info *
bnre_dataset_describe(const bnre_dataset *data);

/* Read rows first..first+n-1 into theta (n, dim_theta), nuisance
   (n, dim_nuisance), x (n, x_size) and status (n); any may be NULL.
   Errors: EINVAL past the end; EIO; EFORMAT when rows are not what was written;
   ENUM when a row that is not marked as failed holds a non-finite value. For
   one thread at a time. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_dataset_read(bnre_dataset *data, size_t first, size_t n, double *theta,
                  double *nuisance, double *x, uint8_t *status);

/* Compare all rows with the checksums in the file, if it has any, at once;
   those that were read are known already. Errors: as bnre_dataset_read(). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_dataset_verify(bnre_dataset *data);

/* Why rows failed, most frequent first: up to `room` reasons with their counts;
 *n receives how many. Texts are owned by the dataset. */
typedef struct bnre_failure {
    const char *reason;
    bnre_draw status;
    size_t count;
} bnre_failure;
BNRE_API BNRE_MUST_CHECK bnre_status bnre_dataset_failures(bnre_dataset *data,
                                                           size_t room,
                                                           bnre_failure *out,
                                                           size_t *n);

/* The parameter on which failures depend most, if they do: "depend on rate: 31
   % fail from 1.2 to 1.4", else "no sign that they depend on the parameters".
   The caller frees *text with bnre_free(). Errors: EUSAGE for fewer than 25
   rows; those of reading; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_failures_words(bnre_dataset *data,
                                                         char **text);

/* Hash of the contents (names, shapes, every row), 32 hexadecimal digits and a
   final 0: equal data have equal fingerprints whatever the file's format or
   history. Reads all rows. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_dataset_fingerprint(bnre_dataset *data, char out[33]);

/* ---- what was observed, from files ----

   Where an estimator wants x of a certain shape, a file may hold one such x, or
   several independent observations of the same theta, one after the other:

     .npy            an array of that shape, or (n, shape), or flattened
     .npz, .h5       the same, in the array called x
     text            numbers with blanks, commas or semicolons between them; one
                     observation per line if there are several; a line of names
                     may come first, lines that start with # are left out
     -               text on standard input, numbers alone
     DATASET:ROW     a row of a dataset in any format, counted from 0
     DATASET         all its rows, if they were simulated for the same theta */

typedef struct bnre_observations {
    size_t n, x_size;
    double *x; /* (n, x_size) */

    /* The parameters behind it, where all came from rows of datasets. */
    size_t dim;    /* 0 if unknown */
    double *theta; /* (dim) or NULL */
} bnre_observations;

/* What is to be read. */
typedef struct bnre_observation_form {
    size_t ndim;
    const size_t *shape;       /* (ndim) of x */
    const char *const *x_name; /* (values of x): columns with names are put into
                                  this order; NULL: as they come */
    const bnre_prior *prior;   /* parameters of datasets are put into its order;
                                  NULL: as they come */
} bnre_observation_form;

/* Read `files` files, whose observations are joined, for x of this form.
   Errors: EIO; EFORMAT; EUSAGE with both shapes and a likely cause where they
   do not fit, with both lists of names where these do not, for datasets of many
   theta and rows that are not there or failed;
   ENUM with file and place of a value that is not finite; ENOMEM. On failure
   *out is empty. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_observations_read(const bnre_observation_form *form, size_t files,
                       const char *const *path, bnre_observations *out);
BNRE_API void bnre_observations_clear(bnre_observations *observations);

/* ---- pairs drawn from a task, into a file ---- */

typedef struct bnre_simulate_opts {
    size_t count;
    size_t first; /* row of the stream with which the file begins; 0 unless
                     several files share a stream */
    uint64_t seed;
    bnre_split split;
    int force;           /* replace whatever is there */
    const double *theta; /* (theta_rows, dim), borrowed: parameters in place of
                            draws from the prior. Row i gets row i, or the only
                            one there is. NULL = draw. Nuisance parameters are
                            drawn in any case. */
    size_t theta_rows;
    const char *within;          /* what the given parameters are draws of, told
                                    in the settings of the file; NULL = nothing
                                    is known of them */
    size_t observations;         /* rows 0..K-1 share their parameters, so do
                                    the next K; 0 and 1: none do */
    size_t workers;              /* external programs at a time; 0 = what the
                                    task says, or as many as threads */
    bnre_pool *pool;             /* borrowed; NULL = one thread */
    const bnre_monitor *monitor; /* borrowed; NULL = silent */
} bnre_simulate_opts;

/* Those of the program: 1024 rows of the split train, seed 1. */
BNRE_API bnre_simulate_opts bnre_simulate_opts_default(void);

typedef struct bnre_simulate_result {
    size_t rows;   /* in the file now, or kept so far if interrupted */
    size_t found;  /* of these, rows that were there already */
    size_t failed; /* rows marked as failed */
    size_t bytes;  /* size of the file */
    char fingerprint[33];
} bnre_simulate_result;

/* Rows first..first+count-1 of the stream (seed, split) of `task`, in the file
   `path`
   (.h5, .npz or .csv). Row i is the same whatever the count, the threads or the
   interruptions. A .h5 or .npz file of the same stream is extended (.csv
   files do not tell what they hold). Rows being simulated are kept in
   `path`.part until the file is written and renamed; a call after an
   interruption goes on from there, and nothing is simulated twice.
   External programs: what they write to stderr goes to `path`.log. If there
   are many rows to simulate, the first five are run one by one; the monitor's
   note tells how long the others will take, and of failures.
   Errors: EEXIST when `path` or its .part come from other settings, unless
   `force`; EINTR when the monitor asked to stop (rows so far are safe); EIO,
   also when another process is writing `path`; EUSAGE for a count of 0 or
   beyond some 10^10, a path of no known ending, for more rows than `theta` has,
   or for workers where there are no external programs; ENUM when `theta` has a
   value that is not finite; ESIM; ENOMEM. `result` (may be NULL) is filled in
   also on failure: rows and failed are then those kept so far. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_simulate(bnre_task *task, const bnre_simulate_opts *opts, const char *path,
              bnre_simulate_result *result);

#ifdef __cplusplus
}
#endif
#endif
