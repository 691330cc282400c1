/* whiten.c - median Welch estimate, truncated inverse spectrum (both as in
   Allen and others, FINDCHIRP, Phys. Rev. D 85, 122006, 2012), high-pass. Four
   Fourier transforms of 32 s and fifteen of a segment. */
#include "whiten.h"

#include <math.h>
#include <string.h>

#include "window.h"

#define FIRST_OUT 25600           /* sample at 12.5 s */
#define SCALE (GW_RATE / GW_LONG) /* spectrum per Hz -> unscaled -> series */

static void init_highpass(struct gw_whiten *whiten)
{
    double taps[GW_HIGHPASS_REACH + 1];

    /* Symmetric taps around sample 0: the response is real, without delay. */
    gw_highpass_taps(taps);
    memset(whiten->series, 0, GW_LONG * sizeof *whiten->series);
    whiten->series[0] = taps[0];
    for (size_t m = 1; m <= GW_HIGHPASS_REACH; m++)
        whiten->series[m] = whiten->series[GW_LONG - m] = taps[m];
    gw_fft_forward(whiten->whole, whiten->series, whiten->work);
    for (size_t k = 0; k < GW_LONG_BINS; k++)
        whiten->highpass[k] = whiten->work[k].re;
}

int gw_whiten_init(struct gw_whiten *whiten)
{
    *whiten = (struct gw_whiten){
        .whole = gw_fft_create(GW_LONG),
        .part = gw_fft_create(GW_SEGMENT),
        .window = gw_fft_alloc(GW_SEGMENT, sizeof(double)),
        .highpass = gw_fft_alloc(GW_LONG_BINS, sizeof(double)),
        .series = gw_fft_alloc(GW_LONG, sizeof(double)),
        .piece = gw_fft_alloc(GW_SEGMENT, sizeof(double)),
        .power = gw_fft_alloc(GW_SEGMENTS * GW_ROW, sizeof(double)),
        .density = gw_fft_alloc(GW_SEGMENT_BINS, sizeof(double)),
        .filter = gw_fft_alloc(GW_LONG_BINS, sizeof(double)),
        .work = gw_fft_alloc(GW_LONG_BINS, sizeof(struct gw_complex)),
    };
    if (!whiten->whole || !whiten->part || !whiten->window ||
        !whiten->highpass || !whiten->series || !whiten->piece ||
        !whiten->power || !whiten->density || !whiten->filter || !whiten->work)
        return 0;

    gw_hann(GW_SEGMENT, whiten->window);
    for (size_t j = 0; j < GW_SEGMENT; j++)
        whiten->window_power += whiten->window[j] * whiten->window[j];
    init_highpass(whiten);
    return 1;
}

void gw_whiten_clear(struct gw_whiten *whiten)
{
    gw_fft_free(whiten->work);
    gw_fft_free(whiten->filter);
    gw_fft_free(whiten->density);
    gw_fft_free(whiten->power);
    gw_fft_free(whiten->piece);
    gw_fft_free(whiten->series);
    gw_fft_free(whiten->highpass);
    gw_fft_free(whiten->window);
    gw_fft_destroy(whiten->part);
    gw_fft_destroy(whiten->whole);
}

static void exchange(double *restrict low, double *restrict high)
{
    for (size_t i = 0; i < GW_BLOCK; i++) {
        double a = low[i], b = high[i];

        low[i] = a < b ? a : b;
        high[i] = a > b ? a : b;
    }
}

/* Sort the columns of one block by Batcher's merge-exchange network: the order
   of comparisons does not depend on the data, so whole vectors go through. */
static void sort_block(double *rows)
{
    const size_t n = GW_SEGMENTS;

    for (size_t p = 1; p < n; p *= 2)
        for (size_t k = p; k >= 1; k /= 2)
            for (size_t j = k % p; j + k < n; j += 2 * k)
                for (size_t i = j; i < j + k && i + k < n; i++)
                    if (i / (2 * p) == (i + k) / (2 * p))
                        exchange(rows + i * GW_ROW, rows + (i + k) * GW_ROW);
}

const double *gw_medians(double *rows)
{
    for (size_t first = 0; first < GW_ROW; first += GW_BLOCK)
        sort_block(rows + first);
    return rows + GW_SEGMENTS / 2 * GW_ROW;
}

/* Median of the periodograms of half-overlapping windowed segments, corrected
   for the median's bias 1 + sum_{i=1..7} [1/(2i+1) - 1/(2i)]. */
void gw_whiten_estimate(struct gw_whiten *whiten,
                        const struct gw_complex *spectrum)
{
    const double bias = 0.7253718503718505;
    double scale = SCALE * SCALE * 2 / (bias * GW_RATE * whiten->window_power);

    gw_fft_inverse(whiten->whole, spectrum, whiten->series);
    for (size_t s = 0; s < GW_SEGMENTS; s++) {
        const double *from = whiten->series + s * GW_SEGMENT / 2;
        double *power = whiten->power + s * GW_ROW;

        for (size_t j = 0; j < GW_SEGMENT; j++)
            whiten->piece[j] = whiten->window[j] * from[j];
        gw_fft_forward(whiten->part, whiten->piece, whiten->work);
        for (size_t k = 0; k < GW_SEGMENT_BINS; k++)
            power[k] = whiten->work[k].re * whiten->work[k].re +
                       whiten->work[k].im * whiten->work[k].im;
        power[0] /= 2;
        power[GW_SEGMENT_BINS - 1] /= 2;
    }

    const double *median = gw_medians(whiten->power);

    for (size_t k = 0; k < GW_SEGMENT_BINS; k++)
        whiten->density[k] = median[k] * scale;
}

/* The gain density^(-1/2), smoothed so that the filter is 4 s long: cut and
   windowed in the time domain. The two halves of the window meet half a sample
   off the middle, as in the reference. */
void gw_whiten_design(struct gw_whiten *whiten)
{
    enum { FINER = (GW_LONG_BINS - 1) / (GW_SEGMENT_BINS - 1) };
    const size_t half = GW_SEGMENT / 2;
    double *series = whiten->series, *window = whiten->window;
    struct gw_complex *work = whiten->work;

    for (size_t i = 0; i + 1 < GW_SEGMENT_BINS; i++) {
        double here = whiten->density[i];
        double rise = (whiten->density[i + 1] - here) / FINER;

        for (size_t j = 0; j < FINER; j++)
            work[i * FINER + j] =
                (struct gw_complex){1 / sqrt(here + rise * (double)j), 0};
    }
    work[0].re = 0;
    work[GW_LONG_BINS - 1] = (struct gw_complex){0, 0};
    gw_fft_inverse(whiten->whole, work, series);

    for (size_t j = 0; j < half; j++) {
        series[j] *= window[half + j];
        series[GW_LONG - half + j] *= window[j];
    }
    memset(series + half, 0, (GW_LONG - GW_SEGMENT) * sizeof *series);
    gw_fft_forward(whiten->whole, series, work);
    for (size_t k = 0; k < GW_LONG_BINS; k++)
        whiten->filter[k] =
            sqrt(work[k].re * work[k].re + work[k].im * work[k].im) / GW_LONG;
}

void gw_whiten_apply(struct gw_whiten *whiten,
                     const struct gw_complex *spectrum, double *out)
{
    for (size_t k = 0; k < GW_LONG_BINS; k++) {
        double gain = whiten->filter[k] * whiten->highpass[k];

        whiten->work[k] =
            (struct gw_complex){gain * spectrum[k].re, gain * spectrum[k].im};
    }
    gw_fft_inverse(whiten->whole, whiten->work, whiten->series);
    for (size_t j = 0; j < GW_SAMPLES; j++)
        out[j] = whiten->series[FIRST_OUT + j] * SCALE;
}
