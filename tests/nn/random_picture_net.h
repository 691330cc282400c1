/* random_picture_net.h - networks of all kinds on pictures, for comparisons. */
#ifndef BNRE_TEST_RANDOM_PICTURE_NET_H
#define BNRE_TEST_RANDOM_PICTURE_NET_H

#include <stdio.h>
#include <string.h>

#include "bnre/settings.h"
#include "nn/net.h"
#include "support.h"

struct writer {
    bnre_rng rng;
    char yaml[4096];
    size_t channels, height, width;
    int flat;
};

static inline size_t pick(struct writer *w, size_t n, const size_t *from)
{
    return from[bnre_rng_below(&w->rng, n)];
}

#define PICK(w, ...)                                                           \
    pick((w), sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t),          \
         (const size_t[]){__VA_ARGS__})

static inline void say(struct writer *w, const char *text)
{
    assert_true(strlen(w->yaml) + strlen(text) + 1 < sizeof w->yaml);
    strcat(w->yaml, text);
}

static inline void say_activation(struct writer *w)
{
    static const char *const names[] = {"selu, ", "elu, ", "relu, ", "tanh, ",
                                        "leaky_relu: {slope: 0.1}, "};

    say(w, names[PICK(w, 0, 1, 2, 3, 4)]);
}

static inline void say_conv(struct writer *w, size_t channels, size_t kernel,
                            size_t stride, size_t padding, size_t dilation)
{
    const size_t reach = (kernel - 1) * dilation + 1;
    char text[160];

    snprintf(text, sizeof text,
             "conv2d: {channels: %zu, kernel: %zu, stride: %zu, padding: %zu, "
             "dilation: %zu, bias: %s}, ",
             channels, kernel, stride, padding, dilation,
             PICK(w, 0, 1) ? "yes" : "no");
    say(w, text);
    w->channels = channels;
    w->height = (w->height + 2 * padding - reach) / stride + 1;
    w->width = (w->width + 2 * padding - reach) / stride + 1;
}

static inline void say_any_conv(struct writer *w)
{
    const size_t least = w->height < w->width ? w->height : w->width;
    size_t kernel, padding, dilation;

    do {
        kernel = PICK(w, 1, 2, 3, 3, 3, 5, 7);
        dilation = PICK(w, 1, 1, 1, 2);
        padding = PICK(w, 0, 1, 1, 2, 3);
    } while (least + 2 * padding < (kernel - 1) * dilation + 1);
    say_conv(w, PICK(w, 1, 3, 16, 17, 20, 33), kernel, PICK(w, 1, 1, 2),
             padding, dilation);
}

/* A residual block, with a projection when it changes the shape. */
static inline void say_block(struct writer *w, int depth)
{
    const size_t channels = w->channels, height = w->height, width = w->width;
    const size_t kind = PICK(w, 0, 1, 2);
    const size_t planes = kind == 2 ? PICK(w, 5, 16, 24) : channels;

    say(w, "residual: {layers: [");
    if (kind == 0 && depth == 0 && PICK(w, 0, 1))
        say_block(w, 1);
    say_conv(w, planes, 3, kind == 2 ? 2 : 1, 1, 1);
    if (PICK(w, 0, 1))
        say(w, "batchnorm, ");
    say_activation(w);
    say_conv(w, planes, 3, 1, 1, 1);
    if (PICK(w, 0, 1))
        say(w, "batchnorm");
    say(w, "]");
    if (kind == 2) {
        say(w, ", shortcut: [");
        w->channels = channels;
        w->height = height;
        w->width = width;
        say_conv(w, planes, 1, 2, 0, 1);
        say(w, PICK(w, 0, 1) ? "batchnorm]" : "]");
    }
    say(w, "}, ");
}

static inline void say_pool(struct writer *w)
{
    const size_t kernel = PICK(w, 2, 3, 3), stride = PICK(w, 1, 2, 2, 3);
    const size_t padding = PICK(w, 0, 1);
    char text[96];

    if (w->height < kernel || w->width < kernel)
        return;
    snprintf(text, sizeof text,
             "maxpool2d: {kernel: %zu, stride: %zu, padding: %zu}, ", kernel,
             stride, padding);
    say(w, text);
    w->height = (w->height + 2 * padding - kernel) / stride + 1;
    w->width = (w->width + 2 * padding - kernel) / stride + 1;
}

static inline void say_layer(struct writer *w)
{
    switch (PICK(w, 0, 0, 0, 1, 2, 2, 3, 4, 4, 5)) {
    case 0:
        say_any_conv(w);
        break;
    case 1:
        say(w, "batchnorm: {momentum: 0.3}, ");
        break;
    case 2:
        say_activation(w);
        break;
    case 3:
        say_pool(w);
        break;
    case 4:
        say_block(w, 0);
        break;
    default:
        say(w, "scale: {shift: 0.5, scale: 3}, ");
        break;
    }
}

/* The k-th network. Its x has the shape (channels, height, width) that `shape`
   gets. */
static inline bnre__net *random_picture_net(uint64_t k, size_t shape[3])
{
    static const char *const ends[] = {
        "avgpool]", "flatten]", "tanh]",
        "flatten, linear: {width: 20}, batchnorm, relu, linear: {width: 5}]",
        "batchnorm, flatten]"};
    struct writer w = {.rng = bnre_rng_stream(60, 0, k)};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 3, .shape = shape};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    shape[0] = w.channels = PICK(&w, 1, 2, 3, 18);
    shape[1] = w.height = PICK(&w, 4, 5, 8, 13);
    shape[2] = w.width = PICK(&w, 4, 6, 7, 11);
    say(&w, "embedding: [");
    if (PICK(&w, 0, 0, 0, 1))
        say_layer(&w);
    say_any_conv(&w);
    for (size_t i = PICK(&w, 0, 2, 4, 6); i > 0; i--)
        say_layer(&w);
    say(&w, ends[PICK(&w, 0, 1, 2, 3, 4)]);
    say(&w, "\nhead: {hidden: [8, 8], activation: selu}\n");
    assert_ok(bnre_yaml_parse(w.yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

#endif
