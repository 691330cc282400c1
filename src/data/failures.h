/* failures.h - simulations that failed: where in the space of parameters, the
   different reasons, numbered as they appear, and what to say when all were
   lost. What a failure means is the user's to say (train.h, `failure`); that it
   depends on the parameters is what the data can show. */
#ifndef BNRE_DATA_FAILURES_H
#define BNRE_DATA_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/dataset.h"
#include "bnre/plugin.h"
#include "bnre/status.h"
#include "data/rows.h"
#include "task/simulator.h"

enum { BNRE__FAILURE_PARTS = 5 };

/* One parameter, its values cut into five parts with as many rows each. */
typedef struct bnre__failure_place {
    const char *name; /* of the dataset */
    double edge[BNRE__FAILURE_PARTS + 1];
    double share[BNRE__FAILURE_PARTS]; /* of the rows there, that failed */
    size_t worst;                      /* part with the largest share */
    double p; /* P(shares at least so different | failures do not depend on this
                 parameter), chi-square */
} bnre__failure_place;

/* out (dim_theta); *failed (may be NULL) receives the share of all rows.
   Errors: EUSAGE for fewer than 25 rows; those of reading; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__failures_locate(bnre_dataset *data,
                                                  bnre__failure_place *out,
                                                  double *failed);

/* Who simulates, and for what. */
typedef struct bnre__lost {
    const bnre__simulator *simulator;
    const bnre_simulate_opts *opts;
    const char *log; /* where programs leave what they say */
} bnre__lost;

/* Refuse the first n rows of the block, which begins with row `first`, if all
   of them were lost. Errors: ESIM with the reason of the first. */
BNRE_MUST_CHECK bnre_status bnre__lost_trial(const bnre__lost *lost,
                                             const bnre__block *block,
                                             size_t first, size_t n);

/* The same of all rows of a dataset. Errors: also as reading them. */
BNRE_MUST_CHECK bnre_status bnre__lost_rows(const bnre__lost *lost,
                                            const bnre__rows *rows);

/* More different reasons than these say nothing more: all further ones share
   the last number. */
enum { BNRE__MAX_REASONS = 1 << 16 };

/* Start from {0}. */
typedef struct bnre__reasons {
    char (*text)[BNRE_REASON_SIZE]; /* (count), ended and padded by zeros */
    size_t count, room;
    uint32_t *slot; /* 1 + number, by hash; 0 = free */
    size_t slots;   /* a power of 2 */
} bnre__reasons;

void bnre__reasons_clear(bnre__reasons *reasons);

/* The number of a reason, a new one if it was not there. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__reasons_number(bnre__reasons *reasons,
                                                 const char *text,
                                                 uint32_t *out);

#endif
