/* sequence.c - lists of layers: from settings, and run one after the other. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "nn/layers/layer.h"

enum { MOST_LAYERS = 100000 };

const bnre__layer_type *const bnre__layer_types[] = {
    &bnre__layer_linear,    &bnre__layer_selu,
    &bnre__layer_relu,      &bnre__layer_leaky_relu,
    &bnre__layer_elu,       &bnre__layer_gelu,
    &bnre__layer_tanh,      &bnre__layer_conv1d,
    &bnre__layer_conv2d,    &bnre__layer_maxpool1d,
    &bnre__layer_maxpool2d, &bnre__layer_avgpool,
    &bnre__layer_batchnorm, &bnre__layer_layernorm,
    &bnre__layer_residual,  &bnre__layer_flatten,
    &bnre__layer_reshape,   &bnre__layer_transpose,
    &bnre__layer_scale,     &bnre__layer_set_mean,
    &bnre__layer_set_sum,   NULL,
};

/* ---- shapes ---- */

bnre_status bnre__shape_set(bnre__shape *shape, size_t ndim, const size_t *dim)
{
    const size_t most = SIZE_MAX / 1024; /* leaves room for rows and bytes */

    if (ndim > BNRE__MAX_SHAPE)
        return bnre_fail(BNRE_EUSAGE, "%zu dimensions are too many", ndim);
    memmove(shape->dim, dim, ndim * sizeof *dim);
    shape->ndim = ndim;
    shape->size = 1;
    for (size_t i = 0; i < ndim; i++) {
        if (shape->dim[i] == 0 || shape->dim[i] > most / shape->size)
            return bnre_fail(BNRE_EUSAGE,
                             "a layer would be empty or too large");
        shape->size *= shape->dim[i];
    }
    return BNRE_OK;
}

const char *bnre__shape_text(const bnre__shape *shape, char out[128])
{
    size_t length = (size_t)snprintf(out, 128, "(");

    for (size_t i = 0; i < shape->ndim && length < 100; i++)
        length += (size_t)snprintf(out + length, 128 - length,
                                   i == 0 ? "%zu" : ", %zu", shape->dim[i]);
    snprintf(out + length, 128 - length, ")");
    return out;
}

/* ---- settings of layers ---- */

static bnre_status record(bnre__layer *layer, const char *key, double value)
{
    char text[32];

    if (layer->record == NULL)
        BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, &layer->record));
    return bnre_node_set(layer->record, key, bnre__text_real(value, text));
}

/* The text of a key; NULL when it is absent. */
static bnre_status scalar(const bnre_node *settings, const char *key,
                          const char **out)
{
    const bnre_node *node = bnre_node_find(settings, key);

    *out = NULL;
    if (node == NULL)
        return BNRE_OK;
    if (node->kind != BNRE_NODE_TEXT)
        return bnre_fail(BNRE_EUSAGE, "%s must be a single value", key);
    *out = node->text;
    return BNRE_OK;
}

bnre_status bnre__layer_size(bnre__layer *layer, const bnre_node *settings,
                             const char *key, size_t preset, const char *rule,
                             size_t *out)
{
    const char *text;

    *out = preset;
    BNRE_DO(scalar(settings, key, &text));
    if (text != NULL)
        BNRE_DO(bnre__read_size(text, rule, key, out));
    else if (preset == 0 && rule[1] != '0')
        return bnre_fail(BNRE_EUSAGE, "the key %s is needed", key);
    return record(layer, key, (double)*out);
}

bnre_status bnre__layer_real(bnre__layer *layer, const bnre_node *settings,
                             const char *key, double preset, const char *rule,
                             double *out)
{
    const char *text;

    *out = preset;
    BNRE_DO(scalar(settings, key, &text));
    if (text != NULL)
        BNRE_DO(bnre__read_real(text, rule, key, out));
    return record(layer, key, *out);
}

bnre_status bnre__layer_flag(bnre__layer *layer, const bnre_node *settings,
                             const char *key, int preset, int *out)
{
    const char *text;

    *out = preset;
    BNRE_DO(scalar(settings, key, &text));
    if (text != NULL) {
        BNRE_DO(
            bnre__read_choice(text, "no|yes|false|true|off|on|0|1", key, out));
        *out %= 2;
    }
    if (layer->record == NULL)
        BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, &layer->record));
    return bnre_node_set(layer->record, key, *out ? "yes" : "no");
}

bnre_status bnre__layer_mismatch(const bnre__layer *layer, const char *expected)
{
    char shape[128];

    return bnre_fail(BNRE_EUSAGE, "it gets shape %s and needs %s",
                     bnre__shape_text(&layer->in, shape), expected);
}

void bnre__init_uniform(bnre_rng *rng, size_t fan_in, size_t n, float *w)
{
    const double bound = 1 / sqrt((double)fan_in);

    for (size_t i = 0; i < n; i++)
        w[i] = (float)(bound * (2 * bnre_rng_uniform(rng) - 1));
}

/* ---- making a sequence ---- */

static const char *type_word(const void *list, size_t i)
{
    (void)list;
    return bnre__layer_types[i] == NULL ? NULL : bnre__layer_types[i]->name;
}

static bnre_status find_type(const char *name, const bnre__layer_type **out)
{
    bnre_status status = BNRE_OK;
    bnre__text list = {0};
    const char *nearest;

    for (size_t i = 0; bnre__layer_types[i] != NULL; i++)
        if (strcmp(bnre__layer_types[i]->name, name) == 0) {
            *out = bnre__layer_types[i];
            return BNRE_OK;
        }
    for (size_t i = 0; bnre__layer_types[i] != NULL; i++)
        BNRE_TRY(bnre__text_add(&list, i == 0 ? "%s" : ", %s",
                                bnre__layer_types[i]->name));
    nearest = bnre__text_nearest(name, type_word, NULL);
    status = bnre_fail(
        BNRE_EUSAGE, "unknown layer \"%s\"%s%s%s: there are %s and repeat",
        name, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
        nearest ? "\"?)" : "", list.data);
done:
    bnre__free(list.data);
    return status;
}

static void clear_layer(bnre__layer *layer)
{
    for (int b = 0; b < 2; b++)
        bnre__sequence_destroy(layer->branch[b]);
    bnre_node_destroy(layer->record);
    bnre__free(layer->shift);
    bnre__free(layer->scale);
}

static bnre_status check_settings(const bnre__layer_type *type,
                                  const bnre_node *settings)
{
    static const char *const none[] = {NULL};

    if (settings == NULL ||
        (settings->kind == BNRE_NODE_TEXT && settings->text[0] == 0))
        return BNRE_OK;
    if (settings->kind != BNRE_NODE_MAP)
        return bnre_node_fail(settings, "settings of a layer are a map");
    return bnre_node_check_keys(settings, type->keys ? type->keys : none);
}

static bnre_status add_layer(bnre__sequence *sequence, const char *name,
                             const bnre_node *settings, size_t *weight_at,
                             size_t *buffer_at)
{
    bnre_status status = BNRE_OK;
    const bnre__layer_type *type = NULL;
    bnre__layer *layer;

    BNRE_TRY(find_type(name, &type));
    BNRE_TRY(check_settings(type, settings));
    BNRE_GROW(sequence->layer, sequence->room, sequence->count + 1);
    layer = &sequence->layer[sequence->count++];
    layer->type = type;
    layer->in = sequence->out;
    layer->weight_at = *weight_at;
    layer->buffer_at = *buffer_at;
    BNRE_TRY(type->create(layer, settings));
    sequence->out = layer->out;
    sequence->weights += layer->weights;
    sequence->buffers += layer->buffers;
    sequence->row += layer->out.size + layer->keep_row;
    sequence->fixed += layer->keep_fixed;
    *weight_at += layer->weights;
    *buffer_at += layer->buffers;
done:
    return status;
}

static bnre_status add_list(bnre__sequence *sequence, const bnre_node *list,
                            const char *place, size_t depth, size_t *weight_at,
                            size_t *buffer_at);

/* {repeat: {times: 3, layers: [...]}} */
static bnre_status add_repeat(bnre__sequence *sequence,
                              const bnre_node *settings, const char *place,
                              size_t depth, size_t *weight_at,
                              size_t *buffer_at)
{
    static const char *const keys[] = {"times", "layers", NULL};
    const bnre_node *times = bnre_node_find(settings, "times");
    const bnre_node *layers = bnre_node_find(settings, "layers");
    size_t count = 0;

    if (settings->kind != BNRE_NODE_MAP || times == NULL || layers == NULL ||
        times->kind != BNRE_NODE_TEXT)
        return bnre_node_fail(settings, "repeat needs {times: N, layers: "
                                        "[...]}");
    BNRE_DO(bnre_node_check_keys(settings, keys));
    BNRE_DO(bnre__read_size(times->text, "[1, 1000]", "times", &count));
    for (size_t i = 0; i < count; i++)
        BNRE_DO(
            add_list(sequence, layers, place, depth + 1, weight_at, buffer_at));
    return BNRE_OK;
}

static bnre_status add_list(bnre__sequence *sequence, const bnre_node *list,
                            const char *place, size_t depth, size_t *weight_at,
                            size_t *buffer_at)
{
    bnre_status status = BNRE_OK;

    if (list->kind != BNRE_NODE_LIST || depth > 16)
        return bnre_node_fail(list, "%s must be a list of layers", place);
    for (size_t i = 0; i < list->count; i++) {
        const bnre_node *item = list->child[i], *settings = NULL;
        const size_t number = sequence->count + 1;
        const char *name = item->text;

        if (item->kind == BNRE_NODE_MAP && item->count == 1) {
            settings = item->child[0];
            name = settings->key;
        }
        if (name == NULL)
            BNRE_TRY(bnre_node_fail(item,
                                    "%s: a layer is a name or {name: "
                                    "{settings}}",
                                    place));
        if (settings != NULL && strcmp(name, "repeat") == 0) {
            BNRE_TRY(add_repeat(sequence, settings, place, depth, weight_at,
                                buffer_at));
            continue;
        }
        status = add_layer(sequence, name, settings, weight_at, buffer_at);
        if (status == BNRE_EUSAGE)
            status = bnre_node_fail(item, "%s, layer %zu (%s): %s", place,
                                    number, name, bnre_error_message());
        BNRE_TRY(status);
    }
done:
    return status;
}

/* How many layers a list stands for: repeats in each other let few bytes ask
   for more than any memory holds. What is no list of layers is told later. */
static double count_layers(const bnre_node *list)
{
    double n = 0;

    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const bnre_node *item = list->child[i];
        const bnre_node *settings = item->count == 1 ? item->child[0] : NULL;
        const bnre_node *times = bnre_node_find(settings, "times");
        size_t count = 1;

        if (times == NULL || times->kind != BNRE_NODE_TEXT ||
            bnre__read_size(times->text, "[1, 1000]", "times", &count) !=
                BNRE_OK)
            count = 1;
        n += 1 + (double)count *
                     (count_layers(bnre_node_find(settings, "layers")) +
                      count_layers(bnre_node_find(settings, "shortcut")));
    }
    return n;
}

bnre_status bnre__sequence_create(const bnre_node *list, const bnre__shape *in,
                                  const char *place, size_t *weight_at,
                                  size_t *buffer_at, bnre__sequence **out)
{
    bnre_status status = BNRE_OK;
    bnre__sequence *sequence = NULL;

    *out = NULL;
    if (list != NULL && count_layers(list) > MOST_LAYERS)
        return bnre_node_fail(list,
                              "%s has more than %d layers, repeats counted as "
                              "often as they are made",
                              place, MOST_LAYERS);
    BNRE_NEW(sequence, 1);
    sequence->in = sequence->out = *in;
    if (list != NULL)
        BNRE_TRY(add_list(sequence, list, place, 0, weight_at, buffer_at));
    *out = sequence;
    sequence = NULL;
done:
    bnre__sequence_destroy(sequence);
    return status;
}

void bnre__sequence_destroy(bnre__sequence *sequence)
{
    if (sequence == NULL)
        return;
    for (size_t i = 0; i < sequence->count; i++)
        clear_layer(&sequence->layer[i]);
    bnre__free(sequence->layer);
    bnre__free(sequence);
}

void bnre__sequence_init(const bnre__sequence *sequence, bnre_rng *rng,
                         float *w, float *buffer)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const bnre__layer *layer = &sequence->layer[i];

        if (layer->type->init != NULL)
            layer->type->init(layer, rng, w + layer->weight_at,
                              buffer + layer->buffer_at);
    }
}

/* A copy of a settings tree under `key` of a map. */
static bnre_status copy_into(bnre_node *parent, const char *key,
                             const bnre_node *from)
{
    bnre_node *to = NULL;

    if (from->kind == BNRE_NODE_TEXT)
        return bnre_node_set(parent, key, from->text);
    BNRE_DO(bnre_node_branch(parent, key, from->kind, &to));
    for (size_t i = 0; i < from->count; i++)
        BNRE_DO(copy_into(to, from->child[i]->key, from->child[i]));
    return BNRE_OK;
}

bnre_status bnre__sequence_record(const bnre__sequence *sequence,
                                  bnre_node *list)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const bnre__layer *layer = &sequence->layer[i];
        bnre_node *map = NULL;

        if (layer->record == NULL) {
            BNRE_DO(bnre_node_set(list, NULL, layer->type->name));
            continue;
        }
        BNRE_DO(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &map));
        BNRE_DO(copy_into(map, layer->type->name, layer->record));
    }
    return BNRE_OK;
}

/* ---- running ---- */

const bnre__real *bnre__sequence_forward(const bnre__sequence *sequence,
                                         const bnre__pass *pass,
                                         const bnre__real *x, bnre__real *store)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const bnre__layer *layer = &sequence->layer[i];
        bnre__real *y = store, *keep = y + pass->n * layer->out.size;

        layer->type->forward(layer, pass, x, y, keep);
        x = y;
        store = keep + pass->n * layer->keep_row + layer->keep_fixed;
    }
    return x;
}

void bnre__sequence_backward(const bnre__sequence *sequence,
                             const bnre__pass *pass, const bnre__real *x,
                             const bnre__real *store, const bnre__real *dy,
                             bnre__real *dx, bnre__real *dstore)
{
    size_t at = pass->n * sequence->row + sequence->fixed;

    if (sequence->count == 0 && dx != NULL)
        memcpy(dx, dy, pass->n * sequence->in.size * sizeof *dx);
    for (size_t i = sequence->count; i-- > 0;) {
        const bnre__layer *layer = &sequence->layer[i];
        const size_t out = pass->n * layer->out.size;
        const bnre__real *input = x;
        bnre__real *dinput = dx;

        at -= out + pass->n * layer->keep_row + layer->keep_fixed;
        if (i > 0) { /* the input is the output of the layer before */
            const bnre__layer *before = layer - 1;
            const size_t back =
                pass->n * (before->out.size + before->keep_row) +
                before->keep_fixed;

            input = store + at - back;
            dinput = dstore + at - back;
        }
        layer->type->backward(layer, pass, input, store + at, store + at + out,
                              dy, dinput, dstore + at + out);
        dy = dinput;
    }
}
