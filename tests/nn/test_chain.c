/* threads: chains of networks: the fast engines against plain nets, gradients
   against differences, one observation against pairs, no look ahead, and the
   same bits on any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "nn/chain.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "support.h"

enum { BATCH = 14, DIM = 3, OUTPUTS = 5, X = 24, OUT = DIM * BATCH * OUTPUTS };

static const char *const networks[] = {
    "embedding: [flatten]\nhead: {hidden: [20, 17], activation: elu}",
    ("embedding: [conv1d: {channels: 3, kernel: 3, padding: 1}, selu, "
     "maxpool1d: {kernel: 2}, flatten]\nhead: {hidden: [16], activation: "
     "tanh}\ntheta_first: yes"),
    ("embedding: [conv1d: {channels: 3, kernel: 3, bias: no}, batchnorm, elu, "
     "avgpool]\nhead: {hidden: [33, 8], activation: elu}"),
    ("embedding: [transpose, linear: {width: 5}, tanh, set_mean]\nhead: "
     "{hidden: [12], activation: selu}"),
    ("embedding: [flatten]\nhead: {hidden: [12], activation: gelu}"),
};
enum { NETWORKS = sizeof networks / sizeof *networks };

static bnre__chain *make_chain(size_t k)
{
    const size_t shape[] = {2, 12};
    const bnre__net_input input = {
        .dim_theta = DIM, .ndim = 2, .shape = shape, .outputs = OUTPUTS};
    bnre_node *settings = NULL;
    bnre__chain *chain = NULL;

    assert_ok(bnre_yaml_parse(networks[k], NULL, &settings));
    assert_ok(bnre__chain_create(settings, &input, &chain));
    bnre_node_destroy(settings);
    return chain;
}

struct data {
    float theta[BATCH * DIM], x[BATCH * X], dout[OUT], output[DIM * OUTPUTS];
    float *w, *buffers;
};

static void fill(size_t n, float *p, bnre_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (float)bnre_rng_normal(rng);
}

static void make_data(const bnre__chain *chain, struct data *d)
{
    bnre_rng rng = bnre_rng_stream(61, 0, 0);

    fill(BATCH * DIM, d->theta, &rng);
    fill(BATCH * X, d->x, &rng);
    fill(OUT, d->dout, &rng);
    fill(DIM * OUTPUTS, d->output, &rng);
    d->w = calloc(bnre__chain_weights(chain), sizeof *d->w);
    d->buffers = calloc(bnre__chain_buffers(chain) + 1, sizeof *d->buffers);
    bnre__chain_init(chain, &rng, d->output, d->w, d->buffers);
}

static void clear_data(struct data *d)
{
    free(d->buffers);
    free(d->w);
}

static bnre__chain_plan *make_plan(const bnre__chain *chain,
                                   const struct data *d, int plain,
                                   bnre_pool *pool)
{
    const bnre__plan_opts opts = {
        .batch = BATCH, .train = 1, .plain = plain, .pool = pool};
    bnre__chain_plan *plan = NULL;

    assert_ok(bnre__chain_plan_create(chain, &opts, &plan));
    bnre__chain_set(plan, d->w, d->buffers);
    return plan;
}

static void fast_chains_agree_with_plain_ones(void **state)
{
    (void)state;
    for (size_t k = 0; k < NETWORKS; k++) {
        bnre__chain *chain = make_chain(k);
        const size_t n = bnre__chain_weights(chain);
        float *g[2] = {calloc(n, sizeof(float)), calloc(n, sizeof(float))};
        static float out[2][OUT];
        bnre__chain_plan *plan[2];
        struct data d;

        make_data(chain, &d);
        for (int p = 0; p < 2; p++)
            plan[p] = make_plan(chain, &d, p, NULL);
        for (int step = 0; step < 3; step++) {
            /* Adam amplifies what rounding does to vanishing gradients: both
               go on from the same weights. */
            bnre__adam adam = bnre__adam_default();

            adam.clip = step == 2 ? 0.5 : 0;
            for (int p = 0; p < 2; p++) {
                bnre__chain_forward(plan[p], 1, BATCH, d.theta, d.x, out[p]);
                bnre__chain_gradient(plan[p], d.dout, g[p]);
            }
            assert_floats_agree(OUT, out[0], out[1], 2e-5, "net %zu, outputs",
                                k);
            assert_floats_agree(n, g[0], g[1], 1e-4, "net %zu, gradient", k);
            bnre__chain_update(plan[0], d.dout, &adam);
            bnre__chain_get(plan[0], d.w, d.buffers);
            bnre__chain_set(plan[1], d.w, d.buffers);
        }
        for (int p = 0; p < 2; p++)
            bnre__chain_plan_destroy(plan[p]);
        free(g[1]);
        free(g[0]);
        clear_data(&d);
        bnre__chain_destroy(chain);
    }
}

/* The plain optimiser on the gradient that was asked for gives the weights and
   moments of an update. */
static void updates_follow_the_gradient(void **state)
{
    bnre__adam adam = bnre__adam_default();

    (void)state;
    adam.decay = 0.01;
    for (size_t k = 0; k < NETWORKS; k++) {
        bnre__chain *chain = make_chain(k);
        const size_t n = bnre__chain_weights(chain);
        float *g = calloc(n, sizeof *g), *w = calloc(n, sizeof *w);
        float *m = calloc(n, sizeof *m), *v = calloc(n, sizeof *v);
        static float out[OUT];
        bnre__chain_plan *plan;
        uint64_t steps;
        struct data d;

        make_data(chain, &d);
        plan = make_plan(chain, &d, 0, NULL);
        bnre__chain_forward(plan, 1, BATCH, d.theta, d.x, out);
        bnre__chain_gradient(plan, d.dout, g);
        bnre__chain_update(plan, d.dout, &adam);
        memcpy(w, d.w, n * sizeof *w);
        for (size_t i = 0; i < n; i++) /* the first step of AdamW */
            w[i] = (float)((double)w[i] * (1 - 1e-3 * 0.01) -
                           1e-3 * (double)g[i] / (fabs((double)g[i]) + 1e-8));
        bnre__chain_get_moments(plan, m, v, &steps);
        assert_int_equal(steps, 1);
        for (size_t i = 0; i < n; i++)
            assert_close((double)m[i], 0.1 * (double)g[i],
                         1e-5 + 1e-5 * fabs((double)g[i]));
        bnre__chain_get(plan, g, d.buffers);
        assert_floats_agree(n, g, w, 1e-5, "net %zu, weights", k);
        bnre__chain_plan_destroy(plan);
        free(v);
        free(m);
        free(w);
        free(g);
        clear_data(&d);
        bnre__chain_destroy(chain);
    }
}

static double weighted_sum(bnre__chain_plan *plan, const struct data *d,
                           const float *w)
{
    static float out[OUT];
    double sum = 0;

    bnre__chain_set(plan, w, d->buffers);
    bnre__chain_forward(plan, 1, BATCH, d->theta, d->x, out);
    for (size_t i = 0; i < OUT; i++)
        sum += (double)out[i] * (double)d->dout[i];
    return sum;
}

/* In float: with steps of 1/64 differences are good to some thousandths. The
   double networks of test_double_gradients.c are checked more closely; here it
   is what the factors have in common. */
static void gradients_match_differences(void **state)
{
    (void)state;
    for (size_t k = 0; k < NETWORKS; k++) {
        bnre__chain *chain = make_chain(k);
        const size_t n = bnre__chain_weights(chain);
        float *g = calloc(n, sizeof *g);
        static float out[OUT];
        bnre__chain_plan *plan;
        double size = 0;
        struct data d;

        make_data(chain, &d);
        plan = make_plan(chain, &d, 0, NULL);
        bnre__chain_forward(plan, 1, BATCH, d.theta, d.x, out);
        bnre__chain_gradient(plan, d.dout, g);
        for (size_t i = 0; i < n; i++)
            size = fmax(size, fabs((double)g[i]));
        for (size_t i = 0; i < n; i += 1 + n / 97) {
            const float keep = d.w[i];
            double up, down;

            d.w[i] = keep + 0x1p-6f;
            up = weighted_sum(plan, &d, d.w);
            d.w[i] = keep - 0x1p-6f;
            down = weighted_sum(plan, &d, d.w);
            d.w[i] = keep;
            assert_close((double)g[i], (up - down) * 32, 0.02 * size);
        }
        bnre__chain_plan_destroy(plan);
        free(g);
        clear_data(&d);
        bnre__chain_destroy(chain);
    }
}

static void one_observation_gives_what_pairs_give(void **state)
{
    (void)state;
    for (size_t k = 0; k < NETWORKS; k++)
        for (int plain = 0; plain < 2; plain++) {
            bnre__chain *chain = make_chain(k);
            static float all[OUT], one[3 * BATCH * OUTPUTS];
            float thetas[3 * BATCH * DIM], xs[BATCH * X];
            bnre__chain_plan *plan;
            struct data d;

            make_data(chain, &d);
            plan = make_plan(chain, &d, plain, NULL);
            for (size_t i = 0; i < BATCH; i++)
                memcpy(xs + i * X, d.x, X * sizeof *xs);
            for (size_t i = 0; i < 3; i++) /* more than a batch */
                memcpy(thetas + i * BATCH * DIM, d.theta, sizeof d.theta);
            bnre__chain_forward(plan, 0, BATCH, d.theta, xs, all);
            bnre__chain_observe(plan, 1, d.x);
            for (size_t j = 0; j < DIM; j++) {
                bnre__chain_factor(plan, j, 3 * BATCH, thetas, DIM, NULL, one);
                for (size_t i = 0; i < 3; i++)
                    assert_floats_agree(BATCH * OUTPUTS,
                                        one + i * BATCH * OUTPUTS,
                                        all + j * BATCH * OUTPUTS, 1e-5,
                                        "net %zu, factor %zu", k, j);
            }
            bnre__chain_plan_destroy(plan);
            clear_data(&d);
            bnre__chain_destroy(chain);
        }
}

/* Rows of many observations, in any order, are what they are by themselves, to
   the last bit. */
static void observations_share_a_pass(void **state)
{
    (void)state;
    for (size_t k = 0; k < NETWORKS; k++)
        for (int plain = 0; plain < 2; plain++) {
            bnre__chain *chain = make_chain(k);
            static float many[3 * BATCH * OUTPUTS], one[OUTPUTS];
            float thetas[3 * BATCH * DIM];
            uint32_t index[3 * BATCH];
            bnre__chain_plan *plan;
            struct data d;

            make_data(chain, &d);
            plan = make_plan(chain, &d, plain, NULL);
            for (size_t i = 0; i < 3 * BATCH; i++) {
                memcpy(thetas + i * DIM, d.theta + i % BATCH * DIM,
                       DIM * sizeof *thetas);
                index[i] = (uint32_t)(i * 7 % (BATCH - 1));
            }
            for (size_t j = 0; j < DIM; j++) {
                bnre__chain_observe(plan, BATCH - 1, d.x);
                bnre__chain_factor(plan, j, 3 * BATCH, thetas, DIM, index,
                                   many);
                for (size_t i = 0; i < 3 * BATCH; i++) {
                    bnre__chain_observe(plan, 1, d.x + index[i] * X);
                    bnre__chain_factor(plan, j, 1, thetas + i * DIM, DIM, NULL,
                                       one);
                    assert_memory_equal(one, many + i * OUTPUTS, sizeof one);
                }
            }
            bnre__chain_plan_destroy(plan);
            clear_data(&d);
            bnre__chain_destroy(chain);
        }
}

static void factors_see_only_what_is_before_them(void **state)
{
    bnre__chain *chain = make_chain(0);
    static float before[OUT], after[OUT];
    bnre__chain_plan *plan;
    struct data d;

    (void)state;
    make_data(chain, &d);
    plan = make_plan(chain, &d, 0, NULL);
    bnre__chain_forward(plan, 0, BATCH, d.theta, d.x, before);
    for (size_t i = 0; i < BATCH; i++)
        d.theta[i * DIM + 1] += 1; /* the second parameter */
    bnre__chain_forward(plan, 0, BATCH, d.theta, d.x, after);
    assert_memory_equal(before, after, 2 * BATCH * OUTPUTS * sizeof *before);
    for (size_t i = 0; i < BATCH; i++)
        assert_true(before[(2 * BATCH + i) * OUTPUTS] !=
                    after[(2 * BATCH + i) * OUTPUTS]);
    bnre__chain_plan_destroy(plan);
    clear_data(&d);
    bnre__chain_destroy(chain);
}

/* Output layers begin at what they are told, whatever x and theta are. */
static void outputs_begin_where_they_are_told(void **state)
{
    bnre__chain *chain = make_chain(0);
    static float out[OUT];
    bnre__chain_plan *plan;
    struct data d;

    (void)state;
    make_data(chain, &d);
    plan = make_plan(chain, &d, 0, NULL);
    bnre__chain_forward(plan, 0, BATCH, d.theta, d.x, out);
    for (size_t j = 0; j < DIM; j++)
        for (size_t i = 0; i < BATCH * OUTPUTS; i++)
            assert_close((double)out[j * BATCH * OUTPUTS + i],
                         (double)d.output[j * OUTPUTS + i % OUTPUTS], 0.2);
    bnre__chain_plan_destroy(plan);
    clear_data(&d);
    bnre__chain_destroy(chain);
}

static void parts_are_the_whole(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        bnre__chain *chain = make_chain(k);
        size_t at, n, end = 0, total = 0;

        assert_int_equal(bnre__chain_shares(chain), k == 1);
        for (size_t j = 0; j < DIM; j++) {
            bnre__chain_part(chain, j, &at, &n);
            assert_true(j == 0 || at == end);
            end = at + n;
            total += n;
        }
        assert_int_equal(end, bnre__chain_weights(chain));
        assert_int_equal(total == end, k == 0);
        bnre__chain_destroy(chain);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    const bnre__adam adam = bnre__adam_default();

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        bnre__chain *chain = make_chain(k);
        const size_t n = bnre__chain_weights(chain);
        float *w[2] = {calloc(n, sizeof(float)), calloc(n, sizeof(float))};
        struct data d;

        make_data(chain, &d);
        for (size_t t = 0; t < 2; t++) {
            static float out[OUT];
            bnre__chain_plan *plan;
            bnre_pool *pool = NULL;

            assert_ok(bnre_pool_create(1 + 2 * t, &pool));
            plan = make_plan(chain, &d, 0, pool);
            for (int step = 0; step < 3; step++) {
                bnre__chain_forward(plan, 1, BATCH, d.theta, d.x, out);
                bnre__chain_update(plan, out, &adam);
            }
            bnre__chain_get(plan, w[t], d.buffers);
            bnre__chain_plan_destroy(plan);
            bnre_pool_destroy(pool);
        }
        assert_memory_equal(w[0], w[1], n * sizeof **w);
        free(w[1]);
        free(w[0]);
        clear_data(&d);
        bnre__chain_destroy(chain);
    }
}

static bnre_status make_and_plan(void *arg)
{
    const size_t shape[] = {3};
    const bnre__net_input input = {
        .dim_theta = 2, .ndim = 1, .shape = shape, .outputs = 4};
    const bnre__plan_opts opts = {.batch = 4, .train = 1};
    bnre__chain_plan *plan = NULL;
    bnre__chain *chain = NULL;
    bnre_status status = bnre__chain_create(arg, &input, &chain);

    if (status == BNRE_OK)
        status = bnre__chain_plan_create(chain, &opts, &plan);
    bnre__chain_plan_destroy(plan);
    bnre__chain_destroy(chain);
    return status;
}

static void wrong_networks_are_refused(void **state)
{
    const size_t shape[] = {3};
    bnre__net_input input = {
        .dim_theta = 2, .ndim = 1, .shape = shape, .outputs = 4};
    bnre_node *settings = NULL;
    bnre__chain *chain = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse("head: [linear: {width: 4}, batchnorm, selu, "
                              "linear: {width: 4}]",
                              NULL, &settings));
    assert_fails(bnre__chain_create(settings, &input, &chain), BNRE_EUSAGE,
                 "batchnorm");
    bnre_node_destroy(settings);
    input.dim_theta = 0;
    assert_fails(bnre__chain_create(NULL, &input, &chain), BNRE_EINVAL,
                 "parameter");
    assert_ok(bnre_yaml_parse("head: {hidden: [4]}", NULL, &settings));
    assert_survives_lack_of_memory(make_and_plan, settings);
    bnre_node_destroy(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_chains_agree_with_plain_ones),
        cmocka_unit_test(updates_follow_the_gradient),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(one_observation_gives_what_pairs_give),
        cmocka_unit_test(observations_share_a_pass),
        cmocka_unit_test(factors_see_only_what_is_before_them),
        cmocka_unit_test(outputs_begin_where_they_are_told),
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(wrong_networks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
