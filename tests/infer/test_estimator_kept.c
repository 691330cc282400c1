/* Estimators of earlier versions: files that were written once and are kept in
   tests/data. Each must open for good and give the numbers it gave.

   To write the file of the present format, after the version of the format was
   raised and never otherwise:  tests/infer_test_estimator_kept write FILE  */
#include <stdio.h>
#include <string.h>

#include "estimators.h"
#include "support.h"

/* theta, x and the result of version 1, from the program that wrote it. */
static const double theta[][2] = {{0.5, 2}, {20, -3}, {88, 150}};
static const double x[][3] = {{5, 6, 1}, {5.5f, 5, 0.01f}, {7, 5.25f, 300}};
static const double expected[] = {0.20012951402080581, 0.26371413179413966,
                                  -0.81205294478453149};
static const char fingerprint[] = "169c55f72555b32cf00cc1dbf14ee925";

static void version_1_opens(void **state)
{
    bnre_estimator *est = NULL;
    const bnre_estimator_info *info;
    bnre_estimator_member member;
    double found[3];
    char hash[33];

    (void)state;
    assert_ok(bnre_estimator_open(TEST_DATA "/estimator-v1.h5", &est));
    info = bnre_estimator_describe(est);
    assert_int_equal(info->kind, BNRE_ESTIMATOR_RATIO);
    assert_int_equal(info->members, 3);
    assert_string_equal(info->version, "0.1.0");
    assert_string_equal(info->theta_name[0], "rate");
    assert_int_equal(info->training.rows, 270);
    assert_int_equal(info->training.failed, 3);
    assert_non_null(strstr(info->settings, "lambda: 100"));
    assert_ok(bnre_estimator_fingerprint(est, hash));
    assert_string_equal(hash, fingerprint);
    member = bnre_estimator_describe_member(est, 1);
    assert_true(member.seed == UINT64_MAX - 1);
    assert_int_equal(member.epochs, 3);
    assert_string_equal(member.name[1], "validation_cross_entropy");
    assert_close(member.history[1], 1.2, 1e-15);
    assert_ok(bnre_estimator_log_ratio(est, NULL, 3, theta[0], x[0], found));
    for (size_t i = 0; i < 3; i++)
        assert_close(found[i], expected[i], 1e-5);
    bnre_estimator_close(est);
}

static int write_file(const char *path)
{
    bnre_estimator *est = NULL;
    double out[3];
    char hash[33];

    assert_ok(some_estimator_create(EST_ENSEMBLE, &est));
    assert_ok(bnre_estimator_save(est, path, 0));
    assert_ok(bnre_estimator_log_ratio(est, NULL, 3, theta[0], x[0], out));
    assert_ok(bnre_estimator_fingerprint(est, hash));
    printf("%s\n%.17g, %.17g, %.17g\n", hash, out[0], out[1], out[2]);
    bnre_estimator_close(est);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_1_opens),
    };

    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_file(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
