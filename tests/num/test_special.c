#include <math.h>

#include "num/special.h"
#include "oracle.h"
#include "support.h"

static void log_gamma_satisfies_its_recurrence(void **state)
{
    double factorial = 1;

    (void)state;
    for (int n = 1; n < 20; n++) { /* Gamma(n) = (n - 1)! */
        assert_close(bnre__log_gamma(n), log(factorial), 2e-15);
        factorial *= n;
    }
    assert_close(bnre__log_gamma(0.5), 0.5 * log(acos(-1)), 1e-15);
    for (double x = 1e-3; x < 1e6; x *= 1.37)
        assert_close(bnre__log_gamma(x + 1), bnre__log_gamma(x) + log(x),
                     4e-15);
    assert_close(bnre__log_gamma(1e-310), -log(1e-310), 1e-15);
}

/* Gamma(x + 1) = x Gamma(x) in terms of the correction; in particular where
   the two ways to compute it meet. */
static void stirling_satisfies_its_recurrence(void **state)
{
    (void)state;
    for (double x = 0.1; x < 1e4; x *= 1.05)
        assert_close(bnre__stirling(x) - bnre__stirling(x + 1),
                     (x + 0.5) * log1p(1 / x) - 1, 8e-15);
    assert_close(bnre__stirling(1e10) * 12e10, 1, 1e-15);
}

static void small_differences_keep_their_digits(void **state)
{
    (void)state;
    for (double x = 1e-150; x < 1e-4; x *= 10) {
        double series = -x * x / 2 * (1 - 2 * x / 3 + x * x / 2);

        assert_close(bnre__log1p_less(x) / series, 1, 2e-12);
    }
    for (double x = -0.99; x < 5; x += 0.013)
        assert_close(bnre__log1p_less(x), log1p(x) - x, 1e-15);
    for (double x = 0.1; x < 100; x *= 1.3)
        for (double m = 0.1; m < 100; m *= 1.3)
            assert_close(bnre__deviance(x, m), x * log(x / m) + m - x, 1e-13);
    /* 1/2 (x - m)^2 / m and the next term, at a size where logarithms of x and
       m agree in ten digits */
    for (double d = 1; d < 1e4; d *= 10) {
        double m = 1e12, x = m + d;

        assert_close(bnre__deviance(x, m) /
                         (d * d / (2 * m) * (1 - d / (3 * m))),
                     1, 1e-14);
    }
    assert_close(bnre__deviance(0, 3), 3, 1e-15);
    assert_close(bnre__deviance(1e-300, 1e300), 1e300, 1e-15);
}

static void probabilities_of_counts_agree_with_gsl(void **state)
{
    const double p[] = {1e-6, 0.01, 0.3, 0.5, 0.95};
    const unsigned n[] = {1, 2, 10, 100, 5000};

    (void)state;
    for (double mean = 0.1; mean < 1e4; mean *= 2.3)
        for (unsigned k = 0; k < 3 * mean + 20; k += 1 + k / 20) {
            double expected = oracle_poisson(k, mean);

            if (expected > 1e-290)
                assert_close(exp(bnre__poisson_log_pmf(k, mean)) / expected, 1,
                             1e-10);
        }
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++)
            for (unsigned k = 0; k <= n[j]; k += 1 + k / 20) {
                double expected = oracle_binomial(k, n[j], p[i]);

                if (expected > 1e-290)
                    assert_close(
                        exp(bnre__binomial_log_pmf(k, n[j], p[i], 1 - p[i])) /
                            expected,
                        1, 1e-10);
            }
}

/* Neighbouring probabilities have the ratio mean / (k + 1) however large they
   are, which differences of log Gamma would not show. */
static void large_counts_lose_nothing(void **state)
{
    (void)state;
    for (double mean = 1e3; mean < 1e13; mean *= 10)
        for (int z = -5; z <= 5; z++) {
            double k = floor(mean + z * sqrt(mean));
            double step = bnre__poisson_log_pmf(k + 1, mean) -
                          bnre__poisson_log_pmf(k, mean);

            assert_close(step, log1p((mean - k - 1) / (k + 1)), 2e-14);
        }
}

static double power(double x, const void *degree)
{
    return pow(x, *(const int *)degree);
}

static void gauss_is_exact_for_polynomials(void **state)
{
    (void)state;
    for (int degree = 0; degree <= 31; degree++)
        for (int pieces = 1; pieces < 4; pieces++)
            assert_close(bnre__gauss(power, &degree, 0, 1, pieces) *
                             (degree + 1),
                         1, 4e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_gamma_satisfies_its_recurrence),
        cmocka_unit_test(stirling_satisfies_its_recurrence),
        cmocka_unit_test(small_differences_keep_their_digits),
        cmocka_unit_test(probabilities_of_counts_agree_with_gsl),
        cmocka_unit_test(large_counts_lose_nothing),
        cmocka_unit_test(gauss_is_exact_for_polynomials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
