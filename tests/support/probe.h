/* probe.h - a simulator that tells what was asked of it.

   theta is (a, b), nuisance (c), x (2, 2). Rows whose number leaves 5 when
   divided by 11 fail for one of two reasons, if `failing` is set; the row
   `stop_at` ends the run, the row `kill_at` kills the process. */
#ifndef BNRE_TEST_PROBE_H
#define BNRE_TEST_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/dataset.h"

enum { PROBE_ROWS = 1 << 16, PROBE_NOWHERE = -1 };

typedef struct probe {
    unsigned char *drawn; /* (PROBE_ROWS) how often, if not NULL */
    int failing;
    double offset;         /* added to x */
    const char *precision; /* of the task; NULL = not said */
    long stop_at, kill_at, slow_at;
} probe;

/* What the simulator does; not to be changed while it runs. */
extern probe the_probe;

/* Back to plain rows, none of them counted. */
void probe_reset(void);

bnre_task *probe_task(void);

/* Options for `count` rows of seed 1; the pool may be NULL. */
bnre_simulate_opts probe_opts(size_t count, bnre_pool *pool);

/* bnre_simulate() with a fresh task. */
bnre_status probe_simulate(const char *path, const bnre_simulate_opts *opts,
                           bnre_simulate_result *result);

#endif
