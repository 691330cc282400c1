/* corner_table.h - a corner plot in the making, and its table. */
#ifndef BNRE_REPORT_CORNER_TABLE_H
#define BNRE_REPORT_CORNER_TABLE_H

#include "report/corner.h"
#include "report/figure.h"
#include "report/prior_line.h"
#include "report/raster.h"

/* Regions by content, from the largest to the smallest. */
typedef struct bnre__corner_regions {
    size_t n;
    double content[BNRE__CORNER_LEVELS];
    bnre_contour of[BNRE__CORNER_LEVELS];
} bnre__corner_regions;

typedef struct bnre__corner {
    const bnre_posterior *posterior;
    const bnre__corner_opts *opts;
    bnre__figure *figure;
    size_t n;                               /* parameters shown */
    bnre__raster raster[BNRE__CORNER_MOST]; /* for pairs */
    bnre_summary *summary;                  /* (dim) */
    const double *truth;
    bnre__corner_regions filled, dashed, whole; /* whole: without a border */
    int conformal;                              /* some of them are */
    double width, height, side;
    size_t column; /* of the legend; 0: in the only panel */
    double step;   /* between its rows */
    bnre__prior_line *prior;
    double *density; /* room for two lines or a plane */
    size_t block;    /* of the table, the next one */
} bnre__corner;

/* The block of parameter a: value, density, filled regions it is in, prior;
   then a block of borders for each dashed region. *highest is the largest
   density. Errors: those of the figure; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__corner_add_line(bnre__corner *corner,
                                                  size_t a, double *highest);

/* The block of a pair: both values, density, filled regions it is in. Contours
   are blocks of the script: $contour_B_A of filled, $dashed_B_A_C of dashed
   regions, each of which has its own line. */
BNRE_MUST_CHECK bnre_status bnre__corner_add_plane(bnre__corner *corner,
                                                   size_t a, size_t b);

#endif
