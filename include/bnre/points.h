/* points.h - where a posterior is evaluated: grids and banks of parameters.

   A set of points stands for the prior: each point for a share of its mass.
   With weights (mass of the point) x exp(log ratio) it stands for a posterior.

     grid    cells of equal prior mass: a regular grid in the quantiles of the
             prior, so that priors without bounds need no truncation; the point
             is the middle of its cell, or (jittered) any place in it
     paper   nodes at equal distances over the support, both ends included
     bank    independent draws of the prior; for any number of parameters

   A fixed parameter has one cell and does not count as a dimension of a grid.
   Points of a grid where a constraint of the prior does not hold are left out.
 */
#ifndef BNRE_POINTS_H
#define BNRE_POINTS_H

#include <stddef.h>

#include "bnre/prior.h"
#include "bnre/rng.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bnre_points_kind {
    BNRE_POINTS_GRID,
    BNRE_POINTS_PAPER,
    BNRE_POINTS_BANK,
    BNRE_POINTS_CHAIN, /* draws of a posterior (posterior.h): by chains, */
    BNRE_POINTS_DRAWS  /* or independent ones */
} bnre_points_kind;

enum { BNRE_GRID_DIMS = 3, BNRE_GRID_PAPER = 90 };

#define BNRE_NO_POINT ((size_t)-1)

/* To be read, not written, outside the library. */
typedef struct bnre_points {
    const bnre_prior *prior; /* borrowed */
    bnre_points_kind kind;
    size_t n, dim;
    double *theta;     /* (n, dim), inside the support */
    double *log_prior; /* (n) log p(theta); 0 where p is known by draws only:
                          "densest" then means "of the largest ratio" */
    double *log_mass;  /* (n) log of the prior mass it stands for; they add up
                          to 1, or to that of the box below */

    /* Of grids; 0 and NULL for others. */
    size_t cells;       /* product of axis */
    size_t *axis;       /* (dim) cells per parameter, the last runs fastest */
    double *low, *high; /* (dim) the box covered: of quantiles, from 0 to 1 or
                          less; of theta for `paper` */
    size_t *cell;       /* (n) the cell of each point, increasing */
} bnre_points;

/* Cells per parameter that a grid of n = 0 has: 2048 in one dimension, 256 in
   two, 80 in three. */
BNRE_API size_t bnre_points_default(const bnre_prior *prior);

/* A grid with n cells per parameter, 0 for the default. The prior is borrowed
   and must live as long. The caller owns *out.
   Errors: EUSAGE for more than BNRE_GRID_DIMS free parameters, for a prior
   known by draws, for grids beyond 2^23 cells, each saying what to use instead;
   or if no point satisfies the constraints; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_points_grid(const bnre_prior *prior,
                                                      size_t n,
                                                      bnre_points **out);

/* The nodes of the reference: n (0: BNRE_GRID_PAPER) per parameter from the
   lower end of its support to 1e-5 below the upper (1/1000 of the width, if
   that is less). A node stands for a mass proportional to its density. Errors:
   as above; EUSAGE for a parameter without bounds and for n = 1. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_points_paper(const bnre_prior *prior,
                                                       size_t n,
                                                       bnre_points **out);

/* n >= 1 draws of the prior, taken from the stream. Errors: EINVAL for n = 0;
   ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_points_bank(const bnre_prior *prior,
                                                      size_t n, bnre_rng *rng,
                                                      bnre_points **out);

/* New points in place: a fresh bank; in each cell of a grid one point drawn
   uniformly (in quantiles), which leaves n smaller where it breaks a
   constraint. Errors: EINVAL for `paper` and chains. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_points_redraw(bnre_points *points,
                                                        bnre_rng *rng);

/* The cell of the grid that theta (dim) is in, for `paper` that of the nearest
   node; BNRE_NO_POINT if it is outside the grid or no number. */
BNRE_API size_t bnre_points_cell_of(const bnre_points *points,
                                    const double *theta);
/* The point in this cell; BNRE_NO_POINT if there is none. */
BNRE_API size_t bnre_points_in_cell(const bnre_points *points, size_t cell);

/* Axis i of a grid: unless NULL the edges of its cells (axis[i] + 1, maybe
   infinite at the ends), their middles, and their widths (axis[i] each), which
   are those of theta at the middle: a cell that reaches to infinity has a width
   too. Errors: EINVAL if there is no such axis. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_points_axis(const bnre_points *points,
                                                      size_t i, double *edge,
                                                      double *middle,
                                                      double *width);

BNRE_API void bnre_points_destroy(bnre_points *points); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
