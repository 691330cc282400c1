/* clean.h - the chain without the reference's artefact: known noise curve,
   nothing below 20 Hz, and several times cheaper. */
#ifndef GW_CLEAN_H
#define GW_CLEAN_H

#include "bnre/plugin.h"
#include "event.h"
#include "fft.h"
#include "qnm.h"

struct gw_clean {
    struct gw_qnm qnm;
    gw_fft *fft;
    double *whitening;       /* density^(-1/2), for each bin */
    struct gw_complex *wave; /* face-on and whitened */
    struct gw_complex *spectrum;
    double *series;
};

/* NULL if memory is lacking. */
struct gw_clean *gw_clean_create(void);
void gw_clean_destroy(struct gw_clean *chain); /* NULL is fine */

/* Simulate an event: x (GW_SITES, GW_SAMPLES). */
bnre_draw gw_clean_draw(struct gw_clean *chain, bnre_rng *rng,
                        const struct gw_event *event, double *x, char *reason);

#endif
