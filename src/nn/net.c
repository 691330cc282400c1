/* net.c - from settings to a network: presets and repeats written out,
   shapes worked out, fresh weights. */
#include "nn/net.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"

/* {hidden: [128, 128], activation: selu} as a list of layers. */
static bnre_status expand_head(const bnre_node *head, size_t outputs,
                               bnre_node **out)
{
    static const char *const keys[] = {"hidden", "activation", NULL};
    bnre_status status = BNRE_OK;
    const bnre_node *hidden = bnre_node_find(head, "hidden");
    const bnre_node *activation = bnre_node_find(head, "activation");
    bnre_node *list = NULL;
    char last[32];

    *out = NULL;
    snprintf(last, sizeof last, "%zu", outputs);
    BNRE_TRY(bnre_node_check_keys(head, keys));
    if (hidden == NULL || hidden->kind != BNRE_NODE_LIST)
        BNRE_TRY(bnre_node_fail(head, "head needs {hidden: [widths], "
                                      "activation: selu}, or is a list of "
                                      "layers"));
    if (activation != NULL && activation->kind != BNRE_NODE_TEXT)
        BNRE_TRY(bnre_node_fail(activation, "activation is a name"));
    BNRE_TRY(bnre_node_create(BNRE_NODE_LIST, NULL, &list));
    for (size_t i = 0; i <= hidden->count; i++) {
        bnre_node *layer = NULL, *settings = NULL;
        const char *width = last;

        if (i < hidden->count)
            width = hidden->child[i]->text;
        if (width == NULL)
            BNRE_TRY(bnre_node_fail(hidden, "hidden is a list of widths"));
        BNRE_TRY(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &layer));
        BNRE_TRY(bnre_node_branch(layer, "linear", BNRE_NODE_MAP, &settings));
        BNRE_TRY(bnre_node_set(settings, "width", width));
        if (i < hidden->count)
            BNRE_TRY(bnre_node_set(
                list, NULL, activation == NULL ? "selu" : activation->text));
    }
    *out = list;
    list = NULL;
done:
    bnre_node_destroy(list);
    return status;
}

static bnre_status make_head(bnre__net *net, const bnre_node *head,
                             size_t *weight_at, size_t *buffer_at)
{
    bnre_status status = BNRE_OK;
    bnre_node *list = NULL;
    bnre__shape in;
    size_t width = net->embedding->out.size + net->dim_theta;
    char shape[128];

    BNRE_TRY(bnre__shape_set(&in, 1, &width));
    if (head->kind == BNRE_NODE_MAP) {
        BNRE_TRY(expand_head(head, net->outputs, &list));
        head = list;
    }
    BNRE_TRY(bnre__sequence_create(head, &in, "head", weight_at, buffer_at,
                                   &net->head));
    if (net->head->out.size != net->outputs)
        BNRE_THROW(BNRE_EUSAGE,
                   "the head ends with shape %s and must end with %zu value%s: "
                   "let its last layer be {linear: {width: %zu}}",
                   bnre__shape_text(&net->head->out, shape), net->outputs,
                   net->outputs == 1 ? "" : "s", net->outputs);
done:
    bnre_node_destroy(list);
    return status;
}

static bnre_status describe(bnre__net *net)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *list = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    if (net->embedding->count > 0) {
        BNRE_TRY(bnre_node_branch(root, "embedding", BNRE_NODE_LIST, &list));
        BNRE_TRY(bnre__sequence_record(net->embedding, list));
    }
    BNRE_TRY(bnre_node_branch(root, "head", BNRE_NODE_LIST, &list));
    BNRE_TRY(bnre__sequence_record(net->head, list));
    BNRE_TRY(
        bnre_node_set(root, "theta_first", net->theta_first ? "yes" : "no"));
    BNRE_TRY(bnre_node_write(root, &net->text));
done:
    bnre_node_destroy(root);
    return status;
}

static bnre_status make(const bnre_node *settings, bnre__net *net)
{
    static const char *const keys[] = {"embedding", "head", "theta_first",
                                       NULL};
    const bnre_node *head = bnre_node_find(settings, "head");
    const bnre_node *first = bnre_node_find(settings, "theta_first");
    const bnre_node *embedding = bnre_node_find(settings, "embedding");

    if (settings->kind != BNRE_NODE_MAP)
        return bnre_node_fail(settings, "network must be a map");
    BNRE_DO(bnre_node_check_keys(settings, keys));
    if (head == NULL)
        BNRE_DO(bnre_node_fail(settings, "network needs a head, such as head: "
                                         "{hidden: [128, 128], activation: "
                                         "selu}"));
    if (first != NULL) {
        BNRE_DO(bnre__read_choice(first->text == NULL ? "" : first->text,
                                  "no|yes|false|true|off|on|0|1", "theta_first",
                                  &net->theta_first));
        net->theta_first %= 2;
    }
    BNRE_DO(bnre__sequence_create(embedding, &net->x, "embedding",
                                  &net->weights, &net->buffers,
                                  &net->embedding));
    BNRE_DO(make_head(net, head, &net->weights, &net->buffers));
    return describe(net);
}

static bnre_status take_levels(bnre__net *net, const size_t *levels)
{
    bnre_status status = BNRE_OK;
    size_t wide = 0, any = 0;

    for (size_t i = 0; levels != NULL && i < net->given; i++) {
        wide += levels[i] > 0 ? levels[i] : 1;
        any += levels[i];
    }
    if (any == 0)
        return BNRE_OK;
    BNRE_NEW(net->levels, net->given);
    memcpy(net->levels, levels, net->given * sizeof *levels);
    net->dim_theta = wide;
done:
    return status;
}

void bnre__net_widen(const bnre__net *net, size_t n, size_t stride,
                     const float *theta, float *out)
{
    for (size_t i = 0; i < n; i++, theta += stride)
        for (size_t j = 0; j < net->given; j++) {
            const size_t levels = net->levels[j];
            const size_t is = theta[j] > 0 ? (size_t)(theta[j] + 0.5f) : 0;

            if (levels == 0)
                *out++ = theta[j];
            for (size_t k = 0; k < levels; k++)
                *out++ = k == (is < levels ? is : levels - 1);
        }
}

void bnre__net_narrow(const bnre__net *net, size_t n, const float *wide,
                      float *dtheta)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < net->given; j++) {
            const size_t levels = net->levels[j];

            *dtheta++ = levels == 0 ? *wide : 0;
            wide += levels == 0 ? 1 : levels;
        }
}

bnre_status bnre__net_create(const bnre_node *settings,
                             const bnre__net_input *input, bnre__net **out)
{
    bnre_status status = BNRE_OK;
    bnre__net *net = NULL;
    bnre_node *preset = NULL;
    const int is_name = settings != NULL && settings->kind == BNRE_NODE_TEXT;
    const bnre_node *name =
        is_name ? settings : bnre_node_find(settings, "preset");

    *out = NULL;
    BNRE_NEW(net, 1);
    net->given = net->dim_theta = input->dim_theta;
    BNRE_TRY(take_levels(net, input->levels));
    net->outputs = input->outputs > 0 ? input->outputs : 1;
    BNRE_TRY(bnre__shape_set(&net->x, input->ndim, input->shape));
    if (settings == NULL || name != NULL) {
        if (name != NULL && (name->kind != BNRE_NODE_TEXT ||
                             (!is_name && settings->count != 1)))
            BNRE_TRY(bnre_node_fail(name, "preset is a name and stands alone"));
        status = bnre__net_preset(name == NULL ? "mlp" : name->text, &net->x,
                                  &preset);
        if (status == BNRE_EUSAGE && name != NULL)
            status = bnre_node_fail(name, "%s", bnre_error_message());
        BNRE_TRY(status);
        settings = preset;
    }
    BNRE_TRY(make(settings, net));
    *out = net;
    net = NULL;
done:
    bnre_node_destroy(preset);
    bnre__net_destroy(net);
    return status;
}

void bnre__net_destroy(bnre__net *net)
{
    if (net == NULL)
        return;
    bnre__sequence_destroy(net->head);
    bnre__sequence_destroy(net->embedding);
    bnre__free(net->levels);
    bnre__free(net->text);
    bnre__free(net);
}

const char *bnre__net_text(const bnre__net *net)
{
    return net->text;
}

size_t bnre__net_weights(const bnre__net *net)
{
    return net->weights;
}

size_t bnre__net_buffers(const bnre__net *net)
{
    return net->buffers;
}

void bnre__net_init(const bnre__net *net, bnre_rng *rng, float *weights,
                    float *buffers)
{
    bnre__sequence_init(net->embedding, rng, weights, buffers);
    bnre__sequence_init(net->head, rng, weights, buffers);
}

/* ---- doubts ---- */

static const bnre__layer *first_convolution(const bnre__sequence *embedding)
{
    for (size_t i = 0; i < embedding->count; i++)
        if (embedding->layer[i].type == &bnre__layer_conv1d ||
            embedding->layer[i].type == &bnre__layer_conv2d)
            return &embedding->layer[i];
    return NULL;
}

int bnre__net_doubt(const bnre__net *net, char out[BNRE__NET_DOUBT])
{
    enum { COLOURS = 4 }; /* pictures have few, and rows and columns more */
    const bnre__layer *conv = first_convolution(net->embedding);
    const size_t *dim = conv == NULL ? NULL : conv->in.dim;
    char shape[128];

    out[0] = 0;
    if (conv == NULL)
        return 0;
    bnre__shape_text(&conv->in, shape);
    if (conv->type == &bnre__layer_conv1d && dim[0] > dim[1])
        snprintf(out, BNRE__NET_DOUBT,
                 "the network takes shape %s as %zu channels of length %zu: if "
                 "these are %zu series of length %zu, let the embedding begin "
                 "with the layer transpose (docs/networks.md)",
                 shape, dim[0], dim[1], dim[1], dim[0]);
    else if (conv->type == &bnre__layer_conv2d && dim[2] <= COLOURS &&
             dim[0] > COLOURS)
        snprintf(out, BNRE__NET_DOUBT,
                 "the network takes shape %s as %zu channels of %zu x %zu "
                 "pixels: if these are %zu channels of %zu x %zu, let x have "
                 "the shape (%zu, %zu, %zu) (docs/networks.md)",
                 shape, dim[0], dim[1], dim[2], dim[2], dim[0], dim[1], dim[2],
                 dim[0], dim[1]);
    return out[0] != 0;
}
