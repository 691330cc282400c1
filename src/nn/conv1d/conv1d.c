/* conv1d.c - the engine of stacks of 1-D convolutions. */
#include <string.h>

#include "base/mem.h"
#include "nn/conv1d/parts.h"
#include "nn/embed.h"
#include "nn/net.h"

/* Linear layers alone are left to products of whole matrices (conv2d). */
static int fits_conv1d(const bnre__net *net, int train)
{
    const bnre__sequence *embedding = net->embedding;
    struct walk walk = {0};
    struct op op;
    int affine = 0, signals = 0;

    (void)train;
    for (size_t i = 0; i < embedding->count; i++) {
        const bnre__layer_type *type = embedding->layer[i].type;

        if (!bnre__conv1d_read(&embedding->layer[i], &walk, &op))
            return 0;
        affine = affine || op.kind == OP_AFFINE;
        signals = signals || type == &bnre__layer_conv1d ||
                  type == &bnre__layer_maxpool1d;
    }
    return affine && (signals || !bnre__embed_conv2d.fits(net, train));
}

/* ---- making and unmaking ---- */

static void clear_stage(struct stage *stage)
{
    struct tiles *tiles[] = {&stage->forward, &stage->backward};

    for (int i = 0; i < 2; i++) {
        bnre__free(tiles[i]->tile);
        bnre__free(tiles[i]->list.data);
    }
    bnre__free(stage->having);
    bnre__free(stage->first);
    bnre__free(stage->window);
    bnre__free(stage->start);
    bnre__free(stage->term);
    bnre__free(stage->run);
    bnre__free(stage->ready);
    bnre__free(stage->back);
    bnre__free(stage->bias);
    bnre__free(stage->w);
    bnre__affine_destroy(stage->affine);
}

static void clear_workspace(const struct engine *engine,
                            struct workspace *workspace)
{
    for (int i = 0; i < 2; i++) {
        bnre__free(workspace->dchunk[i]);
        bnre__free(workspace->d[i]);
    }
    for (size_t s = 0; workspace->chunk != NULL && s < engine->tree; s++)
        bnre__free(workspace->chunk[s]);
    bnre__free(workspace->chunk);
    bnre__free(workspace->sums);
    bnre__free(workspace->z);
}

static void destroy_conv1d(void *arg)
{
    struct engine *engine = arg;

    if (engine == NULL)
        return;
    for (size_t i = 0; engine->workspace != NULL && i < engine->workspaces; i++)
        clear_workspace(engine, &engine->workspace[i]);
    for (size_t s = 0; engine->stage != NULL && s < engine->stages; s++)
        clear_stage(&engine->stage[s]);
    for (size_t i = 0; engine->signal != NULL && i < engine->signals; i++) {
        bnre__free(engine->signal[i].index);
        bnre__free(engine->signal[i].position);
    }
    bnre__free(engine->phi);
    bnre__free(engine->total);
    bnre__free(engine->partial);
    bnre__free(engine->workspace);
    bnre__free(engine->place);
    bnre__free(engine->room);
    bnre__free(engine->factor);
    bnre__free(engine->shift);
    bnre__free(engine->d_to);
    bnre__free(engine->to);
    bnre__free(engine->from);
    bnre__free(engine->signal);
    bnre__free(engine->stage);
    bnre__free(engine);
}

/* Places of the signals that are kept, in the room of a group. */
static bnre_status make_rooms(struct engine *engine)
{
    bnre_status status = BNRE_OK;
    const size_t groups = up(engine->batch, engine->side) / engine->side;

    if (engine->tree == 0)
        engine->room_size += engine->signal[0].size;
    for (size_t s = 0; s < engine->stages; s++) {
        struct stage *stage = &engine->stage[s];

        if (s + 1 < engine->tree)
            continue;
        stage->out->at = engine->room_size;
        engine->room_size += stage->out->size;
        stage->place_at = engine->place_size;
        if (stage->pooled && engine->train)
            engine->place_size += stage->out->count * stage->z->step / QUAD;
    }
    engine->rooms = engine->train ? groups : engine->workspaces;
    BNRE_NEW(engine->room, engine->rooms * engine->room_size);
    BNRE_NEW(engine->place, engine->rooms * engine->place_size);
    BNRE_NEW(engine->phi, engine->batch * engine->net->embedding->out.size);
    if (engine->train) {
        BNRE_NEW(engine->partial,
                 groups * engine->side / PART * engine->gradients);
        BNRE_NEW(engine->total, engine->gradients);
    }
done:
    return status;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bnre_status make_workspace(const struct engine *engine,
                                  struct workspace *workspace)
{
    bnre_status status = BNRE_OK;
    size_t z = 0, d = 0, dchunk = 0;

    BNRE_NEW(workspace->chunk, engine->tree);
    for (size_t s = 0; s < engine->stages; s++) {
        const struct stage *stage = &engine->stage[s];

        if (stage->pooled && stage->affine != NULL)
            z = larger(z, stage->z->size);
        if (s < engine->tree) {
            BNRE_NEW(workspace->chunk[s], stage->in->size / engine->chunks);
            dchunk = larger(dchunk, stage->in->d_size / engine->chunks);
        } else {
            d = larger(d, stage->in->d_size);
        }
        if (s + 1 >= engine->tree)
            d = larger(d, stage->out->d_size);
    }
    BNRE_NEW(workspace->z, z);
    if (!engine->train)
        goto done;
    for (int i = 0; i < 2; i++) {
        BNRE_NEW(workspace->d[i], d);
        BNRE_NEW(workspace->dchunk[i], dchunk);
    }
    BNRE_NEW(workspace->sums, engine->gradients * engine->side);
done:
    return status;
}

static bnre_status create_conv1d(const bnre__net *net,
                                 const bnre__embed_opts *opts, void **out)
{
    bnre_status status = BNRE_OK;
    struct engine *engine = NULL;

    *out = NULL;
    BNRE_NEW(engine, 1);
    engine->net = net;
    engine->all_kernels =
        opts->kernels != NULL ? opts->kernels : bnre__kernels_best();
    engine->kernels = engine->all_kernels->conv1d;
    engine->pool = opts->pool;
    engine->train = opts->train;
    engine->batch = opts->batch;
    engine->side = engine->kernels->side;
    engine->block = 256 / engine->side;
    BNRE_TRY(bnre__conv1d_stages(engine));
    BNRE_TRY(bnre__conv1d_positions(engine));
    BNRE_TRY(bnre__conv1d_lists(engine));
    BNRE_TRY(bnre__conv1d_input(engine));
    while (engine->stage[engine->bottom].affine == NULL)
        engine->bottom++;
    engine->workspaces = bnre_pool_threads(opts->pool);
    BNRE_TRY(make_rooms(engine));
    BNRE_NEW(engine->workspace, engine->workspaces);
    for (size_t i = 0; i < engine->workspaces; i++)
        BNRE_TRY(make_workspace(engine, &engine->workspace[i]));
    *out = engine;
    engine = NULL;
done:
    destroy_conv1d(engine);
    return status;
}

/* ---- running ---- */

static void set_conv1d(void *arg, const float *weights, const float *buffers)
{
    struct engine *engine = arg;

    (void)buffers; /* no layer of this engine has any */
    engine->weights = weights;
    bnre__conv1d_pack(engine);
}

static void get_buffers_conv1d(const void *engine, float *buffers)
{
    (void)engine;
    (void)buffers;
}

static bnre_status forward_groups(void *arg, size_t worker, size_t first,
                                  size_t last)
{
    for (size_t g = first; g < last; g++)
        bnre__conv1d_forward(arg, worker, g);
    return BNRE_OK;
}

static bnre_status backward_groups(void *arg, size_t worker, size_t first,
                                   size_t last)
{
    for (size_t g = first; g < last; g++)
        bnre__conv1d_backward(arg, worker, g);
    return BNRE_OK;
}

/* Groups are independent; which thread takes one does not matter. */
static void share_groups(struct engine *engine, bnre_pool_fn fn)
{
    bnre_status status =
        bnre_pool_for(engine->pool, up(engine->n, engine->side) / engine->side,
                      1, fn, engine);

    (void)status; /* these functions cannot fail */
}

static const float *forward_conv1d(void *arg, size_t n, const float *x,
                                   int train)
{
    struct engine *engine = arg;

    (void)train;
    engine->n = n;
    engine->x = x;
    share_groups(engine, forward_groups);
    return engine->phi;
}

static void backward_conv1d(void *arg, const float *dphi, float *dw, float *dx)
{
    struct engine *engine = arg;
    const size_t parts = up(engine->n, PART) / PART;

    engine->dphi = dphi;
    engine->dx = dx;
    engine->want_gradient = dw != NULL;
    if (dx != NULL) /* of what never reaches the output */
        memset(dx, 0, engine->n * engine->net->x.size * sizeof *dx);
    share_groups(engine, backward_groups);
    if (dw == NULL)
        return;
    memcpy(engine->total, engine->partial,
           engine->gradients * sizeof *engine->total);
    for (size_t g = 1; g < parts; g++)
        for (size_t i = 0; i < engine->gradients; i++)
            engine->total[i] += engine->partial[g * engine->gradients + i];
    bnre__conv1d_unpack(engine, dw);
}

const bnre__embed_type bnre__embed_conv1d = {
    .name = "conv1d",
    .fits = fits_conv1d,
    .create = create_conv1d,
    .destroy = destroy_conv1d,
    .set = set_conv1d,
    .get_buffers = get_buffers_conv1d,
    .forward = forward_conv1d,
    .backward = backward_conv1d,
};
