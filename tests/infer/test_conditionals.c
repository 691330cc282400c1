/* What conditional densities tell of an observation, in several ways that must
   agree: densities of one parameter given those before it, grids, draws, chains;
   and the sum over several observations, against the exact posterior. */
#include <math.h>

#include "bnre/posterior.h"
#include "made.h"
#include "support.h"

static int add_noise(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t i = 0; i < 4; i++)
        x[i] = theta[i] + 0.4 * bnre_rng_normal(rng);
    x[4] = theta[4] + bnre_rng_normal(rng);
    return 0;
}

/* Two bounds, cut at another parameter, one bound, none, a list. */
static const made all_kinds = {
    "parameters: {a: 'uniform(0, 1)', b: 'uniform(0, 1)', c: "
    "'exponential(1)', d: 'normal(1, 2)', k: 'integer(0, 4)'}\n"
    "constraint: a >= b\n"
    "observable: [5]\n",
    5, 5, add_noise, NULL};

static bnre_estimator *train(const made *of, size_t rows, size_t folds)
{
    bnre_train_opts opts = made_opts(of, made_data(of, "some.csv", rows, 3));

    opts.method = BNRE_METHOD_NPE;
    opts.members = 3;
    opts.folds = folds;
    opts.epochs = 15;
    opts.no_information = 1;
    return made_train(&opts, NULL);
}

static double log_posterior(const bnre_estimator *est, const double *theta,
                            const double *x)
{
    double out;

    assert_ok(bnre_estimator_log_posterior(est, NULL, 1, theta, x, &out));
    return out;
}

/* By the chain rule they make up the whole: of a mixture, too. Each parameter in
   turn is a quantile of its density given the earlier ones. Networks count in
   floats. */
static void their_product_is_the_posterior(void **state)
{
    static const double x[] = {0.7, 0.3, 0.8, 2, 2.2};
    static const double p[3][5] = {{0.5, 0.5, 0.5, 0.5, 0.5},
                                   {0.02, 0.9, 0.1, 0.98, 0.1},
                                   {0.8, 0.05, 0.97, 0.3, 0.95}};

    (void)state;
    for (size_t folds = 0; folds <= 3; folds += 3) {
        bnre_estimator *est = train(&all_kinds, 400, folds);

        assert_ok(bnre_estimator_set_widen(est, folds == 0 ? 1 : 1.3));
        for (size_t i = 0; i < 3; i++) {
            double theta[5] = {0}, value[5], density[5], sum = 0;

            for (size_t j = 0; j < 5; j++) {
                assert_ok(bnre_estimator_conditionals(
                    est, x, theta, 1, &p[i][j], value, density));
                theta[j] = value[j];
                sum += log(density[j]);
            }
            assert_true(theta[1] < theta[0]);
            assert_close(sum, log_posterior(est, theta, x), 2e-3);
        }
        bnre_estimator_close(est);
    }
}

static int add_little(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t i = 0; i < 2; i++)
        x[i] = theta[i] + bnre_rng_normal(rng);
    return 0;
}

static const made disc = {"parameters: {a: 'normal(0, 1)', b: 'normal(0, 1)'}\n"
                          "constraint: a * a + b * b < 4\n"
                          "observable: [2]\n",
                          2, 2, add_little, NULL};
static const made plain = {
    "parameters: {a: 'normal(0, 1)', b: 'normal(0, 1)'}\nobservable: [2]\n", 2,
    2, add_little, NULL};

static void where_there_are_none_it_is_said(void **state)
{
    static const double x[2] = {0}, half = 0.5;
    bnre_estimator *est = train(&disc, 200, 0);
    double out[4];

    (void)state;
    assert_false(bnre_estimator_has_conditionals(est));
    assert_fails(bnre_estimator_conditionals(est, x, x, 1, &half, out, out + 2),
                 BNRE_EUSAGE, "closed form");
    bnre_estimator_close(est);
    est = train(&plain, 200, 0);
    assert_true(bnre_estimator_has_conditionals(est));
    assert_ok(bnre_estimator_set_temper(est, 0.5));
    assert_false(bnre_estimator_has_conditionals(est));
    bnre_estimator_close(est);
}

/* ---- grids, draws and chains ---- */

static bnre_posterior *compute(bnre_session *session, bnre_sampler method)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;

    opts.sampler = method;
    opts.draws = 20000;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    return posterior;
}

/* Quantiles of the first parameter are known exactly, those of the second from
   the grid. Of 20,000 draws they have errors of 0.004 in probability; chains are
   worth 400 draws and more: 0.025. Four of these: once in 16,000 each. Densities
   are below 0.6. */
static void grids_draws_and_chains_agree(void **state)
{
    static const double x[] = {0.9, -0.4}, p[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    static const bnre_sampler method[] = {BNRE_SAMPLER_GRID, BNRE_SAMPLER_DRAWS,
                                          BNRE_SAMPLER_CHAIN};
    static const double off[] = {1e-3, 0.016, 0.1};
    bnre_estimator *est = train(&plain, 500, 0);
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_session *session = NULL;
    double want[2][5], density[2][5];

    (void)state;
    assert_ok(
        bnre_estimator_conditionals(est, x, x, 5, p, want[0], density[0]));
    assert_ok(bnre_session_open(&q, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, x));
    for (size_t m = 0; m < 3; m++) {
        bnre_posterior *posterior = compute(session, method[m]);
        double found[5];

        if (m == 0)
            assert_ok(bnre_posterior_quantiles(posterior, 1, 5, p, want[1]));
        for (size_t i = 0; i < 2; i++) {
            assert_ok(bnre_posterior_quantiles(posterior, i, 5, p, found));
            for (size_t k = 0; k < 5; k++)
                assert_true(0.6 * fabs(found[k] - want[i][k]) < off[m]);
        }
        bnre_posterior_destroy(posterior);
    }
    bnre_session_close(session);
    bnre_estimator_close(est);
}

/* ---- several observations ---- */

/* Five observations: N(sum / 6, 1 / 6), and the tails of single ones exclude
   nothing, even where one of them is far from the others. */
static void several_observations_have_the_posterior_of_all(void **state)
{
    static const double x[2][10] = {
        {0.5, -0.7, 1.1, 0.2, 0.1, -1.3, 0.8, -0.4, 1.4, 0.1},
        {0.5, -0.7, 1.1, 0.2, 3, -2.8, 0.8, -0.4, 1.4, 0.1}};
    bnre_train_opts opts =
        made_opts(&plain, made_data(&plain, "m.csv", 4096, 4));
    bnre_estimator *est;
    bnre_session *session = NULL;
    bnre_density q;

    (void)state;
    opts.members = 3;
    opts.epochs = 40;
    opts.no_information = 1;
    est = made_train(&opts, NULL);
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre_session_open(&q, NULL, &session));
    for (size_t k = 0; k < 2; k++) {
        bnre_posterior *posterior;
        double mean[2], covariance[4];

        assert_ok(bnre_session_observe(session, 5, x[k]));
        assert_false(bnre_session_can_draw(session));
        posterior = compute(session, BNRE_SAMPLER_GRID);
        bnre_posterior_moments(posterior, mean, covariance);
        for (size_t i = 0; i < 2; i++) {
            double sum = 0;

            for (size_t j = 0; j < 5; j++)
                sum += x[k][2 * j + i];
            assert_close(mean[i], sum / 6, 0.2);
            assert_close(sqrt(covariance[3 * i]), sqrt(1.0 / 6), 0.08);
        }
        bnre_posterior_destroy(posterior);
    }
    bnre_session_close(session);
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(their_product_is_the_posterior),
        cmocka_unit_test(where_there_are_none_it_is_said),
        cmocka_unit_test(grids_draws_and_chains_agree),
        cmocka_unit_test(several_observations_have_the_posterior_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
