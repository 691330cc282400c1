/* reference.c - wave, noise and whitening put together. */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"

#define STEP (GW_RATE / GW_LONG) /* Hz between bins */
#define ARRIVAL 16.0             /* of the merger at H1, s into the data */

/* No noise below 20 Hz, and none in the last bin. */
static const size_t first_bin = (size_t)(GW_LOW / STEP);
static const size_t last_bin = GW_LONG_BINS - 2;

struct gw_reference *gw_reference_create(void)
{
    struct gw_reference *chain = calloc(1, sizeof *chain);

    if (!chain)
        return NULL;

    int complete = gw_whiten_init(&chain->whiten);

    for (size_t i = 0; i < GW_LENGTHS; i++) {
        chain->brief[i] = gw_fft_create((size_t)GW_SHORT_MIN << i);
        complete = complete && chain->brief[i];
    }
    chain->noise_size = gw_fft_alloc(GW_LONG_BINS, sizeof(double));
    chain->wave = gw_fft_alloc(GW_SHORT_MAX / 2 + 1, sizeof(struct gw_complex));
    chain->data = gw_fft_alloc(GW_LONG_BINS, sizeof(struct gw_complex));
    if (!complete || !chain->noise_size || !chain->wave || !chain->data) {
        gw_reference_destroy(chain);
        return NULL;
    }
    gw_qnm_init(&chain->qnm);
    for (size_t k = first_bin; k <= last_bin; k++)
        chain->noise_size[k] =
            sqrt(gw_noise_density((double)k * STEP) / STEP) / 2;
    return chain;
}

void gw_reference_destroy(struct gw_reference *chain)
{
    if (!chain)
        return;
    gw_fft_free(chain->data);
    gw_fft_free(chain->wave);
    gw_fft_free(chain->noise_size);
    for (size_t i = 0; i < GW_LENGTHS; i++)
        gw_fft_destroy(chain->brief[i]);
    gw_whiten_clear(&chain->whiten);
    free(chain);
}

bnre_draw gw_reference_wave(struct gw_reference *chain,
                            const struct gw_event *event, char *reason)
{
    struct gw_phenom wave;

    gw_phenom_init(&wave, &chain->qnm, event->m1, event->m2, event->spin1,
                   event->spin2);
    if (!gw_chirp_start(&wave, &chain->start)) {
        snprintf(reason, BNRE_REASON_SIZE,
                 "the signal of masses %.4g and %.4g is longer than the data: "
                 "choose heavier ones",
                 event->m1, event->m2);
        return BNRE_DRAW_STOP;
    }
    gw_chirp_spectrum(&wave, &chain->start, event->phase, chain->wave);
    return BNRE_DRAW_OK;
}

static const gw_fft *brief_fft(const struct gw_reference *chain)
{
    size_t i = 0;

    while ((size_t)GW_SHORT_MIN << i < chain->start.n)
        i++;
    return chain->brief[i];
}

/* The short record is taken to the time domain and, with zeros behind it, back
   on the grid of the data; then it is moved to its time of arrival. */
void gw_reference_signal(struct gw_reference *chain,
                         const struct gw_event *event,
                         const struct gw_hearing *hearing)
{
    size_t n = chain->start.n;
    double length = (double)n / GW_RATE, *series = chain->whiten.series;
    double late = ARRIVAL + hearing->delay - (length - GW_AFTER);
    struct gw_complex factor = gw_event_project(event, hearing);

    /* Both transforms are unscaled: rate/n for the first, 1/rate for the
       second. */
    factor.re /= (double)n;
    factor.im /= (double)n;
    gw_scale(n / 2 + 1, factor, chain->wave, chain->whiten.work);
    gw_fft_inverse(brief_fft(chain), chain->whiten.work, series);
    memset(series + n, 0, (GW_LONG - n) * sizeof *series);
    gw_fft_forward(chain->whiten.whole, series, chain->data);
    gw_delay(GW_LONG_BINS, 2 * GW_PI * STEP * late, chain->data);
}

void gw_reference_noise(struct gw_reference *chain, bnre_rng *rng)
{
    for (size_t k = first_bin; k <= last_bin; k++) {
        chain->data[k].re += chain->noise_size[k] * bnre_rng_normal(rng);
        chain->data[k].im += chain->noise_size[k] * bnre_rng_normal(rng);
    }
}

bnre_draw gw_reference_draw(struct gw_reference *chain, bnre_rng *rng,
                            const struct gw_event *event, double *x,
                            char *reason)
{
    bnre_draw outcome = gw_reference_wave(chain, event, reason);

    if (outcome != BNRE_DRAW_OK)
        return outcome;
    for (int site = 0; site < GW_SITES; site++) {
        struct gw_hearing hearing =
            gw_detector_hear((enum gw_site)site, &event->source);

        gw_reference_signal(chain, event, &hearing);
        gw_reference_noise(chain, rng);
        gw_whiten_estimate(&chain->whiten, chain->data);
        gw_whiten_design(&chain->whiten);
        gw_whiten_apply(&chain->whiten, chain->data, x + site * GW_SAMPLES);
    }
    return BNRE_DRAW_OK;
}
