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

/* From now on bnre_dataset_read() gives the columns of theta in the order of
   this prior and those of x in the order of x_name (x_size), found by their
   names; NULL leaves them as they are, and so do files without names: there the
   order counts. Names that only count (0, 1, ...) are places. Of a file with
   more parameters than the prior, those of the prior among them, the others are
   left out, as nuisance. The description follows; fingerprints are of the file
   as it is.
   Errors: EUSAGE with both lists of names when they differ; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_dataset_arrange(
    bnre_dataset *data, const bnre_prior *prior, const char *const *x_name);

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

/* Copy a dataset into another format, chosen by the ending of `out_path`. The
   target appears whole or not at all. Errors: EEXIST unless `force`. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_dataset_convert(const char *in_path, const char *out_path, int force,
                     const bnre_monitor *monitor);

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
/* A hash of all its values, and of the parameters if they are known. */
BNRE_API void bnre_observations_fingerprint(const bnre_observations *observed,
                                            char out[33]);
BNRE_API void bnre_observations_clear(bnre_observations *observations);

#ifdef __cplusplus
}
#endif
#endif
