/* point.c - norms, sums of two values, and activations, at once.

   y = f(sum over inputs of (a - mean) scale + shift), with means and scales of
   batch norms, or 0 and 1. Channels are apart, so panels are shared out. gelu
   stands alone: its derivative is told from its argument. */
#include <math.h>

#include "base/mem.h"
#include "nn/conv2d/conv2d.h"
#include "num/conv1d.h"

struct point {
    /* Per channel, padded: */
    float *mean[2], *scale[2], *shift;
    float *rate[2]; /* 1 / sd of the norms */
};

static void destroy_point(struct op *op)
{
    struct point *point = op->state;

    for (int i = 0; i < 2; i++) {
        bnre__free(point->rate[i]);
        bnre__free(point->scale[i]);
        bnre__free(point->mean[i]);
    }
    bnre__free(point->shift);
    bnre__free(point);
}

static bnre_status create_point(struct conv2d *engine, struct op *op)
{
    bnre_status status = BNRE_OK;
    const size_t room = engine->value[op->out].panels * PANEL;
    struct point *point = NULL;

    BNRE_NEW(point, 1);
    op->state = point;
    BNRE_NEW(point->shift, room);
    for (size_t i = 0; i < op->inputs; i++) {
        BNRE_NEW(point->mean[i], room);
        BNRE_NEW(point->scale[i], room);
        BNRE_NEW(point->rate[i], room);
        for (size_t c = 0; op->norm[i] == NULL && c < room; c++)
            point->scale[i][c] = 1;
    }
done:
    return status;
}

/* ---- norms ---- */

/* The norm of one panel of an input: its mean and scale; its shift is added. */
static void find_norm(const struct conv2d *engine, const struct op *op,
                      size_t i, size_t panel)
{
    const struct value *in = &engine->value[op->in[i]];
    const bnre__layer *norm = op->norm[i];
    const struct point *point = op->state;
    const size_t rows = in->positions * engine->n, channels = in->channels;
    const float *w = engine->w + norm->weight_at;
    float *running = engine->buffer + norm->buffer_at;
    double mean[PANEL], squares[PANEL];

    if (engine->training)
        engine->kernels->moments(rows, in->y + panel * rows * PANEL, mean,
                                 squares);
    for (size_t k = 0; k < PANEL && panel * PANEL + k < channels; k++) {
        const size_t c = panel * PANEL + k;
        double variance;

        if (engine->training) {
            const double spread =
                squares[k] / (double)(rows > 1 ? rows - 1 : 1);

            variance = squares[k] / (double)rows;
            /* Once for the joint and once for the marginal pass. */
            for (int twice = 0; twice < 2; twice++) {
                running[c] +=
                    (float)(norm->momentum * (mean[k] - (double)running[c]));
                running[channels + c] +=
                    (float)(norm->momentum *
                            (spread - (double)running[channels + c]));
            }
        } else {
            mean[k] = (double)running[c];
            variance = (double)running[channels + c];
        }
        point->mean[i][c] = (float)mean[k];
        point->rate[i][c] = (float)(1 / sqrt(variance + norm->epsilon));
        point->scale[i][c] = point->rate[i][c] * w[c];
        point->shift[c] += w[channels + c];
    }
}

static bnre_status forward_panels(void *arg, size_t worker, size_t first,
                                  size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct op *op = task->op;
    const struct value *out = &engine->value[op->out];
    const struct point *point = op->state;
    const size_t rows = out->positions * engine->n;

    (void)worker;
    for (size_t panel = first; panel < last; panel++) {
        const size_t at = panel * rows * PANEL, c = panel * PANEL;
        bnre__point p = {
            .rows = rows,
            .activation = op->activation,
            .slope = op->slope,
            .a = engine->value[op->in[0]].y + at,
            .shift = point->shift + c,
            .y = out->y + at,
        };

        for (size_t k = 0; k < PANEL; k++)
            point->shift[c + k] = 0;
        for (size_t i = 0; i < op->inputs; i++) {
            if (op->norm[i] != NULL)
                find_norm(engine, op, i, panel);
            p.mean[i] = point->mean[i] + c;
            p.scale[i] = point->scale[i] + c;
        }
        if (op->inputs > 1)
            p.b = engine->value[op->in[1]].y + at;
        engine->kernels->point(&p);
    }
    return BNRE_OK;
}

static void forward_point(struct conv2d *engine, struct op *op)
{
    struct task task = {.engine = engine, .op = op};

    bnre__conv2d_share(&task, engine->value[op->out].panels, forward_panels);
}

/* ---- the way back ---- */

/* From g, the gradient of what is activated, to one input. For a norm in
   training, with x' = (x - mean) rate and averages over the batch:

     dx = scale (g - <g> - x' <g x'>) */
static void input_gradient(const struct conv2d *engine, const struct op *op,
                           size_t i, size_t panel, const float *g,
                           const double *sum, const double *with, float *dw)
{
    const struct value *in = &engine->value[op->in[i]];
    const bnre__layer *norm = op->norm[i];
    const struct point *point = op->state;
    const size_t rows = in->positions * engine->n, c = panel * PANEL;
    float level[PANEL] = {0}, slope[PANEL] = {0};
    const bnre__line_back line = {
        .rows = rows,
        .g = g,
        .x = in->y == NULL ? g : in->y + c * rows,
        .scale = point->scale[i] + c,
        .at_mean = level,
        .slope = slope,
        .mean = point->mean[i] + c,
        .add = op->add[i],
        .dx = in->dy + c * rows,
    };

    for (size_t k = 0; norm != NULL && k < PANEL && c + k < in->channels; k++) {
        const double rate = (double)point->rate[i][c + k];
        const double scale = (double)point->scale[i][c + k];

        if (dw != NULL) {
            dw[norm->weight_at + c + k] = (float)(with[k] * rate);
            dw[norm->weight_at + in->channels + c + k] = (float)sum[k];
        }
        if (!engine->training)
            continue;
        level[k] = (float)(-scale * sum[k] / (double)rows);
        slope[k] = (float)(-scale * with[k] * rate * rate / (double)rows);
    }
    if (wanted(engine, op->in[i]) && line.dx != g)
        engine->kernels->line_back(&line);
}

static bnre_status backward_panels(void *arg, size_t worker, size_t first,
                                   size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct op *op = task->op;
    const struct value *out = &engine->value[op->out];
    const struct point *point = op->state;
    const size_t rows = out->positions * engine->n;

    (void)worker;
    for (size_t panel = first; panel < last; panel++) {
        const size_t at = panel * rows * PANEL, c = panel * PANEL;
        double sum[PANEL], with[2][PANEL];
        bnre__point_back p = {
            .rows = rows,
            .activation = op->activation,
            .slope = op->slope,
            .y = out->y + at,
            .dy = out->dy + at,
            .sum = sum,
            .with = {with[0], with[1]},
        };

        for (size_t i = 0; i < op->inputs; i++)
            if (op->norm[i] != NULL) {
                *(i == 0 ? &p.a : &p.b) = engine->value[op->in[i]].y + at;
                p.mean[i] = point->mean[i] + c;
            }
        engine->kernels->point_back(&p);
        for (size_t i = op->inputs; i-- > 0;)
            input_gradient(engine, op, i, panel, p.dy, sum, with[i], task->dw);
    }
    return BNRE_OK;
}

static void backward_point(struct conv2d *engine, struct op *op, float *dw)
{
    struct task task = {.engine = engine, .op = op, .dw = dw};

    bnre__conv2d_share(&task, engine->value[op->out].panels, backward_panels);
}

const struct op_type bnre__conv2d_point = {
    .create = create_point,
    .destroy = destroy_point,
    .forward = forward_point,
    .backward = backward_point,
};

/* ---- gelu ---- */

static bnre_status gelu_panels(void *arg, size_t worker, size_t first,
                               size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct value *out = &engine->value[task->op->out];
    const size_t size = panel_size(engine, out);

    (void)worker;
    engine->all->conv1d->gelu((last - first) * size,
                              engine->value[task->op->in[0]].y + first * size,
                              out->y + first * size);
    return BNRE_OK;
}

static void forward_gelu(struct conv2d *engine, struct op *op)
{
    struct task task = {.engine = engine, .op = op};

    bnre__conv2d_share(&task, engine->value[op->out].panels, gelu_panels);
}

static bnre_status gelu_back_panels(void *arg, size_t worker, size_t first,
                                    size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct value *in = &engine->value[task->op->in[0]];
    const size_t size = panel_size(engine, in);
    float *g = engine->value[task->op->out].dy;

    (void)worker;
    engine->all->conv1d->gelu_back((last - first) * size, in->y + first * size,
                                   g + first * size);
    for (size_t i = first * size; i < last * size; i++)
        in->dy[i] = g[i] + (task->op->add[0] ? in->dy[i] : 0);
    return BNRE_OK;
}

static void backward_gelu(struct conv2d *engine, struct op *op, float *dw)
{
    struct task task = {.engine = engine, .op = op};

    (void)dw;
    if (wanted(engine, op->in[0]))
        bnre__conv2d_share(&task, engine->value[op->out].panels,
                           gelu_back_panels);
}

const struct op_type bnre__conv2d_gelu = {
    .forward = forward_gelu,
    .backward = backward_gelu,
};
