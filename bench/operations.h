/* operations.h - how many multiply-adds a network needs.

   What has to be computed, not what any program computes: phi(x) once for the
   joint and the marginal pair and once for a grid; of a dilated stack only the
   positions that reach its output; an affine layer without activation together
   with the next. Additions, activations, norms and maxima are not counted. A
   program that does better (Winograd's convolutions) goes beyond the peak. */
#ifndef BNRE_BENCH_OPERATIONS_H
#define BNRE_BENCH_OPERATIONS_H

#include "nn/net.h"

struct bench_work {
    double all;   /* multiply-adds of a row forward */
    double first; /* of the first layer alone: nothing goes back beyond it */
};

static inline double bench_at_most(double a, double b)
{
    return a < b ? a : b;
}

static inline int bench_is_affine(const bnre__layer *layer)
{
    return layer->type == &bnre__layer_conv1d && layer->kernel[1] == 1;
}

/* Multiply-adds of a layer for each of its output positions. */
static inline double bench_position_work(const bnre__layer *layer)
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

static inline double bench_positions(const bnre__layer *layer)
{
    if (layer->type == &bnre__layer_linear)
        return (double)(layer->out.size / layer->out.dim[layer->out.ndim - 1]);
    return (double)(layer->out.size / layer->out.dim[0]);
}

/* From the last layer to the first; `needed` is how many positions of a layer's
   output matter. */
static inline struct bench_work bench_sequence_work(const bnre__sequence *s)
{
    struct bench_work work = {0, 0};
    double needed = 1e300;

    for (size_t i = s->count; i-- > 0;) {
        const bnre__layer *layer = &s->layer[i];
        double here = bench_position_work(layer);

        for (int b = 0; b < 2; b++)
            if (layer->branch[b] != NULL)
                work.all += bench_sequence_work(layer->branch[b]).all;
        needed = bench_at_most(needed, bench_positions(layer));
        if (layer->type == &bnre__layer_conv1d && i > 0 &&
            bench_is_affine(&s->layer[i - 1]) && layer->padding[1] == 0)
            here *=
                (double)s->layer[i - 1].in.dim[0] / (double)layer->in.dim[0];
        if (bench_is_affine(layer) && i + 1 < s->count &&
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
            needed = 1e300; /* pooled, flattened: all of it */
    }
    return work;
}

/* The head: its first layer's parts of phi and of theta, and the rest. */
struct bench_head_work {
    double phi, theta, rest;
};

static inline struct bench_head_work bench_head_work(const bnre_net *net)
{
    const bnre__layer *first = &net->head->layer[0];
    const double width = (double)first->out.size;

    return (struct bench_head_work){
        .phi = (double)net->embedding->out.size * width,
        .theta = (double)net->dim_theta * width,
        .rest =
            bench_sequence_work(net->head).all - (double)first->in.size * width,
    };
}

/* Operations (two for a multiply-add) of a training step with n simulations:
   forward, to the weights, and to the inputs where anything is to be learnt
   before them. */
static inline double bench_step_operations(const bnre_net *net, size_t n)
{
    const struct bench_work embedding = bench_sequence_work(net->embedding);
    const struct bench_head_work head = bench_head_work(net);
    const double phi = embedding.all > 0 ? 3 : 2;

    return 2 * (double)n *
           (3 * embedding.all - embedding.first + phi * head.phi +
            2 * (2 * head.theta + 3 * head.rest));
}

/* Operations of log ratios at n nodes for one x. */
static inline double bench_grid_operations(const bnre_net *net, size_t n)
{
    const struct bench_head_work head = bench_head_work(net);

    return 2 * (bench_sequence_work(net->embedding).all + head.phi +
                (double)n * (head.theta + head.rest));
}

#endif
