/* posterior.h - the inside of a posterior on points. */
#ifndef BNRE_POSTERIOR_POSTERIOR_H
#define BNRE_POSTERIOR_POSTERIOR_H

#include "bnre/posterior.h"

struct bnre_posterior {
    const bnre_points *points;
    bnre_points *own;    /* points to destroy with it; NULL if borrowed */
    double *log_ratio;   /* (n) times tau */
    double *log_density; /* (n) log_prior + log_ratio: ranks points */
    double *weight;      /* (n) adds up to 1 */
    double log_z;
    size_t *order; /* (n) points from the densest down, once it was asked for */
    int sorted;
};

/* The points from the densest down; ties in the order of points. */
BNRE_MUST_CHECK bnre_status bnre__posterior_sort(bnre_posterior *posterior);

/* How many of the n points, in this order of decreasing log density, make the
   region of mass c: the first ones until their weights reach c, and all that
   tie with the last of them. n >= 1. */
size_t bnre__hpd_count(size_t n, const size_t *order, const double *log_density,
                       const double *weight, double c);

/* Parts of the set of points with log density >= threshold that do not touch:
   cells of a grid touch if they share a face. */
BNRE_MUST_CHECK bnre_status bnre__posterior_parts(
    const bnre_posterior *posterior, double threshold, size_t *parts);

#endif
