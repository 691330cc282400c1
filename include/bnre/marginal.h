/* marginal.h - where a single parameter of a posterior lies.

   At a level c that is the set of highest density: the values whose density,
   that of the parameter alone, is above what leaves the mass c. It is what
   pictures shade and what tables and titles tell, and it need not be one
   interval: a posterior with two modes says "-1.7 to -0.8 or 0.9 to 1.6". */
#ifndef BNRE_MARGINAL_H
#define BNRE_MARGINAL_H

#include <stddef.h>

#include "bnre/posterior.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BNRE_MARGINAL_PARTS = 16, BNRE_MARGINAL_WORDS = 256 };

/* Parts in increasing order. Parts with less than 1 % of the posterior are left
   out, and gaps with less than that are closed: draws do not tell them from
   noise. */
typedef struct bnre_marginal {
    double level;
    size_t n;
    double low[BNRE_MARGINAL_PARTS], high[BNRE_MARGINAL_PARTS];
} bnre_marginal;

/* out (levels) of parameter i; the value of a fixed one. Errors: EINVAL for
   levels outside (0, 1) or no such parameter; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_marginal_find(const bnre_posterior *posterior, size_t i, size_t levels,
                   const double *level, bnre_marginal *out);

/* "0.9 to 1.6 or 2.1 to 2.4", to two digits of half its shortest part; of more
   than three parts their number and ends. Written into `out` and returned. */
BNRE_API const char *bnre_marginal_words(const bnre_marginal *marginal,
                                         char out[BNRE_MARGINAL_WORDS]);

#ifdef __cplusplus
}
#endif
#endif
