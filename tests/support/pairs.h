/* pairs.h - pairs (theta, x), and posteriors for them that are right or wrong
   to a known extent. */
#ifndef BNRE_TEST_PAIRS_H
#define BNRE_TEST_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/density.h"
#include "simrun.h"

typedef struct pairs {
    size_t n, dim, observations, x_size;
    double *theta; /* (n, dim) */
    double *x;     /* (n, observations, x_size) */
    double *exact; /* of simulated pairs: (n, exact_size) */
    size_t exact_size;
} pairs;

/* Of the task `gaussian`: theta ~ N(0, I), x ~ N(theta, I). */
pairs pairs_gaussian(size_t n, size_t dim, size_t observations, uint64_t seed);
/* Of a built-in task with uniform priors and x_size values. SLCP's are known
   so well near theta = 0 that rounding to double moves them by many standard
   deviations: so x is the number of the pair, under which the density finds the
   values in double precision. */
pairs pairs_simulated(const simrun *run, size_t n, size_t x_size);
void pairs_free(pairs *p);

/* For the task `gaussian`: N(x/2 + shift, variance I), which is exact with
   variance 1/2 and shift 0. Normalised. Any number of threads. */
typedef struct normal_guess {
    const bnre_prior *prior; /* normal(0, 1) each */
    double variance, shift;
} normal_guess;
bnre_density normal_guess_density(const normal_guess *guess);
/* The first of two, with both as its members; roughly, it is the second. */
bnre_density normal_guess_ensemble(const normal_guess guess[2]);

/* `power` times the log likelihood of a built-in task; exact with 1. */
typedef struct likelihood_guess {
    const simrun *run;
    const bnre_prior *prior;
    const pairs *of;
    double power;
} likelihood_guess;
bnre_density likelihood_guess_density(const likelihood_guess *guess);

/* The default priors of a built-in task. */
bnre_prior *simrun_priors(const simrun *run);

#endif
