/* window.c - tapers and the high-pass filter. */
#include "window.h"

#include <math.h>

#include "constants.h"

/* Modified Bessel function I0 by its power series; all terms are positive. */
static double bessel_i0(double x)
{
    double term = 1, sum = 1;

    for (int k = 1; term > sum * 1e-17; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

double gw_kaiser(double beta, double x)
{
    return bessel_i0(beta * sqrt(1 - x * x)) / bessel_i0(beta);
}

void gw_hann(size_t n, double *window)
{
    for (size_t j = 0; j < n; j++)
        window[j] = (1 - cos(2 * GW_PI * (double)j / (double)(n - 1))) / 2;
}

void gw_highpass_taps(double taps[GW_HIGHPASS_REACH + 1])
{
    const double edge = GW_LOW / (GW_RATE / 2), beta = 5;
    double gain = 0;

    for (int m = 0; m <= GW_HIGHPASS_REACH; m++) {
        double ideal = m == 0 ? 1 - edge : -sin(GW_PI * edge * m) / (GW_PI * m);

        taps[m] = ideal * gw_kaiser(beta, m / (double)GW_HIGHPASS_REACH);
        gain += (m == 0 ? 1 : 2) * (m % 2 == 0 ? 1 : -1) * taps[m];
    }
    for (int m = 0; m <= GW_HIGHPASS_REACH; m++)
        taps[m] /= gain;
}
