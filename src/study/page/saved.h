/* saved.h - a study as its directory holds it, finished or not.

   Everything is read from files: study.yaml for the settings, results.csv for
   the runs that are planned, and of each run its diagnosis, its history, its
   stamp (run.yaml), its posterior and its estimator's certificate, as far as
   they are there. */
#ifndef BNRE_PAGE_SAVED_H
#define BNRE_PAGE_SAVED_H

#include "bnre/settings.h"
#include "io/json.h"
#include "io/table.h"
#include "output/diagnosis_record.h"
#include "trust/certificate.h"

typedef enum bnre__run_state {
    BNRE__RUN_DONE,    /* with its diagnosis, if one was asked for */
    BNRE__RUN_TRAINED, /* it has no diagnosis yet */
    BNRE__RUN_MISSING,
    BNRE__RUN_FAILED,  /* `why` tells what failure.txt says */
    BNRE__RUN_DAMAGED, /* `why` tells what is wrong with a file */
    BNRE__RUN_OTHER    /* what is there was made with other settings */
} bnre__run_state;

enum {
    BNRE__HISTORY_MEMBER,
    BNRE__HISTORY_EPOCH,
    BNRE__HISTORY_TRAIN, /* cross entropies */
    BNRE__HISTORY_VALIDATION,
    BNRE__HISTORY_COLUMNS
};

typedef struct bnre__saved_run {
    size_t row; /* in results.csv */
    size_t cell, repeat;
    char *dir; /* "runs/CELL/REPEAT" */
    bnre__run_state state;
    char *why;
    bnre_node *stamp; /* run.yaml, or NULL */
    /* The rest is NULL, 0 or NaN where it is not known. */
    bnre__diagnosis_record *diagnosis;
    bnre__json *posterior, *check, *under_prior;
    bnre_certificate certificate;
    size_t beside;   /* simulations that training stopped or slowed by, beside
                      those to learn from */
    size_t epochs;   /* rows of its history, of all members */
    double *history; /* (epochs, BNRE__HISTORY_COLUMNS) */
    int densities; /* it learned conditional densities, and losses are theirs */
} bnre__saved_run;

typedef struct bnre__saved_cell {
    const char *name, *task;
    const char **value; /* (keys); NULL where the key has no part in it */
    size_t first, runs; /* of study.run */
} bnre__saved_cell;

typedef struct bnre__saved_data {
    char *name; /* of the file in data/ */
    size_t rows, failed;
    char *failures; /* why and where, in words; NULL if none is known */
} bnre__saved_data;

typedef struct bnre__saved_study {
    const char *dir;
    const char *title;
    char *text;          /* of study.yaml */
    bnre_node *settings; /* of it */
    bnre__table table;
    char **key; /* that the sweep varies */
    size_t keys, key_room;
    bnre__saved_cell *cell;
    size_t cells, cell_room;
    bnre__saved_run *run;
    size_t runs;
    double *room; /* (runs) for numbers that are sorted */
    bnre__saved_data *data;
    size_t datasets, data_room;
    size_t count[BNRE__RUN_OTHER + 1]; /* runs in each state */
} bnre__saved_study;

/* Errors: EUSAGE when the directory holds no study; EFORMAT; EIO; ENOMEM.
   Damage to the files of a run is no error. Cleared on failure. */
BNRE_MUST_CHECK bnre_status bnre__saved_read(const char *dir,
                                             bnre__saved_study *out);
void bnre__saved_clear(bnre__saved_study *study);

/* A setting of the study that is no map, or NULL. */
const char *bnre__saved_setting(const bnre__saved_study *study,
                                const char *key);

/* A value of a run's row of results.csv; NULL if it is not there. */
const char *bnre__run_column(const bnre__saved_study *study,
                             const bnre__saved_run *run, const char *column);

/* "CONSERVATIVE" ...; NULL without a diagnosis. */
const char *bnre__saved_verdict(const bnre__saved_run *run);

/* ---- a number of a cell: over its runs that are done ---- */

typedef bnre_estimate (*bnre__quantity)(const bnre__saved_run *run,
                                        size_t which);

typedef struct bnre__spread {
    size_t n; /* runs that have it; 0: all else is NaN */
    double mean, median, sd;
    double error; /* of a single run; NaN if there are more */
} bnre__spread;

bnre__spread bnre__cell_spread(const bnre__saved_study *study, size_t cell,
                               bnre__quantity quantity, size_t which);

bnre_estimate bnre__quantity_auc(const bnre__saved_run *run, size_t which);
bnre_estimate bnre__quantity_balance(const bnre__saved_run *run, size_t which);
bnre_estimate bnre__quantity_information(const bnre__saved_run *run,
                                         size_t which);

#endif
