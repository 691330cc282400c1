#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "nn/net.h"
#include "support.h"

static bnre_status make(const char *yaml, size_t ndim, const size_t *shape,
                        bnre__net **out)
{
    const bnre__net_input input = {
        .dim_theta = 2, .ndim = ndim, .shape = shape};
    bnre_node *settings = NULL;
    bnre_status status = bnre_yaml_parse(yaml, "n.yaml", &settings);

    *out = NULL;
    if (status == BNRE_OK)
        status = bnre__net_create(settings, &input, out);
    bnre_node_destroy(settings);
    return status;
}

static void mistakes_name_the_layer_and_the_shapes(void **state)
{
    static const struct {
        const char *yaml, *message;
    } wrong[] = {
        {"head: 3", "n.yaml:1"},
        {"embedding: []", "needs a head"},
        {"heads: {hidden: [1]}", "\"head\""},
        {"head: {width: [8]}", "\"width\""},
        {"head: {hidden: 8}", "hidden: [widths]"},
        {"head: {hidden: [0]}", "width must be"},
        {"head: {hidden: [8], activation: slu}", "did you mean \"selu\"?"},
        {"head: [linear: {width: 3}]", "ends with shape (3)"},
        {"head: [linear: {widht: 3}]", "\"width\""},
        {"head: [linear]", "layer 1 (linear): ... key width"},
        {"embedding: [conv1d: {channels: 2, kernel: 3}]\nhead: {hidden: [4]}",
         "embedding, layer 1 (conv1d): it gets shape (4, 5, 6) and needs "
         "(channels, length)"},
        {"embedding: [conv2d: {channels: 2, kernel: 9}]\nhead: {hidden: [4]}",
         "longer than the kernel"},
        {"embedding: [reshape: {shape: [7]}]\nhead: {hidden: [4]}",
         "(7) has 7 values, (4, 5, 6) has 120"},
        {"embedding: [residual: {layers: [flatten, linear: {width: 3}]}]\n"
         "head: {hidden: [4]}",
         "give (3), the shortcut (4, 5, 6)"},
        {"embedding: [selu, repeat: {times: 2}]\nhead: {hidden: [4]}",
         "repeat needs"},
        {"embedding: [repeat: {times: 1000, layers: [repeat: {times: 1000, "
         "layers: [selu]}]}]\nhead: {hidden: [4]}",
         "more than 100000 layers"},
        {"embedding: [repeat: {times: 900, layers: [residual: {layers: "
         "[repeat: "
         "{times: 900, layers: [selu]}]}]}]\nhead: {hidden: [4]}",
         "more than 100000 layers"},
        {"embedding: [scale: {scale: 0}]\nhead: {hidden: [4]}", "scale"},
        {"embedding: [scale: {scale: [1, 2]}]\nhead: {hidden: [4]}",
         "120 of them"},
        {"embedding: [[selu]]\nhead: {hidden: [4]}", "a layer is ... name"},
        {"preset: mpl", "did you mean \"mlp\"?"},
        {"mpl", "unknown preset \"mpl\" (did you mean \"mlp\"?): there are "
                "mlp, cnn1d, dilated_cnn and resnet18"},
        {"embedding: [selu, lstm]\nhead: {hidden: [4]}",
         "embedding, layer 2 (lstm): ... \"lstm\": ... linear, "
         "selu, relu, leaky_relu, elu, gelu, tanh, conv1d, conv2d, maxpool1d, "
         "maxpool2d, avgpool, batchnorm, layernorm, residual, flatten, "
         "reshape, transpose, scale, set_mean, set_sum and repeat"},
        {"preset: cnn1d", "(channels, length)"},
        {"preset: mlp\nhead: {hidden: [4]}", "stands alone"},
    };
    const size_t shape[] = {4, 5, 6};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bnre__net *net = NULL;

        assert_fails(make(wrong[i].yaml, 3, shape, &net), BNRE_EUSAGE,
                     wrong[i].message);
        assert_null(net);
    }
}

static void a_name_is_a_preset(void **state)
{
    const size_t shape[] = {2, 64};
    bnre__net *net = NULL, *again = NULL;

    (void)state;
    assert_ok(make("cnn1d", 2, shape, &net));
    assert_ok(make("preset: cnn1d", 2, shape, &again));
    assert_string_equal(bnre__net_text(net), bnre__net_text(again));
    bnre__net_destroy(again);
    bnre__net_destroy(net);
}

static void shapes_that_look_exchanged_are_doubted(void **state)
{
    static const struct {
        const char *yaml;
        size_t ndim, shape[3];
        const char *doubt;
    } cases[] = {
        {"cnn1d", 2, {1000, 3}, "(1000, 3) as 1000 channels of length 3"},
        {"dilated_cnn", 2, {64, 63}, "64 channels of length 63"},
        {"resnet18", 3, {50, 40, 3}, "(3, 50, 40)"},
        {"{embedding: [transpose, {conv1d: {channels: 2, kernel: 1}}, "
         "flatten], head: {hidden: [2]}}",
         2,
         {3, 1000},
         "(1000, 3) as"},
        {"cnn1d", 2, {3, 1000}, ""},
        {"cnn1d", 2, {64, 64}, ""},
        {"resnet18", 3, {3, 50, 50}, ""},
        {"resnet18", 3, {4, 40, 4}, ""},
        {"mlp", 2, {1000, 3}, ""},
        {"{embedding: [set_mean], head: {hidden: [2]}}", 2, {1000, 3}, ""},
        {"{embedding: [transpose, {conv1d: {channels: 2, kernel: 1}}, "
         "flatten], head: {hidden: [2]}}",
         2,
         {1000, 3},
         ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char doubt[BNRE__NET_DOUBT];
        bnre__net *net = NULL;

        assert_ok(make(cases[i].yaml, cases[i].ndim, cases[i].shape, &net));
        assert_int_equal(bnre__net_doubt(net, doubt), cases[i].doubt[0] != 0);
        assert_non_null(strstr(doubt, cases[i].doubt));
        if (cases[i].doubt[0] == 0)
            assert_string_equal(doubt, "");
        bnre__net_destroy(net);
    }
}

static void its_text_makes_the_same_network_again(void **state)
{
    static const char *const yaml =
        "embedding:\n"
        "  - scale: {shift: 1, scale: [1, 2, 3, 4, 5, 6, 7, 8]}\n"
        "  - repeat: {times: 2, layers: [residual: {layers: [conv1d: "
        "{channels: 2, kernel: 3, padding: 1}, batchnorm], shortcut: "
        "[leaky_relu]}]}\n"
        "  - reshape: {shape: [4, 2]}\n"
        "  - set_mean\n"
        "head: {hidden: [3], activation: tanh}\n"
        "theta_first: on\n";
    const size_t shape[] = {2, 4};
    bnre__net *net = NULL, *again = NULL;

    (void)state;
    assert_ok(make(yaml, 2, shape, &net));
    assert_ok(make(bnre__net_text(net), 2, shape, &again));
    assert_string_equal(bnre__net_text(net), bnre__net_text(again));
    assert_null(strstr(bnre__net_text(net), "repeat"));
    assert_int_equal(bnre__net_weights(net), bnre__net_weights(again));
    /* 2 (2 2 3 + 2 + 4) convolutions and norms, (4 + 1) 3 and 4 linear */
    assert_int_equal(bnre__net_weights(net), 2 * 18 + 15 + 4);
    assert_int_equal(bnre__net_buffers(net), 2 * 4);
    bnre__net_destroy(again);
    bnre__net_destroy(net);
}

/* Numbers of weights counted by hand from the reference's descriptions. */
static void reference_networks_have_the_right_size(void **state)
{
    static const struct {
        const char *task;
        size_t dim_theta, ndim, shape[3], weights, buffers;
    } papers[] = {
        {"slcp", 2, 1, {8}, 10 * 256 + 256 + 5 * (256 * 256 + 256) + 257, 0},
        {"weinberg",
         1,
         1,
         {20},
         21 * 256 + 256 + 5 * (256 * 256 + 256) + 257,
         0},
        {"mg1", 3, 1, {5}, 8 * 256 + 256 + 5 * (256 * 256 + 256) + 257, 0},
        {"lotka_volterra",
         2,
         2,
         {1001, 2},
         24 + 8 * (8 * 8 * 3 + 8) + 506 * 128 + 128 + 2 * (128 * 128 + 128) +
             129,
         0},
        {"gw",
         2,
         2,
         {2, 8192},
         48 + 13 * (16 * 16 * 2 + 16) + 18 * 128 + 128 + 2 * (128 * 128 + 128) +
             129,
         0},
        {"spatial_sir",
         2,
         3,
         {3, 50, 50},
         3 * 64 * 49 + 4 * 64 * 64 * 9 + 2 * 2 * 64 +
             (64 * 128 * 9 + 3 * 128 * 128 * 9 + 64 * 128 + 3 * 2 * 128) +
             (128 * 256 * 9 + 3 * 256 * 256 * 9 + 128 * 256 + 3 * 2 * 256) +
             (256 * 512 * 9 + 3 * 512 * 512 * 9 + 256 * 512 + 3 * 2 * 512) +
             514 * 256 + 256 + 2 * (256 * 256 + 256) + 257,
         2 * 2 * 64 + 3 * 2 * (128 + 256 + 512)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
        const bnre__net_input input = {.dim_theta = papers[i].dim_theta,
                                       .ndim = papers[i].ndim,
                                       .shape = papers[i].shape};
        bnre_node *settings = NULL;
        bnre__net *net = NULL;

        assert_ok(bnre__net_paper(papers[i].task, &settings));
        assert_ok(bnre__net_create(settings, &input, &net));
        assert_int_equal(bnre__net_weights(net), papers[i].weights);
        assert_int_equal(bnre__net_buffers(net), papers[i].buffers);
        bnre__net_destroy(net);
        bnre_node_destroy(settings);
    }
    assert_fails(bnre__net_paper("mine", &(bnre_node *){NULL}), BNRE_EUSAGE,
                 "no network ... task mine");
}

static void fresh_weights_fill_their_interval(void **state)
{
    const size_t shape[] = {9};
    bnre_rng rng = bnre_rng_stream(3, 0, 0);
    bnre__net *net = NULL;
    float *w, largest = 0;
    double sum = 0;

    (void)state;
    assert_ok(make("head: {hidden: [500]}", 1, shape, &net));
    w = calloc(bnre__net_weights(net), sizeof *w);
    bnre__net_init(net, &rng, w, NULL);
    for (size_t i = 0; i < 11 * 500; i++) { /* fan-in 11 */
        largest = fmaxf(largest, fabsf(w[i]));
        sum += (double)w[i];
    }
    assert_true(largest <= 1 / sqrtf(11) && largest > 0.99f / sqrtf(11));
    assert_true(fabs(sum) < 4.5 * sqrt(5500. / 33)); /* sd 1/sqrt(3 fan_in) */
    free(w);
    bnre__net_destroy(net);
}

static bnre_status make_resnet(void *arg)
{
    const size_t shape[] = {3, 40, 40};
    bnre__net *net = NULL;
    bnre_status status = make("preset: resnet18", 3, shape, &net);

    (void)arg;
    bnre__net_destroy(net);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(make_resnet, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_name_the_layer_and_the_shapes),
        cmocka_unit_test(a_name_is_a_preset),
        cmocka_unit_test(shapes_that_look_exchanged_are_doubted),
        cmocka_unit_test(its_text_makes_the_same_network_again),
        cmocka_unit_test(reference_networks_have_the_right_size),
        cmocka_unit_test(fresh_weights_fill_their_interval),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
