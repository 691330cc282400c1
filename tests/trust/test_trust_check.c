/* Pairs that would void the guarantee are refused before any training. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/certificate.h"
#include "bnre/estimator.h"
#include "bnre/trust.h"
#include "data/dataset.h"
#include "infer/estimator/estimator.h"
#include "io/file.h"
#include "support.h"
#include "training.h"
#include "trust/conformal.h"

static const char network[] = "{head: {hidden: [8], activation: selu}}";

struct run {
    bnre_node *net;
    char *data, *path;
    bnre_train_opts train;
    bnre_trust_opts trust;
    bnre_trust_result result;
};

static void begin(struct run *run, const char *name)
{
    *run = (struct run){.net = training_network(network),
                        .trust = bnre_trust_opts_default()};
    run->data =
        strdup(training_data("train.h5", "gaussian", 128, BNRE_SPLIT_TRAIN));
    run->path = strdup(scratch_path(name));
    run->train = training_opts(run->data, run->net);
    run->trust.trust = BNRE_TRUST_FRESH;
    run->trust.select = "60";
    run->trust.certify = "60";
    run->trust.calibrate = "0";
}

static void end(struct run *run)
{
    bnre_trust_result_clear(&run->result);
    bnre_node_destroy(run->net);
    free(run->data);
    free(run->path);
}

static bnre_status go(struct run *run)
{
    bnre_trust_result_clear(&run->result);
    return bnre_trust_train(&run->train, &run->trust, run->path, &run->result);
}

/* Whether there is est.NAME beside est.h5. */
static int beside(const struct run *run, const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%.*s%s", (int)strlen(run->path) - 2, run->path,
             name);
    return bnre__file_exists(path);
}

/* Refused with all of these words, and nothing was trained. */
static void refused(struct run *run, const char *facts, const char *more)
{
    assert_fails(go(run), BNRE_EUSAGE, facts);
    assert_true(holds_facts(bnre_error_message(), more));
    assert_false(beside(run, "h5.steps"));
}

static char *pairs(const char *name, const char *task, size_t count,
                   bnre_split split)
{
    return strdup(training_data(name, task, count, split));
}

static char *task_file(const char *name, const char *text)
{
    char *path = strdup(scratch_path(name));
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void pairs_of_two_purposes_are_refused(void **state)
{
    struct run run;
    char *test, *longer, *select;

    (void)state;
    begin(&run, "two-est.h5");
    test = pairs("test.h5", "gaussian", 40, BNRE_SPLIT_TEST);
    longer = pairs("longer.h5", "gaussian", 70, BNRE_SPLIT_TEST);
    select = pairs("mine.h5", "gaussian", 30, BNRE_SPLIT_SELECT);
    run.trust.select = run.trust.certify = test;
    refused(&run, "have 40 pairs in common", "test.h5 (to certify with)");
    run.trust.certify = "60";
    run.trust.calibrate = longer;
    refused(&run, "have 40 pairs in common", "longer.h5 (to calibrate with)");
    assert_false(beside(&run, "certify.h5")); /* nor was it simulated */

    /* What is simulated counts as well. */
    run.trust.select = "60";
    run.trust.calibrate = "0";
    run.trust.certify = select;
    refused(&run, "have 30 pairs in common", "mine.h5 (to certify with)");
    end(&run);
    free(test);
    free(longer);
    free(select);
}

static void pairs_that_were_trained_on_are_refused(void **state)
{
    struct run run;
    char *held = NULL;

    (void)state;
    begin(&run, "seen-est.h5");
    run.trust.certify = run.data;
    refused(&run, "128 of the pairs ... certify", "trained on");
    run.trust.certify = "60";
    run.trust.calibrate = run.data;
    refused(&run, "128 of the pairs ... calibrate", "trained on");
    held = pairs("held.h5", "gaussian", 30, BNRE_SPLIT_VALIDATE);
    run.train.validation = held;
    run.trust.calibrate = held;
    refused(&run, "30 of the pairs ... calibrate", "trained on");
    end(&run);
    free(held);
}

static void pairs_of_another_task_or_prior_are_refused(void **state)
{
    struct run run;
    char *narrow =
        task_file("narrow.yaml", "name: gaussian\n"
                                 "parameters: {theta_1: \"normal(0, 0.5)\"}\n");
    char *cut = task_file("cut.yaml", "name: gaussian\n"
                                      "constraint: theta_0 > theta_1\n");
    char *same = task_file("same.yaml",
                           "name: gaussian\n"
                           "parameters: {theta_1: \"normal( 0.0,1e0 )\"}\n");
    char *of_narrow, *of_cut, *of_same, *slcp;

    (void)state;
    begin(&run, "prior-est.h5");
    of_narrow = pairs("narrow.h5", narrow, 40, BNRE_SPLIT_TEST);
    of_cut = pairs("cut.h5", cut, 40, BNRE_SPLIT_TEST);
    of_same = pairs("same.h5", same, 40, BNRE_SPLIT_TEST);
    slcp = pairs("slcp.h5", "slcp", 40, BNRE_SPLIT_TEST);
    run.trust.certify = of_narrow;
    refused(&run, "theta_1 is normal(0, 0.5) there, and normal(0, 1) for",
            "narrow.h5 ... another prior");
    run.trust.certify = "60";
    run.trust.calibrate = of_cut;
    refused(&run, "the constraint is theta_0 > theta_1 there, and none",
            "cut.h5");
    run.trust.calibrate = slcp;
    refused(&run, "slcp.h5 has 2 parameters and 8 values of x", "calibrate");
    run.trust.calibrate = "missing.h5";
    assert_fails(go(&run), BNRE_EIO, "missing.h5");
    assert_false(beside(&run, "h5.steps"));

    /* Another spelling is the same prior; and without one there is nothing to
       compare. */
    run.trust.calibrate = of_same;
    run.train.epochs = 1;
    assert_ok(go(&run));
    run.train.force = 1;
    free(of_cut);
    of_cut = strdup(scratch_path("plain.csv"));
    assert_ok(bnre__dataset_convert(of_narrow, of_cut, 1, NULL, NULL));
    run.trust.calibrate = of_cut;
    assert_ok(go(&run));
    end(&run);
    free(narrow);
    free(cut);
    free(same);
    free(of_narrow);
    free(of_cut);
    free(of_same);
    free(slcp);
}

static bnre_status compare_priors(void *arg)
{
    const void *const *both = arg;

    return bnre__estimator_check_prior(both[0], both[1]);
}

/* Also later, by those who have an estimator and pairs. */
static void an_estimator_knows_its_prior(void **state)
{
    char *narrow =
        task_file("narrow.yaml", "name: gaussian\n"
                                 "parameters: {theta_0: \"uniform(-1, 1)\"}\n");
    bnre_estimator *est = NULL;
    bnre_dataset *data = NULL, *own = NULL;
    struct run run;

    (void)state;
    begin(&run, "own-est.h5");
    assert_ok(bnre_train(&run.train, run.path, NULL));
    assert_ok(bnre_estimator_open(run.path, &est));
    assert_ok(bnre_dataset_open(
        training_data("narrow.h5", narrow, 40, BNRE_SPLIT_TEST), &data));
    assert_ok(bnre_dataset_open(
        training_data("own.h5", "gaussian", 40, BNRE_SPLIT_TEST), &own));
    assert_fails(bnre__estimator_check_prior(est, data), BNRE_EUSAGE,
                 "theta_0 ... uniform(-1, 1) ... normal(0, 1)");
    assert_fails(bnre__conformal_calibrate(est, data, 0, NULL), BNRE_EUSAGE,
                 "another prior");
    assert_ok(bnre__estimator_check_prior(est, own));
    assert_survives_lack_of_memory(compare_priors, (const void *[]){est, own});
    bnre_dataset_close(own);
    bnre_dataset_close(data);
    bnre_estimator_close(est);
    end(&run);
    free(narrow);
}

static void other_numbers_leave_the_files_alone(void **state)
{
    struct run run;

    (void)state;
    begin(&run, "numbers-est.h5");
    run.train.epochs = 1;
    run.trust.calibrate = "40";
    assert_ok(go(&run));
    run.trust.calibrate = "90";
    assert_fails(go(&run), BNRE_EEXIST, "another way");
    run.trust.calibrate = "40";
    assert_ok(go(&run)); /* it would not, had the pairs been extended */
    assert_true(run.result.train.found);
    run.trust.calibrate = "0";
    assert_fails(go(&run), BNRE_EEXIST, "another way");
    end(&run);
}

/* Steps that were there do not make the result one that was. */
static void what_is_completed_was_not_there(void **state)
{
    struct run run;

    (void)state;
    begin(&run, "completed-est.h5");
    run.train.epochs = 1;
    run.trust.keep = 1;
    assert_ok(go(&run));
    assert_false(run.result.train.found);
    assert_true(beside(&run, "h5.lambda-0.h5"));
    assert_int_equal(remove(run.path), 0);
    assert_ok(go(&run));
    assert_false(run.result.train.found);
    assert_ok(go(&run));
    assert_true(run.result.train.found);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_two_purposes_are_refused),
        cmocka_unit_test(pairs_that_were_trained_on_are_refused),
        cmocka_unit_test(pairs_of_another_task_or_prior_are_refused),
        cmocka_unit_test(an_estimator_knows_its_prior),
        cmocka_unit_test(other_numbers_leave_the_files_alone),
        cmocka_unit_test(what_is_completed_was_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
