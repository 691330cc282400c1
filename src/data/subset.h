/* subset.h - some of the rows of a dataset: those drawn for training, say.

   Its joint rows have a theta and an x; its spare rows are failed simulations
   whose theta still counts among the draws from the prior. A subset is kept in
   memory if there is room, and read again and again if not. */
#ifndef BNRE_DATA_SUBSET_H
#define BNRE_DATA_SUBSET_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/dataset.h"
#include "bnre/rng.h"
#include "data/scaler.h"

/* ---- which rows ---- */

/* What rows of a file are for, two bits each. */
typedef enum bnre__role {
    BNRE__ROLE_NONE,
    BNRE__ROLE_TRAIN,
    BNRE__ROLE_VALIDATE,
    BNRE__ROLE_SCHEDULE,
    BNRE__ROLES
} bnre__role;

typedef struct bnre__roles {
    size_t rows;
    uint8_t *bits;
} bnre__roles;

/* Give count[role] rows each role but NONE, which gets the others; all choices
   are equally likely. Start from {0}. Errors: EINVAL when there are not so many
   rows; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__roles_draw(bnre__roles *roles, uint64_t seed,
                                             size_t rows,
                                             const size_t count[BNRE__ROLES]);
void bnre__roles_clear(bnre__roles *roles);
bnre__role bnre__roles_get(const bnre__roles *roles, size_t row);

/* ---- subsets ---- */

/* What failed simulations mean: see docs/training.md. AUTO takes those that the
   model caused as outcomes, those that the machine lost as missing. */
typedef enum bnre__failure {
    BNRE__FAILURE_AUTO,
    BNRE__FAILURE_OUTCOME,
    BNRE__FAILURE_MISSING
} bnre__failure;

typedef struct bnre__subset_opts {
    const bnre__roles *roles; /* borrowed for good; NULL = rows of any role */
    bnre__role role;
    size_t limit; /* only the first so many rows of the file; 0 = all */
    bnre__failure failure;
    size_t block;               /* bytes that are read at a time; 0 = 1 MiB */
    int only_x;                 /* as bnre_dataset_open_x() */
    const bnre_dataset *before; /* the same file, open already, or NULL */
} bnre__subset_opts;

/* A block: joint and spare rows from these numbers to those of the next block,
   all of them within rows first..last-1 of the file. */
typedef struct bnre__subset_block {
    size_t first, last;
    size_t joint, spare;
} bnre__subset_block;

typedef struct bnre__subset {
    bnre__subset_opts opts;
    char *path;
    bnre_dataset *data;
    const bnre_dataset_info *info; /* of the whole file */
    size_t joint;                  /* rows with an x */
    size_t spare;                  /* failed ones of which only theta counts */
    size_t lost;                   /* failed ones that are left out */
    size_t block_rows; /* joint and spare rows of each block but the last */
    size_t blocks;
    bnre__subset_block *block; /* (blocks + 1) */

    /* In memory, or NULL. */
    double *theta;  /* (joint, dim_theta) */
    float *x;       /* (joint, x_size) */
    double *spares; /* (spare, dim_theta) */
    int kept;
    /* Scaled: x is in place, these stand for the parameters. */
    float *scaled_theta, *scaled_spares;
    int scaled;
} bnre__subset;

/* Errors: as bnre_dataset_open(). */
BNRE_MUST_CHECK bnre_status bnre__subset_open(const char *path,
                                              const bnre__subset_opts *opts,
                                              bnre__subset **out);
void bnre__subset_close(bnre__subset *subset); /* NULL is fine */

/* Columns by name, as bnre__dataset_arrange() has it: before anything is read.
 */
BNRE_MUST_CHECK bnre_status bnre__subset_arrange(bnre__subset *subset,
                                                 const bnre_prior *prior,
                                                 const char *const *x_name);

/* Take this offset (x_size; NULL = none) off x before it becomes floats, in all
   that is read from now on; what is given away as doubles has it again. */
BNRE_MUST_CHECK bnre_status bnre__subset_set_offset(bnre__subset *subset,
                                                    const double *offset);

/* Bytes it would take in memory, and taking them. A subset that is kept serves
   any number of threads. */
size_t bnre__subset_bytes(const bnre__subset *subset);
BNRE_MUST_CHECK bnre_status bnre__subset_keep(bnre__subset *subset);

/* Scale what is in memory once and for all, for one training: loaders deliver
   it as it is, and nothing else can be done with it. A subset that is not kept
   stays as it is: it is scaled whenever it is read. */
BNRE_MUST_CHECK bnre_status bnre__subset_scale(bnre__subset *subset,
                                               const bnre__scaler *theta,
                                               const bnre__scaler *x);

/* n rows of x as the subset has them in memory or reads them (n, x_size), to
   what a network sees; in place is fine. */
void bnre__subset_scale_x(const bnre__subset *subset, const bnre__scaler *x,
                          size_t n, const float *in, float *out);

/* Reads the blocks of a subset from its file: one for each thread. */
typedef struct bnre__subset_reader {
    const bnre__subset *subset;
    bnre_dataset *data;
    size_t room; /* rows */
    double *theta;
    float *x;
    uint8_t *status;
} bnre__subset_reader;

/* Start from {0}. */
BNRE_MUST_CHECK bnre_status bnre__subset_reader_open(
    bnre__subset_reader *reader, const bnre__subset *subset);
void bnre__subset_reader_close(bnre__subset_reader *reader);

/* The rows of a block: theta and x of the joint ones, theta of the spare ones;
   the table of blocks tells how many these are. */
BNRE_MUST_CHECK bnre_status bnre__subset_read(bnre__subset_reader *reader,
                                              size_t block, double *theta,
                                              float *x, double *spares);

/* Call `fn` with all joint rows, some at a time, in the order of the file:
   first..first+n-1 of the subset. Stops at its first failure. */
typedef bnre_status (*bnre__subset_fn)(void *arg, size_t first, size_t n,
                                       const double *theta, const double *x);
BNRE_MUST_CHECK bnre_status bnre__subset_scan(const bnre__subset *subset,
                                              bnre__subset_fn fn, void *arg);

#endif
