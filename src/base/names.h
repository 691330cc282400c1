/* names.h - columns found by their names, whatever order they come in. */
#ifndef BNRE_BASE_NAMES_H
#define BNRE_BASE_NAMES_H

#include <stddef.h>

#include "bnre/status.h"

/* Names of columns, and of the file or thing that has them. */
typedef struct bnre__names {
    const char *owner; /* "test.csv", "the task" */
    size_t n;
    const char *const *name; /* (n) */
} bnre__names;

/* Where each wanted column is: from (want->n) counts columns of `have`. Names
   that only count (0, 1, 2, ... or theta_0, theta_1, ...) stand for places
   where nothing else is known. `what` says what they name: "parameters".
   Errors: EUSAGE with both lists when they are not the same names; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__names_match(const char *what,
                                              const bnre__names *have,
                                              const bnre__names *want,
                                              size_t *from);

#endif
