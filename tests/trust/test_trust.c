/* The sharpest certified choice, from a small training. threads: */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/advice.h"
#include "bnre/estimator.h"
#include "bnre/trust.h"
#include "bnre/yaml.h"
#include "io/file.h"
#include "support.h"
#include "training.h"

static const char network[] = "{head: {hidden: [16], activation: selu}}";

/* A run on 256 pairs of the task gaussian. */
struct run {
    bnre_node *net;
    bnre_train_opts train;
    bnre_trust_opts trust;
    bnre_trust_result result;
};

static void begin(struct run *run, const char *data)
{
    *run = (struct run){.net = training_network(network),
                        .trust = bnre_trust_opts_default()};
    run->train = training_opts(data, run->net);
    run->train.epochs = 25;
    run->train.members = 2;
    run->train.learning_rate = 0.01;
    run->trust.trust = 1;
    run->trust.select = "60";
    run->trust.certify = "600";
    run->trust.calibrate = "40";
    run->trust.effort = 1000; /* such a training costs less than one look */
}

static void end(struct run *run)
{
    bnre_trust_result_clear(&run->result);
    bnre_node_destroy(run->net);
}

static bnre_status go(struct run *run, const char *path)
{
    bnre_trust_result_clear(&run->result);
    return bnre_trust_train(&run->train, &run->trust, path, &run->result);
}

static void a_certified_choice_is_kept_with_the_estimator(void **state)
{
    char *path = strdup(scratch_path("est.h5"));
    const bnre_estimator_info *info;
    const bnre_candidate *c;
    bnre_estimator *est = NULL;
    char *words = NULL;
    double temper;
    struct run run;

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    assert_ok(go(&run, path));
    assert_true(run.result.certified);
    assert_true(run.result.n >= 30); /* lambda 0 and 1, 15 tempers each */
    assert_true((double)run.result.epochs <=
                2.5 * (double)run.result.plain_epochs);
    c = &run.result.candidate[run.result.chosen];
    assert_true(c->passed && c->test > 0);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        assert_true(bnre_binomial_lower(run.result.coverage.covered[i],
                                        run.result.coverage.n,
                                        0.05) >= bnre_diag_level(i) - 0.02);

    assert_ok(bnre_estimator_open(path, &est));
    info = bnre_estimator_describe(est);
    temper = c->temper;
    assert_close(info->temper, temper, 0);
    assert_int_equal(info->scores, 40);
    assert_true(info->views > 0);
    assert_ok(bnre_certificate_words(info->certificate, &words));
    assert_string_equal(words, run.result.words);
    assert_non_null(strstr(words, "CERTIFIED conservative: on 600"));
    bnre_free(words);
    bnre_estimator_close(est);

    /* The same call finds it; another one does not replace it. */
    assert_ok(go(&run, path));
    assert_true(run.result.train.found);
    assert_true(run.result.certified);
    assert_close(run.result.candidate[run.result.chosen].temper, temper, 0);
    run.trust.eps = 0.03;
    assert_fails(go(&run, path), BNRE_EEXIST, "another way");
    end(&run);
    free(path);
}

static void threads_do_not_change_a_byte(void **state)
{
    char *one = strdup(scratch_path("one.h5"));
    char *two = strdup(scratch_path("two.h5"));
    const char *data =
        training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN);
    bnre_pool *pool = NULL;
    struct run run;

    (void)state;
    assert_ok(bnre_pool_create(2, &pool));
    begin(&run, data);
    run.trust.certify = "60";
    assert_ok(go(&run, one));
    run.train.pool = pool;
    assert_ok(go(&run, two));
    assert_same_file(one, two);
    end(&run);
    bnre_pool_destroy(pool);
    free(one);
    free(two);
}

/* Asks to stop at the n-th report of progress. */
static int stop_after(void *context, size_t done, size_t found, size_t total)
{
    size_t *left = context;

    (void)done;
    (void)found;
    (void)total;
    return *left > 0 && --*left == 0;
}

static void interruptions_do_not_change_a_byte(void **state)
{
    static const size_t calls[] = {5, 60, 250, 330};
    char *whole = strdup(scratch_path("whole.h5"));
    char *parts = strdup(scratch_path("parts.h5"));
    size_t left = 0, stopped = 0;
    const bnre_monitor monitor = {.context = &left, .progress = stop_after};
    struct run run;

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.trust.certify = "2000"; /* of which 1,100 are looked at */
    run.trust.effort = 20;
    run.train.monitor = &monitor;
    assert_ok(go(&run, whole));
    assert_true(run.result.certifying < 2000);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        bnre_status status;

        left = calls[i];
        status = go(&run, parts);
        assert_true(status == BNRE_OK || status == BNRE_EINTR);
        stopped += status == BNRE_EINTR;
    }
    assert_true(stopped >= 3);
    left = 0;
    assert_ok(go(&run, parts));
    assert_same_file(whole, parts);
    end(&run);
    free(whole);
    free(parts);
}

static void too_few_pairs_are_not_certified(void **state)
{
    char *path = strdup(scratch_path("few.h5"));
    struct run run;

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.trust.certify = "20";
    run.trust.calibrate = "0";
    assert_ok(go(&run, path));
    assert_false(run.result.certified);
    assert_non_null(strstr(run.result.words, "NOT CERTIFIED: 20 pairs"));
    run.train.force = 1;
    run.trust.certify = "0";
    assert_ok(go(&run, path));
    assert_false(run.result.certified);
    assert_non_null(strstr(run.result.words, "no pairs to certify with"));
    run.trust.certify = "19";
    assert_ok(go(&run, path));
    assert_int_equal(run.result.certifying, 0);
    assert_int_equal(run.result.left_out, 0); /* no effort would take them */
    run.trust.select = "5";
    assert_fails(go(&run, path), BNRE_EUSAGE, "select pairs are the least");
    end(&run);
    free(path);
}

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
    struct run run;

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.force = 1;
    run.trust.select = select;
    run.trust.certify = certify;
    run.trust.calibrate = "600";
    for (size_t i = 0; i < sizeof effort / sizeof *effort; i++) {
        run.trust.effort = effort[i];
        assert_ok(go(&run, path));
        assert_int_equal(run.result.selecting + run.result.certifying +
                             run.result.calibrating + run.result.left_out,
                         1500 + 3000 + 600);
        assert_int_equal(run.result.coverage.n, run.result.certifying);
        snprintf(number, sizeof number, "on %zu fresh pairs",
                 run.result.certifying);
        assert_true(!run.result.certified ||
                    strstr(run.result.words, number) != NULL);
        assert_true(run.result.n >= candidates);
        candidates = run.result.n;
        if (effort[i] == 1) { /* there is a least */
            assert_int_equal(run.result.selecting, 500);
            assert_int_equal(run.result.certifying, 2000);
            assert_int_equal(run.result.calibrating, 400);
            assert_int_equal(run.result.n, 15);
            assert_true(run.result.effort > 1);
        } else {
            assert_true(run.result.effort <= effort[i]);
            assert_true(run.result.certifying >= seen);
            seen = run.result.certifying;
        }
    }
    assert_int_equal(run.result.left_out, 0);
    assert_true(candidates > 15);

    /* It is known of an estimator that is there. */
    run.trust.effort = 60;
    assert_ok(go(&run, path));
    run.train.force = 0;
    seen = run.result.certifying;
    assert_ok(go(&run, path));
    assert_true(run.result.train.found);
    assert_int_equal(run.result.certifying, seen);
    assert_true(run.result.left_out > 0 && run.result.effort <= 60);
    run.trust.effort = 90;
    assert_fails(go(&run, path), BNRE_EEXIST, "another way");
    run.trust.effort = 0.5;
    assert_fails(go(&run, path), BNRE_EUSAGE, "effort is 1");
    end(&run);
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
    struct run run;

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
    begin(&run, training_data("drawn-train.h5", task, 256, BNRE_SPLIT_TRAIN));
    run.train.task = task;
    run.trust.select = "1500";
    run.trust.certify = "1000";
    run.trust.calibrate = "0";
    run.trust.effort = 350;
    run.trust.trust = 0;
    run.train.lambda = 0;
    run.trust.temper = NAN;
    assert_ok(go(&run, path));
    assert_true(run.result.selecting > 500);
    assert_true(run.result.effort <= run.trust.effort);
    end(&run);
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
    struct run run;
    size_t seen;
    char few[32];

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.force = 1;
    run.trust.effort = 20;
    run.trust.trust = 0; /* the same lambda, whatever a look may cost */
    run.trust.temper = NAN;
    run.trust.certify = some;
    assert_ok(go(&run, path));
    seen = run.result.certifying;
    coverage = run.result.coverage;
    assert_true(seen > 500 && seen < 3000);
    run.trust.certify = other;
    assert_ok(go(&run, path));
    assert_int_equal(run.result.certifying, seen);
    assert_memory_not_equal(&run.result.coverage, &coverage, sizeof coverage);

    snprintf(few, sizeof few, "few-%zu.h5", seen);
    run.trust.certify =
        training_data(few, "gaussian", seen, BNRE_SPLIT_CERTIFY);
    run.trust.effort = 1000;
    assert_ok(go(&run, path));
    assert_memory_equal(&run.result.coverage, &coverage, sizeof coverage);
    end(&run);
    free(path);
    free(some);
    free(other);
}

/* Where more pairs could help, the words say how to have them. */
static void more_effort_is_proposed(void **state)
{
    char *path = strdup(scratch_path("poor.h5"));
    struct run run;

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.trust.effort = 1;
    run.trust.certify = "2100";
    run.trust.delta = 1e-60; /* not even the prior passes */
    run.trust.trust = 0;
    run.train.lambda = 0;
    run.trust.temper = NAN;
    assert_ok(go(&run, path));
    assert_false(run.result.certified);
    assert_non_null(
        strstr(run.result.words, "2000 pairs (more with --effort) do not"));
    end(&run);
    free(path);
}

/* Where the first estimator knows nothing, no lambda will help. */
static void lambda_does_not_go_on_from_nothing(void **state)
{
    char *path = strdup(scratch_path("nothing.h5"));
    struct run run;

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.epochs = 1;
    run.train.learning_rate = 1e-6;
    run.trust.calibrate = "0";
    assert_ok(go(&run, path));
    assert_int_equal(run.result.n, 15);
    end(&run);
    free(path);
}

static void halves_choose_one_of_the_two(void **state)
{
    char *path = strdup(scratch_path("half.h5"));
    struct run run;

    (void)state;
    begin(&run, training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN));
    run.train.force = 1;
    run.train.epochs = 5;
    run.trust.certify = "40";
    run.trust.trust = 0;
    run.trust.temper = NAN;
    run.train.lambda = 7;
    assert_true(bnre_trust_wanted(&run.train, &run.trust));
    assert_ok(go(&run, path));
    assert_int_equal(run.result.n, 15);
    for (size_t i = 0; i < 15; i++)
        assert_close(run.result.candidate[i].lambda, 7, 0);
    assert_int_equal(run.result.epochs, run.result.plain_epochs);

    run.trust.temper = 0;
    run.train.lambda = NAN;
    assert_ok(go(&run, path));
    assert_true(run.result.n >= 2 && run.result.n <= 9);
    for (size_t i = 0; i < run.result.n; i++)
        assert_close(run.result.candidate[i].temper, 1, 0);

    /* Only calibrated, and tempered by a number. */
    run.train.lambda = 1;
    run.trust.temper = 0.5;
    assert_ok(go(&run, path));
    assert_int_equal(run.result.n, 0);
    assert_int_equal(run.result.calibrating, 40);
    end(&run);
    free(path);
}

static void wishes_that_contradict_are_refused(void **state)
{
    const char *data =
        training_data("train.h5", "gaussian", 256, BNRE_SPLIT_TRAIN);
    char *path = strdup(scratch_path("wishes.h5"));
    struct run run;

    (void)state;
    begin(&run, data);
    run.trust.temper = 0.5;
    assert_fails(go(&run, path), BNRE_EUSAGE, "chooses temper itself");
    run.trust.temper = 0;
    run.train.lambda = 10;
    assert_fails(go(&run, path), BNRE_EUSAGE, "chooses lambda itself");
    run.train.lambda = 100;
    run.train.method = BNRE_METHOD_NRE;
    assert_fails(go(&run, path), BNRE_EUSAGE, "method nre");
    run.train.method = BNRE_METHOD_BNRE;
    run.trust.select = data;
    run.train.epochs = 1;
    assert_fails(go(&run, path), BNRE_EUSAGE, "trained on");
    run.train.lambda = NAN;
    assert_fails(bnre_train(&run.train, path, NULL), BNRE_EINVAL, "chosen");
    end(&run);
    free(path);
}

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
    struct run run;

    (void)state;
    begin(&run, data);
    run.trust.certify = "60";
    run.trust.calibrate = "0";
    assert_ok(go(&run, path));
    c = &run.result.candidate[run.result.chosen];
    assert_true(c->lambda > 0 && !c->fresh);
    assert_ok(bnre_estimator_open(path, &est));
    /* As the program does, which forgets the certificate. */
    assert_ok(bnre_estimator_set_temper(est, c->temper == 1 ? 0.9 : 1));
    assert_ok(bnre_learning_curve_make(
        est, data, pairs, 200, scratch_path("part"), NULL, NULL, &curve));
    /* 0.24, 0.31 and 0.57 nats; with the last step's settings alone a part
       gets to 0.007. */
    assert_true(curve.information[1].mean > curve.information[2].mean / 4);
    bnre_estimator_close(est);
    end(&run);
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
    char *stem = strdup(scratch_path("curve"));
    char *data =
        strdup(training_data("learn.h5", "gaussian", 240, BNRE_SPLIT_TRAIN));
    char *pairs =
        strdup(training_data("after.h5", "gaussian", 100, BNRE_SPLIT_TEST));
    size_t left = 0;
    const bnre_monitor monitor = {.context = &left, .progress = stop_after};
    struct plans plans = {0};
    const bnre_monitor reader = {.context = &plans, .note = note_plan};
    bnre_learning_curve whole, parts;
    bnre_estimator *est = NULL;
    struct run run;

    (void)state;
    begin(&run, data);
    run.train.validation =
        strdup(training_data("other.h5", "gaussian", 500, BNRE_SPLIT_VALIDATE));
    run.train.method = BNRE_METHOD_NRE;
    assert_ok(bnre_train(&run.train, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre_learning_curve_make(est, data, pairs, 100, stem, NULL,
                                       &reader, &whole));
    assert_int_equal(plans.n, 2); /* with some held out besides */
    assert_int_equal(plans.simulations[0], 60);
    assert_int_equal(plans.simulations[1], 120);
    assert_int_equal(whole.simulations[0], 60);
    assert_int_equal(whole.simulations[1], 120);
    assert_int_equal(whole.simulations[2], 240);
    left = 60;
    assert_int_equal(bnre_learning_curve_make(est, data, pairs, 100, stem, NULL,
                                              &monitor, &parts),
                     BNRE_EINTR);
    assert_ok(bnre_learning_curve_make(est, data, pairs, 100, stem, NULL,
                                       &monitor, &parts));
    assert_memory_equal(&whole, &parts, sizeof whole);
    bnre_estimator_close(est);
    free(run.train.validation);
    end(&run);
    free(path);
    free(stem);
    free(data);
    free(pairs);
}

static void a_plan_tells_of_pairs(void **state)
{
    struct run run;
    char *text = NULL;

    (void)state;
    begin(&run, "data.h5");
    run.trust.select = NULL;
    run.trust.certify = "certify.h5";
    assert_ok(bnre_trust_plan(&run.train, &run.trust, &text));
    assert_non_null(strstr(text, "2000 fresh pairs"));
    assert_non_null(strstr(text, "pairs of certify.h5"));
    bnre_free(text);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certified_choice_is_kept_with_the_estimator),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(interruptions_do_not_change_a_byte),
        cmocka_unit_test(too_few_pairs_are_not_certified),
        cmocka_unit_test(effort_is_kept),
        cmocka_unit_test(effort_is_kept_without_a_density),
        cmocka_unit_test(pairs_are_not_chosen_by_what_they_show),
        cmocka_unit_test(more_effort_is_proposed),
        cmocka_unit_test(lambda_does_not_go_on_from_nothing),
        cmocka_unit_test(halves_choose_one_of_the_two),
        cmocka_unit_test(wishes_that_contradict_are_refused),
        cmocka_unit_test(parts_of_a_learning_curve_learn),
        cmocka_unit_test(a_learning_curve_counts_what_was_learned_from),
        cmocka_unit_test(a_plan_tells_of_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
