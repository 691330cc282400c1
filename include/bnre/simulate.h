/* simulate.h - draw pairs from a task into a dataset file. */
#ifndef BNRE_SIMULATE_H
#define BNRE_SIMULATE_H

#include "bnre/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_simulate_opts {
    size_t count;
    uint64_t seed;
    bnre_split split;
    int force;                   /* replace whatever is there */
    bnre_pool *pool;             /* borrowed; NULL = one thread */
    const bnre_monitor *monitor; /* borrowed; NULL = silent */
} bnre_simulate_opts;

BNRE_API bnre_simulate_opts bnre_simulate_opts_default(void);

typedef struct bnre_simulate_result {
    size_t rows;   /* in the file now, or kept so far if interrupted */
    size_t found;  /* of these, rows that were there already */
    size_t failed; /* rows marked as failed */
    size_t bytes;  /* size of the file */
    char fingerprint[33];
} bnre_simulate_result;

/* Rows 0..count-1 of the stream (seed, split) of `task`, in the file `path`
   (.h5, .npz or .csv). Row i is the same whatever the count, the threads or the
   interruptions. A .h5 or .npz file of the same stream is extended (.csv
   files do not tell what they hold). Rows being simulated are kept in
   `path`.part until the file is written and renamed; a call after an
   interruption goes on from there, and nothing is simulated twice.
   Errors: EEXIST when `path` or its .part come from other settings, unless
   `force`; EINTR when the monitor asked to stop (rows so far are safe); EIO,
   also when another process is writing `path`; EUSAGE for a count of 0 or a
   path of no known ending; ESIM; ENOMEM. `result` (may be NULL) is filled in
   also on failure: rows and failed are then those kept so far. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_simulate(bnre_task *task, const bnre_simulate_opts *opts, const char *path,
              bnre_simulate_result *result);

#ifdef __cplusplus
}
#endif
#endif
