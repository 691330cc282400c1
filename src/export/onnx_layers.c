/* onnx_layers.c - a sequence of layers as operators of ONNX, in float. */
#include <string.h>

#include "base/mem.h"
#include "export/onnx.h"

static size_t floats(bnre__onnx *g, size_t ndim, const size_t *dim,
                     const float *data)
{
    size_t n = 1;

    for (size_t i = 0; i < ndim; i++)
        n *= dim[i];
    return bnre__onnx_constant(g, BNRE__ONNX_FLOAT, ndim, dim, data,
                               n * sizeof *data);
}

static size_t number(bnre__onnx *g, double value)
{
    const float single = (float)value;

    return floats(g, 0, NULL, &single);
}

/* y = x W^T + b along the last dimension. */
static bnre_status put_linear(bnre__onnx *g, const bnre__layer *layer,
                              const float *w, size_t in, size_t *out)
{
    const size_t from = layer->in.dim[layer->in.ndim - 1];
    const size_t to = layer->out.dim[layer->out.ndim - 1];
    const size_t dim[] = {from, to};
    bnre_status status = BNRE_OK;
    float *turned = NULL;

    BNRE_NEW(turned, from * to);
    for (size_t o = 0; o < to; o++)
        for (size_t k = 0; k < from; k++)
            turned[k * to + o] = w[o * from + k];
    *out = bnre__onnx_op2(g, "MatMul", in, floats(g, 2, dim, turned));
    if (layer->bias)
        *out = bnre__onnx_op2(g, "Add", *out, floats(g, 1, &to, w + from * to));
done:
    bnre__free(turned);
    return status;
}

static bnre__onnx_attribute along(const char *name, const size_t pair[2],
                                  size_t ndim)
{
    bnre__onnx_attribute out = {.name = name, .n = ndim};

    for (size_t i = 0; i < ndim; i++)
        out.integer[i] = (int64_t)pair[2 - ndim + i];
    return out;
}

/* Convolutions and maxima over windows of one or two dimensions. */
static size_t put_window(bnre__onnx *g, const bnre__layer *layer,
                         const float *w, size_t value)
{
    const int conv = layer->type == &bnre__layer_conv1d ||
                     layer->type == &bnre__layer_conv2d;
    const size_t ndim = layer->in.ndim - 1;
    bnre__onnx_attribute a[4] = {along("kernel_shape", layer->kernel, ndim),
                                 along("strides", layer->stride, ndim),
                                 along("pads", layer->padding, ndim),
                                 along("dilations", layer->dilation, ndim)};
    size_t in[3] = {value}, n = 1;
    size_t dim[4] = {layer->out.dim[0], layer->in.dim[0]};

    a[2].n = 2 * ndim; /* before and after */
    for (size_t i = 0; i < ndim; i++)
        a[2].integer[ndim + i] = a[2].integer[i];
    for (size_t i = 0; i < ndim; i++)
        dim[2 + i] = layer->kernel[2 - ndim + i];
    if (conv)
        in[n++] = floats(g, 2 + ndim, dim, w);
    if (conv && layer->bias)
        in[n++] =
            floats(g, 1, layer->out.dim,
                   w + dim[0] * dim[1] * layer->kernel[0] * layer->kernel[1]);
    return bnre__onnx_node(g, conv ? "Conv" : "MaxPool", n, in, conv ? 4 : 3,
                           a);
}

static size_t put_norm(bnre__onnx *g, const bnre__layer *layer, const float *w,
                       const float *s, size_t in)
{
    const bnre__onnx_attribute epsilon = {
        .name = "epsilon", .is_real = 1, .real = layer->epsilon};
    const int batch = layer->type == &bnre__layer_batchnorm;
    const size_t n = layer->in.dim[batch ? 0 : layer->in.ndim - 1];
    size_t of[5] = {in, floats(g, 1, &n, w), floats(g, 1, &n, w + n)};

    if (!batch)
        return bnre__onnx_node(g, "LayerNormalization", 3, of, 1, &epsilon);
    of[3] = floats(g, 1, &n, s);
    of[4] = floats(g, 1, &n, s + n);
    return bnre__onnx_node(g, "BatchNormalization", 5, of, 1, &epsilon);
}

/* Sums over positions of channels, or over items, as means: sums times their
   number. */
static size_t put_sum(bnre__onnx *g, const bnre__layer *layer, size_t in)
{
    const bnre__onnx_attribute keep = {.name = "keepdims"};
    bnre__onnx_attribute a[2] = {{.name = "axes", .n = 1, .integer = {1}},
                                 keep};
    const int channels = layer->type == &bnre__layer_avgpool;
    size_t flat[2] = {layer->in.dim[0], layer->in.size / layer->in.dim[0]};
    size_t out;

    in = bnre__onnx_reshape(g, in, 2, flat);
    a[0].integer[0] = channels ? 2 : 1;
    out = bnre__onnx_node(g, "ReduceMean", 1, &in, 2, a);
    if (layer->type == &bnre__layer_set_sum)
        out = bnre__onnx_op2(g, "Mul", out, number(g, (double)flat[0]));
    return bnre__onnx_reshape(g, out, layer->out.ndim, layer->out.dim);
}

static size_t put_gelu(bnre__onnx *g, size_t x)
{
    size_t e = bnre__onnx_op2(g, "Mul", x, number(g, 0.70710678118654752440));

    e = bnre__onnx_op1(g, "Erf", e);
    e = bnre__onnx_op2(g, "Add", e, number(g, 1));
    e = bnre__onnx_op2(g, "Mul", e, x);
    return bnre__onnx_op2(g, "Mul", e, number(g, 0.5));
}

static size_t put_activation(bnre__onnx *g, const bnre__layer *layer, size_t in)
{
    const bnre__onnx_attribute alpha = {
        .name = "alpha", .is_real = 1, .real = layer->slope};
    const bnre__layer_type *type = layer->type;

    if (type == &bnre__layer_gelu)
        return put_gelu(g, in);
    if (type == &bnre__layer_leaky_relu)
        return bnre__onnx_node(g, "LeakyRelu", 1, &in, 1, &alpha);
    return bnre__onnx_op1(g,
                          type == &bnre__layer_selu   ? "Selu"
                          : type == &bnre__layer_relu ? "Relu"
                          : type == &bnre__layer_elu  ? "Elu"
                                                      : "Tanh",
                          in);
}

static size_t put_scale(bnre__onnx *g, const bnre__layer *layer, size_t in)
{
    in = bnre__onnx_op2(g, "Sub", in,
                        floats(g, layer->in.ndim, layer->in.dim, layer->shift));
    return bnre__onnx_op2(
        g, "Div", in, floats(g, layer->in.ndim, layer->in.dim, layer->scale));
}

static bnre_status put_residual(bnre__onnx *g, const bnre__layer *layer,
                                const float *w, const float *s, size_t in,
                                size_t *out)
{
    size_t end[2];

    for (int b = 0; b < 2; b++) {
        BNRE_DO(bnre__onnx_sequence(g, layer->branch[b], w, s, in, &end[b]));
        end[b] = bnre__onnx_reshape(g, end[b], layer->out.ndim, layer->out.dim);
    }
    *out = bnre__onnx_op2(g, "Add", end[0], end[1]);
    return BNRE_OK;
}

static bnre_status put_layer(bnre__onnx *g, const bnre__layer *layer,
                             const float *w, const float *s, size_t in,
                             size_t *out)
{
    const bnre__onnx_attribute turned = {
        .name = "perm", .n = 3, .integer = {0, 2, 1}};
    const bnre__layer_type *type = layer->type;
    const float *own = w + layer->weight_at;

    if (type == &bnre__layer_linear)
        return put_linear(g, layer, own, in, out);
    if (type == &bnre__layer_residual)
        return put_residual(g, layer, w, s, in, out);
    if (type == &bnre__layer_conv1d || type == &bnre__layer_conv2d ||
        type == &bnre__layer_maxpool1d || type == &bnre__layer_maxpool2d)
        *out = put_window(g, layer, own, in);
    else if (type == &bnre__layer_batchnorm || type == &bnre__layer_layernorm)
        *out = put_norm(g, layer, own, s + layer->buffer_at, in);
    else if (type == &bnre__layer_avgpool || type == &bnre__layer_set_mean ||
             type == &bnre__layer_set_sum)
        *out = put_sum(g, layer, in);
    else if (type == &bnre__layer_flatten || type == &bnre__layer_reshape)
        *out = bnre__onnx_reshape(g, in, layer->out.ndim, layer->out.dim);
    else if (type == &bnre__layer_transpose)
        *out = bnre__onnx_node(g, "Transpose", 1, &in, 1, &turned);
    else if (type == &bnre__layer_scale)
        *out = put_scale(g, layer, in);
    else
        *out = put_activation(g, layer, in);
    return BNRE_OK;
}

bnre_status bnre__onnx_sequence(bnre__onnx *g, const bnre__sequence *sequence,
                                const float *w, const float *s, size_t in,
                                size_t *out)
{
    *out = in;
    for (size_t i = 0; i < sequence->count; i++)
        BNRE_DO(put_layer(g, &sequence->layer[i], w, s, *out, out));
    return BNRE_OK;
}
