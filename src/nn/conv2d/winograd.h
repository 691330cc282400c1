/* winograd.h - convolutions three by three by fewer products (Lavin and Gray
   2016; num/winograd.h says how many).

   A picture is cut into tiles of up to five by five outputs (num/winograd.h).
   Inputs go to points, where each point has a product of its own, of all tiles
   and pictures with that point's weights; results go back to outputs. What
   belongs to a point p is, for `count` pictures,

     data[((before[p] * panels + panel * tiles[p]) + tile) * count * 16 ...]

   Larger tiles come first, so that those which have a point are the first ones.
   Pictures are treated in blocks that stay in cache. */
#ifndef BNRE_NN_CONV2D_WINOGRAD_H
#define BNRE_NN_CONV2D_WINOGRAD_H

#include "nn/conv2d/conv2d.h"
#include "num/winograd.h"

enum {
    STRIP = 8, /* pictures whose tiles are made at a time */
    LENGTH = STRIP * PANEL,
    SQUARE = PANEL * PANEL
};

/* How one dimension is cut. */
struct cut {
    size_t length, inputs, padding; /* outputs, inputs */
    size_t tiles, points;
    int kind;                        /* of the first tile, the largest */
    int *tile;                       /* (tiles): kinds */
    size_t *start;                   /* (tiles): first outputs */
    size_t having[BNRE__MAX_POINTS]; /* so many tiles have a point */
};

struct winograd {
    struct cut rows, columns;
    size_t points, all_tiles; /* sum over points */
    size_t tiles[BNRE__MAX_POINTS * BNRE__MAX_POINTS];
    size_t before[BNRE__MAX_POINTS * BNRE__MAX_POINTS];
    size_t in_channels, out_channels;
    float *w, *turned; /* (points, panels, channels, 16) */
    float *bias;
    size_t place[9 * PANEL]; /* of a corner's weights: (9, inputs, 16) */
    size_t block;            /* pictures at most */

    /* This pass: */
    size_t first, count; /* pictures */
    int backward;
    float *v, *m, *dv, *du, *worker; /* in the engine's scratch */
    size_t worker_room;
};

/* Where a worker has room of its own: see tiles and weights. */
static inline float *worker_area(const struct conv2d *engine,
                                 const struct winograd *w, size_t worker)
{
    return engine->scratch + worker * w->worker_room;
}

/* So many lines of LENGTH does a worker need for tiles. */
size_t bnre__winograd_lines(const struct winograd *w);

/* A task's item is a strip of pictures and a panel: this many strips. */
static inline size_t strips_of(const struct winograd *w)
{
    return (w->count + STRIP - 1) / STRIP;
}

/* Between pictures and points, for a struct task: the input's values to w->v,
   w->m to the output's values; gradients of those to w->m, and w->dv to the
   gradients of the inputs. */
bnre_status bnre__winograd_inputs(void *task, size_t worker, size_t first,
                                  size_t last);
bnre_status bnre__winograd_outputs(void *task, size_t worker, size_t first,
                                   size_t last);
bnre_status bnre__winograd_outputs_back(void *task, size_t worker, size_t first,
                                        size_t last);
bnre_status bnre__winograd_inputs_back(void *task, size_t worker, size_t first,
                                       size_t last);

#endif
