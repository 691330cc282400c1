/* supernovae.c - 40 binned supernovae of type Ia in a flat universe with dark
   energy of constant equation of state w.

     m(z) = 5 log10 d(z) + M,   d(z) = (1 + z) int_0^z du / E(u),
     E(z)^2 = Omega_m (1 + z)^3 + (1 - Omega_m) (1 + z)^(3 (1 + w))

   Magnitudes have normal errors with the statistical and systematic covariance
   of the data; M, which holds the Hubble constant and the absolute magnitude, is
   a nuisance. */
#include <bnre/plugin.h>
#include <math.h>
#include <stddef.h>

#include "pantheon.h"

static const double LOWEST = 23.6, HIGHEST = 24.1; /* of M */

/* Cholesky factor of the covariance, row after row. */
static void factorise(double l[BINS][BINS])
{
    for (size_t i = 0; i < BINS; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = systematic[i][j];

            if (i == j)
                sum += deviation[i] * deviation[i];
            for (size_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
}

static double rate(double z, const double *theta)
{
    return 1 / sqrt(theta[0] * pow(1 + z, 3) +
                    (1 - theta[0]) * pow(1 + z, 3 * (1 + theta[1])));
}

/* 5 log10 d(z) of all bins: Simpson's rule from bin to bin. */
static void distances(const double *theta, double *mu)
{
    enum { PARTS = 4 };
    double sum = 0, from = 0;

    for (size_t i = 0; i < BINS; i++) {
        const double h = (redshift[i] - from) / PARTS;

        for (size_t k = 0; k < PARTS; k++)
            sum += h / 6 *
                   (rate(from + (double)k * h, theta) +
                    4 * rate(from + ((double)k + 0.5) * h, theta) +
                    rate(from + ((double)k + 1) * h, theta));
        from = redshift[i];
        mu[i] = 5 * log10((1 + redshift[i]) * sum);
    }
}

static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    double l[BINS][BINS], noise[BINS];

    (void)state, (void)reason;
    factorise(l);
    distances(theta, x);
    for (size_t i = 0; i < BINS; i++) {
        noise[i] = bnre_rng_normal(rng);
        x[i] += nuisance[0];
        for (size_t k = 0; k <= i; k++)
            x[i] += l[i][k] * noise[k];
    }
    return BNRE_DRAW_OK;
}

/* Whiten r in place: the solution of L y = r. */
static void whiten(double l[BINS][BINS], double *r)
{
    for (size_t i = 0; i < BINS; i++) {
        for (size_t k = 0; k < i; k++)
            r[i] -= l[i][k] * r[k];
        r[i] /= l[i][i];
    }
}

/* M is integrated out: a Gaussian integral between its bounds. */
static double log_likelihood(void *state, const double *theta, const double *x)
{
    double l[BINS][BINS], r[BINS], one[BINS], log_det = 0;
    double rr = 0, ro = 0, oo = 0, mean, sd;

    (void)state;
    factorise(l);
    distances(theta, r);
    for (size_t i = 0; i < BINS; i++) {
        r[i] = x[i] - r[i];
        one[i] = 1;
        log_det += log(l[i][i]);
    }
    whiten(l, r);
    whiten(l, one);
    for (size_t i = 0; i < BINS; i++) {
        rr += r[i] * r[i];
        ro += r[i] * one[i];
        oo += one[i] * one[i];
    }
    mean = ro / oo;
    sd = 1 / sqrt(oo);
    return -0.5 * (rr - ro * mean) - log_det -
           0.5 * (BINS - 1) * log(2 * acos(-1.0)) + log(sd) +
           log(0.5 * (erf((HIGHEST - mean) / (sd * sqrt(2))) -
                      erf((LOWEST - mean) / (sd * sqrt(2))))) -
           log(HIGHEST - LOWEST);
}

BNRE_API const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "supernovae",
    .title = "flat cosmology from binned supernovae",
    .reference = "Scolnic et al. 2018, The Astrophysical Journal 859:101",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"Omega_m", "uniform(0.05, 0.6)", NULL},
            {"w", "uniform(-2, -0.3)", NULL},
            {0},
        },
    .nuisance =
        (const bnre_plugin_parameter[]){
            {"M", "uniform(23.6, 24.1)", NULL},
            {0},
        },
    .observable = "40",
    .draw = draw,
    .log_likelihood = log_likelihood,
};
