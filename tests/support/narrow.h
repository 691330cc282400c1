/* narrow.h - normal posteriors as narrow as one likes, in any number of
   dimensions, with ranks that are known exactly.

   theta ~ N(0, I), y ~ N(theta, noise^2 I), and x is the mean of theta given y.
   The posterior is N(x, v I) with v = noise^2 / (1 + noise^2); the guess is
   that its standard deviation is `scale` times as large. */
#ifndef BNRE_TEST_NARROW_H
#define BNRE_TEST_NARROW_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/diag.h"

typedef struct narrow {
    size_t n, dim;
    double noise, scale;
    bnre_prior *prior;
    double *theta; /* (n, dim) */
    double *x;     /* (n, dim) */
    double *rank;  /* (n) exact ones of the guess */
} narrow;

narrow narrow_open(size_t n, size_t dim, double noise, double scale,
                   uint64_t seed);
void narrow_close(narrow *of);

/* Any number of threads. */
bnre_density narrow_density(const narrow *of);
/* The same, and it can be drawn from. */
bnre_density narrow_drawable(const narrow *of);
bnre_diag *narrow_diagnose(const narrow *of, const bnre_diag_opts *opts);

/* What the coverage of the guess is, on these pairs. */
bnre_coverage narrow_coverage(const narrow *of);

/* The largest of level - coverage, and at which level. */
double worst_deficit(const bnre_coverage *coverage, size_t *level);

#endif
