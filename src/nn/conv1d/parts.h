/* parts.h - what the engine of 1-D convolutions consists of.

   The embedding becomes a chain of stages, each of them an affine map, a
   maximum over windows and an activation, any of which may be missing. Between
   stages there are signals, of which only the positions that reach the output
   exist. Layouts are those of num/conv1d.h: groups of `side` observations.

     read.c       layers -> stages
     affine.c     affine maps: folded, packed, and back
     positions.c  what is needed of signals, and where it is
     lists.c      who meets whom
     input.c      x and phi, between rows and groups
     run.c        forward, backward
     conv1d.c     the engine */
#ifndef BNRE_NN_CONV1D_PARTS_H
#define BNRE_NN_CONV1D_PARTS_H

#include "bnre/pool.h"
#include "nn/net.h"
#include "num/conv1d.h"

enum {
    QUAD = BNRE__QUAD,
    TILE1D = BNRE__TILE1D,
    PART =
        8 /* observations whose gradients are added up by themselves: the same
                sums for any number that lies side by side */
};

#define NOWHERE UINT32_MAX

static inline size_t up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* What a layer means here. */
typedef enum op_kind {
    OP_NOTHING, /* the same values in another shape, or before the first stage
                 */
    OP_AFFINE,
    OP_POOL,
    OP_ACTIVATION,
    OP_GELU
} op_kind;

struct op {
    op_kind kind;
    const bnre__layer *layer;
    size_t in, out, length, out_length; /* channels and positions */
    size_t taps, stride, padding, dilation;
    bnre__activation activation;
};

/* Reading layers one after the other. */
struct walk {
    int started; /* a layer was met that is not for the input map */
    size_t channels, length;
};

/* The meaning of the next layer; 0 if it has none here. */
int bnre__conv1d_read(const bnre__layer *layer, struct walk *walk,
                      struct op *op);

/* An affine map: a layer, or two maps made one. w is (out, in + ones, taps) in
   the order of the net; `ones` stands for a further input that is 1 wherever
   there is no padding. */
struct affine {
    struct op op;                  /* of a fold: with the sizes of the whole */
    struct affine *first, *second; /* of a fold; else NULL */
    int ones;
    float *w, *b, *dw, *db;
};

BNRE_MUST_CHECK bnre_status bnre__affine_create(const struct op *op,
                                                struct affine **out);
void bnre__affine_destroy(struct affine *affine);

/* Whether second after first is one map that costs no more; at_input: first
   sees x itself, to which a further input of ones may be added. */
int bnre__affine_folds(const struct affine *first, const struct affine *second,
                       int at_input);
/* Takes both. */
BNRE_MUST_CHECK bnre_status bnre__affine_fold(struct affine *first,
                                              struct affine *second,
                                              struct affine **out);

/* From the net's weights to w and b, and from dw and db to the net's. */
void bnre__affine_set(struct affine *affine, const float *weights);
void bnre__affine_unfold(struct affine *affine, float *gradient);

/* A signal of one group of observations. */
struct signal {
    size_t channels, length; /* as in the net */
    int ones;                /* a channel of ones besides */
    size_t count;            /* positions that are needed */
    uint32_t *position;      /* (count) ascending */
    uint32_t *index;         /* (length): which of them, or NOWHERE */
    size_t step, d_step;     /* floats of a position; of its derivative */
    size_t front;            /* positions of zeros before (and after) */
    size_t size, d_size;     /* floats in all */
    size_t at;               /* where in the room of a group */
};

/* Positions with even steps from one to the next. */
struct run {
    size_t first, last, step, term_at, terms;
};

struct list {
    uint32_t *data;
    size_t count, room;
};

struct tiles {
    bnre__tile1d *tile;
    size_t count, room, side; /* side: as the engine has it */
    struct list list;
};

struct stage {
    struct affine *affine; /* or NULL */
    int pooled, gelu;
    size_t kernel, stride, padding; /* of the windows */
    bnre__activation activation;
    float slope;
    struct signal *in, *z, *out; /* z: before maxima; else the same as out */

    /* The affine map. */
    size_t rows, quads, back_rows, back_quads;
    float *w, *bias, *back; /* packed; back: for the way back */
    struct tiles forward, backward;
    uint32_t *ready; /* (blocks of z): tiles of the way back that need no
                        later block */
    struct run *run;
    size_t runs, run_room;
    bnre__term1d *term;
    size_t terms, term_room;
    size_t sums_at; /* gradient of this stage among all, in vectors */

    /* The windows. */
    uint32_t *start, *window; /* (out count): first position of z, how many */
    uint32_t *first, *having; /* (z count): first window, how many */
    size_t place_at;          /* in the room of a group */
};

/* What one thread works with. */
struct workspace {
    float *z;      /* before maxima, and their derivative */
    float *d[2];   /* derivatives of two neighbouring signals */
    float *sums;   /* (gradients, side) */
    float **chunk; /* (tree): signals of a chunk */
    float *dchunk[2];
};

struct engine {
    const bnre__net *net;
    const bnre__conv1d_kernels *kernels;
    const bnre__kernels *all_kernels;
    bnre_pool *pool;
    int train;
    size_t batch;
    size_t side;  /* observations side by side, in a group */
    size_t block; /* positions whose gradients stay in the first cache */

    size_t stages, signals; /* room of signals: two for each stage, and x */
    size_t bottom;          /* the first stage with weights */
    struct stage *stage;
    struct signal *signal;

    /* Values of x that are needed, by chunk, then in the order of x: value
       from[i] of a row goes to to[i] of a chunk's signal, as (x - shift[i]) *
       factor[i]; its derivative is at d_to[i]. */
    size_t values;
    uint32_t *from, *to, *d_to;
    float *shift, *factor;
    int scaled;

    /* The first `tree` stages have outputs that share no inputs: they are run
       chunk by chunk, from x to the signal after them, and again on the way
       back instead of being kept. */
    size_t tree, chunks; /* chunks is 1 if there is no tree */

    size_t rooms, room_size, place_size;
    float *room;     /* (rooms, room_size): signals of each group, or thread */
    uint32_t *place; /* (rooms, place_size) */
    struct workspace *workspace; /* (threads) */
    size_t workspaces;

    size_t gradients; /* of packed weights and biases, all stages */
    float *partial;   /* (parts, gradients) */
    float *total;     /* (gradients) */
    const float *weights;
    float *phi; /* (batch, phi) */

    /* The passes. */
    size_t n;
    const float *x, *dphi;
    float *dx;
    int want_gradient;
};

/* Making an engine, in this order. */
BNRE_MUST_CHECK bnre_status bnre__conv1d_stages(struct engine *engine);
BNRE_MUST_CHECK bnre_status bnre__conv1d_positions(struct engine *engine);
BNRE_MUST_CHECK bnre_status bnre__conv1d_lists(struct engine *engine);
BNRE_MUST_CHECK bnre_status bnre__conv1d_input(struct engine *engine);

/* Weights of all stages from the net's; the way back of gradients. */
void bnre__conv1d_pack(struct engine *engine);
void bnre__conv1d_unpack(struct engine *engine, float *gradient);

/* A chunk (of a tree, else there is one) of x of group g, to a signal. */
void bnre__conv1d_load(const struct engine *engine, size_t g, size_t chunk,
                       float *to);
void bnre__conv1d_store_dx(const struct engine *engine, size_t g, size_t chunk,
                           const float *d);
void bnre__conv1d_store_phi(const struct engine *engine, size_t g,
                            const float *signal);
void bnre__conv1d_load_dphi(const struct engine *engine, size_t g, float *d);

/* One group forward and back. */
void bnre__conv1d_forward(const struct engine *engine, size_t worker, size_t g);
void bnre__conv1d_backward(const struct engine *engine, size_t worker,
                           size_t g);

#endif
