/* noise.c - the design curve, from its parts: light and mirrors.

   The quantum part follows A. Buonanno and Y. Chen, Phys. Rev. D 64, 042006
   (2001), to first order in the losses. */
#include "noise.h"

#include <complex.h>
#include <math.h>

#include "constants.h"

#define ARM 3995.0          /* length, m */
#define MIRROR 40.0         /* mass, kg */
#define POWER 125.0         /* laser, W */
#define WAVELENGTH 1.064e-6 /* m */
#define MIRROR_LOSS 37.5e-6
#define SPLITTER_LOSS 0.002
#define INPUT_TRANSMISSION 0.014
#define POWER_RECYCLING 0.027
#define SIGNAL_RECYCLING 0.2
#define PHOTODIODE 0.9    /* efficiency */
#define READOUT 116.0     /* angle, degrees */
#define TEMPERATURE 290.0 /* K */
#define BOLTZMANN 1.380649e-23
#define HBAR 1.054571817646156e-34

static double square(double x)
{
    return x * x;
}

static double modulus2(double complex z)
{
    return square(creal(z)) + square(cimag(z));
}

/* Ratio of laser power at the beam splitter to the power that reaches the
   standard quantum limit, for an arm of half-bandwidth g. */
static double relative_power(double g)
{
    double r = sqrt(1 - INPUT_TRANSMISSION), end = sqrt(1 - 2 * MIRROR_LOSS);
    double arm = r - INPUT_TRANSMISSION * end / (1 - r * end);
    double gain = POWER_RECYCLING / square(1 + sqrt(1 - POWER_RECYCLING) * arm *
                                                   sqrt(1 - SPLITTER_LOSS));
    double limit = MIRROR * square(ARM) * square(square(g)) /
                   (4 * 2 * GW_PI * GW_LIGHT_SPEED / WAVELENGTH);

    return gain * POWER / limit;
}

/* Symbols as in the paper: K couples the light's amplitude to its phase, C
   and D carry the vacuum from the dark port and the signal, P, Q, N the vacuum
   from the losses of beam splitter, photodiode and arms. */
static double quantum(double f)
{
    const double b = SPLITTER_LOSS, ts = SIGNAL_RECYCLING, e = PHOTODIODE;
    double omega = 2 * GW_PI * f;
    double rho = sqrt(1 - ts), one = 1 + rho * rho;
    double g = INPUT_TRANSMISSION * GW_LIGHT_SPEED / (4 * ARM);
    double eps = MIRROR_LOSS * GW_LIGHT_SPEED / (g * ARM);
    double K = 2 * relative_power(g) * square(square(g)) /
               (square(omega) * (square(g) + square(omega)));
    double beta = atan(omega / g), cosine = cos(beta), twice = cos(2 * beta);
    double complex E = cexp(2 * I * beta);
    double limit = 8 * HBAR / (MIRROR * square(omega * ARM));
    double sz = sin(READOUT * GW_PI / 180), cz = cos(READOUT * GW_PI / 180);

    double complex c_diag =
        -one - 2 * rho * twice +
        eps / 4 * (2 * rho * (1 + E) * (1 + E) + 4 * one * square(cosine)) +
        b * (rho * E + one / 2);
    double complex c_off = ts * K * (-1 + eps / 2 * (3 + E) + b / 2);
    double complex signal =
        -(1 + rho * E) +
        eps / 4 * (3 + rho + 2 * rho * E * E + E * (1 + 5 * rho)) +
        b / 2 * rho * E;
    double complex p_diag = -sqrt(b * ts) * (1 + rho * E);
    double p_off = -sqrt(b * ts) * K;
    double complex q =
        conj(E) + rho * rho * E + 2 * rho -
        eps * rho / 2 * (conj(E) + E * (1 + 2 * rho + 2 * rho * twice) + 2) -
        b * rho * (1 + rho * E);
    double complex arms = cosine * (cexp(-I * beta) + rho * cexp(I * beta));
    double n_11 = sqrt(eps * ts / 2) * K * (1 - rho);
    double complex n_22 = -sqrt(2 * eps * ts) * arms;
    double complex n_21 = 2 * cosine * sqrt(2 * eps * ts) * arms;

    double vacuum = modulus2(c_diag * sz) + modulus2(c_off * sz + c_diag * cz) +
                    modulus2(p_diag * sz) + modulus2(p_off * sz + p_diag * cz) +
                    modulus2(n_11 * sz + n_21 * cz) + modulus2(n_22 * sz);

    return limit / (2 * K * ts * e * modulus2(signal * sz)) *
           (e * vacuum + (1 - e) * modulus2(q));
}

/* Brownian motion of a resonance f0 with quality q, seen `power` above it. */
static double thermal(double f, double f0, double q, int power)
{
    return 2 * BOLTZMANN * TEMPERATURE /
           (square(ARM) * MIRROR * q * pow(GW_PI * f0, 3)) * pow(f0 / f, power);
}

double gw_noise_density(double f)
{
    return quantum(f) + thermal(f, 9, 6e10, 5) + thermal(f, 1e4, 6e6, 1);
}
