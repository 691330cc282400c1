/* reference.h - the chain that made the published data set. */
#ifndef GW_REFERENCE_H
#define GW_REFERENCE_H

#include "bnre/plugin.h"
#include "chirp.h"
#include "event.h"
#include "whiten.h"

#define GW_LENGTHS 7 /* powers of two from GW_SHORT_MIN to GW_SHORT_MAX */

struct gw_reference {
    struct gw_qnm qnm;
    struct gw_whiten whiten;
    gw_fft *brief[GW_LENGTHS];
    struct gw_start start;
    double *noise_size;      /* (GW_LONG_BINS), of either part of a bin */
    struct gw_complex *wave; /* (GW_SHORT_MAX / 2 + 1), face-on */
    struct gw_complex *data; /* (GW_LONG_BINS), per Hz */
};

/* NULL if memory is lacking. */
struct gw_reference *gw_reference_create(void);
void gw_reference_destroy(struct gw_reference *chain); /* NULL is fine */

/* Simulate an event: x (GW_SITES, GW_SAMPLES). */
bnre_draw gw_reference_draw(struct gw_reference *chain, bnre_rng *rng,
                            const struct gw_event *event, double *x,
                            char *reason);

/* Steps of the former, in this order; the last two for each detector. */
bnre_draw gw_reference_wave(struct gw_reference *chain,
                            const struct gw_event *event, char *reason);
void gw_reference_signal(struct gw_reference *chain,
                         const struct gw_event *event,
                         const struct gw_hearing *hearing);
void gw_reference_noise(struct gw_reference *chain, bnre_rng *rng);

#endif
