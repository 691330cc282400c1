/* What estimators know of their task and of data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/dataset.h"
#include "bnre/settings.h"
#include "data/rows.h"
#include "estimators.h"
#include "nn/net.h"
#include "support.h"

static void neither_simulator_nor_files_are_needed(void **state)
{
    const char *path = scratch_path("alone.h5");
    bnre_estimator *est = NULL;
    const bnre_estimator_info *info;
    double low, high;

    (void)state;
    for (int kind = EST_ENSEMBLE; kind <= EST_SAMPLES; kind++) {
        assert_ok(some_estimator_create((some_estimator)kind, &est));
        assert_ok(bnre_estimator_save(est, path, 1));
        bnre_estimator_close(est);
        assert_ok(bnre_estimator_open(path, &est));
        info = bnre_estimator_describe(est);
        assert_int_equal(bnre_prior_dim(bnre_estimator_prior(est)),
                         info->dim_theta);
        assert_int_equal(bnre_prior_has_density(bnre_estimator_prior(est)),
                         kind != EST_SAMPLES);
        if (kind == EST_IMAGES) {
            assert_string_equal(info->theta_name[0], "m");
            bnre_prior_support(bnre_estimator_prior(est), 0, &low, &high);
            assert_true(low == 10 && high == 80);
            assert_int_equal(info->ndim, 2);
            assert_int_equal(info->shape[1], 8);
        }
        bnre_estimator_close(est);
    }
}

static void a_file_is_replaced_only_when_asked(void **state)
{
    const char *path = scratch_path("twice.h5");
    bnre_estimator *est = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    assert_ok(bnre_estimator_save(est, path, 0));
    assert_fails(bnre_estimator_save(est, path, 0), BNRE_EEXIST, "`force`");
    assert_ok(bnre_estimator_save(est, path, 1));
    assert_fails(bnre_estimator_save(est, scratch_path("no/such.h5"), 0),
                 BNRE_EIO, "does not exist");
    bnre_estimator_close(est);
}

static void settings_that_do_not_fit_are_refused(void **state)
{
    static const char task[] =
        "parameters: {a: 'normal(0, 1)'}\nobservable: [4]\n";
    const size_t other[] = {5}, empty[] = {0};
    bnre__estimator_spec spec = {.task = task};
    bnre_estimator *est = NULL;

    (void)state;
    assert_fails(bnre__estimator_create(&spec, &est), BNRE_EUSAGE,
                 "needs a member");
    spec.members = 1;
    spec.ndim = 1;
    spec.shape = other;
    assert_fails(bnre__estimator_create(&spec, &est), BNRE_EUSAGE,
                 "not ... shape ... task");
    spec.kind = BNRE_ESTIMATOR_CLASSIFIER;
    spec.shape = empty;
    assert_fails(bnre__estimator_create(&spec, &est), BNRE_EUSAGE,
                 "x is empty");
    spec.ndim = 9;
    assert_fails(bnre__estimator_create(&spec, &est), BNRE_EUSAGE,
                 "9 dimensions");
    spec = (bnre__estimator_spec){.task = "observable: [4]", .members = 1};
    assert_fails(bnre__estimator_create(&spec, &est), BNRE_EUSAGE,
                 "needs parameters");
    assert_null(est);
}

/* ---- rows that were used ---- */

static bnre_dataset *simulate(const char *path, size_t count, uint64_t seed)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_dataset *data = NULL;
    bnre_task *task = NULL;

    opts.count = count;
    opts.seed = seed;
    opts.force = 1;
    assert_ok(bnre_task_open("slcp", 0, NULL, &task));
    assert_ok(bnre_simulate(task, &opts, path, NULL));
    assert_ok(bnre_dataset_open(path, &data));
    bnre_task_destroy(task);
    return data;
}

static void rows_used_in_training_are_counted(void **state)
{
    enum { ROWS = 100, SIZE = 8 };
    const char *path = scratch_path("used.h5");
    bnre_dataset *data = simulate(path, ROWS, 1), *fresh;
    double *theta = calloc(ROWS * 2, sizeof *theta);
    double *x = calloc(ROWS * SIZE, sizeof *x);
    uint64_t hash[ROWS];
    bnre_estimator *est = NULL, *other = NULL;
    size_t count;

    (void)state;
    assert_ok(bnre_dataset_read(data, 0, ROWS, theta, NULL, x, NULL));
    /* The rows 30..89, backwards and one twice. */
    for (size_t i = 0; i < 60; i++)
        hash[i] =
            bnre__row_hash(2, theta + (89 - i) * 2, SIZE, x + (89 - i) * SIZE);
    hash[60] = hash[7];
    assert_ok(bnre__estimator_create(
        &(bnre__estimator_spec){.task = bnre_dataset_describe(data)->task,
                                .members = 1},
        &est));
    assert_ok(bnre__estimator_overlap(est, data, &count));
    assert_int_equal(count, 0);
    assert_ok(bnre__estimator_set_hashes(est, 61, hash));
    assert_int_equal(est->hashes, 60);
    assert_ok(bnre__estimator_overlap(est, data, &count));
    assert_int_equal(count, 60);
    fresh = simulate(scratch_path("fresh.h5"), ROWS, 2);
    assert_ok(bnre__estimator_overlap(est, fresh, &count));
    assert_int_equal(count, 0);

    assert_ok(some_estimator_create(EST_PLAIN, &other));
    assert_fails(bnre__estimator_overlap(other, data, &count), BNRE_EFORMAT,
                 "used.h5, 3 for the estimator");
    bnre_estimator_close(other);
    assert_ok(some_estimator_create(EST_IMAGES, &other));
    assert_fails(bnre__estimator_overlap(other, data, &count), BNRE_EFORMAT,
                 "2 parameters, the estimator 1");
    bnre_estimator_close(other);
    bnre_estimator_close(est);
    bnre_dataset_close(fresh);
    bnre_dataset_close(data);
    free(x);
    free(theta);
}

/* ---- observations unlike the simulated ones ---- */

static void strange_observations_are_told(void **state)
{
    bnre_estimator *est = NULL;
    bnre_estimator_outside out;
    double x[3];

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    for (uint64_t i = 0; i < 300; i++) {
        some_x(est, i, x);
        assert_int_equal(bnre_estimator_compare_x(est, x).count, 0);
    }
    x[1] = 4; /* 5 + |z| in training */
    out = bnre_estimator_compare_x(est, x);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.worst, 1);
    assert_true(out.value == 4 && out.low >= 5 && out.high > 6);
    x[0] = 100; /* farther out, as the range goes */
    out = bnre_estimator_compare_x(est, x);
    assert_int_equal(out.count, 2);
    assert_int_equal(out.worst, 0);
    x[0] = NAN;
    assert_int_equal(bnre_estimator_compare_x(est, x).count, 2);
    bnre_estimator_close(est);
}

/* ---- scaling by the network's first layer ---- */

static void what_is_scaled_together_follows_the_network(void **state)
{
    static const struct {
        const char *network;
        bnre__scale_by by;
    } cases[] = {
        {"{preset: mlp}", BNRE__SCALE_ELEMENT},
        {"{preset: cnn1d}", BNRE__SCALE_CHANNEL},
        {"{embedding: [batchnorm, flatten], head: {hidden: [4]}}",
         BNRE__SCALE_CHANNEL},
        {"{embedding: [transpose, linear: {width: 3}, set_mean], head: "
         "{hidden: [4]}}",
         BNRE__SCALE_FEATURE},
        {"{embedding: [linear: {width: 3}, relu, set_sum], head: {hidden: "
         "[4]}}",
         BNRE__SCALE_FEATURE},
    };
    const size_t shape[] = {2, 16};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre_node *settings = NULL;
        bnre__net *net = NULL;

        assert_ok(bnre_yaml_parse(cases[i].network, NULL, &settings));
        assert_ok(bnre__net_create(
            settings,
            &(bnre__net_input){.dim_theta = 1, .ndim = 2, .shape = shape},
            &net));
        assert_int_equal(bnre__estimator_scale_by(net), cases[i].by);
        bnre__net_destroy(net);
        bnre_node_destroy(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neither_simulator_nor_files_are_needed),
        cmocka_unit_test(a_file_is_replaced_only_when_asked),
        cmocka_unit_test(settings_that_do_not_fit_are_refused),
        cmocka_unit_test(rows_used_in_training_are_counted),
        cmocka_unit_test(strange_observations_are_told),
        cmocka_unit_test(what_is_scaled_together_follows_the_network),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
