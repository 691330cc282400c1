/* lists.c - who meets whom: the lists of offsets that the kernels
   go by. */
#include <stdlib.h>

#include "base/mem.h"
#include "nn/conv1d/parts.h"

/* ---- forward ---- */

static size_t offset_of(const struct signal *signal, size_t step, size_t i)
{
    return (signal->front + i) * step;
}

/* The offset of what tap t of position i of z sees. */
static uint32_t seen(const struct stage *stage, size_t i, size_t t)
{
    const struct op *op = &stage->affine->op;
    const struct signal *in = stage->in;
    const size_t q = stage->z->position[i] * op->stride + t * op->dilation;

    if (q >= op->padding && q - op->padding < in->length)
        return (uint32_t)offset_of(in, in->step, in->index[q - op->padding]);
    /* The zeros that would be there, or the only ones that there are. */
    if (in->front == op->padding && in->count == in->length)
        return (uint32_t)(q * in->step);
    return 0;
}

static bnre_status push(struct list *list, size_t value)
{
    bnre_status status = BNRE_OK;

    BNRE_GROW(list->data, list->room, list->count + 1);
    list->data[list->count++] = (uint32_t)value;
done:
    return status;
}

/* Append a term to the one last written (from `last` on) if its rows and values
   go on where that one ends; else make it a new one. */
static bnre_status push_term(struct tiles *tiles, size_t *last, size_t row,
                             size_t length, size_t count, const uint32_t *from)
{
    struct list *list = &tiles->list;
    bnre__tile1d *tile = &tiles->tile[tiles->count - 1];

    if (tile->terms > 0) {
        const uint32_t *term = list->data + *last;
        int goes_on = term[0] + term[1] == row;

        for (size_t i = 0; i < count; i++)
            goes_on = goes_on && term[2 + i] + term[1] * tiles->side == from[i];
        if (goes_on) {
            list->data[*last + 1] += (uint32_t)length;
            return BNRE_OK;
        }
    }
    *last = list->count;
    tile->terms++;
    BNRE_DO(push(list, row));
    BNRE_DO(push(list, length));
    for (size_t i = 0; i < count; i++)
        BNRE_DO(push(list, from[i]));
    return BNRE_OK;
}

static bnre_status begin_tile(struct tiles *tiles, size_t count)
{
    bnre_status status = BNRE_OK;

    BNRE_GROW(tiles->tile, tiles->room, tiles->count + 1);
    tiles->tile[tiles->count++] = (bnre__tile1d){
        .count = (uint32_t)count, .at = (uint32_t)tiles->list.count};
done:
    return status;
}

/* The first n positions of z, in order, results from offset `to` on. */
static bnre_status list_forward(struct stage *stage, size_t n, size_t to)
{
    const size_t taps = stage->affine->op.taps, length = stage->rows / taps;

    for (size_t p = 0; p < n; p += TILE1D) {
        const size_t count = n - p < TILE1D ? n - p : TILE1D;
        size_t last = 0;

        BNRE_DO(begin_tile(&stage->forward, count));
        for (size_t i = 0; i < count; i++)
            BNRE_DO(push(&stage->forward.list, to + (p + i) * stage->z->step));
        for (size_t t = 0; t < taps; t++) {
            uint32_t from[TILE1D];

            for (size_t i = 0; i < count; i++)
                from[i] = seen(stage, p + i, t);
            BNRE_DO(push_term(&stage->forward, &last, t * length, length, count,
                              from));
        }
    }
    return BNRE_OK;
}

/* ---- the way back: who has looked at a position ---- */

/* The position of z that sees position i of `in` through tap t, or NOWHERE. */
static uint32_t seen_by(const struct stage *stage, size_t i, size_t t)
{
    const struct op *op = &stage->affine->op;
    const size_t q = stage->in->position[i] + op->padding;
    const size_t back = t * op->dilation;

    if (q < back || (q - back) % op->stride != 0 ||
        (q - back) / op->stride >= stage->z->length)
        return NOWHERE;
    return stage->z->index[(q - back) / op->stride];
}

/* Positions seen through the same taps wait here to make a tile. */
struct waiting {
    size_t count;
    size_t position[TILE1D];
};

enum { WAITING = 16, PATIENCE = 48 };

static int same_taps(const struct stage *stage, size_t i, size_t j)
{
    for (size_t t = 0; t < stage->affine->op.taps; t++)
        if ((seen_by(stage, i, t) == NOWHERE) !=
            (seen_by(stage, j, t) == NOWHERE))
            return 0;
    return 1;
}

static bnre_status emit(struct stage *stage, struct waiting *w, size_t to)
{
    const size_t taps = stage->affine->op.taps, out = stage->affine->op.out;
    size_t last = 0;

    BNRE_DO(begin_tile(&stage->backward, w->count));
    for (size_t i = 0; i < w->count; i++)
        BNRE_DO(push(&stage->backward.list,
                     to + w->position[i] * stage->in->d_step));
    for (size_t t = taps; t-- > 0;) {
        uint32_t from[TILE1D];

        if (seen_by(stage, w->position[0], t) == NOWHERE)
            continue;
        for (size_t i = 0; i < w->count; i++)
            from[i] = (uint32_t)offset_of(stage->z, stage->z->step,
                                          seen_by(stage, w->position[i], t));
        BNRE_DO(push_term(&stage->backward, &last, (taps - 1 - t) * out, out,
                          w->count, from));
    }
    w->count = 0;
    return BNRE_OK;
}

/* All positions below n, roughly in order; results from offset `to` on. */
static bnre_status list_backward(struct stage *stage, size_t n, size_t to)
{
    struct waiting wait[WAITING] = {{0}};

    for (size_t i = 0; i < n; i++) {
        struct waiting *mine = NULL, *empty = NULL, *oldest = &wait[0];

        for (size_t k = 0; k < WAITING; k++) {
            if (wait[k].count > 0 && i - wait[k].position[0] > PATIENCE)
                BNRE_DO(emit(stage, &wait[k], to));
            if (wait[k].count == 0)
                empty = &wait[k];
            else if (same_taps(stage, i, wait[k].position[0]))
                mine = &wait[k];
            else if (oldest->count == 0 ||
                     wait[k].position[0] < oldest->position[0])
                oldest = &wait[k];
        }
        if (mine == NULL && empty == NULL)
            BNRE_DO(emit(stage, oldest, to));
        if (mine == NULL)
            mine = empty != NULL ? empty : oldest;
        mine->position[mine->count++] = i;
        if (mine->count == TILE1D)
            BNRE_DO(emit(stage, mine, to));
    }
    for (size_t k = 0; k < WAITING; k++)
        if (wait[k].count > 0)
            BNRE_DO(emit(stage, &wait[k], to));
    return BNRE_OK;
}

/* The last position of z that a tile of the way back needs. */
static size_t last_needed(const struct stage *stage, const bnre__tile1d *tile)
{
    const struct signal *z = stage->z;
    const uint32_t *list = stage->backward.list.data + tile->at + tile->count;
    const size_t side = stage->backward.side;
    size_t last = 0;

    for (size_t t = 0; t < tile->terms; t++, list += 2 + tile->count)
        for (size_t i = 0; i < tile->count; i++) {
            const size_t values = (list[1] - 1) * side;
            const size_t p = (list[2 + i] + values) / z->step - z->front;

            last = p > last ? p : last;
        }
    return last;
}

struct ranked {
    size_t last, order;
    bnre__tile1d tile;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Order tiles by the block of z that they have to wait for. */
static bnre_status rank_backward(struct stage *stage, size_t n, size_t block)
{
    bnre_status status = BNRE_OK;
    struct tiles *tiles = &stage->backward;
    struct ranked *ranked = NULL;
    size_t done = 0;

    BNRE_NEW(ranked, tiles->count);
    BNRE_NEW(stage->ready, n / block + 1);
    for (size_t i = 0; i < tiles->count; i++)
        ranked[i] = (struct ranked){last_needed(stage, &tiles->tile[i]), i,
                                    tiles->tile[i]};
    qsort(ranked, tiles->count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < tiles->count; i++)
        tiles->tile[i] = ranked[i].tile;
    for (size_t b = 0; b * block < n; b++) {
        while (done < tiles->count && ranked[done].last < (b + 1) * block)
            done++;
        stage->ready[b] = (uint32_t)done;
    }
done:
    bnre__free(ranked);
    return status;
}

/* ---- runs, for the gradients of weights ---- */

/* Append what position p sees to the stage's terms. */
static bnre_status push_seen(struct stage *stage, size_t p)
{
    bnre_status status = BNRE_OK;
    const size_t taps = stage->affine->op.taps, length = stage->rows / taps;
    const size_t start = stage->terms, side = stage->forward.side;

    for (size_t t = 0; t < taps; t++) {
        const bnre__term1d next = {(uint32_t)(t * length), (uint32_t)length,
                                   seen(stage, p, t)};
        bnre__term1d *term;

        BNRE_GROW(stage->term, stage->term_room, stage->terms + 1);
        term = &stage->term[stage->terms];
        if (stage->terms > start &&
            term[-1].from + term[-1].length * side == next.from) {
            term[-1].length += next.length;
            continue;
        }
        *term = next;
        stage->terms++;
    }
done:
    return status;
}

/* Whether position p, whose terms were appended, goes on with the last run. */
static int goes_on(struct stage *stage, size_t p, size_t terms)
{
    struct run *run = &stage->run[stage->runs - 1];
    const bnre__term1d *old = &stage->term[run->term_at];
    const bnre__term1d *new = &stage->term[stage->terms - terms];
    const size_t steps = p - run->first;

    if (terms != run->terms)
        return 0;
    for (size_t t = 0; t < terms; t++) {
        if (old[t].row != new[t].row || old[t].length != new[t].length ||
            new[t].from < old[t].from)
            return 0;
        if (steps == 1 && t == 0)
            run->step = new[t].from - old[t].from;
        if (new[t].from - old[t].from != steps * run->step)
            return 0;
    }
    return 1;
}

static bnre_status list_runs(struct stage *stage, size_t n)
{
    bnre_status status = BNRE_OK;

    for (size_t p = 0; p < n; p++) {
        const size_t before = stage->terms;

        BNRE_TRY(push_seen(stage, p));
        if (p > 0 && goes_on(stage, p, stage->terms - before)) {
            stage->terms = before;
            stage->run[stage->runs - 1].last = p + 1;
            continue;
        }
        BNRE_GROW(stage->run, stage->run_room, stage->runs + 1);
        stage->run[stage->runs++] =
            (struct run){.first = p,
                         .last = p + 1,
                         .term_at = before,
                         .terms = stage->terms - before};
    }
done:
    return status;
}

/* ---- windows ---- */

static bnre_status list_windows(struct stage *stage)
{
    bnre_status status = BNRE_OK;
    const struct signal *z = stage->z, *out = stage->out;

    BNRE_NEW(stage->start, out->count);
    BNRE_NEW(stage->window, out->count);
    BNRE_NEW(stage->first, z->count);
    BNRE_NEW(stage->having, z->count);
    for (size_t w = 0; w < out->count; w++) {
        const size_t from = out->position[w] * stage->stride;
        const size_t end = from + stage->kernel - stage->padding;
        const size_t first = from < stage->padding ? 0 : from - stage->padding;
        const size_t last = end < z->length ? end : z->length;

        stage->start[w] = z->index[first];
        stage->window[w] = (uint32_t)(last - first);
        for (size_t q = first; q < last; q++) {
            const size_t i = z->index[q];

            if (stage->having[i]++ == 0)
                stage->first[i] = (uint32_t)w;
        }
    }
done:
    return status;
}

/* ---- all of it ---- */

static bnre_status list_affine(struct engine *engine, size_t s)
{
    bnre_status status = BNRE_OK;
    struct stage *stage = &engine->stage[s];
    const struct affine *a = stage->affine;
    const size_t share = s < engine->tree ? engine->chunks : 1;
    const size_t z = stage->z->count / share, in = stage->in->count / share;

    stage->forward.side = stage->backward.side = engine->side;
    stage->rows = a->op.taps * (a->op.in + (size_t)a->ones);
    stage->quads = up(a->op.out, QUAD) / QUAD;
    stage->back_rows = a->op.taps * a->op.out;
    stage->back_quads = up(a->op.in, QUAD) / QUAD;
    BNRE_NEW(stage->w, stage->quads * stage->rows * QUAD);
    BNRE_NEW(stage->bias, stage->quads * QUAD);
    BNRE_TRY(list_forward(stage, z, stage->z->front * stage->z->step));
    if (!engine->train)
        goto done;
    stage->sums_at = engine->gradients;
    engine->gradients += (stage->rows + 1) * stage->quads * QUAD;
    BNRE_NEW(stage->back, stage->back_quads * stage->back_rows * QUAD);
    BNRE_TRY(list_runs(stage, z));
    BNRE_TRY(list_backward(stage, in, stage->in->front * stage->in->d_step));
    BNRE_TRY(rank_backward(stage, z, engine->block));
done:
    return status;
}

bnre_status bnre__conv1d_lists(struct engine *engine)
{
    for (size_t s = 0; s < engine->stages; s++) {
        if (engine->stage[s].affine != NULL)
            BNRE_DO(list_affine(engine, s));
        if (engine->stage[s].pooled)
            BNRE_DO(list_windows(&engine->stage[s]));
    }
    return BNRE_OK;
}
