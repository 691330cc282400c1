/* preset.c - networks with names: general ones, and those of the reference
   experiments. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "nn/net.h"

/* Append a layer with settings given as key, value, ..., NULL. */
static bnre_status add(bnre_node *list, const char *name, ...)
{
    bnre_status status = BNRE_OK;
    bnre_node *layer = NULL, *settings = NULL;
    const char *key;
    va_list args;

    va_start(args, name);
    BNRE_TRY(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &layer));
    BNRE_TRY(bnre_node_branch(layer, name, BNRE_NODE_MAP, &settings));
    while ((key = va_arg(args, const char *)) != NULL)
        BNRE_TRY(bnre_node_set(settings, key, va_arg(args, const char *)));
done:
    va_end(args);
    return status;
}

/* A net with an embedding to fill and a head of equal layers. */
static bnre_status begin(size_t layers, const char *width,
                         const char *activation, bnre_node **root,
                         bnre_node **embedding)
{
    bnre_node *head = NULL, *hidden = NULL;

    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, root));
    BNRE_DO(bnre_node_branch(*root, "embedding", BNRE_NODE_LIST, embedding));
    BNRE_DO(bnre_node_branch(*root, "head", BNRE_NODE_MAP, &head));
    BNRE_DO(bnre_node_branch(head, "hidden", BNRE_NODE_LIST, &hidden));
    for (size_t i = 0; i < layers; i++)
        BNRE_DO(bnre_node_set(hidden, NULL, width));
    return bnre_node_set(head, "activation", activation);
}

static bnre_status make_mlp(const bnre__shape *x, bnre_node **root)
{
    bnre_node *embedding = NULL;

    BNRE_DO(begin(6, "256", "selu", root, &embedding));
    if (x->ndim != 1)
        BNRE_DO(bnre_node_set(embedding, NULL, "flatten"));
    return bnre_node_set(*root, "theta_first", "yes");
}

/* Convolutions and maxima in turn, every second one halving the length. */
static bnre_status make_cnn1d(const bnre__shape *x, bnre_node **root)
{
    bnre_node *embedding = NULL;

    if (x->ndim != 2)
        return bnre_fail(BNRE_EUSAGE,
                         "the preset cnn1d is for x of shape (channels, "
                         "length)");
    BNRE_DO(begin(3, "128", "selu", root, &embedding));
    BNRE_DO(add(embedding, "conv1d", "channels", "8", "kernel", "1", NULL));
    for (int i = 0; i < 8; i++) {
        BNRE_DO(add(embedding, "conv1d", "channels", "8", "kernel", "3",
                    "padding", "1", NULL));
        BNRE_DO(bnre_node_set(embedding, NULL, "selu"));
        BNRE_DO(add(embedding, "maxpool1d", "kernel", "3", "stride",
                    i % 2 == 0 ? "2" : "1", "padding", "1", NULL));
    }
    return bnre_node_set(embedding, NULL, "flatten");
}

/* Kernels of two with doubling gaps, as many as fit into the length. */
static bnre_status make_dilated(const bnre__shape *x, bnre_node **root)
{
    bnre_node *embedding = NULL;

    if (x->ndim != 2)
        return bnre_fail(BNRE_EUSAGE,
                         "the preset dilated_cnn is for x of shape (channels, "
                         "length)");
    BNRE_DO(begin(3, "128", "selu", root, &embedding));
    BNRE_DO(add(embedding, "conv1d", "channels", "16", "kernel", "1", NULL));
    for (size_t gap = 1; 2 * gap <= x->dim[1]; gap *= 2) {
        char dilation[32];

        snprintf(dilation, sizeof dilation, "%zu", gap);
        BNRE_DO(add(embedding, "conv1d", "channels", "16", "kernel", "2",
                    "dilation", dilation, NULL));
        BNRE_DO(bnre_node_set(embedding, NULL, "selu"));
    }
    return bnre_node_set(embedding, NULL, "flatten");
}

/* One basic block: two 3x3 convolutions beside a shortcut. */
static bnre_status add_block(bnre_node *list, const char *planes, int halve,
                             int norm)
{
    bnre_node *item = NULL, *block = NULL, *layers = NULL, *shortcut = NULL;

    BNRE_DO(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &item));
    BNRE_DO(bnre_node_branch(item, "residual", BNRE_NODE_MAP, &block));
    BNRE_DO(bnre_node_branch(block, "layers", BNRE_NODE_LIST, &layers));
    for (int i = 0; i < 2; i++) {
        BNRE_DO(add(layers, "conv2d", "channels", planes, "kernel", "3",
                    "stride", halve && i == 0 ? "2" : "1", "padding", "1",
                    "bias", "no", NULL));
        if (norm)
            BNRE_DO(bnre_node_set(layers, NULL, "batchnorm"));
        if (i == 0)
            BNRE_DO(bnre_node_set(layers, NULL, "leaky_relu"));
    }
    if (halve) {
        BNRE_DO(bnre_node_branch(block, "shortcut", BNRE_NODE_LIST, &shortcut));
        BNRE_DO(add(shortcut, "conv2d", "channels", planes, "kernel", "1",
                    "stride", "2", "bias", "no", NULL));
        BNRE_DO(bnre_node_set(shortcut, NULL, "batchnorm"));
    }
    return bnre_node_set(list, NULL, "leaky_relu");
}

/* Norms only in the first block of each stage and in the shortcuts. */
static bnre_status make_resnet18(const bnre__shape *x, bnre_node **root)
{
    static const char *const planes[] = {"64", "128", "256", "512"};
    bnre_node *embedding = NULL;

    if (x->ndim != 3)
        return bnre_fail(BNRE_EUSAGE,
                         "the preset resnet18 is for x of shape (channels, "
                         "rows, columns)");
    BNRE_DO(begin(3, "256", "leaky_relu", root, &embedding));
    BNRE_DO(add(embedding, "conv2d", "channels", "64", "kernel", "7", "stride",
                "2", "padding", "3", "bias", "no", NULL));
    BNRE_DO(bnre_node_set(embedding, NULL, "leaky_relu"));
    BNRE_DO(add(embedding, "maxpool2d", "kernel", "3", "stride", "2", "padding",
                "1", NULL));
    for (int stage = 0; stage < 4; stage++)
        for (int block = 0; block < 2; block++)
            BNRE_DO(add_block(embedding, planes[stage], stage > 0 && block == 0,
                              block == 0));
    return bnre_node_set(embedding, NULL, "avgpool");
}

static const struct {
    const char *name;
    bnre_status (*make)(const bnre__shape *x, bnre_node **root);
} presets[] = {
    {"mlp", make_mlp},
    {"cnn1d", make_cnn1d},
    {"dilated_cnn", make_dilated},
    {"resnet18", make_resnet18},
};
enum { PRESETS = sizeof presets / sizeof *presets };

static const char *preset_word(const void *list, size_t i)
{
    (void)list;
    return i < PRESETS ? presets[i].name : NULL;
}

bnre_status bnre__net_preset(const char *name, const bnre__shape *x,
                             bnre_node **out)
{
    const char *nearest;

    *out = NULL;
    for (size_t i = 0; i < PRESETS; i++)
        if (strcmp(presets[i].name, name) == 0) {
            bnre_status status = presets[i].make(x, out);

            if (status != BNRE_OK) {
                bnre_node_destroy(*out);
                *out = NULL;
            }
            return status;
        }
    nearest = bnre__text_nearest(name, preset_word, NULL);
    return bnre_fail(BNRE_EUSAGE,
                     "unknown preset \"%s\"%s%s%s: there are mlp, cnn1d, "
                     "dilated_cnn and resnet18 (a file is told by a point or "
                     "slash in its name)",
                     name, nearest ? " (did you mean \"" : "",
                     nearest ? nearest : "", nearest ? "\"?)" : "");
}

int bnre__net_names_file(const char *text)
{
    return strpbrk(text, "./") != NULL;
}

/* ---- the reference experiments ---- */

static bnre_status add_scale(bnre_node *list, size_t n,
                             const char *const *shift, const char *const *scale)
{
    bnre_node *item = NULL, *map = NULL, *left = NULL, *right = NULL;

    BNRE_DO(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &item));
    BNRE_DO(bnre_node_branch(item, "scale", BNRE_NODE_MAP, &map));
    BNRE_DO(bnre_node_branch(map, "shift", BNRE_NODE_LIST, &left));
    BNRE_DO(bnre_node_branch(map, "scale", BNRE_NODE_LIST, &right));
    for (size_t i = 0; i < n; i++) {
        BNRE_DO(bnre_node_set(left, NULL, shift[i]));
        BNRE_DO(bnre_node_set(right, NULL, scale[i]));
    }
    return BNRE_OK;
}

/* Constants of the reference for M/G/1; rare long queues dominate them. */
static bnre_status make_mg1(bnre_node **root)
{
    static const char *const mean[] = {"4.449119", "17.552252", "37.19249",
                                       "75.893616", "249.51308"};
    static const char *const sd[] = {"130.47417", "1330.6927", "3427.9126",
                                     "8741.079", "31140.67"};
    bnre_node *embedding = NULL;

    BNRE_DO(begin(6, "256", "selu", root, &embedding));
    BNRE_DO(add_scale(embedding, 5, mean, sd));
    return bnre_node_set(*root, "theta_first", "yes");
}

/* Populations in hundreds, time along the length. */
static bnre_status make_lotka_volterra(bnre_node **root)
{
    const bnre__shape x = {.ndim = 2, .dim = {2, 1001}, .size = 2002};
    bnre_node *embedding;

    BNRE_DO(make_cnn1d(&x, root));
    embedding = (bnre_node *)bnre_node_find(*root, "embedding");
    BNRE_DO(add(embedding, "scale", "scale", "100", NULL));
    BNRE_DO(bnre_node_set(embedding, NULL, "transpose"));
    /* Those two were appended and belong in front. */
    for (int moved = 0; moved < 2; moved++) {
        bnre_node *last = embedding->child[embedding->count - 1];

        memmove(embedding->child + 1, embedding->child,
                (embedding->count - 1) * sizeof *embedding->child);
        embedding->child[0] = last;
    }
    return BNRE_OK;
}

bnre_status bnre__net_paper(const char *task, bnre_node **out)
{
    static const struct {
        const char *task, *preset;
        bnre_status (*make)(bnre_node **root);
        bnre__shape x;
    } papers[] = {
        {"slcp", "mlp", NULL, {.ndim = 1, .dim = {8}, .size = 8}},
        {"weinberg", "mlp", NULL, {.ndim = 1, .dim = {20}, .size = 20}},
        {"spatial_sir",
         "resnet18",
         NULL,
         {.ndim = 3, .dim = {3, 50, 50}, .size = 7500}},
        {"mg1", NULL, make_mg1, {0}},
        {"lotka_volterra", NULL, make_lotka_volterra, {0}},
        {"gw",
         "dilated_cnn",
         NULL,
         {.ndim = 2, .dim = {2, 8192}, .size = 16384}},
    };
    bnre_status status = BNRE_OK;

    *out = NULL;
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
        if (strcmp(papers[i].task, task) != 0)
            continue;
        if (papers[i].make == NULL)
            return bnre__net_preset(papers[i].preset, &papers[i].x, out);
        status = papers[i].make(out);
        if (status != BNRE_OK) {
            bnre_node_destroy(*out);
            *out = NULL;
        }
        return status;
    }
    return bnre_fail(BNRE_EUSAGE,
                     "the reference experiments have no network for the task "
                     "%s: describe one under network:",
                     task);
}
