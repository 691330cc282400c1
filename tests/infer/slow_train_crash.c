/* A training killed at its n-th change of a file, for every n, and without
   memory at its n-th allocation.

   This program is its own victim: called as `run PATH DATA FORCE` it trains,
   under the shim that kills it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bnre/settings.h"
#include "io/file.h"
#include "support.h"
#include "training.h"

extern char **environ;

enum { KILLED = 1000, TRIES = 400, MEMBERS = 2 };

static char self[512]; /* this program */

/* A few steps, each of them saved. */
static bnre_status train(const char *data, const char *path, int force)
{
    bnre_node *network = NULL;
    bnre_train_opts opts;
    bnre_status status = bnre_yaml_parse(
        "head: {hidden: [4], activation: selu}\n", NULL, &network);

    if (status != BNRE_OK)
        return status;
    opts = training_opts(data, network);
    opts.recipe = BNRE_RECIPE_PAPER;
    opts.members = MEMBERS;
    opts.epochs = 1;
    opts.save_every = 0;
    opts.force = force;
    status = bnre_train(&opts, path, NULL);
    bnre_node_destroy(network);
    return status;
}

static int run_and_kill(const char *data, const char *path, int force, size_t n,
                        const char *when)
{
    char number[32], shim[512];
    pid_t child = fork();
    int result;

    if (child == 0) {
        snprintf(number, sizeof number, "%zu", n);
        snprintf(shim, sizeof shim, "%.*s/crash_shim.so",
                 (int)(strrchr(self, '/') - self), self);
        setenv("CRASH_AT", number, 1);
        setenv("CRASH_WHEN", when, 1);
        setenv("LD_PRELOAD", shim, 1);
        /* Its runtime wants to be the first; the shim may come before it. */
        setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
        execve(self,
               (char *[]){(char[]){"crash"}, (char[]){"run"}, strdup(path),
                          strdup(data), (char[]){force ? '1' : '0', 0}, NULL},
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

struct paths {
    char data[256], other[256], path[256], whole[256], old[256];
    char history[2][256];
};

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

static void make_files(struct paths *paths)
{
    snprintf(paths->data, sizeof paths->data, "%s",
             training_data("data.h5", "gaussian", 80, BNRE_SPLIT_TRAIN));
    snprintf(paths->other, sizeof paths->other, "%s",
             training_data("other.h5", "gaussian", 80, BNRE_SPLIT_TEST));
    snprintf(paths->path, sizeof paths->path, "%s", scratch_path("cut.h5"));
    snprintf(paths->whole, sizeof paths->whole, "%s", scratch_path("whole.h5"));
    snprintf(paths->old, sizeof paths->old, "%s", scratch_path("old.h5"));
    snprintf(paths->history[0], sizeof paths->history[0], "%s",
             scratch_path("cut.history.csv"));
    snprintf(paths->history[1], sizeof paths->history[1], "%s",
             scratch_path("whole.history.csv"));
    assert_ok(train(paths->data, paths->whole, 1));
    assert_ok(train(paths->other, paths->old, 1));
}

/* Nothing is left but the estimator and its history. */
static void assert_clean(const struct paths *paths)
{
    assert_same_file(paths->path, paths->whole);
    assert_same_file(paths->history[0], paths->history[1]);
    for (int k = 1; k <= MEMBERS; k++) {
        char part[300];

        snprintf(part, sizeof part, "%s.%d.part", paths->path, k);
        assert_false(bnre__file_exists(part));
    }
}

/* Go on without the shim until it is done. */
static void finish(const struct paths *paths, int force)
{
    bnre_status status = train(paths->data, paths->path, 0);

    /* Killed before anything of the new training was on the disk. */
    if (status == BNRE_EEXIST && force) {
        assert_same_file(paths->path, paths->old);
        status = train(paths->data, paths->path, 1);
    }
    assert_ok(status);
    assert_clean(paths);
}

static void begin(const struct paths *paths, int force)
{
    unlink(paths->path);
    unlink(paths->history[0]);
    if (force)
        copy_file(paths->old, paths->path);
}

static void one_kill_anywhere_changes_nothing(void **state)
{
    static const char *const when[] = {"before", "half", "after"};
    struct paths paths;

    (void)state;
    make_files(&paths);
    for (int force = 0; force < 2; force++)
        for (int w = force; w < 3 - force; w++) {
            int result = KILLED;
            size_t n;

            for (n = 1; result == KILLED; n++) {
                assert_true(n < TRIES);
                begin(&paths, force);
                result =
                    run_and_kill(paths.data, paths.path, force, n, when[w]);
                finish(&paths, force);
            }
            assert_int_equal(result, 0);
            assert_true(n > 30); /* it was killed at all */
        }
}

/* Killed at the k-th change of every run, again and again; writing what is
   finished takes some thirty changes, and fewer lead nowhere. */
static void many_kills_change_nothing(void **state)
{
    struct paths paths;

    (void)state;
    make_files(&paths);
    for (size_t k = 34; k < 50; k += 7) {
        int result = KILLED;
        size_t runs;

        begin(&paths, 0);
        for (runs = 0; result == KILLED && runs < 10; runs++)
            result = run_and_kill(paths.data, paths.path, 0, k, "half");
        assert_int_equal(result, 0);
        assert_true(runs > 1);
        assert_clean(&paths);
    }
}

struct names {
    const char *data, *path;
};

static bnre_status train_once(void *arg)
{
    const struct names *names = arg;

    return train(names->data, names->path, 1);
}

static void lack_of_memory_is_survived(void **state)
{
    char data[256];
    struct names names = {data, scratch_path("memory.h5")};

    (void)state;
    snprintf(data, sizeof data, "%s",
             training_data("small.h5", "gaussian", 80, BNRE_SPLIT_TRAIN));
    assert_survives_lack_of_memory(train_once, &names);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_kill_anywhere_changes_nothing),
        cmocka_unit_test(many_kills_change_nothing),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    if (argc == 5 && strcmp(argv[1], "run") == 0)
        return (int)train(argv[3], argv[2], argv[4][0] == '1');
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
