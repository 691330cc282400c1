/* chirp.c - start frequency, length and taper of the time-domain wave.

   What happens just below 20 Hz decides how the reference data look (see
   whiten.h), so its steps are followed one by one. */
#include "chirp.h"

#include <math.h>
#include <string.h>

#include "event.h"
#include "window.h"

/* The wave's end is taken at peak/mass^2 instead of the peak: a slip of units
   in the reference, kept because start frequencies depend on it. */
double gw_chirp_duration(const struct gw_phenom *wave, double f_hz)
{
    double end = wave->peak / (wave->mass * wave->mass);

    return wave->mass / (2 * GW_PI) *
           (gw_phase_slope(wave, end) -
            gw_phase_slope(wave, wave->mass * f_hz));
}

/* Lower the start until half as much time again lies before 20 Hz. The last
   step down comes after the last look at the duration. */
int gw_chirp_start(const struct gw_phenom *wave, struct gw_start *start)
{
    const double lowest = 4; /* Hz: below what any usable mass asks for */
    double wanted = 1.1 * gw_chirp_duration(wave, GW_LOW);
    double full = wanted, f = GW_LOW;

    while (full < 1.5 * wanted && f > lowest) {
        full = 1.1 * gw_chirp_duration(wave, f);
        f *= 0.99;
    }

    /* Also false for a duration that is not a number. */
    if (!(full <= GW_LONGEST))
        return 0;

    double samples = floor(1.5 * GW_RATE * (fmax(full, 0) + 0.3));

    start->f = f;
    start->n = GW_SHORT_MIN;
    while ((double)start->n < samples)
        start->n *= 2;
    return 1;
}

void gw_chirp_spectrum(const struct gw_phenom *wave,
                       const struct gw_start *start, double coalescence_phase,
                       struct gw_complex *spectrum)
{
    const double beta = 8;
    double step = GW_RATE / (double)start->n;
    size_t bins = start->n / 2 + 1;
    size_t first = (size_t)(start->f / step);
    size_t ramp = (size_t)((GW_LOW - start->f) / step);
    double end = floor(GW_PHENOM_END / (wave->mass * step));
    size_t last = end < (double)bins ? (size_t)end : bins;

    memset(spectrum, 0, bins * sizeof *spectrum);
    for (size_t k = first; k < last; k++) {
        struct gw_complex h =
            gw_phenom_strain(wave, (double)k * step, coalescence_phase);
        size_t j = k - first;
        double taper =
            j < ramp ? gw_kaiser(beta, (double)j / (double)ramp - 1) : 1;

        spectrum[k] = (struct gw_complex){taper * h.re, taper * h.im};
    }
    gw_delay(bins, -2 * GW_PI * step * GW_AFTER, spectrum);
}
