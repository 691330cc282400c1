/* Parameters in the coordinates of their priors: the right line for each
   family, there and back, and finite far out. */
#include <math.h>

#include "prior/coordinate.h"
#include "prior/prior.h"
#include "support.h"

static const struct {
    const char *text;
    bnre__range range;
} priors[] = {
    {"uniform(-2, 5)", BNRE__UNIT},
    {"log_uniform(0.1, 100)", BNRE__UNIT},
    {"beta(0.5, 3)", BNRE__UNIT},
    {"truncated_normal(0, 1, -1, 4)", BNRE__UNIT},
    {"exponential(3)", BNRE__HALF},
    {"gamma(2, 0.5)", BNRE__HALF},
    {"log_normal(1, 2)", BNRE__HALF},
    {"half_normal(2)", BNRE__HALF},
    {"normal(10, 3)", BNRE__LINE},
    {"student_t(3, 1, 2)", BNRE__LINE},
    {"cauchy(1, 2)", BNRE__LINE},
    {"half_cauchy(2)", BNRE__HALF},
    {"inverse_gamma(2, 3)", BNRE__HALF},
    {"weibull(1.5, 3)", BNRE__HALF},
};
enum { PRIORS = sizeof priors / sizeof *priors };

static bnre_prior *make(size_t k)
{
    const char *const name[] = {"a"}, *const text[] = {priors[k].text};
    bnre_prior *prior = NULL;

    assert_ok(bnre_prior_create(1, name, text, &prior));
    return prior;
}

/* Of all parameters, in the order of the prior. */
static bnre__coordinates *coordinates_of(const bnre_prior *prior)
{
    static const size_t order[] = {0, 1, 2, 3, 4, 5};
    bnre__coordinates *c = NULL;

    assert_ok(
        bnre__coordinates_create(prior, bnre_prior_dim(prior), order, &c));
    return c;
}

static void coordinates_lead_there_and_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < PRIORS; k++) {
        bnre_prior *prior = make(k);
        bnre__coordinates *lines = coordinates_of(prior);
        double before = -INFINITY;

        assert_int_equal(bnre__coordinates_range(lines, 0), priors[k].range);
        for (double u = 0.001; u < 1; u += 0.0998) {
            const double theta = bnre_prior_quantile(prior, 0, u);
            const double c = bnre__coordinates_at(lines, 0, &theta);

            assert_true(c > before);
            before = c;
            assert_close(bnre__coordinates_value(lines, 0, &theta, c), theta,
                         1e-9 * (1 + fabs(theta)));
            /* The prior's distribution in the coordinate is the line's. */
            assert_close(priors[k].range == BNRE__UNIT   ? c
                         : priors[k].range == BNRE__HALF ? -expm1(-c)
                                                         : 1 / (1 + exp(-c)),
                         u, 1e-9);
        }
        bnre__coordinates_destroy(lines);
        bnre_prior_destroy(prior);
    }
}

static void values_far_out_have_ordinary_coordinates(void **state)
{
    bnre_prior *prior = make(8);
    bnre__coordinates *lines = coordinates_of(prior);
    const double above = 10 + 15, below = 10 - 15;

    (void)state;
    /* Five standard deviations: log of 2.8665e-7, on either side. */
    assert_close(bnre__coordinates_at(lines, 0, &above), 15.0650, 1e-3);
    assert_close(bnre__coordinates_at(lines, 0, &below), -15.0650, 1e-3);
    for (double far = 1; far < 1e300; far *= 1e6) {
        const double other = -far;

        assert_true(isfinite(bnre__coordinates_at(lines, 0, &far)));
        assert_true(isfinite(bnre__coordinates_at(lines, 0, &other)));
        assert_true(isfinite(bnre__coordinates_value(lines, 0, &far, far)));
        assert_true(isfinite(bnre__coordinates_value(lines, 0, &far, -far)));
    }
    bnre__coordinates_destroy(lines);
    bnre_prior_destroy(prior);
}

/* ---- orders ---- */

static bnre_prior *make_ordered(size_t n, const char *const *text,
                                size_t conditions, const char *const *condition)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "f"};
    bnre_prior *prior = NULL;

    assert_ok(bnre_prior_create(n, name, text, &prior));
    assert_ok(bnre_prior_constrain(prior, conditions, condition));
    return prior;
}

/* Draws of uniform coordinates, one after another, are all within the orders,
   and their density is that of the prior times what log_share says. */
static void orders_cut_intervals(void **state)
{
    const char *const text[] = {"uniform(0, 4)",   "exponential(0.7)",
                                "normal(1, 2)",    "uniform(1, 9)",
                                "normal(-1, 0.5)", "half_normal(2)"};
    const char *const condition[] = {"a >= b", "c < b", "a < d < 7", "e > -2"};
    static const bnre__range expected[] = {BNRE__UNIT, BNRE__UNIT, BNRE__HALF,
                                           BNRE__UNIT, BNRE__HALF, BNRE__HALF};
    bnre_prior *prior = make_ordered(6, text, 4, condition);
    bnre__coordinates *lines = coordinates_of(prior);
    bnre_rng rng = bnre_rng_stream(43, 0, 0);
    double mean = 0, squares = 0;
    enum { DRAWS = 20000 };

    (void)state;
    assert_false(bnre__coordinates_reject(lines));
    for (size_t j = 0; j < 6; j++)
        assert_int_equal(bnre__coordinates_range(lines, j), expected[j]);
    for (size_t i = 0; i < DRAWS; i++) {
        double theta[6] = {0}, c;

        for (size_t j = 0; j < 6; j++) {
            c = bnre__range_draw(expected[j], &rng);
            theta[j] = bnre__coordinates_value(lines, j, theta, c);
            assert_close(bnre__coordinates_at(lines, j, theta), c,
                         1e-6 * (1 + c));
        }
        assert_true(bnre_prior_log_density(prior, theta) > -HUGE_VAL);
        /* The mean of p / g over draws of g is 1. */
        c = exp(-bnre__coordinates_log_share(lines, theta));
        mean += c / DRAWS;
        squares += c * c / DRAWS;
    }
    /* 4.5 standard errors of these draws, and of the share, which the prior
       has from 65,536: 7e-6 by chance. */
    assert_close(mean, 1,
                 4.5 * sqrt((squares - mean * mean) / DRAWS +
                            1 / (65536 * exp(bnre__prior_log_share(prior)))));
    bnre__coordinates_destroy(lines);
    bnre_prior_destroy(prior);
}

/* What is no order is left to rejection. */
static void other_conditions_are_known(void **state)
{
    const char *const text[] = {"uniform(0, 1)", "uniform(0, 1)"};
    const char *const both[] = {"a < b", "a + b < 1.5"};
    const double good[] = {0.9, 0.2}, bad[] = {0.8, 0.9};
    bnre_prior *prior = make_ordered(2, text, 2, both);
    bnre__coordinates *lines = coordinates_of(prior);

    (void)state;
    assert_true(bnre__coordinates_reject(lines));
    assert_true(bnre__prior_others_name(prior, 0));
    assert_true(bnre__prior_others_hold(prior, good));
    assert_false(bnre__prior_others_hold(prior, bad));
    bnre__coordinates_destroy(lines);
    bnre_prior_destroy(prior);
}

/* Of a function of coordinates plus log_share, in every kind of coordinate. */
static double something(const bnre__coordinates *lines, const double *weight,
                        const double *theta)
{
    double sum = bnre__coordinates_log_share(lines, theta);

    for (size_t j = 0; j < 6; j++)
        sum += weight[j] * bnre__coordinates_at(lines, j, theta);
    return sum;
}

static void the_way_back_matches_central_differences(void **state)
{
    const char *const text[] = {
        "uniform(0, 4)", "exponential(0.7)", "normal(1, 2)",
        "uniform(1, 9)", "normal(-1, 3)",    "truncated_normal(0, 1, -9, 2)"};
    const char *const condition[] = {"a >= b", "c < b", "a < d < 7",
                                     "e - f < 100"};
    static const double weight[] = {1, -0.5, 0.3, 2, 0.7, -1.1};
    bnre_prior *prior = make_ordered(6, text, 4, condition);
    bnre__coordinates *lines = coordinates_of(prior);
    bnre_rng rng = bnre_rng_stream(44, 0, 0);
    double theta[6], d[6];

    (void)state;
    for (size_t i = 0; i < 200; i++) {
        bnre_prior_draw(prior, &rng, theta);
        bnre__coordinates_back(lines, theta, weight, d);
        for (size_t j = 0; j < 6; j++) {
            const double keep = theta[j], h = 1e-5;
            double up, down;

            theta[j] = keep + h;
            up = something(lines, weight, theta);
            theta[j] = keep - h;
            down = something(lines, weight, theta);
            theta[j] = keep;
            if (bnre_prior_log_density(prior, theta) > -HUGE_VAL &&
                fmin(theta[0] - theta[1], theta[1] - theta[2]) > 0.05 &&
                theta[3] - theta[0] > 0.05 && theta[1] > 0.05)
                assert_close(d[j], (up - down) / (2 * h),
                             1e-4 * (1 + fabs(d[j])));
        }
    }
    bnre__coordinates_destroy(lines);
    bnre_prior_destroy(prior);
}

/* Means of 100,000 draws: 5 standard errors, or 3e-6 by chance for each. */
static void standard_coordinates_have_mean_0_and_variance_1(void **state)
{
    enum { DRAWS = 100000 };
    bnre_rng rng = bnre_rng_stream(41, 0, 0);

    (void)state;
    for (int range = BNRE__UNIT; range <= BNRE__LINE; range++) {
        double sum = 0, squares = 0;

        for (size_t i = 0; i < DRAWS; i++) {
            const double z = bnre__coordinate_standard(
                (bnre__range)range, bnre__range_draw((bnre__range)range, &rng));

            sum += z / DRAWS;
            squares += z * z / DRAWS;
        }
        assert_close(sum, 0, 5 / sqrt(DRAWS));
        assert_close(squares, 1, 5 * sqrt(8.0 / DRAWS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_lead_there_and_back),
        cmocka_unit_test(values_far_out_have_ordinary_coordinates),
        cmocka_unit_test(orders_cut_intervals),
        cmocka_unit_test(other_conditions_are_known),
        cmocka_unit_test(the_way_back_matches_central_differences),
        cmocka_unit_test(standard_coordinates_have_mean_0_and_variance_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
