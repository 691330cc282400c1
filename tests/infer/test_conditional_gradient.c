/* Gradients of conditional densities by theta, against differences, for every
   kind of coordinate; and what they are for: chains and climbing to modes. */
#include <math.h>

#include "infer/estimator/estimator.h"
#include "made.h"
#include "support.h"
#include "training.h"

static int add_noise(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t i = 0; i < 5; i++)
        x[i] = theta[i] + 0.5 * bnre_rng_normal(rng);
    return 0;
}

/* Both bounds, one, none, a fixed parameter, and orders that cut from either
   side: below exponential a, above it, between two. */
static const made all = {
    "parameters: {u: 'uniform(-1, 2)', e: exponential(1),\n"
    "  n: 'normal(0, 1)', f: fixed(3), m: 'normal(0, 2)',"
    " w: 'uniform(-9, 9)'}\n"
    "constraint: [m < e, u < w, w < f]\n",
    6, 5, add_noise, NULL};

/* Four points: exact for cubic polynomials. */
static double difference(const bnre_density *q, void *session, double *theta,
                         size_t j, double h)
{
    static const double weight[] = {1, -8, 8, -1};
    const double keep = theta[j];
    double sum = 0, l;

    for (size_t k = 0; k < 4; k++) {
        theta[j] = keep + h * (k < 2 ? (double)k - 2 : (double)k - 1);
        assert_ok(q->log_ratio(session, 1, theta, &l, NULL));
        sum += weight[k] * l / (12 * h);
    }
    theta[j] = keep;
    return sum;
}

/* Not so near a bound that differences go beyond it. */
static int is_inside(const double *theta)
{
    return theta[0] > -0.9 && theta[0] < 1.9 && theta[1] > 0.1 &&
           theta[1] - theta[4] > 0.2 && theta[5] - theta[0] > 0.2 &&
           theta[5] < 2.8;
}

static void check(bnre_estimator *est, size_t member)
{
    static const double x[] = {0.3, 0.8, -0.4, 3, 0.2};
    const bnre_density q = bnre_estimator_density(est, member);
    enum { N = 300, DIM = 6 };
    static double theta[N][DIM], l[N], d[N][DIM], again[N];
    size_t checked = 0;
    void *session;

    assert_true(q.has_gradient);
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    for (uint64_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(8, 0, i);

        bnre_prior_draw(q.prior, &rng, theta[i]);
    }
    /* Log ratios do not depend on whether gradients are asked for. */
    assert_ok(q.log_ratio(session, N, theta[0], l, d[0]));
    assert_ok(q.log_ratio(session, N, theta[0], again, NULL));
    assert_memory_equal(l, again, sizeof l);
    for (size_t i = 0; i < N && checked < 25; i++) {
        if (!is_inside(theta[i]))
            continue;
        checked++;
        assert_true(d[i][3] == 0);
        for (size_t j = 0; j < DIM; j++)
            if (j != 3)
                assert_close(d[i][j],
                             difference(&q, session, theta[i], j, 0.02),
                             5e-3 * (1 + fabs(d[i][j])));
    }
    assert_int_equal(checked, 25);
    q.close(session);
}

static bnre_estimator *train(const char *head, size_t members)
{
    bnre_train_opts opts = made_opts(&all, made_data(&all, "all.csv", 600, 4));
    bnre_node *network = training_network(head);
    bnre_estimator *est;

    opts.settings = network;
    opts.members = members;
    opts.epochs = 8;
    opts.no_information = 1;
    est = made_train(&opts, NULL);
    bnre_node_destroy(network);
    return est;
}

static void gradients_match_differences(void **state)
{
    bnre_estimator *est = train("head: {hidden: [16, 16], activation: elu}", 2);

    (void)state;
    check(est, 1);
    check(est, BNRE_ALL_MEMBERS);
    bnre__estimator_set_combine(est, BNRE_COMBINE_PROBABILITY);
    assert_ok(bnre_estimator_set_temper(est, 0.7));
    check(est, BNRE_ALL_MEMBERS);
    bnre__estimator_set_combine(est, BNRE_COMBINE_RATIO);
    assert_ok(bnre_estimator_set_widen(est, 1.4));
    check(est, BNRE_ALL_MEMBERS);
    bnre_estimator_close(est);
}

/* A head that the fast engine does not run. */
static void gradients_of_plain_heads_match_differences(void **state)
{
    bnre_estimator *est = train("head: [linear: {width: 16}, layernorm, tanh, "
                                "linear: {width: 24}]",
                                1);

    (void)state;
    check(est, BNRE_ALL_MEMBERS);
    bnre_estimator_close(est);
}

/* At the ends of all that is possible there is no NaN. */
static void bounds_have_finite_numbers(void **state)
{
    bnre_estimator *est = train("head: {hidden: [16], activation: elu}", 2);
    static const double x[] = {0.3, 0.8, -0.4, 3, 0.2};
    const double theta[][6] = {{-1, 0, 0, 3, -5, 3},
                               {2, 700, -35, 3, 700, 2},
                               {-1, 1e-300, 40, 3, -70, -1},
                               {2, 1, 0, 3, 1, 3}};
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    double l[4], d[4][6];
    void *session;

    (void)state;
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    assert_ok(q.log_ratio(session, 4, theta[0], l, d[0]));
    for (size_t i = 0; i < 4; i++) {
        assert_true(isfinite(l[i]));
        for (size_t j = 0; j < 6; j++)
            assert_true(isfinite(d[i][j]));
    }
    q.close(session);
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(gradients_of_plain_heads_match_differences),
        cmocka_unit_test(bounds_have_finite_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
