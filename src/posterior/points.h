/* points.h - what grids and posteriors share of point sets. */
#ifndef BNRE_POSTERIOR_POINTS_H
#define BNRE_POSTERIOR_POINTS_H

#include "bnre/points.h"

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
