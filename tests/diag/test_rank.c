#include "diag/rank.h"

#include <math.h>

#include "bnre/rng.h"
#include "reference.h"
#include "support.h"

/* Ranks and sizes of regions of an independent implementation, on its grid:
   theta* is not among the nodes and covered if less than the level is denser.
   Of nodes that are equal up to rounding it may take one more. */
static void reference_grid_is_reproduced(void **state)
{
    ref *root = ref_load("nn/hpd.json");

    (void)state;
    for (size_t c = 0; c < ref_count(ref_at(root, "cases")); c++) {
        const ref *one = ref_at(root, "cases/%zu", c);
        size_t n, m;
        double *density = ref_array(ref_at(one, "density/data"), &n);
        double *nominal = ref_array(ref_at(one, "nominal_densities"), &m);
        double *value = test_malloc((n + 1) * sizeof *value), total = 0;
        double *weight = test_malloc((n + 1) * sizeof *weight);
        bnre__ranked *ranked = test_malloc(n * sizeof *ranked);
        double share[BNRE_DIAG_LEVELS];

        for (size_t k = 0; k < n; k++) {
            value[k] = weight[k] = density[k];
            ranked[k] = (bnre__ranked){density[k], density[k], 1};
            total += density[k];
        }
        weight[n] = 0;
        bnre__region_shares(n, ranked, 1, share);
        for (size_t a = 0; a < BNRE_DIAG_LEVELS; a++) {
            const size_t level = BNRE_DIAG_LEVELS - 1 - a;
            double known = ref_number(ref_at(one, "region_fraction/%zu", a));

            assert_close(ref_number(ref_at(root, "alphas/%zu", a)),
                         1 - bnre_diag_level(level), 1e-12);
            assert_true(fabs(share[level] - known) * (double)n < 1.5);
            for (size_t k = 0; k < m; k++) {
                value[n] = nominal[k];
                assert_int_equal(bnre__rank(n + 1, weight, value, total, n, 0) <
                                     bnre_diag_level(level),
                                 (int)ref_number(ref_at(
                                     one, "covered_by_alpha/%zu/%zu", a, k)));
            }
        }
        test_free(ranked);
        test_free(weight);
        test_free(value);
        bnre__free(nominal);
        bnre__free(density);
    }
    ref_free(root);
}

static void ties_are_shared(void **state)
{
    const double weight[] = {1, 2, 3, 4}, value[] = {5, 7, 5, 1};

    (void)state;
    assert_close(bnre__rank(4, weight, value, 10, 0, 0), 0.2, 1e-15);
    assert_close(bnre__rank(4, weight, value, 10, 2, 0.5), 0.4, 1e-15);
    assert_close(bnre__rank(4, weight, value, 10, 0, 1), 0.6, 1e-15);
    assert_close(bnre__rank(4, weight, value, 10, 3, 0.5), 0.8, 1e-15);
    assert_close(bnre__rank(4, weight, value, 10, 3, 1), 1, 1e-15);
}

static void what_has_no_density_comes_last(void **state)
{
    const double none[] = {0, 0}, some[] = {0, 3};
    const double value[] = {-HUGE_VAL, 2};

    (void)state;
    assert_true(bnre__rank(2, none, value, 0, 0, 0.3) == 1);
    assert_true(bnre__rank(2, some, value, 3, 0, 0.3) == 1);
}

/* If each point is the true one with its weight's probability, its rank is
   uniform, for weights however uneven and values with many ties. Wrong once in
   10,000 seeds. */
static void ranks_of_the_true_one_are_uniform(void **state)
{
    enum { N = 4000, POINTS = 6 };
    double *rank = test_malloc(N * sizeof *rank);

    (void)state;
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(1, 99, i);
        double weight[POINTS], value[POINTS], total = 0, pick;
        size_t at = 0;

        for (size_t k = 0; k < POINTS; k++) {
            weight[k] = exp(3 * bnre_rng_normal(&rng));
            value[k] = (double)bnre_rng_below(&rng, 3);
            total += weight[k];
        }
        pick = total * bnre_rng_uniform(&rng);
        while (at + 1 < POINTS && pick >= weight[at])
            pick -= weight[at++];
        rank[i] = bnre__rank(POINTS, weight, value, total, at,
                             bnre_rng_uniform(&rng));
    }
    assert_true(ks_uniform_pvalue(N, rank) > 1e-4);
    test_free(rank);
}

static void regions_take_part_of_a_point(void **state)
{
    bnre__ranked point[] = {{1, 2, 1}, {3, 6, 1}, {2, 2, 1}};
    bnre__ranked flat[] = {{1, 1, 3}, {1, 1, 3}, {1, 1, 3}, {1, 1, 3}};
    bnre__ranked unequal[] = {{1, 2, 5}, {3, 6, 2}, {2, 2, 1}};
    double share[BNRE_DIAG_LEVELS];

    (void)state;
    bnre__region_shares(3, point, 0, share);
    assert_close(share[5], 0.5 / 3, 1e-12);  /* 0.3: half of the first */
    assert_close(share[11], 1.0 / 3, 1e-12); /* 0.6 */
    assert_close(share[13], 1.5 / 3, 1e-12); /* 0.7 */
    assert_close(share[17], 2.5 / 3, 1e-12); /* 0.9 */
    bnre__region_shares(3, unequal, 0, share);
    assert_close(share[5], 1.0 / 8, 1e-12);  /* half of a mass of 2 */
    assert_close(share[13], 2.5 / 8, 1e-12); /* 2, and half of 1 */
    assert_close(share[17], 5.5 / 8, 1e-12); /* 2, 1, and half of 5 */
    bnre__region_shares(4, flat, 0, share);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        assert_close(share[k], bnre_diag_level(k), 1e-12);
    bnre__region_shares(4, flat, 1, share);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        assert_close(share[k], 1, 1e-12);
}

/* Few points and many, in whatever order they come. */
static void regions_are_those_of_sorted_points(void **state)
{
    enum { MOST = 700 };
    static bnre__ranked point[MOST], turned[MOST];
    double share[BNRE_DIAG_LEVELS], again[BNRE_DIAG_LEVELS];
    bnre_rng rng = bnre_rng_stream(43, 0, 0);

    (void)state;
    for (size_t n = 1; n <= MOST; n += n < 20 ? 1 : 97) {
        for (size_t i = 0; i < n; i++) {
            point[i] =
                (bnre__ranked){bnre_rng_normal(&rng), bnre_rng_uniform(&rng),
                               bnre_rng_uniform(&rng)};
            turned[n - 1 - i] = point[i];
        }
        bnre__region_shares(n, point, 0, share);
        bnre__region_shares(n, turned, 0, again);
        for (size_t i = 1; i < n; i++)
            assert_true(point[i].value <= point[i - 1].value);
        assert_memory_equal(point, turned, n * sizeof *point);
        for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
            assert_close(share[k], again[k], 1e-12);
    }
    /* Equal ones stay in their order. */
    for (size_t i = 0; i < 100; i++)
        point[i] = (bnre__ranked){(double)(i % 3), 1, (double)i};
    bnre__region_shares(100, point, 0, share);
    for (size_t i = 1; i < 100; i++)
        assert_true(point[i].value < point[i - 1].value ||
                    point[i].mass > point[i - 1].mass);
}

static void estimates_and_quantiles_are_known_ones(void **state)
{
    const double value[] = {1, 9, 2, 9, 6, 9, 3, 9};
    const double edge[] = {-HUGE_VAL, -HUGE_VAL, 0};
    double scratch[4];
    bnre_estimate e = bnre__estimate(4, value, 2);

    (void)state;
    assert_close(e.mean, 3, 1e-15);
    assert_close(e.error, sqrt(14.0 / 3 / 4), 1e-15);
    assert_close(bnre__quantile(4, value, 2, 0.5, scratch), 2.5, 1e-15);
    assert_close(bnre__quantile(4, value, 2, 1, scratch), 6, 1e-15);
    assert_true(bnre__quantile(3, edge, 1, 0.5, scratch) == -HUGE_VAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_grid_is_reproduced),
        cmocka_unit_test(ties_are_shared),
        cmocka_unit_test(what_has_no_density_comes_last),
        cmocka_unit_test(ranks_of_the_true_one_are_uniform),
        cmocka_unit_test(regions_take_part_of_a_point),
        cmocka_unit_test(regions_are_those_of_sorted_points),
        cmocka_unit_test(estimates_and_quantiles_are_known_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
