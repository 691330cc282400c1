/* chirp.h - the wave in the time domain, the way the reference starts it. */
#ifndef GW_CHIRP_H
#define GW_CHIRP_H

#include "phenom.h"

#define GW_SHORT_MIN 1024  /* samples of the shortest record ... */
#define GW_SHORT_MAX 65536 /* ... and of the longest */
#define GW_LONGEST 16.0    /* seconds: a signal that still fits the data */
#define GW_AFTER 0.2       /* seconds from the merger to the record's end */

/* Where a signal begins and how long its record has to be. */
struct gw_start {
    double f; /* Hz */
    size_t n; /* samples: a power of two */
};

/* Time in seconds the wave takes from f_hz to its end. */
double gw_chirp_duration(const struct gw_phenom *wave, double f_hz);

/* Return 0 if the signal is longer than GW_LONGEST. */
int gw_chirp_start(const struct gw_phenom *wave, struct gw_start *start);

/* The face-on spectrum at one light-second on start->n/2 + 1 bins, tapered
   below 20 Hz, with the merger GW_AFTER before the record's end. */
void gw_chirp_spectrum(const struct gw_phenom *wave,
                       const struct gw_start *start, double coalescence_phase,
                       struct gw_complex *spectrum);

#endif
