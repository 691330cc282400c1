#include <math.h>
#include <string.h>

#include "bnre/task.h"
#include "data/memory.h"
#include "gaussian_exact.h"
#include "num/streams.h"
#include "support.h"
#include "task/simulator.h"

enum { N = 20000 };

/* One parameter with a uniform prior, seen through a noise of 0.01. */
static bnre_task *narrow(void)
{
    bnre_node *settings = NULL;
    bnre_task *task = NULL;

    assert_ok(bnre_yaml_parse("{name: gaussian, options: {dim: 1, noise: "
                              "0.01}, parameters: {theta: \"uniform(2, "
                              "3)\"}}",
                              NULL, &settings));
    assert_ok(bnre_task_create(settings, &task));
    bnre_node_destroy(settings);
    return task;
}

static bnre_task *gaussian(const char *dim)
{
    bnre_node *settings = NULL, *options = NULL;
    bnre_task *task = NULL;

    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &settings));
    assert_ok(bnre_node_set(settings, "name", "gaussian"));
    assert_ok(bnre_node_branch(settings, "options", BNRE_NODE_MAP, &options));
    assert_ok(bnre_node_set(options, "dim", dim));
    assert_ok(bnre_task_create(settings, &task));
    bnre_node_destroy(settings);
    return task;
}

/* Bayes' rule ties the four densities together, pointwise. */
static void the_exact_answers_agree_with_each_other(void **state)
{
    bnre_task *task = gaussian("3");
    bnre_rng rng = bnre_rng_stream(5, 0, 0);

    (void)state;
    assert_true(bnre_task_tractable(task));
    for (int k = 0; k < 100; k++) {
        double theta[3], x[3], likelihood;

        for (int i = 0; i < 3; i++) {
            theta[i] = 2 * bnre_rng_normal(&rng);
            x[i] = 3 * bnre_rng_normal(&rng);
        }
        assert_ok(bnre_task_log_likelihood(task, theta, x, &likelihood));
        assert_close(likelihood - gaussian_log_evidence(3, x),
                     gaussian_log_ratio(3, theta, x), 1e-12);
        assert_close(bnre_prior_log_density(bnre_task_prior(task), theta) +
                         gaussian_log_ratio(3, theta, x),
                     gaussian_log_posterior(3, theta, x), 1e-12);
    }
    bnre_task_destroy(task);
}

static void the_evidence_is_the_integral_over_the_prior(void **state)
{
    const double x = 1.3, h = 1e-3;
    double sum = 0;

    (void)state;
    for (double theta = -9; theta < 9; theta += h)
        sum += h * exp(log_normal_density(1, &theta, NULL, 1) +
                       log_normal_density(1, &x, &theta, 1));
    assert_close(log(sum), gaussian_log_evidence(1, &x), 1e-10);
}

/* Over the joint law, (theta - x/2) sqrt(2) is standard normal and independent
   of x / sqrt(2), also standard normal. Four checks, p < 1e-5 each. */
static void draws_follow_the_joint_law(void **state)
{
    bnre_task *task = gaussian("1");
    const bnre__simulator *simulator = bnre__task_simulator(task);
    static double theta[N], u[N], v[N], w[N];
    static float x[N];
    static uint8_t row_status[N];
    static char reason[N][BNRE_REASON_SIZE];
    bnre__batch batch = {.seed = 11,
                         .split = BNRE_SPLIT_TEST,
                         .n = N,
                         .theta = theta,
                         .nuisance = theta,
                         .x = x,
                         .status = row_status,
                         .reason = reason};
    double product = 0;
    void *session = NULL;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(
            11, bnre__purpose(BNRE_USE_PRIOR, BNRE_SPLIT_TEST), i);

        bnre_prior_draw(bnre_task_prior(task), &rng, &theta[i]);
    }
    assert_ok(simulator->kind->open(simulator, &session));
    assert_ok(simulator->kind->run(simulator, session, &batch));
    simulator->kind->close(simulator, session);
    for (size_t i = 0; i < N; i++) {
        double a = (theta[i] - (double)x[i] / 2) * sqrt(2);
        double b = (double)x[i] / sqrt(2);

        assert_int_equal(row_status[i], BNRE_DRAW_OK);
        u[i] = 0.5 * erfc(-theta[i] / sqrt(2));
        v[i] = 0.5 * erfc(-a / sqrt(2));
        w[i] = 0.5 * erfc(-b / sqrt(2));
        product += a * b / N;
    }
    assert_true(ks_uniform_pvalue(N, u) > 1e-5);
    assert_true(ks_uniform_pvalue(N, v) > 1e-5);
    assert_true(ks_uniform_pvalue(N, w) > 1e-5);
    assert_true(fabs(product) * sqrt(N) < 4.5);
    bnre_task_destroy(task);
}

/* Noise scales the likelihood, which is normalised in x. */
static void noise_is_the_deviation_of_x(void **state)
{
    bnre_task *task = narrow();
    const double theta = 2.5;
    double at_theta, one_off, x = theta, l, sum = 0, square = 0;
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    static double drawn[N], row[N];

    (void)state;
    assert_ok(bnre_task_log_likelihood(task, &theta, &x, &at_theta));
    x = theta + 0.01;
    assert_ok(bnre_task_log_likelihood(task, &theta, &x, &one_off));
    assert_close(at_theta - one_off, 0.5, 1e-9);
    for (x = 2.4; x < 2.6; x += 1e-4) {
        assert_ok(bnre_task_log_likelihood(task, &theta, &x, &l));
        sum += 1e-4 * exp(l);
    }
    assert_close(sum, 1, 1e-6);

    /* Draws: mean square of x - theta, five standard errors. */
    opts.count = N;
    opts.split = BNRE_SPLIT_TEST;
    assert_ok(bnre__simulate_memory(task, &opts, 1, drawn, row, NULL));
    for (size_t i = 0; i < N; i++) {
        assert_true(drawn[i] >= 2 && drawn[i] <= 3);
        square += (row[i] - drawn[i]) * (row[i] - drawn[i]) / 1e-4 / N;
    }
    assert_true(fabs(square - 1) < 5 * sqrt(2.0 / N));
    bnre_task_destroy(task);
}

/* What is said of repeated parameters holds for all of them, unless one has a
   prior of its own; without noise the task is what it always was. */
static void repeated_parameters_share_a_prior(void **state)
{
    bnre_node *settings = NULL;
    bnre_task *task = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse("{name: gaussian, options: {dim: 3}, parameters: "
                              "{theta: \"uniform(0, 1)\", theta_1: \"normal(0, "
                              "2)\"}}",
                              NULL, &settings));
    assert_ok(bnre_task_create(settings, &task));
    assert_string_equal(bnre_prior_text(bnre_task_prior(task), 0),
                        "uniform(0, 1)");
    assert_string_equal(bnre_prior_text(bnre_task_prior(task), 1),
                        "normal(0, 2)");
    assert_string_equal(bnre_prior_text(bnre_task_prior(task), 2),
                        "uniform(0, 1)");
    assert_null(strstr(bnre_task_text(task), "noise"));
    bnre_task_destroy(task);
    bnre_node_destroy(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_answers_agree_with_each_other),
        cmocka_unit_test(the_evidence_is_the_integral_over_the_prior),
        cmocka_unit_test(draws_follow_the_joint_law),
        cmocka_unit_test(noise_is_the_deviation_of_x),
        cmocka_unit_test(repeated_parameters_share_a_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
