/* The reader of reference numbers and the tools that compare laws. */
#include <math.h>

#include "agreement.h"
#include "support.h"

static void values_are_found_by_path(void **state)
{
    ref *root = ref_load("mg1.json");
    double theta[3], covariance[25], *all;
    size_t n;

    (void)state;
    assert_string_equal(ref_text(ref_at(root, "benchmark")), "mg1");
    assert_int_equal(ref_count(ref_at(root, "points")), 4);
    ref_numbers(ref_at(root, "points/%d/theta", 0), 3, theta);
    assert_close(theta[1], 5, 0);
    ref_numbers(ref_at(root, "points/0/stats/covariance"), 25, covariance);
    assert_close(covariance[1], covariance[5], 0);
    assert_close(ref_number(ref_at(root, "points/0/stats/quantiles/95/4")),
                 33.33683, 0);
    assert_string_equal(ref_key(ref_at(root, "points/0/stats/quantiles"), 4),
                        "95");
    assert_true(ref_has(root, "prior_predictive/stats"));
    assert_false(ref_has(root, "points/4"));
    assert_false(ref_has(root, "points/first"));
    all = ref_array(ref_at(root, "points/0/stats/quantiles/5"), &n);
    assert_int_equal(n, 5);
    assert_close(all[4], 12.72024, 0);
    bnre__free(all);
    ref_free(root);
}

/* The distance of {1..n} + shift from {1..n} is known. */
static void two_samples_are_told_apart(void **state)
{
    enum { N = 1000 };
    static double a[N], b[N];

    (void)state;
    for (int i = 0; i < N; i++) {
        a[i] = N - i;
        b[i] = i + 1.5;
    }
    assert_close(ks_two_sample_pvalue(N, a, N, b), 1, 1e-9);
    for (int i = 0; i < N; i++)
        b[i] = i + 100.5;
    /* distance 0.1 or so: t = sqrt(500) 0.1 = 2.2, 2 exp(-2 t^2) = 1e-4 */
    assert_true(ks_two_sample_pvalue(N, a, N, b) < 2e-4);
    assert_true(ks_two_sample_pvalue(N, a, N, b) > 2e-5);
}

static void mean_has_its_standard_error(void **state)
{
    double v[] = {1, 9, 2, 9, 3, 9, 6, 9}, error;

    (void)state;
    assert_close(sample_mean(4, v, 2, &error), 3, 1e-15);
    assert_close(error, sqrt(14.0 / 12), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_path),
        cmocka_unit_test(two_samples_are_told_apart),
        cmocka_unit_test(mean_has_its_standard_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
