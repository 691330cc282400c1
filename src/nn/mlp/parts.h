/* parts.h - what a fast head consists of; for mlp.c and run.c. */
#ifndef BNRE_NN_MLP_PARTS_H
#define BNRE_NN_MLP_PARTS_H

#include "nn/mlp/mlp.h"
#include "nn/net.h"

enum {
    PANEL = BNRE__PANEL,
    TILE = BNRE__TILE,
    GRADIENT = 3, /* after weights and the two moments */
    BLOCKS
};

/* One product's weights, moments and stored gradient, packed (inputs, outputs)
   with outputs padded to panels, and its biases. */
struct matrix {
    size_t inputs, outputs; /* as in the net */
    size_t panels;          /* of the outputs */
    size_t net_weight_at, net_input_at, net_inputs, net_bias_at;
    int bias;
    float *block[BLOCKS], *bias_block[BLOCKS];
    float *transpose; /* packed (outputs, inputs), both padded */
};

struct bnre__mlp {
    const bnre__net *net;
    const bnre__kernels *kernels;
    bnre_pool *pool;
    bnre__activation activation; /* within products; none for gelu, */
    int gelu;                    /* which comes after them */
    float slope;

    size_t layers;        /* hidden ones */
    struct matrix phi;    /* first layer, part of phi */
    struct matrix *layer; /* (layers): the first is the part of theta */
    /* The output layer: a product like the others if it has several outputs,
       a vector if it has one. */
    struct matrix several; /* no panels: there is one */
    size_t last_weight_at, last_bias_at;
    float *last[BLOCKS]; /* padded */
    float last_bias[BLOCKS];

    size_t observations, observation_rows; /* now; room */
    size_t pairs, pair_rows;
    int shares;          /* base alone is its own of what follows */
    float *phi_panels;   /* (observation_rows, phi) */
    float *base;         /* (observation_rows, first width): W phi */
    float *theta_panels; /* (pair_rows, theta) */
    uint32_t *index;     /* (pair_rows) */
    float **y, **dy;     /* (layers): (pair_rows, width) each */
    float **z;           /* likewise, arguments of gelu, then its derivatives;
                            NULL = nothing goes back */
    float *dbase;        /* (observation_rows, first width) */
    int gathered;        /* dbase is there; else it comes with the update */
    int want_dtheta;     /* on the way back; training does not */
    int transposed;      /* transposes are those of the weights */
    float *dphi_panels, *dtheta_panels;
    float *logits,
        *dlogits; /* (pair_rows), or in panels (pair_rows, outputs) */
};

static inline size_t up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Values of a row of the output, padding included. */
static inline size_t output_width(const bnre__mlp *mlp)
{
    return mlp->several.panels > 0 ? mlp->several.panels * PANEL : 1;
}

static inline size_t width_of(const struct matrix *matrix)
{
    return matrix->panels * PANEL;
}

/* Element (i, j) of a matrix in panels. */
static inline size_t at(size_t rows, size_t i, size_t j)
{
    return j / PANEL * rows * PANEL + i * PANEL + j % PANEL;
}

/* Copy one of the blocks between packed form and the net's order. */
void bnre__mlp_exchange(bnre__mlp *mlp, int block, float *all, int into_net);

/* The weights' transposes, which only the way back needs, unless they are there:
   an update keeps them. */
void bnre__mlp_transpose(bnre__mlp *mlp);

#endif
