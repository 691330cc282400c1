/* transform.h - which parameters, and whether x, a network sees as logarithms.

   The task's key `transform: {rate: log, x: log}`. It changes neither the prior
   nor what is simulated. */
#ifndef BNRE_TASK_TRANSFORM_H
#define BNRE_TASK_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/prior.h"
#include "bnre/settings.h"
#include "bnre/status.h"

typedef struct bnre__transform {
    uint8_t *log_theta; /* (dim of the prior) */
    int log_x;
} bnre__transform;

/* From the task's `settings`, which may be NULL; starts from {0}. Errors:
   EUSAGE for names that are none, words that are none, and priors that reach
   below 0; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__transform_read(bnre__transform *transform,
                                                 const bnre_prior *prior,
                                                 const bnre_node *settings);
/* Into the task's text, if there is any. */
BNRE_MUST_CHECK bnre_status
bnre__transform_record(const bnre__transform *transform,
                       const bnre_prior *prior, bnre_node *record);
void bnre__transform_clear(bnre__transform *transform);

#endif
