/* Estimators that version 0.1.0 wrote, one of each kind, kept in
   tests/data/0.1.0: every later version must open them and give the numbers
   that 0.1.0 gave, which are in expected.txt there.

   `tests/infer_test_kept_0_1_0 print` prints what the present program finds,
   in the form of that file. */
#include <stdio.h>
#include <string.h>

#include "bnre/estimator.h"
#include "support.h"

#define KEPT TEST_DATA "/0.1.0/"

enum { POINTS = 3, MOST_THETA = 8, MOST_X = 4096 };

static const char *const name[] = {"nre", "bnre",         "trusted",
                                   "cnn", "external-est", "classes"};

/* Points made of small fractions, the same on every machine. */
static void make_points(const bnre_estimator_info *info, double *theta,
                        double *x)
{
    for (size_t i = 0; i < POINTS * info->dim_theta; i++)
        theta[i] = 0.5 + 0.25 * (double)(i % 5);
    for (size_t i = 0; i < POINTS * info->x_size; i++)
        x[i] = 0.5f * (double)(i % 7) - 1;
}

static void find_ratios(const char *which, char hash[33], double *found)
{
    static double theta[POINTS * MOST_THETA];
    static double x[POINTS * MOST_X];
    bnre_estimator *est = NULL;
    const bnre_estimator_info *info;
    char path[512];

    snprintf(path, sizeof path, KEPT "%s.h5", which);
    assert_ok(bnre_estimator_open(path, &est));
    info = bnre_estimator_describe(est);
    assert_string_equal(info->version, "0.1.0");
    assert_true(info->dim_theta <= MOST_THETA && info->x_size <= MOST_X);
    make_points(info, theta, x);
    assert_ok(bnre_estimator_fingerprint(est, hash));
    assert_ok(bnre_estimator_log_ratio(
        est, NULL, POINTS, info->dim_theta > 0 ? theta : NULL, x, found));
    bnre_estimator_close(est);
}

static void estimators_answer_as_they_did(void **state)
{
    FILE *file = fopen(KEPT "expected.txt", "r");
    char which[64], expected_hash[64], hash[33];
    double expected[POINTS], found[POINTS];
    size_t lines = 0;

    (void)state;
    assert_non_null(file);
    while (fscanf(file, "%63s %63s %lf %lf %lf", which, expected_hash,
                  &expected[0], &expected[1], &expected[2]) == 5) {
        find_ratios(which, hash, found);
        assert_string_equal(hash, expected_hash);
        for (size_t i = 0; i < POINTS; i++)
            assert_close(found[i], expected[i], 1e-5);
        lines++;
    }
    fclose(file);
    assert_int_equal(lines, sizeof name / sizeof *name);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimators_answer_as_they_did),
    };
    char hash[33];
    double found[POINTS];

    if (argc == 2 && strcmp(argv[1], "print") == 0) {
        for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
            find_ratios(name[i], hash, found);
            printf("%s %s %.9g %.9g %.9g\n", name[i], hash, found[0], found[1],
                   found[2]);
        }
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
