/* look.h - a pair under way: its points, their log ratios, their weights. */
#ifndef BNRE_DIAG_LOOK_H
#define BNRE_DIAG_LOOK_H

#include "bnre/density.h"
#include "diag/cells.h"
#include "diag/diag.h"
#include "diag/rank.h"
#include "posterior/distinct.h"
#include "posterior/points.h"
#include "posterior/star.h"

/* Pairs that are looked at together (look_many.c): what one has in the look, for
   each of them. */
typedef struct bnre__look_many {
    void *session; /* of the density */
    bnre_rng *rng; /* (many), as are */
    double *u, *reference;
    size_t *at;
    uint64_t *seed;    /* of its draws */
    double *drawn;     /* (many, draws, dim) */
    double *theta;     /* (many, rows, dim) */
    double *log_ratio; /* (widths, n, rows) of the n pairs at hand */
} bnre__look_many;

/* The rows of a batch are the set that theta* is ranked in, the theta of
   another pair, the point that had to give way to theta*, and now and then as
   many points again, to see what they would change. */
struct bnre__look {
    const bnre__look_job *job;
    size_t dim;
    int mixed; /* the prior has values in a list */
    bnre_session *session;
    bnre_points *points; /* NULL if cells are fitted: */
    bnre__cells *cells;
    bnre__star star;   /* of chains, */
    double anchor;     /* and the tau that they are for at the moment */
    size_t room;       /* points there may be */
    double *theta;     /* (rows, dim) the batch */
    double *log_ratio; /* (rows) */
    double *each;      /* (members, rows) of members */
    double *log_prior; /* (room + 1) of the set */
    double *log_mass;  /* (room + 1) what its points stand for, up to a
                          common factor */
    double *more_mass; /* (room) the same of more points */
    double *weight, *value;
    bnre__ranked *ranked;
    bnre__row_weight *row; /* (room + 1), NULL if no two points are the same */
    double *reference;     /* (dim) of TARP (Lemos and others 2023) */

    /* The pair at hand. */
    size_t n, at; /* points of the set; which one is theta* */
    size_t other, displaced, more, n_more; /* rows; displaced may be none */
    double mass;                           /* of the set, in all */
    double u;

    size_t placed, evaluations; /* points of all sets, and work, so far */

    bnre__look_many many;
    size_t wide;         /* from log_ratio to that of the next width */
    const double *drawn; /* log_ratio of what was drawn from */
};

static inline double *bnre__look_row(const bnre__look *look, size_t i)
{
    return look->theta + i * look->dim;
}

/* A pair's own stream of random numbers, and the first of them: u, reference. */
bnre_rng bnre__look_begin(bnre__look *look, size_t i, const double *x);

/* Draws of the posterior being in the first rows and theta* in the next, let
   theta* take place `at` among them, and the theta of the other pair its own; then
   the density of the prior at all of them. */
void bnre__look_place_among_draws(bnre__look *look, size_t i, size_t at);
void bnre__look_log_prior(bnre__look *look);

/* The pair at hand is done. */
void bnre__look_end(bnre__look *look, size_t i);

/* As bnre__look_at_some(), n <= density->many, for draws of a density that takes
   many. Where it fails, one pair after the other tells which and why. */
BNRE_MUST_CHECK bnre_status bnre__look_at_many(bnre__look *look, size_t i,
                                               size_t n, const double *x);
void bnre__look_many_clear(bnre__look *look);

/* Write down what the log ratios of a whole batch say of pair i; of chains, for
   the curves that they serve. */
void bnre__look_note(bnre__look *look, size_t i, bnre_rng *rng);

/* The tau of the chains that serve this one: the smallest of those asked for
   that is not much smaller. Weights exp((tau - anchor) l) stay alike only that
   way round. */
double bnre__look_anchor(const bnre_diag *diag, double tau);

/* The rank of theta* by density for one tau. */
double bnre__look_rank(bnre__look *look, double tau);

#endif
