/* What training refuses, what recipes mean, and what it tells. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/estimator.h"
#include "bnre/settings.h"
#include "data/writer.h"
#include "infer/train/train.h"
#include "probe.h"
#include "sample_rows.h"
#include "support.h"
#include "training.h"

static bnre_node *network;
static char data[256];

static int make_data(void **state)
{
    (void)state;
    network = training_network("head: {hidden: [6], activation: selu}\n");
    snprintf(data, sizeof data, "%s",
             training_data("data.h5", "gaussian", 400, BNRE_SPLIT_TRAIN));
    return 0;
}

static int free_data(void **state)
{
    (void)state;
    bnre_node_destroy(network);
    return 0;
}

static bnre_train_opts some_opts(void)
{
    bnre_train_opts opts = training_opts(data, network);

    opts.epochs = 2;
    opts.force = 1;
    return opts;
}

static char *text(const char *value)
{
    return (char *)(uintptr_t)value; /* only read */
}

static bnre_status train(const bnre_train_opts *opts)
{
    return bnre_train(opts, scratch_path("out.h5"), NULL);
}

/* The value of a setting in the estimator that was written last. */
static void assert_setting(const char *key, const char *value)
{
    bnre_estimator *est;
    bnre_node *map;

    assert_ok(bnre_estimator_open(scratch_path("out.h5"), &est));
    assert_ok(
        bnre_yaml_parse(bnre_estimator_describe(est)->settings, NULL, &map));
    assert_non_null(bnre_node_find(map, key));
    assert_string_equal(bnre_node_find(map, key)->text, value);
    bnre_node_destroy(map);
    bnre_estimator_close(est);
}

/* ---- notes ---- */

struct notes {
    char text[2048];
};

static void keep_note(void *context, const char *note)
{
    struct notes *notes = context;
    const size_t used = strlen(notes->text);

    snprintf(notes->text + used, sizeof notes->text - used, "%s\n", note);
}

static void assert_notes(bnre_train_opts opts, const char *expected)
{
    struct notes notes = {{0}};
    const bnre_monitor monitor = {.note = keep_note, .context = &notes};

    opts.monitor = &monitor;
    assert_ok(train(&opts));
    if (!holds_facts(notes.text, expected))
        fail_msg("\"%s\" is not in:\n%s", expected, notes.text);
}

/* ---- data that do not fit ---- */

static void other_tasks_are_refused(void **state)
{
    bnre_train_opts opts = some_opts();

    (void)state;
    opts.validation =
        text(training_data("slcp.h5", "slcp", 100, BNRE_SPLIT_VALIDATE));
    assert_fails(train(&opts), BNRE_EUSAGE, "slcp.h5 ... task");
    opts = some_opts();
    opts.task = text("slcp");
    assert_fails(train(&opts), BNRE_EUSAGE, "another task ... slcp");
    opts.task = text("gaussian");
    assert_ok(train(&opts));
}

/* Files that do not tell their task are checked by their shapes. */
static void other_shapes_are_refused(void **state)
{
    bnre_train_opts opts = some_opts();
    bnre_simulate_opts simulate = probe_opts(50, NULL);
    char csv[256];

    (void)state;
    snprintf(csv, sizeof csv, "%s", scratch_path("probe.csv"));
    probe_reset();
    assert_ok(probe_simulate(csv, &simulate, NULL));
    opts.validation = csv;
    assert_fails(train(&opts), BNRE_EUSAGE, "2 parameters ... 4 values");
    opts = some_opts();
    opts.data = csv;
    assert_fails(train(&opts), BNRE_EUSAGE, "probe.csv ... `task: FILE.yaml`");
    opts.task = text("slcp");
    assert_fails(train(&opts), BNRE_EUSAGE, "");
}

static void too_few_rows_are_refused(void **state)
{
    bnre_train_opts opts = some_opts();

    (void)state;
    opts.simulations = 30;
    assert_fails(train(&opts), BNRE_EUSAGE,
                 "27 simulations ... learn ... fewer ... batch ... 32");
    opts.simulations = 401;
    assert_fails(train(&opts), BNRE_EUSAGE, "401 simulations");
    opts.simulations = 0;
    opts.validation_rows = 400;
    assert_fails(train(&opts), BNRE_EUSAGE, "nothing is left");
    opts.validation_rows = 1;
    assert_fails(train(&opts), BNRE_EUSAGE, "validation");
    opts = some_opts();
    opts.validation = data;
    opts.validation_rows = 500;
    assert_fails(train(&opts), BNRE_EUSAGE, "500 rows for validation");
    opts.data = text("nowhere.h5");
    assert_fails(train(&opts), BNRE_EIO, "nowhere.h5");
    opts.data = NULL;
    assert_fails(train(&opts), BNRE_EUSAGE, "no data");
}

static void networks_that_do_not_fit_are_refused(void **state)
{
    bnre_node *wrong = training_network(
        "embedding: [conv9d]\nhead: {hidden: [4], activation: selu}\n");
    bnre_train_opts opts = some_opts();

    (void)state;
    opts.settings = wrong;
    assert_fails(train(&opts), BNRE_EUSAGE, "conv9d");
    bnre_node_destroy(wrong);
    opts = some_opts();
    opts.settings = NULL;
    opts.recipe = BNRE_RECIPE_PAPER;
    assert_fails(train(&opts), BNRE_EUSAGE, "`network`");
    opts.network = text("nowhere.yaml");
    assert_fails(train(&opts), BNRE_EIO, "nowhere.yaml");
}

static void options_are_checked_by_their_table(void **state)
{
    bnre_train_opts opts = bnre_train_opts_default();
    const bnre_opt *table;
    size_t n;

    (void)state;
    table = bnre_train_options(&n);
    assert_fails(bnre_opt_set(bnre_opt_find(table, n, "lambda"), &opts, "-1"),
                 BNRE_EUSAGE, "lambda");
    opts.data = data;
    opts.lambda = -1;
    assert_fails(train(&opts), BNRE_EUSAGE, "lambda ... 0");
    opts.data = NULL;
    opts.lambda = 100;
    assert_fails(bnre_opt_set(bnre_opt_find(table, n, "method"), &opts, "flow"),
                 BNRE_EUSAGE, "nre");
    assert_ok(bnre_opt_set(bnre_opt_find(table, n, "batch-size"), &opts, "64"));
    assert_int_equal(opts.batch_size, 64);
    assert_ok(bnre_opt_set(bnre_opt_find(table, n, "data"), &opts, "a.h5"));
    bnre_opt_clear(table, n, &opts);
    assert_null(opts.data);
}

/* ---- rows ---- */

static void a_budget_is_a_budget(void **state)
{
    bnre_train_opts opts = some_opts();
    bnre_train_result result;
    bnre_estimator *est;
    bnre_dataset *file;
    size_t count;

    (void)state;
    opts.simulations = 200;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_int_equal(result.simulations, 180);
    assert_int_equal(result.validation, 20);
    assert_ok(bnre_estimator_open(scratch_path("out.h5"), &est));
    assert_int_equal(bnre_estimator_describe(est)->training.rows, 180);
    assert_int_equal(bnre_estimator_describe(est)->validation.rows, 20);
    assert_ok(bnre_dataset_open(data, &file));
    assert_ok(bnre__estimator_overlap(est, file, &count));
    assert_int_equal(count, 200);
    bnre_dataset_close(file);
    bnre_estimator_close(est);
    assert_setting("simulations", "200");
    assert_setting("validation_rows", "20");
}

static void failures_are_told_and_counted(void **state)
{
    char path[256];
    bnre_train_opts opts;
    bnre_train_result result;
    bnre_simulate_opts simulate = probe_opts(330, NULL);

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("failing.h5"));
    probe_reset();
    the_probe.failing = 1;
    assert_ok(probe_simulate(path, &simulate, NULL));
    opts = some_opts();
    opts.data = path;
    opts.validation = path;
    opts.failure = BNRE_FAILURE_OUTCOME;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_int_equal(result.failed, 30);
    assert_int_equal(result.outcome, 30);
    opts.failure = BNRE_FAILURE_MISSING;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_int_equal(result.failed, 30);
    assert_int_equal(result.outcome, 0);
    opts.failure = BNRE_FAILURE_AUTO;
    assert_notes(opts, "30 of ... failed (9.09 %): 20 ... outcomes");
    probe_reset();
}

/* Rows of a sample with some values replaced. */
struct spoiled {
    bnre__rows sample;
    float value; /* of x[1] in all rows */
    size_t nan;  /* a row whose x[2] is not a number */
};

static bnre_status read_spoiled(void *self, size_t first, size_t n,
                                double *theta, double *nuisance, void *x_out,
                                uint8_t *flags,
                                char (*reason)[BNRE_REASON_SIZE])
{
    float *x = x_out;
    const struct spoiled *spoiled = self;
    bnre_status status = spoiled->sample.read(
        spoiled->sample.self, first, n, theta, nuisance, x, flags, reason);

    for (size_t i = 0; x != NULL && i < n; i++) {
        if (!isnan(spoiled->value))
            x[i * SAMPLE_X + 1] = spoiled->value;
        if (first + i == spoiled->nan)
            x[i * SAMPLE_X + 2] = NAN;
    }
    for (size_t i = 0; theta != NULL && i < n; i++)
        theta[i * SAMPLE_DIM + 1] = (double)(first + i);
    return status;
}

static const char *spoiled_file(float value, size_t nan)
{
    struct spoiled spoiled = {sample_rows(300, 0), value, nan};
    bnre_dataset_info info = *spoiled.sample.info;
    const char *path = scratch_path("spoiled.h5");
    char print[33];

    info.task = "name: sample\nparameters: {rate: 'uniform(0, 100)', scale: "
                "'uniform(0, 300)'}\nobservable: [2, 3]\n";
    assert_ok(bnre__write_h5(
        path,
        &(bnre__rows){.info = &info, .self = &spoiled, .read = read_spoiled},
        print));
    return path;
}

static void constant_values_are_told(void **state)
{
    bnre_train_opts opts = some_opts();

    (void)state;
    opts.settings = NULL;
    opts.batch_size = 128;
    opts.epochs = 1;
    opts.data = text(spoiled_file(3, SIZE_MAX));
    opts.standardise = BNRE_STANDARDISE_ELEMENT;
    assert_notes(opts, "1 of the 6 values of x ... same");
}

/* In any row, also where scalers do not look: the last one of many. */
static void values_without_a_logarithm_are_refused(void **state)
{
    const char *path = scratch_path("logs.csv");
    char task[256], csv[256];
    bnre_train_opts opts = some_opts();
    FILE *file;

    (void)state;
    snprintf(csv, sizeof csv, "%s", path);
    snprintf(task, sizeof task, "%s", scratch_path("logs.yaml"));
    file = fopen(task, "w");
    fputs("parameters: {a: 'uniform(0, 1)'}\nobservable: [1]\n"
          "transform: {x: log}\n",
          file);
    fclose(file);
    file = fopen(csv, "w");
    fputs("theta.a,x.0\n", file);
    for (size_t i = 0; i < 40000; i++)
        fprintf(file, "%g,%g\n", (double)(i % 100) / 100,
                i == 39998 ? -2 : 1 + (double)(i % 7));
    fclose(file);
    opts.data = csv;
    opts.task = task;
    assert_fails(train(&opts), BNRE_ENUM, "has -2 ... x");
    /* And a parameter that never changes is told. */
    file = fopen(csv, "w");
    fputs("theta.a,x.0\n", file);
    for (size_t i = 0; i < 400; i++)
        fprintf(file, "0.5,%g\n", 1 + (double)(i % 7));
    fclose(file);
    assert_notes(opts, "parameter a ... same");
}

static void values_that_are_not_finite_are_refused(void **state)
{
    bnre_train_opts opts = some_opts();

    (void)state;
    opts.settings = NULL;
    opts.data = text(spoiled_file(NAN, 17));
    assert_fails(train(&opts), BNRE_ENUM, "row 17, x[0, 2]");
}

/* Without scaling such values make the loss overflow. */
static void a_loss_that_is_not_finite_ends_training(void **state)
{
    bnre_train_opts opts = some_opts();

    (void)state;
    opts.settings = NULL;
    opts.epochs = 20;
    opts.data = text(spoiled_file(3e38f, SIZE_MAX));
    opts.standardise = BNRE_STANDARDISE_NONE;
    assert_fails(train(&opts), BNRE_ENUM,
                 "loss ... not ... finite number ... 10 steps ... row");
    assert_fails(train(&opts), BNRE_ENUM, "standardised");
}

/* ---- recipes ---- */

static void small_networks_come_in_fives(void **state)
{
    bnre_train_opts opts = bnre_train_opts_default();

    (void)state;
    assert_int_equal(bnre__train_method(&opts), BNRE_METHOD_BNPE);
    assert_int_equal(bnre__train_members(&opts), 5);
    opts.folds = 4;
    assert_int_equal(bnre__train_members(&opts), 8);
    opts.members = 12;
    assert_int_equal(bnre__train_members(&opts), 12);
    opts = bnre_train_opts_default();
    opts.classes.count = 2;
    assert_int_equal(bnre__train_method(&opts), BNRE_METHOD_BNRE);
    assert_int_equal(bnre__train_members(&opts), 1);
    opts = bnre_train_opts_default();
    opts.recipe = BNRE_RECIPE_PAPER;
    assert_int_equal(bnre__train_method(&opts), BNRE_METHOD_BNRE);
    assert_int_equal(bnre__train_members(&opts), 1);
    opts.method = BNRE_METHOD_NPE;
    assert_int_equal(bnre__train_method(&opts), BNRE_METHOD_NPE);
}

static void recipes_fill_in_what_is_not_given(void **state)
{
    bnre_train_opts opts = some_opts();

    (void)state;
    opts.method = bnre_train_opts_default().method;
    assert_ok(train(&opts));
    assert_setting("method", "bnpe");
    assert_setting("pairing", "derangement");
    assert_setting("standardise", "element");
    assert_setting("weights", "best");
    opts.recipe = BNRE_RECIPE_PAPER;
    assert_notes(opts, "40 ... validation, 40 ... learning rate");
    assert_setting("method", "bnre");
    assert_setting("pairing", "permutation");
    assert_setting("standardise", "none");
    assert_setting("weights", "last");
    assert_setting("schedule_rows", "40");
    opts.weights = BNRE_WEIGHTS_BEST;
    opts.method = BNRE_METHOD_NRE;
    assert_ok(train(&opts));
    assert_setting("weights", "best");
    assert_setting("lambda", "0");
}

/* The plateau rule as it is defined, from the losses in the history: a cut
   after 11 epochs that do not beat the best one by 1e-4 of it. */
static void the_learning_rate_follows_the_scheduling_loss(void **state)
{
    char schedule[256];
    bnre_train_opts opts = some_opts();
    bnre_estimator_member member;
    bnre_train_result result;
    bnre_estimator *est;
    double best = INFINITY, rate = 0.02;
    size_t bad = 0, cuts = 0;

    (void)state;
    snprintf(
        schedule, sizeof schedule, "%s",
        training_data("schedule.h5", "gaussian", 100, BNRE_SPLIT_SCHEDULE));
    opts.recipe = BNRE_RECIPE_PAPER;
    opts.schedule = schedule;
    opts.learning_rate = rate;
    opts.epochs = 200;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_int_equal(result.scheduling, 100);
    assert_int_equal(result.stop, BNRE_STOP_FLOOR);
    assert_ok(bnre_estimator_open(scratch_path("out.h5"), &est));
    member = bnre_estimator_describe_member(est, 0);
    assert_string_equal(member.name[1], "learning_rate");
    assert_string_equal(member.name[10], "schedule_loss");
    for (size_t e = 0; e < member.epochs; e++) {
        const double *row = member.history + e * member.columns;

        assert_close(row[1], rate, 1e-12);
        if (row[10] < best * (1 - 1e-4)) {
            best = row[10];
            bad = 0;
        } else if (++bad == 11) {
            bad = 0;
            rate /= 10;
            cuts++;
        }
    }
    assert_true(cuts >= 6); /* to the floor */
    assert_true(member.epochs < 200);
    assert_int_equal(member.last, member.epochs);
    assert_false(member.uses_best);
    bnre_estimator_close(est);
}

static void lambda_can_grow(void **state)
{
    bnre_train_opts opts = some_opts();
    bnre_estimator_member member;
    bnre_estimator *est;

    (void)state;
    opts.lambda_ramp = 1;
    opts.epochs = 10;
    assert_ok(train(&opts));
    assert_ok(bnre_estimator_open(scratch_path("out.h5"), &est));
    member = bnre_estimator_describe_member(est, 0);
    assert_int_equal(member.epochs, 10);
    for (size_t e = 0; e < 10; e++)
        assert_close(member.history[e * member.columns + 2],
                     e < 8 ? 12.5 * (double)e : 100, 1e-12);
    bnre_estimator_close(est);
}

static void training_stops_when_it_should(void **state)
{
    bnre_train_opts opts = some_opts();
    bnre_train_result result;

    (void)state;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_int_equal(result.stop, BNRE_STOP_EPOCHS);
    assert_int_equal(result.epochs, 2);
    opts.epochs = 500;
    opts.patience = 3;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_int_equal(result.stop, BNRE_STOP_PATIENCE);
    assert_int_equal(result.last_epoch, result.best_epoch + 3);
    opts.max_time = 1e-9;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_int_equal(result.stop, BNRE_STOP_TIME);
    assert_int_equal(result.epochs, 1);
}

static void warnings_have_words(void **state)
{
    bnre_train_opts opts = some_opts();
    bnre_train_result result;

    (void)state;
    opts.lambda = 1e6; /* nothing but the penalty matters */
    opts.epochs = 60;
    opts.patience = 60;
    opts.learning_rate = 0.01;
    opts.weights = BNRE_WEIGHTS_LAST;
    assert_ok(bnre_train(&opts, scratch_path("out.h5"), &result));
    assert_true(result.warnings & BNRE_TRAIN_COLLAPSED);
    assert_true(result.warnings & BNRE_TRAIN_FEW);
    for (unsigned bit = 1; bit <= BNRE_TRAIN_SKIPPED; bit <<= 1)
        assert_non_null(bnre_train_warning(bit));
    assert_null(bnre_train_warning(1u << 20));
}

static void a_plan_tells_what_would_be_done(void **state)
{
    bnre_train_opts opts = some_opts();
    bnre_train_result plan;
    char *settings;

    (void)state;
    assert_ok(bnre__train_plan(&opts, &plan, &settings));
    assert_int_equal(plan.simulations, 360);
    assert_int_equal(plan.weights, 4 * 6 + 6 + 6 + 1);
    assert_non_null(strstr(settings, "batch_size: 32\n"));
    assert_non_null(strstr(settings, "width: 6\n"));
    bnre_free(settings);
    opts.data = NULL;
    assert_fails(bnre__train_plan(&opts, &plan, &settings), BNRE_EUSAGE,
                 "data");
    assert_null(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_tasks_are_refused),
        cmocka_unit_test(other_shapes_are_refused),
        cmocka_unit_test(too_few_rows_are_refused),
        cmocka_unit_test(networks_that_do_not_fit_are_refused),
        cmocka_unit_test(options_are_checked_by_their_table),
        cmocka_unit_test(a_budget_is_a_budget),
        cmocka_unit_test(failures_are_told_and_counted),
        cmocka_unit_test(constant_values_are_told),
        cmocka_unit_test(values_without_a_logarithm_are_refused),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(a_loss_that_is_not_finite_ends_training),
        cmocka_unit_test(small_networks_come_in_fives),
        cmocka_unit_test(recipes_fill_in_what_is_not_given),
        cmocka_unit_test(the_learning_rate_follows_the_scheduling_loss),
        cmocka_unit_test(lambda_can_grow),
        cmocka_unit_test(training_stops_when_it_should),
        cmocka_unit_test(warnings_have_words),
        cmocka_unit_test(a_plan_tells_what_would_be_done),
    };

    return cmocka_run_group_tests(tests, make_data, free_data);
}
