/* clean.c - everything on one grid of 8 s, in the frequency domain. */
#include "clean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chirp.h"
#include "noise.h"
#include "phenom.h"

#define LENGTH 16384 /* samples */
#define BINS (LENGTH / 2 + 1)
#define STEP (GW_RATE / LENGTH) /* Hz between bins */
#define ARRIVAL 6.0             /* of the merger at H1, s */
#define FIRST_OUT 5120          /* sample at 2.5 s */
/* Seconds. Signals longer than ARRIVAL wrap round to the record's end, of which
   1.5 s are not kept. */
#define LONGEST 7.4

static const size_t first_bin = (size_t)(GW_LOW / STEP);
static const size_t last_bin = BINS - 2;

struct gw_clean *gw_clean_create(void)
{
    struct gw_clean *chain = calloc(1, sizeof *chain);

    if (!chain)
        return NULL;
    chain->fft = gw_fft_create(LENGTH);
    chain->whitening = gw_fft_alloc(BINS, sizeof(double));
    chain->wave = gw_fft_alloc(BINS, sizeof(struct gw_complex));
    chain->spectrum = gw_fft_alloc(BINS, sizeof(struct gw_complex));
    chain->series = gw_fft_alloc(LENGTH, sizeof(double));
    if (!chain->fft || !chain->whitening || !chain->wave || !chain->spectrum ||
        !chain->series) {
        gw_clean_destroy(chain);
        return NULL;
    }
    gw_qnm_init(&chain->qnm);
    for (size_t k = first_bin; k <= last_bin; k++)
        chain->whitening[k] = 1 / sqrt(gw_noise_density((double)k * STEP));
    return chain;
}

void gw_clean_destroy(struct gw_clean *chain)
{
    if (!chain)
        return;
    gw_fft_free(chain->series);
    gw_fft_free(chain->spectrum);
    gw_fft_free(chain->wave);
    gw_fft_free(chain->whitening);
    gw_fft_destroy(chain->fft);
    free(chain);
}

static bnre_draw make_wave(struct gw_clean *chain, const struct gw_event *event,
                           char *reason)
{
    struct gw_phenom wave;

    gw_phenom_init(&wave, &chain->qnm, event->m1, event->m2, event->spin1,
                   event->spin2);
    if (!(gw_chirp_duration(&wave, GW_LOW) < LONGEST)) {
        snprintf(reason, BNRE_REASON_SIZE,
                 "the signal of masses %.4g and %.4g is longer than %g s: "
                 "choose heavier ones",
                 event->m1, event->m2, LONGEST);
        return BNRE_DRAW_STOP;
    }
    for (size_t k = first_bin; k <= last_bin; k++) {
        struct gw_complex h =
            gw_phenom_strain(&wave, (double)k * STEP, event->phase);

        chain->wave[k] = (struct gw_complex){chain->whitening[k] * h.re,
                                             chain->whitening[k] * h.im};
    }
    return BNRE_DRAW_OK;
}

bnre_draw gw_clean_draw(struct gw_clean *chain, bnre_rng *rng,
                        const struct gw_event *event, double *x, char *reason)
{
    const double noise = sqrt(1 / STEP) / 2;
    bnre_draw outcome = make_wave(chain, event, reason);

    if (outcome != BNRE_DRAW_OK)
        return outcome;
    for (int site = 0; site < GW_SITES; site++) {
        struct gw_hearing hearing =
            gw_detector_hear((enum gw_site)site, &event->source);

        gw_scale(BINS, gw_event_project(event, &hearing), chain->wave,
                 chain->spectrum);
        gw_delay(BINS, 2 * GW_PI * STEP * (ARRIVAL + hearing.delay),
                 chain->spectrum);
        for (size_t k = first_bin; k <= last_bin; k++) {
            chain->spectrum[k].re += noise * bnre_rng_normal(rng);
            chain->spectrum[k].im += noise * bnre_rng_normal(rng);
        }
        gw_fft_inverse(chain->fft, chain->spectrum, chain->series);
        for (size_t j = 0; j < GW_SAMPLES; j++)
            x[(size_t)site * GW_SAMPLES + j] =
                chain->series[FIRST_OUT + j] * STEP;
    }
    return BNRE_DRAW_OK;
}
