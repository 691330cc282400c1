/* kernels_ref.c - what the kernels compute, plainly. */
#include <math.h>

#include "num/checksum.h"
#include "num/conv1d.h"
#include "num/conv2d.h"
#include "num/kernel_sets.h"
#include "num/kernels.h"
#include "num/logistic.h"
#include "num/random.h"

static const float selu_scale = 1.0507009873554805f;
static const float selu_alpha = 1.6732632423543772f;

float bnre__apply_ref(bnre__activation activation, float slope, float x)
{
    switch (activation) {
    case BNRE__SELU:
        return selu_scale * (x > 0 ? x : selu_alpha * expm1f(x));
    case BNRE__ELU:
        return x > 0 ? x : expm1f(x);
    case BNRE__RELU:
        return x > 0 ? x : 0;
    case BNRE__LEAKY_RELU:
        return x > 0 ? x : slope * x;
    case BNRE__TANH:
        return tanhf(x);
    default:
        return x;
    }
}

/* The derivative, from the function's value. */
float bnre__derivative_ref(bnre__activation activation, float slope, float y)
{
    switch (activation) {
    case BNRE__SELU:
        return y > 0 ? selu_scale : y + selu_scale * selu_alpha;
    case BNRE__ELU:
        return y > 0 ? 1 : y + 1;
    case BNRE__RELU:
        return y > 0;
    case BNRE__LEAKY_RELU:
        return y > 0 ? 1 : slope;
    case BNRE__TANH:
        return 1 - y * y;
    default:
        return 1;
    }
}

static size_t at(size_t rows, size_t i, size_t j)
{
    return j / BNRE__PANEL * rows * BNRE__PANEL + i * BNRE__PANEL +
           j % BNRE__PANEL;
}

static void product_ref(const bnre__product *p, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        for (size_t n = 0; n < p->panels * BNRE__PANEL; n++) {
            double sum = p->bias == NULL ? 0 : (double)p->bias[n];
            float y;

            if (p->add != NULL)
                sum += (double)p->add[at(p->add_rows, p->index[i], n)];
            for (size_t k = 0; k < p->inputs; k++)
                sum += (double)p->a[at(p->rows, i, k)] *
                       (double)p->w[at(p->inputs, k, n)];
            y = (float)sum;
            p->y[at(p->rows, i, n)] =
                p->derivative == NULL
                    ? bnre__apply_ref(p->activation, p->slope, y)
                    : y * bnre__derivative_ref(
                              p->activation, p->slope,
                              p->derivative[at(p->rows, i, n)]);
        }
}

static void adam_one(const bnre__adam_rates *rates, float g, float *w, float *m,
                     float *v)
{
    *m += (1 - rates->beta1) * (g - *m);
    *v += (1 - rates->beta2) * (g * g - *v);
    *w = *w * rates->keep -
         rates->step * *m / (sqrtf(*v * rates->unbias) + rates->epsilon);
}

static void adam_ref(const bnre__adam_rates *rates, size_t n, const float *g,
                     float *w, float *m, float *v)
{
    for (size_t i = 0; i < n; i++)
        adam_one(rates, g[i], &w[i], &m[i], &v[i]);
}

static void weight_gradient_ref(const bnre__weight_gradient *job, size_t first,
                                size_t last)
{
    for (size_t n = first * BNRE__PANEL; n < last * BNRE__PANEL; n++) {
        double bias = 0;

        for (size_t i = 0; i < job->n; i++)
            bias += (double)job->dy[at(job->rows, i, n)];
        for (size_t k = 0; k < job->inputs; k++) {
            const size_t here = at(job->inputs, k, n);
            double sum = 0;

            for (size_t i = 0; i < job->n; i++)
                sum += (double)job->a[at(job->rows, i, k)] *
                       (double)job->dy[at(job->rows, i, n)];
            if (job->gradient != NULL) {
                job->gradient[here] = (float)sum;
                continue;
            }
            adam_one(job->adam, (float)sum, &job->w[here], &job->m[here],
                     &job->v[here]);
            if (job->transpose != NULL)
                job->transpose[at(job->outputs, n, k)] = job->w[here];
        }
        if (job->bias_gradient != NULL)
            job->bias_gradient[n] = (float)bias;
        else if (job->bias != NULL)
            adam_one(job->adam, (float)bias, &job->bias[n], &job->bias_m[n],
                     &job->bias_v[n]);
    }
}

static void output_ref(const bnre__output *out, size_t first, size_t last,
                       float *logits)
{
    for (size_t i = first; i < last; i++) {
        double sum = (double)out->bias;

        for (size_t n = 0; n < out->panels * BNRE__PANEL; n++)
            sum += (double)out->y[at(out->rows, i, n)] * (double)out->w[n];
        logits[i] = (float)sum;
    }
}

static void output_back_ref(const bnre__output *out, size_t first, size_t last,
                            const float *dlogits, float *dy)
{
    for (size_t i = first; i < last; i++)
        for (size_t n = 0; n < out->panels * BNRE__PANEL; n++)
            dy[at(out->rows, i, n)] =
                dlogits[i] * out->w[n] *
                bnre__derivative_ref(out->activation, out->slope,
                                     out->y[at(out->rows, i, n)]);
}

static void output_gradient_ref(const bnre__output *out, size_t first,
                                size_t last, size_t rows, const float *dlogits,
                                float *gradient)
{
    for (size_t n = first * BNRE__PANEL; n < last * BNRE__PANEL; n++) {
        double sum = 0;

        for (size_t i = 0; i < rows; i++)
            sum += (double)dlogits[i] * (double)out->y[at(out->rows, i, n)];
        gradient[n] = (float)sum;
    }
}

static void gather_ref(size_t n, const uint32_t *index, const float *from,
                       float *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < BNRE__PANEL; j++)
            to[index[i] * BNRE__PANEL + j] += from[i * BNRE__PANEL + j];
}

static void activate_ref(bnre__activation activation, float slope, size_t n,
                         const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = bnre__apply_ref(activation, slope, x[i]);
}

static void exp_ref(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i]);
}

const bnre__kernels bnre__kernels_ref = {
    .name = "plain",
    .rounding = "plain",
    .conv1d = &bnre__conv1d_ref,
    .conv2d = &bnre__conv2d_ref,
    .logistic = &bnre__logistic_ref,
    .product = product_ref,
    .weight_gradient = weight_gradient_ref,
    .output = output_ref,
    .output_back = output_back_ref,
    .output_gradient = output_gradient_ref,
    .gather = gather_ref,
    .adam = adam_ref,
    .activate = activate_ref,
    .exp = exp_ref,
    .checksum_sums = bnre__checksum_sums_ref,
    .random_refill = bnre__random_refill_ref,
    .random_start = bnre__random_start_ref,
};
