/* corner.h - the picture of a posterior: each parameter, and each pair.

   Up to BNRE__CORNER_PAGE parameters fit a page, STEM. More come on further
   pages, STEM-2, ..., as few as possible and of about the same size; then
   STEM-marginals has all parameters, one by one, so that none is unseen. */
#ifndef BNRE_REPORT_CORNER_H
#define BNRE_REPORT_CORNER_H

#include "bnre/posterior_files.h"

enum {
    BNRE__CORNER_PAGE = 8,       /* parameters in pairs */
    BNRE__CORNER_MARGINALS = 24, /* one by one */
    BNRE__CORNER_LEVELS = 6
};

typedef struct bnre__corner_opts {
    size_t contours;
    const bnre_contour *contour; /* (contours) */
    const double *truth;         /* (dim), or NULL */
    const char *note;            /* or NULL */
    const char *show;            /* names with commas between; NULL = all */
    const char *formats;
} bnre__corner_opts;

/* ---- what is on which page ---- */

typedef struct bnre__corner_page {
    char ending[40]; /* of its stem: "", "-2", "-marginals" */
    int pairs;
    size_t n, first; /* of `parameter` */
} bnre__corner_page;

typedef struct bnre__corner_pages {
    size_t n;
    bnre__corner_page *page;
    size_t *parameter; /* of all pages, one after the other */
    size_t shown;      /* in pairs */
    size_t free;       /* parameters that are not fixed */
} bnre__corner_pages;

/* Fixed parameters are on none. Errors: EUSAGE for a name in `show` that is no
   parameter, is fixed, or was there before; ENOMEM. Cleared on failure. */
BNRE_MUST_CHECK bnre_status bnre__corner_pages_init(const bnre_prior *prior,
                                                    const char *show,
                                                    bnre__corner_pages *out);
void bnre__corner_pages_clear(bnre__corner_pages *pages);

/* ---- pictures ---- */

/* Draw all pages (see figure.h), with up to BNRE__CORNER_LEVELS regions of each
   kind, and remove pages of an earlier time that are no more. Regions are
   filled; if there are both kinds, conformal ones are dashed lines. Without
   gnuplot *drawn is 0. Errors: as bnre__figure_draw() and above. */
BNRE_MUST_CHECK bnre_status bnre__corner_draw(const bnre_posterior *posterior,
                                              const char *stem,
                                              const bnre__corner_opts *opts,
                                              int *drawn);

#endif
