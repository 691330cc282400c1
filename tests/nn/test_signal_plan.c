/* threads: plans of nets with 1-D convolutions: training and observations
   against plain plans, the same bits on any number of threads and with any of
   the sets of kernels that round alike, and no allocation on the way. */
#include <math.h>
#include <stdlib.h>

#include "floats.h"
#include "infer/train/loss.h"
#include "kernel_set.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "random_signal_net.h"

enum { BATCH = 19, NETS = 24, STEPS = 4, NODES = 50 };

static float *random_floats(size_t n, uint64_t row)
{
    return normal_floats(77, row, n, 1);
}

static void compare(size_t n, const float *fast, const float *plain,
                    double tolerance, const char *what, uint64_t k)
{
    assert_floats_agree(n, fast, plain, tolerance, "net %u, %s", (unsigned)k,
                        what);
}

struct data {
    float *theta, *theta_marginal, *x, *w;
    uint32_t x_index[BATCH];
};

static struct data make_data(const bnre__net *net, uint64_t k)
{
    bnre_rng rng = bnre_rng_stream(78, 0, k);
    struct data d = {
        .theta = random_floats(2 * BATCH, 10 * k),
        .theta_marginal = random_floats(2 * BATCH, 10 * k + 1),
        .x = random_floats(BATCH * net->x.size, 10 * k + 2),
        .w = random_floats(net->weights, 10 * k + 3),
    };

    bnre__net_init(net, &rng, d.w, NULL);
    for (uint32_t i = 0; i < BATCH; i++)
        d.x_index[i] = (7 * i + 3) % BATCH;
    return d;
}

static bnre__minibatch pairs_of(const struct data *d)
{
    return (bnre__minibatch){BATCH, d->theta, d->x, d->theta_marginal,
                             d->x_index};
}

static void clear_data(struct data *d)
{
    free(d->w);
    free(d->x);
    free(d->theta_marginal);
    free(d->theta);
}

static void step(bnre__plan *plan, const bnre__minibatch *pairs,
                 const bnre__adam *adam)
{
    float joint[BATCH], marginal[BATCH], dj[BATCH], dm[BATCH];

    bnre__plan_train_forward(plan, pairs, joint, marginal);
    (void)bnre__loss_balanced(100, pairs->n, joint, marginal, dj, dm);
    bnre__plan_update(plan, dj, dm, adam);
}

/* What a plan knows after some steps. */
struct result {
    float *gradient, *w, *dx, logits[NODES], dtheta[2 * NODES];
};

static struct result train(uint64_t k, int plain, size_t threads)
{
    size_t shape[2];
    bnre__net *net = random_signal_net(k, shape);
    struct data d = make_data(net, k);
    const bnre__minibatch pairs = pairs_of(&d);
    struct result r = {.gradient = random_floats(net->weights, 0),
                       .w = random_floats(net->weights, 0),
                       .dx = random_floats(net->x.size, 0)};
    float *theta = random_floats(2 * NODES, 5), junk[BATCH];
    bnre__adam adam = bnre__adam_default();
    bnre__plan_opts opts = {.batch = BATCH, .train = 1, .plain = plain};
    bnre__plan *plan = NULL;

    /* So large that rounding errors of vanishing gradients make no steps. */
    adam.epsilon = 1e-2;
    adam.learning_rate = 1e-2;
    adam.clip = k % 4 == 0 ? 0.5 : 0;
    assert_ok(bnre_pool_create(threads, &opts.pool));
    assert_ok(bnre__plan_create(net, &opts, &plan));
    bnre__plan_set(plan, d.w, NULL);
    for (int i = 0; i < STEPS; i++)
        step(plan, &pairs, &adam);
    bnre__plan_train_forward(plan, &pairs, junk, junk);
    bnre__plan_gradient(plan, d.theta, d.theta_marginal, r.gradient);
    bnre__plan_observe(plan, d.x + net->x.size);
    bnre__plan_logits_gradient(plan, NODES, theta, r.logits, r.dtheta, r.dx);
    bnre__plan_get(plan, r.w, NULL);
    bnre__plan_destroy(plan);
    bnre_pool_destroy(opts.pool);
    free(theta);
    clear_data(&d);
    bnre__net_destroy(net);
    return r;
}

static void clear_result(struct result *r)
{
    free(r->dx);
    free(r->w);
    free(r->gradient);
}

static void training_agrees_with_plain_plans(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);
        struct result fast = train(k, 0, 1), plain = train(k, 1, 1);

        compare(net->weights, fast.w, plain.w, 1e-4, "weight", k);
        compare(net->weights, fast.gradient, plain.gradient, 1e-3, "gradient",
                k);
        compare(NODES, fast.logits, plain.logits, 1e-4, "logit", k);
        compare(2 * NODES, fast.dtheta, plain.dtheta, 1e-3, "dtheta", k);
        compare(net->x.size, fast.dx, plain.dx, 1e-3, "dx", k);
        clear_result(&plain);
        clear_result(&fast);
        bnre__net_destroy(net);
    }
}

static void check_same(const bnre__net *net, const struct result *a,
                       const struct result *b)
{
    assert_memory_equal(a->w, b->w, net->weights * sizeof *a->w);
    assert_memory_equal(a->gradient, b->gradient, net->weights * sizeof *a->w);
    assert_memory_equal(a->logits, b->logits, sizeof a->logits);
    assert_memory_equal(a->dx, b->dx, net->x.size * sizeof *a->dx);
}

static void training_is_the_same_on_any_threads(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);
        struct result one = train(k, 0, 1);

        for (size_t threads = 2; threads <= 3; threads++) {
            struct result many = train(k, 0, threads);

            check_same(net, &one, &many);
            clear_result(&many);
        }
        clear_result(&one);
        bnre__net_destroy(net);
    }
}

static void sets_that_round_alike_give_the_same_bytes(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 2 * NETS; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);
        struct result best = train(k, 0, 1);

        for (size_t i = 0; use_next_set(&i);) {
            struct result other = train(k, 0, 1);

            check_same(net, &best, &other);
            clear_result(&other);
        }
        clear_result(&best);
        bnre__net_destroy(net);
    }
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);
        struct data d = make_data(net, k);
        const bnre__minibatch pairs = pairs_of(&d);
        const bnre__adam adam = bnre__adam_default();
        bnre__plan_opts opts = {.batch = BATCH, .train = 1};
        bnre__plan *plan = NULL;

        assert_ok(bnre_pool_create(2, &opts.pool));
        assert_ok(bnre__plan_create(net, &opts, &plan));
        bnre__plan_set(plan, d.w, NULL);
        bnre__alloc_fail_at(1);
        step(plan, &pairs, &adam);
        step(plan, &pairs, &adam);
        assert_false(bnre__alloc_failed());
        bnre__alloc_fail_at(0);
        bnre__plan_destroy(plan);
        bnre_pool_destroy(opts.pool);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_agrees_with_plain_plans),
        cmocka_unit_test(training_is_the_same_on_any_threads),
        cmocka_unit_test(sets_that_round_alike_give_the_same_bytes),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
