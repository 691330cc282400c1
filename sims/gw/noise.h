/* noise.h - the noise of the detectors. */
#ifndef GW_NOISE_H
#define GW_NOISE_H

/* Advanced LIGO's design curve (zero detuning, high laser power): strain noise
   power per Hz, one-sided, at f > 0 Hz. */
double gw_noise_density(double f);

#endif
