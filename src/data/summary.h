/* summary.h - how large each element of x was in the data: smallest and largest
   value, and a few quantiles in between. */
#ifndef BNRE_DATA_SUMMARY_H
#define BNRE_DATA_SUMMARY_H

#include <stddef.h>

#include "bnre/status.h"

/* 0, 1 %, 25 %, 50 %, 75 %, 99 %, 1. */
enum { BNRE__LEVELS = 7 };
extern const double bnre__summary_level[BNRE__LEVELS];

typedef struct bnre__summary {
    size_t size;
    float *value; /* (BNRE__LEVELS, size) */
} bnre__summary;

/* Of n >= 1 rows of finite values (n, size); the first and last level are of
   all rows, those between of BNRE__SCALER_ROWS at most. What the
   summary was before is dropped; the first time it is {0}. Errors: EINVAL;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__summary_fit(bnre__summary *summary, size_t n,
                                              size_t size, const float *rows);
/* Let the first and last level cover these rows too. */
void bnre__summary_extend(bnre__summary *summary, size_t n, const double *rows);
void bnre__summary_clear(bnre__summary *summary);

#endif
