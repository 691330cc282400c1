/* event.h - one merger as the detectors see it. */
#ifndef GW_EVENT_H
#define GW_EVENT_H

#include <stddef.h>

#include "constants.h"
#include "detector.h"

struct gw_event {
    double m1, m2;       /* solar masses, as seen from here */
    double spin1, spin2; /* along the orbital axis */
    double distance;     /* Mpc */
    double cos_inclination;
    double phase; /* at coalescence */
    struct gw_source source;
};

/* What a detector makes of the face-on strain h of phenom.h: a factor g, so
   that the strain it sees is Re(g h) at each frequency's cosine. */
struct gw_complex gw_event_project(const struct gw_event *event,
                                   const struct gw_hearing *hearing);

/* out_k = factor in_k for k < n. The arrays may be the same. */
void gw_scale(size_t n, struct gw_complex factor, const struct gw_complex *in,
              struct gw_complex *out);

/* Multiply spectrum_k by exp(-i k angle) for k < n: a delay. */
void gw_delay(size_t n, double angle, struct gw_complex *spectrum);

#endif
