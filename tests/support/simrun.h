/* simrun.h - run a built-in simulator by its record alone. */
#ifndef BNRE_TEST_SIMRUN_H
#define BNRE_TEST_SIMRUN_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/plugin.h"

enum { SIMRUN_MAX_DIM = 16 };

typedef struct simrun {
    const bnre_plugin *record;
    void *state;
    size_t dim_theta, dim_nuisance;
    uint64_t seed;
} simrun;

/* `choice` is the value of the simulator's first option, if it has one. */
simrun simrun_open(const char *name, int choice, uint64_t seed);
void simrun_close(simrun *run);

/* Draw from the default priors, which have to be uniform(low, high). */
void simrun_prior(const simrun *run, uint64_t row, double *theta,
                  double *nuisance);

/* Row `row` of the stream at the given parameters; those that are NULL come
   from the prior. The test fails if the row does. */
void simrun_draw(const simrun *run, uint64_t row, const double *theta,
                 const double *nuisance, double *x);

#endif
