/* Parameters in the coordinates of their priors: the right line for each
   family, there and back, and finite far out. */
#include <math.h>

#include "prior/coordinate.h"
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

static void coordinates_lead_there_and_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < PRIORS; k++) {
        bnre_prior *prior = make(k);
        double before = -INFINITY;

        assert_int_equal(bnre__coordinate_range(prior, 0), priors[k].range);
        for (double u = 0.001; u < 1; u += 0.0998) {
            const double theta = bnre_prior_quantile(prior, 0, u);
            const double c = bnre__coordinate_of(prior, 0, theta);

            assert_true(c > before);
            before = c;
            assert_close(bnre__coordinate_value(prior, 0, c), theta,
                         1e-9 * (1 + fabs(theta)));
            /* The prior's distribution in the coordinate is the line's. */
            assert_close(priors[k].range == BNRE__UNIT   ? c
                         : priors[k].range == BNRE__HALF ? -expm1(-c)
                                                         : 1 / (1 + exp(-c)),
                         u, 1e-9);
        }
        bnre_prior_destroy(prior);
    }
}

static void values_far_out_have_ordinary_coordinates(void **state)
{
    bnre_prior *prior = make(8);

    (void)state;
    /* Five standard deviations: log of 2.8665e-7, on either side. */
    assert_close(bnre__coordinate_of(prior, 0, 10 + 15), 15.0650, 1e-3);
    assert_close(bnre__coordinate_of(prior, 0, 10 - 15), -15.0650, 1e-3);
    for (double far = 1; far < 1e300; far *= 1e6) {
        assert_true(isfinite(bnre__coordinate_of(prior, 0, far)));
        assert_true(isfinite(bnre__coordinate_of(prior, 0, -far)));
        assert_true(isfinite(bnre__coordinate_value(prior, 0, far)));
        assert_true(isfinite(bnre__coordinate_value(prior, 0, -far)));
    }
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
        cmocka_unit_test(standard_coordinates_have_mean_0_and_variance_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
