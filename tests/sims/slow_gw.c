/* Events drawn from the prior: strength and size of the data of the reference
   chain have the distribution that an independent implementation found in 1500
   draws of its own. */
#include <stdio.h>

#include "bnre/plugin.h"
#include "gw/noise.h"
#include "gw/reference.h"
#include "gw_vectors.h"

#define DRAWS 1000
#define THEIR_DRAWS 1500

extern const bnre_plugin bnre_plugin_record;

enum quantity { SNR_H1, SNR_BOTH, DEVIATION, LARGEST, QUANTITIES };

/* Their quantiles at these probabilities. */
static const double probability[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const double quantile[QUANTITIES][5] = {
    [SNR_H1] = {3.9, 10.6, 18.8, 30.4, 61},
    [SNR_BOTH] = {6.8, 15.7, 27.7, 44.5, 85},
    [DEVIATION] = {33.6, 41.8, 60.4, 95.7, 198}, /* of a channel */
    [LARGEST] = {134, 185, 270, 413, 828},       /* absolute value in it */
};

/* Fraction of records with 2048, 4096, ... samples. */
static const double length_share[5] = {0.13, 0.50, 0.27, 0.08, 0.013};

static double density[GW_LONG_BINS];

/* All of the record's priors are uniform. */
static void draw_uniform(const bnre_plugin_parameter *list, bnre_rng *rng,
                         size_t n, double *value)
{
    for (size_t i = 0; i < n; i++) {
        double low, high;

        assert_int_equal(
            sscanf(list[i].prior, "uniform(%lf, %lf)", &low, &high), 2);
        value[i] = low + (high - low) * bnre_rng_uniform(rng);
    }
    assert_null(list[n].name);
}

static struct gw_event draw_event(bnre_rng *rng)
{
    double theta[2], nuisance[8];

    draw_uniform(bnre_plugin_record.parameters, rng, 2, theta);
    draw_uniform(bnre_plugin_record.nuisance, rng, 8, nuisance);
    return (struct gw_event){.m1 = theta[0],
                             .m2 = theta[1],
                             .spin1 = nuisance[0],
                             .spin2 = nuisance[1],
                             .distance = cbrt(nuisance[2]),
                             .cos_inclination = nuisance[3],
                             .phase = nuisance[4],
                             .source = {.polarisation = nuisance[5],
                                        .right_ascension = nuisance[6],
                                        .sin_declination = nuisance[7]}};
}

static double snr_squared(const struct gw_reference *chain)
{
    const double step = GW_RATE / GW_LONG;
    double sum = 0;

    for (size_t k = 640; k < GW_LONG_BINS - 1; k++)
        sum += (pow(chain->data[k].re, 2) + pow(chain->data[k].im, 2)) /
               density[k];
    return 4 * step * sum;
}

/* Simulate H1 and look at L1's signal. */
static void measure(struct gw_reference *chain, const struct gw_event *event,
                    bnre_rng *rng, double value[QUANTITIES])
{
    static double x[GW_SAMPLES];
    char reason[BNRE_REASON_SIZE] = "";
    struct gw_hearing l1 = gw_detector_hear(GW_L1, &event->source);
    struct gw_hearing h1 = gw_detector_hear(GW_H1, &event->source);
    double squared, other, sum = 0, largest = 0;

    if (gw_reference_wave(chain, event, reason) != BNRE_DRAW_OK)
        fail_msg("%s", reason);
    gw_reference_signal(chain, event, &l1);
    other = snr_squared(chain);
    gw_reference_signal(chain, event, &h1);
    squared = snr_squared(chain);
    gw_reference_noise(chain, rng);
    gw_whiten_estimate(&chain->whiten, chain->data);
    gw_whiten_design(&chain->whiten);
    gw_whiten_apply(&chain->whiten, chain->data, x);
    for (int j = 0; j < GW_SAMPLES; j++) {
        sum += x[j] * x[j];
        largest = fmax(largest, fabs(x[j]));
    }
    value[SNR_H1] = sqrt(squared);
    value[SNR_BOTH] = sqrt(squared + other);
    value[DEVIATION] = sqrt(sum / GW_SAMPLES);
    value[LARGEST] = largest;
}

/* Two samples share a fraction p: 4 standard errors of the difference. Of all
   25 comparisons one fails by chance for 1 in 600 choices of the seed. */
static void assert_same_fraction(double p, int count)
{
    double error = sqrt(p * (1 - p) * (1.0 / DRAWS + 1.0 / THEIR_DRAWS));

    assert_close((double)count / DRAWS, p, 4 * error);
}

static void prior_draws_have_the_published_sizes(void **state)
{
    struct gw_reference *chain = gw_reference_create();
    int below[QUANTITIES][5] = {0}, length[5] = {0};

    (void)state;
    assert_non_null(chain);
    for (size_t k = 640; k < GW_LONG_BINS; k++)
        density[k] = gw_noise_density((double)k * GW_RATE / GW_LONG);
    for (uint64_t i = 0; i < DRAWS; i++) {
        bnre_rng rng = bnre_rng_stream(2208, 0, i);
        struct gw_event event = draw_event(&rng);
        double value[QUANTITIES];

        measure(chain, &event, &rng, value);
        for (int q = 0; q < QUANTITIES; q++)
            for (int p = 0; p < 5; p++)
                below[q][p] += value[q] < quantile[q][p];
        for (size_t l = 0; l < 5; l++)
            length[l] += chain->start.n == (size_t)2048 << l;
    }
    for (int p = 0; p < 5; p++) {
        for (int q = 0; q < QUANTITIES; q++)
            assert_same_fraction(probability[p], below[q][p]);
        assert_same_fraction(length_share[p], length[p]);
    }
    gw_reference_destroy(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prior_draws_have_the_published_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
