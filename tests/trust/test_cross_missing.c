/* Out of fold where other simulations are missing: those that are there count by
   1 / P(result | theta), so that ranks are of draws of the prior. */
#include <math.h>
#include <stdio.h>

#include "densities.h"
#include "diag/diag.h"
#include "made.h"
#include "support.h"
#include "trust/cross.h"

/* theta ~ N(0, 1), x = theta + N(0, 1): the posterior is N(x/2, 1/2). From one
   in eight simulations of small theta to nearly all of large give a result. */
static double chance(double theta)
{
    return 0.12 + 0.86 / (1 + exp(-3 * theta));
}

static int lose(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = theta[0] + bnre_rng_normal(rng);
    return bnre_rng_uniform(rng) > chance(theta[0]) ? 2 : 0;
}

static const made losing = {"parameters: {a: \"normal(0, 1)\"}\n"
                            "observable: [1]\n",
                            1, 1, lose, NULL};

struct crossed {
    bnre_estimator *est;
    bnre_dataset *data;
    bnre__cross cross;
};

static struct crossed train(int failure)
{
    struct crossed it = {0};
    bnre_train_opts opts;
    char rows[300];

    snprintf(rows, sizeof rows, "%s", made_data(&losing, "lost.csv", 3000, 5));
    opts = made_opts(&losing, rows);
    opts.failure = failure;
    opts.folds = 3;
    opts.members = 3;
    opts.epochs = 8;
    it.est = made_train(&opts, NULL);
    assert_ok(bnre_dataset_open(rows, &it.data));
    assert_ok(bnre__cross_init(&it.cross, it.est, it.data, 0, 1));
    return it;
}

static void end(struct crossed *it)
{
    bnre__cross_clear(&it->cross);
    bnre_dataset_close(it->data);
    bnre_estimator_close(it->est);
}

/* Mean of theta by weights (n), or without. */
static double mean_of(const bnre__cross *cross, const double *weight)
{
    double sum = 0, all = 0;

    for (size_t i = 0; i < cross->n; i++) {
        const double w = weight != NULL ? weight[i] : 1;

        sum += w * cross->theta[i];
        all += w;
    }
    return sum / all;
}

/* Some 1,650 rows have a result, with a mean of 0.45; weighted ones are worth
   about half as many, so that their mean has an error of 0.035 and, as P is
   learned, hardly more. */
static void rows_count_as_the_prior_has_them(void **state)
{
    struct crossed it = train(BNRE_FAILURE_AUTO);
    const bnre_diag_opts opts = bnre_diag_opts_default();
    const size_t n = it.cross.n;
    bnre_diag *diag = NULL;
    double off = 0;

    (void)state;
    assert_non_null(it.cross.weight);
    for (size_t i = 0; i < n; i++)
        off += fabs(log(it.cross.weight[i] * chance(it.cross.theta[i]))) /
               (double)n;
    assert_true(off < 0.2);
    assert_true(mean_of(&it.cross, NULL) > 0.3);
    assert_true(fabs(mean_of(&it.cross, it.cross.weight)) < 0.14);
    assert_ok(bnre__cross_diagnose(&it.cross, &opts, &diag));
    assert_int_equal(diag->n, n);
    assert_true(diag->curve[0].coverage.n < n * 3 / 4);
    assert_true(diag->curve[0].coverage.n > n / 5);
    bnre_diag_destroy(diag);
    /* What takes no weights has fewer rows. */
    assert_ok(bnre__cross_level(&it.cross, 1));
    assert_null(it.cross.weight);
    assert_true(it.cross.n < n / 4 && it.cross.n > n / 20);
    assert_true(fabs(mean_of(&it.cross, NULL)) < 0.28);
    end(&it);
}

static void outcomes_all_count_the_same(void **state)
{
    struct crossed it = train(BNRE_FAILURE_OUTCOME);

    (void)state;
    assert_null(it.cross.weight);
    end(&it);
}

/* ---- coverage by weights, of a posterior that is right ---- */

enum { N = 4000 };
static double pair_theta[N], pair_x[N], pair_weight[N];

static bnre_status read_pairs(void *self, size_t first, size_t n, double *x)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        x[i] = pair_x[first + i];
    return BNRE_OK;
}

/* Results of parameters far out are the most probable. */
static double far_chance(double theta)
{
    return 0.15 + 0.8 * theta * theta / (1 + theta * theta);
}

/* Rows with a result are not as the exact posterior has them, and look wrong;
   by weights they look right. (Outside 3.5 errors in 1 of 2,000 seeds. The
   information is -log(1/2) / 2.) */
static void weights_make_the_right_posterior_right(void **state)
{
    struct crossed it = train(BNRE_FAILURE_OUTCOME); /* for its prior */
    const bnre_diag_opts opts = bnre_diag_opts_default();
    bnre__pairs pairs = {
        .n = N, .observations = 1, .theta = pair_theta, .read = read_pairs};
    double x = 0;
    const bnre_density exact = drawn_density(bnre_estimator_prior(it.est), &x);

    (void)state;
    for (size_t n = 0, row = 0; n < N; row++) {
        bnre_rng rng = bnre_rng_stream(11, 0, row);

        pair_theta[n] = bnre_rng_normal(&rng);
        pair_x[n] = pair_theta[n] + bnre_rng_normal(&rng);
        pair_weight[n] = 1 / far_chance(pair_theta[n]);
        n += bnre_rng_uniform(&rng) < far_chance(pair_theta[n]);
    }
    for (int weighed = 0; weighed < 2; weighed++) {
        bnre_diag *diag = NULL;
        const bnre_diag_curve *curve;
        double off;

        pairs.weight = weighed ? pair_weight : NULL;
        assert_ok(bnre__diagnose(&exact, &pairs, &opts, &diag));
        curve = &diag->curve[0];
        off = fabs(curve->information.mean - 0.5 * log(2));
        if (weighed) {
            assert_true(fabs(curve->coverage.auc.mean) <
                        3.5 * curve->coverage.auc.error);
            assert_true(off < 3.5 * curve->information.error);
            assert_true(curve->coverage.n < N);
        } else {
            assert_int_equal(curve->coverage.n, N);
            assert_true(curve->coverage.auc.mean <
                        -6 * curve->coverage.auc.error);
            assert_true(off > 6 * curve->information.error);
        }
        bnre_diag_destroy(diag);
    }
    end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_count_as_the_prior_has_them),
        cmocka_unit_test(outcomes_all_count_the_same),
        cmocka_unit_test(weights_make_the_right_posterior_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
