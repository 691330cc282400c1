/* reshape.c - the same values in another shape, order or scale. */
#include <string.h>

#include "base/mem.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "nn/layers/layer.h"

/* ---- flatten, reshape: no value moves ---- */

static bnre_status create_flatten(bnre__layer *layer, const bnre_node *settings)
{
    (void)settings;
    return bnre__shape_set(&layer->out, 1, &layer->in.size);
}

/* reshape: {shape: [2, 64]} */
static bnre_status create_reshape(bnre__layer *layer, const bnre_node *settings)
{
    const bnre_node *list = bnre_node_find(settings, "shape");
    size_t dim[BNRE__MAX_SHAPE];
    bnre_node *record = NULL;
    char from[128], to[128];

    if (list == NULL || list->kind != BNRE_NODE_LIST || list->count == 0 ||
        list->count > BNRE__MAX_SHAPE)
        return bnre_fail(BNRE_EUSAGE,
                         "reshape needs a shape such as {shape: [2, 64]}");
    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, &layer->record));
    BNRE_DO(bnre_node_branch(layer->record, "shape", BNRE_NODE_LIST, &record));
    for (size_t i = 0; i < list->count; i++) {
        BNRE_DO(bnre__read_size(
            list->child[i]->text == NULL ? "" : list->child[i]->text,
            "[1, inf)", "a length of the shape", &dim[i]));
        BNRE_DO(bnre_node_set(record, NULL, list->child[i]->text));
    }
    BNRE_DO(bnre__shape_set(&layer->out, list->count, dim));
    if (layer->out.size != layer->in.size)
        return bnre_fail(BNRE_EUSAGE, "%s has %zu values, %s has %zu",
                         bnre__shape_text(&layer->out, to), layer->out.size,
                         bnre__shape_text(&layer->in, from), layer->in.size);
    return BNRE_OK;
}

static void forward_copy(const bnre__layer *layer, const bnre__pass *pass,
                         const bnre__real *x, bnre__real *y, bnre__real *keep)
{
    (void)keep;
    memcpy(y, x, pass->n * layer->in.size * sizeof *x);
}

static void backward_copy(const bnre__layer *layer, const bnre__pass *pass,
                          const bnre__real *x, const bnre__real *y,
                          const bnre__real *keep, const bnre__real *dy,
                          bnre__real *dx, bnre__real *dkeep)
{
    (void)x;
    (void)y;
    (void)keep;
    (void)dkeep;
    if (dx != NULL)
        memcpy(dx, dy, pass->n * layer->in.size * sizeof *dx);
}

const bnre__layer_type bnre__layer_flatten = {
    .name = "flatten",
    .create = create_flatten,
    .forward = forward_copy,
    .backward = backward_copy,
};

const bnre__layer_type bnre__layer_reshape = {
    .name = "reshape",
    .keys = (const char *const[]){"shape", NULL},
    .create = create_reshape,
    .forward = forward_copy,
    .backward = backward_copy,
};

/* ---- transpose: (a, b) -> (b, a), such as (time, channel) to channels ---- */

static bnre_status create_transpose(bnre__layer *layer,
                                    const bnre_node *settings)
{
    size_t turned[2];

    (void)settings;
    if (layer->in.ndim != 2)
        return bnre__layer_mismatch(layer, "two dimensions");
    turned[0] = layer->in.dim[1];
    turned[1] = layer->in.dim[0];
    return bnre__shape_set(&layer->out, 2, turned);
}

static void transpose(size_t n, size_t rows, size_t columns,
                      const bnre__real *from, bnre__real *to)
{
    for (size_t k = 0; k < n; k++, from += rows * columns, to += rows * columns)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                to[j * rows + i] = from[i * columns + j];
}

static void forward_transpose(const bnre__layer *layer, const bnre__pass *pass,
                              const bnre__real *x, bnre__real *y,
                              bnre__real *keep)
{
    (void)keep;
    transpose(pass->n, layer->in.dim[0], layer->in.dim[1], x, y);
}

static void backward_transpose(const bnre__layer *layer, const bnre__pass *pass,
                               const bnre__real *x, const bnre__real *y,
                               const bnre__real *keep, const bnre__real *dy,
                               bnre__real *dx, bnre__real *dkeep)
{
    (void)x;
    (void)y;
    (void)keep;
    (void)dkeep;
    if (dx != NULL)
        transpose(pass->n, layer->out.dim[0], layer->out.dim[1], dy, dx);
}

const bnre__layer_type bnre__layer_transpose = {
    .name = "transpose",
    .create = create_transpose,
    .forward = forward_transpose,
    .backward = backward_transpose,
};

/* ---- scale: fixed y = (x - shift) / scale, one number or one per value ----
 */

static bnre_status read_values(bnre__layer *layer, const bnre_node *settings,
                               const char *key, const char *rule, double preset,
                               bnre__real **out)
{
    bnre_status status = BNRE_OK;
    const bnre_node *node = bnre_node_find(settings, key);
    bnre_node *list = NULL;
    double value = preset;

    BNRE_NEW(*out, layer->in.size);
    if (node == NULL || node->kind == BNRE_NODE_TEXT) {
        BNRE_TRY(bnre__layer_real(layer, settings, key, preset, rule, &value));
        for (size_t i = 0; i < layer->in.size; i++)
            (*out)[i] = (bnre__real)value;
        goto done;
    }
    if (node->kind != BNRE_NODE_LIST || node->count != layer->in.size)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s must be one number or %zu of them, one for each value",
                   key, layer->in.size);
    if (layer->record == NULL)
        BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &layer->record));
    BNRE_TRY(bnre_node_branch(layer->record, key, BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < node->count; i++) {
        const char *text = node->child[i]->text;

        BNRE_TRY(bnre__read_real(text == NULL ? "" : text, rule, key, &value));
        BNRE_TRY(bnre_node_set(list, NULL, text));
        (*out)[i] = (bnre__real)value;
    }
done:
    return status;
}

static bnre_status create_scale(bnre__layer *layer, const bnre_node *settings)
{
    layer->out = layer->in;
    BNRE_DO(
        read_values(layer, settings, "shift", "(-inf, inf)", 0, &layer->shift));
    return read_values(layer, settings, "scale", "(0, inf)", 1, &layer->scale);
}

static void forward_scale(const bnre__layer *layer, const bnre__pass *pass,
                          const bnre__real *x, bnre__real *y, bnre__real *keep)
{
    const size_t size = layer->in.size;

    (void)keep;
    for (size_t i = 0; i < pass->n * size; i++)
        y[i] = (x[i] - layer->shift[i % size]) / layer->scale[i % size];
}

static void backward_scale(const bnre__layer *layer, const bnre__pass *pass,
                           const bnre__real *x, const bnre__real *y,
                           const bnre__real *keep, const bnre__real *dy,
                           bnre__real *dx, bnre__real *dkeep)
{
    const size_t size = layer->in.size;

    (void)x;
    (void)y;
    (void)keep;
    (void)dkeep;
    for (size_t i = 0; dx != NULL && i < pass->n * size; i++)
        dx[i] = dy[i] / layer->scale[i % size];
}

const bnre__layer_type bnre__layer_scale = {
    .name = "scale",
    .keys = (const char *const[]){"shift", "scale", NULL},
    .create = create_scale,
    .forward = forward_scale,
    .backward = backward_scale,
};
