/* An overconfident estimator on a hard task: nominal regions miss, conformal
   ones cover. */
#include <math.h>
#include <stdlib.h>

#include "bnre/certificate.h"
#include "support.h"
#include "training.h"
#include "trust/conformal.h"

enum { PAIRS = 10000, CALIBRATING = 1000 };

/* NRE on 1,024 SLCP simulations, trained hard: small batches, the last epoch.
 */
static bnre_estimator *overconfident(bnre_pool *pool)
{
    bnre_node *network =
        training_network("{head: {hidden: [64, 64, 64], activation: elu}}");
    bnre_train_opts opts = bnre_train_opts_default();
    const char *path = scratch_path("nre.h5");
    bnre_dataset *calibrate = NULL;
    bnre_estimator *est = NULL;

    opts.data = training_data("train.h5", "slcp", 1024, BNRE_SPLIT_TRAIN);
    opts.settings = network;
    opts.method = BNRE_METHOD_NRE;
    opts.weights = BNRE_WEIGHTS_LAST;
    opts.batch_size = 32;
    opts.learning_rate = 0.003;
    opts.pool = pool;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(
        bnre_dataset_open(training_data("calibrate.h5", "slcp", CALIBRATING,
                                        BNRE_SPLIT_CALIBRATE),
                          &calibrate));
    assert_ok(bnre__conformal_calibrate(est, calibrate, 0, pool));
    bnre_dataset_close(calibrate);
    bnre_node_destroy(network);
    return est;
}

static double share_below(const double *score, double bound)
{
    double share = 0;

    for (size_t i = 0; i < PAIRS; i++)
        share += score[i] <= bound ? 1.0 / PAIRS : 0;
    return share;
}

/* Coverage on 10,000 fresh pairs, within three standard errors, to which the
   Beta law of the calibration adds its own. */
static void conformal_regions_cover_where_nominal_ones_miss(void **state)
{
    static const double level[] = {0.5, 0.8, 0.95};
    const bnre_estimator_info *info;
    bnre_dataset *test = NULL;
    bnre_estimator *est;
    bnre_density density;
    bnre_pool *pool = NULL;
    double *theta = malloc(PAIRS * 2 * sizeof *theta);
    double *score = malloc(PAIRS * sizeof *score);
    double *x = malloc(PAIRS * 8 * sizeof *x);

    (void)state;
    assert_ok(bnre_pool_create(2, &pool));
    est = overconfident(pool);
    info = bnre_estimator_describe(est);
    assert_ok(bnre_dataset_open(
        training_data("test.h5", "slcp", PAIRS, BNRE_SPLIT_TEST), &test));
    assert_int_equal(bnre_dataset_describe(test)->x_size, 8);
    assert_ok(bnre_dataset_read(test, 0, PAIRS, theta, NULL, x, NULL));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre__conformal_scores(&density, PAIRS, theta, x, pool, score));
    for (size_t i = 0; i < 3; i++) {
        const double c = level[i];
        const bnre_conformal conformal =
            bnre__conformal_level(info->scores, info->calibration, c);
        const double nominal = share_below(score, c);
        const double covered = share_below(score, conformal.qhat);
        const double error =
            sqrt(c * (1 - c) * (1.0 / PAIRS + 1.0 / CALIBRATING));

        print_message("level %g: nominal %.4f, conformal %.4f +- %.4f\n", c,
                      nominal, covered, error);
        assert_true(nominal < c - 0.04);
        assert_close(covered, c, 3 * error);
    }
    bnre_dataset_close(test);
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
