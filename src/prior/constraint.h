/* constraint.h - conditions between parameters, such as "m1 >= m2". */
#ifndef BNRE_PRIOR_CONSTRAINT_H
#define BNRE_PRIOR_CONSTRAINT_H

#include <stddef.h>

#include "bnre/status.h"

typedef struct bnre__constraint bnre__constraint;

/* Expressions of numbers, the n names, + - * / ( ) and abs, exp, log, sqrt,
   compared by < <= > >=, maybe in a chain: "0 < a + b <= 1". Errors: EUSAGE
   with the position and what was expected there; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__constraint_create(const char *text, size_t n,
                                                    const char *const *name,
                                                    bnre__constraint **out);
void bnre__constraint_destroy(bnre__constraint *constraint);

/* Whether theta (n) satisfies it; an undefined value (log of -1) does not. */
int bnre__constraint_holds(const bnre__constraint *constraint,
                           const double *theta);

#endif
