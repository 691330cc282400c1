/* Learning curves: the same training on parts of the data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/certificate.h"
#include "bnre/estimator.h"
#include "support.h"
#include "trust/advice.h"
#include "trusting.h"

/* Of an estimator whose last step was a short one, too. */
static void parts_of_a_learning_curve_learn(void **state)
{
    char *path = strdup(scratch_path("warm.h5"));
    char *data =
        strdup(training_data("some.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    char *pairs =
        strdup(training_data("pairs.h5", "gaussian", 200, BNRE_SPLIT_TEST));
    const bnre_candidate *c;
    bnre_estimator *est = NULL;
    bnre_learning_curve curve;
    struct trusting run;

    (void)state;
    trusting_begin(&run, data);
    run.trust.certify = "60";
    run.trust.calibrate = "0";
    assert_ok(trusting_go(&run, path));
    c = &run.result.certificate.candidate[run.result.certificate.chosen];
    assert_true(c->lambda > 0 && !c->fresh);
    assert_ok(bnre_estimator_open(path, &est));
    /* As the program does, which forgets the certificate. */
    assert_ok(bnre_estimator_set_temper(est, c->temper == 1 ? 0.9 : 1));
    assert_ok(bnre__learning_curve_make(
        est, data, pairs, 200, scratch_path("part"), NULL, NULL, &curve));
    /* 0.24, 0.31 and 0.57 nats; with the last step's settings alone a part
       gets to 0.007. */
    assert_true(curve.information[1].mean > curve.information[2].mean / 4);
    bnre_estimator_close(est);
    trusting_end(&run);
    free(path);
    free(data);
    free(pairs);
}

struct plans {
    size_t n, simulations[4];
};

/* Remembers how many simulations a training has. */
static void note_plan(void *context, const char *text)
{
    struct plans *plans = context;

    if (plans->n < 4 && sscanf(text, "%zu simulations to learn from",
                               &plans->simulations[plans->n]) == 1)
        plans->n++;
}

/* Simulations for validation in a file of their own are no budget; and an
   interrupted curve goes on to the same end. */
static void a_learning_curve_counts_what_was_learned_from(void **state)
{
    char *path = strdup(scratch_path("plain.h5"));
    char *validation;
    char *stem = strdup(scratch_path("curve"));
    char *data =
        strdup(training_data("learn.h5", "gaussian", 240, BNRE_SPLIT_TRAIN));
    char *pairs =
        strdup(training_data("after.h5", "gaussian", 100, BNRE_SPLIT_TEST));
    size_t left = 0;
    const bnre_monitor monitor = {.context = &left,
                                  .progress = trusting_stop_after};
    struct plans plans = {0};
    const bnre_monitor reader = {.context = &plans, .note = note_plan};
    bnre_learning_curve whole, parts;
    bnre_estimator *est = NULL;
    struct trusting run;

    (void)state;
    trusting_begin(&run, data);
    validation =
        strdup(training_data("other.h5", "gaussian", 500, BNRE_SPLIT_VALIDATE));
    run.train.validation = validation;
    run.train.method = BNRE_METHOD_NRE;
    assert_ok(bnre_train(&run.train, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre__learning_curve_make(est, data, pairs, 100, stem, NULL,
                                        &reader, &whole));
    assert_int_equal(plans.n, 2); /* with some held out besides */
    assert_int_equal(plans.simulations[0], 60);
    assert_int_equal(plans.simulations[1], 120);
    assert_int_equal(whole.simulations[0], 60);
    assert_int_equal(whole.simulations[1], 120);
    assert_int_equal(whole.simulations[2], 240);
    left = 60;
    assert_int_equal(bnre__learning_curve_make(est, data, pairs, 100, stem,
                                               NULL, &monitor, &parts),
                     BNRE_EINTR);
    assert_ok(bnre__learning_curve_make(est, data, pairs, 100, stem, NULL,
                                        &monitor, &parts));
    assert_memory_equal(&whole, &parts, sizeof whole);
    bnre_estimator_close(est);
    free(validation);
    trusting_end(&run);
    free(path);
    free(stem);
    free(data);
    free(pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_learning_curve_learn),
        cmocka_unit_test(a_learning_curve_counts_what_was_learned_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
