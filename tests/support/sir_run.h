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

/* Summary statistics: those of the reference, in its order. Shares of the
   cells in a state; of pairs of neighbours of which both are affected, that is
   infected or recovered; and the mean over the four borders. */
enum sir_statistic {
    SIR_SUSCEPTIBLE,
    SIR_INFECTED,
    SIR_RECOVERED,
    SIR_BOTH,
    SIR_AFFECTED,
    SIR_AFFECTED_HORIZONTAL_PAIRS,
    SIR_AFFECTED_DIAGONAL_PAIRS,
    SIR_INFECTED_HORIZONTAL_PAIRS,
    SIR_AFFECTED_ON_BORDER,
    SIR_STATISTICS
};

/* Fails the test where the channels of x contradict each other. */
void sir_summarise(size_t grid, const double *x, double *out);

#endif
