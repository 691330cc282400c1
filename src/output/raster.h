/* raster.h - densities of a posterior on regular rasters, for pictures.

   Posteriors on grids are interpolated between the middles of their cells;
   draws are counted and smoothed, with mirrors where the support ends. Whole
   numbers are bars: of width 0.8 on lines, of width 1 on planes. */
#ifndef BNRE_OUTPUT_RASTER_H
#define BNRE_OUTPUT_RASTER_H

#include "bnre/posterior.h"

typedef struct bnre__raster {
    size_t i;         /* the parameter */
    double low, high; /* what is shown of it */
    size_t n;         /* pieces of equal width; values are in their middles */
    int whole;        /* the parameter is a whole number */
} bnre__raster;

/* What holds nearly all of the mass of parameter i, and some air, within the
   support. Errors: ENOMEM, as below. */
BNRE_MUST_CHECK bnre_status bnre__raster_init(bnre__raster *raster,
                                              const bnre_posterior *posterior,
                                              size_t i, size_t n);

double bnre__raster_middle(const bnre__raster *raster, size_t k);

/* density (n) of one parameter. */
BNRE_MUST_CHECK bnre_status bnre__raster_line(const bnre_posterior *posterior,
                                              const bnre__raster *raster,
                                              double *density);

/* density (y->n, x->n) of two. */
BNRE_MUST_CHECK bnre_status bnre__raster_plane(const bnre_posterior *posterior,
                                               const bnre__raster *x,
                                               const bnre__raster *y,
                                               double *density);

/* For each level c the density down to which n values, all standing for the
   same area, hold the share c of their sum. */
BNRE_MUST_CHECK bnre_status bnre__raster_thresholds(size_t n,
                                                    const double *density,
                                                    size_t levels,
                                                    const double *level,
                                                    double *threshold);

#endif
