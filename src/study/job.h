/* job.h - a study that is being run in a directory. */
#ifndef BNRE_STUDY_JOB_H
#define BNRE_STUDY_JOB_H

#include "bnre/status.h"
#include "bnre/study.h"
#include "study/costs.h"
#include "study/observed.h"
#include "study/study.h"

typedef struct bnre__job {
    bnre_study *study;
    const char *dir;
    bnre_executor executor;
    const bnre_monitor *monitor;
    int force;
    bnre_tally tally; /* in milliseconds of work, about */
    int lock;         /* file descriptor; -1 = none */

    /* Of each dataset. */
    struct bnre__source {
        int cut; /* the file with the plain name has more rows: there is another
                    with those of the study */
        char fingerprint[33];
    } * source;

    bnre__costs costs;
    bnre__observed *observed; /* (tasks) of what was observed; NULL = nothing */
    bnre__catalogue catalogue;
    size_t runs; /* the repeats of the first cell, then of the next */
} bnre__job;

/* So much of the work was done before. */
void bnre__job_found(bnre__job *job, size_t cost);

static inline const bnre__cell *bnre__run_cell(const bnre__job *job, size_t run)
{
    return &job->study->cell[run / job->study->fields.study.repeats];
}

static inline size_t bnre__run_repeat(const bnre__job *job, size_t run)
{
    return run % job->study->fields.study.repeats + 1;
}

/* ---- place.c: the directory ---- */

/* DIR/text..., which the caller frees. */
BNRE_MUST_CHECK bnre_status bnre__job_path(const bnre__job *job, char **out,
                                           const char *fmt, ...)
    BNRE_PRINTF(3, 4);

/* Take hold of the directory for this study and write study.yaml, in the
   process that leads. Errors: EEXIST when it is another's, unless `force`; EIO,
   also when somebody else is running it. */
BNRE_MUST_CHECK bnre_status bnre__place_open(bnre__job *job);
void bnre__place_close(bnre__job *job);

/* Remove from a directory what is called `is`, and all whose name `begins` so.
   Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__place_clear(const char *dir,
                                              const char *begins,
                                              const char *is);

/* ---- gather.c: the data ---- */

/* Simulate what is missing, in all processes. */
BNRE_MUST_CHECK bnre_status bnre__gather(bnre__job *job);

/* The file of a dataset, which the caller frees. */
BNRE_MUST_CHECK bnre_status bnre__source_path(const bnre__job *job, size_t data,
                                              char **out);

/* ---- stages.c: the work of one run ---- */

/* Its directory, which the caller frees. */
BNRE_MUST_CHECK bnre_status bnre__run_path(const bnre__job *job, size_t run,
                                           char **out);

/* Which stage is next, and why: the first that is not done, or was done of
   something else, or whose files are damaged. */
BNRE_MUST_CHECK bnre_status bnre__run_examine(const bnre__job *job, size_t run,
                                              bnre__stage *next, int *changed,
                                              int *damaged);

/* Do what is not done. Errors: those of the stages. */
BNRE_MUST_CHECK bnre_status bnre__run_work(const bnre__job *job, size_t run,
                                           const bnre_work *work);

/* ---- results.c: results.csv ---- */

BNRE_MUST_CHECK bnre_status bnre__results_write(const bnre__job *job,
                                                bnre_study_result *result);

/* ---- meter.c: progress of work that has a monitor ---- */

typedef struct bnre__meter {
    const bnre_work *work;
    size_t cost, told;
    bnre_monitor monitor; /* to be given to the work */
} bnre__meter;

/* Translate the progress of what costs so much into that of the study. */
void bnre__meter_init(bnre__meter *meter, const bnre_work *work, size_t cost);
/* It is done: tell what remains. */
void bnre__meter_finish(bnre__meter *meter);

/* ---- stamp.c: what was made of what ---- */

/* The stamp of a run's directory, or an empty one. The caller owns *out. */
BNRE_MUST_CHECK bnre_status bnre__stamp_read(const char *dir, bnre_node **out);
BNRE_MUST_CHECK bnre_status bnre__stamp_write(const char *dir,
                                              const bnre_node *stamp);

typedef enum bnre__stamp_state {
    BNRE__STAMP_NONE,    /* it was not made */
    BNRE__STAMP_OTHER,   /* of something else */
    BNRE__STAMP_DAMAGED, /* files are missing or not what they were */
    BNRE__STAMP_GOOD
} bnre__stamp_state;

/* What became of a stage that is made from `inputs`. */
BNRE_MUST_CHECK bnre_status bnre__stamp_check(const bnre_node *stamp,
                                              const char *dir,
                                              const char *stage,
                                              const char inputs[33],
                                              bnre__stamp_state *out);

/* A fresh one in place of *stamp: what the run is, for those who look at it, and
   what became of the stages before `stage`. Those after it have nothing to tell
   any more. */
BNRE_MUST_CHECK bnre_status bnre__stamp_renew(const bnre__job *job, size_t run,
                                              uint64_t seed, size_t stage,
                                              bnre_node **stamp);
/* What a stage is called there (stages.c). */
const char *bnre__stage_name(size_t stage);

/* Note that a stage was done and left these files (NULL-ended). */
BNRE_MUST_CHECK bnre_status bnre__stamp_put(bnre_node *stamp, const char *dir,
                                            const char *stage,
                                            const char inputs[33],
                                            const char *const *file);

#endif
