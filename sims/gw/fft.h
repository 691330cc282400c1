/* fft.h - real Fourier transforms; all that the plugin wants of FFTW. */
#ifndef GW_FFT_H
#define GW_FFT_H

#include <stddef.h>

#include "constants.h"

/* Transforms between n real numbers and n/2 + 1 complex ones, unscaled. */
typedef struct gw_fft gw_fft;

/* NULL if memory is lacking. May be called from several threads. The plan
   depends on n alone, never on timing: equal input, equal bytes. */
gw_fft *gw_fft_create(size_t n);
void gw_fft_destroy(gw_fft *fft); /* NULL is fine */

/* spectrum_k = sum_j series_j exp(-2 pi i j k / n). Inputs are kept, here and
   below. */
void gw_fft_forward(const gw_fft *fft, const double *series,
                    struct gw_complex *spectrum);

/* series_j = sum over all n bins of spectrum_k exp(+2 pi i j k / n), where
   bin n - k is the conjugate of bin k; the imaginary parts of bins 0 and n/2
   do not count. */
void gw_fft_inverse(const gw_fft *fft, const struct gw_complex *spectrum,
                    double *series);

/* Zeroed memory, aligned as the transforms want it; NULL if lacking. Every
   array above comes from here. */
void *gw_fft_alloc(size_t n, size_t size);
void gw_fft_free(void *memory);

#endif
