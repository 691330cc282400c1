/* Widened conditional densities are still densities, are what is drawn from,
   and cover more. */
#include <math.h>

#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/settings.h"
#include "infer/estimator/estimator.h"
#include "num/logistic.h"
#include "pairs.h"
#include "support.h"
#include "training.h"

static bnre_estimator *trained(void)
{
    const char *path = scratch_path("widen.h5");
    bnre_node *network =
        training_network("head: {hidden: [16], activation: elu}");
    bnre_train_opts opts = training_opts(
        training_data("widen-data.h5", "gaussian", 512, BNRE_SPLIT_TRAIN),
        network);
    bnre_estimator *est = NULL;

    opts.method = BNRE_METHOD_NPE;
    opts.members = 2;
    opts.epochs = 60;
    opts.batch_size = 64;
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    bnre_node_destroy(network);
    return est;
}

/* Each range, with a mixture as a network may give it. */
static void every_range_stays_normalised_and_is_what_is_drawn(void **state)
{
    enum { N = 8, STEPS = 200000, DRAWS = 20000 };
    static const bnre__range range[] = {BNRE__UNIT, BNRE__HALF, BNRE__LINE};
    static const double low[] = {0, 0, -60}, high[] = {1, 60, 60};
    static const double widen[] = {1, 1.35, 3, 100};
    float raw[3 * N];
    bnre_rng rng = bnre_rng_stream(4, 0, 0);

    (void)state;
    for (size_t k = 0; k < N; k++) {
        raw[k] = (float)(k % 3);
        raw[N + k] = (float)k * 0.3f - 0.5f;
        raw[2 * N + k] = (float)k * 0.7f - 5;
    }
    for (size_t r = 0; r < 3; r++)
        for (size_t w = 0; w < sizeof widen / sizeof *widen; w++) {
            const double h = (high[r] - low[r]) / STEPS;
            bnre__logistic line;
            double sum = 0, half, below = 0;

            bnre__logistic_read(range[r], N, raw, widen[w], &line);
            for (size_t i = 0; i < STEPS; i++)
                sum += h * exp(bnre__logistic_log_density(
                               &line, low[r] + ((double)i + 0.5) * h));
            assert_close(sum, 1, 1e-4);
            for (size_t k = 0; k < N; k++)
                assert_true(line.width[k] <= 1 || range[r] == BNRE__UNIT);
            half = bnre__logistic_quantile(&line, 0.3);
            for (size_t i = 0; i < DRAWS; i++)
                below += bnre__logistic_draw(&line, &rng) < half;
            /* 4.5 standard errors: 7e-6 by chance, of 12 checks. */
            assert_close(below / DRAWS, 0.3, 4.5 * sqrt(0.21 / DRAWS));
        }
}

/* Masses of an ensemble by the midpoint rule in quantiles of the prior, where q
   / p is smooth, and by draws: 4.5 standard errors of 20,000, 7e-6 by chance,
   of 18 checks. */
static void draws_of_an_estimator_are_those_of_its_density(void **state)
{
    enum { SIDE = 300, DRAWS = 20000 };
    static const double x[][2] = {{0, 0}, {1, -1.5}};
    static double theta[SIDE * SIDE][2], l[SIDE * SIDE], draw[DRAWS][2];
    bnre_estimator *est = trained();
    bnre_density q;
    void *session;

    (void)state;
    for (double widen = 1; widen < 5; widen *= 2)
        for (size_t i = 0; i < 2; i++) {
            double all = 0;

            assert_ok(bnre_estimator_set_widen(est, widen));
            q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
            for (size_t k = 0; k < SIDE * SIDE; k++) {
                theta[k][0] = bnre_prior_quantile(
                    q.prior, 0, ((double)(k % SIDE) + 0.5) / SIDE);
                theta[k][1] = bnre_prior_quantile(
                    q.prior, 1, ((double)(k / SIDE) + 0.5) / SIDE);
            }
            assert_ok(q.open(q.context, &session));
            assert_ok(q.observe(session, x[i]));
            assert_ok(q.log_ratio(session, SIDE * SIDE, theta[0], l, NULL));
            assert_ok(q.draw(session, 5, 0, DRAWS, draw[0]));
            for (size_t k = 0; k < SIDE * SIDE; k++)
                all += exp(l[k]) / (SIDE * SIDE);
            assert_close(all, 1, 2e-3);
            for (size_t j = 30; j < SIDE; j += 90) {
                const double bound =
                    bnre_prior_quantile(q.prior, 0, (double)j / SIDE);
                double share = 0, counted = 0;

                for (size_t k = 0; k < SIDE * SIDE; k++)
                    share +=
                        theta[k][0] < bound ? exp(l[k]) / (SIDE * SIDE) : 0;
                for (size_t k = 0; k < DRAWS; k++)
                    counted += (draw[k][0] < bound) / (double)DRAWS;
                assert_close(counted, share, 4.5 * 0.5 / sqrt(DRAWS) + 2e-3);
            }
            q.close(session);
        }
    bnre_estimator_close(est);
}

static void coverage_grows_with_the_width(void **state)
{
    enum { PAIRS = 600 };
    bnre_estimator *est = trained();
    pairs p = pairs_gaussian(PAIRS, 2, 1, 6);
    bnre_diag_opts opts = bnre_diag_opts_default();
    double before = -1;

    (void)state;
    opts.draws = 100;
    for (double widen = 1; widen < 3; widen *= 1.4) {
        bnre_density q;
        bnre_diag *diag = NULL;

        assert_ok(bnre_estimator_set_widen(est, widen));
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(bnre_diagnose(&q, PAIRS, 1, p.theta, p.x, &opts, &diag));
        assert_true(diag->curve[0].coverage.auc.mean > before + 0.03);
        before = diag->curve[0].coverage.auc.mean;
        bnre_diag_destroy(diag);
    }
    bnre_estimator_close(est);
    pairs_free(&p);
}

static void what_cannot_be_widened_is_refused(void **state)
{
    bnre_estimator *est = trained();

    (void)state;
    assert_fails(bnre_estimator_set_widen(est, 0.9), BNRE_EUSAGE, "1 to 100");
    assert_fails(bnre_estimator_set_widen(est, NAN), BNRE_EUSAGE, "1 to 100");
    assert_ok(bnre__estimator_set_certificate(est, "certified: yes\n"));
    assert_ok(bnre_estimator_set_widen(est, 1));
    assert_non_null(bnre_estimator_describe(est)->certificate);
    assert_ok(bnre_estimator_set_widen(est, 1.5));
    assert_null(bnre_estimator_describe(est)->certificate);
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_stays_normalised_and_is_what_is_drawn),
        cmocka_unit_test(draws_of_an_estimator_are_those_of_its_density),
        cmocka_unit_test(coverage_grows_with_the_width),
        cmocka_unit_test(what_cannot_be_widened_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
