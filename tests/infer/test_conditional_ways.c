/* threads: all that conditional densities are trained with, together: every kind
   of embedding with every kind of failure, nuisance parameters, conditions and
   priors known by draws. Interrupted again and again, with another number of
   threads and, in folds, with data that are read from the file again and again,
   training ends in the same bytes; and what comes out is a density within the
   prior. */
#include <math.h>
#include <stdio.h>

#include "bnre/density.h"
#include "made.h"
#include "support.h"
#include "training.h"

enum { ROWS = 130, DRAWS = 200 };

#define HEAD "\nhead: {hidden: [6], activation: elu}"

static const struct {
    const char *what, *text;
} network[] = {
    {"no embedding", HEAD},
    {"mlp", "embedding: [linear: {width: 5}, elu]" HEAD},
    {"cnn",
     "embedding: [reshape: {shape: [2, 8]}, conv1d: {channels: 3, kernel: 3}, "
     "elu, maxpool1d: {kernel: 2}, flatten]" HEAD},
    {"dilated",
     "embedding: [reshape: {shape: [2, 8]}, conv1d: {channels: 3, kernel: 2, "
     "dilation: 2}, elu, conv1d: {channels: 3, kernel: 2, dilation: 4}, elu, "
     "flatten]" HEAD},
    {"resnet",
     "embedding: [reshape: {shape: [1, 4, 4]}, conv2d: {channels: 3, kernel: "
     "3, padding: 1}, batchnorm, relu, residual: {layers: [conv2d: {channels: "
     "3, kernel: 3, padding: 1}, batchnorm]}, relu, flatten]" HEAD},
    {"set",
     "embedding: [reshape: {shape: [2, 8]}, transpose, linear: {width: 4}, "
     "elu, set_mean]" HEAD},
};

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

#define TASK(more)                                                             \
    "parameters: {a: 'normal(0, 1)', b: 'uniform(0, 2)'}\n" more               \
    "observable: [16]\n"

static const struct {
    const char *what;
    made of;
    int failure;
    const char *parameters, *order;
} way[] = {
    {"all simulations", {TASK(""), 2, 16, fill_x, NULL}, 0, NULL, NULL},
    {"failures that are an outcome",
     {TASK(""), 2, 16, fail_often, NULL},
     BNRE_FAILURE_OUTCOME,
     NULL,
     NULL},
    {"missing simulations",
     {TASK(""), 2, 16, fail_often, NULL},
     BNRE_FAILURE_MISSING,
     NULL,
     "b"},
    {"failures of both meanings",
     {TASK(""), 2, 16, fail_often, NULL},
     BNRE_FAILURE_AUTO,
     NULL,
     NULL},
    {"a nuisance parameter", {TASK(""), 2, 16, fill_x, NULL}, 0, "b", NULL},
    {"an order of parameters",
     {TASK("constraint: a >= b\n"), 2, 16, fill_x, NULL},
     0,
     NULL,
     "b,a"},
    {"another condition",
     {TASK("constraint: a * a + b * b < 4\n"), 2, 16, fill_x, NULL},
     0,
     NULL,
     NULL},
    {"a prior known by draws",
     {"parameters: {a: samples, b: samples}\nprior_samples: prior.csv\n"
      "observable: [16]\n",
      2, 16, fill_x, draw_prior},
     0,
     NULL,
     NULL},
    {"values on a grid", {TASK(""), 2, 16, fill_x, draw_grid}, 0, NULL, NULL},
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

static void train_in_pieces(bnre_train_opts opts, const char *path)
{
    struct stopper stopper = {.at = 4};
    const bnre_monitor monitor = {.progress = stop_later, .context = &stopper};
    size_t stops = 0;

    assert_ok(bnre_pool_create(2, &opts.pool));
    opts.monitor = &monitor;
    opts.memory = 1; /* in folds no thread has a whole MiB: all is
                        read from the file */
    while (bnre_train(&opts, path, NULL) == BNRE_EINTR) {
        opts.force = 0;
        stopper.at += 5 + 3 * stops;
        stopper.calls = 0;
        assert_true(++stops < 100);
    }
    assert_true(stops > 1);
    bnre_pool_destroy(opts.pool);
}

static void assert_possible(const bnre_prior *prior, const double *theta)
{
    if (bnre_prior_has_density(prior)) {
        assert_true(bnre_prior_log_density(prior, theta) > -HUGE_VAL);
        return;
    }
    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        double low, high;

        bnre_prior_support(prior, i, &low, &high);
        assert_true(theta[i] >= low && theta[i] <= high);
    }
}

/* Draws are possible, and have finite densities. */
static void assert_density(const char *path)
{
    static double draw[DRAWS * 2], l[DRAWS];
    double x[16];
    bnre_estimator *est;
    bnre_density q;
    void *session;

    for (size_t k = 0; k < 16; k++)
        x[k] = 0.4 + 0.1 * (double)k;
    assert_ok(bnre_estimator_open(path, &est));
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    assert_ok(q.draw(session, 1, 0, DRAWS, draw));
    assert_ok(q.log_ratio(session, DRAWS, draw, l, NULL));
    for (size_t i = 0; i < DRAWS; i++) {
        assert_true(isfinite(l[i]));
        assert_possible(q.prior, draw + i * bnre_prior_dim(q.prior));
    }
    q.close(session);
    bnre_estimator_close(est);
}

static void every_way_goes_with_every_embedding(void **state)
{
    char whole[300], pieces[300], data[300];

    (void)state;
    write_prior();
    snprintf(whole, sizeof whole, "%s", scratch_path("whole.h5"));
    snprintf(pieces, sizeof pieces, "%s", scratch_path("pieces.h5"));
    for (size_t w = 0; w < sizeof way / sizeof *way; w++) {
        snprintf(data, sizeof data, "%s",
                 made_data(&way[w].of, "rows.csv", ROWS, 6));
        for (size_t k = 0; k < sizeof network / sizeof *network; k++) {
            bnre_node *net = training_network(network[k].text);
            bnre_train_opts opts = made_opts(&way[w].of, data);

            print_message("%s, %s\n", way[w].what, network[k].what);
            opts.settings = net;
            opts.method = (k + w) % 2 == 0 ? BNRE_METHOD_NPE : BNRE_METHOD_BNPE;
            opts.failure = way[w].failure;
            opts.parameters = way[w].parameters;
            opts.order = way[w].order;
            opts.folds = (k / 2 + w) % 2 == 0 ? 2 : 0;
            opts.members = 2;
            opts.batch_size = 16;
            opts.epochs = 3;
            assert_ok(bnre_train(&opts, whole, NULL));
            assert_density(whole);
            remove(pieces);
            train_in_pieces(opts, pieces);
            assert_same_file(whole, pieces);
            bnre_node_destroy(net);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_goes_with_every_embedding)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
