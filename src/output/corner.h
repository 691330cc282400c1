/* corner.h - the picture of a posterior: each parameter, and each pair.

   Up to BNRE__CORNER_PAGE parameters fit a page, STEM. More come on further
   pages, STEM-2, ..., as few as possible and of about the same size; then
   STEM-marginals has all parameters, one by one, so that none is unseen. */
#ifndef BNRE_OUTPUT_CORNER_H
#define BNRE_OUTPUT_CORNER_H

#include "bnre/posterior_files.h"
#include "io/json.h"
#include "output/figure.h"
#include "output/marginal.h"
#include "output/raster.h"

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

/* "picture": pages (a list of lists of names, those in pairs), ranges (of each
   name: from, to), regions (level, content, conformal), note. Errors: EUSAGE as
   for pages; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__corner_json(const bnre_posterior *posterior,
                                              const bnre__corner_opts *opts,
                                              bnre__json *root);

/* ---- the numbers behind a page ---- */

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

/* ---- written and read ---- */

/* Blocks of axis a: value, density, filled regions it is in, prior; the prior
   alone, further to both sides; borders of each dashed region. *block, the
   number of the next block, moves on. *highest is the largest density. Errors:
   those of the figure; ENOMEM. */
void bnre__corner_add_line(const bnre__corner_view *view, bnre__figure *figure,
                           size_t a, size_t *block, double *highest);

/* The block of a pair: both values, density, filled regions it is in. Contours
   are blocks of the script: $contour_B_A of filled, $dashed_B_A_C of dashed
   regions, each of which has its own line. */
void bnre__corner_add_plane(const bnre__corner_view *view, bnre__figure *figure,
                            size_t a, size_t b, size_t *block);

/* How many pages posterior.json tells of, in pairs. */
size_t bnre__corner_pages_told(const bnre__json *posterior);

/* Such a page again, from its table corner.dat and posterior.json. What was
   read may be anybody's: if it is no such page, *found is 0. The note is
   borrowed from the JSON. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__corner_view_read(const bnre__json *posterior,
                                                   size_t page,
                                                   const char *path,
                                                   bnre__corner_view *out,
                                                   int *found);

BNRE_MUST_CHECK bnre_status
bnre__corner_view_draw(const bnre__corner_view *view, const char *stem,
                       const char *formats, int *drawn);

/* ---- the prior beside it ---- */

typedef struct bnre__prior_line bnre__prior_line;

/* The prior is borrowed. Errors: ENOMEM, as below. */
BNRE_MUST_CHECK bnre_status bnre__prior_line_create(const bnre_prior *prior,
                                                    bnre__prior_line **out);
void bnre__prior_line_destroy(bnre__prior_line *line); /* NULL is fine */

/* density (n) of the parameter of the raster: means over its pieces, or, where
   constraints leave it without a formula, what a grid of the prior or draws
   from it say. */
BNRE_MUST_CHECK bnre_status bnre__prior_line_fill(const bnre__prior_line *line,
                                                  const bnre__raster *raster,
                                                  double *density);

#endif
