/* threads: conditional densities: what they are made of, what training them
   reaches on a task with a known posterior, and that they are densities. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/estimator.h"
#include "bnre/settings.h"
#include "gaussian_exact.h"
#include "infer/estimator/conditional.h"
#include "infer/estimator/estimator.h"
#include "nn/net.h"
#include "pairs.h"
#include "support.h"
#include "training.h"

static const char small[] = "head: {hidden: [32, 32], activation: elu}";

static bnre_prior *make_prior(size_t n, const char *const *text)
{
    static const char *const name[] = {"a", "b", "c", "d"};
    bnre_prior *prior = NULL;

    assert_ok(bnre_prior_create(n, name, text, &prior));
    return prior;
}

static bnre_status create(const bnre_prior *prior, size_t n,
                          const char *const *order, bnre__conditional **out)
{
    const size_t shape[] = {2};
    const bnre__net_input input = {.ndim = 1, .shape = shape};
    bnre_node *network = training_network(small);
    const bnre_status status =
        bnre__conditional_create(prior, network, &input, n, order, 8, out);

    bnre_node_destroy(network);
    return status;
}

static void factors_come_in_the_order_that_is_asked_for(void **state)
{
    const char *const text[] = {"uniform(0, 1)", "fixed(3)", "exponential(1)",
                                "normal(0, 2)"};
    const char *const order[] = {"d", "a"}, *const wrong[] = {"e"},
                      *const twice[] = {"a", "a"}, *const fixed[] = {"b"};
    bnre_prior *prior = make_prior(4, text);
    bnre__conditional *c = NULL;

    (void)state;
    assert_ok(create(prior, 2, order, &c));
    assert_int_equal(c->factors, 3); /* what is fixed is none */
    assert_int_equal(c->order[0], 3);
    assert_int_equal(c->order[1], 0);
    assert_int_equal(c->order[2], 2);
    assert_int_equal(c->line[0].range, BNRE__LINE);
    assert_int_equal(c->line[1].range, BNRE__UNIT);
    assert_int_equal(c->line[2].range, BNRE__HALF);
    bnre__conditional_destroy(c);
    assert_fails(create(prior, 1, wrong, &c), BNRE_EUSAGE, "\"e\"");
    assert_fails(create(prior, 2, twice, &c), BNRE_EUSAGE, "twice");
    assert_fails(create(prior, 1, fixed, &c), BNRE_EUSAGE, "fixed");
    bnre_prior_destroy(prior);
}

/* Train on the gaussian task, into a file of the scratch directory. */
static const char *train_gaussian(const char *name, int method,
                                  const char *order, size_t members,
                                  bnre_train_result *result)
{
    const char *path = scratch_path(name);
    bnre_node *network = training_network(small);
    const char *data = training_data("conditional-data.h5", "gaussian", 2048,
                                     BNRE_SPLIT_TRAIN);
    bnre_train_opts opts = training_opts(data, network);

    opts.method = method;
    opts.order = order;
    opts.members = members;
    opts.epochs = 120;
    opts.batch_size = 64;
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, result));
    bnre_node_destroy(network);
    return path;
}

/* RMS of the log ratio against the exact one, over fresh pairs. */
static double miss_of(const char *path, double *bias)
{
    enum { PAIRS = 1000 };
    static double out[PAIRS];
    pairs p = pairs_gaussian(PAIRS, 2, 1, 99);
    bnre_estimator *est = NULL;
    double squares = 0;

    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre_estimator_log_ratio(est, NULL, PAIRS, p.theta, p.x, out));
    *bias = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        const double x[2] = {(double)p.x[2 * i], (double)p.x[2 * i + 1]};
        const double miss = out[i] - gaussian_log_ratio(2, p.theta + 2 * i, x);

        *bias += miss / PAIRS;
        squares += miss * miss / PAIRS;
    }
    bnre_estimator_close(est);
    pairs_free(&p);
    return sqrt(squares);
}

/* Of a prior without bounds. */
static double value_of(const bnre_prior *prior, size_t i, double c)
{
    return bnre_prior_quantile(prior, i, 1 / (1 + exp(-c)));
}

/* The integral of q over theta, by the trapezoid rule in the coordinates of the
   factors, in which it is smooth: the error of the rule is nothing. */
static double integral(const bnre_density *q, void *session, const double *x)
{
    enum { SIDE = 240 };
    static double theta[SIDE * SIDE][2], l[SIDE * SIDE], log_p[SIDE * SIDE];
    const double h = 0.2;
    double sum = 0;

    for (size_t k = 0; k < SIDE * SIDE; k++) {
        log_p[k] = 0;
        for (size_t i = 0; i < 2; i++) {
            const double at = (double)(i == 0 ? k % SIDE : k / SIDE) - SIDE / 2;

            theta[k][i] = value_of(q->prior, i, h * at);
            log_p[k] += bnre__range_log_density(BNRE__LINE, h * at);
        }
    }
    assert_ok(q->observe(session, x));
    assert_ok(q->log_ratio(session, SIDE * SIDE, theta[0], l, NULL));
    for (size_t k = 0; k < SIDE * SIDE; k++)
        sum += h * h * exp(l[k] + log_p[k]);
    return sum;
}

static void training_finds_the_posterior_of_a_gaussian(void **state)
{
    static const double x[][2] = {{0, 0}, {1, -1.5f}, {3, 2}};
    bnre_train_result result;
    bnre_estimator *est = NULL;
    const bnre_estimator_info *info;
    bnre_density q;
    void *session;
    double miss, bias;

    (void)state;
    for (int method = BNRE_METHOD_NPE; method <= BNRE_METHOD_BNPE; method++) {
        const char *path =
            train_gaussian("conditional.h5", method, "theta_1", 2, &result);

        /* Exact: log 2 nats about two parameters. */
        assert_close(result.information, log(2), 0.15);
        assert_close(result.chance, 0, 0);
        assert_true(result.loss < -0.5);
        miss = miss_of(path, &bias);
        assert_true(miss < 0.3);
        assert_true(bias < 0.02 && bias > -0.06);
        assert_ok(bnre_estimator_open(path, &est));
        info = bnre_estimator_describe(est);
        assert_int_equal(info->factors, 2);
        assert_int_equal(info->components, 8);
        assert_string_equal(info->order[0], "theta_1");
        assert_string_equal(info->order[1], "theta_0");
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(q.open(q.context, &session));
        for (size_t i = 0; i < 3; i++)
            assert_close(integral(&q, session, x[i]), 1, 1e-4);
        q.close(session);
        bnre_estimator_close(est);
    }
}

/* The share of q below a bound of the first parameter, from its draws and by
   quadrature: 4.5 standard errors of 20,000 draws, 7e-6 by chance. */
static void draws_follow_the_density(void **state)
{
    enum { DRAWS = 20000, SIDE = 240 };
    static double theta[SIDE * SIDE][2], l[SIDE * SIDE], draw[DRAWS][2];
    static double again[100][2];
    static const double x[] = {1, -1.5};
    const double h = 0.2;
    bnre_train_result result;
    bnre_estimator *est = NULL;
    bnre_density q;
    void *session;

    (void)state;
    assert_ok(
        bnre_estimator_open(train_gaussian("conditional-3.h5", BNRE_METHOD_NPE,
                                           "theta_1", 2, &result),
                            &est));
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_non_null(q.draw);
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    assert_ok(q.draw(session, 5, 0, DRAWS, draw[0]));
    /* Each draw is what its number says, in whatever batch it comes. */
    assert_ok(q.draw(session, 5, 300, 100, again[0]));
    assert_memory_equal(again, draw[300], sizeof again);
    for (size_t k = 0; k < SIDE * SIDE; k++)
        for (size_t i = 0; i < 2; i++)
            theta[k][i] = value_of(
                q.prior, i,
                h * ((double)(i == 0 ? k % SIDE : k / SIDE) - SIDE / 2));
    assert_ok(q.log_ratio(session, SIDE * SIDE, theta[0], l, NULL));
    for (size_t c = 90; c < 150; c += 6)
        for (size_t i = 0; i < 2; i++) {
            /* Between two nodes. */
            const double bound =
                value_of(q.prior, i, h * ((double)c - 0.5 - SIDE / 2));
            double share = 0, counted = 0;

            for (size_t k = 0; k < SIDE * SIDE; k++)
                if (theta[k][i] < bound)
                    share += h * h *
                             exp(l[k] +
                                 bnre__range_log_density(
                                     BNRE__LINE,
                                     h * ((double)(k % SIDE) - SIDE / 2)) +
                                 bnre__range_log_density(
                                     BNRE__LINE,
                                     h * ((double)(k / SIDE) - SIDE / 2)));
            for (size_t k = 0; k < DRAWS; k++)
                counted += (draw[k][i] < bound) / (double)DRAWS;
            /* The rule's error at a sharp bound is of the order h^2 / 24. */
            assert_close(counted, share, 4.5 * 0.5 / sqrt(DRAWS) + 2e-3);
        }
    q.close(session);
    bnre_estimator_close(est);
}

/* An ensemble is the mean of its members' densities, and one x with many theta
   gives what pairs give. */
static void members_are_mixed(void **state)
{
    static const double theta[][2] = {{0, 1}, {-2, 0.5}, {4, 4}};
    static const double x[] = {0.5f, -1};
    double xs[6];
    double all[3], each[2][3], pairwise[3];
    bnre_train_result result;
    bnre_estimator *est = NULL;
    bnre_density q;
    void *session;

    (void)state;
    assert_ok(bnre_estimator_open(
        train_gaussian("conditional-2.h5", BNRE_METHOD_NPE, NULL, 2, &result),
        &est));
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    assert_ok(q.log_ratio_each(session, 3, theta[0], all, each[0]));
    for (size_t i = 0; i < 3; i++) {
        assert_close(all[i], log((exp(each[0][i]) + exp(each[1][i])) / 2),
                     1e-4);
        memcpy(xs + 2 * i, x, sizeof x);
    }
    assert_ok(bnre_estimator_log_ratio(est, NULL, 3, theta[0], xs, pairwise));
    for (size_t i = 0; i < 3; i++)
        assert_close(pairwise[i], all[i], 1e-4);
    q.close(session);
    /* Combined otherwise it is not what is drawn from. */
    assert_non_null(q.draw);
    bnre__estimator_set_combine(est, BNRE_COMBINE_PROBABILITY);
    assert_null(bnre_estimator_density(est, BNRE_ALL_MEMBERS).draw);
    assert_non_null(bnre_estimator_density(est, 0).draw);
    bnre_estimator_close(est);
}

static void threads_do_not_change_a_bit(void **state)
{
    bnre_node *network = training_network(small);
    const char *data = training_data("conditional-data.h5", "gaussian", 2048,
                                     BNRE_SPLIT_TRAIN);
    const char *path = scratch_path("conditional-threads.h5");
    char print[2][33];

    (void)state;
    for (size_t t = 0; t < 2; t++) {
        bnre_train_opts opts = training_opts(data, network);
        bnre_estimator *est = NULL;
        bnre_pool *pool = NULL;

        opts.method = BNRE_METHOD_BNPE;
        opts.members = 2;
        assert_ok(bnre_pool_create(1 + 2 * t, &pool));
        opts.pool = pool;
        opts.force = 1;
        assert_ok(bnre_train(&opts, path, NULL));
        assert_ok(bnre_estimator_open(path, &est));
        assert_ok(bnre_estimator_fingerprint(est, print[t]));
        bnre_estimator_close(est);
        bnre_pool_destroy(pool);
    }
    assert_string_equal(print[0], print[1]);
    bnre_node_destroy(network);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    bnre_node *network = training_network(small);
    bnre_train_opts opts =
        training_opts(training_data("conditional-data.h5", "gaussian", 2048,
                                    BNRE_SPLIT_TRAIN),
                      network);
    const char *path = scratch_path("conditional-wrong.h5");

    (void)state;
    opts.order = "theta_0";
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EUSAGE, "npe and bnpe");
    opts.method = BNRE_METHOD_BNPE;
    opts.order = "theta_7";
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EUSAGE, "theta_7");
    bnre_node_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_come_in_the_order_that_is_asked_for),
        cmocka_unit_test(training_finds_the_posterior_of_a_gaussian),
        cmocka_unit_test(draws_follow_the_density),
        cmocka_unit_test(members_are_mixed),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
