/* mixed_exact.h - a category beside a number, with a known posterior.

     kind ~ categorical(5, 3, 2),   shift ~ normal(0, 1)
     x_0 = c_kind + shift + e_0,    c = -2, 0, 3
     x_1 = shift + 0.8 e_1,         e_0, e_1 ~ normal(0, 1)

   Given the kind all is normal: its probability has a closed form, and the
   posterior of the shift is a mixture of three normal densities. */
#ifndef BNRE_TEST_MIXED_EXACT_H
#define BNRE_TEST_MIXED_EXACT_H

#include "bnre/density.h"
#include "bnre/rng.h"

enum { MIXED_KINDS = 3 };

bnre_prior *mixed_prior(void);
/* theta = {kind, shift} and x (2) from the model. */
void mixed_draw(bnre_rng *rng, double *theta, double *x);

/* Probabilities of the kinds given x, and mean and variance of the shift given
   x and a kind. */
void mixed_kinds(const double *x, double p[MIXED_KINDS]);
void mixed_shift(const double *x, size_t kind, double *mean, double *variance);
/* log p(theta | x) - log p(theta). */
double mixed_log_ratio(const double *theta, const double *x);

/* The posterior as a density that can be drawn from, its log ratio times
   `power` (then without draws): 1 is exact. */
typedef struct mixed_posterior {
    bnre_prior *prior;
    double power;
} mixed_posterior;
bnre_density mixed_density(const mixed_posterior *of);

#endif
