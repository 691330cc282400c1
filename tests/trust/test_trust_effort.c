/* What an automatic choice may cost; the certificate does not suffer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/certificate.h"
#include "bnre/estimator.h"
#include "support.h"
#include "trust/conformal.h"
#include "trusting.h"

/* Effort decides how many pairs are looked at, and how many lambdas. */
static void effort_is_kept(void **state)
{
    static const double effort[] = {1, 60, 90, 1000};
    char *path = strdup(scratch_path("effort.h5"));
    char *select =
        strdup(training_data("select.h5", "gaussian", 1500, BNRE_SPLIT_SELECT));
    char *certify = strdup(
        training_data("certify.h5", "gaussian", 3000, BNRE_SPLIT_CERTIFY));
    size_t seen = 0, candidates = 0;
    char number[64];
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.force = 1;
    run.trust.select = select;
    run.trust.certify = certify;
    run.trust.calibrate = "600";
    for (size_t i = 0; i < sizeof effort / sizeof *effort; i++) {
        run.trust.effort = effort[i];
        assert_ok(trusting_go(&run, path));
        assert_int_equal(run.result.selecting + run.result.certifying +
                             run.result.calibrating + run.result.left_out,
                         1500 + 3000 + 600);
        assert_int_equal(run.result.coverage.n, run.result.certifying);
        snprintf(number, sizeof number, "on %zu fresh pairs",
                 run.result.certifying);
        assert_true(!run.result.certificate.certified ||
                    strstr(run.result.certificate.words, number) != NULL);
        assert_true(run.result.certificate.n >= candidates);
        candidates = run.result.certificate.n;
        if (effort[i] == 1) { /* there is a least */
            assert_int_equal(run.result.selecting, 500);
            assert_int_equal(run.result.certifying, 2000);
            assert_int_equal(run.result.calibrating, 400);
            assert_int_equal(run.result.certificate.n, 15);
            assert_true(run.result.certificate.effort > 1);
        } else {
            assert_true(run.result.certificate.effort <= effort[i]);
            assert_true(run.result.certifying >= seen);
            seen = run.result.certifying;
        }
    }
    assert_int_equal(run.result.left_out, 0);
    assert_true(candidates > 15);

    /* It is known of an estimator that is there. */
    run.trust.effort = 60;
    assert_ok(trusting_go(&run, path));
    run.train.force = 0;
    seen = run.result.certifying;
    assert_ok(trusting_go(&run, path));
    assert_true(run.result.train.found);
    assert_int_equal(run.result.certifying, seen);
    assert_true(run.result.left_out > 0 && run.result.certificate.effort <= 60);
    run.trust.effort = 90;
    assert_fails(trusting_go(&run, path), BNRE_EEXIST, "another way");
    run.trust.effort = 0.5;
    assert_fails(trusting_go(&run, path), BNRE_EUSAGE, "effort is 1");
    trusting_end(&run);
    free(path);
    free(select);
    free(certify);
}

/* Where the prior is known by draws, these are what a look costs. */
static void effort_is_kept_without_a_density(void **state)
{
    char *path = strdup(scratch_path("drawn.h5"));
    char *prior = strdup(scratch_path("prior.csv"));
    char *task = strdup(scratch_path("drawn.yaml"));
    FILE *file = fopen(prior, "w");
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    struct trusting run;

    (void)state;
    fprintf(file, "theta_0,theta_1\n");
    for (size_t i = 0; i < 400; i++) {
        const double a = bnre_rng_normal(&rng);

        fprintf(file, "%.6f,%.6f\n", a, bnre_rng_normal(&rng));
    }
    fclose(file);
    file = fopen(task, "w");
    fprintf(file, "name: gaussian\nprior_samples: prior.csv\n");
    fclose(file);
    trusting_begin(
        &run, training_data("drawn-train.h5", task, 256, BNRE_SPLIT_TRAIN));
    run.train.task = task;
    run.trust.select = "1500";
    run.trust.certify = "1000";
    run.trust.calibrate = "0";
    run.trust.effort = 350;
    run.trust.trust = BNRE_TRUST_FRESH;
    run.train.lambda = 0;
    run.trust.temper = NAN;
    assert_ok(trusting_go(&run, path));
    assert_true(run.result.selecting > 500);
    assert_true(run.result.certificate.effort <= run.trust.effort);
    trusting_end(&run);
    free(path);
    free(prior);
    free(task);
}

/* How many of the certify pairs are looked at must not depend on them: a test
   that stops when it looks good is none. And it is the first of them. */
static void pairs_are_not_chosen_by_what_they_show(void **state)
{
    char *path = strdup(scratch_path("blind.h5"));
    char *some =
        strdup(training_data("some.h5", "gaussian", 3000, BNRE_SPLIT_CERTIFY));
    char *other =
        strdup(training_data("other.h5", "gaussian", 3000, BNRE_SPLIT_TEST));
    bnre_coverage coverage;
    struct trusting run;
    size_t seen;
    char few[32];

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.force = 1;
    run.trust.effort = 20;
    run.train.lambda = 100; /* the same, whatever a look may cost */
    run.trust.temper = NAN;
    run.trust.certify = some;
    assert_ok(trusting_go(&run, path));
    seen = run.result.certifying;
    coverage = run.result.coverage;
    assert_true(seen > 500 && seen < 3000);
    run.trust.certify = other;
    assert_ok(trusting_go(&run, path));
    assert_int_equal(run.result.certifying, seen);
    assert_memory_not_equal(&run.result.coverage, &coverage, sizeof coverage);

    snprintf(few, sizeof few, "few-%zu.h5", seen);
    run.trust.certify =
        training_data(few, "gaussian", seen, BNRE_SPLIT_CERTIFY);
    run.trust.effort = 1000;
    assert_ok(trusting_go(&run, path));
    assert_memory_equal(&run.result.coverage, &coverage, sizeof coverage);
    trusting_end(&run);
    free(path);
    free(some);
    free(other);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Pairs of the task gaussian, the first parameter in order, and their scores.
 */
enum { SORTED = 200, SOME = 60 };
static bnre_dataset *sorted_pairs(const bnre_estimator *est,
                                  double score[SORTED])
{
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    const char *path = scratch_path("sorted.h5");
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    double theta[2 * SORTED];
    double x[2 * SORTED];
    bnre_dataset *data = NULL;
    bnre_task *task = NULL;

    for (size_t i = 0; i < SORTED; i++) {
        theta[2 * i] = 4 * ((double)i + 0.5) / SORTED - 2;
        theta[2 * i + 1] = 0.1;
    }
    opts.count = opts.theta_rows = SORTED;
    opts.theta = theta;
    opts.split = BNRE_SPLIT_CALIBRATE;
    assert_ok(bnre_task_open("gaussian", 0, NULL, &task));
    assert_int_equal(bnre_task_x_size(task), 2);
    assert_ok(bnre_simulate(task, &opts, path, NULL));
    assert_ok(bnre_dataset_open(path, &data));
    assert_ok(bnre_dataset_read(data, 0, SORTED, theta, NULL, x, NULL));
    assert_ok(bnre__conformal_scores(&density, SORTED, theta, x, NULL, score));
    bnre_task_destroy(task);
    return data;
}

/* A part of a file that is in order is no sample of it if it is the first. */
static void calibration_with_some_of_sorted_pairs(void **state)
{
    char *path = strdup(scratch_path("calibrated.h5"));
    double score[SORTED], part[SOME], late = 0;
    const bnre_estimator_info *info;
    bnre_estimator *est = NULL;
    bnre_dataset *data;
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    assert_ok(bnre_train(&run.train, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    data = sorted_pairs(est, score);
    assert_ok(bnre__conformal_calibrate(est, data, SOME, NULL));
    info = bnre_estimator_describe(est);
    assert_int_equal(info->scores, SOME);
    memcpy(part, info->calibration, sizeof part);
    qsort(part, SOME, sizeof *part, ascending);
    for (size_t i = 0, found = 0; i < SORTED; i++) {
        found = bsearch(&score[i], part, SOME, sizeof *part, ascending) != NULL;
        late += (double)(found && i >= SORTED / 2) / SOME;
    }
    /* Of the first there would be none; 0.5 +- 0.054 of those drawn. */
    assert_close(late, 0.5, 0.25);
    bnre_dataset_close(data);
    bnre_estimator_close(est);
    trusting_end(&run);
    free(path);
}

/* Where more pairs could help, the words say how to have them. */
static void more_effort_is_proposed(void **state)
{
    char *path = strdup(scratch_path("poor.h5"));
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.trust.effort = 1;
    run.trust.certify = "2100";
    run.trust.delta = 1e-60; /* not even the prior passes */
    run.trust.trust = BNRE_TRUST_FRESH;
    run.train.lambda = 0;
    run.trust.temper = NAN;
    assert_ok(trusting_go(&run, path));
    assert_false(run.result.certificate.certified);
    assert_non_null(strstr(run.result.certificate.words,
                           "2000 pairs (more with --effort) do not"));
    trusting_end(&run);
    free(path);
}

/* Where the first estimator knows nothing, no lambda will help. */
static void lambda_does_not_go_on_from_nothing(void **state)
{
    char *path = strdup(scratch_path("nothing.h5"));
    struct trusting run;

    (void)state;
    trusting_begin(
        &run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.epochs = 1;
    run.train.learning_rate = 1e-6;
    run.trust.calibrate = "0";
    assert_ok(trusting_go(&run, path));
    assert_int_equal(run.result.certificate.n, 15);
    trusting_end(&run);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effort_is_kept),
        cmocka_unit_test(effort_is_kept_without_a_density),
        cmocka_unit_test(pairs_are_not_chosen_by_what_they_show),
        cmocka_unit_test(calibration_with_some_of_sorted_pairs),
        cmocka_unit_test(more_effort_is_proposed),
        cmocka_unit_test(lambda_does_not_go_on_from_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
