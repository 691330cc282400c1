/* positions.c - which positions are needed, and where they are.

   From the output back, a position is needed if one that is needed looks at it.
   Positions that are needed lie next to each other in memory; so a stack with
   doubling gaps that ends in one position becomes a binary tree: its layers
   compute n / 2 + n / 4 + ... + 1 positions, and not about n each. */
#include "base/mem.h"
#include "nn/conv1d/parts.h"

/* ---- positions ---- */

/* Give numbers to the positions that are marked in index. */
static bnre_status number_positions(struct signal *signal)
{
    bnre_status status = BNRE_OK;

    for (size_t q = 0; q < signal->length; q++)
        signal->count += signal->index[q] != NOWHERE;
    BNRE_NEW(signal->position, signal->count);
    for (size_t q = 0, i = 0; q < signal->length; q++)
        if (signal->index[q] != NOWHERE) {
            signal->position[i] = (uint32_t)q;
            signal->index[q] = (uint32_t)i++;
        }
done:
    return status;
}

static bnre_status start_index(struct signal *signal)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(signal->index, signal->length);
    for (size_t q = 0; q < signal->length; q++)
        signal->index[q] = NOWHERE;
done:
    return status;
}

/* Mark the positions of `in` at which `taps` looks from each of `out`. */
static bnre_status look_back(const struct signal *out, size_t taps,
                             size_t stride, size_t padding, size_t dilation,
                             struct signal *in)
{
    BNRE_DO(start_index(in));
    for (size_t i = 0; i < out->count; i++)
        for (size_t t = 0; t < taps; t++) {
            const size_t q = out->position[i] * stride + t * dilation;

            if (q >= padding && q - padding < in->length)
                in->index[q - padding] = 0;
        }
    return number_positions(in);
}

/* Room of a signal; `padding` is what its reader sees beyond its ends. */
static void lay_out(struct signal *signal, size_t padding, size_t side)
{
    enum { MOST = 64 }; /* else one position of zeros serves for all */
    const int dense = signal->count == signal->length && padding <= MOST;

    signal->front = padding == 0 ? 0 : dense ? padding : 1;
    signal->step = up(signal->channels, QUAD) * side;
    signal->d_step = signal->step;
    signal->size = (2 * signal->front + signal->count) * signal->step;
    signal->d_size = signal->size;
}

/* x itself is never a result, and needs no whole quads. */
static void lay_out_input(struct signal *signal, size_t side)
{
    signal->step = (signal->channels + (size_t)signal->ones) * side;
    signal->size = (2 * signal->front + signal->count) * signal->step;
}

static bnre_status find_positions(struct engine *engine)
{
    struct signal *phi = engine->stage[engine->stages - 1].out;

    BNRE_DO(start_index(phi));
    for (size_t q = 0; q < phi->length; q++)
        phi->index[q] = 0;
    BNRE_DO(number_positions(phi));
    lay_out(phi, 0, engine->side);
    for (size_t s = engine->stages; s-- > 0;) {
        struct stage *stage = &engine->stage[s];
        const struct op *op = stage->affine ? &stage->affine->op : NULL;

        if (stage->pooled) {
            BNRE_DO(look_back(stage->out, stage->kernel, stage->stride,
                              stage->padding, 1, stage->z));
            lay_out(stage->z, 0, engine->side);
        }
        if (op != NULL) {
            BNRE_DO(look_back(stage->z, op->taps, op->stride, op->padding,
                              op->dilation, stage->in));
            lay_out(stage->in, op->padding, engine->side);
        } else if (!stage->pooled) {
            BNRE_DO(look_back(stage->out, 1, 1, 0, 1, stage->in));
            lay_out(stage->in, 0, engine->side);
        }
    }
    if (engine->stage[0].affine != NULL)
        lay_out_input(&engine->signal[0], engine->side);
    return BNRE_OK;
}

/* ---- trees ---- */

/* Whether the outputs of a stage see inputs of their own, next to each other.
 */
static int is_tree(const struct stage *stage)
{
    const struct affine *a = stage->affine;

    if (a == NULL || stage->pooled || stage->gelu || a->op.padding > 0 ||
        stage->in->front > 0 ||
        stage->in->count != a->op.taps * stage->z->count)
        return 0;
    for (size_t i = 0; i < stage->z->count; i++)
        for (size_t t = 0; t < a->op.taps; t++)
            if (stage->in->index[stage->z->position[i] * a->op.stride +
                                 t * a->op.dilation] != i * a->op.taps + t)
                return 0;
    return 1;
}

/* How many stages at the front are run by chunks, and how many chunks. Keeping
   a signal costs as much as computing a small one again: memory beyond the
   caches is slow. */
static void plant_tree(struct engine *engine)
{
    enum {
        KEPT = 1 << 18,  /* floats of a signal worth it */
        CHUNK = 1 << 15, /* floats of a chunk's largest signal, at most, */
        LEAST = 8        /* and positions of its last one, at least */
    };
    size_t count, chunks = 1;

    engine->chunks = 1;
    while (engine->tree < engine->stages &&
           engine->stage[engine->tree].out->size > KEPT &&
           is_tree(&engine->stage[engine->tree]))
        engine->tree++;
    if (engine->tree == 0)
        return;
    count = engine->stage[engine->tree - 1].out->count;
    while (chunks < count &&
           (count % chunks != 0 || engine->stage[0].out->size / chunks > CHUNK))
        chunks++;
    if (count / chunks >= LEAST)
        engine->chunks = chunks;
    else
        engine->tree = 0;
}

bnre_status bnre__conv1d_positions(struct engine *engine)
{
    BNRE_DO(find_positions(engine));
    plant_tree(engine);
    return BNRE_OK;
}
