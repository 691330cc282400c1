/* reasons.h - the different reasons for failures, numbered as they appear. */
#ifndef BNRE_DATA_REASONS_H
#define BNRE_DATA_REASONS_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/plugin.h"
#include "bnre/status.h"

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
