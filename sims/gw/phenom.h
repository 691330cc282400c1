/* phenom.h - the wave of two merging black holes with aligned spins.

   IMRPhenomD: S. Husa et al., Phys. Rev. D 93, 044006 (2016); S. Khan et al.,
   Phys. Rev. D 93, 044007 (2016). The model is written for a total mass of
   one: frequencies f are f_Hz times the total mass in seconds. */
#ifndef GW_PHENOM_H
#define GW_PHENOM_H

#include "constants.h"
#include "fit.h"
#include "qnm.h"

#define GW_PHENOM_END 0.2 /* the model is zero above this frequency */

struct gw_phenom {
    double mass; /* of both bodies, s */
    double eta;  /* m1 m2 / (m1 + m2)^2 */
    double diff; /* (m1 - m2) / (m1 + m2) >= 0: body 1 is the heavier */
    double chi1, chi2;
    double fit[GW_FITS];

    double final_spin, radiated;
    double ring, damp; /* of the remnant */
    double peak;       /* of the amplitude, where its last piece begins */

    double inspiral[10];     /* amplitude: powers of f^(1/3) */
    double between[5];       /* amplitude: powers of f */
    double pn[8], pn_log[8]; /* phase: powers of v, and those times ln v */
    double c1, c2, d1, d2;   /* phase: the joins of its pieces */
    double t0;               /* phase slope that puts the merger at time 0 */
};

/* Prepare the wave of two bodies with masses m1, m2 > 0 (solar) and spins
   within [-1, 1] along the orbital axis. The order of the bodies is free. */
void gw_phenom_init(struct gw_phenom *wave, const struct gw_qnm *qnm, double m1,
                    double m2, double spin1, double spin2);

/* Pieces of gw_phenom_init(), in this order; each fills its fields. */
void gw_amplitude_init(struct gw_phenom *wave);
void gw_phase_init(struct gw_phenom *wave);

/* Amplitude, phase and d phase / df at f > 0; third = cbrt(f). */
double gw_amplitude(const struct gw_phenom *wave, double f, double third);
double gw_phase(const struct gw_phenom *wave, double f, double third);
double gw_phase_slope(const struct gw_phenom *wave, double f);

/* The strain per Hz that a source at one light-second, seen face-on, has at
   the frequency f_hz > 0. */
struct gw_complex gw_phenom_strain(const struct gw_phenom *wave, double f_hz,
                                   double coalescence_phase);

#endif
