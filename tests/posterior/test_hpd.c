#include <math.h>
#include <string.h>

#include "bnre/posterior.h"
#include "densities.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "reference.h"
#include "support.h"

/* Thresholds, region sizes and coverage of an independent implementation. It
   descends to the threshold in decimal steps, down to 1e-15 of the sum, so it
   ends up to that much below the density of the last node; of two nodes equal
   up to rounding it may then take both. */
static void reference_regions_are_reproduced(void **state)
{
    ref *root = ref_load("nn/hpd.json");
    size_t levels = ref_count(ref_at(root, "alphas"));

    (void)state;
    assert_int_equal(levels, 19);
    for (size_t c = 0; c < ref_count(ref_at(root, "cases")); c++) {
        const ref *one = ref_at(root, "cases/%zu", c);
        size_t n, m;
        double *density = ref_array(ref_at(one, "density/data"), &n);
        double *nominal = ref_array(ref_at(one, "nominal_densities"), &m);
        const size_t dims = ref_count(ref_at(one, "density/shape"));
        bnre_prior *prior = prior_of(dims, "uniform(0, 1)");
        bnre_points *points = NULL;
        bnre_posterior *posterior = NULL;
        double sum = 0;

        for (size_t k = 0; k < n; k++)
            sum += density[k];
        assert_ok(bnre__points_paper(
            prior, (size_t)ref_number(ref_at(one, "density/shape/0")),
            &points));
        assert_int_equal(points->n, n);
        for (size_t k = 0; k < n; k++)
            density[k] = log(density[k]);
        assert_ok(bnre__posterior_create(points, &posterior));
        assert_ok(bnre__posterior_weigh(posterior, density, 1));
        for (size_t a = 0; a < levels; a++) {
            const double alpha = ref_number(ref_at(root, "alphas/%zu", a));
            const double level = 1 - alpha;
            bnre_region region;
            double threshold, share;

            assert_ok(bnre_posterior_regions(posterior, 1, &level, &region));
            threshold = ref_number(ref_at(one, "thresholds/%zu", a));
            share = ref_number(ref_at(one, "region_fraction/%zu", a));
            assert_close(exp(region.threshold), threshold, 3e-15 * sum);
            assert_true(region.content >= level);
            assert_true(fabs((double)region.count - share * (double)n) < 1.5);
            for (size_t k = 0; k < m; k++)
                assert_int_equal(log(nominal[k]) >= region.threshold,
                                 (int)ref_number(ref_at(
                                     one, "covered_by_alpha/%zu/%zu", a, k)));
        }
        bnre_posterior_destroy(posterior);
        bnre__points_destroy(points);
        bnre_prior_destroy(prior);
        bnre__free(nominal);
        bnre__free(density);
    }
    ref_free(root);
}

static void nodes_that_tie_all_belong(void **state)
{
    const size_t order[] = {2, 0, 1, 3, 4};
    const double log_density[] = {1, 1, 2, 1, 0};
    const double weight[] = {0.2, 0.2, 0.3, 0.2, 0.1};

    (void)state;
    assert_int_equal(bnre__hpd_count(5, order, log_density, weight, 0.1), 1);
    assert_int_equal(bnre__hpd_count(5, order, log_density, weight, 0.3), 1);
    assert_int_equal(bnre__hpd_count(5, order, log_density, weight, 0.31), 4);
    assert_int_equal(bnre__hpd_count(5, order, log_density, weight, 0.95), 5);
}

struct modes {
    size_t n;
    double at[4][2], sd;
};

static double mixture(const void *context, size_t dim, const double *theta,
                      double *gradient)
{
    const struct modes *modes = context;
    double sum = 0;

    (void)gradient;
    for (size_t m = 0; m < modes->n; m++) {
        double square = 0;

        for (size_t i = 0; i < dim; i++)
            square += pow((theta[i] - modes->at[m][i]) / modes->sd, 2);
        sum += exp(-square / 2);
    }
    return log(sum);
}

static void parts_of_a_region_are_counted(void **state)
{
    const struct modes modes = {4, {{1, 2}, {-1, 2}, {1, -2}, {-1, -2}}, 0.3};
    const double level[] = {0.5, 0.9, 0.9999999};
    bnre_prior *prior = prior_of(2, "normal(0, 3)");
    log_ratio_function function = {prior, mixture, &modes, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    bnre_region region[3];
    const double theta[] = {1, 2, 0, 0, -1, 2.1, NAN, 0};
    int inside[4];

    (void)state;
    assert_ok(bnre__points_grid(prior, 0, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_evaluate(posterior, session, NULL));
    assert_ok(bnre_posterior_regions(posterior, 3, level, region));
    assert_int_equal(region[0].parts, 4);
    assert_int_equal(region[1].parts, 4);
    assert_int_equal(region[2].parts, 2); /* joined where modes are nearer */
    assert_ok(bnre_region_contains(&region[1], session, 4, theta, inside));
    assert_true(inside[0] && !inside[1] && inside[2] && !inside[3]);
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* Two modes apart, equal in height: the region at 0.9 is two intervals, each
   that of a normal distribution. */
static void regions_in_one_dimension_are_intervals(void **state)
{
    const struct modes modes = {2, {{-2, 0}, {1, 0}}, 0.1};
    const double level = 0.9, reach = 1.6448536269514722 * 0.1;
    bnre_prior *prior = prior_of(1, "uniform(-3, 3)");
    log_ratio_function function = {prior, mixture, &modes, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    bnre_region region;
    double low[3], high[3];
    size_t n = 3;

    (void)state;
    assert_ok(bnre__points_grid(prior, 0, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_evaluate(posterior, session, NULL));
    assert_ok(bnre_posterior_regions(posterior, 1, &level, &region));
    assert_int_equal(region.parts, 2);
    /* four ends, each off by up to half a cell */
    assert_close(region.volume, 4 * reach, 2 * 6.0 / 2048);
    assert_close(region.prior_mass, 4 * reach / 6, 2.0 / 2048);
    assert_ok(bnre_posterior_intervals(posterior, &region, &n, low, high));
    assert_int_equal(n, 2);
    assert_close(low[0], -2 - reach, 6.0 / 2048);
    assert_close(high[0], -2 + reach, 6.0 / 2048);
    assert_close(low[1], 1 - reach, 6.0 / 2048);
    assert_close(high[1], 1 + reach, 6.0 / 2048);
    n = 0;
    assert_ok(bnre_posterior_intervals(posterior, &region, &n, NULL, NULL));
    assert_int_equal(n, 2);
    /* Nothing is more than all of the prior, however masses were estimated. */
    for (size_t k = 0; k < points->n; k++)
        points->log_mass[k] += log(20);
    assert_ok(bnre_posterior_regions(posterior, 1, &level, &region));
    assert_close(region.prior_mass, 1, 0);
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* A flat posterior of an exponential prior: the densest part begins at the end
   of the support, which the interval reaches. */
static void intervals_reach_the_end_of_the_support(void **state)
{
    const double level = 0.5;
    bnre_prior *prior = prior_of(1, "exponential(1)");
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    bnre_region region;
    static double zeros[2048];
    double low, high;
    size_t n = 1;

    (void)state;
    assert_ok(bnre__points_grid(prior, 2048, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_weigh(posterior, zeros, 1));
    assert_ok(bnre_posterior_regions(posterior, 1, &level, &region));
    assert_ok(bnre_posterior_intervals(posterior, &region, &n, &low, &high));
    assert_int_equal(n, 1);
    assert_close(low, 0, 0);
    assert_close(high, log(2), 1e-3);
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

static void wrong_levels_are_refused(void **state)
{
    const double wrong[] = {0, 1, -1, NAN};
    const double zeros[9] = {0};
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    bnre_region region = {0};
    size_t n = 0;

    (void)state;
    assert_ok(bnre__points_grid(prior, 3, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_weigh(posterior, zeros, 1));
    for (size_t i = 0; i < 4; i++)
        assert_fails(bnre_posterior_regions(posterior, 1, &wrong[i], &region),
                     BNRE_EINVAL, "between 0 and 1");
    assert_fails(bnre_posterior_intervals(posterior, &region, &n, NULL, NULL),
                 BNRE_EINVAL, "one free parameter");
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_regions_are_reproduced),
        cmocka_unit_test(nodes_that_tie_all_belong),
        cmocka_unit_test(parts_of_a_region_are_counted),
        cmocka_unit_test(regions_in_one_dimension_are_intervals),
        cmocka_unit_test(intervals_reach_the_end_of_the_support),
        cmocka_unit_test(wrong_levels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
