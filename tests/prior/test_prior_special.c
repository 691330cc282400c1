/* Priors with conditions between parameters, and priors known by draws. */
#include <math.h>
#include <string.h>

#include "bnre/prior.h"
#include "support.h"

static const char *const names[] = {"m1", "m2"};
static const char *const boxes[] = {"uniform(10, 80)", "uniform(10, 80)"};

static bnre_prior *boxed(void)
{
    bnre_prior *prior = NULL;

    assert_ok(bnre_prior_create(2, names, boxes, &prior));
    return prior;
}

/* m1 >= m2 on a square keeps half of it: twice the density. The larger of two
   uniforms squared is uniform again, and so is the smaller over the larger.
   Two tests at p < 1e-5. */
static void an_ordered_prior_has_the_law_of_order_statistics(void **state)
{
    enum { N = 20000 };
    static double u[N], v[N];
    const char *const condition[] = {"m1 >= m2"};
    bnre_prior *prior = boxed();

    (void)state;
    assert_ok(bnre_prior_constrain(prior, 1, condition));
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(4, 0, i);
        double theta[2], large, small;

        bnre_prior_draw(prior, &rng, theta);
        assert_true(theta[0] >= theta[1]);
        large = (theta[0] - 10) / 70;
        small = (theta[1] - 10) / 70;
        u[i] = large * large;
        v[i] = small / large;
    }
    assert_true(ks_uniform_pvalue(N, u) > 1e-5);
    assert_true(ks_uniform_pvalue(N, v) > 1e-5);
    /* The share is measured: 1/2 to 0.4 % (one sd), 4.5 of them allowed. */
    assert_close(bnre_prior_log_density(prior, (const double[]){50, 20}),
                 log(2.0 / 4900), 4.5 * 0.004 / fabs(log(2.0 / 4900)));
    assert_true(isinf(bnre_prior_log_density(prior, (const double[]){20, 50})));
    assert_true(isinf(bnre_prior_log_density(prior, (const double[]){90, 50})));
    bnre_prior_destroy(prior);
}

static void impossible_or_wrong_conditions_are_refused(void **state)
{
    const char *const never[] = {"m1 > m2", "m2 > m1"};
    const char *const wrong[] = {"m1 > m3"};
    bnre_prior *prior = boxed();

    (void)state;
    assert_fails(bnre_prior_constrain(prior, 2, never), BNRE_EUSAGE,
                 "0 of 65536 draws");
    bnre_prior_destroy(prior);
    prior = boxed();
    assert_fails(bnre_prior_constrain(prior, 1, wrong), BNRE_EUSAGE,
                 "\"m3\" is no parameter");
    bnre_prior_destroy(prior);
}

static const double table[] = {1, 10, 3, 30, 2, 20, 2, 25};

static void draws_are_rows_of_the_table(void **state)
{
    bnre_prior *prior = NULL;
    size_t seen[4] = {0};
    double low, high, mean, variance, chi = 0;

    (void)state;
    assert_ok(bnre_prior_create_samples(2, names, 4, table, &prior));
    for (size_t i = 0; i < 4000; i++) {
        bnre_rng rng = bnre_rng_stream(4, 0, i);
        double theta[2];
        size_t row = 0;

        bnre_prior_draw(prior, &rng, theta);
        while (row < 4 && memcmp(theta, table + 2 * row, sizeof theta) != 0)
            row++;
        assert_true(row < 4); /* pairs stay together */
        seen[row]++;
    }
    for (size_t row = 0; row < 4; row++)
        chi += pow((double)seen[row] - 1000, 2) / 1000;
    assert_true(chi_square_pvalue(chi, 3) > 1e-5);
    assert_false(bnre_prior_has_density(prior));
    assert_true(isnan(bnre_prior_log_density(prior, table)));
    bnre_prior_support(prior, 1, &low, &high);
    assert_true(low == 10 && high == 30);
    bnre_prior_moments(prior, 0, &mean, &variance);
    assert_close(mean, 2, 1e-15);
    assert_close(variance, 2.0 / 3, 1e-15);
    assert_close(bnre_prior_cdf(prior, 0, 2), 0.75, 0);
    assert_close(bnre_prior_cdf(prior, 0, 1.5), 0.25, 0);
    assert_close(bnre_prior_cdf(prior, 0, 0), 0, 0);
    assert_close(bnre_prior_quantile(prior, 0, 0.25), 1, 0);
    assert_close(bnre_prior_quantile(prior, 0, 0.26), 2, 0);
    assert_close(bnre_prior_quantile(prior, 0, 0), 1, 0);
    assert_close(bnre_prior_quantile(prior, 0, 1), 3, 0);
    assert_string_equal(bnre_prior_text(prior, 1), "samples");
    bnre_prior_destroy(prior);
}

static void wrong_tables_are_refused(void **state)
{
    const double bad[] = {1, 2, 3, NAN};
    const char *const condition[] = {"m1 > 0"};
    bnre_prior *prior = NULL;

    (void)state;
    assert_fails(bnre_prior_create_samples(2, names, 1, table, &prior),
                 BNRE_EUSAGE, "2 samples or more");
    assert_fails(bnre_prior_create_samples(2, names, 2, bad, &prior), BNRE_ENUM,
                 "row 1 of m2");
    assert_ok(bnre_prior_create_samples(2, names, 4, table, &prior));
    assert_fails(bnre_prior_constrain(prior, 1, condition), BNRE_EUSAGE,
                 "takes no constraint");
    bnre_prior_destroy(prior);
}

static bnre_status make_both(void *arg)
{
    const char *const condition[] = {"m1 >= m2", "m1 + m2 < 150"};
    bnre_status status = BNRE_OK;
    bnre_prior *prior = NULL, *sample = NULL;

    (void)arg;
    BNRE_TRY(bnre_prior_create(2, names, boxes, &prior));
    BNRE_TRY(bnre_prior_constrain(prior, 2, condition));
    BNRE_TRY(bnre_prior_create_samples(2, names, 4, table, &sample));
done:
    bnre_prior_destroy(sample);
    bnre_prior_destroy(prior);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(make_both, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordered_prior_has_the_law_of_order_statistics),
        cmocka_unit_test(impossible_or_wrong_conditions_are_refused),
        cmocka_unit_test(draws_are_rows_of_the_table),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
