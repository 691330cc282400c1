/* laws.h - every sampler of rng.h with parameters on both sides of each of its
   branches, and tests of its numbers against its distribution function. */
#ifndef BNRE_TEST_LAWS_H
#define BNRE_TEST_LAWS_H

#include <stddef.h>

#include "bnre/rng.h"

struct law {
    const char *name;
    double a, b;
    double (*draw)(bnre_rng *rng, const struct law *law);
    double (*cdf)(double x, const struct law *law);
    int counts; /* whole numbers from 0 on */
};

extern const struct law laws[];
extern const size_t law_count;

/* P(numbers at least as far off | the sampler is right), for n numbers of
   stream (seed, 1, 0): Kolmogorov-Smirnov for continuous laws, chi-square over
   some 40 ranges for counts. */
double law_pvalue(const struct law *law, uint64_t seed, size_t n);

#endif
