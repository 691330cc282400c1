/* cells.h - a partition of the prior that is fine where the posterior is.

   Boxes in the quantiles of the prior: those of a coarse lattice, cut in three
   again and again. Where to cut is decided by log ratios at scouts: the middles
   of cells, which serve for nothing else. So the partition depends on what was
   observed, and not on the true theta. */
#ifndef BNRE_DIAG_CELLS_H
#define BNRE_DIAG_CELLS_H

#include <stddef.h>

#include "bnre/density.h"
#include "bnre/prior.h"
#include "bnre/rng.h"
#include "posterior/points.h"

typedef struct bnre__cells bnre__cells;

/* Room for n >= 1 cells, 0 being what suits the number of free parameters, and
   about so many points to be drawn; 0: nearly one in each cell. Where n cells
   are too coarse for as many points, there will be more of them. The prior is
   borrowed and has a density. */
BNRE_MUST_CHECK bnre_status bnre__cells_create(const bnre_prior *prior,
                                               size_t n, size_t points,
                                               bnre__cells **out);
void bnre__cells_destroy(bnre__cells *cells); /* NULL is fine */

/* How many cells suit the number of free parameters. */
size_t bnre__cells_usual(const bnre_prior *prior);

/* How many cells there can be. */
size_t bnre__cells_room(const bnre__cells *cells);

/* Fit the partition to what the session observed, with fewer evaluations than
   there can be cells. *evaluations grows by as many. */
BNRE_MUST_CHECK bnre_status bnre__cells_fit(bnre__cells *cells,
                                            bnre_session *session,
                                            size_t *evaluations);

/* What has a point of its own is a stratum: a cell, or several of like density
   that have little of the posterior each. How many there are: */
size_t bnre__cells_count(const bnre__cells *cells);

/* The stratum that theta (dim) is in. A value that is a whole number may fill
   several: then it is in one of them by chance, as a draw of the prior would
   be; without rng in the middle one. */
size_t bnre__cells_find(const bnre__cells *cells, const double *theta,
                        bnre_rng *rng);

/* The logarithm of the prior mass of a stratum; constraints not considered. */
double bnre__cells_log_mass(const bnre__cells *cells, size_t stratum);

/* Draw theta (dim) from a stratum, as the prior without constraints does.
   Returns its log prior density: -inf if it breaks a constraint. */
double bnre__cells_draw(const bnre__cells *cells, size_t stratum, bnre_rng *rng,
                        double *theta);

/* Draw from all, and keep what satisfies the constraints: how many points. For
   each theta (n, dim), the log_mass (n) of its stratum and, unless NULL, its
   log_prior (n) density. Unless NULL, *own is the point of this stratum,
   BNRE_NO_POINT if it has none. */
size_t bnre__cells_draw_all(const bnre__cells *cells, bnre_rng *rng,
                            size_t stratum, double *theta, double *log_mass,
                            double *log_prior, size_t *own);

#endif
