#include <stdio.h>
#include <string.h>

#include "bnre/dataset.h"
#include "data/join.h"
#include "probe.h"
#include "support.h"

static void make(const char *path, size_t first, size_t count)
{
    bnre_simulate_opts opts = probe_opts(count, NULL);

    opts.first = first;
    opts.force = 1;
    assert_ok(probe_simulate(path, &opts, NULL));
}

static int set_up(void **state)
{
    (void)state;
    probe_reset();
    the_probe.failing = 1;
    return 0;
}

struct paths {
    char whole[256], part[3][256], out[256];
};

static void name(struct paths *paths)
{
    snprintf(paths->whole, sizeof paths->whole, "%s", scratch_path("whole.h5"));
    for (int i = 0; i < 3; i++) {
        char file[32];

        snprintf(file, sizeof file, "part%d.h5", i);
        snprintf(paths->part[i], sizeof paths->part[i], "%s",
                 scratch_path(file));
    }
    snprintf(paths->out, sizeof paths->out, "%s", scratch_path("out.h5"));
}

static void parts_make_the_same_bytes_as_one_run(void **state)
{
    struct paths paths;
    const char *part[3];
    char fingerprint[33];

    (void)state;
    name(&paths);
    make(paths.whole, 0, 900);
    make(paths.part[0], 0, 100);
    make(paths.part[1], 100, 700);
    make(paths.part[2], 800, 300); /* more than is needed */
    for (int i = 0; i < 3; i++)
        part[i] = paths.part[i];
    assert_ok(bnre__dataset_join(3, part, 900, paths.out, fingerprint));
    assert_same_file(paths.out, paths.whole);
    assert_int_equal(strlen(fingerprint), 32);
    /* And on the place of a part. */
    assert_ok(bnre__dataset_join(3, part, 900, paths.part[0], fingerprint));
    assert_same_file(paths.part[0], paths.whole);
}

static void the_beginning_is_what_a_smaller_count_gives(void **state)
{
    struct paths paths;
    const char *part[1];
    char fingerprint[33];

    (void)state;
    name(&paths);
    make(paths.whole, 0, 250);
    make(paths.part[0], 0, 900);
    part[0] = paths.part[0];
    assert_ok(bnre__dataset_join(1, part, 250, paths.out, fingerprint));
    assert_same_file(paths.out, paths.whole);
}

static void gaps_and_strangers_are_refused(void **state)
{
    struct paths paths;
    const char *part[2];
    char fingerprint[33];

    (void)state;
    name(&paths);
    make(paths.part[0], 0, 100);
    make(paths.part[1], 101, 100);
    part[0] = paths.part[0];
    part[1] = paths.part[1];
    assert_fails(bnre__dataset_join(2, part, 150, paths.out, fingerprint),
                 BNRE_EFORMAT, "not ... row 100");
    assert_fails(bnre__dataset_join(1, part, 150, paths.out, fingerprint),
                 BNRE_EFORMAT, "100 of 150 rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(parts_make_the_same_bytes_as_one_run, set_up),
        cmocka_unit_test_setup(the_beginning_is_what_a_smaller_count_gives,
                               set_up),
        cmocka_unit_test_setup(gaps_and_strangers_are_refused, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
