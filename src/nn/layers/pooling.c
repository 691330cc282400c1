/* pooling.c - maxima over windows, averages over positions or items. */
#include <math.h>

#include "base/mem.h"
#include "nn/layers/layer.h"

/* ---- maxima ---- */

static bnre_status create_maxpool(bnre__layer *layer, const bnre_node *settings,
                                  size_t ndim)
{
    size_t kernel, stride, padding;

    if (layer->in.ndim != ndim + 1)
        return bnre__layer_mismatch(layer, ndim == 1
                                               ? "(channels, length)"
                                               : "(channels, rows, columns)");
    BNRE_DO(
        bnre__layer_size(layer, settings, "kernel", 0, "[1, 1e5]", &kernel));
    BNRE_DO(bnre__layer_size(layer, settings, "stride", kernel, "[1, 1e5]",
                             &stride));
    BNRE_DO(
        bnre__layer_size(layer, settings, "padding", 0, "[0, 1e5]", &padding));
    if (2 * padding > kernel)
        return bnre_fail(BNRE_EUSAGE,
                         "padding %zu is more than half of the kernel %zu",
                         padding, kernel);
    for (size_t i = 0; i < 2; i++) {
        const int flat = ndim == 1 && i == 0;

        layer->kernel[i] = flat ? 1 : kernel;
        layer->stride[i] = flat ? 1 : stride;
        layer->padding[i] = flat ? 0 : padding;
    }
    layer->out = layer->in;
    for (size_t i = 1; i <= ndim; i++) {
        if (layer->in.dim[i] + 2 * padding < kernel)
            return bnre__layer_mismatch(layer,
                                        "something longer than the kernel");
        layer->out.dim[i] =
            (layer->in.dim[i] + 2 * padding - kernel) / stride + 1;
    }
    return bnre__shape_set(&layer->out, ndim + 1, layer->out.dim);
}

static bnre_status create_maxpool1d(bnre__layer *layer,
                                    const bnre_node *settings)
{
    return create_maxpool(layer, settings, 1);
}

static bnre_status create_maxpool2d(bnre__layer *layer,
                                    const bnre_node *settings)
{
    return create_maxpool(layer, settings, 2);
}

/* First and last position of window i along one dimension, inside the input. */
static void window(const bnre__layer *layer, size_t d, size_t length, size_t i,
                   size_t *first, size_t *end)
{
    const size_t start = i * layer->stride[d];
    const size_t stop = start + layer->kernel[d];

    *first = start < layer->padding[d] ? 0 : start - layer->padding[d];
    *end =
        stop - layer->padding[d] < length ? stop - layer->padding[d] : length;
}

/* Where the maximum of output element `o` of a row is: the first in order. */
static size_t place_of_max(const bnre__layer *layer, const bnre__real *x,
                           size_t o)
{
    const int flat = layer->in.ndim == 2;
    const size_t rows = flat ? 1 : layer->in.dim[1];
    const size_t columns = layer->in.dim[flat ? 1 : 2];
    const size_t out_rows = flat ? 1 : layer->out.dim[1];
    const size_t out_columns = layer->out.dim[flat ? 1 : 2];
    const size_t channel = o / (out_rows * out_columns);
    size_t top, bottom, left, right, best;

    window(layer, 0, rows, o / out_columns % out_rows, &top, &bottom);
    window(layer, 1, columns, o % out_columns, &left, &right);
    best = (channel * rows + top) * columns + left;
    for (size_t r = top; r < bottom; r++)
        for (size_t c = left; c < right; c++) {
            const size_t at = (channel * rows + r) * columns + c;

            if (x[at] > x[best])
                best = at;
        }
    return best;
}

static void forward_maxpool(const bnre__layer *layer, const bnre__pass *pass,
                            const bnre__real *x, bnre__real *y,
                            bnre__real *keep)
{
    (void)keep;
    for (size_t n = 0; n < pass->n; n++)
        for (size_t o = 0; o < layer->out.size; o++) {
            const bnre__real *row = x + n * layer->in.size;

            y[n * layer->out.size + o] = row[place_of_max(layer, row, o)];
        }
}

static void backward_maxpool(const bnre__layer *layer, const bnre__pass *pass,
                             const bnre__real *x, const bnre__real *y,
                             const bnre__real *keep, const bnre__real *dy,
                             bnre__real *dx, bnre__real *dkeep)
{
    (void)y;
    (void)keep;
    (void)dkeep;
    if (dx == NULL)
        return;
    for (size_t i = 0; i < pass->n * layer->in.size; i++)
        dx[i] = 0;
    for (size_t n = 0; n < pass->n; n++)
        for (size_t o = 0; o < layer->out.size; o++) {
            const size_t base = n * layer->in.size;

            dx[base + place_of_max(layer, x + base, o)] +=
                dy[n * layer->out.size + o];
        }
}

/* ---- sums: over positions of each channel, or over items ---- */

/* avgpool: (channels, ...) -> (channels), the mean over positions. */
static bnre_status create_avgpool(bnre__layer *layer, const bnre_node *settings)
{
    (void)settings;
    if (layer->in.ndim < 2)
        return bnre__layer_mismatch(layer, "(channels, positions...)");
    layer->slope = (double)layer->in.dim[0] / (double)layer->in.size;
    return bnre__shape_set(&layer->out, 1, layer->in.dim);
}

/* set_mean, set_sum: (items, ...) -> (...). */
static bnre_status create_set(bnre__layer *layer, double weight)
{
    if (layer->in.ndim < 2)
        return bnre__layer_mismatch(layer, "(items, features...)");
    layer->slope = weight;
    return bnre__shape_set(&layer->out, layer->in.ndim - 1, layer->in.dim + 1);
}

static bnre_status create_set_mean(bnre__layer *layer,
                                   const bnre_node *settings)
{
    (void)settings;
    return create_set(layer,
                      layer->in.ndim < 2 ? 1 : 1 / (double)layer->in.dim[0]);
}

static bnre_status create_set_sum(bnre__layer *layer, const bnre_node *settings)
{
    (void)settings;
    return create_set(layer, 1);
}

/* The output element that input element i of a row is added to. */
static size_t target(const bnre__layer *layer, size_t i)
{
    if (layer->type == &bnre__layer_avgpool)
        return i / (layer->in.size / layer->in.dim[0]);
    return i % layer->out.size;
}

static void forward_sum(const bnre__layer *layer, const bnre__pass *pass,
                        const bnre__real *x, bnre__real *y, bnre__real *keep)
{
    (void)keep;
    for (size_t i = 0; i < pass->n * layer->out.size; i++)
        y[i] = 0;
    for (size_t n = 0; n < pass->n; n++)
        for (size_t i = 0; i < layer->in.size; i++)
            y[n * layer->out.size + target(layer, i)] +=
                x[n * layer->in.size + i];
    for (size_t i = 0; i < pass->n * layer->out.size; i++)
        y[i] = (bnre__real)((double)y[i] * layer->slope);
}

static void backward_sum(const bnre__layer *layer, const bnre__pass *pass,
                         const bnre__real *x, const bnre__real *y,
                         const bnre__real *keep, const bnre__real *dy,
                         bnre__real *dx, bnre__real *dkeep)
{
    (void)x;
    (void)y;
    (void)keep;
    (void)dkeep;
    for (size_t n = 0; dx != NULL && n < pass->n; n++)
        for (size_t i = 0; i < layer->in.size; i++)
            dx[n * layer->in.size + i] =
                (bnre__real)((double)
                                 dy[n * layer->out.size + target(layer, i)] *
                             layer->slope);
}

static const char *const window_keys[] = {"kernel", "stride", "padding", NULL};

#define POOLING(variable, text, keys_, create_, kind)                          \
    const bnre__layer_type variable = {.name = text,                           \
                                       .keys = keys_,                          \
                                       .create = create_,                      \
                                       .forward = forward_##kind,              \
                                       .backward = backward_##kind}

POOLING(bnre__layer_maxpool1d, "maxpool1d", window_keys, create_maxpool1d,
        maxpool);
POOLING(bnre__layer_maxpool2d, "maxpool2d", window_keys, create_maxpool2d,
        maxpool);
POOLING(bnre__layer_avgpool, "avgpool", NULL, create_avgpool, sum);
POOLING(bnre__layer_set_mean, "set_mean", NULL, create_set_mean, sum);
POOLING(bnre__layer_set_sum, "set_sum", NULL, create_set_sum, sum);
