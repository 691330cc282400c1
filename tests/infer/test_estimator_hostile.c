/* Files from outside: damaged, cut short, foreign, or in order but false. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/dataset.h"
#include "estimators.h"
#include "foreign_h5.h"
#include "infer/estimator/estimator.h"
#include "support.h"

/* slow_estimator_damage.c tries all bytes. */
static void changed_bytes_are_noticed(void **state)
{
    const char *path = scratch_path("whole.h5"), *bad = scratch_path("bad.h5");
    bnre_estimator *est = NULL;
    unsigned char *bytes;
    size_t size, noticed = 0;

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    assert_ok(bnre_estimator_save(est, path, 0));
    bytes = read_bytes(path, &size);
    for (size_t i = 0; i < size; i += 101) {
        bytes[i] ^= 0x10;
        write_bytes(bad, size, bytes);
        bytes[i] ^= 0x10;
        noticed += !open_damaged(bad, est);
    }
    /* Most of a file so small is room that nothing uses. */
    assert_true(noticed > size / 101 / 6);
    free(bytes);
    bnre_estimator_close(est);
}

static void a_file_cut_short_is_refused(void **state)
{
    const char *path = scratch_path("cut.h5");
    bnre_estimator *est = NULL, *found;
    unsigned char *bytes;
    size_t size;

    (void)state;
    assert_ok(some_estimator_create(EST_IMAGES, &est));
    assert_ok(bnre_estimator_save(est, path, 0));
    bytes = read_bytes(path, &size);
    for (size_t length = 0; length < size; length += 997) {
        write_bytes(path, length, bytes);
        assert_fails(bnre_estimator_open(path, &found), BNRE_EFORMAT,
                     "not ... HDF5 file ... cut short");
    }
    assert_int_equal(unlink(path), 0);
    assert_fails(bnre_estimator_open(path, &found), BNRE_EIO, "No such file");
    free(bytes);
    bnre_estimator_close(est);
}

static void other_files_are_recognised(void **state)
{
    const char *path = scratch_path("other.h5");
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_task *task = NULL;
    bnre_estimator *est = NULL;
    bnre_dataset *data = NULL;

    (void)state;
    foreign_h5_write(path, FOREIGN_CHUNKED, 10, 3);
    assert_fails(bnre_estimator_open(path, &est), BNRE_EFORMAT,
                 "HDF5 file ... no estimator ... bnre");
    opts.count = 4;
    opts.force = 1;
    assert_ok(bnre_task_open("gaussian", 0, NULL, &task));
    assert_ok(bnre_simulate(task, &opts, path, NULL));
    assert_fails(bnre_estimator_open(path, &est), BNRE_EFORMAT,
                 "bnre dataset, not ... estimator: bnre train");
    bnre_task_destroy(task);
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    assert_ok(bnre_estimator_save(est, path, 1));
    assert_fails(bnre_dataset_open(path, &data), BNRE_EFORMAT,
                 "estimator, not a dataset");
    bnre_estimator_close(est);
}

/* ---- sound as HDF5, with a fingerprint that fits ---- */

/* The text that a file will hold is the estimator's own. */
static void change_task(bnre_estimator *est, const char *text)
{
    bnre__free(est->task);
    assert_ok(bnre__strdup(text, &est->task));
    est->info.task = est->task;
}

static void change_network(bnre_estimator *est, const char *text)
{
    est->info.network = text;
}

/* It would become a part of source code by export. */
static void change_version(bnre_estimator *est, const char *text)
{
    est->info.version = text;
}

static void texts_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        void (*change)(bnre_estimator *est, const char *text);
        const char *text, *says;
    } cases[] = {
        {change_version, "0.1.0 */ int evil; /*", "bnre_version"},
        {change_version, "", "bnre_version"},
        {change_version, "0.1.0\n#include \"x\"", "bnre_version"},
        {change_task, "", "needs parameters"},
        {change_task, "[1, 2", "task.h5"},
        {change_task, "parameters: {a: 'normal(0, 1)'}\nobservable: [3]",
         "weights"},
        {change_task,
         "parameters: {a: 'normal(0, 2)', b: 'uniform(-1, 3)'}\nobservable: "
         "[1e15]",
         "shape ... task"},
        {change_task,
         "parameters: {a: samples, b: samples}\nobservable: [3]\n"
         "prior_samples: {file: /etc/passwd}\n",
         "2 samples or more"},
        {change_task,
         "parameters: {a: 'normal(0, 2)', b: 'uniform(-1, 3)'}\nobservable: "
         "[3]\ntransform: {b: log}",
         "no logarithm everywhere"},
        {change_network, "head: {hidden: [1e9], activation: selu}", "width"},
        {change_network, "{preset: resnet18}", "task.h5"},
        {change_network, "head: {hidden: [12, 13], activation: selu}",
         "weights, not"},
        {change_network, "head: [nonsense]", "nonsense"},
        {change_network, "*alias", "task.h5"},
    };
    const char *path = scratch_path("task.h5");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre_estimator *est = NULL, *found = NULL;

        assert_ok(some_estimator_create(EST_PLAIN, &est));
        cases[i].change(est, cases[i].text);
        assert_ok(bnre_estimator_save(est, path, 1));
        assert_fails(bnre_estimator_open(path, &found), BNRE_EFORMAT,
                     cases[i].says);
        assert_null(found);
        bnre_estimator_close(est);
    }
}

static void a_network_of_endless_layers_is_refused(void **state)
{
    /* As many weights as before, and rows of 2^40 numbers in between. */
    static const char text[] =
        "{embedding: [conv1d: {channels: 3, kernel: 3, padding: 1}, batchnorm, "
        "relu, conv1d: {channels: 3, kernel: 1, padding: 1e12}, avgpool], "
        "head: {hidden: [1], activation: selu}}";
    const char *path = scratch_path("wide.h5");
    bnre_estimator *est = NULL, *found = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_IMAGES, &est));
    est->info.network = text;
    assert_ok(bnre_estimator_save(est, path, 1));
    assert_int_equal(bnre_estimator_open(path, &found), BNRE_EFORMAT);
    assert_null(found);
    bnre_estimator_close(est);
}

static void numbers_that_cannot_be_are_refused(void **state)
{
    const char *path = scratch_path("numbers.h5");

    (void)state;
    for (int i = 0; i < 7; i++) {
        static const char *const says[] = {"scaler", "scaler", "scaler",
                                           "temper", "temper", "record",
                                           "members"};
        bnre_estimator *est = NULL, *found = NULL;

        assert_ok(some_estimator_create(EST_ENSEMBLE, &est));
        if (i == 0)
            est->x.scale[1] = 0;
        else if (i == 1)
            est->theta.location[0] = NAN;
        else if (i == 2)
            est->x.inner = 7;
        else if (i == 3)
            est->info.temper = 2;
        else if (i == 4)
            est->info.temper = NAN;
        else if (i == 5)
            est->info.training.failed = 1000;
        else
            est->member[0].uses = (bnre__epoch)2;
        assert_ok(bnre_estimator_save(est, path, 1));
        if (i == 6) { /* written as one of the two words that there are */
            assert_ok(bnre_estimator_open(path, &found));
            bnre_estimator_close(found);
        } else {
            assert_fails(bnre_estimator_open(path, &found), BNRE_EFORMAT,
                         says[i]);
        }
        bnre_estimator_close(est);
    }
}

/* What this version does not know does not disturb it. */
static void unknown_parts_are_ignored(void **state)
{
    const char *path = scratch_path("more.h5");
    const size_t shape[] = {2};
    const double data[] = {1, 2};
    const char *const text[] = {"passed"};
    bnre_estimator *est = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_SAMPLES, &est));
    assert_ok(bnre_estimator_save(est, path, 1));
    foreign_h5_array(path, "certificate", 1, shape, data);
    foreign_h5_texts(path, "/", "verdict", 1, text);
    assert_true(open_damaged(path, est));
    bnre_estimator_close(est);
}

static bnre_status open_and_close(void *arg)
{
    bnre_estimator *est = NULL;
    bnre_status status = bnre_estimator_open(arg, &est);

    bnre_estimator_close(est);
    return status;
}

struct saving {
    const bnre_estimator *est;
    const char *path;
};

static bnre_status save(void *arg)
{
    const struct saving *saving = arg;

    return bnre_estimator_save(saving->est, saving->path, 1);
}

static bnre_status make(void *arg)
{
    bnre_estimator *est = NULL;
    bnre_status status = some_estimator_create(EST_IMAGES, &est);

    (void)arg;
    bnre_estimator_close(est);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    char path[256];

    (void)state;
    strcpy(path, scratch_path("memory.h5"));
    assert_survives_lack_of_memory(make, NULL);
    for (int kind = EST_IMAGES; kind <= EST_SAMPLES; kind++) {
        bnre_estimator *est = NULL;

        assert_ok(some_estimator_create((some_estimator)kind, &est));
        assert_ok(bnre__estimator_set_certificate(est, "pairs: 3"));
        assert_ok(bnre__estimator_set_calibration(est, 1, (double[]){0.5}));
        assert_survives_lack_of_memory(save, &(struct saving){est, path});
        assert_survives_lack_of_memory(open_and_close, path);
        bnre_estimator_close(est);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_bytes_are_noticed),
        cmocka_unit_test(a_file_cut_short_is_refused),
        cmocka_unit_test(other_files_are_recognised),
        cmocka_unit_test(texts_that_do_not_fit_are_refused),
        cmocka_unit_test(a_network_of_endless_layers_is_refused),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(unknown_parts_are_ignored),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
