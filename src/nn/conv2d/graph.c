/* graph.c - from the layers of a net to operations. */
#include <string.h>

#include "base/mem.h"
#include "nn/conv2d/conv2d.h"
#include "nn/mlp/mlp.h"
#include "nn/net.h"

/* ---- which nets fit ---- */

static int same_shape(const bnre__shape *a, const bnre__shape *b)
{
    return a->ndim == b->ndim &&
           memcmp(a->dim, b->dim, a->ndim * sizeof *a->dim) == 0;
}

static int layers_fit(const bnre__sequence *sequence, size_t *products);

static int layer_fits(const bnre__layer *layer, size_t *products)
{
    const bnre__layer_type *type = layer->type;
    bnre__activation activation;

    if (type == &bnre__layer_conv2d || type == &bnre__layer_linear) {
        ++*products;
        return type == &bnre__layer_conv2d || layer->in.ndim == 1;
    }
    if (type == &bnre__layer_residual)
        return layers_fit(layer->branch[0], products) &&
               layers_fit(layer->branch[1], products) &&
               same_shape(&layer->branch[0]->out, &layer->branch[1]->out);
    if (type == &bnre__layer_maxpool2d)
        return layer->kernel[0] * layer->kernel[1] <= BNRE__MAX_WINDOW;
    return type == &bnre__layer_batchnorm || type == &bnre__layer_avgpool ||
           type == &bnre__layer_flatten || type == &bnre__layer_scale ||
           type == &bnre__layer_gelu || bnre__activation_of(type, &activation);
}

static int layers_fit(const bnre__sequence *sequence, size_t *products)
{
    for (size_t i = 0; i < sequence->count; i++)
        if (!layer_fits(&sequence->layer[i], products))
            return 0;
    return 1;
}

/* Layers that scale x before anything else. */
static size_t scales_of(const bnre__sequence *embedding)
{
    size_t i = 0;

    while (i < embedding->count &&
           embedding->layer[i].type == &bnre__layer_scale)
        i++;
    return i;
}

/* x as the layers after those see it: flattened at once it is a picture of one
   position. */
static const bnre__shape *shape_of_x(const bnre__sequence *embedding)
{
    const size_t i = scales_of(embedding);

    return i < embedding->count &&
                   embedding->layer[i].type == &bnre__layer_flatten
               ? &embedding->layer[i].out
               : &embedding->in;
}

int bnre__conv2d_fits(const bnre__net *net)
{
    const bnre__shape *x = shape_of_x(net->embedding);
    size_t products = 0;

    return (x->ndim == 1 || x->ndim == 3) &&
           layers_fit(net->embedding, &products) && products > 0;
}

/* ---- values and operations ---- */

/* What has been computed so far, but for norms and a sum: the next operation
   may take those over. */
struct expression {
    size_t terms, value[2];
    const bnre__layer *norm[2];
};

static struct expression single(size_t value)
{
    return (struct expression){.terms = 1, .value = {value}};
}

static bnre_status add_value(struct conv2d *engine, const bnre__shape *shape)
{
    bnre_status status = BNRE_OK;
    struct value *value;

    BNRE_GROW(engine->value, engine->value_room, engine->values + 1);
    value = &engine->value[engine->values];
    value->channels = shape->dim[0];
    value->height = shape->ndim == 3 ? shape->dim[1] : 1;
    value->width = shape->ndim == 3 ? shape->dim[2] : 1;
    value->panels = up(value->channels, PANEL) / PANEL;
    value->positions = value->height * value->width;
    value->shares = engine->values++;
done:
    return status;
}

/* Append an operation on one value, or on an expression with two. */
static bnre_status add_op(struct conv2d *engine, struct op op,
                          const bnre__shape *shape, struct expression *e)
{
    bnre_status status = BNRE_OK;

    BNRE_GROW(engine->op, engine->op_room, engine->ops + 1);
    op.inputs = e->terms;
    for (size_t i = 0; i < e->terms; i++) {
        op.in[i] = e->value[i];
        op.norm[i] = e->norm[i];
        engine->value[e->value[i]].uses++;
    }
    op.out = engine->values;
    BNRE_TRY(add_value(engine, shape));
    engine->op[engine->ops++] = op;
    *e = single(op.out);
done:
    return status;
}

static bnre_status activate(struct conv2d *engine, const bnre__layer *layer,
                            const bnre__shape *shape, struct expression *e)
{
    struct op op = {.type = &bnre__conv2d_point, .activation = BNRE__IDENTITY};

    if (layer != NULL) {
        (void)bnre__activation_of(layer->type, &op.activation);
        op.slope = (float)layer->slope;
    }
    return add_op(engine, op, shape, e);
}

/* Make a value of an expression. */
static bnre_status settle(struct conv2d *engine, const bnre__shape *shape,
                          struct expression *e)
{
    if (e->terms == 1 && e->norm[0] == NULL)
        return BNRE_OK;
    return activate(engine, NULL, shape, e);
}

/* ---- layers ---- */

static const struct op_type *type_of(const bnre__layer *layer, size_t input)
{
    static const struct {
        const bnre__layer_type *layer;
        const struct op_type *op;
    } table[] = {
        {&bnre__layer_conv2d, &bnre__conv2d_direct},
        {&bnre__layer_linear, &bnre__conv2d_direct},
        {&bnre__layer_maxpool2d, &bnre__conv2d_maxpool},
        {&bnre__layer_avgpool, &bnre__conv2d_avgpool},
        {&bnre__layer_flatten, &bnre__conv2d_flatten},
        {&bnre__layer_scale, &bnre__conv2d_scale},
        {&bnre__layer_gelu, &bnre__conv2d_gelu},
    };

    /* x itself is read as rows of pixels. */
    if (input > 0 && bnre__conv2d_is_winograd(layer))
        return &bnre__conv2d_winograd;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].layer == layer->type)
            return table[i].op;
    return NULL;
}

static bnre_status lower(struct conv2d *engine, const bnre__sequence *sequence,
                         size_t first, size_t last, struct expression *e);

static bnre_status lower_residual(struct conv2d *engine,
                                  const bnre__layer *layer,
                                  struct expression *e)
{
    struct expression branch[2];

    for (int b = 0; b < 2; b++) {
        branch[b] = *e;
        BNRE_DO(lower(engine, layer->branch[b], 0, layer->branch[b]->count,
                      &branch[b]));
        if (branch[b].terms > 1) /* a block right inside a block */
            BNRE_DO(settle(engine, &layer->out, &branch[b]));
    }
    *e = (struct expression){.terms = 2,
                             .value = {branch[0].value[0], branch[1].value[0]},
                             .norm = {branch[0].norm[0], branch[1].norm[0]}};
    return BNRE_OK;
}

static bnre_status lower_layer(struct conv2d *engine, const bnre__layer *layer,
                               struct expression *e)
{
    bnre__activation activation;

    if (bnre__activation_of(layer->type, &activation))
        return activate(engine, layer, &layer->out, e);
    BNRE_DO(settle(engine, &layer->in, e));
    if (layer->type == &bnre__layer_batchnorm)
        e->norm[0] = layer;
    else if (layer->type == &bnre__layer_residual)
        BNRE_DO(lower_residual(engine, layer, e));
    else if (layer->type != &bnre__layer_flatten || layer->in.ndim > 1)
        BNRE_DO(add_op(
            engine,
            (struct op){.type = type_of(layer, e->value[0]), .layer = layer},
            &layer->out, e));
    return BNRE_OK;
}

/* Activations are monotone: of an activation and a maximum after it, the
   maximum goes first, for there is less to activate then. */
static int swaps_with_next(const bnre__sequence *sequence, size_t i,
                           size_t last, const struct expression *e)
{
    bnre__activation activation;

    return i + 1 < last && e->terms == 1 && e->norm[0] == NULL &&
           bnre__activation_of(sequence->layer[i].type, &activation) &&
           sequence->layer[i + 1].type == &bnre__layer_maxpool2d;
}

static bnre_status lower(struct conv2d *engine, const bnre__sequence *sequence,
                         size_t first, size_t last, struct expression *e)
{
    for (size_t i = first; i < last; i++) {
        const bnre__layer *layer = &sequence->layer[i];

        if (!swaps_with_next(sequence, i, last, e)) {
            BNRE_DO(lower_layer(engine, layer, e));
            continue;
        }
        BNRE_DO(lower_layer(engine, layer + 1, e));
        BNRE_DO(activate(engine, layer, &layer[1].out, e));
        i++;
    }
    return BNRE_OK;
}

/* An activation right after a convolution takes over its memory: f' is told
   from the result. */
static void share_memory(struct conv2d *engine)
{
    for (size_t i = 0; i < engine->ops; i++) {
        const struct op *before = &engine->op[i];

        for (size_t j = i + 1; j < engine->ops; j++) {
            const struct op *op = &engine->op[j];

            if (before->type->set != NULL && before->out == op->in[0] &&
                op->type == &bnre__conv2d_point && op->norm[0] == NULL &&
                engine->value[before->out].uses == 1)
                engine->value[op->out].shares = before->out;
        }
    }
}

/* Going back, the first to reach a value sets its gradient, others add. Of two
   inputs the second is reached first. */
static bnre_status find_additions(struct conv2d *engine)
{
    bnre_status status = BNRE_OK;
    int *seen = NULL;

    BNRE_NEW(seen, engine->values);
    for (size_t i = engine->ops; i-- > 0;)
        for (size_t k = engine->op[i].inputs; k-- > 0;) {
            engine->op[i].add[k] = seen[engine->op[i].in[k]];
            seen[engine->op[i].in[k]] = 1;
        }
done:
    bnre__free(seen);
    return status;
}

bnre_status bnre__conv2d_lower(struct conv2d *engine)
{
    const bnre__sequence *embedding = engine->net->embedding;
    const bnre__shape *x = shape_of_x(embedding);
    size_t first = scales_of(embedding), last = embedding->count;
    struct expression e = single(0);

    BNRE_DO(add_value(engine, x));
    engine->prescale = first;
    first += x != &embedding->in; /* flattened already */
    /* phi is in the order of channels and positions anyway. */
    while (embedding->layer[last - 1].type == &bnre__layer_flatten)
        last--;
    BNRE_DO(lower(engine, embedding, first, last, &e));
    BNRE_DO(settle(engine, &embedding->layer[last - 1].out, &e));
    engine->result = e.value[0];
    share_memory(engine);
    return find_additions(engine);
}
