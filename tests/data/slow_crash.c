/* A run of simulations killed at its n-th change of a file, for every n.

   This program is its own victim: called as `slow_crash run PATH COUNT FORCE`
   it simulates, under the shim that kills it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file.h"
#include "io/journal.h"
#include "probe.h"
#include "support.h"

extern char **environ;

enum { OLD_ROWS = 700, ROWS = 2500, KILLED = 1000, TRIES = 400 };

static const char *const when_names[] = {"before", "half", "after"};
static char self[512]; /* this program */
static unsigned char *drawn;

/* Draws are counted in a file: what a killed process did must not be lost. */
static void map_counts(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0666);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, PROBE_ROWS), 0);
    drawn = mmap(NULL, PROBE_ROWS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(drawn != MAP_FAILED);
    close(fd);
    the_probe.drawn = drawn;
}

static bnre_status simulate(const char *path, size_t count, int force)
{
    bnre_task *task = probe_task();
    bnre_simulate_opts opts = probe_opts(count, NULL);
    bnre_status status;

    opts.force = force;
    status = bnre_simulate(task, &opts, path, NULL);
    bnre_task_destroy(task);
    return status;
}

static int victim(char **argv)
{
    probe_reset();
    the_probe.failing = 1;
    map_counts(getenv("PROBE_DRAWN"));
    return (int)simulate(argv[0], strtoul(argv[1], NULL, 10),
                         argv[2][0] == '1');
}

/* A run that is killed at its n-th change; KILLED, or its status. */
static int run_and_kill(const char *path, size_t count, int force, size_t n,
                        const char *when)
{
    char number[32], rows[32], shim[512];
    pid_t child = fork();
    int result;

    if (child == 0) {
        snprintf(number, sizeof number, "%zu", n);
        snprintf(rows, sizeof rows, "%zu", count);
        snprintf(shim, sizeof shim, "%.*s/crash_shim.so",
                 (int)(strrchr(self, '/') - self), self);
        setenv("CRASH_AT", number, 1);
        setenv("CRASH_WHEN", when, 1);
        setenv("LD_PRELOAD", shim, 1);
        /* Its runtime wants to be the first; the shim may come before it. */
        setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
        execve(self,
               (char *[]){(char[]){"crash"}, (char[]){"run"}, strdup(path),
                          rows, (char[]){force ? '1' : '0', 0}, NULL},
               environ);
        _exit(99);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL)
        return KILLED;
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

static void copy_file(const char *from, const char *to)
{
    char *bytes;
    size_t n;
    FILE *file;

    assert_ok(bnre__file_read_all(from, 1 << 26, &bytes, &n));
    file = fopen(to, "wb");
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
    bnre__free(bytes);
}

/* Which rows the journal has, looking at a copy of it. */
static void find_kept(const char *part, unsigned char kept[ROWS])
{
    char copy[400], identity[4096], *other;
    const bnre__journal_record *record;
    bnre_task *task = probe_task();
    bnre__journal *journal = NULL;
    size_t n;

    memset(kept, 0, ROWS);
    if (!bnre__file_exists(part)) {
        bnre_task_destroy(task);
        return;
    }
    snprintf(copy, sizeof copy, "%s.copy", part);
    copy_file(part, copy);
    snprintf(identity, sizeof identity, "seed: 1\nsplit: train\n%s",
             bnre_task_text(task));
    assert_ok(bnre__journal_open(copy, identity, 0, &other, &journal));
    record = bnre__journal_records(journal, &n);
    for (size_t i = 0; i < n; i++)
        memset(kept + record[i].first, 1, (size_t)record[i].n);
    assert_ok(bnre__journal_remove(journal));
    bnre_task_destroy(task);
}

/* What is tried: a new file, one that is extended, one that is replaced. */
struct scenario {
    const char *ending;
    size_t old; /* rows of a file that is there */
    int force;  /* it has another seed */
};

struct paths {
    char path[256], part[300], old[256], whole[256];
};

static void prepare(const struct scenario *scenario, const struct paths *paths)
{
    unlink(paths->path);
    unlink(paths->part);
    if (scenario->old > 0)
        copy_file(paths->old, paths->path);
    memset(drawn, 0, PROBE_ROWS);
}

/* Go on without the shim until it is done. */
static void finish(const struct scenario *scenario, const struct paths *paths)
{
    bnre_status status = simulate(paths->path, ROWS, 0);

    /* Killed before anything of the new rows was on the disk. */
    if (status == BNRE_EEXIST && scenario->force) {
        assert_same_file(paths->path, paths->old);
        status = simulate(paths->path, ROWS, 1);
    }
    /* Done, and a CSV file does not tell that it is. */
    if (status == BNRE_EEXIST && strcmp(scenario->ending, "csv") == 0)
        status = BNRE_OK;
    assert_ok(status);
    assert_same_file(paths->path, paths->whole);
    assert_false(bnre__file_exists(paths->part));
}

static void make_files(const struct scenario *scenario, struct paths *paths)
{
    char name[64];

    snprintf(name, sizeof name, "crash.%s", scenario->ending);
    snprintf(paths->path, sizeof paths->path, "%s", scratch_path(name));
    snprintf(paths->part, sizeof paths->part, "%s.part", paths->path);
    snprintf(name, sizeof name, "old%zu%d.%s", scenario->old, scenario->force,
             scenario->ending);
    snprintf(paths->old, sizeof paths->old, "%s", scratch_path(name));
    snprintf(name, sizeof name, "whole.%s", scenario->ending);
    snprintf(paths->whole, sizeof paths->whole, "%s", scratch_path(name));
    assert_ok(simulate(paths->whole, ROWS, 1));
    if (scenario->old > 0) {
        bnre_task *task = probe_task();
        bnre_simulate_opts opts = probe_opts(scenario->old, NULL);

        opts.seed = scenario->force ? 2 : 1;
        opts.force = 1;
        assert_ok(bnre_simulate(task, &opts, paths->old, NULL));
        bnre_task_destroy(task);
    }
}

/* Killed at the n-th change, then run to the end: the same bytes, and no row
   that was kept is simulated again. For all n, until a run gets through. */
static void try_all(const struct scenario *scenario, const char *when)
{
    static unsigned char kept[ROWS], before[PROBE_ROWS];
    struct paths paths;
    size_t n;
    int result = KILLED;

    make_files(scenario, &paths);
    for (n = 1; result == KILLED; n++) {
        assert_true(n < TRIES);
        prepare(scenario, &paths);
        result = run_and_kill(paths.path, ROWS, scenario->force, n, when);
        find_kept(paths.part, kept);
        memcpy(before, drawn, sizeof before);
        finish(scenario, &paths);
        for (size_t i = 0; i < ROWS; i++)
            if (kept[i])
                assert_int_equal(drawn[i], before[i]);
            else
                assert_true(drawn[i] <= 2);
    }
    assert_int_equal(result, 0);
    assert_true(n > 12); /* it was killed at all */
}

static const struct scenario scenarios[] = {
    {"h5", 0, 0},  {"h5", OLD_ROWS, 0},  {"h5", OLD_ROWS, 1},
    {"npz", 0, 0}, {"npz", OLD_ROWS, 0}, {"npz", OLD_ROWS, 1},
    {"csv", 0, 0},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static void one_kill_anywhere_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENARIOS; i++)
        for (size_t k = 0; k < 3; k++)
            try_all(&scenarios[i], when_names[k]);
}

/* Killed at the k-th change of every run, again and again. Too small a k never
   gets anywhere, but must do no harm either. */
static void many_kills_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENARIOS; i++) {
        struct paths paths;
        int result = KILLED;
        size_t runs = 0;

        make_files(&scenarios[i], &paths);
        for (size_t k = 1; runs != 1; k += 2) {
            prepare(&scenarios[i], &paths);
            result = KILLED;
            for (runs = 0; result == KILLED && runs < 8; runs++)
                result = run_and_kill(paths.path, ROWS,
                                      scenarios[i].force && runs == 0, k,
                                      when_names[(k + runs) % 3]);
            assert_true(result == KILLED || result == 0 ||
                        result == BNRE_EEXIST);
            finish(&scenarios[i], &paths); /* tells whether that was right */
            if (result == BNRE_EEXIST)
                runs = 0;
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    probe_reset();
    the_probe.failing = 1;
    if (drawn == NULL) {
        const char *path = scratch_path("drawn");

        map_counts(path);
        setenv("PROBE_DRAWN", path, 1);
    }
    the_probe.drawn = drawn;
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_kill_anywhere_changes_nothing, set_up),
        cmocka_unit_test_setup(many_kills_change_nothing, set_up),
    };

    if (argc == 5 && strcmp(argv[1], "run") == 0)
        return victim(argv + 2);
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
