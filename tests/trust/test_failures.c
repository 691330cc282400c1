/* A simulator that fails with a known probability: both meanings of a failure
   have exact posteriors, and each setting learns its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/dataset.h"
#include "bnre/estimator.h"
#include "bnre/train.h"
#include "data/failures.h"
#include "support.h"
#include "training.h"

#define NOISE 0.3
enum { ROWS = 6000, POINTS = 200 };

/* theta in (0, 1) gives a result with this probability. */
static double valid(double theta)
{
    return 1 - 0.95 * theta;
}

static bnre_draw draw(void *self, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    (void)self;
    (void)nuisance;
    if (bnre_rng_uniform(rng) > valid(theta[0])) {
        snprintf(reason, BNRE_REASON_SIZE, "nothing was seen");
        return BNRE_DRAW_INVALID;
    }
    x[0] = theta[0] + NOISE * bnre_rng_normal(rng);
    return BNRE_DRAW_OK;
}

static const bnre_plugin_parameter parameters[] = {
    {"place", "uniform(0, 1)", NULL}, {"idle", "uniform(0, 1)", NULL}, {0}};
static const bnre_plugin faint = {.abi = BNRE_PLUGIN_ABI,
                                  .name = "faint",
                                  .title = "fails more often for large theta",
                                  .parameters = parameters,
                                  .observable = "1",
                                  .draw = draw};

static const char *simulate(void)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    const char *path = scratch_path("faint.h5");
    bnre_task *task = NULL;

    assert_ok(bnre_task_create_plugin(&faint, NULL, &task));
    opts.count = ROWS;
    opts.force = 1;
    assert_ok(bnre_simulate(task, &opts, path, NULL));
    bnre_task_destroy(task);
    return path;
}

/* Densities on the points, normalised. */
static void normalise(double *log_density)
{
    double sum = 0;

    for (size_t i = 0; i < POINTS; i++)
        sum += exp(log_density[i]);
    for (size_t i = 0; i < POINTS; i++)
        log_density[i] -= log(sum);
}

static double place_of(size_t i)
{
    return ((double)i + 0.5) / POINTS;
}

/* Mean over some x of the Kullback-Leibler divergence from the exact posterior
   of the meaning to the estimate; the idle parameter at its middle. */
static double divergence(const bnre_estimator *est, int outcome)
{
    double sum = 0;

    for (int k = 0; k < 5; k++) {
        const double x = 0.25 * k;
        double exact[POINTS], guess[POINTS], theta[2 * POINTS];
        double xs[POINTS];

        for (size_t i = 0; i < POINTS; i++) {
            const double t = place_of(i), z = (x - t) / NOISE;

            exact[i] = -z * z / 2 + (outcome ? log(valid(t)) : 0);
            theta[2 * i] = t;
            theta[2 * i + 1] = 0.5;
            xs[i] = (double)x;
        }
        assert_ok(
            bnre_estimator_log_ratio(est, NULL, POINTS, theta, xs, guess));
        normalise(exact);
        normalise(guess);
        for (size_t i = 0; i < POINTS; i++)
            sum += exp(exact[i]) * (exact[i] - guess[i]) / 5;
    }
    return sum;
}

static void each_meaning_learns_its_own_posterior(void **state)
{
    bnre_node *network =
        training_network("{head: {hidden: [24, 24], activation: selu}}");
    const char *data = simulate();

    (void)state;
    for (int outcome = 0; outcome < 2; outcome++) {
        bnre_train_opts opts = training_opts(data, network);
        const char *path = scratch_path(outcome ? "outcome.h5" : "missing.h5");
        bnre_train_result result;
        bnre_estimator *est = NULL;
        double own, other;

        opts.failure = outcome ? BNRE_FAILURE_OUTCOME : BNRE_FAILURE_MISSING;
        opts.lambda = 0;
        opts.epochs = 25;
        opts.batch_size = 64;
        opts.learning_rate = 0.003;
        assert_ok(bnre_train(&opts, path, &result));
        assert_true(result.failed > ROWS / 3);
        assert_int_equal(result.outcome, outcome ? result.failed : 0);
        assert_ok(bnre_estimator_open(path, &est));
        own = divergence(est, outcome);
        other = divergence(est, !outcome);
        assert_true(own < 0.02);
        assert_true(other > 5 * own);
        bnre_estimator_close(est);
    }
    bnre_node_destroy(network);
}

static void failures_are_located(void **state)
{
    bnre_dataset *data = NULL;
    bnre__failure_place place[2];
    double failed;

    (void)state;
    assert_ok(bnre_dataset_open(simulate(), &data));
    assert_ok(bnre__failures_locate(data, place, &failed));
    assert_close(failed, 0.475, 0.02);
    assert_string_equal(place[0].name, "place");
    assert_true(place[0].p < 1e-9);
    assert_int_equal(place[0].worst, 4);
    for (size_t k = 0; k < 5; k++) {
        const double middle = 0.1 + 0.2 * (double)k;

        assert_close(place[0].share[k], 1 - valid(middle), 0.05);
        assert_close(place[0].edge[k + 1], middle + 0.1, 0.03);
    }
    assert_true(place[1].p > 1e-3); /* false alarms: 1 in 1000 */
    bnre_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_meaning_learns_its_own_posterior),
        cmocka_unit_test(failures_are_located),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
