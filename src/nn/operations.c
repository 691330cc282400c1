/* operations.c - counting the multiply-adds that a network needs, layer by
   layer. */
#include "nn/operations.h"

#include <math.h>

#include "nn/net.h"

struct work {
    double all;   /* of a row forward */
    double first; /* of the first layer alone: nothing goes back beyond it */
};

static int is_affine(const bnre__layer *layer)
{
    return layer->type == &bnre__layer_conv1d && layer->kernel[1] == 1;
}

/* Of a layer for each of its output positions. */
static double work_of_position(const bnre__layer *layer)
{
    if (layer->type == &bnre__layer_conv1d || /* whose kernel[0] is 1 */
        layer->type == &bnre__layer_conv2d)
        return (double)(layer->out.dim[0] * layer->in.dim[0] *
                        layer->kernel[0] * layer->kernel[1]);
    if (layer->type == &bnre__layer_linear)
        return (double)(layer->out.dim[layer->out.ndim - 1] *
                        layer->in.dim[layer->in.ndim - 1]);
    return 0;
}

static double positions(const bnre__layer *layer)
{
    if (layer->type == &bnre__layer_linear)
        return (double)(layer->out.size / layer->out.dim[layer->out.ndim - 1]);
    return (double)(layer->out.size / layer->out.dim[0]);
}

/* From the last layer to the first; `needed` is how many positions of a layer's
   output matter. */
static struct work work_of_sequence(const bnre__sequence *s)
{
    struct work work = {0, 0};
    double needed = HUGE_VAL;

    for (size_t i = s->count; i-- > 0;) {
        const bnre__layer *layer = &s->layer[i];
        double here = work_of_position(layer);

        for (int b = 0; b < 2; b++)
            if (layer->branch[b] != NULL)
                work.all += work_of_sequence(layer->branch[b]).all;
        needed = fmin(needed, positions(layer));
        if (layer->type == &bnre__layer_conv1d && i > 0 &&
            is_affine(&s->layer[i - 1]) && layer->padding[1] == 0)
            here *=
                (double)s->layer[i - 1].in.dim[0] / (double)layer->in.dim[0];
        if (is_affine(layer) && i + 1 < s->count &&
            s->layer[i + 1].type == &bnre__layer_conv1d &&
            s->layer[i + 1].padding[1] == 0)
            here = 0; /* within the next */
        work.all += here * needed;
        if (here > 0)
            work.first = here * needed;
        if (layer->type == &bnre__layer_conv1d)
            needed *= (double)layer->kernel[1];
        else if (layer->in.ndim != layer->out.ndim ||
                 layer->in.size != layer->out.size)
            needed = HUGE_VAL; /* pooled, flattened: all of it */
    }
    return work;
}

bnre__work bnre__net_work(const bnre__net *net)
{
    const struct work embedding = work_of_sequence(net->embedding);
    /* The head: its first layer's parts of phi and of theta, and the rest. */
    const bnre__layer *first = &net->head->layer[0];
    const double width =
        first->type == &bnre__layer_linear ? (double)first->out.size : 0;
    const double phi = (double)net->embedding->out.size * width;
    const double theta = (double)net->dim_theta * width;
    const double rest = work_of_sequence(net->head).all - phi - theta;
    const double ways = embedding.all > 0 ? 3 : 2;

    return (bnre__work){.step = 3 * embedding.all - embedding.first +
                                ways * phi + 2 * (2 * theta + 3 * rest),
                        .x = embedding.all + phi,
                        .theta = theta + rest};
}
