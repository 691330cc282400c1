/* The sharpest certified choice, from a small training. threads: */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/estimator.h"
#include "diag/diag.h"
#include "support.h"
#include "trust/certificate.h"
#include "trust/trust.h"
#include "trusting.h"

static void a_certified_choice_is_kept_with_the_estimator(void **state)
{
    char *path = strdup(scratch_path("est.h5"));
    const bnre_estimator_info *info;
    const bnre_candidate *c;
    bnre_estimator *est = NULL;
    bnre_certificate kept;
    char *text = NULL;
    double temper;
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    assert_ok(trusting_go(&run, path));
    assert_true(run.result.certificate.certified);
    assert_true(run.result.certificate.n >=
                30); /* lambda 0 and 1, 15 tempers each */
    assert_true((double)run.result.epochs <=
                2.5 * (double)run.result.plain_epochs);
    c = &run.result.certificate.candidate[run.result.certificate.chosen];
    assert_true(c->passed && c->test > 0);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        assert_true(bnre__binomial_lower(run.result.coverage.covered[i],
                                         run.result.coverage.n,
                                         0.05) >= bnre_diag_level(i) - 0.02);

    assert_ok(bnre_estimator_open(path, &est));
    info = bnre_estimator_describe(est);
    temper = c->temper;
    assert_close(info->temper, temper, 0);
    assert_int_equal(info->scores, 40);
    assert_true(info->views > 0);
    assert_ok(bnre_certificate_of(est, &kept));
    assert_string_equal(bnre_certificate_words(&kept),
                        run.result.certificate.words);
    assert_non_null(strstr(kept.words, "CERTIFIED conservative: on 600"));
    assert_int_equal(kept.chosen, run.result.certificate.chosen);
    assert_int_equal(kept.certify.use, 600);
    assert_ok(bnre__certificate_write(&kept, &text));
    assert_string_equal(text, info->certificate);
    bnre_free(text);
    bnre_certificate_clear(&kept);
    bnre_estimator_close(est);

    /* The same call finds it; another one does not replace it. */
    assert_ok(trusting_go(&run, path));
    assert_true(run.result.train.found);
    assert_true(run.result.certificate.certified);
    assert_close(
        run.result.certificate.candidate[run.result.certificate.chosen].temper,
        temper, 0);
    run.trust.eps = 0.03;
    assert_fails(trusting_go(&run, path), BNRE_EEXIST, "another way");
    trusting_end(&run);
    free(path);
}

static void threads_do_not_change_a_byte(void **state)
{
    char *one = strdup(scratch_path("one.h5"));
    char *two = strdup(scratch_path("two.h5"));
    const char *data =
        training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN);
    bnre_pool *pool = NULL;
    struct trusting run;

    (void)state;
    assert_ok(bnre_pool_create(2, &pool));
    trusting_begin(&run, data);
    run.trust.certify = "60";
    assert_ok(trusting_go(&run, one));
    run.train.pool = pool;
    assert_ok(trusting_go(&run, two));
    assert_same_file(one, two);
    trusting_end(&run);
    bnre_pool_destroy(pool);
    free(one);
    free(two);
}

static void interruptions_do_not_change_a_byte(void **state)
{
    static const size_t calls[] = {5, 60, 250, 330};
    char *whole = strdup(scratch_path("whole.h5"));
    char *parts = strdup(scratch_path("parts.h5"));
    size_t left = 0, stopped = 0;
    const bnre_monitor monitor = {.context = &left,
                                  .progress = trusting_stop_after};
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.trust.certify = "2000"; /* of which 1,100 are looked at */
    run.trust.effort = 20;
    run.train.monitor = &monitor;
    assert_ok(trusting_go(&run, whole));
    assert_true(run.result.certifying < 2000);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        bnre_status status;

        left = calls[i];
        status = trusting_go(&run, parts);
        assert_true(status == BNRE_OK || status == BNRE_EINTR);
        stopped += status == BNRE_EINTR;
    }
    assert_true(stopped >= 3);
    left = 0;
    assert_ok(trusting_go(&run, parts));
    assert_same_file(whole, parts);
    trusting_end(&run);
    free(whole);
    free(parts);
}

static void too_few_pairs_are_not_certified(void **state)
{
    char *path = strdup(scratch_path("few.h5"));
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.trust.certify = "20";
    run.trust.calibrate = "0";
    assert_ok(trusting_go(&run, path));
    assert_false(run.result.certificate.certified);
    assert_non_null(
        strstr(run.result.certificate.words, "NOT CERTIFIED: 20 pairs"));
    run.train.force = 1;
    run.trust.certify = "0";
    assert_ok(trusting_go(&run, path));
    assert_false(run.result.certificate.certified);
    assert_true(holds_facts(run.result.certificate.words,
                            "NOT CERTIFIED: ... no pairs"));
    run.trust.certify = "19";
    assert_ok(trusting_go(&run, path));
    assert_int_equal(run.result.certifying, 0);
    assert_int_equal(run.result.left_out, 0); /* no effort would take them */
    run.trust.select = "5";
    assert_fails(trusting_go(&run, path), BNRE_EUSAGE, "20 select pairs ... 5");
    trusting_end(&run);
    free(path);
}

static void halves_choose_one_of_the_two(void **state)
{
    char *path = strdup(scratch_path("half.h5"));
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.force = 1;
    run.train.epochs = 5;
    run.trust.certify = "40";
    run.trust.trust = BNRE_TRUST_FRESH;
    run.trust.temper = NAN;
    run.train.lambda = 7;
    assert_true(bnre__trust_wanted(&run.train, &run.trust));
    assert_ok(trusting_go(&run, path));
    assert_int_equal(run.result.certificate.n, 15);
    for (size_t i = 0; i < 15; i++)
        assert_close(run.result.certificate.candidate[i].lambda, 7, 0);
    assert_int_equal(run.result.epochs, run.result.plain_epochs);

    run.trust.temper = 1;
    run.train.lambda = NAN;
    assert_ok(trusting_go(&run, path));
    assert_true(run.result.certificate.n >= 2 && run.result.certificate.n <= 9);
    for (size_t i = 0; i < run.result.certificate.n; i++)
        assert_close(run.result.certificate.candidate[i].temper, 1, 0);

    /* Only calibrated, and tempered by a number. */
    run.trust.trust = BNRE_TRUST_NO;
    run.train.lambda = 1;
    run.trust.temper = 0.5;
    assert_ok(trusting_go(&run, path));
    assert_int_equal(run.result.certificate.n, 0);
    assert_int_equal(run.result.calibrating, 40);
    trusting_end(&run);
    free(path);
}

static void wishes_that_contradict_are_refused(void **state)
{
    const char *data =
        training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN);
    char *path = strdup(scratch_path("wishes.h5"));
    struct trusting run;

    (void)state;
    trusting_begin(&run, data);
    run.trust.trust = BNRE_TRUST_AUTO;
    run.trust.temper = 0.5;
    assert_fails(trusting_go(&run, path), BNRE_EUSAGE,
                 "`trust: auto` ... temper");
    run.trust.temper = 0;
    run.train.members = 1;
    assert_fails(trusting_go(&run, path), BNRE_EUSAGE, "1 cannot ... folds");
    run.trust.trust = BNRE_TRUST_NO;
    run.trust.temper = NAN;
    assert_fails(trusting_go(&run, path), BNRE_EUSAGE,
                 "`temper: auto` needs `trust");
    run.trust.temper = 0;
    run.trust.trust = BNRE_TRUST_FRESH;
    run.trust.select = data;
    run.train.epochs = 1;
    assert_fails(trusting_go(&run, path), BNRE_EUSAGE, "trained on");
    trusting_end(&run);
    free(path);
}

static void a_plan_tells_of_pairs(void **state)
{
    struct trusting run;
    char *text = NULL;

    (void)state;
    trusting_begin(&run, "data.h5");
    run.trust.select = NULL;
    run.trust.certify = "certify.h5";
    assert_ok(bnre__trust_plan(&run.train, &run.trust, &text));
    assert_non_null(strstr(text, "2000 fresh pairs"));
    assert_non_null(strstr(text, "pairs of certify.h5"));
    bnre_free(text);
    trusting_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certified_choice_is_kept_with_the_estimator),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(interruptions_do_not_change_a_byte),
        cmocka_unit_test(too_few_pairs_are_not_certified),
        cmocka_unit_test(halves_choose_one_of_the_two),
        cmocka_unit_test(wishes_that_contradict_are_refused),
        cmocka_unit_test(a_plan_tells_of_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
