/* c_layers.c - a sequence of layers as calls in C. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "export/c_writer.h"

void bnre__c_need(bnre__c_writer *writer, bnre__c_piece piece)
{
    writer->needs[piece] = 1;
}

/* Where things are while calls are written. */
struct flow {
    bnre__c_writer *writer;
    bnre__text forward, back; /* `back` is made from its end */
    size_t shift, used;       /* of weights; of the room */
    int with_back;
};

/* A function, and the one of its way back. */
static void need(struct flow *flow, bnre__c_piece piece, bnre__c_piece back)
{
    bnre__c_need(flow->writer, piece);
    if (flow->with_back)
        bnre__c_need(flow->writer, back);
}

/* Calls of the way back stand in the opposite order. */
static void put_back(struct flow *flow, const char *text)
{
    bnre__text joined = {.status = flow->back.status};

    bnre__text_put(&joined, "%s%s", text,
                   flow->back.data == NULL ? "" : flow->back.data);
    bnre__free(flow->back.data);
    flow->back = joined;
}

static const struct {
    const bnre__layer_type *type;
    bnre__c_piece piece;
    const char *name;
} activations[] = {
    {&bnre__layer_selu, BNRE__C_SELU, "selu"},
    {&bnre__layer_relu, BNRE__C_RELU, "relu"},
    {&bnre__layer_leaky_relu, BNRE__C_LEAKY, "leaky_relu"},
    {&bnre__layer_elu, BNRE__C_ELU, "elu"},
    {&bnre__layer_gelu, BNRE__C_GELU, "gelu"},
    {&bnre__layer_tanh, BNRE__C_TANH, "hyperbolic"},
};

static int put_activation(struct flow *flow, const bnre__layer *layer,
                          size_t in, size_t out)
{
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (layer->type == activations[i].type) {
            char line[160];

            need(flow, activations[i].piece,
                 activations[i].piece + BNRE__C_SELU_BACK - BNRE__C_SELU);
            bnre__text_put(&flow->forward,
                           "    %s(%zu, %.17g, a + %zu, a + "
                           "%zu);\n",
                           activations[i].name, layer->in.size, layer->slope,
                           in, out);
            snprintf(line, sizeof line,
                     "    %s_back(%zu, %.17g, a + %zu, d + %zu, d + %zu);\n",
                     activations[i].name, layer->in.size, layer->slope, in, out,
                     in);
            put_back(flow, line);
            return 1;
        }
    return 0;
}

static void put_linear(struct flow *flow, const bnre__layer *layer, size_t in,
                       size_t out)
{
    const size_t from = layer->in.dim[layer->in.ndim - 1];
    const size_t to = layer->out.dim[layer->out.ndim - 1];
    const size_t at = layer->weight_at + flow->shift;
    char line[160];

    need(flow, BNRE__C_LINEAR, BNRE__C_LINEAR_BACK);
    bnre__text_put(&flow->forward,
                   "    linear(%zu, %zu, %zu, %d, w + %zu, a + %zu, a + "
                   "%zu);\n",
                   layer->in.size / from, from, to, layer->bias, at, in, out);
    snprintf(line, sizeof line,
             "    linear_back(%zu, %zu, %zu, w + %zu, d + %zu, d + %zu);\n",
             layer->in.size / from, from, to, at, out, in);
    put_back(flow, line);
}

static void put_norm(struct flow *flow, const bnre__layer *layer, size_t in,
                     size_t out)
{
    const size_t at = layer->weight_at + flow->shift;
    char line[200];

    if (layer->type == &bnre__layer_layernorm) {
        const size_t width = layer->in.dim[layer->in.ndim - 1];
        const size_t rows = layer->in.size / width;

        need(flow, BNRE__C_LAYERNORM, BNRE__C_LAYERNORM_BACK);
        bnre__text_put(&flow->forward,
                       "    layernorm(%zu, %zu, %.17g, w + %zu, a + %zu, a + "
                       "%zu);\n",
                       rows, width, layer->epsilon, at, in, out);
        snprintf(line, sizeof line,
                 "    layernorm_back(%zu, %zu, %.17g, w + %zu, a + %zu, "
                 "d + %zu, d + %zu);\n",
                 rows, width, layer->epsilon, at, in, out, in);
    } else {
        const size_t channels = layer->in.dim[0];

        need(flow, BNRE__C_BATCHNORM, BNRE__C_BATCHNORM_BACK);
        bnre__text_put(&flow->forward,
                       "    batchnorm(%zu, %zu, %.17g, w + %zu, s + %zu, a + "
                       "%zu, a + %zu);\n",
                       channels, layer->in.size / channels, layer->epsilon, at,
                       layer->buffer_at, in, out);
        snprintf(line, sizeof line,
                 "    batchnorm_back(%zu, %zu, %.17g, w + %zu, s + %zu, "
                 "d + %zu, d + %zu);\n",
                 channels, layer->in.size / channels, layer->epsilon, at,
                 layer->buffer_at, out, in);
    }
    put_back(flow, line);
}

/* Constants of the description, which stand in the function. */
static void put_shift(struct flow *flow, const bnre__layer *layer, size_t in,
                      size_t out)
{
    bnre__text *body = &flow->writer->body;
    const size_t array = flow->writer->arrays++, n = layer->in.size;
    char line[120];

    need(flow, BNRE__C_SHIFT, BNRE__C_SHIFT_BACK);
    bnre__text_put(body, "static const float fixed_%zu[] = {", array);
    for (size_t i = 0; i < 2 * n; i++)
        bnre__text_put(body, "%s%af",
                       i == 0       ? ""
                       : i % 6 == 0 ? ",\n    "
                                    : ", ",
                       (double)(i < n ? layer->shift[i] : layer->scale[i - n]));
    bnre__text_put(body, "};\n\n");
    bnre__text_put(&flow->forward,
                   "    shift(%zu, fixed_%zu, a + %zu, a + %zu);\n", n, array,
                   in, out);
    snprintf(line, sizeof line,
             "    shift_back(%zu, fixed_%zu, d + %zu, d + %zu);\n", n, array,
             out, in);
    put_back(flow, line);
}

static void put_window(struct flow *flow, const bnre__layer *layer, size_t in,
                       size_t out)
{
    const int conv = layer->type == &bnre__layer_conv1d ||
                     layer->type == &bnre__layer_conv2d;
    const int flat = layer->in.ndim == 2;
    bnre__text *f = &flow->forward;

    bnre__c_need(flow->writer, BNRE__C_CONV);
    if (!conv)
        bnre__c_need(flow->writer, BNRE__C_MAXPOOL);
    bnre__text_put(f,
                   "    %s(&(const struct window){{%zu, %zu, %zu}, {%zu, %zu, "
                   "%zu},\n        {%zu, %zu}, {%zu, %zu}, {%zu, %zu}, {%zu, "
                   "%zu}},\n        ",
                   conv ? "conv" : "maxpool", layer->in.dim[0],
                   flat ? 1 : layer->in.dim[1], layer->in.dim[flat ? 1 : 2],
                   layer->out.dim[0], flat ? 1 : layer->out.dim[1],
                   layer->out.dim[flat ? 1 : 2], layer->kernel[0],
                   layer->kernel[1], layer->stride[0], layer->stride[1],
                   layer->padding[0], layer->padding[1], layer->dilation[0],
                   layer->dilation[1]);
    if (conv)
        bnre__text_put(f, "%d, w + %zu, ", layer->bias,
                       layer->weight_at + flow->shift);
    bnre__text_put(f, "a + %zu, a + %zu);\n", in, out);
}

static void put_copy(struct flow *flow, size_t n, size_t in, size_t out)
{
    char line[120];

    need(flow, BNRE__C_COPY, BNRE__C_COPY_BACK);
    bnre__text_put(&flow->forward, "    copy(%zu, a + %zu, a + %zu);\n", n, in,
                   out);
    snprintf(line, sizeof line, "    copy_back(%zu, d + %zu, d + %zu);\n", n,
             out, in);
    put_back(flow, line);
}

static bnre_status put_layers(struct flow *flow, const bnre__sequence *sequence,
                              size_t in, size_t *out);

/* Both ways back add to the input; the sum comes first on the way back. */
static bnre_status put_residual(struct flow *flow, const bnre__layer *layer,
                                size_t in, size_t *out)
{
    size_t end[2];
    char line[200];

    for (int b = 0; b < 2; b++)
        BNRE_DO(put_layers(flow, layer->branch[b], in, &end[b]));
    *out = flow->used;
    flow->used += layer->out.size;
    need(flow, BNRE__C_ADD, BNRE__C_COPY_BACK);
    bnre__text_put(&flow->forward, "    add(%zu, a + %zu, a + %zu, a + %zu);\n",
                   layer->out.size, end[0], end[1], *out);
    snprintf(line, sizeof line,
             "    copy_back(%zu, d + %zu, d + %zu);\n"
             "    copy_back(%zu, d + %zu, d + %zu);\n",
             layer->out.size, *out, end[0], layer->out.size, *out, end[1]);
    put_back(flow, line);
    return BNRE_OK;
}

/* Those that are for embeddings, whose way back is never needed. */
static int put_embedding(struct flow *flow, const bnre__layer *layer, size_t in,
                         size_t out)
{
    const bnre__layer_type *type = layer->type;

    if (type == &bnre__layer_conv1d || type == &bnre__layer_conv2d ||
        type == &bnre__layer_maxpool1d || type == &bnre__layer_maxpool2d) {
        put_window(flow, layer, in, out);
    } else if (type == &bnre__layer_avgpool || type == &bnre__layer_set_mean ||
               type == &bnre__layer_set_sum) {
        bnre__c_need(flow->writer, BNRE__C_SUM);
        bnre__text_put(&flow->forward,
                       "    sum(%zu, %zu, %d, %.17g, a + %zu, a + %zu);\n",
                       layer->in.size, layer->out.size,
                       type == &bnre__layer_avgpool, layer->slope, in, out);
    } else if (type == &bnre__layer_transpose) {
        bnre__c_need(flow->writer, BNRE__C_TRANSPOSE);
        bnre__text_put(&flow->forward,
                       "    transpose(%zu, %zu, a + %zu, a + %zu);\n",
                       layer->in.dim[0], layer->in.dim[1], in, out);
    } else {
        return 0;
    }
    return 1;
}

static bnre_status put_layer(struct flow *flow, const bnre__layer *layer,
                             size_t in, size_t *out)
{
    const bnre__layer_type *type = layer->type;

    if (type == &bnre__layer_residual)
        return put_residual(flow, layer, in, out);
    *out = flow->used;
    flow->used += layer->out.size;
    if (type == &bnre__layer_linear)
        put_linear(flow, layer, in, *out);
    else if (type == &bnre__layer_layernorm || type == &bnre__layer_batchnorm)
        put_norm(flow, layer, in, *out);
    else if (type == &bnre__layer_scale)
        put_shift(flow, layer, in, *out);
    else if (type == &bnre__layer_flatten || type == &bnre__layer_reshape)
        put_copy(flow, layer->in.size, in, *out);
    else if (!put_activation(flow, layer, in, *out) &&
             (flow->with_back || !put_embedding(flow, layer, in, *out)))
        return bnre_fail(BNRE_EUSAGE,
                         "the head of the network has a layer %s, which cannot "
                         "be exported to C there; ONNX has no gradient and "
                         "takes it (-o NAME.onnx)",
                         type->name);
    return BNRE_OK;
}

static bnre_status put_layers(struct flow *flow, const bnre__sequence *sequence,
                              size_t in, size_t *out)
{
    *out = in;
    for (size_t i = 0; i < sequence->count; i++)
        BNRE_DO(put_layer(flow, &sequence->layer[i], *out, out));
    return BNRE_OK;
}

bnre_status bnre__c_sequence(bnre__c_writer *writer, const char *name,
                             const bnre__sequence *sequence, size_t shift,
                             int back, size_t *room, size_t *out)
{
    struct flow flow = {.writer = writer,
                        .shift = shift,
                        .used = sequence->in.size,
                        .with_back = back};
    bnre_status status = BNRE_OK;

    BNRE_TRY(put_layers(&flow, sequence, 0, out));
    *room = flow.used;
    BNRE_TRY(bnre__text_check(&flow.forward));
    BNRE_TRY(bnre__text_check(&flow.back));
    bnre__text_put(&writer->body,
                   "static void %s(const float *w, const float *s, double "
                   "*a)\n{\n    (void)w;\n    (void)s;\n    (void)a;\n%s}\n\n",
                   name, flow.forward.data == NULL ? "" : flow.forward.data);
    if (back)
        bnre__text_put(&writer->body,
                       "static void %s_back(const float *w, const float *s,\n"
                       "    const double *a, double *d)\n{\n    (void)w;\n"
                       "    (void)s;\n    (void)a;\n%s}\n\n",
                       name, flow.back.data == NULL ? "" : flow.back.data);
done:
    bnre__free(flow.forward.data);
    bnre__free(flow.back.data);
    return status;
}
