/* sir_plain.h - the epidemic of spatial_sir, as plain as it can be written: two
   random numbers for every cell and step. Tests compare the simulator with it,
   the benchmark measures what is gained. */
#ifndef BNRE_TEST_SIR_PLAIN_H
#define BNRE_TEST_SIR_PLAIN_H

#include <string.h>

#include "bnre/rng.h"

enum { SIR_PLAIN_MAX = 130 };

/* Cells from 1 to grid in both directions, around them a border of 0. */
typedef unsigned char sir_plain_cells[SIR_PLAIN_MAX + 2][SIR_PLAIN_MAX + 2];

struct sir_plain {
    sir_plain_cells infected, recovered, new_infected;
};

static inline int sir_plain_any(const struct sir_plain *s, size_t grid)
{
    for (size_t r = 1; r <= grid; r++) {
        if (memchr(s->infected[r] + 1, 1, grid) != NULL)
            return 1;
    }
    return 0;
}

static inline void sir_plain_step(struct sir_plain *s, bnre_rng *rng,
                                  size_t grid, const double *theta)
{
    for (size_t r = 1; r <= grid; r++) {
        for (size_t c = 1; c <= grid; c++) {
            double u = bnre_rng_uniform(rng), v = bnre_rng_uniform(rng);
            int i = s->infected[r][c], old = s->recovered[r][c], p = 0;

            for (size_t a = r - 1; a <= r + 1; a++)
                p += s->infected[a][c - 1] + s->infected[a][c] +
                     s->infected[a][c + 1];
            p *= (1 - i) * (1 - old);
            s->new_infected[r][c] = (u < p * theta[0] / 8 || i) && !old;
            s->recovered[r][c] = v < theta[1] * i || old;
        }
    }
    memcpy(s->infected, s->new_infected, sizeof s->infected);
}

/* Writes x (3, grid, grid) and returns the number of steps until the end. */
static inline size_t sir_plain_draw(struct sir_plain *s, bnre_rng *rng,
                                    size_t grid, size_t steps,
                                    const double *theta, double *x)
{
    const size_t area = grid * grid;
    size_t step = 0;

    memset(s, 0, sizeof *s);
    for (uint64_t n = 1 + bnre_rng_poisson(rng, 3); n > 0; n--) {
        size_t cell = (size_t)bnre_rng_below(rng, area);

        s->infected[1 + cell / grid][1 + cell % grid] = 1;
    }
    for (; step < steps && sir_plain_any(s, grid); step++)
        sir_plain_step(s, rng, grid, theta);
    for (size_t cell = 0; cell < area; cell++) {
        int i = s->infected[1 + cell / grid][1 + cell % grid];
        int r = s->recovered[1 + cell / grid][1 + cell % grid];

        x[cell] = (1 - i) * (1 - r);
        x[area + cell] = i;
        x[2 * area + cell] = r;
    }
    return step;
}

#endif
