/* logistic.h - densities on a line: mixtures of logistic densities, cut to the
   range of their coordinate.

   A coordinate c is made of a parameter by its prior's distribution function F,
   so that the prior p is simple and the ratio of a mixture to it stays bounded:

     BNRE__UNIT  c = F in [0, 1],               p uniform
     BNRE__HALF  c = -log(1 - F) in [0, inf),   p exponential
     BNRE__LINE  c = log F - log(1 - F),        p logistic

   A mixture of K components is given by 3 K raw numbers, as a network gives
   them: a (K), b (K), r (K);

     weight_k = exp(a_k) / sum exp(a),  place_k = b_k,
     width_k  = f + (1 - f) / (1 + exp(-r_k)),  f = BNRE__LEAST_WIDTH

   Widths are at most 1 where the range is unbounded, so that no tail is heavier
   than the prior's. Between two bounds a wider component is only flatter. */
#ifndef BNRE_NUM_LOGISTIC_H
#define BNRE_NUM_LOGISTIC_H

#include <stddef.h>

#include "bnre/rng.h"
#include "num/kernels.h"

typedef struct bnre__line_kernels bnre__line_kernels;

typedef enum bnre__range {
    BNRE__UNIT,
    BNRE__HALF,
    BNRE__LINE,
    BNRE__VALUES /* of values in a list (line.h): c = 0, 1, ... */
} bnre__range;

#define BNRE__LEAST_WIDTH 1e-4

enum {
    BNRE__COMPONENT_STEP = 8, /* K is a multiple of it */
    BNRE__MOST_COMPONENTS = 32
};

typedef struct bnre__logistic {
    bnre__range range;
    size_t n; /* components */
    double weight[BNRE__MOST_COMPONENTS], place[BNRE__MOST_COMPONENTS],
        width[BNRE__MOST_COMPONENTS];
} bnre__logistic;

/* A width that was multiplied, within what the range allows. */
static inline double bnre__widened(bnre__range range, double width)
{
    return range == BNRE__UNIT || width < 1 ? width : 1;
}

/* Widths can be multiplied by up to so much. */
#define BNRE__MOST_WIDEN 100

/* From raw numbers, all widths times `widen`, 1 to BNRE__MOST_WIDEN. */
void bnre__logistic_read(bnre__range range, size_t n, const float *raw,
                         double widen, bnre__logistic *out);

/* Raw numbers whose mixture is about the prior: where training begins. */
void bnre__logistic_begin(bnre__range range, size_t n, float *raw);

/* log q(c); -inf outside the range. */
double bnre__logistic_log_density(const bnre__logistic *mixture, double c);
double bnre__logistic_slope(const bnre__logistic *mixture, double c); /* d/dc */
/* q(C <= c), and its inverse for 0 < p < 1. */
double bnre__logistic_cdf(const bnre__logistic *mixture, double c);
double bnre__logistic_quantile(const bnre__logistic *mixture, double p);
/* A coordinate that follows the mixture if u is uniform in (0, 1); it increases
   with u within each component. */
double bnre__logistic_place(const bnre__logistic *mixture, double u);
double bnre__logistic_draw(const bnre__logistic *mixture, bnre_rng *rng);
/* c (n): the same from the raw numbers of n mixtures, raw (n, stride), with a
   stream for each, by the kernels below. Weights are in float: where u is
   within 1e-6 of the next component's share it may be that one. All else is in
   double. */
void bnre__logistic_draws(bnre__range range, size_t components, double widen,
                          size_t n, const float *raw, size_t stride,
                          bnre_rng *rng, double *c);

/* The same of the prior in this coordinate. */
double bnre__range_log_density(bnre__range range, double c);
double bnre__range_slope(bnre__range range, double c);
double bnre__range_draw(bnre__range range, bnre_rng *rng);

/* l = log q(c) - log p(c) for n rows, each with a mixture and one or more
   coordinates of its own; and on the way back raw numbers' derivatives of the
   sum of dl l. What depends on no coordinate is computed once for a row. The
   kernels (kernels.h) do this in float; the plain set says what is right.
   Kernels take rows without gaps (stride 0) of logistic mixtures. */
typedef struct bnre__lines {
    bnre__range range;
    size_t n, components;
    size_t more;      /* coordinates of a row beyond the first */
    float widen;      /* widths times this */
    size_t stride;    /* from a row to the next; 0 = as many as are needed */
    const float *raw; /* (n, 3 components) */
    const float *c;   /* (1 + more, n) */
    float *l;         /* (1 + more, n); on the way back ignored */
    const float *dl;  /* (1 + more, n); forward ignored */
    float *draw;      /* (n, 3 components), added to; forward ignored */
    const double *log_mass; /* (components) of values in a list */
} bnre__lines;

struct bnre__logistic_kernels {
    void (*forward)(const bnre__lines *lines);
    void (*back)(const bnre__lines *lines);
    /* y = f(x) for n values (a multiple of 8): functions of vector_math.h. */
    void (*decay)(size_t n, const float *x, float *y);
    void (*log)(size_t n, const float *x, float *y);
    const bnre__line_kernels *line;
};

extern const bnre__logistic_kernels bnre__logistic_ref, bnre__logistic_portable,
    bnre__logistic_avx2, bnre__logistic_avx512;

/* Draws from n mixtures, one of each: c (n) from `pick` (n), which chooses the
   component, and u (n), the place within it; all uniform in (0, 1). */
typedef struct bnre__line_draws {
    bnre__range range;
    size_t n, components, stride;
    double widen;
    const float *raw; /* (n, stride), of which 3 components are read */
    const double *pick, *u;
    double *c;
} bnre__line_draws;

/* Kernels for serving; of many rows none depends on those beside it. */
struct bnre__line_kernels {
    /* Forward of n coordinates in one and the same mixture: raw is one row, and
       `more` 0. */
    void (*same)(const bnre__lines *lines);
    void (*draw)(const bnre__line_draws *draws);
    /* out (n) = log of the mean over members of exp(l), l (members, n); not a
       finite number where one of them is NaN or +inf, or all are -inf. */
    void (*mean)(size_t members, size_t n, const float *l, double *out);
    /* y = f(x) for n values: functions of vector_double.h. */
    void (*decay)(size_t n, const double *x, double *y);
    void (*log)(size_t n, const double *x, double *y);
};

extern const bnre__line_kernels bnre__line_ref, bnre__line_portable,
    bnre__line_avx2, bnre__line_avx512;

#endif
