/* embed.c - the engines of embeddings, fastest first; the last, layer by
   layer, fits every network. */
#include "nn/embed.h"

#include <string.h>

#include "base/mem.h"
#include "nn/net.h"

struct engine {
    const bnre__net *net;
    const float *w; /* borrowed: all of the net */
    float *dw;      /* (embedding's weights), where nobody asks for it */
    float *buffer;
    float *region, *dregion; /* what the layers keep */
    const float *x;
    size_t n;
    int train;
};

static int fits_plain(const bnre__net *net, int train)
{
    (void)net;
    (void)train;
    return 1;
}

static void destroy_plain(void *arg)
{
    struct engine *engine = arg;

    if (engine == NULL)
        return;
    bnre__free(engine->dregion);
    bnre__free(engine->region);
    bnre__free(engine->buffer);
    bnre__free(engine->dw);
    bnre__free(engine);
}

static bnre_status create_plain(const bnre__net *net,
                                const bnre__embed_opts *opts, void **out)
{
    bnre_status status = BNRE_OK;
    const bnre__sequence *embedding = net->embedding;
    const size_t region = opts->batch * embedding->row + embedding->fixed;
    struct engine *engine = NULL;

    *out = NULL;
    BNRE_NEW(engine, 1);
    engine->net = net;
    BNRE_NEW(engine->buffer, embedding->buffers);
    BNRE_NEW(engine->region, region);
    if (opts->train) {
        BNRE_NEW(engine->dw, embedding->weights);
        BNRE_NEW(engine->dregion, region);
    }
    *out = engine;
    engine = NULL;
done:
    destroy_plain(engine);
    return status;
}

static void set_plain(void *arg, const float *weights, const float *buffers)
{
    struct engine *engine = arg;
    const size_t n = engine->net->embedding->buffers;

    engine->w = weights;
    if (buffers != NULL && n > 0)
        memcpy(engine->buffer, buffers, n * sizeof *buffers);
}

static void get_buffers_plain(const void *arg, float *buffers)
{
    const struct engine *engine = arg;
    const size_t n = engine->net->embedding->buffers;

    if (n > 0)
        memcpy(buffers, engine->buffer, n * sizeof *buffers);
}

static bnre__pass pass_of(const struct engine *engine, float *dw)
{
    return (bnre__pass){.n = engine->n,
                        .train = engine->train ? 2 : 0,
                        .w = engine->w,
                        .dw = dw,
                        .buffer = engine->buffer};
}

static const float *forward_plain(void *arg, size_t n, const float *x,
                                  int train)
{
    struct engine *engine = arg;
    bnre__pass pass;

    engine->n = n;
    engine->x = x;
    engine->train = train;
    pass = pass_of(engine, NULL);
    return bnre__sequence_forward(engine->net->embedding, &pass, x,
                                  engine->region);
}

static void backward_plain(void *arg, const float *dphi, float *dw, float *dx)
{
    struct engine *engine = arg;
    const bnre__sequence *embedding = engine->net->embedding;
    const bnre__pass pass = pass_of(engine, dw == NULL ? engine->dw : dw);

    if (embedding->weights == 0 && dx == NULL)
        return;
    memset(pass.dw, 0, embedding->weights * sizeof *pass.dw);
    bnre__sequence_backward(embedding, &pass, engine->x, engine->region, dphi,
                            dx, engine->dregion);
}

const bnre__embed_type bnre__embed_plain = {
    .name = "plain",
    .fits = fits_plain,
    .create = create_plain,
    .destroy = destroy_plain,
    .set = set_plain,
    .get_buffers = get_buffers_plain,
    .forward = forward_plain,
    .backward = backward_plain,
};

const bnre__embed_type *const bnre__embed_types[] = {
    &bnre__embed_conv1d,
    &bnre__embed_conv2d,
    &bnre__embed_plain,
    NULL,
};

const bnre__embed_type *bnre__embed_choose(const bnre__net *net, int train)
{
    size_t i = 0;

    while (!bnre__embed_types[i]->fits(net, train))
        i++;
    return bnre__embed_types[i];
}
