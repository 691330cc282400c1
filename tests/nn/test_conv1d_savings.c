/* Work that the engine of 1-D convolutions saves, and that the result stays
   what it is: networks of the reference experiments, and signals too long to be
   kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "floats.h"
#include "nn/conv1d/parts.h"
#include "nn/embed.h"
#include "nn/net.h"
#include "support.h"

static bnre__net *paper_net(const char *task, size_t first, size_t second)
{
    const size_t shape[] = {first, second};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 2, .shape = shape};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    assert_ok(bnre__net_paper(task, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

static bnre__net *net_of(const char *embedding, size_t channels, size_t length)
{
    const size_t shape[] = {channels, length};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 2, .shape = shape};
    char yaml[512];
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    snprintf(yaml, sizeof yaml,
             "embedding: %s\nhead: {hidden: [8], activation: selu}\n",
             embedding);
    assert_ok(bnre_yaml_parse(yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

static float *random_floats(size_t n, uint64_t row)
{
    return normal_floats(73, row, n, 1);
}

static void compare(size_t n, const float *fast, const float *plain,
                    double tolerance, const char *what)
{
    assert_floats_agree(n, fast, plain, tolerance, "%s", what);
}

static struct engine *engine_of(const bnre__net *net, size_t batch, int train)
{
    const bnre__embed_opts opts = {.batch = batch, .train = train};
    void *engine = NULL;

    assert_ok(bnre__embed_conv1d.create(net, &opts, &engine));
    return engine;
}

/* Both engines on n observations with values of some size, with or without the
   way back. */
static void check_equal(const bnre__net *net, float size, size_t n, int train)
{
    const bnre__embed_type *type[] = {&bnre__embed_conv1d, &bnre__embed_plain};
    const size_t phi = net->embedding->out.size;
    const bnre__embed_opts opts = {.batch = n, .train = train};
    float *x = random_floats(n * net->x.size, 1);
    float *dphi = random_floats(n * phi, 2);
    float *w = random_floats(net->weights, 3);
    float *result[2], *dw[2], *dx[2];
    bnre_rng rng = bnre_rng_stream(74, 0, 0);

    bnre__net_init(net, &rng, w, NULL);
    for (size_t i = 0; i < n * net->x.size; i++)
        x[i] *= size;
    for (int i = 0; i < 2; i++) {
        void *engine = NULL;

        result[i] = random_floats(n * phi, 4);
        dw[i] = random_floats(net->weights, 5);
        dx[i] = random_floats(n * net->x.size, 6);
        assert_ok(type[i]->create(net, &opts, &engine));
        type[i]->set(engine, w, NULL);
        memcpy(result[i], type[i]->forward(engine, n, x, train),
               n * phi * sizeof *x);
        if (train)
            type[i]->backward(engine, dphi, dw[i], dx[i]);
        type[i]->destroy(engine);
    }
    compare(n * phi, result[0], result[1], 1e-5, "phi");
    compare(net->embedding->weights, dw[0], dw[1], 1e-4, "dw");
    compare(n * net->x.size, dx[0], dx[1], 1e-4, "dx");
    for (int i = 0; i < 2; i++) {
        free(dx[i]);
        free(dw[i]);
        free(result[i]);
    }
    free(w);
    free(dphi);
    free(x);
}

/* 13 levels with doubling gaps: 8,191 positions of 90,127, and the first layer
   in one with the second. */
static void a_dilated_stack_is_a_tree(void **state)
{
    bnre__net *net = paper_net("gw", 2, 8192);
    struct engine *engine = engine_of(net, 1, 0);
    size_t all = 0, needed = 0;

    (void)state;
    assert_int_equal(engine->stages, 13);
    for (size_t s = 0; s < engine->stages; s++) {
        assert_int_equal(engine->stage[s].out->count, (size_t)4096 >> s);
        needed += engine->stage[s].out->count;
        all += engine->stage[s].out->length;
    }
    assert_int_equal(needed, 8191);
    assert_int_equal(all, 90127);
    assert_int_equal(engine->stage[0].rows, 2 * 2);
    assert_int_equal(engine->stage[1].rows, 2 * 16);
    bnre__embed_conv1d.destroy(engine);
    check_equal(net, 1, 1, 0);
    bnre__net_destroy(net);
}

/* Scaling and transposing go into the way x is read, the first layer into the
   second with a further input of ones, and maxima come before SELU. */
static void a_pooled_stack_is_eight_stages(void **state)
{
    bnre__net *net = paper_net("lotka_volterra", 1001, 2);
    struct engine *engine = engine_of(net, 1, 1);

    (void)state;
    assert_int_equal(engine->stages, 8);
    assert_int_equal(engine->stage[0].rows, 3 * (2 + 1));
    for (size_t s = 0; s < engine->stages; s++) {
        assert_true(engine->stage[s].pooled);
        assert_int_equal(engine->stage[s].activation, BNRE__SELU);
        assert_int_equal(engine->stage[s].forward.tile[0].terms, 1);
        assert_int_equal(engine->stage[s].runs, 1);
    }
    bnre__embed_conv1d.destroy(engine);
    check_equal(net, 100, 2, 1);
    bnre__net_destroy(net);
}

/* GELU has a minimum: what it makes of the largest value may not be largest. */
static void only_increasing_functions_change_places_with_maxima(void **state)
{
    bnre__net *net = net_of("[conv1d: {channels: 2, kernel: 2}, gelu, "
                            "maxpool1d: {kernel: 2}]",
                            2, 9);
    struct engine *engine = engine_of(net, 1, 0);

    (void)state;
    assert_int_equal(engine->stages, 3);
    assert_false(engine->stage[0].pooled);
    assert_true(engine->stage[1].gelu);
    assert_true(engine->stage[2].pooled);
    bnre__embed_conv1d.destroy(engine);
    bnre__net_destroy(net);
}

/* Signals that are computed again, chunk by chunk, rather than kept. */
static void long_signals_are_not_kept(void **state)
{
    bnre__net *net = net_of(
        "[conv1d: {channels: 32, kernel: 2, stride: 2}, selu, conv1d: "
        "{channels: 32, kernel: 2, stride: 2}, tanh, conv1d: {channels: 16, "
        "kernel: 2, stride: 2}, selu, conv1d: {channels: 8, kernel: 3, "
        "padding: 1}, relu, maxpool1d: {kernel: 128}, flatten]",
        2, 4096);
    struct engine *engine = engine_of(net, 1, 1);

    (void)state;
    assert_int_equal(engine->tree, 2);
    assert_true(engine->chunks > 1);
    bnre__embed_conv1d.destroy(engine);
    check_equal(net, 1, 3, 1);
    bnre__net_destroy(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dilated_stack_is_a_tree),
        cmocka_unit_test(a_pooled_stack_is_eight_stages),
        cmocka_unit_test(only_increasing_functions_change_places_with_maxima),
        cmocka_unit_test(long_signals_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
