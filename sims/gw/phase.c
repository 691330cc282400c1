/* phase.c - phase of the wave: a post-Newtonian series with fitted terms, and
   two fitted pieces joined to it with continuous value and slope. */
#include <math.h>

#include "phenom.h"

#define JOIN                                                                   \
    0.018 /* where the inspiral ends; the ring-down begins at ring/2           \
           */

/* The 3.5PN series of bodies without spin. */
static void orbit_terms(double eta, double p[8], double q[8])
{
    const double euler = 0.5772156649015329;

    p[0] = 1;
    p[1] = 0;
    p[2] = 3715 / 756.0 + 55 * eta / 9;
    p[3] = -16 * GW_PI;
    p[4] = 15293365 / 508032.0 + 27145 * eta / 504 + 3085 * eta * eta / 72;
    p[5] = GW_PI * (38645 / 756.0 - 65 * eta / 9);
    p[6] = 11583231236531 / 4694215680.0 - 640 * GW_PI * GW_PI / 3 -
           6848 / 21.0 * (euler + log(4)) +
           eta * (-15737765635 / 3048192.0 + 2255 * GW_PI * GW_PI / 12) +
           76055 * eta * eta / 1728 - 127825 * eta * eta * eta / 1296;
    p[7] = GW_PI * (77096675 / 254016.0 + 378515 * eta / 1512 -
                    74045 * eta * eta / 756);
    for (int k = 0; k < 8; k++)
        q[k] = 0;
    q[5] = 3 * p[5];
    q[6] = -6848 / 21.0;
}

/* What the spin chi of a body with the fraction x of the mass adds. */
static void spin_terms(double x, double chi, double p[8], double q[8])
{
    double y = x * (1 - x);
    double five =
        -chi * x *
        (13915 / 84.0 - 10 * y / 3 + x * (12760 / 81.0 + 170 * y / 9));

    p[3] += chi * x * (25 + 38 * x / 3);
    p[4] += -405 / 8.0 * x * x * chi * chi;
    p[5] += five;
    q[5] += 3 * five;
    p[6] += GW_PI * chi * x * (1490 / 3.0 + 260 * x);
    p[7] +=
        chi * x *
        (-170978035 / 48384.0 + 2876425 * y / 672 + 4735 * y * y / 144 +
         x * (-7189233785 / 1524096.0 + 458555 * y / 3024 - 5345 * y * y / 72));
}

/* No 3PN spin-spin term: the calibration did not have it. */
static void series(struct gw_phenom *wave)
{
    double *p = wave->pn, *q = wave->pn_log;
    double scale = 3 / (128 * wave->eta);

    orbit_terms(wave->eta, p, q);
    spin_terms((1 + wave->diff) / 2, wave->chi1, p, q);
    spin_terms((1 - wave->diff) / 2, wave->chi2, p, q);
    p[4] += -395 / 4.0 * wave->eta * wave->chi1 * wave->chi2;
    for (int k = 0; k < 8; k++) {
        p[k] *= scale;
        q[k] *= scale;
    }
}

/* The series is in powers of v = (pi f)^(1/3), from v^-5 on. */
static double inspiral(const struct gw_phenom *wave, double f, double third)
{
    const double *sigma = wave->fit + GW_SIGMA1;
    double v = third * cbrt(GW_PI), log_v = log(GW_PI * f) / 3, sum = 0;

    for (int k = 7; k >= 0; k--)
        sum = sum * v + wave->pn[k] + wave->pn_log[k] * log_v;
    sum /= v * v * GW_PI * f;
    return -GW_PI / 4 + sum +
           f / wave->eta *
               (sigma[0] +
                third * (0.75 * sigma[1] +
                         third * (0.6 * sigma[2] + third * 0.5 * sigma[3])));
}

static double inspiral_slope(const struct gw_phenom *wave, double f)
{
    const double *sigma = wave->fit + GW_SIGMA1;
    double third = cbrt(f), sum = 0;
    double v = third * cbrt(GW_PI), log_v = log(GW_PI * f) / 3;

    for (int k = 7; k >= 0; k--)
        sum = sum * v + (k - 5) * (wave->pn[k] + wave->pn_log[k] * log_v) +
              wave->pn_log[k];
    sum *= GW_PI / (3 * v * v * GW_PI * f * GW_PI * f);
    return sum + (sigma[0] +
                  third * (sigma[1] + third * (sigma[2] + third * sigma[3]))) /
                     wave->eta;
}

static double middle(const struct gw_phenom *wave, double f)
{
    const double *beta = wave->fit + GW_BETA1;

    return (beta[0] * f + beta[1] * log(f) - beta[2] / (3 * f * f * f)) /
           wave->eta;
}

static double middle_slope(const struct gw_phenom *wave, double f)
{
    const double *beta = wave->fit + GW_BETA1;

    return (beta[0] + beta[1] / f + beta[2] / (f * f * f * f)) / wave->eta;
}

static double ringdown(const struct gw_phenom *wave, double f)
{
    const double *alpha = wave->fit + GW_ALPHA1;

    return (alpha[0] * f - alpha[1] / f +
            4 / 3.0 * alpha[2] * sqrt(f * sqrt(f)) +
            alpha[3] * atan((f - alpha[4] * wave->ring) / wave->damp)) /
           wave->eta;
}

static double ringdown_slope(const struct gw_phenom *wave, double f)
{
    const double *alpha = wave->fit + GW_ALPHA1;
    double u = (f - alpha[4] * wave->ring) / wave->damp;

    return (alpha[0] + alpha[1] / (f * f) + alpha[2] / sqrt(sqrt(f)) +
            alpha[3] / (wave->damp * (1 + u * u))) /
           wave->eta;
}

void gw_phase_init(struct gw_phenom *wave)
{
    double a = JOIN, b = wave->ring / 2;

    series(wave);
    wave->c2 = inspiral_slope(wave, a) - middle_slope(wave, a);
    wave->c1 = inspiral(wave, a, cbrt(a)) - middle(wave, a) - wave->c2 * a;
    wave->d2 = wave->c2 + middle_slope(wave, b) - ringdown_slope(wave, b);
    wave->d1 = wave->c1 + wave->c2 * b + middle(wave, b) - ringdown(wave, b) -
               wave->d2 * b;
    wave->t0 = ringdown_slope(wave, wave->ring) + wave->d2;
}

double gw_phase(const struct gw_phenom *wave, double f, double third)
{
    if (f < JOIN)
        return inspiral(wave, f, third);
    if (f < wave->ring / 2)
        return middle(wave, f) + wave->c1 + wave->c2 * f;
    return ringdown(wave, f) + wave->d1 + wave->d2 * f;
}

double gw_phase_slope(const struct gw_phenom *wave, double f)
{
    if (f < JOIN)
        return inspiral_slope(wave, f);
    if (f < wave->ring / 2)
        return middle_slope(wave, f) + wave->c2;
    return ringdown_slope(wave, f) + wave->d2;
}
