/* observation.h - what was observed, from files.

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
#ifndef BNRE_OBSERVATION_H
#define BNRE_OBSERVATION_H

#include <stddef.h>

#include "bnre/prior.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
