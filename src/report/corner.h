/* corner.h - the picture of a posterior: each parameter, and each pair. */
#ifndef BNRE_REPORT_CORNER_H
#define BNRE_REPORT_CORNER_H

#include "bnre/posterior.h"

enum { BNRE__CORNER_MOST = 10, BNRE__CORNER_LEVELS = 6 };

/* Draw STEM.svg, ... (see figure.h) of the first BNRE__CORNER_MOST free
   parameters, with regions at up to BNRE__CORNER_LEVELS levels; truth (dim) may
   be NULL. Without gnuplot *drawn is 0. Errors: as bnre__figure_draw(). */
BNRE_MUST_CHECK bnre_status bnre__corner_draw(const bnre_posterior *posterior,
                                              const char *stem, size_t levels,
                                              const double *level,
                                              const double *truth,
                                              const char *formats, int *drawn);

#endif
