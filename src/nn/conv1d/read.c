/* read.c - from layers to stages. */
#include "base/mem.h"
#include "nn/conv1d/parts.h"

/* ---- what a layer means ---- */

static int read_activation(const bnre__layer *layer, struct op *op)
{
    static const struct {
        const bnre__layer_type *type;
        op_kind kind;
        bnre__activation activation;
    } table[] = {
        {&bnre__layer_selu, OP_ACTIVATION, BNRE__SELU},
        {&bnre__layer_elu, OP_ACTIVATION, BNRE__ELU},
        {&bnre__layer_relu, OP_ACTIVATION, BNRE__RELU},
        {&bnre__layer_tanh, OP_ACTIVATION, BNRE__TANH},
        {&bnre__layer_leaky_relu, OP_ACTIVATION, BNRE__LEAKY_RELU},
        {&bnre__layer_gelu, OP_GELU, BNRE__IDENTITY},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].type == layer->type) {
            op->kind = table[i].kind;
            op->activation = table[i].activation;
            return 1;
        }
    return 0;
}

/* The shape that a layer gets as channels and positions. */
static int see_shape(const bnre__layer *layer, struct walk *walk, int flat)
{
    const bnre__shape *in = &layer->in;

    if (walk->started)
        return flat
                   ? walk->channels * walk->length == in->size
                   : walk->channels == in->dim[0] && walk->length == in->dim[1];
    if (in->ndim != 1 && in->ndim != 2)
        return 0;
    walk->started = 1;
    walk->channels = in->dim[0];
    walk->length = in->ndim == 1 ? 1 : in->dim[1];
    return 1;
}

/* A fixed scaling that is the same along each channel is an affine map. */
static int read_scale(const bnre__layer *layer, const struct walk *walk,
                      struct op *op)
{
    for (size_t i = 0; i < layer->in.size; i++) {
        const size_t first = i / walk->length * walk->length;

        if (layer->shift[i] != layer->shift[first] ||
            layer->scale[i] != layer->scale[first])
            return 0;
    }
    op->kind = OP_AFFINE;
    op->taps = 1;
    return 1;
}

static int read_kind(const bnre__layer *layer, struct walk *walk, struct op *op)
{
    const bnre__layer_type *type = layer->type;

    if (type == &bnre__layer_flatten || type == &bnre__layer_reshape ||
        (!walk->started &&
         (type == &bnre__layer_scale || type == &bnre__layer_transpose)))
        return 1;
    if (type == &bnre__layer_conv1d || type == &bnre__layer_maxpool1d) {
        op->kind = type == &bnre__layer_conv1d ? OP_AFFINE : OP_POOL;
        op->taps = layer->kernel[1];
        op->stride = layer->stride[1];
        op->padding = layer->padding[1];
        op->dilation = type == &bnre__layer_conv1d ? layer->dilation[1] : 1;
        return see_shape(layer, walk, 0) &&
               (op->kind == OP_AFFINE || op->taps <= BNRE__WINDOW_MOST);
    }
    if (type == &bnre__layer_linear) {
        op->kind = OP_AFFINE;
        if (layer->in.ndim != 1 || !see_shape(layer, walk, 1))
            return 0;
        op->taps = walk->length; /* all of them, channel by channel */
        return 1;
    }
    if (read_activation(layer, op))
        return see_shape(layer, walk, 1);
    if (type == &bnre__layer_scale)
        return see_shape(layer, walk, 1) && read_scale(layer, walk, op);
    return 0;
}

int bnre__conv1d_read(const bnre__layer *layer, struct walk *walk,
                      struct op *op)
{
    *op = (struct op){.layer = layer, .stride = 1, .dilation = 1};
    if (!read_kind(layer, walk, op))
        return 0;
    op->in = op->out = walk->channels;
    op->length = op->out_length = walk->length;
    if (layer->type == &bnre__layer_conv1d ||
        layer->type == &bnre__layer_maxpool1d) {
        op->out = layer->out.dim[0];
        op->out_length = layer->out.dim[1];
    } else if (layer->type == &bnre__layer_linear) {
        op->out = layer->out.size;
        op->out_length = 1;
    }
    walk->channels = op->out;
    walk->length = op->out_length;
    /* Lists have numbers of 32 bits, and some for each tap and position. */
    return op->kind == OP_NOTHING ||
           ((op->in + QUAD) * BNRE__SIDE_MOST * op->length < (size_t)1 << 30 &&
            (op->out + QUAD) * BNRE__SIDE_MOST * op->out_length < (size_t)1
                                                                      << 30 &&
            (op->kind != OP_AFFINE || op->taps * op->out_length < (size_t)1
                                                                      << 24));
}

/* ---- stages ---- */

/* A maximum goes through an increasing function: take it before, where there
   are more values. */
static void swap_maxima(struct op *op, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i;
             j > 0 && op[j].kind == OP_POOL && op[j - 1].kind == OP_ACTIVATION;
             j--) {
            const struct op pool = op[j];

            op[j] = op[j - 1];
            op[j - 1] = pool;
        }
}

static bnre_status read_ops(const bnre__sequence *embedding, struct op *op,
                            size_t *n)
{
    struct walk walk = {0};

    *n = 0;
    for (size_t i = 0; i < embedding->count; i++) {
        if (!bnre__conv1d_read(&embedding->layer[i], &walk, &op[*n]))
            return bnre_fail(BNRE_EINVAL, "layer %zu is not for this engine",
                             i + 1);
        if (op[*n].kind != OP_NOTHING)
            ++*n;
    }
    return BNRE_OK;
}

/* The affine maps from op i on that are made one; *i is moved past them. */
static bnre_status read_affine(const struct op *op, size_t n, size_t *i,
                               struct affine **out)
{
    bnre_status status = BNRE_OK;
    struct affine *whole = NULL, *next = NULL;
    const int at_input = *i == 0;

    *out = NULL;
    if (*i >= n || op[*i].kind != OP_AFFINE)
        return BNRE_OK;
    BNRE_TRY(bnre__affine_create(&op[(*i)++], &whole));
    while (*i < n && op[*i].kind == OP_AFFINE) {
        struct affine *first = whole, *second;

        BNRE_TRY(bnre__affine_create(&op[*i], &next));
        if (!bnre__affine_folds(whole, next, at_input))
            break;
        second = next;
        next = whole = NULL;
        BNRE_TRY(bnre__affine_fold(first, second, &whole));
        ++*i;
    }
    *out = whole;
    whole = NULL;
done:
    bnre__affine_destroy(next);
    bnre__affine_destroy(whole);
    return status;
}

static bnre_status read_stage(const struct op *op, size_t n, size_t *i,
                              struct stage *stage)
{
    BNRE_DO(read_affine(op, n, i, &stage->affine));
    if (*i < n && op[*i].kind == OP_POOL) {
        stage->pooled = 1;
        stage->kernel = op[*i].taps;
        stage->stride = op[*i].stride;
        stage->padding = op[*i].padding;
        ++*i;
    }
    if (*i < n && op[*i].kind == OP_ACTIVATION) {
        stage->activation = op[*i].activation;
        stage->slope = (float)op[*i].layer->slope;
        ++*i;
    } else if (*i < n && op[*i].kind == OP_GELU && stage->affine == NULL &&
               !stage->pooled) {
        stage->gelu = 1; /* needs its argument: a stage of its own */
        ++*i;
    }
    return BNRE_OK;
}

/* The shapes of the signals of a stage, from that of its input. */
static void link_signals(struct engine *engine, struct stage *stage,
                         struct signal *in)
{
    struct signal *z = in;

    stage->in = in;
    if (stage->affine != NULL) {
        z = &engine->signal[engine->signals++];
        z->channels = stage->affine->op.out;
        z->length = stage->affine->op.out_length;
        in->ones = stage->affine->ones;
    }
    stage->z = stage->out = z;
    if (stage->pooled || stage->affine == NULL) {
        stage->out = &engine->signal[engine->signals++];
        stage->out->channels = z->channels;
        stage->out->length = z->length;
    }
    if (stage->pooled)
        stage->out->length =
            (z->length + 2 * stage->padding - stage->kernel) / stage->stride +
            1;
}

bnre_status bnre__conv1d_stages(struct engine *engine)
{
    bnre_status status = BNRE_OK;
    const bnre__sequence *embedding = engine->net->embedding;
    struct op *op = NULL;
    struct signal *at;
    size_t n = 0;

    BNRE_NEW(op, embedding->count + 1);
    BNRE_TRY(read_ops(embedding, op, &n));
    swap_maxima(op, n);
    BNRE_NEW(engine->stage, n);
    BNRE_NEW(engine->signal, 2 * n + 1);
    at = &engine->signal[engine->signals++];
    at->channels = op[0].in;
    at->length = op[0].length;
    for (size_t i = 0; i < n;) {
        struct stage *stage = &engine->stage[engine->stages++];

        BNRE_TRY(read_stage(op, n, &i, stage));
        link_signals(engine, stage, at);
        at = stage->out;
    }
done:
    bnre__free(op);
    return status;
}
