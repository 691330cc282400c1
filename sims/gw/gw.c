/* gw.c - the task: masses of two merging black holes, from the strain that the
   LIGO detectors at Hanford and Livingston measure.

   Sampled at 2048 Hz for 4 s; the merger reaches Hanford at 3.5 s. Which of
   the bodies is called 1 is arbitrary, so posteriors are symmetric about
   m1 = m2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bnre/plugin.h"
#include "clean.h"
#include "reference.h"

enum { M1, M2 };

enum {
    SPIN1,
    SPIN2,
    DISTANCE_CUBED,
    COS_INCLINATION,
    PHASE,
    POLARISATION,
    RIGHT_ASCENSION,
    SIN_DECLINATION
};

static const bnre_plugin_parameter parameters[] = {
    [M1] = {"m1", "uniform(10, 80)", NULL},
    [M2] = {"m2", "uniform(10, 80)", NULL},
    {NULL, NULL, NULL},
};

/* Sources are uniform in volume between 10 and 1000 Mpc, on the sphere, and in
   orientation: uniform in the variables below. */
static const bnre_plugin_parameter nuisance[] = {
    [SPIN1] = {"spin1", "uniform(-0.9, 0.9)", NULL},
    [SPIN2] = {"spin2", "uniform(-0.9, 0.9)", NULL},
    [DISTANCE_CUBED] = {"distance_cubed", "uniform(1e3, 1e9)", NULL},
    [COS_INCLINATION] = {"cos_inclination", "uniform(-1, 1)", NULL},
    [PHASE] = {"phase", "uniform(0, 6.283185307179586)", NULL},
    [POLARISATION] = {"polarisation", "uniform(0, 6.283185307179586)", NULL},
    [RIGHT_ASCENSION] = {"right_ascension", "uniform(0, 6.283185307179586)",
                         NULL},
    [SIN_DECLINATION] = {"sin_declination", "uniform(-1, 1)", NULL},
    {NULL, NULL, NULL},
};

static const bnre_plugin_option options[] = {
    {"chain", "reference", "reference|clean",
     "reference: whitened by its own spectrum, as published; "
     "clean: by the known one"},
    {NULL, NULL, NULL, NULL},
};

struct state {
    struct gw_reference *reference; /* one of the two */
    struct gw_clean *clean;
};

static void destroy(void *arg)
{
    struct state *state = arg;

    if (!state)
        return;
    gw_reference_destroy(state->reference);
    gw_clean_destroy(state->clean);
    free(state);
}

static bnre_draw create(const bnre_plugin_value *values, void **out,
                        char *reason)
{
    struct state *state = calloc(1, sizeof *state);

    *out = NULL;
    if (state && values[0].choice == 0)
        state->reference = gw_reference_create();
    else if (state)
        state->clean = gw_clean_create();
    if (!state || (!state->reference && !state->clean)) {
        destroy(state);
        snprintf(reason, BNRE_REASON_SIZE, "out of memory");
        return BNRE_DRAW_STOP;
    }
    *out = state;
    return BNRE_DRAW_OK;
}

/* The model has no meaning outside; a user's own prior may lead there. */
static bnre_draw check(const double *theta, const double *nuisances,
                       char *reason)
{
    const struct {
        const char *name;
        double value, low, high;
    } limits[] = {
        {"m1", theta[M1], 1, 1000},
        {"m2", theta[M2], 1, 1000},
        {"spin1", nuisances[SPIN1], -1, 1},
        {"spin2", nuisances[SPIN2], -1, 1},
        {"distance_cubed", nuisances[DISTANCE_CUBED], 1e-6, 1e30},
        {"cos_inclination", nuisances[COS_INCLINATION], -1, 1},
        {"sin_declination", nuisances[SIN_DECLINATION], -1, 1},
    };

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (limits[i].value >= limits[i].low &&
            limits[i].value <= limits[i].high)
            continue;
        snprintf(reason, BNRE_REASON_SIZE,
                 "%s = %g is outside [%g, %g]: change its prior",
                 limits[i].name, limits[i].value, limits[i].low,
                 limits[i].high);
        return BNRE_DRAW_STOP;
    }
    return BNRE_DRAW_OK;
}

static bnre_draw draw(void *arg, bnre_rng *rng, const double *theta,
                      const double *nuisances, double *x, char *reason)
{
    struct state *state = arg;
    bnre_draw outcome = check(theta, nuisances, reason);

    if (outcome != BNRE_DRAW_OK)
        return outcome;

    struct gw_event event = {
        .m1 = theta[M1],
        .m2 = theta[M2],
        .spin1 = nuisances[SPIN1],
        .spin2 = nuisances[SPIN2],
        .distance = cbrt(nuisances[DISTANCE_CUBED]),
        .cos_inclination = nuisances[COS_INCLINATION],
        .phase = nuisances[PHASE],
        .source = {.right_ascension = nuisances[RIGHT_ASCENSION],
                   .sin_declination = nuisances[SIN_DECLINATION],
                   .polarisation = nuisances[POLARISATION]},
    };

    if (state->reference)
        return gw_reference_draw(state->reference, rng, &event, x, reason);
    return gw_clean_draw(state->clean, rng, &event, x, reason);
}

extern BNRE_API const bnre_plugin bnre_plugin_record;

const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "gw",
    .title = "masses of two merging black holes from LIGO strain",
    .reference = "A. Delaunoy et al., arXiv:2208.13624 (2022)",
    .parameters = parameters,
    .nuisance = nuisance,
    .options = options,
    .observable = "2, 8192",
    .create = create,
    .draw = draw,
    .destroy = destroy,
};
