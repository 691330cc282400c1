/* norm.c - batch-norm per channel, layer-norm along the last dimension. */
#include <math.h>

#include "base/mem.h"
#include "nn/layers/layer.h"

/* ---- batch-norm: weights are scale, shift; buffers mean, variance; kept for
   the way back are the mean and 1 / sd used ---- */

static bnre_status create_batchnorm(bnre__layer *layer,
                                    const bnre_node *settings)
{
    if (layer->in.ndim == 0)
        return bnre__layer_mismatch(layer, "(channels, ...)");
    BNRE_DO(bnre__layer_real(layer, settings, "epsilon", 1e-5, "(0, 1]",
                             &layer->epsilon));
    BNRE_DO(bnre__layer_real(layer, settings, "momentum", 0.1, "(0, 1]",
                             &layer->momentum));
    layer->out = layer->in;
    layer->weights = layer->buffers = layer->keep_fixed = 2 * layer->in.dim[0];
    return BNRE_OK;
}

static void init_batchnorm(const bnre__layer *layer, bnre_rng *rng, float *w,
                           float *buffer)
{
    const size_t channels = layer->in.dim[0];

    (void)rng;
    for (size_t c = 0; c < channels; c++) {
        w[c] = buffer[channels + c] = 1;
        w[channels + c] = buffer[c] = 0;
    }
}

/* Mean and sum of squared distances from it, of one channel of a batch. */
static void channel_moments(const bnre__layer *layer, const bnre__pass *pass,
                            const bnre__real *x, size_t c, double *mean,
                            double *squares)
{
    const size_t positions = layer->in.size / layer->in.dim[0];
    double sum = 0;

    for (size_t n = 0; n < pass->n; n++)
        for (size_t p = 0; p < positions; p++)
            sum += (double)x[n * layer->in.size + c * positions + p];
    *mean = sum / (double)(pass->n * positions);
    *squares = 0;
    for (size_t n = 0; n < pass->n; n++)
        for (size_t p = 0; p < positions; p++) {
            const double from =
                (double)x[n * layer->in.size + c * positions + p] - *mean;

            *squares += from * from;
        }
}

static void update_running(const bnre__layer *layer, double mean,
                           double variance, size_t c, bnre__real *running)
{
    bnre__real *spread = running + layer->in.dim[0];

    running[c] += (bnre__real)(layer->momentum * (mean - (double)running[c]));
    spread[c] += (bnre__real)(layer->momentum * (variance - (double)spread[c]));
}

static void forward_batchnorm(const bnre__layer *layer, const bnre__pass *pass,
                              const bnre__real *x, bnre__real *y,
                              bnre__real *keep)
{
    const size_t channels = layer->in.dim[0];
    const size_t positions = layer->in.size / channels;
    const double count = (double)(pass->n * positions);
    const bnre__real *w = pass->w + layer->weight_at;
    bnre__real *running = pass->buffer + layer->buffer_at;

    for (size_t c = 0; c < channels; c++) {
        double mean = (double)running[c];
        double variance = (double)running[channels + c];

        if (pass->train) {
            double squares;

            channel_moments(layer, pass, x, c, &mean, &squares);
            variance = squares / count;
            for (int k = 0; k < pass->train; k++)
                update_running(layer, mean,
                               squares / (count > 1 ? count - 1 : 1), c,
                               running);
        }
        keep[c] = (bnre__real)mean;
        keep[channels + c] = (bnre__real)(1 / sqrt(variance + layer->epsilon));
        for (size_t n = 0; n < pass->n; n++)
            for (size_t p = 0; p < positions; p++) {
                const size_t i = n * layer->in.size + c * positions + p;

                y[i] = (x[i] - keep[c]) * keep[channels + c] * w[c] +
                       w[channels + c];
            }
    }
}

static void backward_batchnorm(const bnre__layer *layer, const bnre__pass *pass,
                               const bnre__real *x, const bnre__real *y,
                               const bnre__real *keep, const bnre__real *dy,
                               bnre__real *dx, bnre__real *dkeep)
{
    const size_t channels = layer->in.dim[0];
    const size_t positions = layer->in.size / channels;
    const double count = (double)(pass->n * positions);
    const bnre__real *w = pass->w + layer->weight_at;
    bnre__real *dw = pass->dw + layer->weight_at;

    (void)y;
    (void)dkeep;
    for (size_t c = 0; c < channels; c++) {
        const double mean = (double)keep[c], rate = (double)keep[channels + c];
        double sum = 0, with_x = 0; /* of dy, and of dy times normalised x */

        for (size_t n = 0; n < pass->n; n++)
            for (size_t p = 0; p < positions; p++) {
                const size_t i = n * layer->in.size + c * positions + p;

                sum += (double)dy[i];
                with_x += (double)dy[i] * ((double)x[i] - mean) * rate;
            }
        dw[c] += (bnre__real)with_x;
        dw[channels + c] += (bnre__real)sum;
        for (size_t n = 0; dx != NULL && n < pass->n; n++)
            for (size_t p = 0; p < positions; p++) {
                const size_t i = n * layer->in.size + c * positions + p;
                const double normal = ((double)x[i] - mean) * rate;
                double d = (double)dy[i];

                if (pass->train)
                    d -= (sum + normal * with_x) / count;
                dx[i] = (bnre__real)(d * rate * (double)w[c]);
            }
    }
}

const bnre__layer_type bnre__layer_batchnorm = {
    .name = "batchnorm",
    .keys = (const char *const[]){"epsilon", "momentum", NULL},
    .create = create_batchnorm,
    .init = init_batchnorm,
    .forward = forward_batchnorm,
    .backward = backward_batchnorm,
};

/* ---- layer-norm ---- */

static size_t width_of(const bnre__layer *layer)
{
    return layer->in.dim[layer->in.ndim - 1];
}

static bnre_status create_layernorm(bnre__layer *layer,
                                    const bnre_node *settings)
{
    if (layer->in.ndim == 0)
        return bnre__layer_mismatch(layer, "at least one dimension");
    layer->out = layer->in;
    layer->weights = 2 * width_of(layer);
    return bnre__layer_real(layer, settings, "epsilon", 1e-5, "(0, 1]",
                            &layer->epsilon);
}

static void init_layernorm(const bnre__layer *layer, bnre_rng *rng, float *w,
                           float *buffer)
{
    const size_t width = width_of(layer);

    (void)rng;
    (void)buffer;
    for (size_t k = 0; k < width; k++) {
        w[k] = 1;
        w[width + k] = 0;
    }
}

static void row_moments(const bnre__layer *layer, const bnre__real *x,
                        double *mean, double *rate)
{
    const size_t width = width_of(layer);
    double sum = 0, squares = 0;

    for (size_t k = 0; k < width; k++)
        sum += (double)x[k];
    *mean = sum / (double)width;
    for (size_t k = 0; k < width; k++)
        squares += ((double)x[k] - *mean) * ((double)x[k] - *mean);
    *rate = 1 / sqrt(squares / (double)width + layer->epsilon);
}

static void forward_layernorm(const bnre__layer *layer, const bnre__pass *pass,
                              const bnre__real *x, bnre__real *y,
                              bnre__real *keep)
{
    const size_t width = width_of(layer);
    const bnre__real *w = pass->w + layer->weight_at;

    (void)keep;
    for (size_t i = 0; i < pass->n * layer->in.size; i += width) {
        double mean, rate;

        row_moments(layer, x + i, &mean, &rate);
        for (size_t k = 0; k < width; k++)
            y[i + k] =
                (bnre__real)(((double)x[i + k] - mean) * rate * (double)w[k] +
                             (double)w[width + k]);
    }
}

static void backward_layernorm(const bnre__layer *layer, const bnre__pass *pass,
                               const bnre__real *x, const bnre__real *y,
                               const bnre__real *keep, const bnre__real *dy,
                               bnre__real *dx, bnre__real *dkeep)
{
    const size_t width = width_of(layer);
    const bnre__real *w = pass->w + layer->weight_at;
    bnre__real *dw = pass->dw + layer->weight_at;

    (void)y;
    (void)keep;
    (void)dkeep;
    for (size_t i = 0; i < pass->n * layer->in.size; i += width) {
        double mean, rate, sum = 0, with_x = 0;

        row_moments(layer, x + i, &mean, &rate);
        for (size_t k = 0; k < width; k++) {
            const double normal = ((double)x[i + k] - mean) * rate;
            const double d = (double)dy[i + k] * (double)w[k];

            sum += d;
            with_x += d * normal;
            dw[k] += (bnre__real)((double)dy[i + k] * normal);
            dw[width + k] += dy[i + k];
        }
        for (size_t k = 0; dx != NULL && k < width; k++) {
            const double normal = ((double)x[i + k] - mean) * rate;
            const double d = (double)dy[i + k] * (double)w[k];

            dx[i + k] = (bnre__real)(rate * (d - (sum + normal * with_x) /
                                                     (double)width));
        }
    }
}

const bnre__layer_type bnre__layer_layernorm = {
    .name = "layernorm",
    .keys = (const char *const[]){"epsilon", NULL},
    .create = create_layernorm,
    .init = init_layernorm,
    .forward = forward_layernorm,
    .backward = backward_layernorm,
};
