/* simulator.h - what can simulate rows: a C record, or an external program.

   A simulator is shared; each thread opens its own state (buffers, a process).
   Rows are simulated in batches so that work inside one may overlap (the next
   request sent before the last answer came), which never changes what a row
   gets. */
#ifndef BNRE_TASK_SIMULATOR_H
#define BNRE_TASK_SIMULATOR_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/plugin.h"
#include "bnre/settings.h"
#include "bnre/status.h"

typedef struct bnre__simulator bnre__simulator;

/* What a value of x lost when it became a float, and where it lay. */
typedef struct bnre__rounding {
    int seen;
    double low, high, error; /* error: the largest so far */
} bnre__rounding;

/* Rows to simulate: number `row` to row + n - 1 of the stream (seed, split). */
typedef struct bnre__batch {
    uint64_t seed;
    bnre_split split;
    uint64_t row;
    size_t n;
    const double *theta;              /* (n, dim_theta) */
    const double *nuisance;           /* (n, dim_nuisance) */
    void *x;                          /* (n, x_size); NaN in rows that failed */
    int x_double;                     /* x is double, or else float */
    uint8_t *status;                  /* (n), a bnre_draw other than STOP */
    char (*reason)[BNRE_REASON_SIZE]; /* (n), "" where there is none */
    bnre__rounding *rounding;         /* (x_size), kept up to date; or NULL */
} bnre__batch;

/* One kind of simulator. `self` is the kind's own data. */
typedef struct bnre__simulator_kind {
    /* By bnre__simulator_open() alone. */
    bnre_status (*open)(const bnre__simulator *simulator, void **state);
    /* ESIM when the simulator cannot go on; failures of rows are recorded. */
    bnre_status (*run)(const bnre__simulator *simulator, void *state,
                       const bnre__batch *batch);
    /* At the end, also after a failure: ESIM if the rows so far should not be
       kept, because answers may not belong to them or most are lost. NULL if
       there is nothing to find out. */
    bnre_status (*settle)(const bnre__simulator *simulator, void *state);
    void (*close)(const bnre__simulator *simulator, void *state);
    void (*destroy)(void *self);

    /* Put what defines the simulator into the map of its task. */
    bnre_status (*describe)(const bnre__simulator *simulator, bnre_node *task);

    /* Of external programs, NULL in others: how many shall work at a time (0 =
       as many as threads); and that a run begins, in which all that they say
       besides their answers goes to the file `log`. */
    size_t (*workers)(const bnre__simulator *simulator);
    bnre_status (*begin)(const bnre__simulator *simulator, const char *log);
    /* Fail with this status and text, and with how to see by hand what became
       of row i of the batch. */
    bnre_status (*explain)(const bnre__simulator *simulator,
                           const bnre__batch *batch, size_t i, const char *what,
                           bnre_status status);

    /* Whether log p(x | theta) can be had, and it, by an open state. NULL where
       it never can. */
    int (*tractable)(const bnre__simulator *simulator);
    double (*log_likelihood)(const bnre__simulator *simulator, void *state,
                             const double *theta, const double *x);
} bnre__simulator_kind;

struct bnre__simulator {
    const bnre__simulator_kind *kind;
    void *self;
    size_t dim_theta, dim_nuisance, x_size;
    int sealed; /* to be described only, never to be run */
};

/* Open a state for one thread: the only way to run a simulator.
   Errors: EUSAGE for one that is sealed, which the other tells before any work;
   those of its kind. */
BNRE_MUST_CHECK bnre_status
bnre__simulator_check(const bnre__simulator *simulator);
BNRE_MUST_CHECK bnre_status
bnre__simulator_open(const bnre__simulator *simulator, void **state);

/* Record what became of row i of a batch: its x (as many values as the task's
   observable has), which makes it INVALID if one is not a finite float; or that
   it failed, the reason being in batch->reason[i] already. */
void bnre__batch_store(const bnre__batch *batch, size_t i, size_t x_size,
                       const double *x);
void bnre__batch_fail(const bnre__batch *batch, size_t i, size_t x_size,
                      bnre_draw outcome);

struct bnre_task;

/* The simulator of a task; borrowed. */
const bnre__simulator *bnre__task_simulator(const struct bnre_task *task);

#endif
