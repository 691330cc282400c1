/* sir_run.h - run spatial_sir by its record. */
#ifndef BNRE_TEST_SIR_RUN_H
#define BNRE_TEST_SIR_RUN_H

#include <stddef.h>
#include <stdint.h>

struct sir_run {
    size_t grid, area;
    void *state;
    double *x; /* (3, grid, grid) of the last draw, owned */
};

struct sir_run sir_open(size_t grid, size_t steps);
void sir_close(struct sir_run *run);

/* Row `row` of the stream of `seed`, into run->x. The epidemic of a row is the
   same for any number of steps. */
void sir_draw(struct sir_run *run, uint64_t seed, uint64_t row,
              const double *theta);

#endif
