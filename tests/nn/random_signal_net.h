/* random_signal_net.h - stacks of 1-D convolutions of all kinds, for
   comparisons. */
#ifndef BNRE_TEST_RANDOM_SIGNAL_NET_H
#define BNRE_TEST_RANDOM_SIGNAL_NET_H

#include <stdio.h>
#include <string.h>

#include "bnre/settings.h"
#include "nn/net.h"
#include "support.h"

struct writer {
    bnre_rng rng;
    char yaml[4096];
    size_t channels, length;
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
    static const char *const names[] = {"selu, ", "elu, ",
                                        "relu, ", "tanh, ",
                                        "gelu, ", "leaky_relu: {slope: 0.1}, "};

    say(w, names[bnre_rng_below(&w->rng, 6)]);
}

static inline void say_conv(struct writer *w, size_t channels, size_t kernel,
                            size_t stride, size_t padding, size_t dilation)
{
    char text[160];

    snprintf(text, sizeof text,
             "conv1d: {channels: %zu, kernel: %zu, stride: %zu, padding: %zu, "
             "dilation: %zu, bias: %s}, ",
             channels, kernel, stride, padding, dilation,
             PICK(w, 0, 1, 1) ? "yes" : "no");
    say(w, text);
    w->channels = channels;
    w->length =
        (w->length + 2 * padding - ((kernel - 1) * dilation + 1)) / stride + 1;
}

static inline void say_any_conv(struct writer *w)
{
    size_t kernel, padding, dilation;

    do {
        kernel = PICK(w, 1, 1, 2, 3, 3, 5);
        dilation = PICK(w, 1, 1, 2, 5);
        padding = PICK(w, 0, 0, 1, 2, 4);
    } while (w->length + 2 * padding < (kernel - 1) * dilation + 1);
    say_conv(w, PICK(w, 1, 3, 4, 5, 8, 9, 16), kernel, PICK(w, 1, 1, 1, 2, 3),
             padding, dilation);
}

static inline void say_pool(struct writer *w)
{
    size_t kernel = PICK(w, 2, 3, 3, 5), padding = PICK(w, 0, 0, 1);
    size_t stride = PICK(w, 1, 2, 3);
    char text[80];

    if (w->length + 2 * padding < kernel)
        return;
    snprintf(text, sizeof text,
             "maxpool1d: {kernel: %zu, stride: %zu, padding: %zu}, ", kernel,
             stride, padding);
    say(w, text);
    w->length = (w->length + 2 * padding - kernel) / stride + 1;
}

/* Something after a convolution; nothing lets it be one with the next. */
static inline void say_after(struct writer *w)
{
    switch (PICK(w, 0, 0, 1, 2, 3, 4, 5)) {
    case 0:
        break;
    case 1:
        say_activation(w);
        break;
    case 2:
        say_activation(w);
        say_pool(w);
        break;
    case 3:
        say_pool(w);
        say_activation(w);
        break;
    case 4:
        say(w, "scale: {shift: 0.25, scale: 1.5}, ");
        break;
    default:
        say_activation(w);
        say_activation(w);
        break;
    }
}

/* Kernels of two with doubling gaps, down to one position. */
static inline void say_tree(struct writer *w)
{
    for (size_t gap = 1; 2 * gap <= w->length + gap - 1; gap *= 2) {
        say_conv(w, PICK(w, 4, 5, 16), 2, 1, 0, gap);
        say(w, "selu, ");
    }
}

/* The k-th network; `shape` gets that of its x. */
static inline bnre__net *random_signal_net(uint64_t k, size_t shape[2])
{
    static const char *const starts[] = {"", "", "", "scale: {scale: 3}, ",
                                         "scale: {shift: 0.5, scale: 2}, "};
    static const char *const ends[] = {
        "flatten]", "flatten]",
        "flatten, linear: {width: 7}, tanh, linear: {width: 3}]",
        "flatten, linear: {width: 5, bias: no}, linear: {width: 4}]", "]"};
    struct writer w = {.rng = bnre_rng_stream(70, 0, k)};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 2, .shape = shape};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;
    int turned = PICK(&w, 0, 0, 1) != 0;

    w.channels = PICK(&w, 1, 2, 3, 4);
    w.length = PICK(&w, 16, 17, 40, 64);
    shape[turned] = w.channels;
    shape[!turned] = w.length;
    say(&w, "embedding: [");
    say(&w, starts[bnre_rng_below(&w.rng, 5)]);
    if (turned)
        say(&w, "transpose, ");
    if (PICK(&w, 0, 0, 0, 1))
        say_after(&w);
    say_any_conv(&w);
    for (size_t i = PICK(&w, 0, 1, 2, 3, 5); i > 0; i--) {
        say_after(&w);
        say_any_conv(&w);
    }
    if (PICK(&w, 0, 0, 1))
        say_tree(&w);
    say_after(&w);
    say(&w, ends[bnre_rng_below(&w.rng, 5)]);
    say(&w, "\nhead: {hidden: [9, 8], activation: selu}\n");
    assert_ok(bnre_yaml_parse(w.yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

#endif
