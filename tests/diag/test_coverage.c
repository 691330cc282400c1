#include "bnre/diag.h"

#include <math.h>

#include "bnre/rng.h"
#include "diag/diag.h"
#include "oracle.h"
#include "support.h"

/* P(X >= k) and P(X <= k) of n trials. */
static double at_least(unsigned k, unsigned n, double p)
{
    double sum = 0;

    for (unsigned i = k; i <= n; i++)
        sum += oracle_binomial(i, n, p);
    return sum;
}

static double at_most(unsigned k, unsigned n, double p)
{
    double sum = 0;

    for (unsigned i = 0; i <= k; i++)
        sum += oracle_binomial(i, n, p);
    return sum;
}

/* The definition: k or more successes have probability delta there. */
static void bounds_are_those_of_clopper_and_pearson(void **state)
{
    const unsigned n[] = {20, 57, 1000};
    const double delta[] = {0.05, 0.025, 0.05 / 19};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (unsigned k = 1; k < n[i]; k += n[i] / 7) {
            double low = bnre__binomial_lower(k, n[i], delta[i]);
            double high = bnre__binomial_upper(k, n[i], delta[i]);

            assert_close(at_least(k, n[i], low) / delta[i], 1, 1e-9);
            assert_close(at_most(k, n[i], high) / delta[i], 1, 1e-9);
        }
    assert_true(bnre__binomial_lower(0, 20, 0.05) == 0);
    assert_true(bnre__binomial_upper(20, 20, 0.05) == 1);
    assert_close(bnre__binomial_lower(20, 20, 0.05), pow(0.05, 0.05), 1e-12);
}

static void ranks_at_a_level_are_covered_unless_strict(void **state)
{
    double rank[BNRE_DIAG_LEVELS + 2] = {0};
    bnre_coverage loose, strict;

    (void)state;
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        rank[i + 1] = bnre_diag_level(i);
    rank[BNRE_DIAG_LEVELS + 1] = 1;
    bnre__coverage_of(BNRE_DIAG_LEVELS + 2, rank, 0, 0.05, &loose);
    bnre__coverage_of(BNRE_DIAG_LEVELS + 2, rank, 1, 0.05, &strict);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        assert_int_equal(loose.covered[i], i + 2);
        assert_int_equal(strict.covered[i], i + 1);
    }
}

static void counts_equal_a_plain_loop(void **state)
{
    enum { N = 5000 };
    double *rank = test_malloc(N * sizeof *rank), auc = 0, mean = 0;
    bnre_rng rng = bnre_rng_stream(1, 99, 0);
    bnre_coverage c;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        /* Many exactly at a level or one rounding beside it. */
        rank[i] = bnre_rng_uniform(&rng);
        if (i % 3 == 0)
            rank[i] = floor(20 * rank[i]) * 0.05;
        mean += rank[i] / N;
    }
    bnre__coverage_of(N, rank, 0, 0.1, &c);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        size_t covered = 0;

        for (size_t i = 0; i < N; i++)
            covered += rank[i] <= bnre_diag_level(k);
        assert_int_equal(c.covered[k], covered);
        assert_close(c.share[k], (double)covered / N, 1e-15);
        assert_close(c.low[k], bnre__binomial_lower(covered, N, 0.05), 1e-15);
        assert_close(c.high[k], bnre__binomial_upper(covered, N, 0.05), 1e-15);
        auc += (c.share[k] - bnre_diag_level(k)) / BNRE_DIAG_LEVELS;
    }
    assert_close(c.auc.mean, auc, 1e-12);
    assert_close(c.mean_auc.mean, 0.5 - mean, 1e-12);
    assert_close(c.band, sqrt(log(20) / (2.0 * N)), 1e-12);
    test_free(rank);
}

/* Uniform ranks: mean 1/2, variance 1/12. */
static void errors_of_the_auc_are_standard_errors(void **state)
{
    enum { N = 100000 };
    double *rank = test_malloc(N * sizeof *rank);
    bnre_coverage c;

    (void)state;
    for (size_t i = 0; i < N; i++)
        rank[i] = ((double)i + 0.5) / N;
    bnre__coverage_of(N, rank, 0, 0.05, &c);
    assert_close(c.mean_auc.mean, 0, 1e-12);
    assert_close(c.mean_auc.error * sqrt(12.0 * N), 1, 1e-4);
    /* The 19 levels cut (0, 1) into 20 equal parts. */
    assert_close(c.auc.mean, 0, 1e-12);
    assert_close(c.auc.error * sqrt(N) / (sqrt(399 / 12.0) / 19), 1, 1e-4);
    test_free(rank);
}

/* Half of them below 1/2: KS distance 1/4 exactly. */
static void uniformity_is_measured(void **state)
{
    enum { N = 1000 };
    double value[N];
    size_t count[10];
    bnre_uniformity u;

    (void)state;
    for (size_t i = 0; i < N; i++)
        value[i] = ((double)i + 0.5) / N;
    assert_ok(bnre__uniformity_of(N, value, 10, count, &u));
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(count[i], N / 10);
    assert_close(u.ks, 0.5 / N, 1e-12);
    assert_close(u.ks_p, 1, 1e-12);
    assert_close(u.chi_square, 0, 1e-12);
    assert_close(u.chi_square_p, 1, 1e-12);
    for (size_t i = 0; i < N; i++)
        value[i] = 1 - 0.75 * value[i];
    assert_ok(bnre__uniformity_of(N, value, 10, count, &u));
    assert_close(u.ks, 0.25 + 0.375 / N, 1e-12);
    assert_true(u.ks_p < 1e-10 && u.chi_square_p < 1e-10);
    assert_int_equal(count[0], 0);
    value[0] = 1; /* belongs to the last bin */
    assert_ok(bnre__uniformity_of(1, value, 10, count, &u));
    assert_int_equal(count[9], 1);
}

/* P-values of uniform values are uniform themselves, to the accuracy of their
   formulas. Wrong once in 1e4 seeds each. */
static void p_values_are_uniform(void **state)
{
    enum { RUNS = 2000, N = 200 };
    double *ks = test_malloc(RUNS * sizeof *ks), value[N];
    double *chi = test_malloc(RUNS * sizeof *chi);
    size_t count[20], few = 0;

    (void)state;
    for (size_t r = 0; r < RUNS; r++) {
        bnre_rng rng = bnre_rng_stream(2, 99, r);
        bnre_uniformity u;

        for (size_t i = 0; i < N; i++)
            value[i] = bnre_rng_uniform(&rng);
        assert_ok(bnre__uniformity_of(N, value, 20, count, &u));
        ks[r] = u.ks_p;
        chi[r] = u.chi_square_p;
        few += u.chi_square_p < 0.05;
    }
    assert_true(ks_uniform_pvalue(RUNS, ks) > 1e-4);
    assert_true(ks_uniform_pvalue(RUNS, chi) > 1e-4);
    assert_in_range(few, 60, 140);
    test_free(chi);
    test_free(ks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_those_of_clopper_and_pearson),
        cmocka_unit_test(ranks_at_a_level_are_covered_unless_strict),
        cmocka_unit_test(counts_equal_a_plain_loop),
        cmocka_unit_test(errors_of_the_auc_are_standard_errors),
        cmocka_unit_test(uniformity_is_measured),
        cmocka_unit_test(p_values_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
