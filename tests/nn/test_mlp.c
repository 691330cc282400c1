/* threads: the fast head against the plain network, on every set of kernels and
   on any number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "kernel_set.h"
#include "nn/mlp/mlp.h"
#include "nn/net.h"
#include "nn/plain.h"
#include "nn/plan.h"
#include "support.h"

enum { OBSERVATIONS = 11, PAIRS = 20, MOST_OUTPUTS = 40 };

/* Random heads: widths that fill panels and that do not, one layer and more. */
static const struct {
    size_t theta, phi;
    const char *yaml;
    size_t outputs; /* 0 = 1 */
} heads[] = {
    {1, 1, "head: {hidden: [1], activation: selu}", 0},
    {2, 8, "head: {hidden: [16, 32], activation: selu}\ntheta_first: yes", 0},
    {3, 17, "head: {hidden: [20, 7, 33], activation: elu}", 0},
    {2, 40, "head: {hidden: [64, 64], activation: relu}", 0},
    {18, 5, "head: {hidden: [48, 16, 16], activation: tanh}\ntheta_first: yes",
     0},
    {2, 16,
     "head: [linear: {width: 24, bias: no}, leaky_relu: {slope: 0.1}, linear: "
     "{width: 24}, leaky_relu: {slope: 0.1}, linear: {width: 1, bias: no}]",
     0},
    /* Large enough for every part of it to be shared between threads. */
    {2, 200, "head: {hidden: [256, 128], activation: selu}", 0},
    /* By its argument; the last is shared between threads. */
    {2, 8, "head: {hidden: [20, 7], activation: gelu}", 0},
    {3, 9, "head: {hidden: [33, 16, 40], activation: gelu}", 24},
    {2, 200, "head: {hidden: [256, 128], activation: gelu}\ntheta_first: yes",
     0},
    /* Several outputs; no theta. */
    {3, 9, "head: {hidden: [20, 17], activation: elu}", 2},
    {0, 8, "head: {hidden: [64, 64], activation: elu}", 24},
    {2, 5, "head: {hidden: [16], activation: tanh}\ntheta_first: yes", 16},
    {2, 200, "head: {hidden: [256, 128], activation: selu}", 40},
};
enum { HEADS = sizeof heads / sizeof *heads };

static bnre__net *make_net(size_t h)
{
    const size_t shape[] = {heads[h].phi};
    const bnre__net_input input = {.dim_theta = heads[h].theta,
                                   .ndim = 1,
                                   .shape = shape,
                                   .outputs = heads[h].outputs};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    assert_ok(bnre_yaml_parse(heads[h].yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

static float *random_floats(size_t n, uint64_t row)
{
    bnre_rng rng = bnre_rng_stream(21, 0, row);
    float *p = calloc(n + 1, sizeof *p);

    for (size_t i = 0; i < n; i++)
        p[i] = (float)bnre_rng_normal(&rng);
    return p;
}

static void compare(size_t n, const float *fast, const float *plain,
                    double tolerance, const char *what, size_t head)
{
    double size = 0;

    for (size_t i = 0; i < n; i++)
        if (fabs((double)plain[i]) > size)
            size = fabs((double)plain[i]);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)fast[i] - (double)plain[i]) <=
              tolerance * (size + 1e-6))) {
            print_error("head %zu, %s[%zu] = %.9g, plain %.9g\n", head, what, i,
                        (double)fast[i], (double)plain[i]);
            fail();
        }
}

struct data {
    float *w, *phi, *theta, *dlogits;
    float *pair_phi; /* phi of each pair, for the plain network */
    uint32_t index[PAIRS];
};

static void make_data(const bnre__net *net, size_t h, struct data *d)
{
    bnre_rng rng = bnre_rng_stream(22, 0, h);

    d->w = calloc(net->weights, sizeof *d->w);
    bnre__net_init(net, &rng, d->w, NULL);
    d->phi = random_floats(OBSERVATIONS * heads[h].phi, 100 + h);
    d->theta = random_floats(PAIRS * heads[h].theta, 200 + h);
    d->dlogits = random_floats(PAIRS * net->outputs, 300 + h);
    d->pair_phi = calloc(PAIRS * heads[h].phi, sizeof *d->pair_phi);
    for (size_t i = 0; i < PAIRS; i++) {
        d->index[i] = (uint32_t)bnre_rng_below(&rng, OBSERVATIONS);
        memcpy(d->pair_phi + i * heads[h].phi,
               d->phi + d->index[i] * heads[h].phi,
               heads[h].phi * sizeof *d->phi);
    }
}

static void clear_data(struct data *d)
{
    free(d->pair_phi);
    free(d->dlogits);
    free(d->theta);
    free(d->phi);
    free(d->w);
}

static void check_head(size_t h, const bnre__kernels *kernels)
{
    bnre__net *net = make_net(h);
    const size_t phi = heads[h].phi, theta = heads[h].theta, n = net->weights;
    const bnre__mlp_opts opts = {.observations = OBSERVATIONS,
                                 .pairs = PAIRS,
                                 .train = 1,
                                 .kernels = kernels};
    float logits[PAIRS * MOST_OUTPUTS], expected[PAIRS * MOST_OUTPUTS];
    float *dphi = calloc(OBSERVATIONS * phi, sizeof *dphi);
    float *plain_dphi = calloc(OBSERVATIONS * phi, sizeof *dphi);
    float *pair_dphi = calloc(PAIRS * phi, sizeof *dphi);
    float *dtheta = calloc(PAIRS * theta, sizeof *dtheta);
    float *plain_dtheta = calloc(PAIRS * theta, sizeof *dtheta);
    float *gradient = calloc(n, sizeof *gradient);
    float *m = calloc(n, sizeof *m), *v = calloc(n, sizeof *v);
    bnre__adam adam = bnre__adam_default();
    bnre__plain *plain = NULL;
    bnre__mlp *mlp = NULL;
    struct data d;

    adam.decay = 0.01;
    make_data(net, h, &d);
    assert_true(bnre__mlp_fits(net));
    assert_ok(bnre__mlp_create(net, &opts, &mlp));
    assert_ok(bnre__plain_create(net, PAIRS, &plain));
    bnre__mlp_set(mlp, BNRE__MLP_WEIGHTS, d.w);
    memcpy(plain->w, d.w, n * sizeof *d.w);

    for (uint64_t t = 1; t <= 3; t++) {
        bnre__mlp_observe(mlp, OBSERVATIONS, d.phi);
        bnre__mlp_forward(mlp, PAIRS, d.theta, d.index, logits);
        bnre__plain_forward(plain, 0, 1, PAIRS, d.theta, d.pair_phi, expected);
        compare(PAIRS * net->outputs, logits, expected, 2e-5, "output", h);

        memset(plain->dw, 0, n * sizeof *plain->dw);
        bnre__plain_backward(plain, 0, d.dlogits, plain_dtheta, pair_dphi);
        memset(plain_dphi, 0, OBSERVATIONS * phi * sizeof *plain_dphi);
        for (size_t i = 0; i < PAIRS * phi; i++)
            plain_dphi[d.index[i / phi] * phi + i % phi] += pair_dphi[i];
        bnre__mlp_backward(mlp, d.dlogits, dphi, dtheta);
        compare(OBSERVATIONS * phi, dphi, plain_dphi, 1e-4, "dphi", h);
        compare(PAIRS * theta, dtheta, plain_dtheta, 1e-4, "dtheta", h);
        bnre__mlp_gradient(mlp, gradient);
        compare(n, gradient, plain->dw, 1e-4, "gradient", h);

        /* Adam amplifies where gradients vanish: go on from equal ones. */
        bnre__mlp_update(mlp, &adam, t);
        bnre__adam_step(&adam, t, n, gradient, plain->w, m, v);
        bnre__mlp_get(mlp, BNRE__MLP_WEIGHTS, gradient);
        compare(n, gradient, plain->w, 1e-4, "weight", h);
        bnre__mlp_get(mlp, BNRE__MLP_FIRST_MOMENT, gradient);
        compare(n, gradient, m, 1e-4, "first moment", h);
        bnre__mlp_get(mlp, BNRE__MLP_SECOND_MOMENT, gradient);
        compare(n, gradient, v, 1e-4, "second moment", h);
    }
    clear_data(&d);
    bnre__plain_destroy(plain);
    bnre__mlp_destroy(mlp);
    free(v);
    free(m);
    free(gradient);
    free(plain_dtheta);
    free(dtheta);
    free(pair_dphi);
    free(plain_dphi);
    free(dphi);
    bnre__net_destroy(net);
}

static void fast_heads_agree_with_plain_ones(void **state)
{
    const bnre__kernels *kernels;

    (void)state;
    for (size_t k = 0; (kernels = bnre__kernels_set(k)) != NULL; k++)
        for (size_t h = 0; h < HEADS; h++)
            check_head(h, kernels);
}

/* Five steps of training, then the weights. */
static float *train(const bnre__net *net, size_t h, size_t threads)
{
    const bnre__adam adam = bnre__adam_default();
    float *w = calloc(net->weights, sizeof *w);
    float logits[PAIRS * MOST_OUTPUTS];
    bnre_pool *pool = NULL;
    bnre__mlp *mlp = NULL;
    struct data d;

    make_data(net, h, &d);
    assert_ok(bnre_pool_create(threads, &pool));
    assert_ok(bnre__mlp_create(net,
                               &(bnre__mlp_opts){.observations = OBSERVATIONS,
                                                 .pairs = PAIRS,
                                                 .train = 1,
                                                 .pool = pool},
                               &mlp));
    bnre__mlp_set(mlp, BNRE__MLP_WEIGHTS, d.w);
    for (uint64_t t = 1; t <= 5; t++) {
        bnre__mlp_observe(mlp, OBSERVATIONS, d.phi);
        bnre__mlp_forward(mlp, PAIRS, d.theta, d.index, logits);
        bnre__mlp_backward(mlp, logits, NULL, NULL);
        bnre__mlp_update(mlp, &adam, t);
    }
    bnre__mlp_get(mlp, BNRE__MLP_WEIGHTS, w);
    bnre__mlp_destroy(mlp);
    bnre_pool_destroy(pool);
    clear_data(&d);
    return w;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (size_t h = 0; h < HEADS; h++) {
        bnre__net *net = make_net(h);
        float *one = train(net, h, 1);

        for (size_t threads = 2; threads <= 4; threads++) {
            float *many = train(net, h, threads);

            assert_memory_equal(one, many, net->weights * sizeof *one);
            free(many);
        }
        free(one);
        bnre__net_destroy(net);
    }
}

static void sets_that_round_alike_give_the_same_bytes(void **state)
{
    (void)state;
    for (size_t h = 0; h < HEADS; h++) {
        bnre__net *net = make_net(h);
        float *best = train(net, h, 1);

        for (size_t i = 0; use_next_set(&i);) {
            float *other = train(net, h, 1);

            assert_memory_equal(best, other, net->weights * sizeof *best);
            free(other);
        }
        free(best);
        bnre__net_destroy(net);
    }
}

static void other_heads_are_left_to_the_plain_path(void **state)
{
    static const char *const others[] = {
        ("head: [linear: {width: 4}, gelu, linear: {width: 4}, selu, linear: "
         "{width: 1}]"),
        "head: [linear: {width: 1}]",
        "head: [linear: {width: 4}, selu, layernorm, linear: {width: 1}]",
        ("head: [linear: {width: 4}, selu, linear: {width: 4}, relu, linear: "
         "{width: 1}]"),
    };
    const size_t shape[] = {3};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 1, .shape = shape};

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bnre_node *settings = NULL;
        bnre__net *net = NULL;
        bnre__mlp *mlp = NULL;

        assert_ok(bnre_yaml_parse(others[i], NULL, &settings));
        assert_ok(bnre__net_create(settings, &input, &net));
        assert_false(bnre__mlp_fits(net));
        assert_fails(bnre__mlp_create(net, &(bnre__mlp_opts){0}, &mlp),
                     BNRE_EINVAL, "no plain chain");
        bnre__net_destroy(net);
        bnre_node_destroy(settings);
    }
}

static bnre_status make_one(void *arg)
{
    bnre__mlp *mlp = NULL;
    bnre_status status = bnre__mlp_create(
        arg, &(bnre__mlp_opts){.observations = 4, .pairs = 8, .train = 1},
        &mlp);

    bnre__mlp_destroy(mlp);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    bnre__net *net = make_net(2);

    (void)state;
    assert_survives_lack_of_memory(make_one, net);
    bnre__net_destroy(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_heads_agree_with_plain_ones),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(sets_that_round_alike_give_the_same_bytes),
        cmocka_unit_test(other_heads_are_left_to_the_plain_path),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
