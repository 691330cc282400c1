/* residual.c - y = shortcut(x) + main(x); the shortcut is x itself if absent.
 */
#include <string.h>

#include "base/mem.h"
#include "nn/layers/layer.h"

enum { MAIN, SHORTCUT };

/* The shortcut's weights come before those of the main branch. */
static bnre_status create_residual(bnre__layer *layer,
                                   const bnre_node *settings)
{
    static const char *const key[] = {"layers", "shortcut"};
    size_t weight_at = layer->weight_at, buffer_at = layer->buffer_at;
    char left[128], right[128];

    if (bnre_node_find(settings, key[MAIN]) == NULL)
        return bnre_fail(BNRE_EUSAGE, "residual needs the key layers");
    for (int b = SHORTCUT; b >= MAIN; b--) {
        const bnre_node *list = bnre_node_find(settings, key[b]);

        BNRE_DO(bnre__sequence_create(list, &layer->in, key[b], &weight_at,
                                      &buffer_at, &layer->branch[b]));
        layer->keep_row += layer->branch[b]->row + layer->in.size;
        layer->keep_fixed += layer->branch[b]->fixed;
    }
    layer->out = layer->branch[MAIN]->out;
    if (layer->branch[SHORTCUT]->out.size != layer->out.size)
        return bnre_fail(
            BNRE_EUSAGE,
            "the layers give %s, the shortcut %s: they cannot be added",
            bnre__shape_text(&layer->out, left),
            bnre__shape_text(&layer->branch[SHORTCUT]->out, right));
    layer->weights = weight_at - layer->weight_at;
    layer->buffers = buffer_at - layer->buffer_at;
    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, &layer->record));
    for (int b = MAIN; b <= SHORTCUT; b++) {
        bnre_node *list = NULL;

        if (layer->branch[b]->count == 0)
            continue;
        BNRE_DO(bnre_node_branch(layer->record, key[b], BNRE_NODE_LIST, &list));
        BNRE_DO(bnre__sequence_record(layer->branch[b], list));
    }
    return BNRE_OK;
}

static void init_residual(const bnre__layer *layer, bnre_rng *rng, float *w,
                          float *buffer)
{
    /* Branches count from the start of the net's blocks. */
    for (int b = SHORTCUT; b >= MAIN; b--)
        bnre__sequence_init(layer->branch[b], rng, w - layer->weight_at,
                            buffer - layer->buffer_at);
}

/* The region of a branch: what it keeps, then (on the way back) its dx. */
static bnre__real *region(const bnre__layer *layer, const bnre__pass *pass,
                          bnre__real *keep, int b)
{
    const bnre__sequence *main = layer->branch[MAIN];

    if (b == MAIN)
        return keep;
    return keep + pass->n * (main->row + layer->in.size) + main->fixed;
}

static void forward_residual(const bnre__layer *layer, const bnre__pass *pass,
                             const bnre__real *x, bnre__real *y,
                             bnre__real *keep)
{
    const bnre__real *a = bnre__sequence_forward(
        layer->branch[MAIN], pass, x, region(layer, pass, keep, MAIN));
    const bnre__real *b = bnre__sequence_forward(
        layer->branch[SHORTCUT], pass, x, region(layer, pass, keep, SHORTCUT));

    for (size_t i = 0; i < pass->n * layer->out.size; i++)
        y[i] = a[i] + b[i];
}

static void backward_residual(const bnre__layer *layer, const bnre__pass *pass,
                              const bnre__real *x, const bnre__real *y,
                              const bnre__real *keep, const bnre__real *dy,
                              bnre__real *dx, bnre__real *dkeep)
{
    bnre__real *part[2];

    (void)y;
    for (int b = MAIN; b <= SHORTCUT; b++) {
        const bnre__sequence *branch = layer->branch[b];
        bnre__real *room = region(layer, pass, dkeep, b);

        part[b] =
            dx == NULL ? NULL : room + pass->n * branch->row + branch->fixed;
        bnre__sequence_backward(branch, pass, x,
                                region(layer, pass, (bnre__real *)keep, b), dy,
                                part[b], room);
    }
    for (size_t i = 0; dx != NULL && i < pass->n * layer->in.size; i++)
        dx[i] = part[MAIN][i] + part[SHORTCUT][i];
}

const bnre__layer_type bnre__layer_residual = {
    .name = "residual",
    .keys = (const char *const[]){"layers", "shortcut", NULL},
    .create = create_residual,
    .init = init_residual,
    .forward = forward_residual,
    .backward = backward_residual,
};
