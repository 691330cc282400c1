/* embed_conv2d_winograd.c - convolutions three by three by fewer products.

   A picture is cut into tiles of up to five by five outputs (num/winograd.h).
   Inputs go to points, where each point has a product of its own, of all tiles
   and pictures with that point's weights; results go back to outputs. What
   belongs to a point p is, for `count` pictures,

     data[((before[p] * panels + panel * tiles[p]) + tile) * count * 16 ...]

   Larger tiles come first, so that those which have a point are the first ones.
   Pictures are treated in blocks that stay in cache. */
#include <string.h>

#include "base/mem.h"
#include "nn/embed_conv2d.h"
#include "num/winograd.h"

enum {
    STRIP = 4,   /* pictures whose tiles are made at a time */
    GROUP = 8,   /* panels in a task */
    CHUNK = 128, /* rows that are summed at a time for a gradient */
    LENGTH = STRIP * PANEL,
    SQUARE = PANEL * PANEL,
    BUDGET = 3 << 18 /* floats of points that stay in cache */
};

/* How one dimension is cut. */
struct cut {
    size_t length, inputs, padding; /* outputs, inputs */
    size_t tiles, points;
    int kind;                        /* of the first tile, the largest */
    int *tile;                       /* (tiles): kinds */
    size_t *start;                   /* (tiles): first outputs */
    size_t having[BNRE__MAX_POINTS]; /* so many tiles have a point */
};

struct winograd {
    struct cut rows, columns;
    size_t points, all_tiles; /* sum over points */
    size_t tiles[BNRE__MAX_POINTS * BNRE__MAX_POINTS];
    size_t before[BNRE__MAX_POINTS * BNRE__MAX_POINTS];
    size_t in_channels, out_channels;
    float *w, *turned; /* (points, panels, channels, 16) */
    float *bias;
    size_t block; /* pictures at most */

    /* This pass: */
    size_t first, count; /* pictures */
    int backward;
    float *v, *m, *dv, *du, *worker; /* in the engine's scratch */
    size_t worker_room;
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
    const size_t lines = BNRE__MAX_POINTS * w->columns.inputs >
                                 BNRE__MAX_POINTS * w->columns.length
                             ? BNRE__MAX_POINTS * w->columns.inputs
                             : BNRE__MAX_POINTS * w->columns.length;
    const size_t squares = (9 + 3 * BNRE__MAX_POINTS) * SQUARE;
    size_t room;

    /* Two lines more: zeros, and what falls outside. */
    w->worker_room = (lines + 2) * LENGTH;
    if (w->worker_room < squares)
        w->worker_room = squares;
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

/* Copy the weights of 16 by 16 channels between the net's order and (9, inner,
   16), where `lane` tells which of them stands last. */
struct corner {
    size_t outs, ins; /* first channels */
    size_t out_count, in_count;
    int lane_in;
};

static void copy_corner(const struct winograd *w, const struct corner *at,
                        float *weights, float *g, int into_net)
{
    for (size_t k = 0; k < at->out_count; k++)
        for (size_t c = 0; c < at->in_count; c++) {
            float *net =
                weights + ((at->outs + k) * w->in_channels + at->ins + c) * 9;
            float *here = g + (at->lane_in ? k * PANEL + c : c * PANEL + k);

            for (size_t t = 0; t < 9; t++)
                if (into_net)
                    net[t] = here[t * SQUARE];
                else
                    here[t * SQUARE] = net[t];
        }
}

static size_t part_of(size_t all, size_t first)
{
    return all - first < PANEL ? all - first : PANEL;
}

static float *worker_area(const struct conv2d *engine, const struct winograd *w,
                          size_t worker)
{
    return engine->scratch + worker * w->worker_room;
}

/* Pack the weights of one panel, of outputs or (turned) of inputs. */
static void pack_panel(const struct task *task, size_t worker, size_t panel,
                       int turned)
{
    const struct conv2d *engine = task->engine;
    const struct winograd *w = task->op->state;
    const size_t inner = turned ? w->out_channels : w->in_channels;
    const size_t lanes = turned ? w->in_channels : w->out_channels;
    const size_t step = up(lanes, PANEL) * inner;
    float *g = worker_area(engine, w, worker), *spare = g + 9 * SQUARE;
    float *net = (float *)engine->w + task->op->layer->weight_at;

    memset(g, 0, 9 * SQUARE * sizeof *g);
    for (size_t first = 0; first < inner; first += PANEL) {
        struct corner at = {.outs = panel * PANEL,
                            .ins = first,
                            .out_count = part_of(lanes, panel * PANEL),
                            .in_count = part_of(inner, first),
                            .lane_in = turned};

        if (turned)
            at = (struct corner){first, panel * PANEL, at.in_count,
                                 at.out_count, 1};
        copy_corner(w, &at, net, g, 0);
        turn_weights(engine, w, part_of(inner, first) * PANEL, g, spare,
                     (turned ? w->turned : w->w) +
                         (panel * inner + first) * PANEL,
                     step, 0);
    }
}

static bnre_status pack_panels(void *arg, size_t worker, size_t first,
                               size_t last)
{
    const struct task *task = arg;
    const struct winograd *w = task->op->state;
    const size_t outs = task->engine->value[task->op->out].panels;
    const float *net = task->engine->w + task->op->layer->weight_at;

    for (size_t i = first; i < last; i++)
        pack_panel(task, worker, i < outs ? i : i - outs, i >= outs);
    if (w->bias != NULL && first == 0)
        memcpy(w->bias, net + w->out_channels * w->in_channels * 9,
               w->out_channels * sizeof *net);
    return BNRE_OK;
}

static void set_winograd(struct conv2d *engine, struct op *op)
{
    struct task task = {.engine = engine, .op = op};
    const struct winograd *w = op->state;
    const size_t outs = engine->value[op->out].panels;

    bnre__conv2d_share(
        &task, outs + (w->turned == NULL ? 0 : engine->value[op->in[0]].panels),
        pack_panels);
}

/* ---- tiles ---- */

/* One strip of pictures in one panel of a value. */
struct strip {
    const struct conv2d *engine;
    const struct winograd *w;
    size_t panels, panel; /* of the points */
    size_t first, n;      /* pictures in the block; n values of each line */
    float *picture;       /* position 0 of the first of them */
    size_t width, step;   /* of the picture; from one position to the next */
    float *points;
    float *line;            /* (points, columns): one dimension at points */
    size_t lines;           /* columns of it */
    float *zeros, *outside; /* (LENGTH) each */
};

static float *place_at_point(const struct strip *s, size_t a, size_t b,
                             size_t row_tile, size_t column_tile)
{
    const struct winograd *w = s->w;
    const size_t p = a * w->columns.points + b;
    const size_t tile = row_tile * w->columns.having[b] + column_tile;

    return s->points +
           ((w->before[p] * s->panels + s->panel * w->tiles[p] + tile) *
                w->count +
            s->first) *
               PANEL;
}

/* Where the line of `column` at point a is, if there is such a column. */
static float *line_at(const struct strip *s, size_t a, size_t column,
                      float *otherwise)
{
    return column < s->lines ? s->line + (a * s->lines + column) * LENGTH
                             : otherwise;
}

static float *pixel_at(const struct strip *s, size_t row, size_t column,
                       size_t height, float *otherwise)
{
    return row < height ? s->picture + (row * s->width + column) * s->step
                        : otherwise;
}

/* The first of a tile's inputs (on one side) or outputs; it may be "negative",
   beyond any position. */
static size_t first_of(const struct cut *cut, size_t tile, bnre__side side)
{
    return side == BNRE__OUTPUT ? cut->start[tile]
                                : cut->start[tile] - cut->padding +
                                      (cut->tile[tile] == BNRE__PAIR);
}

static size_t count_of(int kind, bnre__side side)
{
    return side == BNRE__OUTPUT ? bnre__tile_outputs(kind)
                                : bnre__tile_inputs(kind);
}

/* Between pixels and lines at points, for one row of tiles. */
static void rows_of_tiles(const struct strip *s, size_t tile, bnre__side side,
                          int to_lines, int add)
{
    const struct cut *rows = &s->w->rows;
    const int kind = rows->tile[tile];
    const size_t height = side == BNRE__OUTPUT ? rows->length : rows->inputs;
    const size_t first = first_of(rows, tile, side);
    const float *from[BNRE__MAX_POINTS];
    float *to[BNRE__MAX_POINTS];
    const bnre__combination c = {.kind = kind,
                                 .side = side,
                                 .back = to_lines == (side == BNRE__OUTPUT),
                                 .n = s->n,
                                 .from = from,
                                 .to = to,
                                 .add = add};

    for (size_t column = 0; column < s->lines; column++) {
        for (size_t k = 0; k < count_of(kind, side); k++)
            if (to_lines)
                from[k] = pixel_at(s, first + k, column, height, s->zeros);
            else
                to[k] = pixel_at(s, first + k, column, height, s->outside);
        for (size_t a = 0; a < bnre__tile_points(kind); a++)
            if (to_lines)
                to[a] = line_at(s, a, column, NULL);
            else
                from[a] = line_at(s, a, column, NULL);
        s->engine->kernels->combine(&c);
    }
}

/* Between lines and points, for one row of tiles. */
static void columns_of_tiles(const struct strip *s, size_t row_tile,
                             bnre__side side, int to_points)
{
    const struct cut *columns = &s->w->columns;
    const size_t rows = bnre__tile_points(s->w->rows.tile[row_tile]);
    const float *from[BNRE__MAX_POINTS];
    float *to[BNRE__MAX_POINTS];
    bnre__combination c = {.side = side,
                           .back = to_points == (side == BNRE__OUTPUT),
                           .n = s->n,
                           .from = from,
                           .to = to,
                           .add = !to_points && side == BNRE__INPUT};

    if (c.add) /* tiles overlap */
        memset(s->line, 0, rows * s->lines * LENGTH * sizeof *s->line);
    for (size_t a = 0; a < rows; a++)
        for (size_t tile = 0; tile < columns->tiles; tile++) {
            const size_t first = first_of(columns, tile, side);

            c.kind = columns->tile[tile];
            for (size_t k = 0; k < count_of(c.kind, side); k++)
                if (to_points)
                    from[k] = line_at(s, a, first + k, s->zeros);
                else
                    to[k] = line_at(s, a, first + k, s->outside);
            for (size_t b = 0; b < bnre__tile_points(c.kind); b++)
                if (to_points)
                    to[b] = place_at_point(s, a, b, row_tile, tile);
                else
                    from[b] = place_at_point(s, a, b, row_tile, tile);
            s->engine->kernels->combine(&c);
        }
}

static size_t strips_of(const struct winograd *w)
{
    return (w->count + STRIP - 1) / STRIP;
}

/* The i-th strip of a value, whose panels are y (or dy). */
static struct strip strip_of(const struct task *task, size_t worker, size_t i,
                             const struct value *value, float *y, float *points)
{
    const struct conv2d *engine = task->engine;
    const struct winograd *w = task->op->state;
    const size_t panel = i / strips_of(w), first = i % strips_of(w) * STRIP;
    const size_t left = w->count - first;
    float *area = worker_area(engine, w, worker);

    memset(area, 0, LENGTH * sizeof *area);
    return (struct strip){
        .engine = engine,
        .w = w,
        .panels = value->panels,
        .panel = panel,
        .first = first,
        .n = (left < STRIP ? left : STRIP) * PANEL,
        .picture =
            y + panel * panel_size(engine, value) + (w->first + first) * PANEL,
        .width = value->width,
        .step = engine->n * PANEL,
        .points = points,
        .line = area + 2 * LENGTH,
        .lines = value->width,
        .zeros = area,
        .outside = area + LENGTH,
    };
}

static bnre_status inputs_to_points(void *arg, size_t worker, size_t first,
                                    size_t last)
{
    const struct task *task = arg;
    const struct winograd *w = task->op->state;
    const struct value *in = &task->engine->value[task->op->in[0]];

    for (size_t i = first; i < last; i++) {
        const struct strip s = strip_of(task, worker, i, in, in->y, w->v);

        for (size_t tile = 0; tile < w->rows.tiles; tile++) {
            rows_of_tiles(&s, tile, BNRE__INPUT, 1, 0);
            columns_of_tiles(&s, tile, BNRE__INPUT, 1);
        }
    }
    return BNRE_OK;
}

static void add_bias(const struct strip *s)
{
    const struct winograd *w = s->w;
    const float *bias = w->bias + s->panel * PANEL;

    for (size_t p = 0; p < w->rows.length * w->columns.length; p++)
        for (size_t i = 0; i < s->n; i++)
            s->picture[p * s->step + i] += bias[i % PANEL];
}

static bnre_status points_to_outputs(void *arg, size_t worker, size_t first,
                                     size_t last)
{
    const struct task *task = arg;
    const struct winograd *w = task->op->state;
    const struct value *out = &task->engine->value[task->op->out];

    for (size_t i = first; i < last; i++) {
        const struct strip s = strip_of(task, worker, i, out, out->y, w->m);

        for (size_t tile = 0; tile < w->rows.tiles; tile++) {
            columns_of_tiles(&s, tile, BNRE__OUTPUT, 0);
            rows_of_tiles(&s, tile, BNRE__OUTPUT, 0, 0);
        }
        if (w->bias != NULL)
            add_bias(&s);
    }
    return BNRE_OK;
}

static bnre_status outputs_to_points(void *arg, size_t worker, size_t first,
                                     size_t last)
{
    const struct task *task = arg;
    const struct winograd *w = task->op->state;
    const struct value *out = &task->engine->value[task->op->out];

    for (size_t i = first; i < last; i++) {
        const struct strip s = strip_of(task, worker, i, out, out->dy, w->m);

        for (size_t tile = 0; tile < w->rows.tiles; tile++) {
            rows_of_tiles(&s, tile, BNRE__OUTPUT, 1, 0);
            columns_of_tiles(&s, tile, BNRE__OUTPUT, 1);
        }
    }
    return BNRE_OK;
}

static bnre_status points_to_inputs(void *arg, size_t worker, size_t first,
                                    size_t last)
{
    const struct task *task = arg;
    const struct winograd *w = task->op->state;
    const struct value *in = &task->engine->value[task->op->in[0]];
    const int add = task->op->add[0] || w->rows.tiles > 1;

    for (size_t i = first; i < last; i++) {
        const struct strip s = strip_of(task, worker, i, in, in->dy, w->dv);

        /* Tiles overlap: unless there is one only, they are added to zeros. */
        for (size_t p = 0; add && !task->op->add[0] && p < in->positions; p++)
            memset(s.picture + p * s.step, 0, s.n * sizeof *s.picture);
        for (size_t tile = 0; tile < w->rows.tiles; tile++) {
            columns_of_tiles(&s, tile, BNRE__INPUT, 0);
            rows_of_tiles(&s, tile, BNRE__INPUT, 0, add);
        }
    }
    return BNRE_OK;
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
    float *g = worker_area(engine, w, worker), *spare = g + 9 * SQUARE;
    float *dw = task->dw + task->op->layer->weight_at;

    for (size_t panel = first; panel < last; panel++) {
        for (size_t c = 0; c < w->in_channels; c += PANEL) {
            const struct corner at = {
                .outs = panel * PANEL,
                .ins = c,
                .out_count = part_of(w->out_channels, panel * PANEL),
                .in_count = part_of(w->in_channels, c)};

            turn_weights(engine, w, at.in_count * PANEL, g, spare,
                         w->du + (panel * w->in_channels + c) * PANEL,
                         out->panels * w->in_channels * PANEL, 1);
            copy_corner(w, &at, dw, g, 1);
        }
        if (w->bias != NULL)
            bnre__conv2d_bias_gradient(
                engine, out, panel, dw + w->out_channels * w->in_channels * 9);
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
        bnre__conv2d_share(&task, in->panels * strips_of(w), inputs_to_points);
        bnre__conv2d_share(&task, w->points * groups_of(out), multiply);
        bnre__conv2d_share(&task, out->panels * strips_of(w),
                           points_to_outputs);
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
                           outputs_to_points);
        if (dw != NULL) {
            bnre__conv2d_share(&task, in->panels * strips_of(w),
                               inputs_to_points);
            bnre__conv2d_share(&task, w->points * out->panels, gradients);
        }
        if (!wanted(engine, op->in[0]))
            continue;
        bnre__conv2d_share(&task, w->points * groups_of(in), multiply);
        bnre__conv2d_share(&task, in->panels * strips_of(w), points_to_inputs);
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
