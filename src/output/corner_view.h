/* corner_view.h - the numbers behind a page of a corner plot. */
#ifndef BNRE_REPORT_CORNER_VIEW_H
#define BNRE_REPORT_CORNER_VIEW_H

#include "output/corner.h"
#include "output/figure.h"
#include "output/marginal.h"

/* Regions by content, from the largest to the smallest. */
typedef struct bnre__corner_regions {
    size_t n;
    double content[BNRE__CORNER_LEVELS];
    bnre_contour of[BNRE__CORNER_LEVELS];
} bnre__corner_regions;

/* A parameter: densities from low to high in pieces of equal width. */
typedef struct bnre__corner_axis {
    char *name;
    double low, high;
    double *line;       /* (BNRE__LINE) */
    double *line_prior; /* (BNRE__LINE) */
    double *prior;      /* (BNRE__LINE), from prior_low to prior_high: beyond */
    double prior_low, prior_high;
    double from, to; /* what is drawn */
    double truth;    /* NaN = none */
} bnre__corner_axis;

typedef struct bnre__corner_view {
    size_t n;
    bnre__corner_axis *axis;
    int pairs;
    size_t pieces;  /* of planes, along each side */
    double **plane; /* (n, n): that of row b and column a < b, by rows */
    bnre__corner_regions filled, dashed, whole; /* whole: without a border */
    int conformal;                              /* some of them are */
    const char *note;                           /* borrowed; or NULL */
} bnre__corner_view;

/* Errors: ENOMEM. Cleared on failure. */
BNRE_MUST_CHECK bnre_status bnre__corner_view_init(
    const bnre_posterior *posterior, const bnre__corner_pages *pages,
    const bnre__corner_page *page, const bnre__corner_opts *opts,
    bnre__corner_view *out);
void bnre__corner_view_clear(bnre__corner_view *view);

/* Pieces along a side of planes: the more panels, the coarser. */
size_t bnre__corner_pieces(size_t n);

/* Room for n parameters, all else 0. */
BNRE_MUST_CHECK bnre_status bnre__corner_view_create(size_t n, int pairs,
                                                     size_t pieces,
                                                     bnre__corner_view *out);
void bnre__corner_view_regions(bnre__corner_view *view, size_t contours,
                               const bnre_contour *contour);

/* ---- the table ---- */

/* Blocks of axis a: value, density, filled regions it is in, prior; the prior
   alone, further to both sides; borders of each dashed region. *block, the
   number of the next block, moves on. *highest is the largest density. Errors:
   those of the figure; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__corner_add_line(const bnre__corner_view *view,
                                                  bnre__figure *figure,
                                                  size_t a, size_t *block,
                                                  double *highest);

/* The block of a pair: both values, density, filled regions it is in. Contours
   are blocks of the script: $contour_B_A of filled, $dashed_B_A_C of dashed
   regions, each of which has its own line. */
BNRE_MUST_CHECK bnre_status
bnre__corner_add_plane(const bnre__corner_view *view, bnre__figure *figure,
                       size_t a, size_t b, size_t *block);

/* ---- the picture ---- */

BNRE_MUST_CHECK bnre_status
bnre__corner_view_draw(const bnre__corner_view *view, const char *stem,
                       const char *formats, int *drawn);

#endif
