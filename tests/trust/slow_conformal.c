/* An overconfident estimator on a hard task: nominal regions miss, conformal
   ones cover. */
#include <math.h>
#include <stdlib.h>

#include "bnre/conformal.h"
#include "support.h"
#include "training.h"

/* NRE on 1,024 SLCP simulations; 1,000 pairs to calibrate with, 3,000 fresh
   ones to look at: the standard error of coverage is 0.004, to which the Beta
   law of the calibration adds 0.007. */
static void conformal_regions_cover_where_nominal_ones_miss(void **state)
{
    enum { PAIRS = 3000 };
    const double level = 0.95;
    bnre_train_opts opts = bnre_train_opts_default();
    const char *path = scratch_path("nre.h5");
    bnre_dataset *calibrate = NULL, *test = NULL;
    bnre_estimator *est = NULL;
    bnre_density density;
    bnre_pool *pool = NULL;
    bnre_conformal conformal;
    double *theta = malloc(PAIRS * 2 * sizeof *theta);
    double *score = malloc(PAIRS * sizeof *score), nominal = 0, covered = 0;
    float *x = malloc(PAIRS * 8 * sizeof *x);

    (void)state;
    opts.data =
        (char *)training_data("train.h5", "slcp", 1024, BNRE_SPLIT_TRAIN);
    opts.method = BNRE_METHOD_NRE;
    assert_ok(bnre_pool_create(2, &pool));
    opts.pool = pool;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre_dataset_open(
        training_data("calibrate.h5", "slcp", 1000, BNRE_SPLIT_CALIBRATE),
        &calibrate));
    assert_ok(bnre_conformal_calibrate(est, calibrate, pool));
    assert_ok(bnre_dataset_open(
        training_data("test.h5", "slcp", PAIRS, BNRE_SPLIT_TEST), &test));
    assert_int_equal(bnre_dataset_describe(test)->x_size, 8);
    assert_ok(bnre_dataset_read(test, 0, PAIRS, theta, NULL, x, NULL));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre_conformal_scores(&density, PAIRS, theta, x, pool, score));
    conformal =
        bnre_conformal_level(bnre_estimator_describe(est)->scores,
                             bnre_estimator_describe(est)->calibration, level);
    for (size_t i = 0; i < PAIRS; i++) {
        nominal += score[i] <= level ? 1.0 / PAIRS : 0;
        covered += score[i] <= conformal.qhat ? 1.0 / PAIRS : 0;
    }
    print_message("nominal %.4f, conformal %.4f (qhat %.4f)\n", nominal,
                  covered, conformal.qhat);
    assert_true(nominal < level - 0.015);
    assert_true(covered > level - 3 * 0.008);
    assert_true(covered < level + 3 * 0.008 + 0.01);
    bnre_dataset_close(test);
    bnre_dataset_close(calibrate);
    bnre_estimator_close(est);
    bnre_pool_destroy(pool);
    free(x);
    free(score);
    free(theta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conformal_regions_cover_where_nominal_ones_miss),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
