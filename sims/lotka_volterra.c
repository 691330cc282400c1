/* lotka_volterra.c - predators and prey as a stochastic jump process.

   X predators, Y prey, at first 50 and 100:

     predator birth  exp(predator_birth) X Y   X + 1
     predator death  exp(predator_death) X     X - 1
     prey birth      exp(prey_birth) Y         Y + 1
     prey death      exp(prey_death) X Y       Y - 1

   The rates of the prey are not of interest. The reference keeps the state
   after each of the first 1001 events and no times: the embedded jump chain.
   The alternative is the state at the times 0, 0.05, ..., 50. Both end in
   (0, 0) once both species have died out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sims.h"

enum { ROWS = 1001, EVENTS = 0, MAX_EVENTS = 1000000 };

static const double STEP = 0.05;

/* Populations as doubles: all of the arithmetic is, and whole numbers of this
   size are exact. */
struct populations {
    double predators, prey;
};

static const struct populations at_first = {50, 100};

/* What each of the four events does. */
static const struct populations change[4] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

/* exp of the four log-rates, in the order of `change`. */
struct rates {
    double predator_birth, predator_death, prey_birth, prey_death;
};

/* Propensities of the four events, each added to those before. */
static void accumulate(const struct rates *rates, const struct populations *now,
                       double *sum)
{
    double meetings = now->predators * now->prey;

    sum[0] = rates->predator_birth * meetings;
    sum[1] = sum[0] + rates->predator_death * now->predators;
    sum[2] = sum[1] + rates->prey_birth * now->prey;
    sum[3] = sum[2] + rates->prey_death * meetings;
}

/* Draw one event. An impossible one adds nothing to the sums and cannot be
   hit, since 0 <= u < 1. The event is found by counting, without a branch that
   nobody could predict. */
static void jump(const double *sum, bnre_rng *rng, struct populations *now)
{
    double u = bnre_rng_uniform(rng) * sum[3];
    int event = (u >= sum[0]) + (u >= sum[1]) + (u >= sum[2]);

    now->predators += change[event].predators;
    now->prey += change[event].prey;
}

/* The reference stops when the sum of propensities is 1e-5 or less, which
   under its prior means that nobody is left. */
static void draw_events(bnre_rng *rng, const struct rates *rates, double *x)
{
    struct populations now = at_first;
    double sum[4];

    for (int i = 0; i < ROWS; i++) {
        accumulate(rates, &now, sum);
        if (sum[3] > 0)
            jump(sum, rng, &now);
        x[2 * i] = now.predators;
        x[2 * i + 1] = now.prey;
    }
}

/* Gillespie's direct method (1977): two random numbers for each event. Prey
   without predators multiply without bound, so the number of events has to have
   one. */
static bnre_draw draw_times(bnre_rng *rng, const struct rates *rates, double *x,
                            char *reason)
{
    struct populations now = at_first;
    double sum[4], next = 0; /* time of the next event */
    int i = 0;

    for (int events = 0; events <= MAX_EVENTS; events++) {
        accumulate(rates, &now, sum);
        /* When nobody is left, the next event is infinitely late. */
        next += sum[3] > 0 ? bnre_rng_exponential(rng) / sum[3] : INFINITY;
        for (; i < ROWS && i * STEP <= next; i++) {
            x[2 * i] = now.predators;
            x[2 * i + 1] = now.prey;
        }
        if (i == ROWS)
            return BNRE_DRAW_OK;
        jump(sum, rng, &now);
    }
    snprintf(reason, BNRE_REASON_SIZE, "more than %d events before time %g",
             MAX_EVENTS, (ROWS - 1) * STEP);
    return BNRE_DRAW_INVALID;
}

static bnre_draw create_lotka_volterra(const bnre_plugin_value *options,
                                       void **state, char *reason)
{
    int *record = malloc(sizeof *record);

    if (record == NULL) {
        snprintf(reason, BNRE_REASON_SIZE, "no memory");
        return BNRE_DRAW_STOP;
    }
    *record = options[0].choice;
    *state = record;
    return BNRE_DRAW_OK;
}

static bnre_draw draw_lotka_volterra(void *state, bnre_rng *rng,
                                     const double *theta,
                                     const double *nuisance, double *x,
                                     char *reason)
{
    struct rates rates = {exp(theta[0]), exp(theta[1]), exp(nuisance[0]),
                          exp(nuisance[1])};

    if (*(const int *)state == EVENTS) {
        draw_events(rng, &rates, x);
        return BNRE_DRAW_OK;
    }
    return draw_times(rng, &rates, x, reason);
}

const bnre_plugin bnre_sim_lotka_volterra = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "lotka_volterra",
    .title = "predators and prey; infer the rates of the predators",
    .reference = "Lotka 1920, Volterra 1926; as a jump process: Papamakarios, "
                 "Sterratt, Murray, AISTATS 2019",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"predator_birth", "uniform(-4, 1)", NULL},
            {"predator_death", "uniform(-4, 1)", NULL},
            {0},
        },
    .nuisance =
        (const bnre_plugin_parameter[]){
            {"prey_birth", "uniform(-4, 1)", NULL},
            {"prey_death", "uniform(-4, 1)", NULL},
            {0},
        },
    .options =
        (const bnre_plugin_option[]){
            {"record", "events", "events|times",
             "the state after each of 1001 events, or at 1001 times"},
            {0},
        },
    .observable = "1001, 2",
    .create = create_lotka_volterra,
    .draw = draw_lotka_volterra,
    .destroy = free,
};
