/* mg1.c - a queue with one server, of which only departures are seen.

   Fifty customers arrive at intervals that are exponential with rate t3 and
   are served in turn, each for a time uniform between t1 and t2 (in either
   order: exchanging the two changes nothing). x holds the minimum, the
   quartiles and the maximum of the fifty times between departures, with linear
   interpolation between order statistics. */
#include <stdio.h>
#include <stdlib.h>

#include "sims.h"

enum { CUSTOMERS = 50, COMPARATORS = 403 };

/* Pairs of places i < j whose values are put in order, one pair after the
   other, to sort all: no branch depends on the values, which makes this almost
   three times as fast as insertion, on a machine where that takes 1 us. */
struct network {
    size_t n;
    unsigned char pair[COMPARATORS][2];
};

/* The pairs of one pass of the odd-even merge sort (Batcher 1968): values `gap`
   apart, within the same one of the runs of length 2 `run` that are being
   merged. O(n log^2 n) pairs in all, 403 for n = 50. */
static void add_pass(struct network *network, int run, int gap)
{
    for (int first = gap % run; first + gap < CUSTOMERS; first += 2 * gap) {
        for (int i = first; i < first + gap && i + gap < CUSTOMERS; i++) {
            if (i / (2 * run) != (i + gap) / (2 * run))
                continue;
            network->pair[network->n][0] = (unsigned char)i;
            network->pair[network->n][1] = (unsigned char)(i + gap);
            network->n++;
        }
    }
}

static bnre_draw create_mg1(const bnre_plugin_value *options, void **state,
                            char *reason)
{
    struct network *network = calloc(1, sizeof *network);

    (void)options;
    if (network == NULL) {
        snprintf(reason, BNRE_REASON_SIZE, "no memory");
        return BNRE_DRAW_STOP;
    }
    for (int run = 1; run < CUSTOMERS; run *= 2)
        for (int gap = run; gap >= 1; gap /= 2)
            add_pass(network, run, gap);
    *state = network;
    return BNRE_DRAW_OK;
}

static void sort(const struct network *network, double *value)
{
    for (size_t k = 0; k < network->n; k++) {
        double *a = value + network->pair[k][0];
        double *b = value + network->pair[k][1];
        /* Written as a minimum and a maximum, for which processors have
           instructions. */
        double low = *a < *b ? *a : *b;
        double high = *a > *b ? *a : *b;

        *a = low;
        *b = high;
    }
}

static bnre_draw draw_mg1(void *state, bnre_rng *rng, const double *theta,
                          const double *nuisance, double *x, char *reason)
{
    double t1 = theta[0], width = theta[1] - theta[0], interval = 1 / theta[2];
    double arrival = 0, departure = 0, d[CUSTOMERS];

    (void)nuisance;
    if (!(theta[2] > 0)) {
        snprintf(reason, BNRE_REASON_SIZE, "nobody arrives: arrival_rate is %g",
                 theta[2]);
        return BNRE_DRAW_INVALID;
    }
    for (int i = 0; i < CUSTOMERS; i++) {
        double service = t1 + width * bnre_rng_uniform(rng), idle;

        arrival += interval * bnre_rng_exponential(rng);
        idle = arrival - departure;
        d[i] = service + (idle > 0 ? idle : 0);
        departure += d[i];
    }
    sort(state, d);
    x[0] = d[0];
    x[1] = d[12] + 0.25 * (d[13] - d[12]);
    x[2] = 0.5 * (d[24] + d[25]);
    x[3] = d[36] + 0.75 * (d[37] - d[36]);
    x[4] = d[49];
    return BNRE_DRAW_OK;
}

const bnre_plugin bnre_sim_mg1 = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "mg1",
    .title = "queue with one server; infer service and arrival times",
    .reference = "Shestopaloff, Neal, On Bayesian inference for the M/G/1 "
                 "queue with efficient MCMC sampling, 2014",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"service_min", "uniform(0, 10)", NULL},
            {"service_max", "uniform(0, 10)", NULL},
            {"arrival_rate", "uniform(0, 0.3333333333333333)", NULL},
            {0},
        },
    .observable = "5",
    .create = create_mg1,
    .draw = draw_mg1,
    .destroy = free,
};
