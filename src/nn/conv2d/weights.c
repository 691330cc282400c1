/* weights.c - corners of 16 by 16 channels of a convolution's
   weights, with all their taps, from the net's order to packed ones and back.
   Whole corners are turned by vectors. */
#include <string.h>

#include "nn/conv2d/conv2d.h"

int bnre__conv2d_is_whole(const struct corner *at)
{
    return at->outs - at->out >= PANEL && at->ins - at->in >= PANEL;
}

/* Where the corner begins, and how far its rows are from each other. */
static size_t begin_of(const struct corner *at)
{
    return (at->out * at->ins + at->in) * at->taps;
}

static size_t row_of(const struct corner *at)
{
    return at->ins * at->taps;
}

void bnre__conv2d_take(const struct conv2d *engine, const struct corner *at,
                       const float *net, float *to)
{
    const float *from = net + begin_of(at);

    if (bnre__conv2d_is_whole(at)) {
        engine->kernels->turn(PANEL * at->taps, from, row_of(at), at->place,
                              to);
        return;
    }
    for (size_t j = 0; j < part_of(at->ins, at->in) * at->taps; j++)
        for (size_t k = 0; k < part_of(at->outs, at->out); k++)
            to[at->place[j] + k] = from[k * row_of(at) + j];
}

void bnre__conv2d_give(const struct conv2d *engine, const struct corner *at,
                       const float *from, float *net)
{
    float *to = net + begin_of(at);

    if (bnre__conv2d_is_whole(at)) {
        engine->kernels->turn_back(PANEL * at->taps, from, at->place, to,
                                   row_of(at));
        return;
    }
    for (size_t j = 0; j < part_of(at->ins, at->in) * at->taps; j++)
        for (size_t k = 0; k < part_of(at->outs, at->out); k++)
            to[k * row_of(at) + j] = from[at->place[j] + k];
}

void bnre__conv2d_turn_square(const struct conv2d *engine, const float *from,
                              float *to)
{
    static const size_t place[PANEL] = {0,   16,  32,  48,  64,  80,  96,  112,
                                        128, 144, 160, 176, 192, 208, 224, 240};

    engine->kernels->turn(PANEL, from, PANEL, place, to);
}
