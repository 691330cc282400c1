#include "sir_run.h"

#include "support.h"

#include "bnre/plugin.h"
#include "num/streams.h"

extern const bnre_plugin bnre_sim_spatial_sir;

struct sir_run sir_open(size_t grid, size_t steps)
{
    const bnre_plugin_value options[] = {{.text = "", .number = (double)grid},
                                         {.text = "", .number = (double)steps}};
    char reason[BNRE_REASON_SIZE] = "";
    struct sir_run run = {.grid = grid, .area = grid * grid};

    assert_int_equal(bnre_sim_spatial_sir.create(options, &run.state, reason),
                     BNRE_DRAW_OK);
    assert_non_null(run.x = bnre__alloc(3 * run.area, sizeof *run.x));
    return run;
}

void sir_close(struct sir_run *run)
{
    bnre_sim_spatial_sir.destroy(run->state);
    bnre__free(run->x);
}

void sir_draw(struct sir_run *run, uint64_t seed, uint64_t row,
              const double *theta)
{
    char reason[BNRE_REASON_SIZE] = "";
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_SIMULATE, BNRE_SPLIT_TEST), row);

    assert_int_equal(bnre_sim_spatial_sir.draw(run->state, &rng, theta, NULL,
                                               run->x, reason),
                     BNRE_DRAW_OK);
}

void sir_summarise(size_t grid, const double *x, double *out)
{
    const size_t area = grid * grid, last = grid - 1;
    const double *infected = x + area, *recovered = infected + area;
    double pairs = (double)(grid * last), diagonals = (double)(last * last);

    for (int k = 0; k < SIR_STATISTICS; k++)
        out[k] = 0;
    for (size_t i = 0; i < area; i++) {
        size_t row = i / grid, column = i % grid;
        double affected = 1 - x[i];
        int borders =
            (row == 0) + (row == last) + (column == 0) + (column == last);

        assert_true(affected == (infected[i] + recovered[i] > 0));
        out[SIR_SUSCEPTIBLE] += x[i] / (double)area;
        out[SIR_INFECTED] += infected[i] / (double)area;
        out[SIR_RECOVERED] += recovered[i] / (double)area;
        out[SIR_BOTH] += infected[i] * recovered[i] / (double)area;
        out[SIR_AFFECTED] += affected / (double)area;
        out[SIR_AFFECTED_ON_BORDER] += borders * affected / (double)(4 * grid);
        if (column == last)
            continue;
        out[SIR_AFFECTED_HORIZONTAL_PAIRS] += affected * (1 - x[i + 1]) / pairs;
        out[SIR_INFECTED_HORIZONTAL_PAIRS] +=
            infected[i] * infected[i + 1] / pairs;
        if (row < last)
            out[SIR_AFFECTED_DIAGONAL_PAIRS] +=
                affected * (1 - x[i + grid + 1]) / diagonals;
    }
}
