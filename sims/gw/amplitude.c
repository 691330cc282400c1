/* amplitude.c - amplitude of the wave: a post-Newtonian series with fitted
   terms, a polynomial between, and a ring-down in the shape of a resonance. */
#include <math.h>

#include "phenom.h"

#define JOIN 0.014 /* where the inspiral ends */

/* Coefficients of f^(k/3). */
static void inspiral_series(struct gw_phenom *wave)
{
    double eta = wave->eta, d = wave->diff;
    double chi1 = wave->chi1, chi2 = wave->chi2;
    double both = chi1 * chi1 + chi2 * chi2, mixed = chi1 * chi2;
    double heavy = chi1 * (1 + d) + chi2 * (1 - d);
    double heavy2 = chi1 * chi1 * (1 + d) + chi2 * chi2 * (1 - d);
    double root = cbrt(GW_PI);
    double *c = wave->inspiral;

    c[0] = 1;
    c[1] = 0;
    c[2] = root * root * (-969 + 1804 * eta) / 672;
    c[3] =
        GW_PI / 48 *
        (chi1 * (81 * (1 + d) - 44 * eta) + chi2 * (81 * (1 - d) - 44 * eta));
    c[4] = GW_PI * root / 8128512 *
           (-27312085 - 10287648 * heavy2 +
            24 * eta * (-1975055 + 857304 * both - 994896 * mixed) +
            35371056 * eta * eta);
    c[5] = GW_PI * root * root / 32256 *
           (chi1 * (285197 * (1 + d) - 4 * (91902 + 1579 * d) * eta -
                    35632 * eta * eta) +
            chi2 * (285197 * (1 - d) - 4 * (91902 - 1579 * d) * eta -
                    35632 * eta * eta) +
            42840 * GW_PI * (4 * eta - 1));
    c[6] = -GW_PI * GW_PI / 60085960704.0 *
           (-336 * eta * eta *
                (-3248849057.0 + 2943675504.0 * both - 3339284256.0 * mixed) -
            324322727232.0 * eta * eta * eta -
            7 * (-177520268561.0 + 107414046432.0 * heavy2 +
                 11087290368.0 * GW_PI * heavy) +
            12 * eta *
                (-545384828789.0 - 176491177632.0 * mixed +
                 77616 * (chi1 * chi1 * (2610335 + 995766 * d) +
                          chi2 * chi2 * (2610335 - 995766 * d)) +
                 5841690624.0 * GW_PI * (chi1 + chi2) +
                 21384760320.0 * GW_PI * GW_PI));
    c[7] = wave->fit[GW_RHO1];
    c[8] = wave->fit[GW_RHO2];
    c[9] = wave->fit[GW_RHO3];
}

static double inspiral(const struct gw_phenom *wave, double third)
{
    double sum = 0;

    for (int k = 9; k >= 0; k--)
        sum = sum * third + wave->inspiral[k];
    return sum;
}

static double inspiral_slope(const struct gw_phenom *wave, double f)
{
    double third = cbrt(f), sum = 0;

    for (int k = 9; k >= 1; k--)
        sum = sum * third + k * wave->inspiral[k];
    return sum * third / (3 * f);
}

static double ringdown(const struct gw_phenom *wave, double f)
{
    const double *fit = wave->fit;
    double w = fit[GW_GAMMA3] * wave->damp, u = f - wave->ring;

    return fit[GW_GAMMA1] * w / (u * u + w * w) * exp(-fit[GW_GAMMA2] * u / w);
}

static double ringdown_slope(const struct gw_phenom *wave, double f)
{
    double w = wave->fit[GW_GAMMA3] * wave->damp, u = f - wave->ring;

    return -ringdown(wave, f) *
           (2 * u / (u * u + w * w) + wave->fit[GW_GAMMA2] / w);
}

/* Where the ring-down shape is largest. High aligned spins have gamma2 > 1, no
   maximum, and take the value of the limit gamma2 = 1. */
static double ringdown_peak(const struct gw_phenom *wave)
{
    double w = wave->fit[GW_GAMMA3] * wave->damp, g = wave->fit[GW_GAMMA2];
    double root = g > 1 ? 0 : sqrt(1 - g * g);

    return fabs(wave->ring + w * (root - 1) / g);
}

/* Solve the rows [a | b] by elimination with pivoting; the result replaces
   the last column. */
static void solve(double a[5][6])
{
    for (int col = 0; col < 5; col++) {
        int best = col;

        for (int i = col + 1; i < 5; i++)
            if (fabs(a[i][col]) > fabs(a[best][col]))
                best = i;
        for (int j = 0; j < 6; j++) {
            double keep = a[col][j];

            a[col][j] = a[best][j];
            a[best][j] = keep;
        }
        for (int i = 0; i < 5; i++) {
            double factor = i == col ? 0 : a[i][col] / a[col][col];

            for (int j = col; j < 6; j++)
                a[i][j] -= factor * a[col][j];
        }
    }
    for (int i = 0; i < 5; i++)
        a[i][5] /= a[i][i];
}

/* The polynomial with the values and slopes of its neighbours at both ends and
   the fitted value v2 in the middle. */
static void join(struct gw_phenom *wave)
{
    double last = wave->peak, middle = (JOIN + last) / 2;
    const double at[5] = {JOIN, JOIN, middle, last, last};
    const int slope[5] = {0, 1, 0, 0, 1};
    const double value[5] = {inspiral(wave, cbrt(JOIN)),
                             inspiral_slope(wave, JOIN), wave->fit[GW_V2],
                             ringdown(wave, last), ringdown_slope(wave, last)};
    double rows[5][6];

    for (int i = 0; i < 5; i++) {
        double f = at[i];
        const double power[5] = {1, f, f * f, f * f * f, f * f * f * f};

        for (int j = 0; j < 5; j++)
            rows[i][j] = slope[i] ? (j > 0 ? j * power[j - 1] : 0) : power[j];
        rows[i][5] = value[i];
    }
    solve(rows);
    for (int i = 0; i < 5; i++)
        wave->between[i] = rows[i][5];
}

void gw_amplitude_init(struct gw_phenom *wave)
{
    inspiral_series(wave);
    wave->peak = ringdown_peak(wave);
    join(wave);
}

/* A(f) = sqrt(2 eta/3) pi^(-1/6) f^(-7/6) a(f), with a(f) in three pieces. */
double gw_amplitude(const struct gw_phenom *wave, double f, double third)
{
    const double *delta = wave->between;
    double shape;

    if (f < JOIN)
        shape = inspiral(wave, third);
    else if (f < wave->peak)
        shape = delta[0] +
                f * (delta[1] + f * (delta[2] + f * (delta[3] + f * delta[4])));
    else
        shape = ringdown(wave, f);
    return sqrt(2 * wave->eta / (3 * third * cbrt(GW_PI))) / f * shape;
}
