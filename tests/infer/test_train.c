/* threads: training gives the same bytes on any threads, interrupted or not. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bnre/estimator.h"
#include "io/file.h"
#include "num/kernels.h"
#include "support.h"
#include "training.h"

static bnre_node *network;
static char data[256];

static int make_data(void **state)
{
    (void)state;
    network = training_network("head: {hidden: [8, 8], activation: selu}\n");
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
    return training_opts(data, network);
}

/* Those of the reference, on parts of one file. */
static bnre_train_opts paper_opts(void)
{
    bnre_train_opts opts = some_opts();

    opts.recipe = BNRE_RECIPE_PAPER;
    return opts;
}

static void assert_same_training(const char *a, const char *b)
{
    char history[2][300];

    assert_same_file(a, b);
    snprintf(history[0], sizeof history[0], "%.*s.history.csv",
             (int)strlen(a) - 3, a);
    snprintf(history[1], sizeof history[1], "%.*s.history.csv",
             (int)strlen(b) - 3, b);
    assert_same_file(history[0], history[1]);
}

static int has_part(const char *path, int k)
{
    char part[300];

    snprintf(part, sizeof part, "%s.%d.part", path, k);
    return bnre__file_exists(part);
}

/* ---- same bytes ---- */

static void threads_change_nothing(void **state)
{
    (void)state;
    for (size_t members = 1; members <= 3; members += 2)
        for (int paper = 0; paper < 2; paper++) {
            const char *one = scratch_path("one.h5");
            const char *two = scratch_path("two.h5");
            bnre_train_opts opts = paper ? paper_opts() : some_opts();
            bnre_pool *pool;

            opts.members = members;
            opts.force = 1;
            assert_ok(bnre_train(&opts, one, NULL));
            assert_ok(bnre_pool_create(2, &pool));
            opts.pool = pool;
            assert_ok(bnre_train(&opts, two, NULL));
            bnre_pool_destroy(pool);
            assert_same_training(one, two);
            assert_false(has_part(two, 1) || has_part(two, 3));
        }
}

/* More members leave the first ones as they are. */
static void members_do_not_depend_on_each_other(void **state)
{
    const char *path = scratch_path("members.h5");
    bnre_train_opts opts = some_opts();
    bnre_estimator *est[2];
    double ratio[2], theta[] = {0.3, -0.7};
    const double x[] = {1, -1};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        bnre_density density;
        void *session;

        opts.members = k == 0 ? 1 : 3;
        opts.force = 1;
        assert_ok(bnre_train(&opts, path, NULL));
        assert_ok(bnre_estimator_open(path, &est[k]));
        density = bnre_estimator_density(est[k], 0);
        assert_ok(density.open(density.context, &session));
        assert_ok(density.observe(session, x));
        assert_ok(density.log_ratio(session, 1, theta, &ratio[k], NULL));
        density.close(session);
    }
    assert_true(ratio[0] == ratio[1]);
    assert_int_equal(bnre_estimator_describe_member(est[0], 0).seed,
                     bnre_estimator_describe_member(est[1], 0).seed);
    assert_int_not_equal(bnre_estimator_describe_member(est[1], 1).seed,
                         bnre_estimator_describe_member(est[1], 2).seed);
    bnre_estimator_close(est[0]);
    bnre_estimator_close(est[1]);
}

/* Little memory: data are read again and again. */
static void memory_changes_nothing(void **state)
{
    const char *wide =
        training_data("wide.h5", "lotka_volterra", 300, BNRE_SPLIT_TRAIN);
    bnre_node *net = training_network("embedding: [flatten]\n"
                                      "head: {hidden: [4], activation: elu}\n");
    bnre_train_opts opts = training_opts(wide, net);
    char kept[256];

    (void)state;
    snprintf(kept, sizeof kept, "%s", scratch_path("kept.h5"));
    opts.epochs = 2;
    assert_ok(bnre_train(&opts, kept, NULL));
    opts.memory = 1;
    assert_ok(bnre_train(&opts, scratch_path("read.h5"), NULL));
    assert_same_file(kept, scratch_path("read.h5"));
    bnre_node_destroy(net);
}

static void seeds_change_something(void **state)
{
    bnre_train_opts opts = some_opts();
    bnre_train_result a, b;

    (void)state;
    assert_ok(bnre_train(&opts, scratch_path("seed1.h5"), &a));
    opts.seed = 2;
    assert_ok(bnre_train(&opts, scratch_path("seed2.h5"), &b));
    assert_true(a.loss != b.loss);
}

/* ---- interruptions ---- */

struct stopper {
    size_t calls, stop_at;
    size_t found; /* in the last call */
    char note[512];
};

static int stop_later(void *context, size_t done, size_t found, size_t total)
{
    struct stopper *stopper = context;

    assert_true(done <= total && found <= done);
    stopper->found = found;
    return ++stopper->calls == stopper->stop_at;
}

static void keep_note(void *context, const char *text)
{
    struct stopper *stopper = context;

    snprintf(stopper->note, sizeof stopper->note, "%s", text);
}

/* Interrupted at the n-th report, then called again until it is done; whether
   there were so many reports. */
static int interrupt(bnre_train_opts opts, const char *whole, size_t n)
{
    const char *path = scratch_path("cut.h5");
    struct stopper stopper = {.stop_at = n};
    const bnre_monitor monitor = {stop_later, keep_note, &stopper, NULL};
    bnre_status status;

    unlink(path);
    opts.monitor = &monitor;
    opts.force = 1;
    status = bnre_train(&opts, path, NULL);
    opts.force = 0;
    if (status == BNRE_EINTR) {
        assert_true(has_part(path, 1));
        stopper = (struct stopper){0};
        assert_ok(bnre_train(&opts, path, NULL));
        assert_true(n < 3 || stopper.found > 0);
    } else {
        assert_ok(status);
    }
    assert_same_training(path, whole);
    assert_false(has_part(path, 1) || has_part(path, 2));
    return status == BNRE_EINTR;
}

static void interruptions_change_nothing(void **state)
{
    char whole[256];

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        bnre_train_opts opts = kind == 0 ? some_opts() : paper_opts();
        size_t n = 1;

        opts.members = kind == 2 ? 2 : 1;
        opts.epochs = 2;
        opts.force = 1;
        snprintf(whole, sizeof whole, "%s", scratch_path("whole.h5"));
        assert_ok(bnre_train(&opts, whole, NULL));
        while (interrupt(opts, whole, n))
            n = 2 * n + 1;
        assert_true(n > 15);
    }
}

/* Batch norms have numbers of their own that must not be lost. */
static void saving_at_every_step_changes_nothing(void **state)
{
    bnre_node *net = training_network(
        "embedding: [batchnorm]\nhead: {hidden: [8], activation: selu}\n");
    bnre_train_opts opts = training_opts(data, net);
    char whole[256];

    (void)state;
    opts.epochs = 1;
    opts.clip = 0.5;
    opts.weight_decay = 0.01;
    snprintf(whole, sizeof whole, "%s", scratch_path("norms.h5"));
    assert_ok(bnre_train(&opts, whole, NULL));
    opts.save_every = 0;
    assert_true(interrupt(opts, whole, 7));
    assert_false(interrupt(opts, whole, SIZE_MAX));
    bnre_node_destroy(net);
}

/* ---- what is there already ---- */

static void finished_work_is_recognised(void **state)
{
    const char *path = scratch_path("done.h5");
    bnre_train_opts opts = some_opts();
    bnre_train_result first, again;

    (void)state;
    opts.members = 2;
    assert_ok(bnre_train(&opts, path, &first));
    assert_false(first.found);
    assert_ok(bnre_train(&opts, path, &again));
    assert_true(again.found);
    assert_true(again.loss == first.loss && again.balance == first.balance);
    assert_true(again.information == first.information);
    assert_int_equal(again.epochs, first.epochs);
    opts.lambda = 10;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EEXIST,
                 "\"lambda: 100\" there, \"lambda: 10\" asked for");
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EEXIST, "`force`");
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, &again));
    assert_false(again.found);
}

static void other_files_are_left_alone(void **state)
{
    const char *path = scratch_path("foreign.h5");
    bnre_train_opts opts = some_opts();
    FILE *file = fopen(path, "w");

    (void)state;
    fputs("not an estimator", file);
    fclose(file);
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EEXIST, "`force`");
    assert_fails(bnre_train(&opts, data, NULL), BNRE_EUSAGE, "is the input");
    opts.force = 1;
    assert_fails(bnre_train(&opts, data, NULL), BNRE_EUSAGE, "is the input");
    assert_fails(bnre_train(&opts, scratch_path("x.csv"), NULL), BNRE_EUSAGE,
                 "ends in .h5");
}

/* A checkpoint of something else, or damaged, is refused. */
static void foreign_checkpoints_are_refused(void **state)
{
    const char *path = scratch_path("begun.h5");
    struct stopper stopper = {.stop_at = 12};
    const bnre_monitor monitor = {stop_later, NULL, &stopper, NULL};
    bnre_train_opts opts = some_opts();
    char part[300];
    FILE *file;

    (void)state;
    opts.monitor = &monitor;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EINTR, "goes on");
    opts.monitor = NULL;
    opts.learning_rate = 0.01;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EEXIST,
                 "begun.h5.1.part ... begun ... settings");
    opts.learning_rate = 0;
    opts.data = training_data("other.h5", "gaussian", 400, BNRE_SPLIT_TEST);
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EEXIST, "training data");
    opts.data = data;
    snprintf(part, sizeof part, "%s.1.part", path);
    file = fopen(part, "r+b");
    fseek(file, -100, SEEK_END);
    fputc(17, file);
    fclose(file);
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EEXIST, "damaged");
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_false(has_part(path, 1));
}

/* Kernels that round otherwise do not go on with it; those that round alike
   do, to the same bytes. */
static void checkpoints_know_their_kernels(void **state)
{
    const char *path = scratch_path("kernels.h5");
    const bnre__kernels *first = bnre__kernels_best(), *set;
    bnre_train_opts opts = some_opts();
    char whole[256];

    (void)state;
    snprintf(whole, sizeof whole, "%s", scratch_path("by_the_best.h5"));
    assert_ok(bnre_train(&opts, whole, NULL));
    for (size_t i = 0; (set = bnre__kernels_set(i)) != NULL; i++) {
        struct stopper stopper = {.stop_at = 12};
        const bnre_monitor monitor = {stop_later, NULL, &stopper, NULL};

        unlink(path);
        opts.monitor = &monitor;
        opts.force = 1;
        assert_int_equal(setenv("BNRE_KERNELS", set->name, 1), 0);
        assert_fails(bnre_train(&opts, path, NULL), BNRE_EINTR, "goes on");
        opts.monitor = NULL;
        opts.force = 0;
        assert_int_equal(setenv("BNRE_KERNELS", first->name, 1), 0);
        if (strcmp(set->rounding, first->rounding) == 0) {
            assert_ok(bnre_train(&opts, path, NULL));
            assert_same_training(path, whole);
            continue;
        }
        assert_fails(bnre_train(&opts, path, NULL), BNRE_EEXIST,
                     "kernels that round otherwise ... BNRE_KERNELS=");
        assert_int_equal(setenv("BNRE_KERNELS", set->rounding, 1), 0);
        assert_ok(bnre_train(&opts, path, NULL));
    }
    unsetenv("BNRE_KERNELS");
}

/* The disk is full when a checkpoint is written: the one before is whole. */
static void a_full_disk_leaves_the_last_checkpoint(void **state)
{
    const char *path = scratch_path("full.h5");
    struct stopper stopper = {.stop_at = 12};
    const bnre_monitor monitor = {stop_later, NULL, &stopper, NULL};
    bnre_train_opts opts = some_opts();
    struct rlimit old, low;
    char whole[256];

    (void)state;
    snprintf(whole, sizeof whole, "%s", scratch_path("enough.h5"));
    assert_ok(bnre_train(&opts, whole, NULL));
    opts.monitor = &monitor;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EINTR, "goes on");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = (struct rlimit){.rlim_cur = 1000, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    opts.save_every = 0;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EIO, "full.h5.1.part");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_ok(bnre_train(&opts, path, NULL));
    assert_same_training(path, whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(members_do_not_depend_on_each_other),
        cmocka_unit_test(memory_changes_nothing),
        cmocka_unit_test(seeds_change_something),
        cmocka_unit_test(interruptions_change_nothing),
        cmocka_unit_test(saving_at_every_step_changes_nothing),
        cmocka_unit_test(finished_work_is_recognised),
        cmocka_unit_test(other_files_are_left_alone),
        cmocka_unit_test(foreign_checkpoints_are_refused),
        cmocka_unit_test(checkpoints_know_their_kernels),
        cmocka_unit_test(a_full_disk_leaves_the_last_checkpoint),
    };

    signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, make_data, free_data);
}
