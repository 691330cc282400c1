#include "sir_run.h"

#include "support.h"

#include "bnre/plugin.h"

extern const bnre_plugin bnre_sim_spatial_sir;

struct sir_run sir_open(size_t grid, size_t steps)
{
    const bnre_plugin_value options[] = {{.text = "", .number = (double)grid},
                                         {.text = "", .number = (double)steps}};
    char reason[BNRE_REASON_SIZE] = "";
    struct sir_run run = {.grid = grid, .area = grid * grid};

    assert_int_equal(bnre_sim_spatial_sir.create(options, &run.state, reason),
                     BNRE_DRAW_OK);
    assert_ok(bnre__alloc(3 * run.area, sizeof *run.x, (void **)&run.x));
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
        seed, bnre_purpose(BNRE_USE_SIMULATE, BNRE_SPLIT_TEST), row);

    assert_int_equal(bnre_sim_spatial_sir.draw(run->state, &rng, theta, NULL,
                                               run->x, reason),
                     BNRE_DRAW_OK);
}
