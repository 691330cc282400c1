/* tiles.c - between pictures and the points of their tiles. */
#include <string.h>

#include "nn/conv2d/winograd.h"

size_t bnre__winograd_lines(const struct winograd *w)
{
    const size_t columns = w->columns.inputs > w->columns.length
                               ? w->columns.inputs
                               : w->columns.length;

    /* Two more: zeros, and what falls outside. */
    return BNRE__MAX_POINTS * columns + 2;
}

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

bnre_status bnre__winograd_inputs(void *arg, size_t worker, size_t first,
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

bnre_status bnre__winograd_outputs(void *arg, size_t worker, size_t first,
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

bnre_status bnre__winograd_outputs_back(void *arg, size_t worker, size_t first,
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

bnre_status bnre__winograd_inputs_back(void *arg, size_t worker, size_t first,
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
