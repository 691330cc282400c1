/* pool.c - maxima over windows, averages over positions, and fixed
   changes of order or scale. Panels are shared out. */
#include <string.h>

#include "base/mem.h"
#include "nn/conv2d/conv2d.h"

static void share_panels(struct conv2d *engine, struct op *op, size_t value,
                         bnre_pool_fn fn)
{
    struct task task = {.engine = engine, .op = op};

    bnre__conv2d_share(&task, engine->value[value].panels, fn);
}

/* ---- maxima ---- */

static void destroy_maxpool(struct op *op)
{
    bnre__free(op->state);
}

/* Kept for the way back: which element of each window is the largest. */
static bnre_status create_maxpool(struct conv2d *engine, struct op *op)
{
    bnre_status status = BNRE_OK;
    float *place = NULL;

    if (!engine->train)
        return BNRE_OK;
    BNRE_NEW(place, value_room(engine, &engine->value[op->out]));
    op->state = place;
done:
    return status;
}

/* The part of window i that is inside the picture, along one dimension. */
static void window_of(const bnre__layer *layer, int d, size_t length, size_t i,
                      size_t *first, size_t *last)
{
    const size_t start = i * layer->stride[d];
    const size_t stop = start + layer->kernel[d] - layer->padding[d];

    *first = start < layer->padding[d] ? 0 : start - layer->padding[d];
    *last = stop < length ? stop : length;
}

static bnre_status maxpool_panels(void *arg, size_t worker, size_t first,
                                  size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct value *in = &engine->value[task->op->in[0]];
    const struct value *out = &engine->value[task->op->out];
    const size_t n = engine->n * PANEL;
    float *place = task->op->state;
    const float *x[BNRE__MAX_WINDOW];

    (void)worker;
    for (size_t panel = first; panel < last; panel++)
        for (size_t p = 0; p < out->positions; p++) {
            const size_t at = (panel * out->positions + p) * n;
            size_t top, bottom, left, right, count = 0;

            window_of(task->op->layer, 0, in->height, p / out->width, &top,
                      &bottom);
            window_of(task->op->layer, 1, in->width, p % out->width, &left,
                      &right);
            for (size_t r = top; r < bottom; r++)
                for (size_t c = left; c < right; c++)
                    x[count++] =
                        in->y + (panel * in->positions + r * in->width + c) * n;
            engine->kernels->largest(n, count, x, out->y + at,
                                     place == NULL ? NULL : place + at);
        }
    return BNRE_OK;
}

static void forward_maxpool(struct conv2d *engine, struct op *op)
{
    share_panels(engine, op, op->out, maxpool_panels);
}

/* The windows that see position i along one dimension. */
static void windows_at(const bnre__layer *layer, int d, size_t windows,
                       size_t i, size_t *first, size_t *last)
{
    const size_t at = i + layer->padding[d], stride = layer->stride[d];

    *first = at < layer->kernel[d] ? 0 : (at - layer->kernel[d]) / stride + 1;
    *last = at / stride + 1 < windows ? at / stride + 1 : windows;
}

/* The windows that see one position, and as which of their elements. */
static size_t find_windows(const bnre__layer *layer, const struct value *in,
                           const struct value *out, size_t p, size_t *window,
                           float *which)
{
    const size_t row = p / in->width, column = p % in->width;
    size_t r0, r1, c0, c1, count = 0;

    windows_at(layer, 0, out->height, row, &r0, &r1);
    windows_at(layer, 1, out->width, column, &c0, &c1);
    for (size_t r = r0; r < r1; r++)
        for (size_t c = c0; c < c1; c++) {
            size_t top, bottom, left, right;

            window_of(layer, 0, in->height, r, &top, &bottom);
            window_of(layer, 1, in->width, c, &left, &right);
            which[count] =
                (float)((row - top) * (right - left) + column - left);
            window[count++] = r * out->width + c;
        }
    return count;
}

static bnre_status maxpool_back_panels(void *arg, size_t worker, size_t first,
                                       size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct value *in = &engine->value[task->op->in[0]];
    const struct value *out = &engine->value[task->op->out];
    const size_t n = engine->n * PANEL;
    const float *place[BNRE__MAX_WINDOW], *dy[BNRE__MAX_WINDOW];
    float which[BNRE__MAX_WINDOW];
    size_t window[BNRE__MAX_WINDOW];

    (void)worker;
    for (size_t panel = first; panel < last; panel++)
        for (size_t p = 0; p < in->positions; p++) {
            const size_t count =
                find_windows(task->op->layer, in, out, p, window, which);

            for (size_t k = 0; k < count; k++) {
                const size_t at = (panel * out->positions + window[k]) * n;

                place[k] = (const float *)task->op->state + at;
                dy[k] = out->dy + at;
            }
            engine->kernels->largest_back(
                n, count, place, which, dy, task->op->add[0],
                in->dy + (panel * in->positions + p) * n);
        }
    return BNRE_OK;
}

static void backward_maxpool(struct conv2d *engine, struct op *op, float *dw)
{
    (void)dw;
    if (wanted(engine, op->in[0]))
        share_panels(engine, op, op->in[0], maxpool_back_panels);
}

const struct op_type bnre__conv2d_maxpool = {
    .create = create_maxpool,
    .destroy = destroy_maxpool,
    .forward = forward_maxpool,
    .backward = backward_maxpool,
};

/* ---- averages ---- */

static bnre_status avgpool_panels(void *arg, size_t worker, size_t first,
                                  size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct value *in = &engine->value[task->op->in[0]];
    const size_t n = engine->n * PANEL;
    const float weight = 1 / (float)in->positions;

    (void)worker;
    for (size_t panel = first; panel < last; panel++) {
        const float *x = in->y + panel * in->positions * n;
        float *y = engine->value[task->op->out].y + panel * n;

        memset(y, 0, n * sizeof *y);
        for (size_t p = 0; p < in->positions; p++)
            for (size_t i = 0; i < n; i++)
                y[i] += x[p * n + i];
        for (size_t i = 0; i < n; i++)
            y[i] *= weight;
    }
    return BNRE_OK;
}

static void forward_avgpool(struct conv2d *engine, struct op *op)
{
    share_panels(engine, op, op->out, avgpool_panels);
}

static bnre_status avgpool_back_panels(void *arg, size_t worker, size_t first,
                                       size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct value *in = &engine->value[task->op->in[0]];
    const size_t n = engine->n * PANEL;
    const float weight = 1 / (float)in->positions;

    (void)worker;
    for (size_t panel = first; panel < last; panel++) {
        const float *dy = engine->value[task->op->out].dy + panel * n;
        float *dx = in->dy + panel * in->positions * n;

        for (size_t p = 0; p < in->positions; p++)
            for (size_t i = 0; i < n; i++)
                dx[p * n + i] =
                    dy[i] * weight + (task->op->add[0] ? dx[p * n + i] : 0);
    }
    return BNRE_OK;
}

static void backward_avgpool(struct conv2d *engine, struct op *op, float *dw)
{
    (void)dw;
    if (wanted(engine, op->in[0]))
        share_panels(engine, op, op->in[0], avgpool_back_panels);
}

const struct op_type bnre__conv2d_avgpool = {
    .forward = forward_avgpool,
    .backward = backward_avgpool,
};

/* ---- (channels, height, width) as so many channels ---- */

/* Where element `j` of picture `i` is, before and after. */
static size_t place(const struct conv2d *engine, const struct value *value,
                    size_t i, size_t j)
{
    const size_t c = j / value->positions, p = j % value->positions;

    return ((c / PANEL * value->positions + p) * engine->n + i) * PANEL +
           c % PANEL;
}

static void forward_flatten(struct conv2d *engine, struct op *op)
{
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];

    memset(out->y + (out->panels - 1) * engine->n * PANEL, 0,
           engine->n * PANEL * sizeof *out->y);
    for (size_t i = 0; i < engine->n; i++)
        for (size_t j = 0; j < out->channels; j++)
            out->y[place(engine, out, i, j)] = in->y[place(engine, in, i, j)];
}

static void backward_flatten(struct conv2d *engine, struct op *op, float *dw)
{
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];

    (void)dw;
    if (!wanted(engine, op->in[0]))
        return;
    for (size_t i = 0; i < engine->n; i++)
        for (size_t j = 0; j < in->panels * PANEL * in->positions; j++) {
            float *dx = &in->dy[place(engine, in, i, j)];

            *dx = (j < out->channels ? out->dy[place(engine, out, i, j)] : 0) +
                  (op->add[0] ? *dx : 0);
        }
}

const struct op_type bnre__conv2d_flatten = {
    .forward = forward_flatten,
    .backward = backward_flatten,
};

/* ---- fixed scalings ---- */

static void forward_scale(struct conv2d *engine, struct op *op)
{
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    const bnre__layer *layer = op->layer;

    memset(out->y, 0, out->panels * panel_size(engine, out) * sizeof *out->y);
    for (size_t i = 0; i < engine->n; i++)
        for (size_t j = 0; j < layer->in.size; j++) {
            const size_t at = place(engine, in, i, j);

            out->y[at] = (in->y[at] - layer->shift[j]) / layer->scale[j];
        }
}

static void backward_scale(struct conv2d *engine, struct op *op, float *dw)
{
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    const bnre__layer *layer = op->layer;

    (void)dw;
    if (!wanted(engine, op->in[0]))
        return;
    if (!op->add[0])
        memset(in->dy, 0, in->panels * panel_size(engine, in) * sizeof *in->dy);
    for (size_t i = 0; i < engine->n; i++)
        for (size_t j = 0; j < layer->in.size; j++) {
            const size_t at = place(engine, in, i, j);

            in->dy[at] += out->dy[at] / layer->scale[j];
        }
}

const struct op_type bnre__conv2d_scale = {
    .forward = forward_scale,
    .backward = backward_scale,
};
