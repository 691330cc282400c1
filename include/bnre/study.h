/* study.h - studies: one file of settings, many trained and diagnosed runs.

   A study names a task, how to train and what to vary. Its `sweep` makes cells,
   the product of all axes; each cell is run `repeats` times, each time with a
   seed of its own. The plan - cells, seeds, datasets - follows from the file
   alone. */
#ifndef BNRE_STUDY_H
#define BNRE_STUDY_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/pool.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- who does the work: threads here, ranks of MPI in bnre-mpi ----

   A study is run by one or several processes that all make the same calls in
   the same order. One of them leads: it looks after what they share. Work is a
   list of items, each of which writes files of its own, so that it does not
   matter who does which. */

/* What an item has while it is being worked on. */
typedef struct bnre_work {
    bnre_pool *pool; /* threads of its own; NULL = the one it runs in */
    void *context;
    /* Tell that so many more units are done; a result other than 0 asks to save
       and return EINTR at the next safe point. From any thread. */
    int (*report)(void *context, size_t units);
    /* Something worth telling, one sentence. From any thread. */
    void (*note)(void *context, const char *text);
} bnre_work;

typedef bnre_status (*bnre_work_fn)(void *arg, const bnre_work *work,
                                    size_t item);

/* How far a study is, for the monitor: units done before, found and in all. */
typedef struct bnre_tally {
    size_t done, found, total;
} bnre_tally;

typedef struct bnre_executor {
    void *context;
    int leads;        /* whether this process is the one that leads */
    size_t processes; /* that share the work */
    size_t workers;   /* items at a time, of all processes together */
    bnre_pool *pool;  /* threads of this process, for work that is not shared */

    /* Do items 0..n-1, in about this order. After a failure no more are begun
       and the others are asked to stop; the first failure that was not caused
       by this is what all processes return, with its message. `tally` goes on
       counting what items report; the monitor is called by the process that
       leads only, its state being "3 of n" and `what`. */
    bnre_status (*each)(void *context, size_t n, bnre_work_fn fn, void *arg,
                        const char *what, const bnre_monitor *monitor,
                        bnre_tally *tally);

    /* Give all processes what the one that leads has in `data`. */
    bnre_status (*share)(void *context, size_t bytes, void *data);

    /* Let all processes know if one has failed: each passes its status and gets
       the failure of the first, with its message, or OK. */
    bnre_status (*agree)(void *context, bnre_status status);
} bnre_executor;

/* One process with the threads of a pool (NULL: one). If there are fewer items
   than threads, they are done one by one with all threads in each. The pool is
   borrowed; the executor needs no clearing. */
BNRE_API bnre_executor bnre_executor_threads(bnre_pool *pool);

typedef struct bnre_study bnre_study;

/* It belongs to the outcome of a run; what follows belongs to the study. */

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
    const char *doubt;        /* whether the shape of x and its network look
                                 exchanged, in words; or "" */
    size_t simulations;
    size_t dataset[BNRE_SPLIT_COUNT]; /* for each split one of the datasets, or
                                         BNRE_NO_DATASET */
} bnre_study_cell;

#define BNRE_NO_DATASET ((size_t)-1)

BNRE_API bnre_study_cell bnre_study_cell_at(const bnre_study *study, size_t i);

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

/* ---- running it ---- */

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

/* A cell's runs in a row: means over those that are done, the deviation over
   more than one, NaN where there are none; and their verdicts, as
   "CONSERVATIVE" or "2 CONSERVATIVE, 1 failed". */
typedef struct bnre_study_summary {
    double auc, auc_sd, information;
    char verdicts[200];
} bnre_study_summary;

BNRE_API bnre_study_summary
bnre_study_summarise(const bnre_study_result *result, size_t cell);

/* ---- the page of a study: report.html and figures ----

   The page is one file that needs nothing else: verdicts first, then figures,
   then each run, how it all was made and how to make it again. It is written
   from the files in the study's directory, finished or not, and says what is
   missing. The same files give the same bytes. */

typedef struct bnre_report_result {
    size_t runs, done; /* of the study; done: trained, and diagnosed if
                          that was asked for */
    size_t failed;     /* for reasons of their own */
    size_t damaged;    /* with files that cannot be read */
    size_t figures;
    int drawn; /* 0: no gnuplot here; data and scripts are there */
} bnre_report_result;

/* Write DIRECTORY/report.html and DIRECTORY/figures/ NAME.gp, NAME.dat and
   pictures in `formats` ("svg,pdf,png"; the page shows those in svg, which are
   always made). `result` may be NULL.
   Errors: EUSAGE when the directory holds no study, or for an unknown format;
   EIO, also with gnuplot's own words; EFORMAT when results.csv is damaged;
   ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_report_write(
    const char *directory, const char *formats, bnre_report_result *result);

/* The options of the command `report`, with offsets in these settings. */
typedef struct bnre_report_settings {
    char *format;
} bnre_report_settings;

BNRE_API const bnre_opt *bnre_report_options(size_t *n);

/* ---- the command `run`: a study from its file to its page ---- */

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_run_settings {
    bnre_opt_list
        set; /* "key=value" texts that win over the file. A key that is
                          an axis of the sweep is no longer one when it is
                          set. Keys of maps are joined by dots:
                          "task.options.dim=3" */
    char *seed, *output;
    int no_report;
} bnre_run_settings;

BNRE_API const bnre_opt *bnre_run_options(size_t *n);

typedef struct bnre_run_request {
    const char *study; /* its file */
    const bnre_run_settings *settings;
    int force;                     /* in a directory of something else */
    int dry_run;                   /* plan it, load no plugin, make nothing */
    const bnre_executor *executor; /* NULL = one thread */
    const bnre_monitor *monitor;   /* notes are warnings; NULL = silent */
} bnre_run_request;

typedef struct bnre_run_outcome {
    char *path; /* of the directory */
    bnre_study *study;
    bnre_study_estimate estimate; /* of a dry run, in the process that leads */
    bnre_study_result result;
    double seconds; /* that it took */
    int reported;   /* there is a page, and the next is filled in */
    bnre_report_result report;
} bnre_run_outcome;

/* Run a study and write its page: simulate, train and diagnose all of it in a
   directory, which is made:

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

   All processes of the executor call it; the one that leads looks after files
   and tells. Errors: EUSAGE with file, line and, for a name that is none, the
   nearest that is one; EEXIST when the directory holds another study or other
   files, unless `force`; EINTR when the monitor asked to stop (work so far is
   safe); EIO, also when another process runs a study there; ESIM; those of runs
   that failed, after all others are done; EDOUBT when all are done, and a
   posterior of what was observed must not be used: then, too, the result is in
   the outcome, and the page is written; those of bnre_report_write(); ENOMEM.
   The caller clears *outcome in any case. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_run_make(const bnre_run_request *request, bnre_run_outcome *outcome);
BNRE_API void bnre_run_outcome_clear(bnre_run_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
