/* Where the priors of single parameters end, and what lies inside. */
#include <math.h>

#include "bnre/prior.h"
#include "prior/prior.h"
#include "support.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bnre_prior *make(const char *text)
{
    const char *name = "x";
    bnre_prior *prior;

    assert_ok(bnre_prior_create(1, &name, &text, &prior));
    return prior;
}

static void support_ends_where_the_arguments_say(void **state)
{
    struct {
        const char *text;
        double low, high;
    } known[] = {
        {"uniform(-2, 5)", -2, 5},
        {"log_uniform(1, 5)", 1, 5},
        {"normal(0, 1)", -INFINITY, INFINITY},
        {"log_normal(0, 1)", 0, INFINITY},
        {"half_normal(1)", 0, INFINITY},
        {"truncated_normal(0, 1, -3, 4)", -3, 4},
        {"exponential(1)", 0, INFINITY},
        {"gamma(2, 1)", 0, INFINITY},
        {"beta(2, 2)", 0, 1},
        {"student_t(3, 0, 1)", -INFINITY, INFINITY},
        {"cauchy(0, 1)", -INFINITY, INFINITY},
        {"half_cauchy(1)", 0, INFINITY},
        {"inverse_gamma(2, 1)", 0, INFINITY},
        {"weibull(2, 1)", 0, INFINITY},
        {"fixed(7)", 7, 7},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        bnre_prior *prior = make(known[i].text);
        double low, high, x;

        bnre_prior_support(prior, 0, &low, &high);
        assert_true(low == known[i].low && high == known[i].high);
        assert_true(bnre_prior_quantile(prior, 0, 0) == low);
        assert_true(bnre_prior_quantile(prior, 0, 1) == high);
        assert_true(bnre_prior_cdf(prior, 0, high) == 1);
        if (low < high)
            assert_true(bnre_prior_cdf(prior, 0, low) == 0);
        x = nextafter(low, -INFINITY);
        assert_true(bnre_prior_log_density(prior, &x) == -INFINITY);
        assert_true(bnre_prior_cdf(prior, 0, x) == 0);
        x = nextafter(high, INFINITY);
        assert_true(bnre_prior_log_density(prior, &x) == -INFINITY);
        assert_true(bnre_prior_cdf(prior, 0, x) == 1);
        assert_true(isnan(bnre_prior_quantile(prior, 0, NAN)));
        assert_true(isnan(bnre_prior_quantile(prior, 0, 1.5)));
        assert_true(isnan(bnre_prior_cdf(prior, 0, NAN)));
        bnre_prior_destroy(prior);
    }
}

static void ends_belong_to_the_support(void **state)
{
    struct {
        const char *text;
        double end, log_density;
    } known[] = {
        {"uniform(0, 4)", 0, -log(4)},
        {"uniform(0, 4)", 4, -log(4)},
        {"log_uniform(1, M)", 1, 0},
        {"exponential(2)", 0, log(2)},
        {"gamma(1, 2)", 0, log(2)},
        {"gamma(2, 2)", 0, -INFINITY},
        {"gamma(0.5, 2)", 0, INFINITY},
        {"beta(1, 3)", 0, log(3)},
        {"beta(3, 1)", 1, log(3)},
        {"beta(0.5, 2)", 0, INFINITY},
        {"beta(0.5, 2)", 1, -INFINITY},
        {"log_normal(0, 1)", 0, -INFINITY},
        {"half_cauchy(2)", 0, -log(acos(-1))},
        {"inverse_gamma(0.5, 2)", 0, -INFINITY},
        {"weibull(0.5, 2)", 0, INFINITY},
        {"weibull(1, 2)", 0, -log(2)},
        {"weibull(3, 2)", 0, -INFINITY},
        {"fixed(3)", 3, 0},
    };

    (void)state;
    known[2].text = "log_uniform(1, 2.718281828459045)";
    for (size_t i = 0; i < COUNT(known); i++) {
        bnre_prior *prior = make(known[i].text);

        assert_close(bnre_prior_log_density(prior, &known[i].end),
                     known[i].log_density, 1e-14);
        bnre_prior_destroy(prior);
    }
}

/* Draws of these would underflow, overflow or hit the ends. */
static void draws_are_finite_and_strictly_inside(void **state)
{
    const char *const text[] = {
        "gamma(0.001, 1)",
        "beta(0.001, 0.001)",
        "log_normal(0, 1000)",
        "student_t(0.01, 0, 1)",
        "cauchy(0, 1e300)",
        "half_cauchy(1e-300)",
        "inverse_gamma(0.001, 1)",
        "weibull(0.001, 1)",
        "exponential(1e-308)",
        "normal(0, 1e308)",
        "truncated_normal(0, 1, 1e6, 2e6)",
        "uniform(1, 1.0000000000000002)",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(text); i++) {
        bnre_prior *prior = make(text[i]);

        for (uint64_t row = 0; row < 200; row++) {
            bnre_rng rng = bnre_rng_stream(5, 6, row);
            double x, z, again, low, high;

            bnre_prior_support(prior, 0, &low, &high);
            bnre_prior_draw(prior, &rng, &x);
            assert_true(isfinite(x) && x >= low && x <= high);
            assert_true(isfinite(bnre_prior_log_density(prior, &x)));
            bnre__prior_to_real(prior, &x, &z);
            if (i + 1 < COUNT(text)) { /* the last has no inside */
                assert_true(isfinite(z));
                assert_true((x > low && x < high));
                bnre__prior_from_real(prior, &z, &again, NULL, NULL, NULL);
                assert_true(fabs(again - x) <= 1e-12 * (1 + fabs(z)) * fabs(x));
            }
        }
        bnre_prior_destroy(prior);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(support_ends_where_the_arguments_say),
        cmocka_unit_test(ends_belong_to_the_support),
        cmocka_unit_test(draws_are_finite_and_strictly_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
