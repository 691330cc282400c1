/* winograd.c - convolutions three by three: making, weights at
   points, products. */
#include "nn/conv2d/winograd.h"

#include <string.h>

#include "base/mem.h"

enum {
    GROUP = 8,       /* panels in a task */
    CHUNK = 128,     /* rows that are summed at a time for a gradient */
    BUDGET = 3 << 19 /* floats of points that stay in cache */
};

/* ---- making ---- */

static bnre_status make_cut(struct cut *cut, size_t length, size_t inputs,
                            size_t padding)
{
    bnre_status status = BNRE_OK;
    const int pair = length == 2 && padding == 1;
    const size_t most = BNRE__MAX_OUTPUTS;
    size_t start = 0;

    cut->length = length;
    cut->inputs = inputs;
    cut->padding = padding;
    cut->tiles = (length + most - 1) / most;
    BNRE_NEW(cut->tile, cut->tiles);
    BNRE_NEW(cut->start, cut->tiles);
    for (size_t i = 0; i < cut->tiles; i++) {
        const size_t left = cut->tiles - i;

        cut->tile[i] =
            pair ? BNRE__PAIR : (int)((length - start + left - 1) / left);
        cut->start[i] = start;
        start += bnre__tile_outputs(cut->tile[i]);
        for (size_t p = 0; p < bnre__tile_points(cut->tile[i]); p++)
            cut->having[p]++;
    }
    cut->kind = cut->tile[0];
    cut->points = bnre__tile_points(cut->kind);
done:
    return status;
}

static void count_tiles(struct winograd *w)
{
    for (size_t a = 0; a < w->rows.points; a++)
        for (size_t b = 0; b < w->columns.points; b++) {
            w->before[w->points] = w->all_tiles;
            w->tiles[w->points] = w->rows.having[a] * w->columns.having[b];
            w->all_tiles += w->tiles[w->points++];
        }
}

static void destroy_winograd(struct op *op)
{
    struct winograd *w = op->state;

    bnre__free(w->bias);
    bnre__free(w->turned);
    bnre__free(w->w);
    bnre__free(w->columns.start);
    bnre__free(w->columns.tile);
    bnre__free(w->rows.start);
    bnre__free(w->rows.tile);
    bnre__free(w);
}

/* Floats at the points for one picture. */
static size_t room_of(const struct winograd *w, const struct value *value)
{
    return w->all_tiles * value->panels * PANEL;
}

/* Pictures in a block: few enough to stay in cache, but so many that the
   weights are worth fetching. */
static size_t choose_block(const struct conv2d *engine,
                           const struct winograd *w, const struct value *in,
                           const struct value *out, size_t weights)
{
    const size_t budget = weights > BUDGET ? weights : BUDGET;
    const size_t fit =
        budget / (room_of(w, in) + room_of(w, out)) / STRIP * STRIP;

    if (fit < STRIP)
        return STRIP < engine->batch ? STRIP : engine->batch;
    return fit < engine->batch ? fit : engine->batch;
}

static void plan_scratch(struct conv2d *engine, struct winograd *w,
                         const struct value *in, const struct value *out,
                         size_t weights)
{
    const size_t lines = bnre__winograd_lines(w) * LENGTH;
    const size_t squares = (2 * 9 + 3 * BNRE__MAX_POINTS) * SQUARE;
    size_t room;

    w->worker_room = lines > squares ? lines : squares;
    room = w->block * (room_of(w, in) + room_of(w, out)) +
           bnre_pool_threads(engine->pool) * w->worker_room;
    if (engine->train)
        room += w->block * room_of(w, in) + weights;
    if (room > engine->scratch_room)
        engine->scratch_room = room;
    if (in->panels > engine->term_room)
        engine->term_room = in->panels;
    if (out->panels > engine->term_room)
        engine->term_room = out->panels;
}

static bnre_status create_winograd(struct conv2d *engine, struct op *op)
{
    bnre_status status = BNRE_OK;
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    struct winograd *w = NULL;
    size_t weights;

    BNRE_NEW(w, 1);
    op->state = w;
    BNRE_TRY(
        make_cut(&w->rows, out->height, in->height, op->layer->padding[0]));
    BNRE_TRY(
        make_cut(&w->columns, out->width, in->width, op->layer->padding[1]));
    count_tiles(w);
    for (size_t i = 0; i < 9 * PANEL; i++)
        w->place[i] = i % 9 * SQUARE + i / 9 * PANEL;
    w->in_channels = in->channels;
    w->out_channels = out->channels;
    weights = w->points * in->channels * out->panels * PANEL;
    BNRE_NEW(w->w, weights);
    if (engine->train)
        BNRE_NEW(w->turned, w->points * out->channels * in->panels * PANEL);
    if (op->layer->bias)
        BNRE_NEW(w->bias, out->panels * PANEL);
    w->block = choose_block(engine, w, in, out, weights);
    plan_scratch(engine, w, in, out, weights);
done:
    return status;
}

int bnre__conv2d_is_winograd(const bnre__layer *layer)
{
    const size_t least = PANEL;

    return layer->type == &bnre__layer_conv2d && layer->kernel[0] == 3 &&
           layer->kernel[1] == 3 && layer->stride[0] == 1 &&
           layer->stride[1] == 1 && layer->dilation[0] == 1 &&
           layer->dilation[1] == 1 && layer->out.dim[1] > 1 &&
           layer->out.dim[2] > 1 && layer->in.dim[0] >= least &&
           layer->out.dim[0] >= least;
}

/* ---- weights ---- */

/* From three by three to points (or back), for `n` values side by side: g (9,
   SQUARE), each point in steps of `step`. */
static void turn_weights(const struct conv2d *engine, const struct winograd *w,
                         size_t n, float *g, float *spare, float *at_points,
                         size_t step, int back)
{
    const size_t rows = w->rows.points, columns = w->columns.points;
    const float *from[BNRE__MAX_POINTS];
    float *to[BNRE__MAX_POINTS];
    bnre__combination c = {
        .side = BNRE__WEIGHTS, .back = back, .n = n, .from = from, .to = to};

    for (int part = 0; part < 2; part++) {
        const int by_rows = part == back;
        const size_t times = by_rows ? 3 : rows;

        c.kind = by_rows ? w->rows.kind : w->columns.kind;
        for (size_t i = 0; i < times; i++) {
            for (size_t k = 0; k < 3; k++) {
                float *small = by_rows ? g + (3 * k + i) * SQUARE
                                       : spare + (3 * i + k) * SQUARE;

                if (back)
                    to[k] = small;
                else
                    from[k] = small;
            }
            for (size_t p = 0; p < (by_rows ? rows : columns); p++) {
                float *large = by_rows ? spare + (3 * p + i) * SQUARE
                                       : at_points + (i * columns + p) * step;

                if (back)
                    from[p] = large;
                else
                    to[p] = large;
            }
            engine->kernels->combine(&c);
        }
    }
}

/* The corner of the weights from panel `out` of the outputs and `in` of the
   inputs. */
static struct corner corner_of(const struct winograd *w, size_t out, size_t in)
{
    return (struct corner){.outs = w->out_channels,
                           .ins = w->in_channels,
                           .taps = 9,
                           .out = out * PANEL,
                           .in = in * PANEL,
                           .place = w->place};
}

/* One panel of outputs at points, and its share of the turned weights. */
static void pack_panel(const struct task *task, size_t worker, size_t panel)
{
    const struct conv2d *engine = task->engine;
    const struct winograd *w = task->op->state;
    const size_t ins = w->in_channels, outs = w->out_channels;
    const size_t in_panels = engine->value[task->op->in[0]].panels;
    const size_t out_panels = engine->value[task->op->out].panels;
    const float *net = engine->w + task->op->layer->weight_at;
    float *g = worker_area(engine, w, worker), *turned = g + 9 * SQUARE;
    float *spare = turned + 9 * SQUARE;

    for (size_t in = 0; in < in_panels; in++) {
        const struct corner at = corner_of(w, panel, in);

        if (!bnre__conv2d_is_whole(&at))
            memset(g, 0, 9 * SQUARE * sizeof *g);
        bnre__conv2d_take(engine, &at, net, g);
        turn_weights(engine, w, part_of(ins, at.in) * PANEL, g, spare,
                     w->w + (panel * ins + at.in) * PANEL,
                     out_panels * ins * PANEL, 0);
        if (w->turned == NULL)
            continue;
        for (size_t t = 0; t < 9; t++)
            bnre__conv2d_turn_square(engine, g + t * SQUARE,
                                     turned + t * SQUARE);
        turn_weights(engine, w, part_of(outs, at.out) * PANEL, turned, spare,
                     w->turned + (in * outs + at.out) * PANEL,
                     in_panels * outs * PANEL, 0);
    }
}

static bnre_status pack_panels(void *arg, size_t worker, size_t first,
                               size_t last)
{
    const struct task *task = arg;

    for (size_t panel = first; panel < last; panel++)
        pack_panel(task, worker, panel);
    return BNRE_OK;
}

static void set_winograd(struct conv2d *engine, struct op *op)
{
    struct task task = {.engine = engine, .op = op};
    const struct winograd *w = op->state;
    const float *net = engine->w + op->layer->weight_at;

    bnre__conv2d_share(&task, engine->value[op->out].panels, pack_panels);
    if (w->bias != NULL)
        memcpy(w->bias, net + w->out_channels * w->in_channels * 9,
               w->out_channels * sizeof *net);
}

/* ---- products ---- */

static size_t groups_of(const struct value *value)
{
    return (value->panels + GROUP - 1) / GROUP;
}

/* One point and one group of panels: forward, or back to the inputs. */
static bnre_status multiply(void *arg, size_t worker, size_t first, size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct winograd *w = task->op->state;
    const struct value *in = &engine->value[task->op->in[0]];
    const struct value *out = &engine->value[task->op->out];
    const struct value *from = w->backward ? out : in;
    const struct value *to = w->backward ? in : out;
    bnre__term *term = engine->term + worker * engine->term_room;

    for (size_t i = first; i < last; i++) {
        const size_t p = i / groups_of(to), panel = i % groups_of(to) * GROUP;
        const size_t rows = w->tiles[p] * w->count, left = to->panels - panel;
        const bnre__sum sum = {
            .rows = rows,
            .panels = left < GROUP ? left : GROUP,
            .terms = from->panels,
            .term = term,
            .a = (w->backward ? w->m : w->v) +
                 w->before[p] * from->panels * w->count * PANEL,
            .a_row = PANEL,
            .w = (w->backward ? w->turned : w->w) +
                 (p * to->panels + panel) * from->channels * PANEL,
            .w_panel = from->channels * PANEL,
            .y = (w->backward ? w->dv : w->m) +
                 (w->before[p] * to->panels + panel * w->tiles[p]) * w->count *
                     PANEL,
            .y_panel = rows * PANEL,
        };

        for (size_t k = 0; k < from->panels; k++)
            term[k] = (bnre__term){.a = k * rows * PANEL,
                                   .w = k * PANEL * PANEL,
                                   .count = part_of(from->channels, k * PANEL)};
        engine->kernels->sum(&sum);
    }
    return BNRE_OK;
}

/* The gradient at one point, of one panel of outputs. */
static bnre_status gradients(void *arg, size_t worker, size_t first,
                             size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct winograd *w = task->op->state;
    const struct value *in = &engine->value[task->op->in[0]];
    const struct value *out = &engine->value[task->op->out];

    (void)worker;
    for (size_t i = first; i < last; i++) {
        const size_t p = i / out->panels, panel = i % out->panels;
        const size_t rows = w->tiles[p] * w->count;
        const float *v = w->v + w->before[p] * in->panels * w->count * PANEL;
        const float *m =
            w->m + (w->before[p] * out->panels + panel * w->tiles[p]) *
                       w->count * PANEL;

        for (size_t row = 0; row < rows; row += CHUNK)
            engine->kernels->outer(&(bnre__outer){
                .rows = rows - row < CHUNK ? rows - row : CHUNK,
                .inputs = in->channels,
                .a = v + row * PANEL,
                .a_row = PANEL,
                .a_panel = rows * PANEL,
                .dy = m + row * PANEL,
                .add = w->first > 0 || row > 0,
                .dw = w->du + i * in->channels * PANEL,
            });
    }
    return BNRE_OK;
}

/* ---- passes ---- */

static bnre_status unpack_panels(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct winograd *w = task->op->state;
    const struct value *out = &engine->value[task->op->out];
    const size_t ins = w->in_channels;
    float *g = worker_area(engine, w, worker), *spare = g + 9 * SQUARE;
    float *dw = task->dw + task->op->layer->weight_at;

    for (size_t panel = first; panel < last; panel++) {
        for (size_t in = 0; in * PANEL < ins; in++) {
            const struct corner at = corner_of(w, panel, in);

            turn_weights(engine, w, part_of(ins, at.in) * PANEL, g, spare,
                         w->du + (panel * ins + at.in) * PANEL,
                         out->panels * ins * PANEL, 1);
            bnre__conv2d_give(engine, &at, g, dw);
        }
        if (w->bias != NULL)
            bnre__conv2d_bias_gradient(engine, out, panel,
                                       dw + w->out_channels * ins * 9);
    }
    return BNRE_OK;
}

/* Where things are in the scratch: workers, weights, then the points. */
static void lay_out(const struct conv2d *engine, struct op *op)
{
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    struct winograd *w = op->state;

    w->v = engine->scratch + bnre_pool_threads(engine->pool) * w->worker_room;
    w->m = w->v + w->block * room_of(w, in);
    w->dv = w->m + w->block * room_of(w, out);
    w->du = w->dv + w->block * room_of(w, in);
}

static void forward_winograd(struct conv2d *engine, struct op *op)
{
    struct task task = {.engine = engine, .op = op};
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    struct winograd *w = op->state;

    lay_out(engine, op);
    w->backward = 0;
    for (w->first = 0; w->first < engine->n; w->first += w->count) {
        const size_t left = engine->n - w->first;

        w->count = left < w->block ? left : w->block;
        bnre__conv2d_share(&task, in->panels * strips_of(w),
                           bnre__winograd_inputs);
        bnre__conv2d_share(&task, w->points * groups_of(out), multiply);
        bnre__conv2d_share(&task, out->panels * strips_of(w),
                           bnre__winograd_outputs);
    }
}

static void backward_winograd(struct conv2d *engine, struct op *op, float *dw)
{
    struct task task = {.engine = engine, .op = op, .dw = dw};
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    struct winograd *w = op->state;

    lay_out(engine, op);
    w->backward = 1;
    for (w->first = 0; w->first < engine->n; w->first += w->count) {
        const size_t left = engine->n - w->first;

        w->count = left < w->block ? left : w->block;
        bnre__conv2d_share(&task, out->panels * strips_of(w),
                           bnre__winograd_outputs_back);
        if (dw != NULL) {
            bnre__conv2d_share(&task, in->panels * strips_of(w),
                               bnre__winograd_inputs);
            bnre__conv2d_share(&task, w->points * out->panels, gradients);
        }
        if (!wanted(engine, op->in[0]))
            continue;
        bnre__conv2d_share(&task, w->points * groups_of(in), multiply);
        bnre__conv2d_share(&task, in->panels * strips_of(w),
                           bnre__winograd_inputs_back);
    }
    if (dw != NULL)
        bnre__conv2d_share(&task, out->panels, unpack_panels);
}

const struct op_type bnre__conv2d_winograd = {
    .create = create_winograd,
    .destroy = destroy_winograd,
    .set = set_winograd,
    .forward = forward_winograd,
    .backward = backward_winograd,
};
