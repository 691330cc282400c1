/* study.h - studies: one file of settings, many trained and diagnosed runs.

   A study names a task, how to train and what to vary. Its `sweep` makes cells,
   the product of all axes; each cell is run `repeats` times, each time with a
   seed of its own. The plan - cells, seeds, datasets - follows from the file
   alone. */
#ifndef BNRE_STUDY_H
#define BNRE_STUDY_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/executor.h"
#include "bnre/monitor.h"
#include "bnre/rng.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_study bnre_study;

/* Read a study; `set` (n) are "key=value" texts that win over the file. A key
   that is an axis of the sweep is no longer one when it is set. Keys of maps
   are joined by dots: "task.options.dim=3".
   The caller owns *out. Errors: EIO; EUSAGE with file, line and, for a name
   that is none, the nearest that is one; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_study_read(const char *path, size_t n,
                                                     const char *const *set,
                                                     bnre_study **out);

/* The same for showing the plan: no plugin is loaded, now or later. It cannot
   be run. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_study_look(const char *path, size_t n,
                                                     const char *const *set,
                                                     bnre_study **out);

/* The same as bnre_study_read() from text; `name` stands for the file. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_study_parse(const char *text,
                                                      const char *name,
                                                      size_t n,
                                                      const char *const *set,
                                                      bnre_study **out);

BNRE_API void bnre_study_destroy(bnre_study *study); /* NULL is fine */

/* All that follows belongs to the study. */

typedef struct bnre_study_info {
    const char *title; /* the name of the file without its ending, or `title` */
    uint64_t seed;
    size_t cells, repeats, datasets;
    size_t keys;            /* that the sweep varies */
    const char *const *key; /* (keys) */
    const char *text;       /* the study as YAML */
} bnre_study_info;

BNRE_API bnre_study_info bnre_study_describe(const bnre_study *study);

typedef struct bnre_study_cell {
    const char *name;         /* "method=bnre,simulations=1024" */
    const char *const *value; /* (keys); NULL where a key has no part in it:
                                 lambda in the method nre */
    const char *task;         /* its name */
    const char *settings;     /* of its training and diagnosis, YAML */
    const char *doubt;        /* bnre_net_doubt() of its network, or "" */
    size_t simulations;
    size_t dataset[BNRE_SPLIT_COUNT]; /* for each split one of the datasets, or
                                         BNRE_NO_DATASET */
} bnre_study_cell;

#define BNRE_NO_DATASET ((size_t)-1)

BNRE_API bnre_study_cell bnre_study_cell_at(const bnre_study *study, size_t i);

/* The seed of a run: from the study's seed, the cell's settings and the repeat
   (from 1), and nothing else: other cells do not matter. Below 2^53, so that
   every program reads it back exactly. */
BNRE_API uint64_t bnre_study_seed(const bnre_study *study, size_t cell,
                                  size_t repeat);

/* Data are shared by all cells that need the same. */
typedef struct bnre_study_dataset {
    const char *name; /* of its file in data/: "slcp-train.h5" */
    const char *task;
    bnre_split split;
    size_t rows;
    double bytes; /* about */
} bnre_study_dataset;

BNRE_API bnre_study_dataset bnre_study_dataset_at(const bnre_study *study,
                                                  size_t i);

/* How long all of it takes, from short trials of simulators and networks on
   this machine, and how large it gets. */
typedef struct bnre_study_estimate {
    double simulate, train, diagnose; /* seconds of one thread */
    int external;      /* the time of external programs is a guess */
    int unknown;       /* so is all: a plugin was not loaded that would tell the
                          parameters or the shape of x. The rest is 0 then. */
    double data, runs; /* bytes */
} bnre_study_estimate;

/* Errors: EUSAGE for a cell whose task has no network in its recipe; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_study_estimate_costs(const bnre_study *study, bnre_study_estimate *out);

/* ---- running it ---- */

typedef struct bnre_study_opts {
    int force;                     /* in a directory of something else */
    const bnre_executor *executor; /* NULL = one thread */
    const bnre_monitor *monitor;   /* NULL = silent; progress is in
                                      milliseconds of work, about */
} bnre_study_opts;

/* What became of a run. */
typedef struct bnre_study_outcome {
    size_t cell, repeat; /* repeat from 1 */
    int done;            /* 0: it failed */
    char verdict[24];    /* "CONSERVATIVE" ...; "" if it was not diagnosed */
    double auc;          /* of the expected coverage */
    double information;  /* gained about theta, in nats */
} bnre_study_outcome;

typedef struct bnre_study_result {
    size_t runs;
    size_t found;                /* of these, done before */
    size_t failed;               /* and those that came to nothing */
    size_t simulations;          /* rows of all datasets */
    bnre_study_outcome *outcome; /* (runs) in the process that leads */
} bnre_study_result;

BNRE_API void bnre_study_result_clear(bnre_study_result *result);

/* Simulate, train and diagnose all of it in a directory, which is made:

     study.yaml                    the study
     data/TASK-SPLIT.h5            shared by all cells
     runs/CELL/REPEAT/estimator.h5, history.csv, diagnose.json, run.yaml
     runs/CELL/REPEAT/posterior/   of the observation, if there is one
     results.csv                   a row for each run

   What is there already and was made in the same way is kept, so that the same
   call goes on after an interruption, and after a change only what it affects
   is made anew; results are the same bytes as those of an undisturbed run, for
   any executor. run.yaml tells of what the files of a run were made.

   A run that fails for reasons of its own does not stop the others; its
   `failure.txt` tells why.
   Errors: EEXIST when the directory holds another study or other files, unless
   `force`; EINTR when the monitor asked to stop (work so far is safe); EIO,
   also when another process runs a study there; ESIM; those of runs that
   failed, after all others are done; EDOUBT when all are done, and a posterior
   of what was observed must not be used; ENOMEM. `result` may be NULL. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_study_run(bnre_study *study,
                                                    const bnre_study_opts *opts,
                                                    const char *directory,
                                                    bnre_study_result *result);

#ifdef __cplusplus
}
#endif
#endif
