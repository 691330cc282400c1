/* affine.c - affine maps: two made one, packed, and back.

   Maps without an activation between them are one map where one of them looks
   at single positions. Second after first, second being such:

     w[o][c][t] = sum_m w2[o][m] w1[m][c][t],  b = b2 + w2 b1

   and first being such, where the inputs in the padding of the second are to be
   zeros and not b1, so that b1 takes the place of a further input of ones:

     w[o][c][t] = sum_m w2[o][m][t] w1[m][c],  w[o][ones][t] = w2[..][t] b1

   Derivatives follow from the product rule. Making one of two costs outputs x
   middle channels x inputs x taps for each set of weights, whatever the number
   of observations. */
#include <string.h>

#include "base/mem.h"
#include "nn/conv1d/parts.h"

static size_t inputs_of(const struct affine *a)
{
    return a->op.in + (size_t)a->ones;
}

static int is_fixed(const struct affine *a)
{
    return a->first == NULL && a->op.layer->type == &bnre__layer_scale;
}

static int is_single(const struct affine *a)
{
    return a->op.taps == 1 && a->op.stride == 1 && a->op.padding == 0;
}

/* Whether b may be other than 0. */
static int has_bias(const struct affine *a)
{
    if (a->first != NULL)
        return has_bias(a->first) || has_bias(a->second);
    if (!is_fixed(a))
        return a->op.layer->bias;
    for (size_t i = 0; i < a->op.layer->in.size; i++)
        if (a->op.layer->shift[i] != 0)
            return 1;
    return 0;
}

static bnre_status make_room(struct affine *a)
{
    bnre_status status = BNRE_OK;
    const size_t n = a->op.out * inputs_of(a) * a->op.taps;

    BNRE_NEW(a->w, n);
    BNRE_NEW(a->dw, n);
    BNRE_NEW(a->b, a->op.out);
    BNRE_NEW(a->db, a->op.out);
done:
    return status;
}

bnre_status bnre__affine_create(const struct op *op, struct affine **out)
{
    bnre_status status = BNRE_OK;
    struct affine *a = NULL;

    *out = NULL;
    BNRE_NEW(a, 1);
    a->op = *op;
    BNRE_TRY(make_room(a));
    *out = a;
    a = NULL;
done:
    bnre__affine_destroy(a);
    return status;
}

void bnre__affine_destroy(struct affine *a)
{
    if (a == NULL)
        return;
    bnre__affine_destroy(a->first);
    bnre__affine_destroy(a->second);
    bnre__free(a->db);
    bnre__free(a->b);
    bnre__free(a->dw);
    bnre__free(a->w);
    bnre__free(a);
}

static size_t cost(const struct affine *a)
{
    return a->op.out_length * a->op.out * inputs_of(a) * a->op.taps;
}

int bnre__affine_folds(const struct affine *first, const struct affine *second,
                       int at_input)
{
    const size_t apart = cost(first) + cost(second);
    const size_t outputs = second->op.out_length * second->op.out;
    int ones;

    if (is_single(second))
        return outputs * inputs_of(first) * first->op.taps <= apart;
    if (!is_single(first))
        return 0;
    ones = second->op.padding > 0 && has_bias(first);
    if (ones && !at_input)
        return 0;
    return outputs * (first->op.in + (size_t)ones) * second->op.taps <= apart;
}

bnre_status bnre__affine_fold(struct affine *first, struct affine *second,
                              struct affine **out)
{
    bnre_status status = BNRE_OK;
    const struct affine *wide = is_single(second) ? first : second;
    struct affine *a = NULL;

    *out = NULL;
    BNRE_NEW(a, 1);
    a->op = wide->op;
    a->op.layer = NULL;
    a->op.in = first->op.in;
    a->op.length = first->op.length;
    a->op.out = second->op.out;
    a->op.out_length = second->op.out_length;
    a->ones = first->ones ||
              (wide == second && second->op.padding > 0 && has_bias(first));
    BNRE_TRY(make_room(a));
    a->first = first;
    a->second = second;
    first = second = NULL;
    *out = a;
    a = NULL;
done:
    bnre__affine_destroy(a);
    bnre__affine_destroy(second);
    bnre__affine_destroy(first);
    return status;
}

/* ---- weights ---- */

static void set_layer(struct affine *a, const float *weights)
{
    const bnre__layer *layer = a->op.layer;
    const size_t n = a->op.out * a->op.in * a->op.taps;
    const float *w = weights + layer->weight_at;

    if (is_fixed(a)) {
        for (size_t c = 0; c < a->op.in; c++) {
            const float scale = layer->scale[c * a->op.length];

            a->w[c * a->op.in + c] = 1 / scale;
            a->b[c] = -layer->shift[c * a->op.length] / scale;
        }
        return;
    }
    memcpy(a->w, w, n * sizeof *w);
    if (layer->bias)
        memcpy(a->b, w + n, a->op.out * sizeof *w);
}

/* The second looks at single positions: products with each column. */
static void set_single_second(struct affine *a)
{
    const struct affine *f = a->first, *s = a->second;
    const size_t columns = inputs_of(f) * f->op.taps, middle = f->op.out;

    for (size_t o = 0; o < a->op.out; o++) {
        double bias = (double)s->b[o];

        for (size_t k = 0; k < columns; k++) {
            double sum = 0;

            for (size_t m = 0; m < middle; m++)
                sum += (double)s->w[o * middle + m] *
                       (double)f->w[m * columns + k];
            a->w[o * columns + k] = (float)sum;
        }
        for (size_t m = 0; m < middle; m++)
            bias += (double)s->w[o * middle + m] * (double)f->b[m];
        a->b[o] = (float)bias;
    }
}

static void set_single_first(struct affine *a)
{
    const struct affine *f = a->first, *s = a->second;
    const size_t in = f->op.in, middle = f->op.out, taps = s->op.taps;

    for (size_t o = 0; o < a->op.out; o++) {
        float *w = a->w + o * inputs_of(a) * taps;
        double bias = (double)s->b[o];

        for (size_t t = 0; t < taps; t++) {
            const float *from = s->w + o * middle * taps + t;
            double one = 0;

            for (size_t c = 0; c < in; c++) {
                double sum = 0;

                for (size_t m = 0; m < middle; m++)
                    sum += (double)from[m * taps] * (double)f->w[m * in + c];
                w[c * taps + t] = (float)sum;
            }
            for (size_t m = 0; m < middle; m++)
                one += (double)from[m * taps] * (double)f->b[m];
            if (a->ones)
                w[in * taps + t] = (float)one;
            else
                bias += one;
        }
        a->b[o] = (float)bias;
    }
}

void bnre__affine_set(struct affine *a, const float *weights)
{
    if (a->first == NULL) {
        set_layer(a, weights);
        return;
    }
    bnre__affine_set(a->first, weights);
    bnre__affine_set(a->second, weights);
    if (is_single(a->second))
        set_single_second(a);
    else
        set_single_first(a);
}

/* ---- derivatives ---- */

static void unfold_single_second(struct affine *a)
{
    struct affine *f = a->first, *s = a->second;
    const size_t columns = inputs_of(f) * f->op.taps, middle = f->op.out;

    for (size_t o = 0; o < a->op.out; o++)
        for (size_t m = 0; m < middle; m++) {
            double sum = (double)a->db[o] * (double)f->b[m];

            for (size_t k = 0; k < columns; k++)
                sum += (double)a->dw[o * columns + k] *
                       (double)f->w[m * columns + k];
            s->dw[o * middle + m] = (float)sum;
        }
    memcpy(s->db, a->db, a->op.out * sizeof *s->db);
    for (size_t m = 0; m < middle; m++) {
        double bias = 0;

        for (size_t k = 0; k < columns; k++) {
            double sum = 0;

            for (size_t o = 0; o < a->op.out; o++)
                sum += (double)s->w[o * middle + m] *
                       (double)a->dw[o * columns + k];
            f->dw[m * columns + k] = (float)sum;
        }
        for (size_t o = 0; o < a->op.out; o++)
            bias += (double)s->w[o * middle + m] * (double)a->db[o];
        f->db[m] = (float)bias;
    }
}

static void unfold_single_first(struct affine *a)
{
    struct affine *f = a->first, *s = a->second;
    const size_t in = f->op.in, middle = f->op.out, taps = s->op.taps;

    for (size_t m = 0; m < middle; m++) {
        double bias = 0;

        memset(f->dw + m * in, 0, in * sizeof *f->dw);
        for (size_t o = 0; o < a->op.out; o++) {
            const float *dw = a->dw + o * inputs_of(a) * taps;

            for (size_t t = 0; t < taps; t++) {
                const size_t here = (o * middle + m) * taps + t;
                const double one =
                    (double)(a->ones ? dw[in * taps + t] : a->db[o]);
                double sum = one * (double)f->b[m];

                for (size_t c = 0; c < in; c++) {
                    sum += (double)dw[c * taps + t] * (double)f->w[m * in + c];
                    f->dw[m * in + c] += s->w[here] * dw[c * taps + t];
                }
                bias += (double)s->w[here] * one;
                s->dw[here] = (float)sum;
            }
        }
        f->db[m] = (float)bias;
    }
    memcpy(s->db, a->db, a->op.out * sizeof *s->db);
}

void bnre__affine_unfold(struct affine *a, float *gradient)
{
    const size_t n = a->op.out * a->op.in * a->op.taps;

    if (a->first == NULL) {
        const bnre__layer *layer = a->op.layer;

        if (is_fixed(a))
            return;
        memcpy(gradient + layer->weight_at, a->dw, n * sizeof *gradient);
        if (layer->bias)
            memcpy(gradient + layer->weight_at + n, a->db,
                   a->op.out * sizeof *gradient);
        return;
    }
    if (is_single(a->second))
        unfold_single_second(a);
    else
        unfold_single_first(a);
    bnre__affine_unfold(a->first, gradient);
    bnre__affine_unfold(a->second, gradient);
}

/* ---- packed ---- */

/* Packed weights of a stage: rows by tap, then channel; on the way back rows
   by tap from the last to the first, then output. */
static void pack(struct stage *stage)
{
    const struct affine *a = stage->affine;
    const size_t inputs = inputs_of(a), taps = a->op.taps, out = a->op.out;

    for (size_t o = 0; o < out; o++) {
        for (size_t c = 0; c < inputs; c++)
            for (size_t t = 0; t < taps; t++) {
                const float w = a->w[(o * inputs + c) * taps + t];
                const size_t row = t * inputs + c;
                const size_t back = (taps - 1 - t) * out + o;

                stage->w[(o / QUAD * stage->rows + row) * QUAD + o % QUAD] = w;
                if (stage->back != NULL && c < a->op.in)
                    stage->back[(c / QUAD * stage->back_rows + back) * QUAD +
                                c % QUAD] = w;
            }
        stage->bias[o] = a->b[o];
    }
}

void bnre__conv1d_pack(struct engine *engine)
{
    for (size_t s = 0; s < engine->stages; s++)
        if (engine->stage[s].affine != NULL) {
            bnre__affine_set(engine->stage[s].affine, engine->weights);
            pack(&engine->stage[s]);
        }
}

/* From engine->total to the net's order. */
void bnre__conv1d_unpack(struct engine *engine, float *gradient)
{
    for (size_t s = 0; s < engine->stages; s++) {
        const struct stage *stage = &engine->stage[s];
        const float *dw = engine->total + stage->sums_at;
        const float *db = dw + stage->rows * stage->quads * QUAD;
        struct affine *a = stage->affine;
        size_t inputs, taps;

        if (a == NULL)
            continue;
        inputs = inputs_of(a);
        taps = a->op.taps;
        for (size_t o = 0; o < a->op.out; o++) {
            for (size_t c = 0; c < inputs; c++)
                for (size_t t = 0; t < taps; t++)
                    a->dw[(o * inputs + c) * taps + t] =
                        dw[(o / QUAD * stage->rows + t * inputs + c) * QUAD +
                           o % QUAD];
            a->db[o] = db[o];
        }
        bnre__affine_unfold(a, gradient);
    }
}
