/* The engines of embeddings, fastest first; the last fits every network. */
#include "nn/embed.h"

const bnre__embed_type *const bnre__embed_types[] = {
    &bnre__embed_conv1d,
    &bnre__embed_conv2d,
    &bnre__embed_plain,
    NULL,
};

const bnre__embed_type *bnre__embed_choose(const bnre_net *net, int train)
{
    size_t i = 0;

    while (!bnre__embed_types[i]->fits(net, train))
        i++;
    return bnre__embed_types[i];
}
