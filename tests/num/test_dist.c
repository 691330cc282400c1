/* The accuracy that dist.h promises, against numbers computed with 60 digits
   and against the GNU Scientific Library at random points. */
#include <float.h>
#include <math.h>

#include "bnre/rng.h"
#include "dist_vectors.h"
#include "num/dist.h"
#include "num/special.h"
#include "oracle.h"
#include "support.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void normal_agrees_with_long_arithmetic(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(normal_vectors); i++) {
        const double *v = normal_vectors[i];

        assert_close(bnre__normal_cdf(v[0]) / v[1], 1, 5e-13);
        if (v[0] < 0) /* above, u = 1 - ... has lost the digits */
            assert_close(bnre__normal_quantile(v[1]) / v[0], 1, 2e-15);
    }
}

static void others_agree_with_long_arithmetic(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(gamma_vectors); i++) {
        const double *v = gamma_vectors[i];

        assert_close(bnre__gamma_cdf(v[0], v[1]) / v[2], 1, 3e-13);
    }
    for (size_t i = 0; i < COUNT(beta_vectors); i++) {
        const double *v = beta_vectors[i];

        assert_close(bnre__beta_cdf(v[0], v[1], v[2]) / v[3], 1, 3e-13);
    }
    for (size_t i = 0; i < COUNT(student_vectors); i++) {
        const double *v = student_vectors[i];

        assert_close(bnre__student_t_cdf(v[0], v[1]) / v[2], 1, 3e-13);
    }
}

/* Uniform in the logarithm. */
static double between(bnre_rng *rng, double low, double high)
{
    return low * exp(bnre_rng_uniform(rng) * log(high / low));
}

static void gamma_agrees_with_gsl(void **state)
{
    bnre_rng rng = bnre_rng_stream(1, 1, 1);

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double a = between(&rng, 1e-2, 1e4);
        double x = bnre_rng_gamma(&rng, a) * between(&rng, 0.7, 1.4), p, q;

        bnre__gamma_tails(x, a, &p, &q);
        if (p < q && p > 1e-290)
            assert_close(p / oracle_gamma_p(x, a), 1, 1e-9);
        if (q < p && q > 1e-290 && a > 0.5) /* else q is 1 - p */
            assert_close(q / oracle_gamma_q(x, a), 1, 1e-9);
    }
}

static void beta_agrees_with_gsl(void **state)
{
    bnre_rng rng = bnre_rng_stream(1, 1, 2);

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double a = between(&rng, 1e-2, 1e4), b = between(&rng, 1e-2, 1e4);
        double x = bnre_rng_beta(&rng, a, b), p;

        if (x < 1e-300 || x > 1 - 1e-9)
            continue;
        p = bnre__beta_cdf(x, a, b);
        assert_close(p, oracle_beta_p(x, a, b), 1e-9);
        assert_close(1 - p, oracle_beta_q(x, a, b), 1e-9);
    }
}

static void student_agrees_with_gsl(void **state)
{
    bnre_rng rng = bnre_rng_stream(1, 1, 3);

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double df = between(&rng, 0.1, 1e4);
        double t = bnre_rng_student_t(&rng, df);

        if (fabs(t) < 1e100)
            assert_close(bnre__student_t_cdf(t, df), oracle_student_p(t, df),
                         1e-11);
    }
}

/* GSL's inverses stop earlier than ours, and some do not converge: NaN. */
static void quantiles_agree_with_gsl(void **state)
{
    bnre_rng rng = bnre_rng_stream(1, 1, 4);
    int given = 0;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double u = bnre_rng_open(&rng), a = between(&rng, 0.5, 500);
        double b = between(&rng, 0.5, 500);
        double gamma = oracle_gamma_inverse(u, a);
        double beta = oracle_beta_inverse(u, a, b);
        double student = oracle_student_inverse(u, a);

        assert_close(bnre__normal_quantile(u), oracle_normal_inverse(u), 1e-13);
        if (!isnan(gamma))
            assert_close(bnre__gamma_quantile(u, a) / gamma, 1, 1e-8);
        if (!isnan(beta))
            assert_close(bnre__beta_quantile(u, a, b) / beta, 1, 1e-6);
        if (!isnan(student))
            assert_close(bnre__student_t_quantile(u, a), student, 1e-8);
        given += !isnan(gamma) + !isnan(beta) + !isnan(student);
    }
    assert_true(given > 5400);
}

/* |cdf(quantile(u)) - u| where x, as the quantile's double, allows it: `slope`
   is how much the distribution function changes over the rounding of x. */
static void assert_inverts(double again, double u, double slope)
{
    double tolerance = 1e-12 * u + 4 * slope * DBL_EPSILON;

    if (!(fabs(again - u) <= tolerance)) {
        print_error("u = %.17g became %.17g, tolerance %g\n", u, again,
                    tolerance);
        fail();
    }
}

static const double levels[] = {
    1e-300, 1e-200,   1e-100,    1e-30,     1e-15,       1e-8, 1e-3,
    0.1,    0.3,      0.4999,    0.5,       0.5001,      0.7,  0.9,
    0.99,   1 - 1e-6, 1 - 1e-10, 1 - 1e-14, 1 - 0x1p-53,
};
static const double shapes[] = {0.01, 0.2, 0.5,  0.999, 1,   1.5,
                                4,    19,  20.5, 150,   800, 1e4};

static void gamma_quantile_inverts_and_rises(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        double a = shapes[i], before = 0;

        for (size_t j = 0; j < COUNT(levels); j++) {
            double u = levels[j], x = bnre__gamma_quantile(u, a);

            assert_true(x >= before && isfinite(x));
            before = x;
            if (x > 1e-300) /* else it is 0 or has few digits */
                assert_inverts(bnre__gamma_cdf(x, a), u,
                               exp(bnre__gamma_log_weight(x, a)));
        }
    }
}

static void beta_quantile_inverts_and_rises(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t k = 0; k < COUNT(shapes); k++) {
            double a = shapes[i], b = shapes[k], before = 0;

            for (size_t j = 0; j < COUNT(levels); j++) {
                double u = levels[j], x = bnre__beta_quantile(u, a, b);

                assert_true(x >= before * (1 - 1e-13) && x <= 1);
                before = x;
                if (x > 1e-300 && x < 1)
                    assert_inverts(bnre__beta_cdf(x, a, b), u,
                                   exp(bnre__beta_log_weight(x, 1 - x, a, b)) /
                                       (1 - x));
            }
        }
}

/* The logit tells numbers apart that are both 1 as doubles. */
static void beta_logit_inverts_at_both_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t j = 0; j < COUNT(levels); j++) {
            double a = shapes[i], b = 0.3, u = levels[j], p, q;
            double z = bnre__beta_logit(u, 1 - u, a, b);

            assert_close(bnre__beta_logit(1 - u, u, b, a), -z, 1e-13);
            if (fabs(z) > 600)
                continue;
            bnre__beta_tails(1 / (1 + exp(-z)), 1 / (1 + exp(z)), a, b, &p, &q);
            assert_close(p / u, 1, 2e-12);
        }
}

static void student_quantile_inverts_and_rises(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        double df = shapes[i], before = -HUGE_VAL;

        for (size_t j = 0; j < COUNT(levels); j++) {
            double u = levels[j], t = bnre__student_t_quantile(u, df);

            assert_true(t >= before);
            before = t;
            if (isfinite(t))
                assert_close(bnre__student_t_cdf(t, df) / u, 1, 2e-12);
        }
        for (int k = 1; k < 32; k++)
            assert_true(bnre__student_t_quantile(k / 64.0, df) ==
                        -bnre__student_t_quantile(1 - k / 64.0, df));
    }
    /* with 1 and 2 degrees of freedom there are formulas */
    for (double u = 0.01; u < 1; u += 0.01) {
        assert_close(bnre__student_t_quantile(u, 1), -1 / tan(acos(-1) * u),
                     1e-14);
        assert_close(bnre__student_t_quantile(u, 2),
                     (2 * u - 1) / sqrt(2 * u * (1 - u)), 1e-14);
    }
}

static void normal_quantile_inverts_and_is_odd(void **state)
{
    double before = -HUGE_VAL;

    (void)state;
    for (double e = -300; e < -0.4; e += 0.1) {
        double u = pow(10, e), x = bnre__normal_quantile(u);

        assert_true(x > before);
        before = x;
        assert_close(bnre__normal_cdf(x) / u, 1, 1e-12);
    }
    for (int k = 1; k < 64; k++)
        assert_true(bnre__normal_quantile(k / 64.0) ==
                    -bnre__normal_quantile(1 - k / 64.0));
    assert_true(bnre__normal_quantile(0.5) == 0);
}

static void ends_are_exact_and_nonsense_is_nan(void **state)
{
    const double bad[] = {NAN, -0.1, 1.1};

    (void)state;
    assert_true(bnre__normal_quantile(0) == -INFINITY);
    assert_true(bnre__normal_quantile(1) == INFINITY);
    assert_true(bnre__gamma_quantile(0, 3) == 0);
    assert_true(bnre__gamma_quantile(1, 3) == INFINITY);
    assert_true(bnre__beta_quantile(0, 2, 3) == 0);
    assert_true(bnre__beta_quantile(1, 2, 3) == 1);
    assert_true(bnre__student_t_quantile(0, 2) == -INFINITY);
    assert_true(bnre__student_t_quantile(0.5, 2) == 0);
    assert_true(bnre__student_t_quantile(1, 2) == INFINITY);
    assert_true(bnre__gamma_cdf(-1, 2) == 0 && bnre__gamma_cdf(0, 2) == 0);
    assert_true(bnre__gamma_cdf(INFINITY, 2) == 1);
    assert_true(bnre__beta_cdf(-1, 2, 2) == 0 && bnre__beta_cdf(2, 2, 2) == 1);
    assert_true(bnre__student_t_cdf(-INFINITY, 2) == 0);
    assert_true(bnre__student_t_cdf(INFINITY, 2) == 1);
    assert_true(bnre__student_t_cdf(0, 2) == 0.5);
    assert_true(bnre__normal_cdf(-INFINITY) == 0);
    assert_true(bnre__student_t_cdf(1, INFINITY) == bnre__normal_cdf(1));
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_true(isnan(bnre__normal_quantile(bad[i])));
        assert_true(isnan(bnre__gamma_quantile(bad[i], 2)));
        assert_true(isnan(bnre__beta_quantile(bad[i], 2, 2)));
        assert_true(isnan(bnre__student_t_quantile(bad[i], 2)));
    }
    assert_true(isnan(bnre__normal_cdf(NAN)));
    assert_true(isnan(bnre__gamma_cdf(NAN, 1)));
    assert_true(isnan(bnre__gamma_cdf(1, 0)));
    assert_true(isnan(bnre__gamma_cdf(1, NAN)));
    assert_true(isnan(bnre__gamma_quantile(0.5, -1)));
    assert_true(isnan(bnre__beta_cdf(NAN, 1, 1)));
    assert_true(isnan(bnre__beta_cdf(0.5, 0, 1)));
    assert_true(isnan(bnre__beta_cdf(0.5, 1, NAN)));
    assert_true(isnan(bnre__beta_quantile(0.5, 1, 0)));
    assert_true(isnan(bnre__student_t_cdf(NAN, 1)));
    assert_true(isnan(bnre__student_t_cdf(1, 0)));
    assert_true(isnan(bnre__student_t_quantile(0.5, NAN)));
}

/* Far outside what anybody needs: still a number in range, and quickly (the
   test would not end otherwise). */
static void extreme_shapes_give_numbers(void **state)
{
    const double size[] = {1e-300, 1e-50, 1e-5,  1,    501,
                           1e8,    1e15,  1e100, 1e300};

    (void)state;
    for (size_t i = 0; i < COUNT(size); i++)
        for (size_t j = 0; j < COUNT(levels); j++) {
            double x = bnre__gamma_quantile(levels[j], size[i]);
            double t = bnre__student_t_quantile(levels[j], size[i]);

            assert_true(x >= 0 && isfinite(x) && !isnan(t));
            assert_in_range((int)bnre__gamma_cdf(x, size[i]), 0, 1);
            assert_true(bnre__student_t_cdf(t, size[i]) >= 0);
            for (size_t k = 0; k < COUNT(size); k++) {
                double y = bnre__beta_quantile(levels[j], size[i], size[k]);
                double p = bnre__beta_cdf(y, size[i], size[k]);

                assert_true(y >= 0 && y <= 1 && p >= 0 && p <= 1);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_agrees_with_long_arithmetic),
        cmocka_unit_test(others_agree_with_long_arithmetic),
        cmocka_unit_test(gamma_agrees_with_gsl),
        cmocka_unit_test(beta_agrees_with_gsl),
        cmocka_unit_test(student_agrees_with_gsl),
        cmocka_unit_test(quantiles_agree_with_gsl),
        cmocka_unit_test(gamma_quantile_inverts_and_rises),
        cmocka_unit_test(beta_quantile_inverts_and_rises),
        cmocka_unit_test(beta_logit_inverts_at_both_ends),
        cmocka_unit_test(student_quantile_inverts_and_rises),
        cmocka_unit_test(normal_quantile_inverts_and_is_odd),
        cmocka_unit_test(ends_are_exact_and_nonsense_is_nan),
        cmocka_unit_test(extreme_shapes_give_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
