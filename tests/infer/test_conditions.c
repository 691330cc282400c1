/* Conditional densities under conditions between parameters: normalised to
   1e-4, whether the condition is an order or not; their draws keep to it, and
   have the moments of the exact posterior. */
#include <math.h>

#include "infer/estimator/conditional.h"
#include "infer/estimator/evaluator.h"
#include "made.h"
#include "prior/prior.h"
#include "support.h"

static int add_noise(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t i = 0; i < 2; i++)
        x[i] = theta[i] + 0.3 * bnre_rng_normal(rng);
    return 0;
}

static const made ordered = {
    "parameters: {a: 'uniform(0, 1)', b: 'uniform(0, 1)'}\n"
    "constraint: a >= b\n",
    2, 2, add_noise, NULL};
static const made disc = {
    "parameters: {a: 'uniform(0, 1)', b: 'uniform(0, 1)'}\n"
    "constraint: a * a + b * b < 1\n",
    2, 2, add_noise, NULL};

/* Possible parameters from (s, t) in the unit square, laid out smoothly, and
   the area that belongs to it. */
static double below(double s, double t, double *theta)
{
    theta[0] = s;
    theta[1] = s * t;
    return s;
}

static double above(double s, double t, double *theta)
{
    theta[1] = s;
    theta[0] = s + (1 - s) * t;
    return 1 - s;
}

static double quarter(double s, double t, double *theta)
{
    const double angle = 1.5707963267948966;

    theta[0] = s * cos(angle * t);
    theta[1] = s * sin(angle * t);
    return angle * s;
}

/* The integral of q over the possible theta, by 200 x 200 midpoints. */
static double integral(const bnre_density *q, void *session,
                       double (*lay)(double s, double t, double *theta))
{
    enum { SIDE = 200 };
    static double theta[SIDE][2], l[SIDE], area[SIDE];
    double sum = 0;

    for (size_t i = 0; i < SIDE; i++) {
        for (size_t k = 0; k < SIDE; k++)
            area[k] = lay(((double)i + 0.5) / SIDE, ((double)k + 0.5) / SIDE,
                          theta[k]) /
                      (SIDE * (double)SIDE);
        assert_ok(q->log_ratio(session, SIDE, theta[0], l, NULL));
        for (size_t k = 0; k < SIDE; k++)
            sum += area[k] *
                   exp(l[k] + bnre_prior_log_density(q->prior, theta[k]));
    }
    return sum;
}

/* Means and standard deviations of the exact posterior, by the same rule: the
   prior is uniform where it is not 0. */
static void exact(const double *x, double mean[2], double sd[2],
                  double (*lay)(double s, double t, double *theta))
{
    enum { SIDE = 200 };
    double sum = 0, first[2] = {0}, second[2] = {0};

    for (size_t i = 0; i < SIDE * SIDE; i++) {
        double theta[2], off = 0;
        double w = lay(((double)(i / SIDE) + 0.5) / SIDE,
                       ((double)(i % SIDE) + 0.5) / SIDE, theta);

        for (size_t k = 0; k < 2; k++)
            off += (x[k] - theta[k]) * (x[k] - theta[k]);
        w *= exp(-off / (2 * 0.3 * 0.3));
        sum += w;
        for (size_t k = 0; k < 2; k++) {
            first[k] += w * theta[k];
            second[k] += w * theta[k] * theta[k];
        }
    }
    for (size_t k = 0; k < 2; k++) {
        mean[k] = first[k] / sum;
        sd[k] = sqrt(second[k] / sum - mean[k] * mean[k]);
    }
}

/* 1,000 simulations and 2,000 draws: off by 0.06 at most. Without the condition
   the means of the second x would be 0.72. */
static void compare_draws(const double *x, size_t n, double (*draw)[2],
                          double (*lay)(double s, double t, double *theta))
{
    double mean[2], sd[2];

    exact(x, mean, sd, lay);
    for (size_t k = 0; k < 2; k++) {
        double first = 0, second = 0;

        for (size_t i = 0; i < n; i++) {
            first += draw[i][k] / (double)n;
            second += draw[i][k] * draw[i][k] / (double)n;
        }
        assert_close(first, mean[k], 0.08);
        assert_close(sqrt(second - first * first), sd[k], 0.05);
    }
}

static void check(const made *of, const char *order,
                  double (*lay)(double s, double t, double *theta))
{
    static const double x[][2] = {{0.4, 0.2}, {0.9, 0.9}};
    enum { DRAWS = 2000 };
    static double draw[DRAWS][2];
    bnre_train_opts opts = made_opts(of, made_data(of, "cut.csv", 1000, 1));
    bnre_estimator *est;
    bnre_density q;
    void *session;

    opts.order = order;
    opts.epochs = 20;
    opts.members = 2;
    opts.no_information = 1;
    est = made_train(&opts, NULL);
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(q.open(q.context, &session));
    ((bnre__evaluator *)session)->precision = 5e-5;
    for (size_t i = 0; i < 2; i++) {
        assert_ok(q.observe(session, x[i]));
        assert_close(integral(&q, session, lay), 1, 1e-4);
        assert_ok(q.draw(session, 1, 0, DRAWS, draw[0]));
        for (size_t k = 0; k < DRAWS; k++)
            assert_true(bnre_prior_log_density(q.prior, draw[k]) > -HUGE_VAL);
        compare_draws(x[i], DRAWS, draw, lay);
    }
    q.close(session);
    bnre_estimator_close(est);
}

static void orders_leave_densities_normalised(void **state)
{
    (void)state;
    check(&ordered, "a,b", below);
    check(&ordered, "b,a", above);
}

static void other_conditions_leave_densities_normalised(void **state)
{
    (void)state;
    check(&disc, NULL, quarter);
}

/* Pairs and one x give the same; each member has its own mass. */
static void masses_are_those_of_the_mixture(void **state)
{
    static const double x[] = {0.7, 0.6, 0.7, 0.6},
                        theta[] = {0.5, 0.4, 0.1, 0.9};
    bnre_train_opts opts =
        made_opts(&disc, made_data(&disc, "disc.csv", 1000, 2));
    double pairwise[2], single[2], each[4], again[2];
    bnre_estimator *est;
    bnre_density q;
    void *session;

    (void)state;
    opts.epochs = 10;
    opts.members = 2;
    opts.no_information = 1;
    est = made_train(&opts, NULL);
    assert_ok(bnre_estimator_log_ratio(est, NULL, 2, theta, x, pairwise));
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    assert_ok(q.rough(session, 2, theta, single)); /* leaves nothing behind */
    assert_ok(q.log_ratio_each(session, 2, theta, single, each));
    for (size_t i = 0; i < 2; i++)
        assert_close(pairwise[i], single[i], 1e-4);
    q.close(session);
    for (size_t k = 0; k < 2; k++) {
        q = bnre_estimator_density(est, k);
        assert_ok(q.open(q.context, &session));
        assert_ok(q.observe(session, x));
        assert_ok(q.log_ratio(session, 2, theta, again, NULL));
        for (size_t i = 0; i < 2; i++)
            assert_close(again[i], each[2 * k + i], 1e-4);
        q.close(session);
    }
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_leave_densities_normalised),
        cmocka_unit_test(other_conditions_leave_densities_normalised),
        cmocka_unit_test(masses_are_those_of_the_mixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
