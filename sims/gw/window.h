/* window.h - tapers and the high-pass filter. */
#ifndef GW_WINDOW_H
#define GW_WINDOW_H

#include <stddef.h>

#define GW_HIGHPASS_REACH 512 /* taps on either side of the middle */

/* Kaiser window at -1 <= x <= 1: I0(beta sqrt(1 - x^2)) / I0(beta). */
double gw_kaiser(double beta, double x);

/* Symmetric Hann window, zero at both ends. */
void gw_hann(size_t n, double *window);

/* Taps of a linear-phase high-pass at 20 Hz, from the middle one outwards;
   the other half is its mirror image. The gain is 1 at the highest frequency.
 */
void gw_highpass_taps(double taps[GW_HIGHPASS_REACH + 1]);

#endif
