/* fft.c - FFTW behind five functions. */
#include "fft.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct gw_fft {
    fftw_plan forward, inverse;
};

/* FFTW's planner keeps tables of its own, which threads must not share. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

gw_fft *gw_fft_create(size_t n)
{
    gw_fft *fft = calloc(1, sizeof *fft);
    double *series = gw_fft_alloc(n, sizeof *series);
    fftw_complex *spectrum = gw_fft_alloc(n / 2 + 1, sizeof *spectrum);

    if (fft && series && spectrum) {
        /* FFTW_ESTIMATE takes no timings, which would choose other algorithms,
           hence other roundings, in other runs. */
        pthread_mutex_lock(&planner);
        fft->forward =
            fftw_plan_dft_r2c_1d((int)n, series, spectrum, FFTW_ESTIMATE);
        fft->inverse = fftw_plan_dft_c2r_1d(
            (int)n, spectrum, series, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
        pthread_mutex_unlock(&planner);
    }
    gw_fft_free(series);
    gw_fft_free(spectrum);
    if (!fft || !fft->forward || !fft->inverse) {
        gw_fft_destroy(fft);
        return NULL;
    }
    return fft;
}

void gw_fft_destroy(gw_fft *fft)
{
    if (!fft)
        return;
    pthread_mutex_lock(&planner);
    if (fft->forward)
        fftw_destroy_plan(fft->forward);
    if (fft->inverse)
        fftw_destroy_plan(fft->inverse);
    pthread_mutex_unlock(&planner);
    free(fft);
}

void gw_fft_forward(const gw_fft *fft, const double *series,
                    struct gw_complex *spectrum)
{
    fftw_execute_dft_r2c(fft->forward, (double *)series,
                         (fftw_complex *)spectrum);
}

void gw_fft_inverse(const gw_fft *fft, const struct gw_complex *spectrum,
                    double *series)
{
    fftw_execute_dft_c2r(fft->inverse, (fftw_complex *)spectrum, series);
}

void *gw_fft_alloc(size_t n, size_t size)
{
    void *memory = fftw_malloc(n * size);

    return memory ? memset(memory, 0, n * size) : NULL;
}

void gw_fft_free(void *memory)
{
    fftw_free(memory);
}
