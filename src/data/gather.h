/* gather.h - one dataset out of rows of several, maybe with other parameters
   in the place of their own. */
#ifndef BNRE_DATA_GATHER_H
#define BNRE_DATA_GATHER_H

#include "bnre/dataset.h"

/* Rows of one dataset. All is borrowed. */
typedef struct bnre__gather_source {
    bnre_dataset *data;  /* its columns in the order of the target */
    size_t n;            /* rows that are taken */
    const size_t *row;   /* (n) which, increasing; NULL = the first n */
    const double *theta; /* (n, dim_theta) in place of theirs; NULL = theirs */
    size_t dim; /* of these, where there are others than theirs; 0 = as many */
    const char *const *name; /* (dim) and what they are called */
} bnre__gather_source;

/* Write the rows of `sources` sources, one after the other, into `path` (.h5),
   whatever is there. Nuisance parameters are left out. `task` and `settings`
   (YAML) say how it was made. x is kept in double precision if one of the
   sources needs that.
   Errors: EFORMAT when shapes differ; as bnre_dataset_read(); EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__dataset_gather(
    size_t sources, const bnre__gather_source *source, const char *task,
    const char *settings, const char *path, char fingerprint[33]);

#endif
