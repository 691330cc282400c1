/* chain_parts.h - what a chain consists of; for chain.c and chain_net.c. */
#ifndef BNRE_NN_CHAIN_PARTS_H
#define BNRE_NN_CHAIN_PARTS_H

#include "nn/chain.h"
#include "nn/net.h"

struct bnre__chain {
    size_t factors, outputs;
    bnre__net **net; /* (factors): net j has dim_theta j; their embeddings are
                        alike, and that of the first is used */
    size_t *head_at; /* (factors): where its weights begin */
    size_t embedding, weights, buffers;
};

/* A net's own order, in which the embedding stands right before the head: only
   what belongs to the head may be touched there. */
static inline float *bnre__chain_as_net(const bnre__chain *chain, size_t factor,
                                        const float *weights)
{
    return (float *)weights + chain->head_at[factor] - chain->embedding;
}

#endif
