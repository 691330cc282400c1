/* inside.h - the inside of a prior. */
#ifndef BNRE_PRIOR_INSIDE_H
#define BNRE_PRIOR_INSIDE_H

#include <math.h>

#include "prior/constraint.h"
#include "prior/family.h"
#include "prior/joint.h"
#include "prior/prior.h"

typedef struct bnre__parameter bnre__parameter;

struct bnre__parameter {
    char *name, *text;
    char *label, *unit, *title; /* for people; NULL = none */
    const bnre__family *family;
    double arg[BNRE__FAMILY_ARGS];
    double constant;          /* of the log density */
    double low, high;         /* the support */
    double first, last;       /* numbers next to its ends, inside */
    size_t values;            /* of whole numbers, that matter; else 0 */
    double least;             /* the smallest of them */
    const bnre__joint *block; /* that it belongs to; else NULL */
    size_t place;             /* in the block */
};

struct bnre_prior {
    size_t dim;
    bnre__parameter *parameter; /* (dim) */

    size_t blocks;
    bnre__joint **block; /* (blocks) of parameters that depend on each other */

    size_t constraints;
    bnre__constraint **constraint; /* (constraints) */
    double log_share;              /* of draws that they accept */

    size_t rows;    /* of draws that stand for the prior; 0 = it has families */
    double *sample; /* (rows, dim) */
    double *sorted; /* (dim, rows), each parameter in order */
};

/* Between the numbers next to the ends: there the density and the maps to the
   real line are finite. */
static inline double bnre__inside(const bnre__parameter *p, double x)
{
    return x < p->first ? p->first : x > p->last ? p->last : x;
}

/* Find the values of a family of whole numbers. */
void bnre__parameter_list_values(bnre__parameter *p);

#endif
