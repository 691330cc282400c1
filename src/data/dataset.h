/* dataset.h - open datasets from inside: one record per file format. */
#ifndef BNRE_DATA_DATASET_H
#define BNRE_DATA_DATASET_H

#include "bnre/dataset.h"
#include "data/reasons.h"
#include "data/rows.h"
#include "data/verify.h"

typedef struct bnre__dataset_kind {
    const char *format; /* as in bnre_dataset_info */
    int check;          /* look at every value when opened */

    /* Set data->self and describe the data with the functions below; fill in
       what data->verify needs of a file of ours. */
    bnre_status (*open)(bnre_dataset *data);
    /* As bnre__rows.read, values as they are in the file; `reason` only
       together with `status`. */
    bnre_status (*read)(bnre_dataset *data, size_t first, size_t n,
                        double *theta, double *nuisance, float *x,
                        uint8_t *status, char (*reason)[BNRE_REASON_SIZE]);
    /* x of rows first..first+n-1 as doubles, where data->wide is set. */
    bnre_status (*read_wide)(bnre_dataset *data, size_t first, size_t n,
                             double *x);
    void (*close)(void *self); /* NULL is fine */
} bnre__dataset_kind;

struct bnre_dataset {
    bnre_dataset_info info;
    const bnre__dataset_kind *kind;
    void *self;
    char *path;
    int has_status;
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

extern const bnre__dataset_kind bnre__dataset_h5;
extern const bnre__dataset_kind bnre__dataset_npz;
extern const bnre__dataset_kind bnre__dataset_npy; /* "theta.npy,x.npy" */
extern const bnre__dataset_kind bnre__dataset_csv;

/* The shape of an array in a file; ndim 0 if it is not there. */
typedef struct bnre__shape {
    size_t ndim;
    const size_t *shape;
} bnre__shape;

/* Set dimensions from the arrays; where only x matters, theta and nuisance do
   not count. Errors: EFORMAT when they do not fit. */
BNRE_MUST_CHECK bnre_status bnre__dataset_set_shape(bnre_dataset *data,
                                                    bnre__shape theta,
                                                    bnre__shape nuisance,
                                                    bnre__shape x,
                                                    bnre__shape status);

/* Copy names (n) of theta or nuisance; without any (n = 0) they become
   theta_0, ... Call after set_shape. Errors: EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__dataset_set_names(bnre_dataset *data,
                                                    int nuisance, size_t n,
                                                    const char *const *name);

/* Copy names (n) of the columns of x; none (n = 0) leaves them without.
   Errors: EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__dataset_set_x_names(bnre_dataset *data,
                                                      size_t n,
                                                      const char *const *name);

/* Reasons of rows with these statuses when the file tells none. */
void bnre__dataset_no_reasons(size_t n, const uint8_t *status,
                              char (*reason)[BNRE_REASON_SIZE]);

/* Tell that a file is of ours, if it is, before its shape is set: it is opened
   with all it has, since its checksums cover that. */
void bnre__dataset_claim(bnre_dataset *data, int ours);

/* Open a file once more, for another reader: of a file that was verified as a
   whole this is not done again. Errors: EIO when it is not the same any more;
   as bnre_dataset_open(). */
BNRE_MUST_CHECK bnre_status bnre__dataset_again(const bnre_dataset *data,
                                                bnre_dataset **out);

/* The rows of an open dataset, every value checked as by bnre_dataset_read. */
bnre__rows bnre__dataset_rows(bnre_dataset *data);

/* The same as bnre_dataset_read(), x as floats, less the offset. */
BNRE_MUST_CHECK bnre_status bnre__dataset_read_f32(bnre_dataset *data,
                                                   size_t first, size_t n,
                                                   double *theta, float *x,
                                                   uint8_t *status);

/* Whether a path names a pair of .npy files; where its second part begins. */
int bnre__is_pair(const char *path, size_t *second);

/* Whether `path` ends so, in small or capital letters. */
int bnre__ends_with(const char *path, const char *ending);

#endif
