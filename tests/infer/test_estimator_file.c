/* Estimators to files and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators.h"
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
            bnre_estimator_set_combine(est, BNRE_COMBINE_PROBABILITY);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
