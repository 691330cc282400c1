/* event.c - from the wave at the source to the wave at a detector. */
#include "event.h"

#include <math.h>

static struct gw_complex product(struct gw_complex a, struct gw_complex b)
{
    return (struct gw_complex){a.re * b.re - a.im * b.im,
                               a.re * b.im + a.im * b.re};
}

/* h_plus = (1 + cos^2)/2 h and h_cross = -i cos h, each heard with its own
   antenna factor. */
struct gw_complex gw_event_project(const struct gw_event *event,
                                   const struct gw_hearing *hearing)
{
    double c = event->cos_inclination, r = event->distance * GW_MEGAPARSEC;

    return (struct gw_complex){hearing->plus * (1 + c * c) / 2 / r,
                               -hearing->cross * c / r};
}

void gw_scale(size_t n, struct gw_complex factor, const struct gw_complex *in,
              struct gw_complex *out)
{
    for (size_t k = 0; k < n; k++)
        out[k] = product(factor, in[k]);
}

/* Two tables replace most sines and cosines: k = block * i + j gives
   exp(-i k angle) as a product of two entries, with no error piling up. */
void gw_delay(size_t n, double angle, struct gw_complex *spectrum)
{
    enum { BLOCK = 256 };
    struct gw_complex fine[BLOCK];

    for (size_t j = 0; j < BLOCK; j++) {
        double a = angle * (double)j;

        fine[j] = (struct gw_complex){cos(a), -sin(a)};
    }
    for (size_t k = 0; k < n; k += BLOCK) {
        double a = angle * (double)k;
        struct gw_complex coarse = {cos(a), -sin(a)};
        size_t last = n - k < BLOCK ? n - k : BLOCK;

        for (size_t j = 0; j < last; j++)
            spectrum[k + j] =
                product(spectrum[k + j], product(coarse, fine[j]));
    }
}
