/* dataset.h - open datasets from inside. */
#ifndef BNRE_DATA_DATASET_H
#define BNRE_DATA_DATASET_H

#include "bnre/dataset.h"
#include "data/failures.h"
#include "data/rows.h"
#include "data/verify.h"
#include "io/store/store.h"

/* Why rows failed: their numbers in order, and the number of each one's reason.
   `row` is NULL where the file does not tell. */
typedef struct bnre__failed_rows {
    bnre__array *row, *reason;
    size_t n;
    char (*text)[BNRE_REASON_SIZE]; /* (texts) */
    size_t texts;
    /* Where the last search ended: rows mostly come one after the other. */
    size_t next_row, next;
} bnre__failed_rows;

struct bnre_dataset {
    bnre_dataset_info info;
    char *path;
    bnre__store *store;
    bnre__array *theta, *nuisance, *x, *status; /* NULL where there is none */
    bnre__failed_rows failed;
    int only_x;      /* it has no theta, or that does not matter */
    int wide;        /* x is stored with more digits than floats have */
    double *offset;  /* (x_size) taken off before x becomes floats, or NULL */
    int theta_named; /* the file names its parameters */

    /* Columns in another order than the file's (arrange.c): column j comes from
       column from[j], NULL where all are in place. `stored` describes the file
       as it is. */
    bnre_dataset_info stored;
    size_t *theta_from, *x_from;
    const char *const *theta_ordered, *const *x_ordered;
    double *scratch; /* (dim_theta + x_size) */

    /* What `info` points to. */
    char **theta_name, **nuisance_name, **x_name;
    char *task, *settings, *version, *fingerprint;
    bnre__reasons reasons;

    bnre__verify verify;
};

/* Open the file of a dataset that has a path, and describe what it holds;
   what data->verify needs of a file of ours is read. (dataset_file.c) */
BNRE_MUST_CHECK bnre_status bnre__dataset_open_file(bnre_dataset *data);

/* As bnre__rows.read, values as they are in the file; `reason` only together
   with `status`. And x as doubles in any case. */
BNRE_MUST_CHECK bnre_status bnre__dataset_read_file(
    bnre_dataset *data, size_t first, size_t n, double *theta, double *nuisance,
    void *x, uint8_t *status, char (*reason)[BNRE_REASON_SIZE]);
BNRE_MUST_CHECK bnre_status bnre__dataset_read_file_wide(bnre_dataset *data,
                                                         size_t first, size_t n,
                                                         double *x);

/* Open a file once more, for another reader: what was verified of it is not
   verified again, whichever of them reads it first. Errors: EIO when it is not the same any more;
   as bnre_dataset_open(). */
BNRE_MUST_CHECK bnre_status bnre__dataset_again(const bnre_dataset *data,
                                                bnre_dataset **out);

/* The rows of an open dataset, every value checked as by bnre_dataset_read. */
bnre__rows bnre__dataset_rows(bnre_dataset *data);

/* From now on the rows of a file from elsewhere have x as doubles, or not. */
void bnre__dataset_set_double(bnre_dataset *data, int on);

/* The same as bnre_dataset_read(), x as floats, less the offset. */
BNRE_MUST_CHECK bnre_status bnre__dataset_read_f32(bnre_dataset *data,
                                                   size_t first, size_t n,
                                                   double *theta, float *x,
                                                   uint8_t *status);

/* From now on bnre_dataset_read() gives the columns of theta in the order of
   this prior and those of x in the order of x_name (x_size), found by their
   names; NULL leaves them as they are, and so do files without names: there the
   order counts. Names that only count (0, 1, ...) are places. Of a file with
   more parameters than the prior, those of the prior among them, the others are
   left out, as nuisance. The description follows; fingerprints are of the file
   as it is.
   Errors: EUSAGE with both lists of names when they differ; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__dataset_arrange(bnre_dataset *data,
                                                  const bnre_prior *prior,
                                                  const char *const *x_name);

typedef struct bnre__converted {
    const char *format;
    size_t rows;
    char fingerprint[33];
} bnre__converted;

/* Copy a dataset into another format, chosen by the ending of `out_path`. The
   target appears whole or not at all; *out (NULL is fine) tells of it. Errors:
   EEXIST unless `force`. */
BNRE_MUST_CHECK bnre_status bnre__dataset_convert(const char *in_path,
                                                  const char *out_path,
                                                  int force,
                                                  const bnre_monitor *monitor,
                                                  bnre__converted *out);

/* A hash of all its values, and of the parameters if they are known. */
void bnre__observations_fingerprint(const bnre_observations *observed,
                                    char out[33]);

#endif
