/* threads: x in double precision is the same however it was simulated. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bnre/pool.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "data/precision.h"
#include "io/h5.h"
#include "probe.h"
#include "support.h"

enum { ROWS = 2500 };

static int set_up(void **state)
{
    (void)state;
    probe_reset();
    the_probe.failing = 1;
    the_probe.offset = 2459000000.0;
    the_probe.precision = "double";
    return 0;
}

static void read_x(const char *path, double *x, uint8_t *flags)
{
    bnre_dataset *data;

    assert_ok(bnre_dataset_open(path, &data));
    assert_int_equal(bnre_dataset_describe(data)->rows, ROWS);
    assert_ok(bnre_dataset_read(data, 0, ROWS, NULL, NULL, x, flags));
    bnre_dataset_close(data);
}

static void all_digits_go_through_every_format(void **state)
{
    static const char *const format[] = {"d.h5", "d.npz", "d.csv"};
    static double x[ROWS * 4], near_zero[ROWS * 4];
    static uint8_t flags[ROWS];
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);
    bnre_simulate_result result;
    char first[33] = "";

    (void)state;
    the_probe.offset = 0;
    assert_ok(probe_simulate(scratch_path("zero.h5"), &opts, NULL));
    read_x(scratch_path("zero.h5"), near_zero, flags);
    the_probe.offset = 2459000000.0;
    for (size_t k = 0; k < 3; k++) {
        char path[300], print[33];
        bnre_dataset *data;

        snprintf(path, sizeof path, "%s", scratch_path(format[k]));
        assert_ok(probe_simulate(path, &opts, &result));
        read_x(path, x, flags);
        for (size_t i = 0; i < ROWS * 4; i++)
            if (flags[i / 4] == BNRE_DRAW_OK)
                assert_close(x[i] - the_probe.offset, near_zero[i], 1e-6);
            else
                assert_true(isnan(x[i]));
        assert_ok(bnre_dataset_open(path, &data));
        assert_ok(bnre_dataset_fingerprint(data, print));
        assert_string_equal(print, result.fingerprint);
        assert_true(k == 0 || strcmp(print, first) == 0);
        strcpy(first, print);
        bnre_dataset_close(data);
    }
}

static void threads_and_interruptions_change_nothing(void **state)
{
    const char *whole = scratch_path("whole.h5");
    const char *broken = scratch_path("broken.h5");
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);
    bnre_pool *pool;

    (void)state;
    assert_ok(probe_simulate(whole, &opts, NULL));
    assert_ok(bnre_pool_create(4, &pool));
    opts.pool = pool;
    the_probe.stop_at = 1700;
    assert_fails(probe_simulate(broken, &opts, NULL), BNRE_ESIM, "no more");
    the_probe.stop_at = PROBE_NOWHERE;
    opts.count = 2000;
    assert_ok(probe_simulate(broken, &opts, NULL));
    opts.count = ROWS;
    assert_ok(probe_simulate(broken, &opts, NULL));
    assert_same_file(broken, whole);
    bnre_pool_destroy(pool);
}

/* Half written, and the text file does not tell what it is: the journal knows.
 */
static void a_text_file_is_recognised(void **state)
{
    const char *path = scratch_path("r.csv");
    char part[300], keep[300];
    bnre_simulate_opts opts = probe_opts(300, NULL);
    bnre_simulate_result result;

    (void)state;
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(keep, sizeof keep, "%s.keep", path);
    the_probe.stop_at = 299;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_ESIM, "no more");
    the_probe.stop_at = PROBE_NOWHERE;
    opts.count = 299;
    assert_int_equal(link(part, keep), 0);
    assert_ok(probe_simulate(path, &opts, NULL));
    assert_int_equal(rename(keep, part), 0);
    assert_ok(probe_simulate(path, &opts, &result));
    assert_int_equal(result.found, 299);
}

static void what_would_be_lost_is_refused_at_once(void **state)
{
    static unsigned char drawn[PROBE_ROWS];
    const char *path = scratch_path("lost.h5");
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);
    char part[300];

    (void)state;
    snprintf(part, sizeof part, "%s.part", path);
    the_probe.precision = NULL;
    the_probe.drawn = drawn;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EUSAGE,
                 "precision: double");
    assert_int_equal(drawn[63], 1);
    assert_int_equal(drawn[64], 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(part, F_OK), 0);
    the_probe.precision = "single";
    assert_ok(probe_simulate(path, &opts, NULL));
    the_probe.precision = "double";
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EEXIST,
                 "other settings");
    opts.force = 1;
    assert_ok(probe_simulate(path, &opts, NULL));
}

static void a_wrong_precision_is_refused(void **state)
{
    bnre_node *settings;
    bnre_task *task;

    (void)state;
    assert_ok(
        bnre_yaml_parse("name: gaussian\nprecision: quad\n", NULL, &settings));
    assert_fails(bnre_task_create(settings, &task), BNRE_EUSAGE,
                 "single (7 digits) or double (16)");
    bnre_node_destroy(settings);
}

/* Files of version 0.1.0 have no seal, and never had doubles. */
static void doubles_without_a_seal_are_refused(void **state)
{
    static const double value[8] = {2459000000.25};
    const char *path = scratch_path("old.h5");
    bnre__h5_writer *writer;
    bnre_dataset *data;
    size_t id;

    (void)state;
    assert_ok(bnre__h5_writer_create(path, 10, 500, &writer));
    assert_ok(bnre__h5_writer_text(writer, "/", "bnre_format", "dataset"));
    assert_ok(bnre__h5_writer_text(writer, "/", "fingerprint",
                                   "0123456789abcdef0123456789abcdef"));
    assert_ok(bnre__h5_writer_array(writer, "theta", 'f', 8, 2,
                                    (size_t[]){4, 2}, &id));
    assert_ok(bnre__h5_writer_rows(writer, id, 0, 4, value));
    assert_ok(
        bnre__h5_writer_array(writer, "x", 'f', 8, 2, (size_t[]){4, 2}, &id));
    assert_ok(bnre__h5_writer_rows(writer, id, 0, 4, value));
    assert_ok(bnre__h5_writer_commit(writer));
    assert_fails(bnre_dataset_open(path, &data), BNRE_EFORMAT,
                 "x ... another type");
}

/* What reads floats gets them, with the offset that is found or without. */
static void training_sees_what_is_there(void **state)
{
    const char *path = scratch_path("t.h5");
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);
    double *offset, x[40];
    float single[40];
    bnre_dataset *data;

    (void)state;
    the_probe.failing = 0;
    assert_ok(probe_simulate(path, &opts, NULL));
    assert_ok(bnre_dataset_open(path, &data));
    assert_ok(bnre_dataset_read(data, 5, 10, NULL, NULL, x, NULL));
    assert_ok(bnre__dataset_read_f32(data, 5, 10, NULL, single, NULL));
    for (size_t i = 0; i < 40; i++)
        assert_true(single[i] == (float)x[i]);
    assert_ok(bnre__dataset_find_offset(data, &offset));
    assert_non_null(offset);
    assert_ok(bnre__dataset_set_offset(data, offset));
    assert_ok(bnre__dataset_read_f32(data, 5, 10, NULL, single, NULL));
    for (size_t i = 0; i < 40; i++)
        assert_true(single[i] == (float)(x[i] - offset[i % 4]));
    bnre__free(offset);
    bnre_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_digits_go_through_every_format, set_up),
        cmocka_unit_test_setup(threads_and_interruptions_change_nothing,
                               set_up),
        cmocka_unit_test_setup(a_text_file_is_recognised, set_up),
        cmocka_unit_test_setup(what_would_be_lost_is_refused_at_once, set_up),
        cmocka_unit_test_setup(a_wrong_precision_is_refused, set_up),
        cmocka_unit_test_setup(doubles_without_a_seal_are_refused, set_up),
        cmocka_unit_test_setup(training_sees_what_is_there, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
