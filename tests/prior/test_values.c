/* Priors of whole numbers: masses, distribution functions, draws. The counts of
   draws raise a false alarm in about 1 of 20,000 runs: 40 of them, at five
   standard deviations each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "prior/prior.h"
#include "support.h"

static bnre_prior *make(const char *text)
{
    const char *name = "n";
    bnre_prior *prior;

    assert_ok(bnre_prior_create(1, &name, &text, &prior));
    return prior;
}

static const char *const all[] = {
    "integer(-3, 5)", "integer(0, 1023)",      "categorical(1, 2, 5)",
    "bernoulli(0.2)", "categorical(0.5, 1/2)", "poisson(0.3)",
    "poisson(7)",     "poisson(400)",          "poisson(5000)",
    "poisson(1e-12)",
};

static void masses_add_up_and_make_the_distribution_function(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof all / sizeof *all; t++) {
        bnre_prior *prior = make(all[t]);
        double sum = 0, low, high, between;
        size_t n;

        assert_true(bnre__prior_values(prior, 0, &n) != BNRE__CONTINUOUS);
        assert_true(n >= 2 && n <= BNRE__MOST_VALUES);
        assert_true(bnre__prior_is_mixed(prior));
        bnre_prior_support(prior, 0, &low, &high);
        for (size_t k = 0; k < n; k++) {
            const double value = bnre__prior_value(prior, 0, k);
            const double mass = bnre__prior_mass(prior, 0, k);

            assert_true(value >= low && value <= high);
            assert_int_equal(bnre__prior_index(prior, 0, value), k);
            between = value + 0.5;
            assert_true(bnre_prior_log_density(prior, &between) == -INFINITY);
            if (k > 0 && k + 1 < n)
                assert_close(exp(bnre_prior_log_density(prior, &value)) / mass,
                             1, 1e-9);
            if (k > 0) {
                /* from the middle of a step, u leads back */
                assert_true(bnre_prior_quantile(prior, 0, sum + mass / 2) ==
                                value ||
                            mass < 1e-9 || k + 1 == n);
                assert_close(bnre__prior_place(prior, 0, value, 0.5),
                             sum + mass / 2, k + 1 < n ? 1e-10 : 1e-9);
            }
            sum += mass;
            if (k + 1 < n) {
                assert_close(bnre_prior_cdf(prior, 0, value), sum, 1e-10);
                assert_close(bnre_prior_cdf(prior, 0, between), sum, 1e-10);
            }
        }
        assert_close(sum, 1, 1e-10);
        assert_true(bnre_prior_cdf(prior, 0, low - 1) == 0);
        bnre_prior_destroy(prior);
    }
}

static void draws_have_the_masses_and_moments(void **state)
{
    enum { DRAWS = 20000 };
    static const char *const few[] = {"integer(-3, 5)", "categorical(1, 2, 5)",
                                      "bernoulli(0.2)", "poisson(3)"};

    (void)state;
    for (size_t t = 0; t < 4; t++) {
        bnre_prior *prior = make(few[t]);
        double count[64] = {0}, mean = 0, square = 0, expected, variance;
        size_t n;

        (void)bnre__prior_values(prior, 0, &n);
        for (uint64_t i = 0; i < DRAWS; i++) {
            bnre_rng rng = bnre_rng_stream(5, 6, i);
            double value;

            bnre_prior_draw(prior, &rng, &value);
            assert_true(bnre_prior_log_density(prior, &value) > -INFINITY);
            count[bnre__prior_index(prior, 0, value)]++;
            mean += value / DRAWS;
            square += value * value / DRAWS;
        }
        for (size_t k = 0; k < n; k++) {
            const double p = bnre__prior_mass(prior, 0, k);

            assert_close(count[k] / DRAWS, p,
                         5 * sqrt(p * (1 - p) / DRAWS) + 1e-4);
        }
        bnre_prior_moments(prior, 0, &expected, &variance);
        assert_close(mean, expected, 5 * sqrt(variance / DRAWS));
        assert_close((square - mean * mean) / variance, 1, 0.1);
        bnre_prior_destroy(prior);
    }
}

static void known_masses(void **state)
{
    const double two = 2, zero = 0;
    bnre_prior *prior = make("categorical(1, 2, 5)");

    (void)state;
    assert_close(bnre_prior_log_density(prior, &two), log(5.0 / 8), 1e-14);
    assert_string_equal(bnre_prior_text(prior, 0), "categorical(1, 2, 5)");
    assert_true(bnre__prior_values(prior, 0, NULL) == BNRE__CATEGORIES);
    bnre_prior_destroy(prior);
    prior = make("poisson(2.5)");
    assert_close(bnre_prior_log_density(prior, &two),
                 -2.5 + 2 * log(2.5) - log(2), 1e-13);
    assert_true(bnre__prior_values(prior, 0, NULL) == BNRE__COUNTS);
    bnre_prior_destroy(prior);
    prior = make("bernoulli(0.25)");
    assert_close(bnre_prior_log_density(prior, &zero), log(0.75), 1e-14);
    bnre_prior_destroy(prior);
    prior = make("integer(0, 9)");
    assert_close(bnre_prior_log_density(prior, &two), -log(10), 1e-14);
    bnre_prior_destroy(prior);
}

static void refuse(const char *text, const char *fact)
{
    const char *name = "n";
    bnre_prior *prior;

    assert_fails(bnre_prior_create(1, &name, &text, &prior), BNRE_EUSAGE, fact);
}

/* 1, 2, ..., n as weights: 1,024 of them, and no more. */
static void many_categories(void)
{
    char text[8192] = "categorical(1", *end = text + strlen(text);
    const double last = 1023;
    bnre_prior *prior;

    for (int k = 2; k <= 1024; k++)
        end += snprintf(end, 16, ", %d", k);
    memcpy(end, ")", 2);
    prior = make(text);
    assert_close(exp(bnre_prior_log_density(prior, &last)), 1024 / 524800.0,
                 1e-15);
    assert_close(bnre_prior_quantile(prior, 0, 1 - 1e-9), last, 0);
    assert_string_equal(bnre_prior_text(prior, 0), text);
    bnre_prior_destroy(prior);
    memcpy(end, ", 1)", 5);
    refuse(text, "1024");
}

static void wrong_arguments_are_refused_in_words(void **state)
{
    (void)state;
    refuse("integer(0, 2.5)", "high");
    refuse("integer(3, 3)", "greater than low");
    refuse("integer(0, 100000)", "more than 1024 values");
    refuse("categorical(1)", "each category");
    refuse("categorical(1, 0)", "greater than 0");
    many_categories();
    refuse("categorical(1, 2", "expected ')'");
    refuse("bernoulli(1)", "between 0 and 1");
    refuse("poisson(0)", "greater than 0");
    refuse("poisson(1e6)", "at most 5000");
}

/* Conditions between whole numbers and others are fulfilled by rejection. */
static void conditions_that_name_values_are_no_order(void **state)
{
    const char *const name[] = {"a", "n"};
    const char *const text[] = {"uniform(0, 3)", "integer(0, 3)"};
    const char *const condition = "a <= n";
    bnre_prior *prior;
    int others;

    (void)state;
    assert_ok(bnre_prior_create(2, name, text, &prior));
    assert_ok(bnre_prior_constrain(prior, 1, &condition));
    assert_int_equal(bnre__prior_orderings(prior, 0, NULL, &others), 0);
    assert_true(others);
    assert_true(bnre__prior_others_name(prior, 1));
    bnre_prior_destroy(prior);
}

/* Draws are near their prior but for 1 of 10^9 sets, also where many are equal
   or rounded to floats; those of another prior, or some of them, are not. */
static void what_does_not_follow_the_prior_is_far_from_it(void **state)
{
    enum { DRAWS = 2000 };
    static const char *const some[] = {"integer(-3, 5)", "categorical(1, 2, 5)",
                                       "bernoulli(0.2)", "poisson(3)",
                                       "normal(1, 2)",   "uniform(0.1, 0.4)"};
    static double value[DRAWS];

    (void)state;
    for (size_t t = 0; t < sizeof some / sizeof *some; t++) {
        bnre_prior *prior = make(some[t]);

        for (uint64_t i = 0; i < DRAWS; i++) {
            bnre_rng rng = bnre_rng_stream(5, 6, i);

            bnre_prior_draw(prior, &rng, &value[i]);
            value[i] = (float)value[i];
        }
        bnre__sort_doubles(DRAWS, value);
        assert_true(bnre__prior_distance(prior, 0, DRAWS, value) <
                    bnre__prior_far(DRAWS));
        /* the lower four fifths, and the upper ones */
        assert_true(bnre__prior_distance(prior, 0, DRAWS * 4 / 5, value) >
                    bnre__prior_far(DRAWS));
        assert_true(
            bnre__prior_distance(prior, 0, DRAWS * 4 / 5, value + DRAWS / 5) >
            bnre__prior_far(DRAWS));
        bnre_prior_destroy(prior);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_add_up_and_make_the_distribution_function),
        cmocka_unit_test(draws_have_the_masses_and_moments),
        cmocka_unit_test(known_masses),
        cmocka_unit_test(wrong_arguments_are_refused_in_words),
        cmocka_unit_test(conditions_that_name_values_are_no_order),
        cmocka_unit_test(what_does_not_follow_the_prior_is_far_from_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
