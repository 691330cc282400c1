/* line_set.h - sets of highest density on a line, and places within them.

   A mixture of cut logistic components (logistic.h), of one member or of a
   whole ensemble, has a set S that holds all but `beta` of it: the union of the
   intervals in which some component alone has at least a density t,

     S(t) = union over k of { c : weight_k f_k(c) >= t },

   which has a closed form; t is as large as the mass outside S allows. Where
   components overlap this is a little more than the smallest set, never less
   mass. With beta of 1e-4 and less, quantiles on a grid (line.h) do not do: the
   mass outside is computed component by component.

   Places within S are measured by the prior's mass: u = P(S below c) / P(S).
   Gaps of S have no place, so that u fills [0, 1], draws of the prior within S
   are uniform in u, and u changes smoothly where pieces of S merge or vanish. */
#ifndef BNRE_NUM_LINE_SET_H
#define BNRE_NUM_LINE_SET_H

#include "num/logistic.h"

enum {
    BNRE__SET_PIECES = 64, /* more are joined with a neighbour */
    BNRE__SET_PARTS = 1024
};

/* Components of an ensemble's density. */
typedef struct bnre__set_part {
    double log_weight, place, width;
} bnre__set_part;

typedef struct bnre__line_set {
    bnre__range range;
    size_t n;
    double low[BNRE__SET_PIECES], high[BNRE__SET_PIECES]; /* in order; may be
                                                             infinite */
    double mass[BNRE__SET_PIECES];                        /* of the prior */
    double all;     /* P(S), the sum of these */
    double outside; /* mass of the mixture outside, <= beta */
} bnre__line_set;

/* The set of n <= BNRE__SET_PARTS parts, whose weights add up to 1, for 0 <
   beta < 1. */
void bnre__line_set_find(bnre__range range, size_t n,
                         const bnre__set_part *part, double beta,
                         bnre__line_set *out);

/* The set whose n <= BNRE__SET_PIECES pieces, in order and apart, are these,
   moved by `shift` and cut to the range: of mass 0 if nothing is left. */
void bnre__line_set_make(bnre__range range, size_t n, const double *low,
                         const double *high, double shift, bnre__line_set *out);

/* The set that holds all but a share `beta` of the values v (n), in ascending
   order: hulls of values that are near each other, and a little more, as they
   stand for others. What is left out is where values are far apart; gaps of a
   tenth of what nearly all values span are no part of it, and what the prior has
   between it and a bound is, if that is hardly anything. */
void bnre__line_set_of_values(bnre__range range, size_t n, const double *v,
                              double beta, bnre__line_set *out);

/* Whether c is in the set, and its place u; and c of a place, 0 <= u <= 1. */
int bnre__line_set_place(const bnre__line_set *set, double c, double *u);
double bnre__line_set_value(const bnre__line_set *set, double u);

#endif
