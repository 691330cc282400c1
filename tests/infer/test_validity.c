/* Conditional densities of simulations that fail here and there: missing ones
   leave the prior as it is, outcomes do not, against the exact posteriors of a
   Gaussian. */
#include <math.h>
#include <stdio.h>

#include "bnre/diag.h"
#include "data/rows.h"
#include "densities.h"
#include "infer/estimator/evaluator.h"
#include "made.h"
#include "support.h"

/* theta ~ N(0, 1), x = theta + N(0, 1): the posterior is N(x/2, 1/2). About one in
   ten simulations of small theta gives a result, and nearly all of large. */
static double chance(double theta)
{
    return 0.12 + 0.86 / (1 + exp(-3 * theta));
}

/* More results where |theta| is large. */
static double other_chance(double theta)
{
    return 0.25 + 0.7 * theta * theta / (1 + theta * theta);
}

static int status_of(bnre_rng *rng, const double *theta, double *x, int lost,
                     int invalid)
{
    x[0] = theta[0] + bnre_rng_normal(rng);
    if (bnre_rng_uniform(rng) > chance(theta[0]))
        return lost;
    return bnre_rng_uniform(rng) > other_chance(theta[0]) ? invalid : 0;
}

static int lose(bnre_rng *rng, const double *theta, double *x)
{
    return status_of(rng, theta, x, 2, 0);
}

static int lose_and_fail(bnre_rng *rng, const double *theta, double *x)
{
    return status_of(rng, theta, x, 2, 1);
}

static const char text[] = "parameters: {a: \"normal(0, 1)\"}\n"
                           "observable: [1]\n";
static const made losing = {text, 1, 1, lose, NULL};
static const made both = {text, 1, 1, lose_and_fail, NULL};

/* Mean and standard deviation of N(x/2, 1/2) times a weight. */
struct moments {
    double mean, sd;
};

static struct moments exact(double x, double (*weight)(double))
{
    double sum = 0, first = 0, second = 0;

    for (double t = -6; t < 6; t += 1e-3) {
        const double p =
            exp(-(t - x / 2) * (t - x / 2)) * (weight != NULL ? weight(t) : 1);

        sum += p;
        first += p * t;
        second += p * t * t;
    }
    first /= sum;
    return (struct moments){first, sqrt(second / sum - first * first)};
}

static struct moments of_draws(const bnre_estimator *est, double x)
{
    enum { DRAWS = 4000 };
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    static double theta[DRAWS];
    double first = 0, second = 0;
    void *session;

    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, &x));
    assert_ok(q.draw(session, 1, 0, DRAWS, theta));
    q.close(session);
    for (size_t i = 0; i < DRAWS; i++) {
        first += theta[i] / DRAWS;
        second += theta[i] * theta[i] / DRAWS;
    }
    return (struct moments){first, sqrt(second - first * first)};
}

/* How far moments are off, at most, over x from -1.5 to 1.5: those of the prior
   times a weight. */
static double misses(const bnre_estimator *est, double (*weight)(double))
{
    double most = 0;

    for (int k = -1; k <= 1; k++) {
        const struct moments a = of_draws(est, 1.5 * k);
        const struct moments b = exact(1.5 * k, weight);

        most = fmax(most, fmax(fabs(a.mean - b.mean), fabs(a.sd - b.sd)));
    }
    return most;
}

static bnre_estimator *train(const made *of, int method, int failure,
                             size_t folds)
{
    bnre_train_opts opts = made_opts(of, made_data(of, "lost.csv", 6000, 5));

    opts.method = method;
    opts.failure = failure;
    opts.members = 3;
    opts.folds = folds;
    opts.epochs = 25;
    return made_train(&opts, NULL);
}

/* Posteriors of 3,000 rows and three networks miss by 0.07 or so; the other
   prior would move their means by 0.3 and more. */
static void missing_simulations_leave_the_prior(void **state)
{
    (void)state;
    assert_true(fabs(exact(0, NULL).mean - exact(0, chance).mean) > 0.3);
    for (int method = BNRE_METHOD_NPE; method <= BNRE_METHOD_BNPE; method++) {
        bnre_estimator *est = train(&losing, method, BNRE_FAILURE_AUTO, 0);

        assert_non_null(est->conditional->validity);
        assert_true(misses(est, NULL) < 0.15);
        bnre_estimator_close(est);
    }
}

/* The same rows as outcomes: maximum likelihood is p(theta | x, result), and
   fails the test above. */
static void outcomes_are_part_of_the_model(void **state)
{
    bnre_estimator *est =
        train(&losing, BNRE_METHOD_NPE, BNRE_FAILURE_OUTCOME, 0);

    (void)state;
    assert_null(est->conditional->validity);
    assert_true(misses(est, chance) < 0.15);
    assert_true(misses(est, NULL) > 0.3);
    bnre_estimator_close(est);
}

/* What the machine lost is missing, what the model could not do is an
   outcome; or all of it is missing. */
static void both_meanings_go_together(void **state)
{
    bnre_estimator *est = train(&both, BNRE_METHOD_NPE, BNRE_FAILURE_AUTO, 3);

    (void)state;
    assert_true(misses(est, other_chance) < 0.2);
    assert_true(misses(est, NULL) > 0.2);
    bnre_estimator_close(est);
    est = train(&both, BNRE_METHOD_NPE, BNRE_FAILURE_MISSING, 0);
    assert_true(misses(est, NULL) < 0.2);
    bnre_estimator_close(est);
}

/* What was learned about results, on theta that nobody has seen, and folds by
   folds. */
static void results_are_as_probable_as_they_are(void **state)
{
    const double theta[] = {-1.5, -0.7, 0, 0.7, 1.5};
    bnre_estimator *est = train(&losing, BNRE_METHOD_NPE, BNRE_FAILURE_AUTO, 3);
    bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    double p[5];

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        if (k > 0)
            q = bnre__estimator_fold_density(est, k - 1);
        assert_ok(q.result(q.context, 5, theta, p));
        for (size_t i = 0; i < 5; i++)
            assert_close(p[i], chance(theta[i]), 0.06);
    }
    bnre_estimator_close(est);
}

/* ---- ranks ---- */

static bnre_status result(void *context, size_t n, const double *theta,
                          double *p)
{
    (void)context;
    for (size_t i = 0; i < n; i++)
        p[i] = chance(theta[i]);
    return BNRE_OK;
}

/* Pairs with a result are no draws of the prior, and the exact posterior would
   look wrong on them; thinned by P(result | theta) they are, and it does not.
   (Its p-value is below 1e-3 once in a thousand seeds.) */
static void ranks_are_of_draws_of_the_prior(void **state)
{
    double x = 0;
    bnre_estimator *est = train(&losing, BNRE_METHOD_NPE, BNRE_FAILURE_AUTO, 0);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_density q = drawn_density(bnre_estimator_prior(est), &x);
    bnre_dataset *data = NULL;
    bnre_diag *diag = NULL;
    size_t valid;

    (void)state;
    assert_ok(
        bnre_dataset_open(made_data(&losing, "test.csv", 6000, 6), &data));
    valid = 6000 - bnre_dataset_describe(data)->failed;
    assert_ok(bnre_diagnose_dataset(&q, data, 1, &opts, &diag));
    assert_int_equal(diag->n, valid);
    assert_true(diag->parameter[0].sbc.ks_p < 1e-9);
    bnre_diag_destroy(diag);
    q.result = result;
    assert_ok(bnre_diagnose_dataset(&q, data, 1, &opts, &diag));
    assert_true(diag->n < valid);
    assert_true(diag->parameter[0].sbc.ks_p > 1e-3);
    assert_true(fabs(diag->curve[0].coverage.auc.mean) <
                3.5 * diag->curve[0].coverage.auc.error);
    bnre_diag_destroy(diag);
    /* The estimator knows that itself. */
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre_diagnose_dataset(&q, data, 1, &opts, &diag));
    assert_true(fabs(diag->curve[0].coverage.auc.mean) < 0.04);
    bnre_diag_destroy(diag);
    bnre_dataset_close(data);
    bnre_estimator_close(est);
}

/* A fifth of the rows is kept where P is 1, and all where it is 0.2. */
static void thinning_makes_rows_equal(void **state)
{
    enum { N = 20000 };
    static double p[N];
    static uint8_t keep[N], again[N];
    size_t kept[2] = {0}, all;

    (void)state;
    for (size_t i = 0; i < N; i++)
        p[i] = i % 2 == 0 ? 1 : 0.2;
    all = bnre__thin_level(N, p, 1, BNRE_SPLIT_TEST, keep);
    (void)bnre__thin_level(N, p, 1, BNRE_SPLIT_TEST, again);
    for (size_t i = 0; i < N; i++) {
        kept[i % 2] += keep[i];
        assert_int_equal(keep[i], again[i]);
    }
    assert_int_equal(all, kept[0] + kept[1]);
    assert_int_equal(kept[1], N / 2);
    /* Five standard deviations: once in two million. */
    assert_true(fabs((double)kept[0] - 2000) < 5 * 40);
}

/* ---- the same bytes ---- */

static int ticks;

static int stop_soon(void *arg, size_t done, size_t found, size_t total)
{
    (void)arg;
    (void)done;
    (void)found;
    (void)total;
    return ++ticks > 20;
}

/* P(result | theta) is fitted again when training goes on, to the same bits. */
static void interruptions_and_threads_change_nothing(void **state)
{
    char rows[300], path[300], print[2][33];
    const bnre_monitor monitor = {.progress = stop_soon};
    bnre_train_opts opts;
    bnre_estimator *est = NULL;
    bnre_pool *pool = NULL;

    (void)state;
    snprintf(rows, sizeof rows, "%s", made_data(&losing, "r.csv", 1500, 8));
    snprintf(path, sizeof path, "%s", scratch_path("again.h5"));
    opts = made_opts(&losing, rows);
    opts.members = 2;
    opts.epochs = 3;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre_estimator_fingerprint(est, print[0]));
    bnre_estimator_close(est);
    assert_ok(bnre_pool_create(2, &pool));
    opts.pool = pool;
    opts.monitor = &monitor;
    opts.force = 0;
    snprintf(path, sizeof path, "%s", scratch_path("stopped.h5"));
    assert_int_equal(bnre_train(&opts, path, NULL), BNRE_EINTR);
    opts.monitor = NULL;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre_estimator_fingerprint(est, print[1]));
    assert_string_equal(print[0], print[1]);
    bnre_estimator_close(est);
    bnre_pool_destroy(pool);
}

/* ---- what cannot be weighed ---- */

static int lose_all_below(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = theta[0] + bnre_rng_normal(rng);
    return theta[0] < -1 ? 2 : 0;
}

static void a_prior_without_results_is_refused(void **state)
{
    static const made edge = {text, 1, 1, lose_all_below, NULL};
    bnre_train_opts opts = made_opts(&edge, made_data(&edge, "e.csv", 2000, 5));

    (void)state;
    assert_fails(bnre_train(&opts, scratch_path("edge.h5"), NULL), BNRE_EUSAGE,
                 "hardly ever");
    opts.failure = BNRE_FAILURE_OUTCOME;
    opts.epochs = 1;
    assert_ok(bnre_train(&opts, scratch_path("edge.h5"), NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_simulations_leave_the_prior),
        cmocka_unit_test(outcomes_are_part_of_the_model),
        cmocka_unit_test(both_meanings_go_together),
        cmocka_unit_test(results_are_as_probable_as_they_are),
        cmocka_unit_test(ranks_are_of_draws_of_the_prior),
        cmocka_unit_test(thinning_makes_rows_equal),
        cmocka_unit_test(interruptions_and_threads_change_nothing),
        cmocka_unit_test(a_prior_without_results_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
