/* lost.h - simulations that were all lost: the reason is what matters then. */
#ifndef BNRE_DATA_LOST_H
#define BNRE_DATA_LOST_H

#include "bnre/simulate.h"
#include "data/rows.h"
#include "task/simulator.h"

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

#endif
