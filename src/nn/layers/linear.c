/* linear.c - y = W x + b along the last dimension. */
#include "base/mem.h"
#include "nn/layers/layer.h"

static size_t last(const bnre__shape *shape)
{
    return shape->dim[shape->ndim - 1];
}

static bnre_status create_linear(bnre__layer *layer, const bnre_node *settings)
{
    size_t width;

    if (layer->in.ndim == 0)
        return bnre__layer_mismatch(layer, "at least one dimension");
    BNRE_DO(bnre__layer_size(layer, settings, "width", 0, "[1, 1e6]", &width));
    BNRE_DO(bnre__layer_flag(layer, settings, "bias", 1, &layer->bias));
    layer->out = layer->in;
    layer->out.dim[layer->out.ndim - 1] = width;
    BNRE_DO(bnre__shape_set(&layer->out, layer->out.ndim, layer->out.dim));
    layer->weights = (last(&layer->in) + (size_t)layer->bias) * width;
    return BNRE_OK;
}

static void init_linear(const bnre__layer *layer, bnre_rng *rng, float *w,
                        float *buffer)
{
    (void)buffer;
    bnre__init_uniform(rng, last(&layer->in), layer->weights, w);
}

static void forward_linear(const bnre__layer *layer, const bnre__pass *pass,
                           const bnre__real *x, bnre__real *y, bnre__real *keep)
{
    const size_t in = last(&layer->in), out = last(&layer->out);
    const bnre__real *w = pass->w + layer->weight_at, *b = w + in * out;

    (void)keep;
    for (size_t i = 0; i < pass->n * (layer->in.size / in); i++)
        for (size_t o = 0; o < out; o++) {
            double sum = layer->bias ? (double)b[o] : 0;

            for (size_t k = 0; k < in; k++)
                sum += (double)w[o * in + k] * (double)x[i * in + k];
            y[i * out + o] = (bnre__real)sum;
        }
}

static void backward_linear(const bnre__layer *layer, const bnre__pass *pass,
                            const bnre__real *x, const bnre__real *y,
                            const bnre__real *keep, const bnre__real *dy,
                            bnre__real *dx, bnre__real *dkeep)
{
    const size_t in = last(&layer->in), out = last(&layer->out);
    const size_t rows = pass->n * (layer->in.size / in);
    const bnre__real *w = pass->w + layer->weight_at;
    bnre__real *dw = pass->dw + layer->weight_at, *db = dw + in * out;

    (void)y;
    (void)keep;
    (void)dkeep;
    for (size_t o = 0; o < out; o++) {
        double bias = 0;

        for (size_t i = 0; i < rows; i++)
            bias += (double)dy[i * out + o];
        if (layer->bias)
            db[o] += (bnre__real)bias;
        for (size_t k = 0; k < in; k++) {
            double sum = 0;

            for (size_t i = 0; i < rows; i++)
                sum += (double)dy[i * out + o] * (double)x[i * in + k];
            dw[o * in + k] += (bnre__real)sum;
        }
    }
    for (size_t i = 0; dx != NULL && i < rows; i++)
        for (size_t k = 0; k < in; k++) {
            double sum = 0;

            for (size_t o = 0; o < out; o++)
                sum += (double)dy[i * out + o] * (double)w[o * in + k];
            dx[i * in + k] = (bnre__real)sum;
        }
}

const bnre__layer_type bnre__layer_linear = {
    .name = "linear",
    .keys = (const char *const[]){"width", "bias", NULL},
    .create = create_linear,
    .init = init_linear,
    .forward = forward_linear,
    .backward = backward_linear,
};
