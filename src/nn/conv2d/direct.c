/* direct.c - convolutions as sums of products, tap by tap.

   A path leads from positions of one side to those of the other: on the way
   forward from the outputs to the inputs they see, on the way back from the
   inputs to the outputs that see them. Neighbours that are reached by the same
   taps are one run: their pictures are rows of one product.

   x itself is taken as rows of pixels, (height, n, width, channels): there the
   taps of a row of the kernel follow each other, and few channels are no loss.
   The weights of tap t and input k are row t * inputs + k of packed panels. */
#include <string.h>

#include "base/mem.h"
#include "nn/conv2d/conv2d.h"

struct hop {
    size_t tap, from;
};

struct run {
    size_t to, count;   /* positions */
    size_t first, last; /* hops */
};

struct paths {
    size_t runs, hops;
    struct run *run;
    struct hop *hop;
};

struct direct {
    size_t taps, in_channels, out_channels;
    struct paths forward, backward;
    float *w, *turned, *dw; /* packed; turned: from outputs to inputs */
    float *bias;            /* (panels of outputs), or NULL */
    size_t *place;          /* of a corner's weights */
    int pixels;             /* the input is x */
};

enum {
    GROUP = 8,   /* panels in a task */
    CHUNK = 128, /* rows that are summed at a time for a gradient */
    TAPS = 28    /* of pixels in a task, for a gradient */
};

/* ---- paths ---- */

struct kernel {
    size_t size[2], stride[2], padding[2], dilation[2];
};

/* The output along one dimension that tap `tap` takes from input i, or the
   input that it takes for output i; -1 if none. */
static size_t follow(const struct kernel *k, size_t d, size_t tap, size_t i,
                     size_t length, int backward)
{
    const size_t reach = tap * k->dilation[d];

    if (!backward) {
        const size_t at = i * k->stride[d] + reach;

        if (at < k->padding[d] || at - k->padding[d] >= length)
            return (size_t)-1;
        return at - k->padding[d];
    }
    if (i + k->padding[d] < reach ||
        (i + k->padding[d] - reach) % k->stride[d] != 0 ||
        (i + k->padding[d] - reach) / k->stride[d] >= length)
        return (size_t)-1;
    return (i + k->padding[d] - reach) / k->stride[d];
}

/* The hops to one position; returns how many. */
static size_t find_hops(const struct kernel *k, const struct value *to,
                        const struct value *from, size_t position, int backward,
                        struct hop *hop)
{
    size_t count = 0;

    for (size_t tap = 0; tap < k->size[0] * k->size[1]; tap++) {
        const size_t r = follow(k, 0, tap / k->size[1], position / to->width,
                                from->height, backward);
        const size_t c = follow(k, 1, tap % k->size[1], position % to->width,
                                from->width, backward);

        if (r != (size_t)-1 && c != (size_t)-1)
            hop[count++] = (struct hop){tap, r * from->width + c};
    }
    return count;
}

/* Whether hops lead to the next position as others lead to the one before. */
static int continues(size_t count, const struct hop *hop, size_t before_count,
                     const struct hop *before, size_t steps)
{
    if (count != before_count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (hop[i].tap != before[i].tap ||
            hop[i].from != before[i].from + steps)
            return 0;
    return 1;
}

static bnre_status make_paths(struct paths *paths, const struct kernel *k,
                              const struct value *to, const struct value *from,
                              int backward, int join)
{
    bnre_status status = BNRE_OK;
    const size_t taps = k->size[0] * k->size[1];

    BNRE_NEW(paths->run, to->positions);
    BNRE_NEW(paths->hop, (to->positions + 1) * taps);
    for (size_t p = 0; p < to->positions; p++) {
        struct run *run =
            paths->runs == 0 ? NULL : &paths->run[paths->runs - 1];
        struct hop *hop = &paths->hop[paths->hops];
        const size_t count = find_hops(k, to, from, p, backward, hop);

        if (join && run != NULL &&
            continues(count, hop, run->last - run->first,
                      &paths->hop[run->first], run->count)) {
            run->count++;
            continue;
        }
        paths->run[paths->runs++] = (struct run){
            .to = p,
            .count = 1,
            .first = paths->hops,
            .last = paths->hops + count,
        };
        paths->hops += count;
    }
done:
    return status;
}

/* ---- making ---- */

static struct kernel kernel_of(const bnre__layer *layer)
{
    struct kernel k = {{1, 1}, {1, 1}, {0, 0}, {1, 1}};

    if (layer->type != &bnre__layer_conv2d)
        return k;
    memcpy(k.size, layer->kernel, sizeof k.size);
    memcpy(k.stride, layer->stride, sizeof k.stride);
    memcpy(k.padding, layer->padding, sizeof k.padding);
    memcpy(k.dilation, layer->dilation, sizeof k.dilation);
    return k;
}

static void destroy_direct(struct op *op)
{
    struct direct *direct = op->state;

    bnre__free(direct->place);
    bnre__free(direct->bias);
    bnre__free(direct->dw);
    bnre__free(direct->turned);
    bnre__free(direct->w);
    bnre__free(direct->backward.hop);
    bnre__free(direct->backward.run);
    bnre__free(direct->forward.hop);
    bnre__free(direct->forward.run);
    bnre__free(direct);
}

static bnre_status create_direct(struct conv2d *engine, struct op *op)
{
    bnre_status status = BNRE_OK;
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    const struct kernel k = kernel_of(op->layer);
    struct direct *direct = NULL;
    size_t weights, terms;

    BNRE_NEW(direct, 1);
    op->state = direct;
    direct->taps = k.size[0] * k.size[1];
    direct->in_channels = in->channels;
    direct->out_channels = out->channels;
    direct->pixels = op->in[0] == 0;
    BNRE_TRY(make_paths(&direct->forward, &k, out, in, 0, !direct->pixels));
    weights = direct->taps * in->channels * out->panels * PANEL;
    BNRE_NEW(direct->w, weights);
    if (op->layer->bias)
        BNRE_NEW(direct->bias, out->panels * PANEL);
    BNRE_NEW(direct->place, direct->taps * PANEL);
    for (size_t i = 0; i < direct->taps * PANEL; i++)
        direct->place[i] =
            (i % direct->taps * in->channels + i / direct->taps) * PANEL;
    if (engine->train) {
        BNRE_TRY(make_paths(&direct->backward, &k, in, out, 1, 1));
        BNRE_NEW(direct->dw, weights);
        BNRE_NEW(direct->turned,
                 direct->taps * out->channels * in->panels * PANEL);
    }
    terms =
        direct->taps * (in->panels > out->panels ? in->panels : out->panels);
    if (terms > engine->term_room)
        engine->term_room = terms;
done:
    return status;
}

/* ---- weights ---- */

static struct corner corner_of(const struct direct *d, size_t out, size_t in)
{
    return (struct corner){.outs = d->out_channels,
                           .ins = d->in_channels,
                           .taps = d->taps,
                           .out = out * PANEL,
                           .in = in * PANEL,
                           .place = d->place};
}

/* Turn the packed weights of a corner. */
static void turn_corner(const struct conv2d *engine, const struct direct *d,
                        const struct corner *at, const float *packed)
{
    float *turned =
        d->turned + (at->in * d->taps * d->out_channels) + at->out * PANEL;

    for (size_t t = 0; t < d->taps; t++) {
        const float *from = packed + t * d->in_channels * PANEL;
        float *to = turned + t * d->out_channels * PANEL;

        if (bnre__conv2d_is_whole(at)) {
            bnre__conv2d_turn_square(engine, from, to);
            continue;
        }
        for (size_t c = 0; c < part_of(d->in_channels, at->in); c++)
            for (size_t k = 0; k < part_of(d->out_channels, at->out); k++)
                to[k * PANEL + c] = from[c * PANEL + k];
    }
}

static bnre_status pack_panels(void *arg, size_t worker, size_t first,
                               size_t last)
{
    const struct task *task = arg;
    const struct direct *d = task->op->state;
    const float *w = task->engine->w + task->op->layer->weight_at;

    (void)worker;
    for (size_t panel = first; panel < last; panel++)
        for (size_t in = 0; in * PANEL < d->in_channels; in++) {
            const struct corner at = corner_of(d, panel, in);
            float *packed =
                d->w + (panel * d->taps * d->in_channels + at.in) * PANEL;

            bnre__conv2d_take(task->engine, &at, w, packed);
            if (d->turned != NULL)
                turn_corner(task->engine, d, &at, packed);
        }
    return BNRE_OK;
}

static void set_direct(struct conv2d *engine, struct op *op)
{
    struct task task = {.engine = engine, .op = op};
    const struct direct *d = op->state;
    const float *w = engine->w + op->layer->weight_at;

    bnre__conv2d_share(&task, engine->value[op->out].panels, pack_panels);
    if (d->bias != NULL)
        memcpy(d->bias, w + d->out_channels * d->in_channels * d->taps,
               d->out_channels * sizeof *w);
}

/* ---- sums ---- */

/* The terms of a run, of a value in panels. */
static size_t panel_terms(const struct conv2d *engine,
                          const struct paths *paths, const struct run *run,
                          const struct value *from, bnre__term *term)
{
    size_t count = 0;

    for (size_t h = run->first; h < run->last; h++)
        for (size_t p = 0; p < from->panels; p++) {
            const struct hop *hop = &paths->hop[h];
            const size_t left = from->channels - p * PANEL;

            term[count++] = (bnre__term){
                .a = (p * from->positions + hop->from) * engine->n * PANEL,
                .w = (hop->tap * from->channels + p * PANEL) * PANEL,
                .count = left < PANEL ? left : PANEL,
            };
        }
    return count;
}

/* The terms of a run, of rows of pixels, for taps first..last-1: as long as
   they follow each other. */
static size_t pixel_terms(const struct conv2d *engine,
                          const struct paths *paths, const struct run *run,
                          size_t first, size_t last, bnre__term *term)
{
    const size_t channels = engine->value[0].channels;
    const size_t width = engine->value[0].width;
    size_t count = 0;

    for (size_t h = run->first; h < run->last; h++) {
        const struct hop *hop = &paths->hop[h];

        if (hop->tap < first || hop->tap >= last)
            continue;
        if (count > 0 && hop->tap == hop[-1].tap + 1 &&
            hop->from == hop[-1].from + 1 && hop->from % width > 0) {
            term[count - 1].count += channels;
            continue;
        }
        term[count++] = (bnre__term){
            .a = (hop->from / width * engine->n * width + hop->from % width) *
                 channels,
            .w = hop->tap * channels * PANEL,
            .count = channels,
        };
    }
    return count;
}

/* A task is a run and a group of panels. */
static size_t groups_of(const struct value *value)
{
    return (value->panels + GROUP - 1) / GROUP;
}

static void run_sum(const struct conv2d *engine, const struct run *run,
                    size_t group, const struct value *to, float *y,
                    bnre__sum *sum)
{
    const size_t panel = group * GROUP;
    const size_t rest = to->panels - panel;

    sum->rows = run->count * engine->n;
    sum->panels = rest < GROUP ? rest : GROUP;
    sum->w += panel * sum->w_panel;
    sum->y = y + (panel * to->positions + run->to) * engine->n * PANEL;
    sum->y_panel = panel_size(engine, to);
    if (sum->bias != NULL)
        sum->bias += panel * PANEL;
    engine->kernels->sum(sum);
}

static bnre_status forward_runs(void *arg, size_t worker, size_t first,
                                size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct direct *d = task->op->state;
    const struct value *in = &engine->value[task->op->in[0]];
    const struct value *out = &engine->value[task->op->out];
    bnre__term *term = engine->term + worker * engine->term_room;

    for (size_t i = first; i < last; i++) {
        const struct run *run = &d->forward.run[i / groups_of(out)];
        bnre__sum sum = {
            .term = term,
            .a = d->pixels ? engine->rows : in->y,
            .a_row = d->pixels ? in->channels * in->width : PANEL,
            .w = d->w,
            .w_panel = d->taps * d->in_channels * PANEL,
            .bias = d->bias,
        };

        sum.terms =
            d->pixels ? pixel_terms(engine, &d->forward, run, 0, d->taps, term)
                      : panel_terms(engine, &d->forward, run, in, term);
        run_sum(engine, run, i % groups_of(out), out, out->y, &sum);
    }
    return BNRE_OK;
}

static void forward_direct(struct conv2d *engine, struct op *op)
{
    struct task task = {.engine = engine, .op = op};
    const struct direct *d = op->state;

    bnre__conv2d_share(&task,
                       d->forward.runs * groups_of(&engine->value[op->out]),
                       forward_runs);
}

static bnre_status backward_runs(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    const struct task *task = arg;
    const struct conv2d *engine = task->engine;
    const struct direct *d = task->op->state;
    const struct value *in = &engine->value[task->op->in[0]];
    const struct value *out = &engine->value[task->op->out];
    bnre__term *term = engine->term + worker * engine->term_room;

    for (size_t i = first; i < last; i++) {
        const struct run *run = &d->backward.run[i / groups_of(in)];
        bnre__sum sum = {
            .term = term,
            .terms = panel_terms(engine, &d->backward, run, out, term),
            .a = out->dy,
            .a_row = PANEL,
            .w = d->turned,
            .w_panel = d->taps * d->out_channels * PANEL,
            .add = task->op->add[0],
        };

        run_sum(engine, run, i % groups_of(in), in, in->dy, &sum);
    }
    return BNRE_OK;
}

/* ---- gradients of weights ---- */

/* One panel of outputs and one tap, over all runs. */
static void tap_gradient(const struct conv2d *engine, const struct op *op,
                         size_t panel, size_t tap)
{
    const struct direct *d = op->state;
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];
    bnre__outer outer = {
        .inputs = in->channels,
        .a_row = PANEL,
        .a_panel = panel_size(engine, in),
        .add = 1,
        .dw = d->dw + (panel * d->taps + tap) * in->channels * PANEL,
    };

    memset(outer.dw, 0, in->channels * PANEL * sizeof *outer.dw);
    for (size_t r = 0; r < d->forward.runs; r++) {
        const struct run *run = &d->forward.run[r];
        const struct hop *hop = &d->forward.hop[run->first];
        const size_t rows = run->count * engine->n;
        size_t h = 0;

        while (h < run->last - run->first && hop[h].tap != tap)
            h++;
        if (h == run->last - run->first)
            continue;
        for (size_t i = 0; i < rows; i += CHUNK) {
            outer.rows = rows - i < CHUNK ? rows - i : CHUNK;
            outer.a = in->y + (hop[h].from * engine->n + i) * PANEL;
            outer.dy =
                out->dy +
                ((panel * out->positions + run->to) * engine->n + i) * PANEL;
            engine->kernels->outer(&outer);
        }
    }
}

/* One panel of outputs and some taps, over all positions. */
static void pixel_gradient(const struct conv2d *engine, const struct op *op,
                           size_t panel, size_t first, bnre__term *term)
{
    const struct direct *d = op->state;
    const struct value *in = &engine->value[0];
    const struct value *out = &engine->value[op->out];
    const size_t last = first + TAPS < d->taps ? first + TAPS : d->taps;
    float *dw = d->dw + panel * d->taps * in->channels * PANEL;

    memset(dw + first * in->channels * PANEL, 0,
           (last - first) * in->channels * PANEL * sizeof *dw);
    for (size_t r = 0; r < d->forward.runs; r++) {
        const struct run *run = &d->forward.run[r];
        const size_t terms =
            pixel_terms(engine, &d->forward, run, first, last, term);

        for (size_t t = 0; t < terms; t++) {
            const bnre__outer outer = {
                .rows = engine->n,
                .inputs = term[t].count,
                .a = engine->rows + term[t].a,
                .a_row = in->channels * in->width,
                .a_panel = PANEL,
                .dy = out->dy +
                      (panel * out->positions + run->to) * engine->n * PANEL,
                .add = 1,
                .dw = dw + term[t].w,
            };

            engine->kernels->outer(&outer);
        }
    }
}

static size_t units_of(const struct op *op)
{
    const struct direct *d = op->state;

    return d->pixels ? (d->taps + TAPS - 1) / TAPS : d->taps;
}

static bnre_status gradient_units(void *arg, size_t worker, size_t first,
                                  size_t last)
{
    const struct task *task = arg;
    const struct direct *d = task->op->state;
    const size_t units = units_of(task->op);
    bnre__term *term = task->engine->term + worker * task->engine->term_room;

    for (size_t i = first; i < last; i++)
        if (d->pixels)
            pixel_gradient(task->engine, task->op, i / units, i % units * TAPS,
                           term);
        else
            tap_gradient(task->engine, task->op, i / units, i % units);
    return BNRE_OK;
}

/* From packed gradients to the net's order, and the biases. */
static bnre_status unpack_panels(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    const struct task *task = arg;
    const struct direct *d = task->op->state;
    const size_t size = d->taps * d->in_channels;
    float *dw = task->dw + task->op->layer->weight_at;

    (void)worker;
    for (size_t panel = first; panel < last; panel++) {
        for (size_t in = 0; in * PANEL < d->in_channels; in++) {
            const struct corner at = corner_of(d, panel, in);

            bnre__conv2d_give(task->engine, &at,
                              d->dw + (panel * size + at.in) * PANEL, dw);
        }
        if (d->bias != NULL)
            bnre__conv2d_bias_gradient(task->engine,
                                       &task->engine->value[task->op->out],
                                       panel, dw + d->out_channels * size);
    }
    return BNRE_OK;
}

static void backward_direct(struct conv2d *engine, struct op *op, float *dw)
{
    struct task task = {.engine = engine, .op = op, .dw = dw};
    const struct direct *d = op->state;
    const struct value *in = &engine->value[op->in[0]];
    const struct value *out = &engine->value[op->out];

    if (dw != NULL) {
        bnre__conv2d_share(&task, out->panels * units_of(op), gradient_units);
        bnre__conv2d_share(&task, out->panels, unpack_panels);
    }
    if (wanted(engine, op->in[0]))
        bnre__conv2d_share(&task, d->backward.runs * groups_of(in),
                           backward_runs);
}

const struct op_type bnre__conv2d_direct = {
    .create = create_direct,
    .destroy = destroy_direct,
    .set = set_direct,
    .forward = forward_direct,
    .backward = backward_direct,
};
