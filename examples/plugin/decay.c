/* decay.c - a simulator as a plugin: counts of a radioactive source.

   Two parameters, the initial rate and the half-life; a background of unknown
   height as nuisance; as many counting intervals as the option `bins` says. */
#include <bnre/plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bnre_draw create(const bnre_plugin_value *options, void **state,
                        char *reason)
{
    size_t *bins = malloc(sizeof *bins);

    if (bins == NULL) {
        snprintf(reason, BNRE_REASON_SIZE, "no memory");
        return BNRE_DRAW_STOP;
    }
    *bins = (size_t)options[0].number;
    *state = bins;
    return BNRE_DRAW_OK;
}

static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    const size_t bins = *(const size_t *)state;
    double total = 0;

    for (size_t i = 0; i < bins; i++) {
        const double rate =
            theta[0] * exp2(-(double)i / theta[1]) + nuisance[0];

        x[i] = (double)bnre_rng_poisson(rng, rate);
        total += x[i];
    }
    if (total == 0) { /* the counter would not have been triggered */
        snprintf(reason, BNRE_REASON_SIZE, "nothing was counted");
        return BNRE_DRAW_INVALID;
    }
    return BNRE_DRAW_OK;
}

BNRE_API const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "decay",
    .title = "counts of a radioactive source over a background",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"rate", "log_uniform(1, 1000)", NULL},
            {"half_life", "uniform(0.5, 20)", NULL},
            {0},
        },
    .nuisance =
        (const bnre_plugin_parameter[]){
            {"background", "exponential(1)", NULL},
            {0},
        },
    .options =
        (const bnre_plugin_option[]){
            {"bins", "16", "[1, 1000]", "counting intervals"},
            {0},
        },
    .observable = "bins",
    .create = create,
    .draw = draw,
    .destroy = free,
};
