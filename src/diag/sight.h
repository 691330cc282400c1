/* sight.h - whether there are points enough to see what is wrong. */
#ifndef BNRE_DIAG_SIGHT_H
#define BNRE_DIAG_SIGHT_H

#include <stddef.h>

/* What the points of n pairs leave to chance. */
typedef struct bnre__sight {
    double chance; /* share of the ranks that is */
    double dark;   /* share of pairs whose rank is, for the most part */
} bnre__sight;

/* Where points are drawn in strata, of like density and a like share of the
   posterior each, ranks vary by their own stratum only. */
#define BNRE__MOST_CHANCE 0.1
#define BNRE__MOST_CHANCE_STRATA 0.2
#define BNRE__MOST_DARK 0.02

/* From the effective points ess (n) of each pair; see sight.c. One that has
   none (0) leaves nothing to chance: theta* is impossible, as all points are.
 */
bnre__sight bnre__sight_of(size_t n, const double *ess);

/* Of Markov chains from theta*, what they remember of it (0 to 1): from n pairs
   of places, of theta* and of their ends on average; see sight.c. */
double bnre__sight_memory(size_t n, const double *place, size_t stride);

/* Whether that is enough for a verdict. */
int bnre__sight_suffices(bnre__sight sight, double most_chance);

#endif
