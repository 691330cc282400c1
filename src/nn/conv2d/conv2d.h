/* conv2d.h - fast embeddings of pictures: what they consist of.

   The layers of a net become operations on values, in the layout of
   num/conv2d.h. Norms, the sum of a residual block and the activation after it
   are one operation. What an operation does is in a table of its own type. */
#ifndef BNRE_NN_CONV2D_H
#define BNRE_NN_CONV2D_H

#include "nn/embed.h"
#include "nn/net.h"
#include "num/conv2d.h"

enum { PANEL = BNRE__PANEL };

/* What flows between operations, for n pictures. */
struct value {
    size_t channels, height, width;
    size_t panels, positions;
    size_t uses;   /* as an input */
    size_t shares; /* the value whose memory it has, or its own index */
    float *y, *dy; /* (panels, positions, n, 16) */
};

struct conv2d;
struct op;

struct op_type {
    /* Tables, into op->state, and how to free them; NULL: there are none. */
    bnre_status (*create)(struct conv2d *engine, struct op *op);
    void (*destroy)(struct op *op);
    /* New weights; NULL: there are none. */
    void (*set)(struct conv2d *engine, struct op *op);
    void (*forward)(struct conv2d *engine, struct op *op);
    /* To the inputs' dy, and to the place of its weights in dw unless NULL. */
    void (*backward)(struct conv2d *engine, struct op *op, float *dw);
};

struct op {
    const struct op_type *type;
    const bnre__layer *layer;   /* NULL for pure sums and activations */
    const bnre__layer *norm[2]; /* of the inputs, before they are added */
    bnre__activation activation;
    float slope;
    size_t inputs, in[2], out; /* values */
    int add[2]; /* the input's dy has been set by a later operation */
    void *state;
};

/* A piece of memory, and whether a value is in it that is still needed. */
struct room {
    float *data;
    size_t size;
    int busy;
};

struct conv2d {
    const bnre__net *net;
    const bnre__kernels *all;
    const bnre__conv2d_kernels *kernels; /* of all */
    bnre_pool *pool;
    size_t batch;
    int train; /* room for the way back */

    size_t values, value_room, ops, op_room, rooms, room_room;
    struct value *value; /* the first is x */
    struct op *op;
    struct room *room; /* where the values are */
    size_t result;     /* the value that is phi */
    size_t prescale;   /* so many fixed scalings come first of all */

    const float *w; /* borrowed: all of the net */
    float *buffer;
    size_t n;
    int training;   /* the last forward pass */
    int want_dx;    /* this way back */
    const float *x; /* (n, x): scaled, if that comes first */
    float *scaled;  /* (batch, x) or NULL */
    float *rows;    /* (height, batch, width, channels): x for a convolution */
    float *phi;     /* (batch, phi) */

    bnre__term *term; /* (threads, term_room) */
    size_t term_room;
    float *scratch; /* shared by operations, one at a time */
    size_t scratch_room;
};

extern const struct op_type bnre__conv2d_direct, bnre__conv2d_winograd,
    bnre__conv2d_point, bnre__conv2d_gelu, bnre__conv2d_maxpool,
    bnre__conv2d_avgpool, bnre__conv2d_flatten, bnre__conv2d_scale;

/* Whether all layers of a net's embedding are known, and the operations of such
   a net. */
int bnre__conv2d_fits(const bnre__net *net);
BNRE_MUST_CHECK bnre_status bnre__conv2d_lower(struct conv2d *engine);

/* Whether a layer is a convolution for bnre__conv2d_winograd. */
int bnre__conv2d_is_winograd(const bnre__layer *layer);

/* The gradient of the biases of one panel of outputs. */
void bnre__conv2d_bias_gradient(const struct conv2d *engine,
                                const struct value *out, size_t panel,
                                float *dbias);

/* Weights of 16 outputs and 16 inputs, from `out` and `in` of all on: tap t
   from input c to output k is (c taps + t) among the `place`s of packed ones,
   and k there. */
struct corner {
    size_t outs, ins, taps;
    size_t out, in;
    const size_t *place; /* (16 * taps) */
};

/* Whether there are so many channels. */
int bnre__conv2d_is_whole(const struct corner *at);
/* From the net's order, as far as there are channels, and back. */
void bnre__conv2d_take(const struct conv2d *engine, const struct corner *at,
                       const float *net, float *to);
void bnre__conv2d_give(const struct conv2d *engine, const struct corner *at,
                       const float *from, float *net);
/* The transpose of 16 by 16. */
void bnre__conv2d_turn_square(const struct conv2d *engine, const float *from,
                              float *to);

/* fn(engine and op, worker, first, last) over n tasks. */
struct task {
    struct conv2d *engine;
    struct op *op;
    float *dw;
};
void bnre__conv2d_share(struct task *task, size_t n, bnre_pool_fn fn);

static inline size_t up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Channels of a panel that begins at `first`. */
static inline size_t part_of(size_t all, size_t first)
{
    return all - first < PANEL ? all - first : PANEL;
}

/* Floats of one panel, and of all. */
static inline size_t panel_size(const struct conv2d *engine,
                                const struct value *value)
{
    return value->positions * engine->n * PANEL;
}

static inline size_t value_room(const struct conv2d *engine,
                                const struct value *value)
{
    return value->panels * value->positions * engine->batch * PANEL;
}

/* Whether the way back has to reach a value. */
static inline int wanted(const struct conv2d *engine, size_t value)
{
    return value > 0 || engine->want_dx;
}

#endif
