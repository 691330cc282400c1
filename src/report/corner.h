/* corner.h - the picture of a posterior: each parameter, and each pair. */
#ifndef BNRE_REPORT_CORNER_H
#define BNRE_REPORT_CORNER_H

#include "bnre/posterior_files.h"

enum { BNRE__CORNER_MOST = 10, BNRE__CORNER_LEVELS = 6 };

typedef struct bnre__corner_opts {
    size_t contours;
    const bnre_contour *contour; /* (contours) */
    const double *truth;         /* (dim), or NULL */
    const char *note;            /* or NULL */
    const char *formats;
} bnre__corner_opts;

/* Draw STEM.svg, ... (see figure.h) of the first BNRE__CORNER_MOST free
   parameters, with up to BNRE__CORNER_LEVELS regions of each kind. Regions are
   filled; if there are both kinds, conformal ones are dashed lines. Without
   gnuplot *drawn is 0. Errors: as bnre__figure_draw(). */
BNRE_MUST_CHECK bnre_status bnre__corner_draw(const bnre_posterior *posterior,
                                              const char *stem,
                                              const bnre__corner_opts *opts,
                                              int *drawn);

#endif
