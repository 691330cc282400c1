/* threads: plans against their plain variant on random networks: logits,
   gradients, training, observations; and the same bits on any threads. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_mode.h"
#include "bnre/settings.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "support.h"

enum { BATCH = 9, NETS = 28, KINDS = 7, DIM = 2 };

/* A random network for x of shape (2, 12): some with convolutions, norms or a
   residual block, some without embedding, heads of all kinds. */
static bnre__net *random_net_of(uint64_t k, size_t dim)
{
    static const char *const activations[] = {"selu", "elu",  "relu",
                                              "tanh", "gelu", "leaky_relu"};
    static const char *const embeddings[] = {
        "[flatten]",
        "[conv1d: {channels: 3, kernel: 3, padding: 1}, selu, maxpool1d: "
        "{kernel: 2}, flatten]",
        "[conv1d: {channels: 4, kernel: 1}, conv1d: {channels: 4, kernel: 2, "
        "dilation: 2}, selu, flatten]",
        "[conv1d: {channels: 3, kernel: 3, bias: no}, batchnorm, relu, "
        "avgpool]",
        "[transpose, linear: {width: 5}, tanh, set_mean]",
        "[residual: {layers: [conv1d: {channels: 2, kernel: 3, padding: 1}]}, "
        "flatten, layernorm]",
        "[batchnorm, residual: {layers: [conv1d: {channels: 2, kernel: 3, "
        "padding: 1, bias: no}, batchnorm], shortcut: [batchnorm]}, tanh, "
        "flatten]",
    };
    const size_t shape[] = {2, 12};
    const bnre__net_input input = {.dim_theta = dim, .ndim = 2, .shape = shape};
    bnre_rng rng = bnre_rng_stream(50, 0, k);
    bnre_node *settings = NULL;
    bnre__net *net = NULL;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "embedding: %s\nhead: {hidden: [%d, %d], activation: %s}\n"
             "theta_first: %s\n",
             embeddings[k % KINDS], 1 + (int)bnre_rng_below(&rng, 40),
             1 + (int)bnre_rng_below(&rng, 40),
             activations[bnre_rng_below(&rng, 6)],
             bnre_rng_below(&rng, 2) ? "yes" : "no");
    assert_ok(bnre_yaml_parse(yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

static bnre__net *random_net(uint64_t k)
{
    return random_net_of(k, DIM);
}

static float *random_floats(size_t n, uint64_t row)
{
    bnre_rng rng = bnre_rng_stream(51, 0, row);
    float *p = calloc(n + 1, sizeof *p);

    for (size_t i = 0; i < n; i++)
        p[i] = (float)bnre_rng_normal(&rng);
    return p;
}

static void compare(size_t n, const float *a, const float *b, double tolerance,
                    const char *what, uint64_t k)
{
    assert_floats_agree(n, a, b, tolerance, "net %u, %s", (unsigned)k, what);
}

struct data {
    float *theta, *x, *theta_marginal, *w, *buffers;
    uint32_t x_index[BATCH];
    bnre__minibatch pairs;
};

static void make_data(const bnre__net *net, uint64_t k, struct data *d)
{
    bnre_rng rng = bnre_rng_stream(52, 0, k);

    d->theta = random_floats(BATCH * DIM, 10 * k);
    d->x = random_floats(BATCH * 24, 10 * k + 1);
    d->theta_marginal = random_floats(BATCH * DIM, 10 * k + 2);
    d->w = calloc(bnre__net_weights(net), sizeof *d->w);
    d->buffers = calloc(bnre__net_buffers(net) + 1, sizeof *d->buffers);
    bnre__net_init(net, &rng, d->w, d->buffers);
    for (uint32_t i = 0; i < BATCH; i++)
        d->x_index[i] = (i + 4) % BATCH;
    d->pairs = (bnre__minibatch){BATCH, d->theta, d->x, d->theta_marginal,
                                 k % 2 ? d->x_index : NULL};
}

static void clear_data(struct data *d)
{
    free(d->buffers);
    free(d->w);
    free(d->theta_marginal);
    free(d->x);
    free(d->theta);
}

/* Running statistics after the same training passes. (After updates they may
   differ: a shift before a norm has no effect but on them, and its gradient is
   rounding alone, which Adam makes a step of.) */
static void check_buffers(const bnre__net *net, bnre__plan *const plan[2],
                          uint64_t k)
{
    const size_t n = bnre__net_buffers(net);
    float *w = calloc(bnre__net_weights(net), sizeof *w);
    float *buffers[2];

    for (int p = 0; p < 2; p++) {
        buffers[p] = calloc(n + 1, sizeof *buffers[p]);
        bnre__plan_get(plan[p], w, buffers[p]);
    }
    compare(n, buffers[0], buffers[1], 1e-6, "buffer", k);
    for (int p = 0; p < 2; p++)
        free(buffers[p]);
    free(w);
}

static void check_net(uint64_t k)
{
    bnre__net *net = random_net(k);
    const size_t n = bnre__net_weights(net);
    float logits[2][2 * BATCH], more[2][50], dtheta[2][50 * DIM], dx[2][24];
    float *result[2], *theta = random_floats(50 * DIM, 10 * k + 3);
    float *dj = random_floats(BATCH, 10 * k + 4);
    float *dm = random_floats(BATCH, 10 * k + 5);
    bnre__plan *plan[2] = {NULL, NULL};
    bnre__adam adam = bnre__adam_default();
    struct data d;

    make_data(net, k, &d);
    adam.decay = 0.01;
    adam.clip = k % 3 == 0 ? 0.5 : 0;
    for (int p = 0; p < 2; p++) {
        assert_ok(bnre__plan_create(
            net, &(bnre__plan_opts){.batch = BATCH, .train = 1, .plain = p},
            &plan[p]));
        result[p] = calloc(n, sizeof *result[p]);
        bnre__plan_set(plan[p], d.w, d.buffers);
        bnre__plan_train_forward(plan[p], &d.pairs, logits[p],
                                 logits[p] + BATCH);
        bnre__plan_gradient(plan[p], dj, dm, result[p]);
    }
    check_buffers(net, plan, k);
    compare(2 * BATCH, logits[0], logits[1], 1e-5, "logit", k);
    compare(n, result[0], result[1], 1e-4, "gradient", k);
    for (int step = 0; step < 3; step++)
        for (int p = 0; p < 2; p++) {
            bnre__plan_train_forward(plan[p], &d.pairs, logits[p],
                                     logits[p] + BATCH);
            bnre__plan_update(plan[p], dj, dm, &adam);
        }
    for (int p = 0; p < 2; p++) {
        bnre__plan_pairs(plan[p], &d.pairs, logits[p], logits[p] + BATCH);
        bnre__plan_observe(plan[p], d.x + 24);
        bnre__plan_logits(plan[p], 50, theta, more[p]);
    }
    /* Adam turns small differences of small gradients into steps. */
    compare(2 * BATCH, logits[0], logits[1], 2e-3, "logit after", k);
    compare(50, more[0], more[1], 2e-3, "logit of theta", k);
    for (int p = 0; p < 2; p++) {
        bnre__plan_set(plan[p], d.w, d.buffers);
        bnre__plan_observe(plan[p], d.x);
        bnre__plan_logits_gradient(plan[p], 50, theta, more[p], dtheta[p],
                                   dx[p]);
    }
    compare(50, more[0], more[1], 1e-5, "logit with gradient", k);
    compare(50 * DIM, dtheta[0], dtheta[1], 1e-4, "dtheta", k);
    compare(24, dx[0], dx[1], 1e-4, "dx", k);
    for (int p = 0; p < 2; p++) {
        bnre__plan_destroy(plan[p]);
        free(result[p]);
    }
    clear_data(&d);
    free(dm);
    free(dj);
    free(theta);
    bnre__net_destroy(net);
}

/* Half the work where only joint pairs are asked for, and little room where x
   comes one by one. */
static void parts_of_a_pass_are_the_same(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < KINDS; k++) {
        bnre__net *net = random_net(k);
        float *theta = random_floats(50 * DIM, 10 * k + 3), more[2][50];
        float logits[2 * BATCH], joint[BATCH], *phantom = logits + BATCH;

        for (int plain = 0; plain < 2; plain++) {
            bnre__plan_opts opts = {.batch = BATCH, .plain = plain};
            bnre__plan *plan = NULL;
            struct data d;

            make_data(net, k, &d);
            assert_ok(bnre__plan_create(net, &opts, &plan));
            bnre__plan_set(plan, d.w, d.buffers);
            bnre__plan_pairs(plan, &d.pairs, logits, phantom);
            d.pairs.theta_marginal = NULL;
            bnre__plan_pairs(plan, &d.pairs, joint, NULL);
            assert_memory_equal(joint, logits, sizeof joint);
            bnre__plan_observe(plan, d.x);
            bnre__plan_logits(plan, 50, theta, more[0]);
            bnre__plan_destroy(plan);

            opts.observations = 1;
            assert_ok(bnre__plan_create(net, &opts, &plan));
            bnre__plan_set(plan, d.w, d.buffers);
            bnre__plan_observe(plan, d.x);
            bnre__plan_logits(plan, 50, theta, more[1]);
            assert_memory_equal(more[0], more[1], sizeof more[0]);
            bnre__plan_destroy(plan);
            clear_data(&d);
        }
        free(theta);
        bnre__net_destroy(net);
    }
}

static void plans_agree_with_plain_ones(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++)
        check_net(k);
}

/* Train; with `stop`, go on in another plan after some steps. */
static float *train(const bnre__net *net, uint64_t k, size_t threads, int stop)
{
    const size_t n = bnre__net_weights(net);
    float *w = calloc(n, sizeof *w), *m = calloc(n, sizeof *m);
    float *v = calloc(n, sizeof *v), joint[BATCH], marginal[BATCH];
    const bnre__adam adam = bnre__adam_default();
    bnre_pool *pool = NULL;
    bnre__plan *plan = NULL;
    bnre__plan_opts opts = {.batch = BATCH, .train = 1};
    struct data d;

    make_data(net, k, &d);
    assert_ok(bnre_pool_create(threads, &pool));
    opts.pool = pool;
    assert_ok(bnre__plan_create(net, &opts, &plan));
    bnre__plan_set(plan, d.w, d.buffers);
    for (int step = 0; step < 6; step++) {
        if (stop && step == 3) { /* all that a checkpoint keeps */
            uint64_t steps;

            bnre__plan_get(plan, w, d.buffers);
            bnre__plan_get_moments(plan, m, v, &steps);
            bnre__plan_destroy(plan);
            assert_ok(bnre__plan_create(net, &opts, &plan));
            bnre__plan_set(plan, w, d.buffers);
            bnre__plan_set_moments(plan, m, v, steps);
        }
        bnre__plan_train_forward(plan, &d.pairs, joint, marginal);
        bnre__plan_update(plan, joint, marginal, &adam);
    }
    bnre__plan_get(plan, w, d.buffers);
    bnre__plan_destroy(plan);
    bnre_pool_destroy(pool);
    clear_data(&d);
    free(v);
    free(m);
    return w;
}

/* Nets without theta, which tell rows of x apart: passes without marginal
   pairs. Norms are left out: their running statistics move twice in a pass
   that could have had these. */
static void rows_without_theta_are_trained(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        bnre__net *net = random_net_of(k, 0);
        const size_t n = bnre__net_weights(net);
        float logits[2][BATCH], *result[2], *dj = random_floats(BATCH, k);
        bnre__plan *plan[2] = {NULL, NULL};
        bnre__adam adam = bnre__adam_default();
        struct data d;

        make_data(net, k, &d);
        d.pairs = (bnre__minibatch){.n = BATCH, .x = d.x};
        for (int p = 0; p < 2; p++) {
            assert_ok(bnre__plan_create(
                net, &(bnre__plan_opts){.batch = BATCH, .train = 1, .plain = p},
                &plan[p]));
            result[p] = calloc(n, sizeof *result[p]);
            bnre__plan_set(plan[p], d.w, d.buffers);
            bnre__plan_train_forward(plan[p], &d.pairs, logits[p], NULL);
            bnre__plan_gradient(plan[p], dj, NULL, result[p]);
        }
        compare(BATCH, logits[0], logits[1], 1e-5, "logit", k);
        compare(n, result[0], result[1], 1e-4, "gradient", k);
        for (int p = 0; p < 2; p++) {
            bnre__plan_train_forward(plan[p], &d.pairs, logits[p], NULL);
            bnre__plan_update(plan[p], dj, NULL, &adam);
            if (bnre__net_buffers(net) == 0)
                bnre__plan_pairs(plan[p], &d.pairs, logits[p], NULL);
        }
        compare(BATCH, logits[0], logits[1], 2e-3, "logit after", k);
        for (int p = 0; p < 2; p++) {
            bnre__plan_destroy(plan[p]);
            free(result[p]);
        }
        free(dj);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

static void threads_and_checkpoints_do_not_change_a_bit(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < KINDS; k++) {
        bnre__net *net = random_net(k);
        const size_t bytes = bnre__net_weights(net) * sizeof(float);
        float *one = train(net, k, 1, 0);

        for (size_t threads = 1; threads <= 3; threads++)
            for (int stop = 0; stop < 2; stop++) {
                float *other = train(net, k, threads, stop);

                assert_memory_equal(one, other, bytes);
                free(other);
            }
        free(one);
        bnre__net_destroy(net);
    }
}

/* Logits, gradient and weights after a step of a net whose weights are all
   alike; numbers that are still denormal (weights at rest) as zeros. */
static float *step_from(const bnre__net *net, uint64_t k, float weight,
                        bnre__plan_opts opts, size_t *size)
{
    const size_t n = bnre__net_weights(net);
    const float theta[2 * DIM] = {1e-39f, 1};
    const bnre__adam adam = bnre__adam_default();
    float *result = calloc(2 + 2 * BATCH + 2 * n, sizeof *result);
    float *joint = result + 2, *marginal = joint + BATCH;
    float *gradient = marginal + BATCH;
    bnre__plan *plan = NULL;
    struct data d;

    *size = 2 + 2 * BATCH + 2 * n;
    make_data(net, k, &d);
    for (size_t i = 0; i < n; i++)
        d.w[i] = weight;
    assert_ok(bnre__plan_create(net, &opts, &plan));
    bnre__plan_set(plan, d.w, d.buffers);
    bnre__plan_observe(plan, d.x);
    bnre__plan_logits(plan, 2, theta, result);
    bnre__plan_train_forward(plan, &d.pairs, joint, marginal);
    bnre__plan_gradient(plan, d.x, d.x + BATCH, gradient);
    bnre__plan_update(plan, d.x, d.x + BATCH, &adam);
    bnre__plan_get(plan, gradient + n, d.buffers);
    bnre__plan_destroy(plan);
    clear_data(&d);
    for (size_t i = 0; i < *size; i++)
        if (fabsf(result[i]) < FLT_MIN)
            result[i] = 0;
    return result;
}

/* A network of denormal weights computes what one of zeros does, and the caller
   still has its denormals afterwards. */
static void denormal_numbers_count_as_zero(void **state)
{
    volatile float smallest = FLT_MIN;
    bnre__plan_opts opts = {.batch = BATCH, .train = 1};

    (void)state;
    if (!BNRE__CAN_FLUSH)
        skip();
    for (uint64_t k = 0; k < 6; k++)
        for (opts.plain = 0; opts.plain < 2; opts.plain++) {
            bnre__net *net = random_net(k);
            size_t size;
            float *zeros = step_from(net, k, 0, opts, &size);

            for (size_t threads = 1; threads <= 3; threads++) {
                float *result;

                assert_ok(bnre_pool_create(threads, &opts.pool));
                result = step_from(net, k, smallest / 2, opts, &size);
                assert_memory_equal(zeros, result, size * sizeof *zeros);
                bnre_pool_destroy(opts.pool);
                opts.pool = NULL;
                free(result);
            }
            free(zeros);
            bnre__net_destroy(net);
        }
    assert_true(smallest / 2 > 0);
}

static bnre_status make_one(void *arg)
{
    bnre__plan *plan = NULL;
    bnre_status status = bnre__plan_create(
        arg, &(bnre__plan_opts){.batch = 4, .train = 1}, &plan);

    bnre__plan_destroy(plan);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    for (uint64_t k = 1; k < 4; k += 2) {
        bnre__net *net = random_net(k);

        assert_survives_lack_of_memory(make_one, net);
        bnre__net_destroy(net);
    }
}

static void an_empty_batch_is_refused(void **state)
{
    bnre__net *net = random_net(0);
    bnre__plan *plan = NULL;

    (void)state;
    assert_fails(bnre__plan_create(net, &(bnre__plan_opts){0}, &plan),
                 BNRE_EINVAL, "batch of 1");
    assert_non_null(bnre_kernels_name());
    bnre__net_destroy(net);
}

static void a_wish_for_unknown_kernels_is_refused(void **state)
{
    const bnre__plan_opts opts = {.batch = 1};
    bnre__net *net = random_net(0);
    bnre__plan *plan = NULL;

    (void)state;
    assert_int_equal(setenv("BNRE_KERNELS", "axv2", 1), 0);
    assert_fails(bnre__plan_create(net, &opts, &plan), BNRE_EUSAGE,
                 "BNRE_KERNELS is \"axv2\"");
    assert_null(plan);
    assert_int_equal(setenv("BNRE_KERNELS", "portable", 1), 0);
    assert_ok(bnre__plan_create(net, &opts, &plan));
    assert_string_equal(bnre_kernels_name(), "portable");
    unsetenv("BNRE_KERNELS");
    bnre__plan_destroy(plan);
    bnre__net_destroy(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_agree_with_plain_ones),
        cmocka_unit_test(parts_of_a_pass_are_the_same),
        cmocka_unit_test(rows_without_theta_are_trained),
        cmocka_unit_test(threads_and_checkpoints_do_not_change_a_bit),
        cmocka_unit_test(denormal_numbers_count_as_zero),
        cmocka_unit_test(lack_of_memory_is_reported),
        cmocka_unit_test(an_empty_batch_is_refused),
        cmocka_unit_test(a_wish_for_unknown_kernels_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
