/* Estimators to files and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators.h"
#include "foreign_h5.h"
#include "infer/estimator/estimator.h"
#include "support.h"

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (int kind = 0; kind < EST_KINDS; kind++) {
        bnre_estimator *est = NULL, *again = NULL;
        const char *path = scratch_path("a.h5"), *copy = scratch_path("b.h5");
        char hash[2][33];

        assert_ok(some_estimator_create((some_estimator)kind, &est));
        if (kind == EST_ENSEMBLE) {
            bnre__estimator_set_combine(est, BNRE_COMBINE_PROBABILITY);
            assert_ok(bnre_estimator_set_temper(est, 0.85));
            bnre__estimator_set_failure(est, 1);
        }
        assert_ok(bnre_estimator_save(est, path, 1));
        assert_ok(bnre_estimator_open(path, &again));
        assert_same_estimator(est, again);
        assert_ok(bnre_estimator_save(again, copy, 1));
        assert_same_file(path, copy);
        assert_ok(bnre_estimator_fingerprint(est, hash[0]));
        assert_ok(bnre_estimator_fingerprint(again, hash[1]));
        assert_string_equal(hash[0], hash[1]);
        bnre_estimator_close(again);
        bnre_estimator_close(est);
    }
}

static void findings_are_bound_to_their_estimator(void **state)
{
    static const char text[] = "verdict: CONSERVATIVE\npairs: 10000\n";
    const double score[] = {0.5, 0.25, 1, 0}, wrong[] = {0.5, 1.5};
    const char *path = scratch_path("found.h5");
    const bnre_estimator_info *info;
    bnre_estimator *est = NULL, *again = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    assert_null(bnre_estimator_describe(est)->certificate);
    assert_ok(bnre__estimator_set_certificate(est, text));
    assert_ok(bnre__estimator_set_calibration(est, 4, score));
    assert_fails(bnre__estimator_set_certificate(est, "{"), BNRE_EUSAGE,
                 "certificate");
    assert_fails(bnre__estimator_set_calibration(est, 2, wrong), BNRE_ENUM,
                 "score 1 is 1.5");
    assert_ok(bnre_estimator_save(est, path, 1));
    assert_ok(bnre_estimator_open(path, &again));
    assert_same_estimator(est, again);
    info = bnre_estimator_describe(again);
    assert_string_equal(info->certificate, text);
    assert_int_equal(info->scores, 4);
    assert_true(info->calibration[0] == 0 && info->calibration[3] == 1);

    /* The same temper keeps them, another drops them. */
    assert_ok(bnre_estimator_set_temper(again, 1));
    bnre__estimator_set_combine(again, BNRE_COMBINE_RATIO);
    assert_non_null(info->certificate);
    assert_ok(bnre_estimator_set_temper(again, 0.9));
    assert_null(info->certificate);
    assert_int_equal(info->scores, 0);
    assert_ok(bnre__estimator_set_certificate(again, text));
    assert_ok(bnre__estimator_set_certificate(again, NULL));
    assert_null(info->certificate);
    bnre_estimator_close(again);
    bnre_estimator_close(est);
}

/* Scores of the version that had them under another name were made in another
   way. */
static void scores_of_old_are_refused(void **state)
{
    const double score[] = {0.25, 0.5};
    const size_t shape[] = {2};
    const char *path = scratch_path("old.h5");
    bnre_estimator *est = NULL, *again = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    assert_ok(bnre__estimator_set_calibration(est, 2, score));
    assert_ok(bnre_estimator_save(est, path, 1));
    foreign_h5_array(path, "findings/calibration", 1, shape, score);
    assert_fails(bnre_estimator_open(path, &again), BNRE_EFORMAT,
                 "calibrated ... older version");
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(findings_are_bound_to_their_estimator),
        cmocka_unit_test(scores_of_old_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
