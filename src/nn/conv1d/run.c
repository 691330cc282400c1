/* run.c - one group of observations forward and back. */
#include <string.h>

#include "nn/conv1d/parts.h"

/* Where a signal begins, past its zeros. */
static size_t start_of(const struct signal *signal)
{
    return signal->front * signal->step;
}

static float *room_of(const struct engine *engine, size_t worker, size_t g)
{
    return engine->room + (engine->train ? g : worker) * engine->room_size;
}

static uint32_t *places_of(const struct engine *engine, size_t worker, size_t g)
{
    return engine->place + (engine->train ? g : worker) * engine->place_size;
}

/* ---- forward ---- */

/* An affine map and maxima: few windows at a time, so that what they look at is
   still near. */
static void forward_maxima(const struct engine *engine,
                           const struct stage *stage, bnre__conv1d *conv,
                           const bnre__pool1d *pool)
{
    const size_t windows = stage->out->count, block = engine->block;
    size_t tiles = 0;

    for (size_t w = 0; w < windows; w += block) {
        const size_t last = windows - w < block ? windows : w + block;

        if (conv != NULL) {
            const size_t need =
                stage->start[last - 1] + stage->window[last - 1];
            const size_t end = (need + TILE1D - 1) / TILE1D;

            engine->kernels->conv(conv, tiles, end);
            tiles = end;
        }
        engine->kernels->pool(pool, w, last);
    }
}

static void forward_stage(const struct engine *engine,
                          const struct workspace *workspace,
                          const struct stage *stage, const float *in,
                          float *out, uint32_t *place)
{
    const struct signal *z = stage->z;
    const size_t n = stage->in->count * stage->in->step;
    bnre__conv1d conv = {
        .rows = stage->rows,
        .quads = stage->quads,
        .w = stage->w,
        .bias = stage->bias,
        .x = in,
        .tile = stage->forward.tile,
        .list = stage->forward.list.data,
        .y = stage->pooled ? workspace->z : out,
        .activation = stage->pooled ? BNRE__IDENTITY : stage->activation,
        .slope = stage->slope,
    };
    const bnre__pool1d pool = {
        .quads = z->step / (QUAD * engine->side),
        .start = stage->start,
        .length = stage->window,
        .z = stage->affine != NULL ? workspace->z : in + start_of(z),
        .z_step = z->step,
        .y = out + start_of(stage->out),
        .y_step = stage->out->step,
        .place = place,
        .activation = stage->activation,
        .slope = stage->slope,
    };

    if (stage->pooled)
        forward_maxima(engine, stage, stage->affine != NULL ? &conv : NULL,
                       &pool);
    else if (stage->affine != NULL)
        engine->kernels->conv(&conv, 0, stage->forward.count);
    else if (stage->gelu)
        engine->kernels->gelu(n, in + start_of(stage->in),
                              out + start_of(stage->out));
    else
        engine->all_kernels->activate(stage->activation, stage->slope, n,
                                      in + start_of(stage->in),
                                      out + start_of(stage->out));
}

/* The signals inside a chunk of the tree; the last stage only if `out` is
   given. */
static void forward_chunk(const struct engine *engine,
                          const struct workspace *workspace, size_t g,
                          size_t chunk, float *out)
{
    const struct stage *stage = engine->stage;
    const size_t last = engine->tree - 1;

    bnre__conv1d_load(engine, g, chunk, workspace->chunk[0]);
    for (size_t s = 0; s < last; s++)
        forward_stage(engine, workspace, &stage[s], workspace->chunk[s],
                      workspace->chunk[s + 1], NULL);
    if (out != NULL)
        forward_stage(engine, workspace, &stage[last], workspace->chunk[last],
                      out, NULL);
}

/* Where a chunk's part of the signal after the tree is. */
static size_t chunk_at(const struct engine *engine, size_t chunk)
{
    const struct signal *out = engine->stage[engine->tree - 1].out;

    return chunk * (out->count / engine->chunks) * out->step;
}

void bnre__conv1d_forward(const struct engine *engine, size_t worker, size_t g)
{
    const struct workspace *workspace = &engine->workspace[worker];
    float *room = room_of(engine, worker, g);
    uint32_t *places = places_of(engine, worker, g);

    if (engine->tree == 0)
        bnre__conv1d_load(engine, g, 0, room + engine->signal[0].at);
    for (size_t c = 0; engine->tree > 0 && c < engine->chunks; c++)
        forward_chunk(engine, workspace, g, c,
                      room + engine->stage[engine->tree - 1].out->at +
                          chunk_at(engine, c));
    for (size_t s = engine->tree; s < engine->stages; s++) {
        const struct stage *stage = &engine->stage[s];

        forward_stage(engine, workspace, stage, room + stage->in->at,
                      room + stage->out->at,
                      engine->train ? places + stage->place_at : NULL);
    }
    bnre__conv1d_store_phi(engine, g,
                           room + engine->stage[engine->stages - 1].out->at);
}

/* ---- backward ----

   d is the derivative with respect to what goes into the activation of a stage;
   each stage gives that of the one before. */

static void add_gradient(const struct engine *engine,
                         const struct workspace *workspace,
                         const struct stage *stage, const float *in,
                         const float *dz, size_t first, size_t last)
{
    float *sums = workspace->sums + stage->sums_at * engine->side;

    for (size_t r = 0; r < stage->runs; r++) {
        const struct run *run = &stage->run[r];
        const size_t from = run->first > first ? run->first : first;
        const size_t to = run->last < last ? run->last : last;
        const bnre__gradient1d job = {
            .rows = stage->rows,
            .quads = stage->quads,
            .terms = run->terms,
            .term = stage->term + run->term_at,
            .x = in + (from - run->first) * run->step,
            .x_step = run->step,
            .dz = dz + from * stage->z->step,
            .dz_step = stage->z->step,
            .dw = sums,
            .db = sums + stage->rows * stage->quads * QUAD * engine->side,
        };

        if (from < to)
            engine->kernels->gradient(&job, to - from);
    }
}

static bnre__unpool1d unpool_of(const struct engine *engine,
                                const struct stage *stage,
                                const uint32_t *place, const float *d,
                                float *dz)
{
    return (bnre__unpool1d){
        .quads = stage->z->step / (QUAD * engine->side),
        .start = stage->start,
        .first = stage->first,
        .windows = stage->having,
        .place = place,
        .dy = d + start_of(stage->out),
        .dy_step = stage->out->step,
        .dz = dz,
        .dz_step = stage->z->step,
    };
}

/* Block by block: dz, gradients, and the part of din that is known by then. n
   positions of z, maybe only a chunk of them. */
static void backward_affine(const struct engine *engine,
                            const struct workspace *workspace, size_t s,
                            const float *in, const uint32_t *place,
                            const float *d, float *din, size_t n)
{
    const struct stage *stage = &engine->stage[s];
    const bnre__activation before =
        s > 0 ? stage[-1].activation : BNRE__IDENTITY;
    const float *dz = stage->pooled ? workspace->z : d + start_of(stage->z);
    const bnre__unpool1d unpool =
        unpool_of(engine, stage, place, d, workspace->z);
    const bnre__conv1d conv = {
        .rows = stage->back_rows,
        .quads = stage->back_quads,
        .w = stage->back,
        .x = stage->pooled ? workspace->z : d,
        .tile = stage->backward.tile,
        .list = stage->backward.list.data,
        .y = din,
        .activation = before,
        .slope = s > 0 ? stage[-1].slope : 0,
        .derivative = before == BNRE__IDENTITY ? NULL : in,
    };

    for (size_t first = 0; first < n; first += engine->block) {
        const size_t left = n - first;
        const size_t last = left < engine->block ? n : first + engine->block;
        const size_t block = first / engine->block;

        if (stage->pooled)
            engine->kernels->unpool(&unpool, first, last);
        if (din != NULL)
            engine->kernels->conv(&conv,
                                  block == 0 ? 0 : stage->ready[block - 1],
                                  stage->ready[block]);
        if (engine->want_gradient)
            add_gradient(engine, workspace, stage, in, dz, first, last);
    }
}

/* A stage without an affine map. */
static void backward_other(const struct engine *engine, size_t s,
                           const float *in, const uint32_t *place,
                           const float *d, float *din)
{
    const struct stage *stage = &engine->stage[s];
    const size_t n = stage->in->count * stage->in->step;
    const size_t at = start_of(stage->in);

    if (stage->pooled) {
        const bnre__unpool1d unpool =
            unpool_of(engine, stage, place, d, din + at);

        engine->kernels->unpool(&unpool, 0, stage->z->count);
    } else {
        memcpy(din + at, d + start_of(stage->out), n * sizeof *d);
    }
    if (stage->gelu)
        engine->kernels->gelu_back(n, in + at, din + at);
    if (s > 0)
        engine->kernels->derive(stage[-1].activation, stage[-1].slope, n,
                                in + at, din + at);
}

/* Chunk by chunk down the tree, from the derivative of its last signal. */
static void backward_tree(const struct engine *engine,
                          const struct workspace *workspace, size_t g,
                          const float *d)
{
    for (size_t c = 0; c < engine->chunks; c++) {
        const float *dout = d + chunk_at(engine, c);

        forward_chunk(engine, workspace, g, c, NULL);
        for (size_t s = engine->tree; s-- > 0;) {
            const struct stage *stage = &engine->stage[s];
            float *din =
                s > 0 || engine->dx != NULL ? workspace->dchunk[s % 2] : NULL;

            backward_affine(engine, workspace, s, workspace->chunk[s], NULL,
                            dout, din, stage->z->count / engine->chunks);
            dout = din;
        }
        if (engine->dx != NULL)
            bnre__conv1d_store_dx(engine, g, c, dout);
    }
}

/* The sums over the observations of each part of a group, in their order. */
static void reduce(const struct engine *engine, const float *sums, size_t g)
{
    const size_t parts = engine->side / PART;

    for (size_t part = 0; part < parts; part++) {
        float *to = engine->partial + (g * parts + part) * engine->gradients;

        for (size_t i = 0; i < engine->gradients; i++) {
            const float *from = sums + i * engine->side + part * PART;
            float sum = 0;

            for (size_t s = 0; s < PART; s++)
                sum += from[s];
            to[i] = sum;
        }
    }
}

void bnre__conv1d_backward(const struct engine *engine, size_t worker, size_t g)
{
    const struct workspace *workspace = &engine->workspace[worker];
    const float *room = room_of(engine, worker, g);
    const uint32_t *places = places_of(engine, worker, g);
    const struct stage *last = &engine->stage[engine->stages - 1];
    float *d = workspace->d[0], *other = workspace->d[1];

    if (engine->want_gradient)
        memset(workspace->sums, 0,
               engine->gradients * engine->side * sizeof *workspace->sums);
    bnre__conv1d_load_dphi(engine, g, d);
    engine->kernels->derive(last->activation, last->slope,
                            last->out->count * last->out->step,
                            room + last->out->at, d);
    for (size_t s = engine->stages; s-- > engine->tree;) {
        const struct stage *stage = &engine->stage[s];
        const float *in = room + stage->in->at;
        const uint32_t *place = places + stage->place_at;
        float *din = s > engine->bottom || engine->dx != NULL ? other : NULL;

        if (stage->affine != NULL)
            backward_affine(engine, workspace, s, in, place, d, din,
                            stage->z->count);
        else if (din != NULL)
            backward_other(engine, s, in, place, d, din);
        if (din == NULL)
            break;
        other = d;
        d = din;
    }
    if (engine->tree > 0)
        backward_tree(engine, workspace, g, d);
    else if (engine->dx != NULL)
        bnre__conv1d_store_dx(engine, g, 0, d);
    if (engine->want_gradient)
        reduce(engine, workspace->sums, g);
}
