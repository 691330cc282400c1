/* conformal_prior: regions under another prior than that of the pairs contain
   the truth as often as they say. */
#include <math.h>

#include "bnre/density.h"
#include "densities.h"
#include "pairs.h"
#include "support.h"
#include "trust/conformal.h"

/* With weights of 1 it is what it is without. */
static void equal_weights_are_no_weights(void **state)
{
    double score[99], weight[99];
    bnre_conformal weighted, plain;

    (void)state;
    for (size_t i = 0; i < 99; i++) {
        score[i] = (double)(i + 1) / 100;
        weight[i] = 1;
    }
    for (double level = 0.05; level < 1; level += 0.05) {
        assert_ok(bnre__conformal_weigh(99, score, weight, level, &weighted));
        plain = bnre__conformal_level(99, score, level);
        assert_close(weighted.qhat, plain.qhat, 1e-12);
    }
    assert_close(weighted.worth, 99, 1e-9);
    assert_ok(bnre__conformal_weigh(99, score, weight, 0.995, &weighted));
    assert_true(weighted.qhat == 1 && weighted.k == 100);
}

/* Pairs of little weight are too few, however many they are. */
static void weight_counts_and_not_number(void **state)
{
    double score[200], weight[200];
    bnre_conformal out;

    (void)state;
    for (size_t i = 0; i < 200; i++) {
        score[i] = (double)i / 200;
        weight[i] = 0.05;
    }
    assert_ok(bnre__conformal_weigh(200, score, weight, 0.95, &out));
    assert_true(out.qhat == 1 && out.k > out.pairs);
    assert_ok(bnre__conformal_weigh(200, score, weight, 0.8, &out));
    assert_true(out.qhat < 1);
}

/* A posterior that is too narrow by half, calibrated with pairs of N(0, 1), for
   theta of N(0.7, 0.6^2): of 4,000 fresh pairs of the latter at least the level
   less 0.001 is covered. Coverage given 4,000 calibration pairs (worth more than
   1,000) and as many tests has a standard error below 0.013: five of them are
   exceeded once in 10^6. Without weights it would be wrong by more. */
static void weighted_regions_cover_under_the_new_prior(void **state)
{
    enum { N = 4000 };
    const char *const name[] = {"a"}, *const text[] = {"normal(0.7, 0.6)"};
    pairs p = pairs_gaussian(N, 1, 1, 3), fresh = pairs_gaussian(N, 1, 1, 4);
    bnre_prior *own = prior_of(1, "normal(0, 1)"), *prior;
    normal_guess narrow = {own, 0.125, 0};
    const bnre_experiment one = {normal_guess_density(&narrow), 1};
    static double score[N], weight[N], test[N];
    bnre_density density;
    bnre_joint *joint;

    (void)state;
    assert_ok(bnre_prior_create(1, name, text, &prior));
    assert_ok(bnre_joint_create(prior, 1, &one, &joint));
    density = bnre_joint_density(joint);
    assert_ok(density.keep(density.context, N, p.theta, weight));
    assert_ok(bnre__conformal_scores(&density, N, p.theta, p.x, NULL, score));
    for (size_t i = 0; i < N; i++) {
        const double noise = fresh.x[i] - fresh.theta[i];

        fresh.theta[i] = 0.7 + 0.6 * fresh.theta[i];
        fresh.x[i] = fresh.theta[i] + noise;
    }
    assert_ok(
        bnre__conformal_scores(&density, N, fresh.theta, fresh.x, NULL, test));
    for (double level = 0.5; level < 0.96; level += 0.15) {
        bnre_conformal out;
        size_t covered = 0;

        assert_ok(bnre__conformal_weigh(N, score, weight, level, &out));
        assert_true(out.worth > 1000);
        for (size_t i = 0; i < N; i++)
            covered += test[i] <= out.qhat;
        assert_true((double)covered / N > level - 0.001 - 5 * 0.013);
        assert_true((double)covered / N < level + 5 * 0.013);
        assert_true(out.qhat > level + 0.02); /* paid for being too narrow */
    }
    bnre_joint_destroy(joint);
    bnre_prior_destroy(prior);
    bnre_prior_destroy(own);
    pairs_free(&fresh);
    pairs_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_weights_are_no_weights),
        cmocka_unit_test(weight_counts_and_not_number),
        cmocka_unit_test(weighted_regions_cover_under_the_new_prior),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
