/* conv1d_ref.c - what the kernels of conv1d.h compute, plainly. Built twice,
   for both numbers of observations that may lie side by side. */
#include "num/conv1d.h"

#include <math.h>

#include "num/kernel_sets.h"

#ifndef BNRE_REF_SIDE
#define BNRE_REF_SIDE 8
#define BNRE_REF_NAME bnre__conv1d_ref
#endif

enum { SIDE = BNRE_REF_SIDE, QUAD = BNRE__QUAD };

static float apply(bnre__activation activation, float slope, float x)
{
    float y;

    bnre__kernels_ref.activate(activation, slope, 1, &x, &y);
    return y;
}

/* The sum for output `o` of observation `s` at the i-th position of a tile. */
static double sum_of(const bnre__conv1d *job, const bnre__tile1d *tile,
                     size_t i, size_t o, size_t s)
{
    const uint32_t *list = job->list + tile->at + tile->count;
    const float *w = job->w + o / QUAD * job->rows * QUAD + o % QUAD;
    double sum = job->bias == NULL ? 0 : (double)job->bias[o];

    for (size_t t = 0; t < tile->terms; t++, list += 2 + tile->count)
        for (size_t k = 0; k < list[1]; k++)
            sum += (double)w[(list[0] + k) * QUAD] *
                   (double)job->x[list[2 + i] + k * SIDE + s];
    return sum;
}

static void conv_ref(const bnre__conv1d *job, size_t first, size_t last)
{
    for (size_t t = first; t < last; t++) {
        const bnre__tile1d *tile = &job->tile[t];

        for (size_t i = 0; i < tile->count; i++)
            for (size_t o = 0; o < job->quads * QUAD; o++)
                for (size_t s = 0; s < SIDE; s++) {
                    const size_t at = job->list[tile->at + i] + o * SIDE + s;
                    const float sum = (float)sum_of(job, tile, i, o, s);

                    job->y[at] = job->derivative == NULL
                                     ? apply(job->activation, job->slope, sum)
                                     : sum * bnre__derivative_ref(
                                                 job->activation, job->slope,
                                                 job->derivative[at]);
                }
    }
}

static void gradient_ref(const bnre__gradient1d *job, size_t n)
{
    for (size_t o = 0; o < job->quads * QUAD; o++)
        for (size_t s = 0; s < SIDE; s++) {
            const float *dz = job->dz + o * SIDE + s;
            double bias = 0;

            for (size_t p = 0; p < n; p++)
                bias += (double)dz[p * job->dz_step];
            if (job->db != NULL)
                job->db[o * SIDE + s] += (float)bias;
            for (size_t t = 0; t < job->terms; t++)
                for (size_t k = 0; k < job->term[t].length; k++) {
                    const size_t row = job->term[t].row + k;
                    const float *x = job->x + job->term[t].from + k * SIDE + s;
                    double sum = 0;

                    for (size_t p = 0; p < n; p++)
                        sum += (double)dz[p * job->dz_step] *
                               (double)x[p * job->x_step];
                    job->dw[((o / QUAD * job->rows + row) * QUAD + o % QUAD) *
                                SIDE +
                            s] += (float)sum;
                }
        }
}

static void pool_ref(const bnre__pool1d *job, size_t first, size_t last)
{
    for (size_t w = first; w < last; w++)
        for (size_t q = 0; q < job->quads; q++)
            for (size_t s = 0; s < SIDE; s++) {
                uint32_t places = 0;

                for (size_t c = 0; c < QUAD; c++) {
                    const size_t at = (q * QUAD + c) * SIDE + s;
                    const float *z = job->z + job->start[w] * job->z_step + at;
                    uint32_t best = 0;

                    for (uint32_t j = 1; j < job->length[w]; j++)
                        if (z[j * job->z_step] > z[best * job->z_step])
                            best = j;
                    job->y[w * job->y_step + at] = apply(
                        job->activation, job->slope, z[best * job->z_step]);
                    places |= best << 8 * c;
                }
                if (job->place != NULL)
                    job->place[(w * job->quads + q) * SIDE + s] = places;
            }
}

static void unpool_ref(const bnre__unpool1d *job, size_t first, size_t last)
{
    for (size_t p = first; p < last; p++)
        for (size_t c = 0; c < job->quads * QUAD; c++)
            for (size_t s = 0; s < SIDE; s++) {
                float sum = 0;

                for (size_t i = 0; i < job->windows[p]; i++) {
                    const size_t w = job->first[p] + i;
                    const uint32_t place =
                        job->place[(w * job->quads + c / QUAD) * SIDE + s] >>
                        8 * (c % QUAD);

                    if ((place & 255) == p - job->start[w])
                        sum += job->dy[w * job->dy_step + c * SIDE + s];
                }
                job->dz[p * job->dz_step + c * SIDE + s] = sum;
            }
}

static void turn_ref(const bnre__turn1d *job)
{
    for (size_t i = 0; i < BNRE__TURN; i++)
        for (size_t s = 0; s < SIDE; s++)
            job->y[job->to[i] + s] =
                job->shift == NULL
                    ? job->row[s][i]
                    : (job->row[s][i] - job->shift[i]) * job->factor[i];
}

static void derive_ref(bnre__activation activation, float slope, size_t n,
                       const float *y, float *d)
{
    for (size_t i = 0; i < n; i++)
        d[i] *= bnre__derivative_ref(activation, slope, y[i]);
}

static void gelu_ref(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(0.5 * (double)x[i] *
                       erfc(-(double)x[i] * 0.70710678118654752440));
}

static void gelu_back_ref(size_t n, const float *x, float *d)
{
    for (size_t i = 0; i < n; i++) {
        const double v = (double)x[i];
        const double density = 0.39894228040143267794 * exp(-0.5 * v * v);

        d[i] = (float)((double)d[i] *
                       (0.5 * erfc(-v * 0.70710678118654752440) + v * density));
    }
}

static void gelu_both_ref(size_t n, float *x, float *y)
{
    gelu_ref(n, x, y);
    for (size_t i = 0; i < n; i++) {
        float d = 1;

        gelu_back_ref(1, &x[i], &d);
        x[i] = d;
    }
}

const bnre__conv1d_kernels BNRE_REF_NAME = {
    .side = SIDE,
    .conv = conv_ref,
    .gradient = gradient_ref,
    .pool = pool_ref,
    .unpool = unpool_ref,
    .turn = turn_ref,
    .derive = derive_ref,
    .gelu = gelu_ref,
    .gelu_back = gelu_back_ref,
    .gelu_both = gelu_both_ref,
};
