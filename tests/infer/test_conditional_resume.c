/* threads: training of conditional densities that is interrupted again and again,
   with other numbers of threads, ends in the same bytes: for every kind of
   embedding, prior and failure. */
#include <math.h>
#include <stdio.h>

#include "made.h"
#include "support.h"
#include "training.h"

enum { ROWS = 150 };

static int fill_x(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t k = 0; k < 16; k++)
        x[k] = theta[k / 8] + 0.5 * bnre_rng_normal(rng);
    return 0;
}

/* Lost by the machine more often where a is large, impossible where b is. */
static int fail_often(bnre_rng *rng, const double *theta, double *x)
{
    (void)fill_x(rng, theta, x);
    if (bnre_rng_uniform(rng) < 0.5 / (1 + exp(-2 * theta[0])))
        return 2;
    return bnre_rng_uniform(rng) < 0.1 * theta[1] ? 1 : 0;
}

static void draw_prior(bnre_rng *rng, double *theta)
{
    const double a = (double)bnre_rng_below(rng, 200) / 100 - 1;

    theta[0] = a;
    theta[1] = 1 + 0.5 * sin(7 * a);
}

static void draw_grid(bnre_rng *rng, double *theta)
{
    theta[0] = (double)bnre_rng_below(rng, 9) / 4 - 1;
    theta[1] = 2 * bnre_rng_uniform(rng);
}

#define TASK(more)                                                             \
    "parameters: {a: 'normal(0, 1)', b: 'uniform(0, 2)'}\n" more               \
    "observable: [16]\n"
#define HEAD "\nhead: {hidden: [6], activation: elu}"

static const struct {
    const char *what;
    made of;
    const char *network;
    int failure;
    size_t folds;
} kind[] = {
    {"plain heads in folds", {TASK(""), 2, 16, fill_x, NULL}, HEAD, 0, 2},
    {"a multilayer perceptron",
     {TASK(""), 2, 16, fill_x, NULL},
     "embedding: [linear: {width: 5}, elu]" HEAD,
     0,
     2},
    {"a dilated network",
     {TASK(""), 2, 16, fill_x, NULL},
     "embedding: [reshape: {shape: [2, 8]}, conv1d: {channels: 3, kernel: 2, "
     "dilation: 2}, elu, flatten]" HEAD,
     0,
     0},
    {"blocks of a ResNet",
     {TASK(""), 2, 16, fill_x, NULL},
     "embedding: [reshape: {shape: [1, 4, 4]}, conv2d: {channels: 3, kernel: "
     "3, padding: 1}, batchnorm, relu, residual: {layers: [conv2d: {channels: "
     "3, kernel: 3, padding: 1}, batchnorm]}, relu, flatten]" HEAD,
     0,
     2},
    {"sets",
     {TASK(""), 2, 16, fill_x, NULL},
     "embedding: [reshape: {shape: [2, 8]}, transpose, linear: {width: 4}, "
     "elu, set_mean]" HEAD,
     0,
     0},
    {"a prior known by draws",
     {"parameters: {a: samples, b: samples}\nprior_samples: prior.csv\n"
      "observable: [16]\n",
      2, 16, fill_x, draw_prior},
     HEAD,
     0,
     2},
    {"an order of parameters",
     {TASK("constraint: a >= b\n"), 2, 16, fill_x, NULL},
     HEAD,
     0,
     0},
    {"another condition",
     {TASK("constraint: a * a + b * b < 4\n"), 2, 16, fill_x, NULL},
     HEAD,
     0,
     2},
    {"failures of both meanings",
     {TASK(""), 2, 16, fail_often, NULL},
     HEAD,
     BNRE_FAILURE_AUTO,
     2},
    {"failures that are all missing",
     {TASK(""), 2, 16, fail_often, NULL},
     HEAD,
     BNRE_FAILURE_MISSING,
     0},
    {"values on a grid", {TASK(""), 2, 16, fill_x, draw_grid}, HEAD, 0, 2},
};

struct stopper {
    size_t calls, at;
};

static int stop_later(void *context, size_t done, size_t found, size_t total)
{
    struct stopper *stopper = context;

    (void)done;
    (void)found;
    (void)total;
    return ++stopper->calls >= stopper->at;
}

static void write_prior(void)
{
    FILE *file = fopen(scratch_path("prior.csv"), "w");

    assert_non_null(file);
    fprintf(file, "a,b\n");
    for (size_t k = 0; k < 200; k++) {
        const double a = (double)k / 100 - 1;

        fprintf(file, "%.17g,%.17g\n", a, 1 + 0.5 * sin(7 * a));
    }
    assert_int_equal(fclose(file), 0);
}

/* Stopped after more and more calls of the monitor, with two threads. */
static void train_in_pieces(bnre_train_opts opts, const char *path)
{
    struct stopper stopper = {.at = 4};
    const bnre_monitor monitor = {.progress = stop_later, .context = &stopper};
    size_t stops = 0;

    assert_ok(bnre_pool_create(2, &opts.pool));
    opts.monitor = &monitor;
    opts.memory = 1; /* with folds no thread has a whole MiB */
    while (bnre_train(&opts, path, NULL) == BNRE_EINTR) {
        opts.force = 0;
        stopper.at += 5 + 3 * stops;
        stopper.calls = 0;
        assert_true(++stops < 100);
    }
    assert_true(stops > 1);
    bnre_pool_destroy(opts.pool);
}

static void pieces_make_the_whole(void **state)
{
    char whole[300], pieces[300], data[300];

    (void)state;
    write_prior();
    snprintf(whole, sizeof whole, "%s", scratch_path("whole.h5"));
    snprintf(pieces, sizeof pieces, "%s", scratch_path("pieces.h5"));
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        bnre_node *network = training_network(kind[k].network);
        bnre_train_opts opts;

        print_message("%s\n", kind[k].what);
        snprintf(data, sizeof data, "%s",
                 made_data(&kind[k].of, "rows.csv", ROWS, 6));
        opts = made_opts(&kind[k].of, data);
        opts.settings = network;
        opts.method = k % 2 == 0 ? BNRE_METHOD_NPE : BNRE_METHOD_BNPE;
        opts.failure = kind[k].failure;
        opts.folds = kind[k].folds;
        opts.members = 2;
        opts.batch_size = 16;
        opts.epochs = 3;
        assert_ok(bnre_train(&opts, whole, NULL));
        remove(pieces);
        train_in_pieces(opts, pieces);
        assert_same_file(whole, pieces);
        bnre_node_destroy(network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_make_the_whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
