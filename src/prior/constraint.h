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

/* Whether it speaks of a parameter. */
int bnre__constraint_names(const bnre__constraint *constraint, size_t index);

/* Of a condition that only compares parameters and numbers ("a <= b", "0 < a <
   b"), what it says: value `below` is at most value `above`. A side is a
   parameter, or a number where its index is BNRE__NO_PARAMETER. */
#define BNRE__NO_PARAMETER ((size_t)-1)
typedef struct bnre__ordering {
    size_t below, above;
    double low, high; /* the numbers, where they are no parameters */
} bnre__ordering;

/* Comparisons of such a condition, at most `most` of which are written; 0 if it
   says anything else. */
size_t bnre__constraint_orderings(const bnre__constraint *constraint,
                                  size_t most, bnre__ordering *out);

#endif
