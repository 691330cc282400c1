/* Training conditional densities: every kind of embedding, what the history
   tells of factors, best epochs of factors, data that are not kept in memory,
   parameters with few values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/density.h"
#include "infer/estimator/estimator.h"
#include "infer/train/history.h"
#include "made.h"
#include "support.h"
#include "training.h"

/* Sixteen values, which tell of both parameters by turns. */
static int fill_x(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t k = 0; k < 16; k++)
        x[k] = theta[k / 8] + 0.5 * bnre_rng_normal(rng);
    return 0;
}

#define HEAD "\nhead: {hidden: [16], activation: elu}"
static const char *const kind[] = {
    "embedding: [linear: {width: 12}, elu]" HEAD,
    "embedding: [reshape: {shape: [2, 8]}, conv1d: {channels: 4, kernel: 3}, "
    "elu, avgpool]" HEAD,
    "embedding: [reshape: {shape: [2, 8]}, conv1d: {channels: 4, kernel: 2, "
    "dilation: 2}, elu, conv1d: {channels: 4, kernel: 2, dilation: 4}, elu, "
    "flatten]" HEAD,
    "embedding: [reshape: {shape: [1, 4, 4]}, conv2d: {channels: 4, kernel: 3, "
    "padding: 1}, batchnorm, relu, residual: {layers: [conv2d: {channels: 4, "
    "kernel: 3, padding: 1}, batchnorm]}, relu, flatten]" HEAD,
    "embedding: [reshape: {shape: [2, 8]}, transpose, linear: {width: 8}, elu, "
    "set_mean]" HEAD,
};

static const char wide_task[] =
    "parameters: {a: \"normal(0, 1)\", b: \"uniform(-2, 2)\"}\n"
    "observable: [16]\n";

/* Sixteen values of noise 0.5 leave some 2.7 nats; a few epochs find one. */
static void every_embedding_serves_all_heads(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const made of = {wide_task, 2, 16, fill_x, NULL};
        bnre_node *network = training_network(kind[k]);
        bnre_train_opts opts =
            made_opts(&of, made_data(&of, "embedded.csv", 1024, 3));
        bnre_train_result result;
        double x[16] = {0}, draw[2];
        bnre_estimator *est;
        bnre_density q;
        void *session;

        opts.settings = network;
        opts.method = BNRE_METHOD_BNPE;
        opts.batch_size = 32;
        opts.members = 1;
        opts.epochs = 12;
        est = made_train(&opts, &result);
        assert_true(result.loss < -0.7);
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(q.open(q.context, &session));
        assert_ok(q.observe(session, x));
        assert_ok(q.draw(session, 1, 0, 1, draw));
        assert_true(isfinite(draw[0]) && fabs(draw[1]) <= 2);
        q.close(session);
        bnre_estimator_close(est);
        bnre_node_destroy(network);
    }
}

/* ---- factors ---- */

static int two_noises(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = theta[0] + 0.1 * bnre_rng_normal(rng);
    x[1] = theta[1] + 2 * bnre_rng_normal(rng);
    return 0;
}

static const char small_task[] =
    "parameters: {a: \"normal(0, 1)\", b: \"uniform(-2, 2)\"}\n"
    "observable: [2]\n";
static const made pair = {small_task, 2, 2, two_noises, NULL};

/* Losses of factors add up to that of the epoch; each factor has the weights of
   its own best epoch, so that on the held-out rows the estimator is as good as
   the sum of the best: better than any epoch. */
static void factors_have_their_own_best_epochs(void **state)
{
    static double theta[512][2], x[512][2], l[512];
    char rows[300], held[300];
    double best[2] = {HUGE_VAL, HUGE_VAL}, whole = HUGE_VAL, mean = 0;
    bnre_dataset *data = NULL;
    bnre_train_opts opts;
    bnre_estimator *est;

    (void)state;
    snprintf(rows, sizeof rows, "%s", made_data(&pair, "f.csv", 400, 4));
    snprintf(held, sizeof held, "%s", made_data(&pair, "held.csv", 512, 5));
    opts = made_opts(&pair, rows);
    opts.validation = held;
    opts.members = 1;
    opts.epochs = 60;
    est = made_train(&opts, NULL);
    assert_int_equal(est->columns, BNRE__COLUMNS + 2 * BNRE__FACTOR_COLUMNS);
    for (size_t e = 0; e < est->member[0].epochs; e++) {
        const double *row = est->member[0].history + e * est->columns;
        double sum = 0;

        for (size_t j = 0; j < 2; j++) {
            const double loss = row[BNRE__COLUMNS + j * BNRE__FACTOR_COLUMNS +
                                    BNRE__FACTOR_LOG_LOSS];

            sum += loss;
            best[j] = fmin(best[j], loss);
        }
        assert_close(sum, row[BNRE__VALIDATION_ENTROPY], 1e-9);
        whole = fmin(whole, sum);
    }
    assert_ok(bnre_dataset_open(held, &data));
    assert_ok(bnre_dataset_read(data, 0, 512, theta[0], NULL, x[0], NULL));
    assert_ok(bnre_estimator_log_ratio(est, NULL, 512, theta[0], x[0], l));
    for (size_t i = 0; i < 512; i++)
        mean -= l[i] / 512;
    assert_close(mean, best[0] + best[1], 1e-4);
    assert_true(best[0] + best[1] < whole);
    bnre_dataset_close(data);
    bnre_estimator_close(est);
}

/* ---- memory ---- */

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
    opts.method = BNRE_METHOD_BNPE;
    opts.epochs = 2;
    assert_ok(bnre_train(&opts, kept, NULL));
    opts.memory = 1;
    assert_ok(bnre_train(&opts, scratch_path("read.h5"), NULL));
    assert_same_file(kept, scratch_path("read.h5"));
    bnre_node_destroy(net);
}

/* ---- few values ---- */

static void draw_rounded(bnre_rng *rng, double *theta)
{
    theta[0] = bnre_rng_normal(rng);
    theta[1] = (double)bnre_rng_below(rng, 9) / 2 - 2;
}

static char notes[4000];

static void keep_note(void *arg, const char *text)
{
    (void)arg;
    strncat(notes, text, sizeof notes - strlen(notes) - 1);
}

/* A parameter on a grid of steps of 0.8, and x = a + 0.2 noise. */
static void draw_grid(bnre_rng *rng, double *theta)
{
    theta[0] = 0.8 * (double)bnre_rng_below(rng, 5) - 1.6;
}

static int noisy(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = theta[0] + 0.2 * bnre_rng_normal(rng);
    return 0;
}

/* Given x = 0.13, a is 0, or 0.8 with probability 0.02: what is left is a
   density of about 1.25 from -0.4 to 0.4, and no spike at 0. (Without values
   standing for their surroundings 68 % of the density were within 0.035.) */
static void values_on_a_grid_give_no_spikes(void **state)
{
    enum { N = 800 };
    const made grid = {"parameters: {a: \"uniform(-2, 2)\"}\n"
                       "observable: [1]\n",
                       1, 1, noisy, draw_grid};
    bnre_train_opts opts =
        made_opts(&grid, made_data(&grid, "steps.csv", 2048, 7));
    static double theta[N], l[N];
    const double x = 0.13;
    bnre_estimator *est;
    bnre_density q;
    void *session = NULL;
    double most = 0, sum = 0;

    (void)state;
    est = made_train(&opts, NULL);
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    for (size_t i = 0; i < N; i++)
        theta[i] = 4 * ((double)i + 0.5) / N - 2;
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, &x));
    assert_ok(q.log_ratio(session, N, theta, l, NULL));
    for (size_t i = 0; i < N; i++) {
        const double density = exp(l[i]) / 4;

        most = fmax(most, density);
        sum += density * 4 / N;
        if (fabs(theta[i]) < 0.25)
            assert_true(density > 0.6);
    }
    assert_close(sum, 1, 1e-3);
    assert_true(most < 2.5);
    q.close(session);
    bnre_estimator_close(est);
}

/* A density of values on a grid would become spikes: it is told, and numbers
   stay finite. */
static void few_values_are_told(void **state)
{
    const made rounded = {small_task, 2, 2, two_noises, draw_rounded};
    bnre_train_opts opts =
        made_opts(&rounded, made_data(&rounded, "grid.csv", 512, 6));
    const bnre_monitor monitor = {.note = keep_note};
    bnre_train_result result;

    (void)state;
    opts.monitor = &monitor;
    opts.members = 1;
    opts.epochs = 60;
    bnre_estimator_close(made_train(&opts, &result));
    assert_non_null(strstr(notes, "b has only 9 different values"));
    assert_null(strstr(notes, "a has only"));
    assert_true(isfinite(result.loss));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_embedding_serves_all_heads),
        cmocka_unit_test(factors_have_their_own_best_epochs),
        cmocka_unit_test(memory_changes_nothing),
        cmocka_unit_test(few_values_are_told),
        cmocka_unit_test(values_on_a_grid_give_no_spikes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
