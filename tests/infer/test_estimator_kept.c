/* Estimators of earlier versions: files that were written once and are kept in
   tests/data. Each must open for good and give the numbers it gave:

     estimator-v1.h5     made without training, with scalers of all kinds
     VERSION/NAME.h5     trained by that version, one of each kind; what it gave
                         is in expected.txt there

   tests/infer_test_estimator_kept print VERSION  what the present program finds,
                                                  in the form of that file
   tests/infer_test_estimator_kept write FILE     the first in the present format,
                                                  after its version was raised and
                                                  never otherwise */
#include <stdio.h>
#include <string.h>

#include "estimators.h"
#include "support.h"

enum { POINTS = 3, MOST_THETA = 8, MOST_X = 4096 };

/* ---- made without training ---- */

/* theta, x and the result of version 1, from the program that wrote it. */
static const double v1_theta[][2] = {{0.5, 2}, {20, -3}, {88, 150}};
static const double v1_x[][3] = {{5, 6, 1}, {5.5f, 5, 0.01f}, {7, 5.25f, 300}};
static const double v1_ratio[] = {0.20012951402080581, 0.26371413179413966,
                                  -0.81205294478453149};
static const char v1_hash[] = "169c55f72555b32cf00cc1dbf14ee925";

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
    assert_string_equal(hash, v1_hash);
    member = bnre_estimator_describe_member(est, 1);
    assert_true(member.seed == UINT64_MAX - 1);
    assert_int_equal(member.epochs, 3);
    assert_string_equal(member.name[1], "validation_cross_entropy");
    assert_close(member.history[1], 1.2, 1e-15);
    assert_ok(
        bnre_estimator_log_ratio(est, NULL, 3, v1_theta[0], v1_x[0], found));
    for (size_t i = 0; i < 3; i++)
        assert_close(found[i], v1_ratio[i], 1e-5);
    bnre_estimator_close(est);
}

static int write_file(const char *path)
{
    bnre_estimator *est = NULL;
    double out[3];
    char hash[33];

    assert_ok(some_estimator_create(EST_ENSEMBLE, &est));
    assert_ok(bnre_estimator_save(est, path, 0));
    assert_ok(
        bnre_estimator_log_ratio(est, NULL, 3, v1_theta[0], v1_x[0], out));
    assert_ok(bnre_estimator_fingerprint(est, hash));
    printf("%s\n%.17g, %.17g, %.17g\n", hash, out[0], out[1], out[2]);
    bnre_estimator_close(est);
    return 0;
}

/* ---- trained by earlier versions ---- */

typedef struct kept_set {
    const char *version, *name[8];
} kept_set;

static const kept_set kept[] = {
    {"0.1.0", {"nre", "bnre", "trusted", "cnn", "external-est", "classes"}},
    {"0.2.0", {"npe", "bnpe", "trusted", "external-est"}},
};

/* Points made of small fractions, the same on every machine. */
static void make_points(const bnre_estimator_info *info, double *theta,
                        double *x)
{
    for (size_t i = 0; i < POINTS * info->dim_theta; i++)
        theta[i] = 0.5 + 0.25 * (double)(i % 5);
    for (size_t i = 0; i < POINTS * info->x_size; i++)
        x[i] = 0.5f * (double)(i % 7) - 1;
}

static void find_ratios(const char *version, const char *which, char hash[33],
                        double *found)
{
    static double theta[POINTS * MOST_THETA];
    static double x[POINTS * MOST_X];
    bnre_estimator *est = NULL;
    const bnre_estimator_info *info;
    char path[512];

    snprintf(path, sizeof path, TEST_DATA "/%s/%s.h5", version, which);
    assert_ok(bnre_estimator_open(path, &est));
    info = bnre_estimator_describe(est);
    assert_string_equal(info->version, version);
    assert_true(info->dim_theta <= MOST_THETA && info->x_size <= MOST_X);
    make_points(info, theta, x);
    assert_ok(bnre_estimator_fingerprint(est, hash));
    assert_ok(bnre_estimator_log_ratio(
        est, NULL, POINTS, info->dim_theta > 0 ? theta : NULL, x, found));
    bnre_estimator_close(est);
}

static void answers_as_it_did(const kept_set *set)
{
    char path[512], which[64], expected_hash[64], hash[33];
    double expected[POINTS], found[POINTS];
    FILE *file;
    size_t lines = 0;

    snprintf(path, sizeof path, TEST_DATA "/%s/expected.txt", set->version);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fscanf(file, "%63s %63s %lf %lf %lf", which, expected_hash,
                  &expected[0], &expected[1], &expected[2]) == 5) {
        assert_non_null(set->name[lines]);
        assert_string_equal(which, set->name[lines]);
        find_ratios(set->version, which, hash, found);
        assert_string_equal(hash, expected_hash);
        for (size_t i = 0; i < POINTS; i++)
            assert_close(found[i], expected[i], 1e-5);
        lines++;
    }
    fclose(file);
    assert_null(set->name[lines]);
}

static void estimators_answer_as_they_did(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        answers_as_it_did(&kept[i]);
}

static int print_all(const char *version)
{
    char hash[33];
    double found[POINTS];

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const kept_set *set = &kept[i];

        for (size_t k = 0; strcmp(set->version, version) == 0 && set->name[k];
             k++) {
            find_ratios(version, set->name[k], hash, found);
            printf("%s %s %.9g %.9g %.9g\n", set->name[k], hash, found[0],
                   found[1], found[2]);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_1_opens),
        cmocka_unit_test(estimators_answer_as_they_did),
    };

    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_file(argv[2]);
    if (argc == 3 && strcmp(argv[1], "print") == 0)
        return print_all(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
