/* whiten.h - whitening of 32 s of data by their own spectrum.

   The noise ends at 20 Hz, the signal does not: below, the estimated spectrum
   is leakage only, so that the filter lifts the beginning of the signal to a
   strong, almost noise-free burst near 18.5 Hz. This is how the reference data
   are; use the clean chain where it matters. */
#ifndef GW_WHITEN_H
#define GW_WHITEN_H

#include "fft.h"

#define GW_LONG 65536                  /* samples: 32 s */
#define GW_LONG_BINS (GW_LONG / 2 + 1) /* 1/32 Hz apart */
#define GW_SEGMENT 8192                /* samples: 4 s */
#define GW_SEGMENT_BINS (GW_SEGMENT / 2 + 1)
#define GW_SEGMENTS 15

/* Rows of segment powers are padded, so that their blocks are all full. */
#define GW_BLOCK 64
#define GW_ROW ((GW_SEGMENT_BINS + GW_BLOCK - 1) / GW_BLOCK * GW_BLOCK)

struct gw_whiten {
    gw_fft *whole, *part;    /* transforms of 32 s and of 4 s */
    double *window;          /* (GW_SEGMENT), Hann */
    double window_power;     /* sum of its squares */
    double *highpass;        /* (GW_LONG_BINS), response */
    double *series;          /* (GW_LONG) */
    double *piece;           /* (GW_SEGMENT) */
    double *power;           /* (GW_SEGMENTS, GW_ROW) */
    double *density;         /* (GW_SEGMENT_BINS), estimate */
    double *filter;          /* (GW_LONG_BINS), gain */
    struct gw_complex *work; /* (GW_LONG_BINS) */
};

/* Return 0 if memory is lacking; clear in any case. */
int gw_whiten_init(struct gw_whiten *whiten);
void gw_whiten_clear(struct gw_whiten *whiten);

/* Three steps, in this order, on the spectrum (GW_LONG_BINS, per Hz) of the
   data. First the data themselves, left in `series` times GW_LONG / GW_RATE,
   and the estimate of their power density, left in `density` ... */
void gw_whiten_estimate(struct gw_whiten *whiten,
                        const struct gw_complex *spectrum);

/* ... then the filter's gain, left in `filter` ... */
void gw_whiten_design(struct gw_whiten *whiten);

/* ... then filter and high-pass, and keep the 4 s from 12.5 s on: out
   (GW_SAMPLES). */
void gw_whiten_apply(struct gw_whiten *whiten,
                     const struct gw_complex *spectrum, double *out);

/* Middle one of GW_SEGMENTS numbers, for each column of `rows`
   (GW_SEGMENTS, GW_ROW), which are sorted in place; the result is a row. */
const double *gw_medians(double *rows);

#endif
