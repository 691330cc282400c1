/* marginal.h - sets of highest density of a line of pieces of equal width. */
#ifndef BNRE_OUTPUT_MARGINAL_H
#define BNRE_OUTPUT_MARGINAL_H

#include "bnre/posterior_files.h"

/* Pieces of a line: fine enough for two digits of a spread. */
enum { BNRE__LINE = 400 };

/* The set that holds the share `level` of density (n) from low to high.
   Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__marginal_of_line(size_t n,
                                                   const double *density,
                                                   double low, double high,
                                                   double level,
                                                   bnre_marginal *out);

#endif
