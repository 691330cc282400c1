/* simulate.h - draw pairs from a task into a dataset file. */
#ifndef BNRE_SIMULATE_H
#define BNRE_SIMULATE_H

#include "bnre/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* The parameters alone, of which bnre_simulate() with the same options would
   make rows: for simulating elsewhere. Columns theta.NAME and nuisance.NAME of
   a .csv file, arrays theta and nuisance of .npz and .h5, or theta as .npy (if
   there is no nuisance). Errors: EEXIST unless `force`; EUSAGE; EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_simulate_theta(
    const bnre_task *task, const bnre_simulate_opts *opts, const char *path);

/* Parameters of a task from text ("0.5,1.2": one row) or from a file: .csv with
   a column per parameter, .npy (N, dim), or array theta of .npz and .h5. The
   caller frees *out with bnre_free(). Errors: EUSAGE; ENUM; EIO; EFORMAT. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_theta_parse(const bnre_task *task,
                                                      const char *text,
                                                      double **out);
BNRE_API BNRE_MUST_CHECK bnre_status bnre_theta_read(const bnre_task *task,
                                                     const char *path,
                                                     size_t *rows,
                                                     double **out);

#ifdef __cplusplus
}
#endif
#endif
