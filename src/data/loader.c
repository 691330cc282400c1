/* loader.c - subsets on their way into a network, batch by batch. */
#include "data/loader.h"

#include <string.h>

#include "base/mem.h"
#include "num/streams.h"

enum { WINDOW_BLOCKS = 256 };

struct bnre__loader {
    const bnre__subset *subset;
    bnre__loader_opts opts;
    size_t dim, size;
    size_t batches;

    /* Where it is. */
    size_t pass, window, batch; /* window and batch: the next ones */
    size_t loaded;              /* joint rows that came with windows so far */
    size_t *order;              /* (blocks) of this pass */

    /* The rows at hand: in memory of the subset or, if that has none, in the
       arrays below. A slot is the number of a row there. */
    size_t *slot, slots, at; /* joint rows from `at` on are not used yet */
    size_t *spare_slot, spares;
    size_t from, until; /* batches among which the spare rows are divided */

    bnre__subset_reader reader;
    double *theta;      /* (window and a batch, dim) */
    float *x;           /* (window and a batch, size) */
    double *spare;      /* (window, dim) */
    double *kept_theta; /* (batch, dim): what one window leaves for the next */
    float *kept_x;

    /* The batch. */
    size_t room;      /* thetas */
    double *raw;      /* (room, dim) before scaling */
    size_t out_room;  /* the same, of the next */
    float *out_theta; /* (room, dim) */
    float *out_x;     /* (batch, size) */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* i of `parts` all but equal parts of n: where it begins. */
static size_t part_of(size_t n, size_t i, size_t parts)
{
    return n / parts * i + n % parts * i / parts;
}

/* Joint rows of a pass before batch b. */
static size_t rows_before(const bnre__loader *loader, size_t b)
{
    const size_t joint = loader->subset->joint;

    if (loader->opts.remainder == BNRE__REMAINDER_SPREAD)
        return part_of(joint, b, loader->batches);
    return least(b * loader->opts.batch, joint);
}

/* ---- making ---- */

static bnre_status make_window(bnre__loader *loader)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *subset = loader->subset;
    const size_t window = least(WINDOW_BLOCKS * subset->block_rows,
                                subset->joint + subset->spare);
    const size_t joint = least(window, subset->joint) + loader->opts.batch;
    const size_t spare = least(window, subset->spare);

    BNRE_NEW(loader->slot, joint);
    BNRE_NEW(loader->spare_slot, spare);
    if (subset->kept)
        return BNRE_OK;
    BNRE_TRY(bnre__subset_reader_open(&loader->reader, subset));
    BNRE_NEW(loader->theta, joint * loader->dim);
    BNRE_NEW(loader->x, joint * loader->size);
    BNRE_NEW(loader->spare, spare * loader->dim);
    BNRE_NEW(loader->kept_theta, loader->opts.batch * loader->dim);
    BNRE_NEW(loader->kept_x, loader->opts.batch * loader->size);
done:
    return status;
}

bnre_status bnre__loader_create(const bnre__subset *subset,
                                const bnre__loader_opts *opts,
                                bnre__loader **out)
{
    bnre_status status = BNRE_OK;
    bnre__loader *loader = NULL;

    *out = NULL;
    if (opts->batch == 0)
        return bnre_fail(BNRE_EINVAL, "a batch needs 1 row or more");
    BNRE_NEW(loader, 1);
    loader->subset = subset;
    loader->opts = *opts;
    loader->dim = subset->info->dim_theta;
    loader->size = subset->info->x_size;
    loader->batches = subset->joint / opts->batch;
    if (opts->remainder != BNRE__REMAINDER_DROP)
        loader->batches += subset->joint % opts->batch > 0;
    BNRE_NEW(loader->order, subset->blocks);
    BNRE_NEW(loader->out_x, opts->batch * loader->size);
    BNRE_TRY(make_window(loader));
    *out = loader;
    loader = NULL;
done:
    bnre__loader_destroy(loader);
    return status;
}

void bnre__loader_destroy(bnre__loader *loader)
{
    if (loader == NULL)
        return;
    bnre__free(loader->out_x);
    bnre__free(loader->out_theta);
    bnre__free(loader->raw);
    bnre__free(loader->kept_x);
    bnre__free(loader->kept_theta);
    bnre__free(loader->spare);
    bnre__free(loader->x);
    bnre__free(loader->theta);
    bnre__subset_reader_close(&loader->reader);
    bnre__free(loader->spare_slot);
    bnre__free(loader->slot);
    bnre__free(loader->order);
    bnre__free(loader);
}

size_t bnre__loader_batches(const bnre__loader *loader)
{
    return loader->batches;
}

/* ---- windows ---- */

static bnre_rng order_stream(const bnre__loader *loader, uint64_t part)
{
    return bnre_rng_stream(loader->opts.seed,
                           bnre__purpose(BNRE_USE_ORDER, loader->opts.split),
                           (uint64_t)loader->pass << 32 | part);
}

bnre_status bnre__loader_begin(bnre__loader *loader, size_t pass)
{
    bnre_rng rng;

    loader->pass = pass;
    loader->window = loader->batch = loader->loaded = 0;
    loader->slots = loader->at = loader->spares = 0;
    for (size_t k = 0; k < loader->subset->blocks; k++)
        loader->order[k] = k;
    rng = order_stream(loader, UINT32_MAX);
    if (loader->opts.shuffle)
        bnre_rng_shuffle(&rng, loader->subset->blocks, loader->order);
    return BNRE_OK;
}

static const double *theta_at(const bnre__loader *loader, size_t slot)
{
    const double *all =
        loader->subset->kept ? loader->subset->theta : loader->theta;

    return all + slot * loader->dim;
}

static const float *x_at(const bnre__loader *loader, size_t slot)
{
    const float *all = loader->subset->kept ? loader->subset->x : loader->x;

    return all + slot * loader->size;
}

/* Rows that are not used yet go to the front. */
static void keep_rest(bnre__loader *loader)
{
    const size_t left = loader->slots - loader->at;
    const size_t dim = loader->dim, size = loader->size;

    memmove(loader->slot, loader->slot + loader->at,
            left * sizeof *loader->slot);
    loader->slots = left;
    loader->at = 0;
    if (loader->subset->kept || left == 0)
        return;
    for (size_t i = 0; i < left; i++) {
        memcpy(loader->kept_theta + i * dim, theta_at(loader, loader->slot[i]),
               dim * sizeof *loader->theta);
        memcpy(loader->kept_x + i * size, x_at(loader, loader->slot[i]),
               size * sizeof *loader->x);
        loader->slot[i] = i;
    }
    memcpy(loader->theta, loader->kept_theta,
           left * dim * sizeof *loader->theta);
    memcpy(loader->x, loader->kept_x, left * size * sizeof *loader->x);
}

static bnre_status add_block(bnre__loader *loader, size_t k)
{
    const bnre__subset *subset = loader->subset;
    const bnre__subset_block *block = &subset->block[k];
    const size_t joint = block[1].joint - block->joint;
    const size_t spare = block[1].spare - block->spare;
    const size_t first = subset->kept ? block->joint : loader->slots;
    const size_t first_spare = subset->kept ? block->spare : loader->spares;

    if (!subset->kept)
        BNRE_DO(bnre__subset_read(&loader->reader, k,
                                  loader->theta + first * loader->dim,
                                  loader->x + first * loader->size,
                                  loader->spare + first_spare * loader->dim));
    for (size_t i = 0; i < joint; i++)
        loader->slot[loader->slots++] = first + i;
    for (size_t i = 0; i < spare; i++)
        loader->spare_slot[loader->spares++] = first_spare + i;
    loader->loaded += joint;
    return BNRE_OK;
}

static bnre_status load_window(bnre__loader *loader)
{
    const size_t blocks = loader->subset->blocks;
    const size_t first = loader->window * WINDOW_BLOCKS;
    bnre_rng rng = order_stream(loader, loader->window);

    keep_rest(loader);
    loader->spares = 0;
    for (size_t k = first; k < least(first + WINDOW_BLOCKS, blocks); k++)
        BNRE_DO(add_block(loader, loader->order[k]));
    if (loader->opts.shuffle) {
        bnre_rng_shuffle(&rng, loader->slots, loader->slot);
        bnre_rng_shuffle(&rng, loader->spares, loader->spare_slot);
    }
    loader->window++;
    loader->from = loader->until = loader->batch;
    while (loader->until < loader->batches &&
           rows_before(loader, loader->until + 1) <= loader->loaded)
        loader->until++;
    return BNRE_OK;
}

/* ---- batches ---- */

/* Make sure that the rows of the next batch are at hand; *n is their number, 0
   at the end of the pass. */
static bnre_status prepare(bnre__loader *loader, size_t *n)
{
    *n = 0;
    if (loader->batch == loader->batches)
        return BNRE_OK;
    while (loader->loaded < rows_before(loader, loader->batch + 1))
        BNRE_DO(load_window(loader));
    *n = rows_before(loader, loader->batch + 1) -
         rows_before(loader, loader->batch);
    return BNRE_OK;
}

/* The parameters of the batch, scaled already. */
static void gather_scaled(const bnre__loader *loader, size_t n,
                          const size_t *spare_slot, size_t spare)
{
    const size_t dim = loader->dim;
    const size_t *slot = loader->slot + loader->at;
    float *out = loader->out_theta;

    for (size_t i = 0; i < n; i++, out += dim)
        memcpy(out, loader->subset->scaled_theta + slot[i] * dim,
               dim * sizeof *out);
    for (size_t i = 0; i < spare; i++, out += dim)
        memcpy(out, loader->subset->scaled_spares + spare_slot[i] * dim,
               dim * sizeof *out);
}

static void gather_theta(const bnre__loader *loader, size_t n,
                         const size_t *spare_slot, size_t spare)
{
    const size_t dim = loader->dim;
    const size_t *slot = loader->slot + loader->at;
    const double *spares =
        loader->subset->kept ? loader->subset->spares : loader->spare;
    double *raw = loader->raw;

    for (size_t i = 0; i < n; i++, raw += dim)
        memcpy(raw, theta_at(loader, slot[i]), dim * sizeof *raw);
    for (size_t i = 0; i < spare; i++, raw += dim)
        memcpy(raw, spares + spare_slot[i] * dim, dim * sizeof *raw);
    bnre__scaler_apply_f64(loader->opts.theta, n + spare, loader->raw,
                           loader->out_theta, NULL);
}

static void gather_x(const bnre__loader *loader, size_t n)
{
    const size_t size = loader->size;
    const size_t *slot = loader->slot + loader->at;

    for (size_t i = 0; i < n; i++)
        memcpy(loader->out_x + i * size, x_at(loader, slot[i]),
               size * sizeof *loader->out_x);
    if (!loader->subset->scaled)
        bnre__subset_scale_x(loader->subset, loader->opts.x, n, loader->out_x,
                             loader->out_x);
}

bnre_status bnre__loader_next(bnre__loader *loader, bnre__batch_rows *out)
{
    bnre_status status = BNRE_OK;
    size_t n, i, parts, first, spare;

    *out = (bnre__batch_rows){0};
    BNRE_TRY(prepare(loader, &n));
    if (n == 0)
        return BNRE_OK;
    i = loader->batch - loader->from;
    parts = loader->until - loader->from;
    first = part_of(loader->spares, i, parts);
    spare = part_of(loader->spares, i + 1, parts) - first;
    BNRE_GROW(loader->raw, loader->room, (n + spare) * loader->dim);
    BNRE_GROW(loader->out_theta, loader->out_room, (n + spare) * loader->dim);
    /* Rows of a class have no theta, and there is no room for any. */
    if (loader->dim > 0 && loader->subset->scaled)
        gather_scaled(loader, n, loader->spare_slot + first, spare);
    else if (loader->dim > 0)
        gather_theta(loader, n, loader->spare_slot + first, spare);
    gather_x(loader, n);
    loader->at += n;
    loader->batch++;
    *out = (bnre__batch_rows){
        .n = n,
        .spare = spare,
        .theta = loader->out_theta,
        .x = loader->out_x,
    };
done:
    return status;
}

bnre_status bnre__loader_skip(bnre__loader *loader, size_t batches)
{
    size_t n;

    for (; batches > 0; batches--) {
        BNRE_DO(prepare(loader, &n));
        loader->at += n;
        loader->batch += n > 0;
    }
    return BNRE_OK;
}
