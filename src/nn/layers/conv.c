/* conv.c - convolutions over one or two dimensions.

   One code for both: a length is a picture of one row. The plain sum: positions
   x taps x channels in x channels out multiply-adds, less what is padding. */
#include "base/mem.h"
#include "nn/layers/layer.h"

struct geometry {
    size_t in_channels, out_channels;
    size_t in[2], out[2]; /* rows, columns */
    size_t taps;          /* kernel elements */
};

static struct geometry geometry_of(const bnre__layer *layer)
{
    const int flat = layer->in.ndim == 2;

    return (struct geometry){
        .in_channels = layer->in.dim[0],
        .out_channels = layer->out.dim[0],
        .in = {flat ? 1 : layer->in.dim[1], layer->in.dim[flat ? 1 : 2]},
        .out = {flat ? 1 : layer->out.dim[1], layer->out.dim[flat ? 1 : 2]},
        .taps = layer->kernel[0] * layer->kernel[1],
    };
}

static bnre_status create_conv(bnre__layer *layer, const bnre_node *settings,
                               size_t ndim)
{
    size_t channels, kernel, stride, padding, dilation;

    if (layer->in.ndim != ndim + 1)
        return bnre__layer_mismatch(layer, ndim == 1
                                               ? "(channels, length)"
                                               : "(channels, rows, columns)");
    BNRE_DO(bnre__layer_size(layer, settings, "channels", 0, "[1, 1e5]",
                             &channels));
    BNRE_DO(
        bnre__layer_size(layer, settings, "kernel", 0, "[1, 1e5]", &kernel));
    BNRE_DO(
        bnre__layer_size(layer, settings, "stride", 1, "[1, 1e5]", &stride));
    BNRE_DO(
        bnre__layer_size(layer, settings, "padding", 0, "[0, 1e5]", &padding));
    BNRE_DO(bnre__layer_size(layer, settings, "dilation", 1, "[1, 1e7]",
                             &dilation));
    BNRE_DO(bnre__layer_flag(layer, settings, "bias", 1, &layer->bias));
    for (size_t i = 0; i < 2; i++) {
        const int flat = ndim == 1 && i == 0;

        layer->kernel[i] = flat ? 1 : kernel;
        layer->stride[i] = flat ? 1 : stride;
        layer->padding[i] = flat ? 0 : padding;
        layer->dilation[i] = flat ? 1 : dilation;
    }
    layer->out = layer->in;
    layer->out.dim[0] = channels;
    for (size_t i = 1; i <= ndim; i++) {
        const size_t reach = (kernel - 1) * dilation + 1;
        const size_t padded = layer->in.dim[i] + 2 * padding;

        if (padded < reach)
            return bnre__layer_mismatch(layer,
                                        "something longer than the kernel");
        layer->out.dim[i] = (padded - reach) / stride + 1;
    }
    BNRE_DO(bnre__shape_set(&layer->out, ndim + 1, layer->out.dim));
    layer->weights =
        channels * (layer->in.dim[0] * layer->kernel[0] * layer->kernel[1] +
                    (size_t)layer->bias);
    return BNRE_OK;
}

static bnre_status create_conv1d(bnre__layer *layer, const bnre_node *settings)
{
    return create_conv(layer, settings, 1);
}

static bnre_status create_conv2d(bnre__layer *layer, const bnre_node *settings)
{
    return create_conv(layer, settings, 2);
}

static void init_conv(const bnre__layer *layer, bnre_rng *rng, float *w,
                      float *buffer)
{
    const struct geometry g = geometry_of(layer);

    (void)buffer;
    bnre__init_uniform(rng, g.in_channels * g.taps, layer->weights, w);
}

/* The input position that tap (r, c) sees at output (i, j); SIZE_MAX in the
   padding. */
static size_t source(const bnre__layer *layer, const struct geometry *g,
                     size_t i, size_t j, size_t r, size_t c)
{
    const size_t row = i * layer->stride[0] + r * layer->dilation[0];
    const size_t column = j * layer->stride[1] + c * layer->dilation[1];

    if (row < layer->padding[0] || row - layer->padding[0] >= g->in[0] ||
        column < layer->padding[1] || column - layer->padding[1] >= g->in[1])
        return (size_t)-1;
    return (row - layer->padding[0]) * g->in[1] + column - layer->padding[1];
}

/* What a convolution is a sum of: input element x[from] times weight w[weight]
   goes to output y[to]; `visit` sees each such triple of one row. */
typedef void (*visit_fn)(void *arg, size_t from, size_t weight, size_t to);

static void visit_products(const bnre__layer *layer, visit_fn visit, void *arg)
{
    const struct geometry g = geometry_of(layer);
    const size_t in_size = g.in[0] * g.in[1], out_size = g.out[0] * g.out[1];

    for (size_t o = 0; o < g.out_channels; o++)
        for (size_t i = 0; i < g.out[0]; i++)
            for (size_t j = 0; j < g.out[1]; j++)
                for (size_t k = 0; k < g.in_channels; k++)
                    for (size_t t = 0; t < g.taps; t++) {
                        const size_t from =
                            source(layer, &g, i, j, t / layer->kernel[1],
                                   t % layer->kernel[1]);

                        if (from != (size_t)-1)
                            visit(arg, k * in_size + from,
                                  (o * g.in_channels + k) * g.taps + t,
                                  o * out_size + i * g.out[1] + j);
                    }
}

struct products {
    const bnre__real *x, *w, *dy;
    bnre__real *y, *dx, *dw;
};

static void visit_forward(void *arg, size_t from, size_t weight, size_t to)
{
    struct products *p = arg;

    p->y[to] += p->w[weight] * p->x[from];
}

static void visit_backward(void *arg, size_t from, size_t weight, size_t to)
{
    struct products *p = arg;

    p->dw[weight] += p->dy[to] * p->x[from];
    if (p->dx != NULL)
        p->dx[from] += p->dy[to] * p->w[weight];
}

static void forward_conv(const bnre__layer *layer, const bnre__pass *pass,
                         const bnre__real *x, bnre__real *y, bnre__real *keep)
{
    const struct geometry g = geometry_of(layer);
    const size_t out_size = g.out[0] * g.out[1];
    const bnre__real *w = pass->w + layer->weight_at;
    const bnre__real *b = w + g.out_channels * g.in_channels * g.taps;

    (void)keep;
    for (size_t n = 0; n < pass->n; n++) {
        struct products p = {
            .x = x + n * layer->in.size, .w = w, .y = y + n * layer->out.size};

        for (size_t i = 0; i < layer->out.size; i++)
            p.y[i] = layer->bias ? b[i / out_size] : 0;
        visit_products(layer, visit_forward, &p);
    }
}

static void backward_conv(const bnre__layer *layer, const bnre__pass *pass,
                          const bnre__real *x, const bnre__real *y,
                          const bnre__real *keep, const bnre__real *dy,
                          bnre__real *dx, bnre__real *dkeep)
{
    const struct geometry g = geometry_of(layer);
    const size_t out_size = g.out[0] * g.out[1];
    bnre__real *dw = pass->dw + layer->weight_at;
    bnre__real *db = dw + g.out_channels * g.in_channels * g.taps;

    (void)y;
    (void)keep;
    (void)dkeep;
    for (size_t n = 0; n < pass->n; n++) {
        struct products p = {
            .x = x + n * layer->in.size,
            .w = pass->w + layer->weight_at,
            .dy = dy + n * layer->out.size,
            .dx = dx == NULL ? NULL : dx + n * layer->in.size,
            .dw = dw,
        };

        for (size_t i = 0; dx != NULL && i < layer->in.size; i++)
            p.dx[i] = 0;
        for (size_t i = 0; layer->bias && i < layer->out.size; i++)
            db[i / out_size] += p.dy[i];
        visit_products(layer, visit_backward, &p);
    }
}

static const char *const conv_keys[] = {
    "channels", "kernel", "stride", "padding", "dilation", "bias", NULL};

const bnre__layer_type bnre__layer_conv1d = {
    .name = "conv1d",
    .keys = conv_keys,
    .create = create_conv1d,
    .init = init_conv,
    .forward = forward_conv,
    .backward = backward_conv,
};

const bnre__layer_type bnre__layer_conv2d = {
    .name = "conv2d",
    .keys = conv_keys,
    .create = create_conv2d,
    .init = init_conv,
    .forward = forward_conv,
    .backward = backward_conv,
};
