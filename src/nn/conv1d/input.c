/* input.c - x and phi between rows and groups of observations.

   Layers before the first stage only move or scale the values of x: where each
   value comes from is worked out once. */
#include <stdlib.h>

#include "base/mem.h"
#include "nn/conv1d/parts.h"

/* ---- making ---- */

/* The values of x in some order: which, and (x - shift) / scale of them. */
struct order {
    uint32_t *from;
    double *shift, *scale;
};

static void clear_order(struct order *order)
{
    bnre__free(order->scale);
    bnre__free(order->shift);
    bnre__free(order->from);
}

static bnre_status init_order(struct order *order, size_t n)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(order->from, n);
    BNRE_NEW(order->shift, n);
    BNRE_NEW(order->scale, n);
    for (size_t i = 0; i < n; i++) {
        order->from[i] = (uint32_t)i;
        order->scale[i] = 1;
    }
done:
    return status;
}

static bnre_status transpose(struct order *order, const bnre__shape *in)
{
    bnre_status status = BNRE_OK;
    struct order turned = {0};
    const size_t rows = in->dim[0], columns = in->dim[1];

    BNRE_TRY(init_order(&turned, in->size));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            turned.from[j * rows + i] = order->from[i * columns + j];
            turned.shift[j * rows + i] = order->shift[i * columns + j];
            turned.scale[j * rows + i] = order->scale[i * columns + j];
        }
    clear_order(order);
    *order = turned;
    return BNRE_OK;
done:
    clear_order(&turned);
    return status;
}

/* What the layers before the first stage do. */
static bnre_status read_order(const bnre__sequence *embedding,
                              struct order *order, int *scaled)
{
    struct walk walk = {0};

    *scaled = 0;
    for (size_t l = 0; l < embedding->count; l++) {
        const bnre__layer *layer = &embedding->layer[l];
        struct op op;

        (void)bnre__conv1d_read(layer, &walk, &op);
        if (walk.started)
            break;
        if (layer->type == &bnre__layer_transpose)
            BNRE_DO(transpose(order, &layer->in));
        if (layer->type != &bnre__layer_scale)
            continue;
        *scaled = 1;
        for (size_t i = 0; i < layer->in.size; i++) {
            order->shift[i] += (double)layer->shift[i] * order->scale[i];
            order->scale[i] *= (double)layer->scale[i];
        }
    }
    return BNRE_OK;
}

struct value {
    size_t chunk;
    uint32_t from, to, d_to;
    float shift, factor;
};

static int compare_values(const void *a, const void *b)
{
    const struct value *x = a, *y = b;

    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* All values that are needed, by chunk and by their place in x. */
static void sort_values(const struct engine *engine, const struct order *order,
                        struct value *value)
{
    const struct signal *in = &engine->signal[0];
    const size_t each = in->count / engine->chunks, side = engine->side;

    for (size_t j = 0; j < in->count; j++)
        for (size_t c = 0; c < in->channels; c++) {
            const size_t at = c * in->length + in->position[j];
            const size_t place = in->front + j % each;

            value[j * in->channels + c] = (struct value){
                .chunk = j / each,
                .from = order->from[at],
                .to = (uint32_t)(place * in->step + c * side),
                .d_to = (uint32_t)(place * in->d_step + c * side),
                .shift = (float)order->shift[at],
                .factor = (float)(1 / order->scale[at]),
            };
        }
    qsort(value, in->count * in->channels, sizeof *value, compare_values);
}

bnre_status bnre__conv1d_input(struct engine *engine)
{
    bnre_status status = BNRE_OK;
    const struct signal *in = &engine->signal[0];
    const size_t n = in->count * in->channels;
    struct order order = {0};
    struct value *value = NULL;

    BNRE_TRY(init_order(&order, engine->net->x.size));
    BNRE_TRY(read_order(engine->net->embedding, &order, &engine->scaled));
    BNRE_NEW(value, n);
    sort_values(engine, &order, value);
    engine->values = n / engine->chunks;
    BNRE_NEW(engine->from, n);
    BNRE_NEW(engine->to, n);
    BNRE_NEW(engine->d_to, n);
    BNRE_NEW(engine->shift, n);
    BNRE_NEW(engine->factor, n);
    for (size_t i = 0; i < n; i++) {
        engine->from[i] = value[i].from;
        engine->to[i] = value[i].to;
        engine->d_to[i] = value[i].d_to;
        engine->shift[i] = value[i].shift;
        engine->factor[i] = value[i].factor;
    }
done:
    bnre__free(value);
    clear_order(&order);
    return status;
}

/* ---- running ---- */

/* Ones besides the channels. */
static void load_ones(const struct signal *in, size_t count, size_t side,
                      float *to)
{
    to += in->front * in->step + in->channels * side;
    for (size_t j = 0; j < count; j++)
        for (size_t s = 0; s < side; s++)
            to[j * in->step + s] = 1;
}

void bnre__conv1d_load(const struct engine *engine, size_t g, size_t chunk,
                       float *to)
{
    const struct signal *in = &engine->signal[0];
    const size_t end = (chunk + 1) * engine->values;
    const size_t side = engine->side;
    const float *row[BNRE__SIDE_MOST];
    size_t i = chunk * engine->values;

    for (size_t s = 0; s < side; s++) {
        const size_t r = g * side + s; /* the last fills a group up */

        row[s] = engine->x +
                 (r < engine->n ? r : engine->n - 1) * engine->net->x.size;
    }
    while (i < end) {
        bnre__turn1d turn = {.to = engine->to + i, .y = to};

        /* Whole neighbourhoods where there are, else value by value. */
        if (i + BNRE__TURN > end || engine->from[i + BNRE__TURN - 1] !=
                                        engine->from[i] + BNRE__TURN - 1) {
            for (size_t s = 0; s < side; s++)
                to[engine->to[i] + s] =
                    (row[s][engine->from[i]] - engine->shift[i]) *
                    engine->factor[i];
            i++;
            continue;
        }
        for (size_t s = 0; s < side; s++)
            turn.row[s] = row[s] + engine->from[i];
        turn.shift = engine->scaled ? engine->shift + i : NULL;
        turn.factor = engine->factor + i;
        engine->kernels->turn(&turn);
        i += BNRE__TURN;
    }
    if (in->ones)
        load_ones(in, in->count / engine->chunks, side, to);
}

void bnre__conv1d_store_dx(const struct engine *engine, size_t g, size_t chunk,
                           const float *d)
{
    const size_t first = chunk * engine->values, side = engine->side;

    for (size_t r = g * side; r < (g + 1) * side && r < engine->n; r++) {
        float *row = engine->dx + r * engine->net->x.size;

        for (size_t i = first; i < first + engine->values; i++)
            row[engine->from[i]] =
                d[engine->d_to[i] + r % side] * engine->factor[i];
    }
}

void bnre__conv1d_store_phi(const struct engine *engine, size_t g,
                            const float *signal)
{
    const struct signal *out = engine->stage[engine->stages - 1].out;
    const size_t size = out->channels * out->length, side = engine->side;

    for (size_t r = g * side; r < (g + 1) * side && r < engine->n; r++)
        for (size_t c = 0; c < out->channels; c++)
            for (size_t p = 0; p < out->length; p++)
                engine->phi[r * size + c * out->length + p] =
                    signal[p * out->step + c * side + r % side];
}

void bnre__conv1d_load_dphi(const struct engine *engine, size_t g, float *d)
{
    const struct signal *out = engine->stage[engine->stages - 1].out;
    const size_t size = out->channels * out->length, side = engine->side;

    for (size_t p = 0; p < out->length; p++)
        for (size_t c = 0; c < out->channels; c++)
            for (size_t s = 0; s < side; s++) {
                const size_t r = g * side + s;

                d[p * out->step + c * side + s] =
                    r < engine->n ? engine->dphi[r * size + c * out->length + p]
                                  : 0;
            }
}
