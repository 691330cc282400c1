/* chain_net.c - the networks of a chain and the weights they begin with. */
#include <string.h>

#include "base/mem.h"
#include "nn/chain_parts.h"

bnre_status bnre__chain_create(const bnre_node *settings,
                               const bnre__net_input *input, bnre__chain **out)
{
    bnre_status status = BNRE_OK;
    bnre__net_input of = *input;
    bnre__chain *chain = NULL;

    *out = NULL;
    if (input->dim_theta == 0)
        return bnre_fail(BNRE_EINVAL, "a chain needs a parameter or more");
    BNRE_NEW(chain, 1);
    chain->outputs = input->outputs > 0 ? input->outputs : 1;
    BNRE_NEW(chain->net, input->dim_theta);
    BNRE_NEW(chain->head_at, input->dim_theta);
    for (size_t j = 0; j < input->dim_theta; j++) {
        of.dim_theta = j;
        BNRE_TRY(bnre__net_create(settings, &of, &chain->net[j]));
        chain->factors = j + 1;
        chain->embedding = chain->net[0]->embedding->weights;
        if (j == 0)
            chain->weights = chain->embedding;
        chain->head_at[j] = chain->weights;
        chain->weights += chain->net[j]->weights - chain->embedding;
        if (chain->net[j]->head->buffers > 0)
            BNRE_THROW(BNRE_EUSAGE,
                       "heads of conditional densities cannot have batchnorm: "
                       "take layernorm, or put it into the embedding");
    }
    chain->buffers = chain->net[0]->buffers;
    *out = chain;
    chain = NULL;
done:
    bnre__chain_destroy(chain);
    return status;
}

void bnre__chain_destroy(bnre__chain *chain)
{
    if (chain == NULL)
        return;
    for (size_t j = 0; j < chain->factors; j++)
        bnre__net_destroy(chain->net[j]);
    bnre__free(chain->head_at);
    bnre__free(chain->net);
    bnre__free(chain);
}

size_t bnre__chain_weights(const bnre__chain *chain)
{
    return chain->weights;
}

size_t bnre__chain_buffers(const bnre__chain *chain)
{
    return chain->buffers;
}

const bnre__net *bnre__chain_net(const bnre__chain *chain)
{
    return chain->net[chain->factors - 1];
}

const bnre__net *bnre__chain_net_at(const bnre__chain *chain, size_t factor)
{
    return chain->net[factor];
}

int bnre__chain_shares(const bnre__chain *chain)
{
    return chain->embedding > 0;
}

void bnre__chain_part(const bnre__chain *chain, size_t factor, size_t *at,
                      size_t *n)
{
    *at = chain->head_at[factor];
    *n = chain->net[factor]->weights - chain->embedding;
}

/* Output layers begin with small weights. */
static void begin_output(const bnre__net *net, const float *output, float *all)
{
    const bnre__layer *last = &net->head->layer[net->head->count - 1];
    const size_t n = last->in.size * last->out.size;

    if (last->type != &bnre__layer_linear)
        return;
    for (size_t i = 0; i < n; i++)
        all[last->weight_at + i] *= 0.1f;
    if (last->bias)
        memcpy(all + last->weight_at + n, output, net->outputs * sizeof *all);
}

void bnre__chain_init(const bnre__chain *chain, bnre_rng *rng,
                      const float *output, float *weights, float *buffers)
{
    bnre__sequence_init(chain->net[0]->embedding, rng, weights, buffers);
    for (size_t j = 0; j < chain->factors; j++) {
        float *all = bnre__chain_as_net(chain, j, weights);

        bnre__sequence_init(chain->net[j]->head, rng, all, NULL);
        begin_output(chain->net[j], output + j * chain->outputs, all);
    }
}
