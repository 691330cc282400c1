/* outside.h - simulate rows with an external program, and look for what it
   leaves behind. */
#ifndef BNRE_TEST_OUTSIDE_H
#define BNRE_TEST_OUTSIDE_H

#include <stddef.h>

#include "task/external/external.h"

enum { OUTSIDE_X = 3 };

/* A simulator with the parameters `a` and `bad` and an x of OUTSIDE_X values,
   and n rows: a = 1 + row / 4. */
typedef struct outside {
    bnre__simulator simulator;
    void *state;
    size_t n;
    double *theta, *nuisance; /* (n, 1): a; bad, 0 at first */
    float *x;                 /* (n, OUTSIDE_X) */
    uint8_t *status;
    char (*reason)[BNRE_REASON_SIZE];
} outside;

/* `yaml` is the map of the simulator. With OUTSIDE_DRIVEN in the environment,
   the caller has made the pid file and the directory below. */
outside *outside_open(const char *yaml, size_t n);

/* Simulate rows first..last-1 in one batch. */
bnre_status outside_run(outside *rig, size_t first, size_t last);

/* All rows are done: did the answers belong to them? */
bnre_status outside_settle(outside *rig);

/* Ends all processes; then none of those noted is alive, no descriptor was
   left open, and no scratch directory. */
void outside_close(outside *rig);

/* Row i was simulated with its own seed and parameters. */
void assert_row_ok(const outside *rig, size_t i);
void assert_row_fails(const outside *rig, size_t i, bnre_draw outcome,
                      const char *reason);

/* The file where processes note their numbers, emptied. */
const char *outside_pid_file(void);

/* A fresh directory for scratch directories. */
const char *outside_temporary(void);

/* How many of those noted are alive. */
size_t outside_count_alive(size_t *noted);

#endif
