/* threads: rows are simulated on several of them. */
#include "bnre/dataset.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bnre/settings.h"
#include "io/file.h"
#include "io/journal.h"
#include "probe.h"
#include "support.h"

enum { ROWS = 5000, CHUNK = 1024 };

static unsigned char drawn[PROBE_ROWS];

static int set_up(void **state)
{
    (void)state;
    probe_reset();
    memset(drawn, 0, sizeof drawn);
    the_probe.drawn = NULL; /* only tests with one thread count */
    return 0;
}

static void path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s", scratch_path(name));
}

static int exists_beside(const char *path, const char *ending)
{
    char other[300];

    snprintf(other, sizeof other, "%s%s", path, ending);
    return bnre__file_exists(other);
}

/* `count` rows on one thread; there is nothing beside the file then. */
static bnre_simulate_result run(const char *path, size_t count)
{
    bnre_simulate_opts opts = probe_opts(count, NULL);
    bnre_simulate_result result;

    assert_ok(probe_simulate(path, &opts, &result));
    assert_int_equal(result.rows, count);
    assert_false(exists_beside(path, ".part"));
    return result;
}

static void assert_drawn(size_t first, size_t last, int times)
{
    for (size_t i = first; i < last; i++)
        assert_int_equal(drawn[i], times);
}

static void threads_do_not_change_a_byte(void **state)
{
    static const char *const endings[] = {"h5", "npz", "csv"};
    bnre_pool *pool;

    (void)state;
    the_probe.failing = 1;
    for (size_t k = 0; k < 3; k++) {
        char one[256], many[256], name[32];
        bnre_simulate_result result, same;

        snprintf(name, sizeof name, "one.%s", endings[k]);
        path_of(one, name);
        result = run(one, ROWS);
        assert_int_equal(result.found, 0);
        assert_int_equal(result.failed, (ROWS + 5) / 11);
        for (size_t threads = 2; threads <= 3; threads++) {
            bnre_simulate_opts opts;

            snprintf(name, sizeof name, "many%zu.%s", threads, endings[k]);
            path_of(many, name);
            assert_ok(bnre_pool_create(threads, &pool));
            opts = probe_opts(ROWS, pool);
            assert_ok(probe_simulate(many, &opts, &same));
            assert_same_file(one, many);
            assert_memory_equal(&result, &same, sizeof result);
            bnre_pool_destroy(pool);
        }
    }
}

static void the_file_tells_how_it_was_made(void **state)
{
    char path[256], found[33];
    bnre_simulate_result result;
    const bnre_dataset_info *info;
    bnre_failure failure[4];
    bnre_dataset *data;
    struct stat size;
    bnre_task *task = probe_task();
    size_t n;

    (void)state;
    the_probe.failing = 1;
    path_of(path, "told.h5");
    result = run(path, 300);
    assert_ok(bnre_dataset_open(path, &data));
    info = bnre_dataset_describe(data);
    assert_string_equal(info->task, bnre_task_text(task));
    assert_string_equal(info->settings, "seed: 1\nsplit: train\n");
    assert_string_equal(info->version, BNRE_VERSION);
    assert_string_equal(info->theta_name[1], "b");
    assert_string_equal(info->nuisance_name[0], "c");
    assert_ok(bnre_dataset_fingerprint(data, found));
    assert_string_equal(found, info->stored_fingerprint);
    assert_string_equal(found, result.fingerprint);
    assert_int_equal(stat(path, &size), 0);
    assert_int_equal(result.bytes, size.st_size);
    assert_ok(bnre_dataset_failures(data, 4, failure, &n));
    assert_int_equal(n, 4); /* two reasons, each invalid or lost */
    assert_non_null(strstr(failure[0].reason, "fell over"));
    bnre_dataset_close(data);
    bnre_task_destroy(task);
}

static void an_extended_file_is_that_of_one_run(void **state)
{
    static const char *const endings[] = {"h5", "npz"};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        char path[256], whole[256], name[32];
        bnre_simulate_result result;

        set_up(NULL);
        the_probe.failing = 1;
        snprintf(name, sizeof name, "extended.%s", endings[k]);
        path_of(path, name);
        snprintf(name, sizeof name, "whole.%s", endings[k]);
        path_of(whole, name);
        run(whole, ROWS);
        the_probe.drawn = drawn;
        run(path, 700);
        result = run(path, 2600);
        assert_int_equal(result.found, 700);
        result = run(path, ROWS);
        assert_int_equal(result.found, 2600);
        assert_drawn(0, ROWS, 1);
        assert_same_file(path, whole);
        result = run(path, ROWS); /* nothing to do */
        assert_int_equal(result.found, ROWS);
        assert_int_equal(result.failed, (ROWS + 5) / 11);
        assert_drawn(0, ROWS, 1);
        assert_same_file(path, whole);
    }
}

struct watch {
    size_t calls, stop_at, last;
    char note[256];
};

static int watch_progress(void *context, size_t done, size_t found,
                          size_t total)
{
    struct watch *watch = context;

    assert_true(done >= watch->last && found <= done && done <= total);
    watch->last = done;
    return ++watch->calls == watch->stop_at;
}

static void watch_note(void *context, const char *text)
{
    struct watch *watch = context;

    snprintf(watch->note, sizeof watch->note, "%s", text);
}

/* Stopped at the k-th word of the monitor, on and on until it is done. */
static void interruptions_do_not_change_a_byte(void **state)
{
    char whole[256], path[256], name[32];
    size_t stops = 1;

    (void)state;
    the_probe.failing = 1;
    path_of(whole, "uninterrupted.h5");
    run(whole, ROWS);
    for (size_t k = 1; stops > 0; k++) {
        bnre_status status = BNRE_EINTR;

        set_up(NULL);
        the_probe.failing = 1;
        the_probe.drawn = drawn;
        snprintf(name, sizeof name, "stopped%zu.h5", k);
        path_of(path, name);
        for (stops = 0; status == BNRE_EINTR; stops++) {
            struct watch watch = {.stop_at = stops < 3 ? k : 0};
            bnre_monitor monitor = {watch_progress, NULL, &watch, NULL};
            bnre_simulate_opts opts = probe_opts(ROWS, NULL);
            bnre_simulate_result result;

            opts.monitor = &monitor;
            status = probe_simulate(path, &opts, &result);
            if (status == BNRE_EINTR) {
                assert_non_null(strstr(bnre_error_message(), ".part"));
                assert_true(result.rows >= watch.last);
                assert_int_equal(exists_beside(path, ".part"), result.rows > 0);
            }
        }
        assert_ok(status);
        stops--;
        assert_drawn(0, ROWS, 1);
        assert_same_file(path, whole);
        assert_false(exists_beside(path, ".part"));
    }
}

static void stopping_works_on_threads(void **state)
{
    char whole[256], path[256];
    struct watch watch = {.stop_at = 3};
    bnre_monitor monitor = {watch_progress, NULL, &watch, NULL};
    bnre_simulate_opts opts;
    bnre_simulate_result result;
    bnre_pool *pool;

    (void)state;
    path_of(whole, "threads_whole.h5");
    path_of(path, "threads_stopped.h5");
    run(whole, 4 * ROWS);
    assert_ok(bnre_pool_create(3, &pool));
    opts = probe_opts(4 * ROWS, pool);
    opts.monitor = &monitor;
    assert_fails(probe_simulate(path, &opts, &result), BNRE_EINTR,
                 "interrupted");
    assert_true(result.rows < 4 * ROWS);
    opts.monitor = NULL;
    assert_ok(probe_simulate(path, &opts, &result));
    assert_true(result.found > 0);
    assert_same_file(path, whole);
    bnre_pool_destroy(pool);
}

/* Interrupted on the way to many rows, then asked for fewer, then for many. */
static void rows_beyond_the_count_are_kept(void **state)
{
    char path[256], whole[256];
    struct watch watch = {.stop_at = 6};
    bnre_monitor monitor = {watch_progress, watch_note, &watch, NULL};
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);
    bnre_simulate_result result;

    (void)state;
    path_of(whole, "beyond_whole.h5");
    path_of(path, "beyond.h5");
    run(whole, ROWS);
    the_probe.drawn = drawn;
    opts.monitor = &monitor;
    assert_fails(probe_simulate(path, &opts, &result), BNRE_EINTR, "");
    assert_true(result.rows > 2 * CHUNK && result.rows < ROWS);
    watch.stop_at = watch.last = 0;
    opts.count = CHUNK + 500;
    assert_ok(probe_simulate(path, &opts, &result));
    assert_int_equal(result.found, CHUNK + 500);
    assert_non_null(strstr(watch.note, "larger count"));
    assert_true(exists_beside(path, ".part"));
    assert_ok(probe_simulate(path, &opts, &result));
    run(path, ROWS);
    assert_same_file(path, whole);
    assert_drawn(0, ROWS, 1);
}

static void what_belongs_to_others_is_left_alone(void **state)
{
    char path[256], csv[256], foreign[256];
    struct watch watch = {.stop_at = 2};
    bnre_monitor monitor = {watch_progress, NULL, &watch, NULL};
    bnre_simulate_opts opts = probe_opts(500, NULL);
    FILE *file;

    (void)state;
    path_of(path, "mine.h5");
    path_of(csv, "mine.csv");
    path_of(foreign, "foreign.h5");
    run(path, 500);
    run(csv, 500);
    opts.seed = 2;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EEXIST,
                 "\"seed: 1\" there, \"seed: 2\" asked");
    opts.seed = 1;
    opts.split = BNRE_SPLIT_TEST;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EEXIST,
                 "\"split: train\" ... \"split: test\"");
    opts.split = BNRE_SPLIT_TRAIN;
    opts.count = 400;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EEXIST,
                 "has 500 rows");
    assert_fails(probe_simulate(csv, &opts, NULL), BNRE_EEXIST, ".h5");
    file = fopen(foreign, "wb");
    fputs("not HDF5 at all", file);
    fclose(file);
    assert_fails(probe_simulate(foreign, &opts, NULL), BNRE_EEXIST, "`force`");
    assert_false(exists_beside(foreign, ".part"));
    assert_int_equal(unlink(path), 0);

    opts.monitor = &monitor;
    opts.count = ROWS;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EINTR, "");
    opts.monitor = NULL;
    opts.seed = 3;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EEXIST,
                 "\"seed: 1\" there, \"seed: 3\" asked");
    opts.force = 1;
    assert_ok(probe_simulate(path, &opts, NULL));
    assert_ok(probe_simulate(foreign, &opts, NULL));
    assert_ok(probe_simulate(csv, &opts, NULL));
    assert_same_file(path, foreign);
}

/* A forced run keeps the old file until the new one is there, and goes on
   without force when it was interrupted. */
static void force_replaces_at_the_end(void **state)
{
    char path[256], old[256], whole[256];
    struct watch watch = {.stop_at = 3};
    bnre_monitor monitor = {watch_progress, NULL, &watch, NULL};
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);

    (void)state;
    path_of(path, "forced.h5");
    path_of(old, "forced_old.h5");
    path_of(whole, "forced_whole.h5");
    opts.seed = 5;
    assert_ok(probe_simulate(path, &opts, NULL));
    assert_ok(probe_simulate(old, &opts, NULL));
    opts.seed = 6;
    assert_ok(probe_simulate(whole, &opts, NULL));
    the_probe.drawn = drawn;
    opts.force = 1;
    opts.monitor = &monitor;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EINTR,
                 "without `force`");
    assert_same_file(path, old);
    opts.force = 0;
    opts.monitor = NULL;
    assert_ok(probe_simulate(path, &opts, NULL));
    assert_same_file(path, whole);
    assert_drawn(0, ROWS, 1);
    assert_false(exists_beside(path, ".part"));
}

static void a_simulator_that_gives_up_loses_nothing(void **state)
{
    char path[256], whole[256];
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);
    bnre_simulate_result result;

    (void)state;
    path_of(path, "stopped.h5");
    path_of(whole, "stopped_whole.h5");
    run(whole, ROWS);
    the_probe.drawn = drawn;
    the_probe.stop_at = 2000;
    assert_fails(probe_simulate(path, &opts, &result), BNRE_ESIM, "row 2000");
    assert_true(result.rows >= CHUNK && result.rows <= 2000);
    the_probe.stop_at = PROBE_NOWHERE;
    result = run(path, ROWS);
    assert_same_file(path, whole);
    assert_drawn(0, CHUNK, 1);
}

/* A program that answers too much in the end: what it said before may be off
   by one, and must not be found again by the next run. */
static void doubtful_rows_are_not_kept(void **state)
{
    static const char text[] =
        "parameters: {a: \"uniform(0, 1)\"}\n"
        "observable: [1]\n"
        "simulator:\n"
        "  command: [sh, -c, 'n=0; while read line; do echo 1; n=$((n + 1)); "
        "[ $n = 40 ] && echo 2; done']\n";
    bnre_simulate_opts opts = probe_opts(40, NULL);
    bnre_simulate_result result;
    bnre_node *settings;
    bnre_task *task;
    char path[256];

    (void)state;
    path_of(path, "doubtful.h5");
    assert_ok(bnre_yaml_parse(text, "task", &settings));
    assert_ok(bnre_task_create(settings, &task));
    assert_fails(bnre_simulate(task, &opts, path, &result), BNRE_ESIM,
                 "discarded");
    assert_int_equal(result.rows, 0);
    assert_false(bnre__file_exists(path));
    assert_false(exists_beside(path, ".part"));
    bnre_task_destroy(task);
    bnre_node_destroy(settings);
}

static void bad_settings_are_refused(void **state)
{
    char path[256];
    bnre_simulate_opts opts = probe_opts(0, NULL);

    (void)state;
    path_of(path, "refused.h5");
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EUSAGE, "count is 0");
    opts.count = SIZE_MAX;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EUSAGE, "too many");
    opts.count = (size_t)1 << 50; /* a list of its chunks would fill a disk */
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EUSAGE, "too many");
    opts.count = 10;
    opts.split = BNRE_SPLIT_COUNT;
    assert_fails(probe_simulate(path, &opts, NULL), BNRE_EINVAL, "split");
    opts.split = BNRE_SPLIT_TRAIN;
    assert_fails(probe_simulate("rows.txt", &opts, NULL), BNRE_EUSAGE,
                 "rows.txt");
    assert_fails(probe_simulate("a.npy,b.npy", &opts, NULL), BNRE_EUSAGE,
                 "convert");
    assert_fails(probe_simulate("no/where/a.h5", &opts, NULL), BNRE_EIO,
                 "no/where");
    assert_false(bnre__file_exists(path));
    assert_false(exists_beside(path, ".part"));
}

/* Run in a child; its exit status, or 100 and the signal. */
static int in_child(int (*body)(const char *path), const char *path)
{
    pid_t child = fork();
    int result;

    if (child == 0)
        _exit(body(path));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 100 + WTERMSIG(result);
}

static int run_small(const char *path)
{
    bnre_simulate_opts opts = probe_opts(300, NULL);
    bnre_status status = probe_simulate(path, &opts, NULL);

    if (status != BNRE_OK && strstr(bnre_error_message(), "no space") != NULL)
        return 50;
    if (status == BNRE_EIO &&
        strstr(bnre_error_message(), "another process") != NULL)
        return 51;
    return (int)status;
}

static int call_child_from_within(void *context, size_t done, size_t found,
                                  size_t total)
{
    (void)found;
    (void)total;
    if (done == 0)
        assert_int_equal(in_child(run_small, context), 51);
    return 0;
}

static void two_processes_do_not_mix(void **state)
{
    char path[256];
    bnre_monitor monitor = {call_child_from_within, NULL, path, NULL};
    bnre_simulate_opts opts = probe_opts(300, NULL);

    (void)state;
    path_of(path, "both.h5");
    opts.monitor = &monitor;
    assert_ok(probe_simulate(path, &opts, NULL));
}

static rlim_t file_limit;

static int run_within_limit(const char *path)
{
    struct rlimit bound = {file_limit, file_limit};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &bound);
    return run_small(path);
}

/* Within any limit of file sizes: refused with advice, an older file intact,
   and done when there is room. */
static void a_full_disk_is_survived(void **state)
{
    char path[256], old[256], whole[256];
    struct stat size;

    (void)state;
    the_probe.failing = 1;
    path_of(path, "full.h5");
    path_of(old, "full_old.h5");
    path_of(whole, "full_whole.h5");
    run(whole, 300);
    run(old, 100);
    assert_int_equal(stat(whole, &size), 0);
    for (file_limit = 0; file_limit < (rlim_t)size.st_size;
         file_limit += 1700) {
        unlink(path);
        run(path, 100);
        assert_int_equal(in_child(run_within_limit, path), 50);
        assert_same_file(path, old);
        run(path, 300);
        assert_same_file(path, whole);
    }
}

/* A slow simulator's rows are kept as they come: the first row takes more than
   a second, the second kills the process. */
static void slow_rows_are_kept_at_once(void **state)
{
    char path[256];

    (void)state;
    path_of(path, "slow.h5");
    the_probe.slow_at = 0;
    the_probe.kill_at = 1;
    assert_int_equal(in_child(run_small, path), 100 + SIGKILL);
    probe_reset();
    assert_int_equal(run(path, 300).found, 1);
}

struct work {
    bnre_task *task;
    size_t count;
    char path[256], part[300];
};

static bnre_status simulate_afresh(void *arg)
{
    struct work *work = arg;
    bnre_simulate_opts opts = probe_opts(work->count, NULL);

    unlink(work->part);
    return bnre_simulate(work->task, &opts, work->path, NULL);
}

static void lack_of_memory_is_survived(void **state)
{
    struct work work = {.task = probe_task(), .count = 60};

    (void)state;
    the_probe.failing = 1;
    path_of(work.path, "memory.h5");
    snprintf(work.part, sizeof work.part, "%s.part", work.path);
    assert_survives_lack_of_memory(simulate_afresh, &work);
    work.count = 100; /* extending the file */
    assert_survives_lack_of_memory(simulate_afresh, &work);
    bnre_task_destroy(work.task);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(threads_do_not_change_a_byte),
        TEST(the_file_tells_how_it_was_made),
        TEST(an_extended_file_is_that_of_one_run),
        TEST(interruptions_do_not_change_a_byte),
        TEST(stopping_works_on_threads),
        TEST(rows_beyond_the_count_are_kept),
        TEST(what_belongs_to_others_is_left_alone),
        TEST(force_replaces_at_the_end),
        TEST(a_simulator_that_gives_up_loses_nothing),
        TEST(doubtful_rows_are_not_kept),
        TEST(bad_settings_are_refused),
        TEST(two_processes_do_not_mix),
        TEST(a_full_disk_is_survived),
        TEST(slow_rows_are_kept_at_once),
        TEST(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
