/* conv2d.c - fast embeddings of pictures: the engine as a whole. */
#include "nn/conv2d/conv2d.h"

#include <string.h>

#include "base/mem.h"
#include "nn/net.h"

/* Room for `size` floats: the smallest free one that has it, or a new one. */
static bnre_status find_room(struct conv2d *engine, size_t size, size_t *out)
{
    bnre_status status = BNRE_OK;
    size_t best = engine->rooms;

    for (size_t i = 0; i < engine->rooms; i++)
        if (!engine->room[i].busy && engine->room[i].size >= size &&
            (best == engine->rooms ||
             engine->room[i].size < engine->room[best].size))
            best = i;
    if (best == engine->rooms) {
        BNRE_GROW(engine->room, engine->room_room, engine->rooms + 1);
        BNRE_NEW(engine->room[best].data, size);
        engine->room[best].size = size;
        engine->rooms++;
    }
    engine->room[best].busy = 1;
    *out = best;
done:
    return status;
}

/* Whether x is wanted in panels, or as rows of pixels. */
static void uses_of_x(const struct conv2d *engine, int *panels, int *rows)
{
    *panels = *rows = 0;
    for (size_t i = 0; i < engine->ops; i++)
        for (size_t k = 0; k < engine->op[i].inputs; k++)
            if (engine->op[i].in[k] == 0) {
                if (engine->op[i].type == &bnre__conv2d_direct)
                    *rows = 1;
                else
                    *panels = 1;
            }
}

/* The last operation that has the memory of a value as an input. */
static size_t last_use(const struct conv2d *engine, size_t value)
{
    size_t last = 0;

    for (size_t i = 0; i < engine->ops; i++)
        for (size_t k = 0; k < engine->op[i].inputs; k++)
            if (engine->value[engine->op[i].in[k]].shares ==
                engine->value[value].shares)
                last = i;
    return last;
}

/* Free what operation i is the last to read. */
static void release_inputs(struct conv2d *engine, size_t i)
{
    for (size_t k = 0; k < engine->op[i].inputs; k++) {
        const size_t in = engine->op[i].in[k];

        for (size_t r = 0; last_use(engine, in) == i && r < engine->rooms; r++)
            if (engine->room[r].data == engine->value[in].y)
                engine->room[r].busy = 0;
    }
}

static bnre_status make_value(struct conv2d *engine, size_t i, int forward)
{
    struct value *value = &engine->value[i];
    const struct value *owner = &engine->value[value->shares];
    size_t room;

    if (value != owner) {
        value->y = owner->y;
        value->dy = owner->dy;
        return BNRE_OK;
    }
    if (forward) {
        BNRE_DO(find_room(engine, value_room(engine, value), &room));
        value->y = engine->room[room].data;
    }
    if (engine->train) {
        BNRE_DO(find_room(engine, value_room(engine, value), &room));
        value->dy = engine->room[room].data;
    }
    return BNRE_OK;
}

/* Memory for all values. Without `train` those that are not needed at the same
   time share it. */
static bnre_status make_values(struct conv2d *engine)
{
    bnre_status status = BNRE_OK;
    const size_t size = engine->batch * engine->net->x.size;
    int panels, rows;

    uses_of_x(engine, &panels, &rows);
    BNRE_TRY(make_value(engine, 0, panels));
    for (size_t i = 0; i < engine->ops; i++) {
        BNRE_TRY(make_value(engine, engine->op[i].out, 1));
        if (!engine->train)
            release_inputs(engine, i);
    }
    if (rows)
        BNRE_NEW(engine->rows, size);
    if (engine->prescale > 0)
        BNRE_NEW(engine->scaled, size);
done:
    return status;
}

/* Pictures that are evaluated at a time: more take room, but no less time. */
enum { MOST = 128 };

void bnre__conv2d_share(struct task *task, size_t n, bnre_pool_fn fn)
{
    bnre_status status = bnre_pool_for(task->engine->pool, n, 1, fn, task);

    (void)status; /* tasks cannot fail */
}

void bnre__conv2d_bias_gradient(const struct conv2d *engine,
                                const struct value *out, size_t panel,
                                float *dbias)
{
    const size_t rows = out->positions * engine->n;
    double mean[PANEL], squares[PANEL];

    engine->kernels->moments(rows, out->dy + panel * rows * PANEL, mean,
                             squares);
    for (size_t k = panel * PANEL; k < out->channels && k < (panel + 1) * PANEL;
         k++)
        dbias[k] = (float)(mean[k % PANEL] * (double)rows);
}

/* ---- making ---- */

static int fits_conv2d(const bnre__net *net, int train)
{
    (void)train;
    return bnre__conv2d_fits(net);
}

static void destroy_conv2d(void *arg)
{
    struct conv2d *engine = arg;

    if (engine == NULL)
        return;
    for (size_t i = 0; i < engine->ops; i++)
        if (engine->op[i].state != NULL)
            engine->op[i].type->destroy(&engine->op[i]);
    for (size_t i = 0; i < engine->rooms; i++)
        bnre__free(engine->room[i].data);
    bnre__free(engine->room);
    bnre__free(engine->scratch);
    bnre__free(engine->term);
    bnre__free(engine->phi);
    bnre__free(engine->rows);
    bnre__free(engine->scaled);
    bnre__free(engine->buffer);
    bnre__free(engine->op);
    bnre__free(engine->value);
    bnre__free(engine);
}

static bnre_status create_conv2d(const bnre__net *net,
                                 const bnre__embed_opts *opts, void **out)
{
    bnre_status status = BNRE_OK;
    struct conv2d *engine = NULL;

    *out = NULL;
    BNRE_NEW(engine, 1);
    engine->net = net;
    engine->all = opts->kernels != NULL ? opts->kernels : bnre__kernels_best();
    engine->kernels = engine->all->conv2d;
    engine->pool = opts->pool;
    engine->batch =
        opts->train || opts->batch < MOST ? opts->batch : (size_t)MOST;
    engine->train = opts->train;
    BNRE_NEW(engine->buffer, net->embedding->buffers);
    BNRE_TRY(bnre__conv2d_lower(engine));
    BNRE_TRY(make_values(engine));
    BNRE_NEW(engine->phi, opts->batch * net->embedding->out.size);
    for (size_t i = 0; i < engine->ops; i++)
        if (engine->op[i].type->create != NULL)
            BNRE_TRY(engine->op[i].type->create(engine, &engine->op[i]));
    BNRE_NEW(engine->term, bnre_pool_threads(opts->pool) * engine->term_room);
    BNRE_NEW(engine->scratch, engine->scratch_room);
    *out = engine;
    engine = NULL;
done:
    destroy_conv2d(engine);
    return status;
}

static void set_conv2d(void *arg, const float *weights, const float *buffers)
{
    struct conv2d *engine = arg;
    const size_t n = engine->net->embedding->buffers;

    engine->w = weights;
    if (buffers != NULL && n > 0)
        memcpy(engine->buffer, buffers, n * sizeof *buffers);
    for (size_t i = 0; i < engine->ops; i++)
        if (engine->op[i].type->set != NULL)
            engine->op[i].type->set(engine, &engine->op[i]);
}

static void get_buffers_conv2d(const void *arg, float *buffers)
{
    const struct conv2d *engine = arg;
    const size_t n = engine->net->embedding->buffers;

    if (n > 0)
        memcpy(buffers, engine->buffer, n * sizeof *buffers);
}

/* ---- layouts ---- */

/* Between (n, channels, positions) and panels, whose padding is zero. */
static void to_panels(const struct conv2d *engine, const struct value *value,
                      const float *from, float *to)
{
    const size_t n = engine->n, positions = value->positions;

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < value->panels * PANEL; c++)
            for (size_t p = 0; p < positions; p++)
                to[((c / PANEL * positions + p) * n + i) * PANEL + c % PANEL] =
                    c < value->channels
                        ? from[(i * value->channels + c) * positions + p]
                        : 0;
}

static void from_panels(const struct conv2d *engine, const struct value *value,
                        const float *from, float *to)
{
    const size_t n = engine->n, positions = value->positions;

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < value->channels; c++)
            for (size_t p = 0; p < positions; p++)
                to[(i * value->channels + c) * positions + p] =
                    from[((c / PANEL * positions + p) * n + i) * PANEL +
                         c % PANEL];
}

static bnre_status to_rows(void *arg, size_t worker, size_t first, size_t last)
{
    const struct conv2d *engine = ((struct task *)arg)->engine;
    const struct value *x = &engine->value[0];
    const size_t length = x->width * x->channels;

    (void)worker;
    for (size_t i = first; i < last; i++)
        for (size_t c = 0; c < x->channels; c++)
            for (size_t r = 0; r < x->height; r++) {
                const float *from = engine->x +
                                    (i * x->channels + c) * x->positions +
                                    r * x->width;
                float *to = engine->rows + (r * engine->n + i) * length + c;

                for (size_t p = 0; p < x->width; p++)
                    to[p * x->channels] = from[p];
            }
    return BNRE_OK;
}

/* ---- running ---- */

static void prescale(struct conv2d *engine, const float *x)
{
    const size_t size = engine->net->x.size;

    engine->x = x;
    for (size_t k = 0; k < engine->prescale; k++) {
        const bnre__layer *layer = &engine->net->embedding->layer[k];

        for (size_t i = 0; i < engine->n; i++)
            for (size_t j = 0; j < size; j++)
                engine->scaled[i * size + j] =
                    (engine->x[i * size + j] - layer->shift[j]) /
                    layer->scale[j];
        engine->x = engine->scaled;
    }
}

static void forward_some(struct conv2d *engine, size_t n, const float *x,
                         float *phi)
{
    struct task task = {.engine = engine};

    engine->n = n;
    prescale(engine, x);
    if (engine->value[0].y != NULL)
        to_panels(engine, &engine->value[0], engine->x, engine->value[0].y);
    if (engine->rows != NULL)
        bnre__conv2d_share(&task, n, to_rows);
    for (size_t i = 0; i < engine->ops; i++)
        engine->op[i].type->forward(engine, &engine->op[i]);
    from_panels(engine, &engine->value[engine->result],
                engine->value[engine->result].y, phi);
}

static const float *forward_conv2d(void *arg, size_t n, const float *x,
                                   int train)
{
    struct conv2d *engine = arg;
    const size_t size = engine->net->embedding->out.size;

    engine->training = train;
    for (size_t i = 0; i < n; i += engine->batch)
        forward_some(engine, n - i < engine->batch ? n - i : engine->batch,
                     x + i * engine->net->x.size, engine->phi + i * size);
    return engine->phi;
}

static void backward_conv2d(void *arg, const float *dphi, float *dw, float *dx)
{
    struct conv2d *engine = arg;
    const size_t size = engine->net->x.size;

    engine->want_dx = dx != NULL;
    to_panels(engine, &engine->value[engine->result], dphi,
              engine->value[engine->result].dy);
    for (size_t i = engine->ops; i-- > 0;)
        engine->op[i].type->backward(engine, &engine->op[i], dw);
    if (dx == NULL)
        return;
    from_panels(engine, &engine->value[0], engine->value[0].dy, dx);
    for (size_t k = engine->prescale; k-- > 0;) {
        const bnre__layer *layer = &engine->net->embedding->layer[k];

        for (size_t i = 0; i < engine->n * size; i++)
            dx[i] /= layer->scale[i % size];
    }
}

const bnre__embed_type bnre__embed_conv2d = {
    .name = "conv2d",
    .fits = fits_conv2d,
    .create = create_conv2d,
    .destroy = destroy_conv2d,
    .set = set_conv2d,
    .get_buffers = get_buffers_conv2d,
    .forward = forward_conv2d,
    .backward = backward_conv2d,
};
