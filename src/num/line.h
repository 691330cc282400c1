/* line.h - one factor: a density on a line, whose numbers a network gives.

   A factor of a conditional density is a kind of density, the range of its
   coordinate (logistic.h), and how many components it has. Training needs
   passes over rows, in float; draws, intervals and checks look at one density
   at a time, in double. What is special to a kind is in its table.

   Values in a list (BNRE__VALUES) have the coordinates 0, 1, ...; their density
   is the probability of a value, with p_k that of the prior:

     q_k = p_k exp(a_k / w) / sum over j of p_j exp(a_j / w)

   with raw numbers a (K), which are 0 for the prior, and w the widening: p_k
   (q_k / p_k)^(1/w) up to a factor. */
#ifndef BNRE_NUM_LINE_H
#define BNRE_NUM_LINE_H

#include "num/logistic.h"

typedef struct bnre__line_type bnre__line_type;

typedef struct bnre__line {
    const bnre__line_type *type;
    bnre__range range;
    size_t components;      /* or values */
    const double *log_mass; /* (components) of values: the prior's; else NULL */
} bnre__line;

/* One density, its raw numbers understood. */
typedef struct bnre__line_density {
    const bnre__line_type *type;
    bnre__logistic mixture;
    struct { /* of values in a list */
        size_t n;
        const float *raw;       /* (n), borrowed from where it was read */
        const double *log_mass; /* (n) */
        double widen, log_sum;
    } values;
} bnre__line_density;

struct bnre__line_type {
    const char *name;
    size_t numbers; /* raw ones of each component */

    /* Raw numbers whose density is about the prior: where training begins. */
    void (*begin)(const bnre__line *line, float *raw);

    /* Rows: l = log q(c) - log p(c), and derivatives on the way back. */
    void (*forward)(const bnre__lines *lines);
    void (*back)(const bnre__lines *lines);
    /* Forward of rows that all have the density of the first. */
    void (*same)(const bnre__lines *lines);

    /* One density. widen >= 1 multiplies widths. */
    void (*read)(const bnre__line *line, const float *raw, double widen,
                 bnre__line_density *out);
    double (*log_density)(const bnre__line_density *q, double c);
    double (*slope)(const bnre__line_density *q, double c); /* d log q / d c */
    double (*cdf)(const bnre__line_density *q, double c);
    double (*quantile)(const bnre__line_density *q, double p); /* 0 < p < 1 */
    double (*draw)(const bnre__line_density *q, bnre_rng *rng);
    /* c (n), drawn from n of them, raw (n, stride), each with its stream. */
    void (*draw_rows)(const bnre__line *line, double widen, size_t n,
                      const float *raw, size_t stride, bnre_rng *rng,
                      double *c);
    /* What follows q if u is uniform in (0, 1), by pieces that increase. */
    double (*place)(const bnre__line_density *q, double u);
};

extern const bnre__line_type bnre__line_logistic; /* cut logistic components */
extern const bnre__line_type bnre__line_values;   /* values in a list */

/* A pass over rows of `outputs` numbers each; the rest is to be set. */
static inline bnre__lines bnre__line_pass(const bnre__line *line,
                                          size_t outputs)
{
    return (bnre__lines){.range = line->range,
                         .components = line->components,
                         .widen = 1,
                         .stride = outputs,
                         .log_mass = line->log_mass};
}

/* A coordinate that follows the prior. */
double bnre__line_prior_draw(const bnre__line *line, bnre_rng *rng);

/* Raw numbers of a row. */
static inline size_t bnre__line_outputs(const bnre__line *line)
{
    return line->type->numbers * line->components;
}

/* Where a density lies: the union of *n disjoint intervals of the coordinate,
   low[k] < high[k] in order, that has this mass (0 < mass < 1) and is smallest,
   to 1/1,024 of the mass. "Small" is meant for values: value(context, c), which
   increases; NULL means for the coordinate itself. There are at most
   BNRE__LINE_PIECES. Of values in a list these are the likeliest ones, until
   their mass is there; low[k] and high[k] are then the first and last of
   neighbours, low[k] <= high[k]. */
enum { BNRE__LINE_PIECES = 1024 };
void bnre__line_smallest(const bnre__line_density *q, double mass,
                         double (*value)(const void *context, double c),
                         const void *context, size_t *n, double *low,
                         double *high);

#endif
