#include "simrun.h"

#include <stdio.h>
#include <string.h>

#include "num/streams.h"
#include "support.h"

extern const bnre_plugin *const bnre_sims[];

static size_t count(const bnre_plugin_parameter *list)
{
    size_t n = 0;

    while (list != NULL && list[n].name != NULL)
        n++;
    assert_true(n <= SIMRUN_MAX_DIM);
    return n;
}

simrun simrun_open(const char *name, int choice, uint64_t seed)
{
    char reason[BNRE_REASON_SIZE] = "";
    bnre_plugin_value value = {.text = "", .choice = choice};
    simrun run = {.seed = seed};

    for (size_t i = 0; bnre_sims[i] != NULL; i++)
        if (strcmp(bnre_sims[i]->name, name) == 0)
            run.record = bnre_sims[i];
    assert_non_null(run.record);
    assert_int_equal(run.record->abi, BNRE_PLUGIN_ABI);
    run.dim_theta = count(run.record->parameters);
    run.dim_nuisance = count(run.record->nuisance);
    if (run.record->create != NULL)
        assert_int_equal(run.record->create(&value, &run.state, reason),
                         BNRE_DRAW_OK);
    return run;
}

void simrun_close(simrun *run)
{
    if (run->record->destroy != NULL)
        run->record->destroy(run->state);
}

static void draw_uniform(const bnre_plugin_parameter *list, size_t n,
                         bnre_rng *rng, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double low, high;

        assert_int_equal(
            sscanf(list[i].prior, "uniform(%lf, %lf)", &low, &high), 2);
        out[i] = low + (high - low) * bnre_rng_uniform(rng);
    }
}

void simrun_prior(const simrun *run, uint64_t row, double *theta,
                  double *nuisance)
{
    bnre_rng rng = bnre_rng_stream(
        run->seed, bnre__purpose(BNRE_USE_PRIOR, BNRE_SPLIT_TEST), row);

    draw_uniform(run->record->parameters, run->dim_theta, &rng, theta);
    draw_uniform(run->record->nuisance, run->dim_nuisance, &rng, nuisance);
}

void simrun_draw(const simrun *run, uint64_t row, const double *theta,
                 const double *nuisance, double *x)
{
    char reason[BNRE_REASON_SIZE] = "";
    double own_theta[SIMRUN_MAX_DIM], own_nuisance[SIMRUN_MAX_DIM];
    bnre_rng rng = bnre_rng_stream(
        run->seed, bnre__purpose(BNRE_USE_SIMULATE, BNRE_SPLIT_TEST), row);

    simrun_prior(run, row, own_theta, own_nuisance);
    if (run->record->draw(run->state, &rng, theta ? theta : own_theta,
                          nuisance ? nuisance : own_nuisance, x,
                          reason) != BNRE_DRAW_OK)
        fail_msg("row %llu failed: %s", (unsigned long long)row, reason);
}
