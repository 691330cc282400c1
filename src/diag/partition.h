/* partition.h - what cells.c and fit.c share. */
#ifndef BNRE_DIAG_PARTITION_H
#define BNRE_DIAG_PARTITION_H

#include "diag/cells.h"

enum { BNRE__SCOUTS = 64 }; /* at a time: what networks like */

/* A cell that was cut in three: it is now the middle one of them. */
struct cut {
    size_t middle, lower, upper, axis;
};

/* A cell, its density, and how much of what is in it. */
struct share {
    double level, prior, posterior;
    size_t cell;
};

struct bnre__cells {
    const bnre_prior *prior;
    size_t dim, per_axis, n;
    size_t enough, room; /* cells, unless they are too coarse; at most */
    size_t points;       /* strata aimed at */
    char *free;          /* (dim) not fixed */
    double *low, *high;  /* (room, dim) of quantiles */
    double *log_mass;    /* (room) */
    char *waits;         /* (room) its scout was not sent yet */

    /* The log ratio inside, as far as it is known: at the scout in the middle,
       and its first and second derivatives by each quantile there. */
    double *log_ratio;     /* (room) */
    double *slope, *curve; /* (room, dim) */

    double *level; /* (room) log of the mean of exp(l) over the cell */
    double *hope;  /* (room) the same, seen from a neighbour */
    double beta;
    double *score; /* (room) what to cut first */
    size_t *heap;  /* (room) cells, the largest score on top */

    struct cut *cut; /* (room) of this round */
    size_t cuts;
    size_t pending[BNRE__SCOUTS], n_pending; /* cells of a batch */
    size_t sent;                             /* scouts, in all */
    double *theta;                           /* (BNRE__SCOUTS, dim) */
    double value[BNRE__SCOUTS];
    double *place; /* (dim) */
    double *v;     /* (dim) */

    /* Strata: cells share[start[s]] to share[start[s + 1] - 1]. */
    size_t strata;
    struct share *share; /* (room) by growing level */
    size_t *start;       /* (room + 1) */
    size_t *stratum;     /* (room) of each cell */
    double *weight;      /* (room) log mass of each stratum */
};

/* Make strata of the cells. */
void bnre__cells_pool(bnre__cells *cells);

#endif
