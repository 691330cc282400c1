/* gnuplot.h - gnuplot as a program that turns a script into a picture. */
#ifndef BNRE_OUTPUT_GNUPLOT_H
#define BNRE_OUTPUT_GNUPLOT_H

#include <stddef.h>

#include "bnre/status.h"

/* Run `gnuplot -e first script` and give what it writes to its stdout, which
   the caller frees. No file is made, here or in /tmp. Without gnuplot *drawn is
   0 and *out NULL. Errors: EIO with gnuplot's own words; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__gnuplot_run(char *first, char *script,
                                              char **out, size_t *bytes,
                                              int *drawn);

#endif
