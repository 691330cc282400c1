/* threads: plans for pictures give the same bits on any number of threads, and
   with any of the sets of kernels that round alike. */
#include <stdlib.h>

#include "kernel_set.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "random_picture_net.h"

enum { BATCH = 6, NETS = 8, STEPS = 2, NODES = 5 };

static void fill(size_t n, float *p, uint64_t row)
{
    bnre_rng rng = bnre_rng_stream(70, 0, row);

    for (size_t i = 0; i < n; i++)
        p[i] = (float)bnre_rng_normal(&rng);
}

/* All that a plan gives: weights, buffers, moments, logits and gradients. */
static float *results(uint64_t k, size_t threads, size_t *size)
{
    size_t shape[3];
    bnre__net *net = random_picture_net(k, shape);
    const size_t n = net->weights, x_size = net->x.size;
    float *result, *x, theta[2 * BATCH], *at;
    const uint32_t index[BATCH] = {3, 0, 5, 1, 2, 4};
    const bnre__adam adam = bnre__adam_default();
    bnre__plan_opts opts = {.batch = BATCH, .train = 1};
    bnre_rng rng = bnre_rng_stream(71, 0, k);
    bnre__plan *plan = NULL;
    bnre__minibatch pairs;
    uint64_t steps;

    *size = 3 * n + net->buffers + 2 * BATCH + 3 * NODES + x_size;
    result = at = calloc(*size, sizeof *result);
    x = calloc(BATCH * x_size, sizeof *x);
    assert_true(result != NULL && x != NULL);
    fill(BATCH * x_size, x, 2 * k);
    fill(2 * BATCH, theta, 2 * k + 1);
    pairs = (bnre__minibatch){BATCH, theta, x, theta, index};
    bnre__net_init(net, &rng, result, result + n);
    assert_ok(bnre_pool_create(threads, &opts.pool));
    assert_ok(bnre__plan_create(net, &opts, &plan));
    bnre__plan_set(plan, result, result + n);
    for (int step = 0; step < STEPS; step++) {
        float joint[BATCH], marginal[BATCH];

        bnre__plan_train_forward(plan, &pairs, joint, marginal);
        bnre__plan_update(plan, joint, marginal, &adam);
    }
    bnre__plan_get(plan, at, at + n);
    at += n + net->buffers;
    bnre__plan_get_moments(plan, at, at + n, &steps);
    at += 2 * n;
    bnre__plan_pairs(plan, &pairs, at, at + BATCH);
    at += 2 * BATCH;
    bnre__plan_observe(plan, x);
    bnre__plan_logits_gradient(plan, NODES, theta, at, at + NODES,
                               at + 3 * NODES);
    bnre__plan_destroy(plan);
    bnre_pool_destroy(opts.pool);
    bnre__net_destroy(net);
    free(x);
    return result;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        size_t size;
        float *one = results(k, 1, &size);

        for (size_t threads = 2; threads <= 3; threads++) {
            float *many = results(k, threads, &size);

            assert_memory_equal(one, many, size * sizeof *one);
            free(many);
        }
        free(one);
    }
}

static void sets_that_round_alike_give_the_same_bytes(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 3 * NETS; k++) {
        size_t size;
        float *best = results(k, 1, &size);

        for (size_t i = 0; use_next_set(&i);) {
            float *other = results(k, 1, &size);

            assert_memory_equal(best, other, size * sizeof *best);
            free(other);
        }
        free(best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(sets_that_round_alike_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
