/* memory.c - where the values are. */
#include "base/mem.h"
#include "nn/conv2d/conv2d.h"

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

bnre_status bnre__conv2d_make_values(struct conv2d *engine)
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
