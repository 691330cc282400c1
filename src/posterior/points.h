/* points.h - making point sets: grids and banks of parameters. */
#ifndef BNRE_POSTERIOR_POINTS_H
#define BNRE_POSTERIOR_POINTS_H

#include "bnre/posterior.h"
#include "bnre/rng.h"

/* "grid", "paper", "bank", "chain" or "draws". */
const char *bnre__points_name(bnre_points_kind kind);

/* Cells per parameter that a grid of n = 0 has: 2048 in one dimension, 256 in
   two, 80 in three; 0 where there are more, or too many cells in all. Whole
   numbers do not count as dimensions: they have a cell for each value, which
   stands for its probability. */
size_t bnre__points_default(const bnre_prior *prior);

/* A grid with n cells per parameter, 0 for the default. The prior is borrowed
   and must live as long. The caller owns *out.
   Errors: EUSAGE for more than BNRE_GRID_DIMS free parameters, for a prior
   known by draws, for grids beyond 2^23 cells, each saying what to use instead;
   or if no point satisfies the constraints; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__points_grid(const bnre_prior *prior, size_t n,
                                              bnre_points **out);

/* The nodes of the reference: n (0: BNRE_GRID_PAPER) per parameter from the
   lower end of its support to 1e-5 below the upper (1/1000 of the width, if
   that is less). A node stands for a mass proportional to its density. Errors:
   as above; EUSAGE for a parameter without bounds and for n = 1. */
BNRE_MUST_CHECK bnre_status bnre__points_paper(const bnre_prior *prior,
                                               size_t n, bnre_points **out);

/* n >= 1 draws of the prior, taken from the stream. Errors: EINVAL for n = 0;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__points_bank(const bnre_prior *prior, size_t n,
                                              bnre_rng *rng, bnre_points **out);

/* New points in place: a fresh bank; in each cell of a grid one point drawn
   uniformly (in quantiles), which leaves n smaller where it breaks a
   constraint. Errors: EINVAL for `paper` and chains. */
BNRE_MUST_CHECK bnre_status bnre__points_redraw(bnre_points *points,
                                                bnre_rng *rng);

/* The cell of the grid that theta (dim) is in, for `paper` that of the nearest
   node; BNRE_NO_POINT if it is outside the grid or no number. */
size_t bnre__points_cell_of(const bnre_points *points, const double *theta);
/* The point in this cell; BNRE_NO_POINT if there is none. */
size_t bnre__points_in_cell(const bnre_points *points, size_t cell);

/* Axis i of a grid: unless NULL the edges of its cells (axis[i] + 1, maybe
   infinite at the ends), their middles, and their widths (axis[i] each), which
   are those of theta at the middle: a cell that reaches to infinity has a width
   too. Whole numbers are in the middle of cells of width 1. Errors: EINVAL if there is no such axis. */
BNRE_MUST_CHECK bnre_status bnre__points_axis(const bnre_points *points,
                                              size_t i, double *edge,
                                              double *middle, double *width);

void bnre__points_destroy(bnre_points *points); /* NULL is fine */

/* Room for n points, the axes of a grid if there are any. */
BNRE_MUST_CHECK bnre_status bnre__points_create(const bnre_prior *prior,
                                                bnre_points_kind kind,
                                                size_t room, bnre_points **out);

/* Lay the cells of a grid anew over a smaller box in quantile space, low and
   high (dim), each cell with its middle. A cell's mass shrinks with its size.
   Errors: EUSAGE if no point satisfies the constraints. */
BNRE_MUST_CHECK bnre_status bnre__points_shrink(bnre_points *points,
                                                const double *low,
                                                const double *high);

/* Put a point into every cell of a grid: at a place drawn uniformly, in the
   middle if rng is NULL. Errors: EUSAGE if none satisfies the constraints. */
BNRE_MUST_CHECK bnre_status bnre__points_place(bnre_points *points,
                                               bnre_rng *rng);

/* Where cell k (out of axis[i], also fractions) of axis i begins. */
double bnre__points_edge(const bnre_points *points, size_t i, double k);

/* How many points there can be: a grid may lose and regain some when it is
   redrawn. */
size_t bnre__points_room(const bnre_points *points);

int bnre__points_is_grid(const bnre_points *points);

#endif
