/* Every layer's way back against central differences of its way forward, and
   the same for composed networks with their loss. A new layer is covered by a
   row of the table. */
#include <math.h>
#include <stdlib.h>

#include "double_net.h"
#include "infer/train/loss.h"
#include "nn/net.h"

enum { ROWS = 3 };

static const struct {
    const char *name, *yaml;
    size_t ndim, shape[3];
} layers[] = {
    {"linear", "[linear: {width: 4}]", 1, {5}},
    {"linear without bias", "[linear: {width: 4, bias: no}]", 1, {5}},
    {"linear on items", "[linear: {width: 4}]", 2, {3, 5}},
    {"selu", "[selu]", 1, {7}},
    {"relu", "[relu]", 1, {7}},
    {"leaky_relu", "[leaky_relu: {slope: 0.2}]", 1, {7}},
    {"elu", "[elu]", 1, {7}},
    {"gelu", "[gelu]", 1, {7}},
    {"tanh", "[tanh]", 1, {7}},
    {"conv1d", "[conv1d: {channels: 3, kernel: 3, padding: 1}]", 2, {2, 6}},
    {"conv1d with everything",
     "[conv1d: {channels: 3, kernel: 3, padding: 2, stride: 2, dilation: 2}]",
     2,
     {2, 9}},
    {"conv2d", "[conv2d: {channels: 3, kernel: 3, padding: 1}]", 3, {2, 4, 5}},
    {"conv2d with everything",
     "[conv2d: {channels: 2, kernel: 2, padding: 1, stride: 2, dilation: 2, "
     "bias: no}]",
     3,
     {2, 5, 6}},
    {"maxpool1d", "[maxpool1d: {kernel: 3, stride: 2, padding: 1}]", 2, {2, 7}},
    {"maxpool2d", "[maxpool2d: {kernel: 2, stride: 1}]", 3, {2, 4, 3}},
    {"avgpool", "[avgpool]", 3, {2, 3, 4}},
    {"batchnorm", "[batchnorm]", 2, {3, 4}},
    {"batchnorm of features", "[batchnorm: {epsilon: 0.1}]", 1, {4}},
    {"layernorm", "[layernorm]", 2, {2, 5}},
    {"residual", "[residual: {layers: [linear: {width: 5}, selu]}]", 1, {5}},
    {"residual with shortcut",
     "[residual: {layers: [conv1d: {channels: 3, kernel: 3, padding: 1, "
     "stride: 2}, batchnorm, selu, conv1d: {channels: 3, kernel: 1}], "
     "shortcut: [conv1d: {channels: 3, kernel: 1, stride: 2}, batchnorm]}]",
     2,
     {2, 6}},
    {"residual in residual",
     "[residual: {layers: [residual: {layers: [linear: {width: 4}]}, tanh]}]",
     1,
     {4}},
    {"flatten", "[flatten]", 2, {2, 3}},
    {"reshape", "[reshape: {shape: [3, 2]}, linear: {width: 2}]", 1, {6}},
    {"transpose", "[transpose, linear: {width: 2}]", 2, {2, 3}},
    {"scale", "[scale: {shift: [1, 2, 3], scale: [4, 5, 0.5]}]", 1, {3}},
    {"set_mean", "[linear: {width: 3}, selu, set_mean]", 2, {4, 2}},
    {"set_sum", "[set_sum]", 2, {4, 2}},
    {"two layers", "[linear: {width: 3}, selu, linear: {width: 2}]", 1, {4}},
};

static double *random_values(size_t n, uint64_t row)
{
    bnre_rng rng = bnre_rng_stream(77, 0, row);
    double *values = calloc(n + 1, sizeof *values);

    for (size_t i = 0; i < n; i++)
        values[i] = bnre_rng_normal(&rng);
    return values;
}

struct run {
    bnre__sequence *sequence;
    bnre__pass pass;
    double *x, *w, *dw, *weight_of, *store, *buffer;
    size_t buffers;
};

/* sum(weight_of * y), running statistics starting afresh each time. */
static double objective(struct run *r)
{
    const double *y;
    double sum = 0;

    for (size_t i = 0; i < r->buffers; i++)
        r->buffer[i] = 0.5 + 0.1 * (double)i;
    y = bnre__sequence_forward(r->sequence, &r->pass, r->x, r->store);
    for (size_t i = 0; i < ROWS * r->sequence->out.size; i++)
        sum += r->weight_of[i] * y[i];
    return sum;
}

static void compare_with_differences(struct run *r, size_t n, double *at,
                                     const double *gradient, const char *name,
                                     const char *of)
{
    const double h = 1e-5;

    for (size_t i = 0; i < n; i++) {
        const double keep = at[i];
        double up, down;

        at[i] = keep + h;
        up = objective(r);
        at[i] = keep - h;
        down = objective(r);
        at[i] = keep;
        if (!(fabs((up - down) / (2 * h) - gradient[i]) <
              1e-6 * (1 + fabs(gradient[i])))) {
            print_error("%s, %s %zu: %g by differences, %g by the layer\n",
                        name, of, i, (up - down) / (2 * h), gradient[i]);
            fail();
        }
    }
}

static void check_layer(size_t k, int train)
{
    bnre_node *list = NULL;
    bnre__shape in;
    struct run r = {0};
    double *dx, *dstore;
    size_t weights = 0, region;

    assert_ok(bnre_yaml_parse(layers[k].yaml, NULL, &list));
    assert_ok(bnre__shape_set(&in, layers[k].ndim, layers[k].shape));
    assert_ok(bnre__sequence_create(list, &in, "test", &weights, &r.buffers,
                                    &r.sequence));
    bnre_node_destroy(list);
    region = ROWS * r.sequence->row + r.sequence->fixed + 1;
    r.x = random_values(ROWS * in.size, k);
    r.w = random_values(weights, 1000 + k);
    r.weight_of = random_values(ROWS * r.sequence->out.size, 2000 + k);
    r.dw = calloc(weights + 1, sizeof(double));
    r.buffer = calloc(r.buffers + 1, sizeof(double));
    r.store = calloc(region, sizeof(double));
    dstore = calloc(region, sizeof(double));
    dx = calloc(ROWS * in.size, sizeof(double));
    r.pass = (bnre__pass){
        .n = ROWS, .train = train, .w = r.w, .dw = r.dw, .buffer = r.buffer};
    objective(&r);
    bnre__sequence_backward(r.sequence, &r.pass, r.x, r.store, r.weight_of, dx,
                            dstore);
    compare_with_differences(&r, weights, r.w, r.dw, layers[k].name, "weight");
    compare_with_differences(&r, ROWS * in.size, r.x, dx, layers[k].name, "x");
    free(dx);
    free(dstore);
    free(r.store);
    free(r.buffer);
    free(r.dw);
    free(r.weight_of);
    free(r.w);
    free(r.x);
    bnre__sequence_destroy(r.sequence);
}

static void every_layer_goes_back_as_it_came(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
        for (int train = 0; train < 2; train++)
            check_layer(k, train);
}

static void every_kind_of_layer_is_in_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; bnre__layer_types[i] != NULL; i++) {
        int found = 0;

        for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
            found |= strstr(layers[k].yaml, bnre__layer_types[i]->name) != NULL;
        if (!found) {
            print_error("no row for %s\n", bnre__layer_types[i]->name);
            fail();
        }
    }
}

/* The balanced loss of a whole network in theta, x and weights. */
static void composed_networks_agree_too(void **state)
{
    static const char *const yaml =
        "embedding: [conv1d: {channels: 3, kernel: 2}, batchnorm, selu, "
        "flatten]\n"
        "head: {hidden: [5, 4], activation: gelu}\n";
    bnre__net *net = net_from(yaml, 2, 2, (const size_t[]){2, 4});
    double *theta = random_values(2 * 4 * 2, 1), *x = random_values(4 * 8, 2);
    double *w = random_values(net->weights, 3), dtheta[8], dx[32];
    bnre__plain *plain = NULL;
    const double h = 1e-5;

    (void)state;
    assert_ok(bnre__plain_create(net, 4, &plain));
    for (size_t i = 0; i < net->weights; i++)
        plain->w[i] = 0.5 * w[i];
    for (int pass = 0; pass < 3; pass++) { /* weights, theta, x */
        size_t n = pass == 0 ? net->weights : pass == 1 ? 8 : 32;
        double *at = pass == 0 ? plain->w : pass == 1 ? theta : x;
        double a[4], b[4], da[4], db[4];

        bnre__plain_forward(plain, 0, 1, 4, theta, x, a);
        bnre__plain_forward(plain, 1, 1, 4, theta + 8, x, b);
        bnre__loss_balanced(100, 4, a, b, da, db);
        memset(plain->dw, 0, net->weights * sizeof(double));
        bnre__plain_backward(plain, 0, da, dtheta, dx);
        if (pass == 2) { /* x is in both */
            double other[32];

            bnre__plain_backward(plain, 1, db, NULL, other);
            for (size_t i = 0; i < 32; i++)
                dx[i] += other[i];
        } else {
            bnre__plain_backward(plain, 1, db, NULL, NULL);
        }
        for (size_t i = 0; i < n; i++) {
            const double keep = at[i];
            const double *gradient = pass == 0   ? plain->dw
                                     : pass == 1 ? dtheta
                                                 : dx;
            double value[2];

            for (int s = 0; s < 2; s++) {
                at[i] = keep + (s ? -h : h);
                bnre__plain_forward(plain, 0, 1, 4, theta, x, a);
                bnre__plain_forward(plain, 1, 1, 4, theta + 8, x, b);
                value[s] = bnre__loss_balanced(100, 4, a, b, NULL, NULL).value;
            }
            at[i] = keep;
            assert_close(gradient[i], (value[0] - value[1]) / (2 * h), 1e-5);
        }
    }
    bnre__plain_destroy(plain);
    free(w);
    free(x);
    free(theta);
    bnre__net_destroy(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_goes_back_as_it_came),
        cmocka_unit_test(every_kind_of_layer_is_in_the_table),
        cmocka_unit_test(composed_networks_agree_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
