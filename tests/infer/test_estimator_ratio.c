/* threads: log ratios from estimators against a plain computation, their
   gradients against differences, and the same bits on any threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators.h"
#include "reference.h"
#include "support.h"

enum { MANY = 600, DIM = 2 };

static double combine(bnre_combine rule, size_t n, const double *l)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += rule == BNRE_COMBINE_RATIO ? exp(l[k]) : 1 / (1 + exp(-l[k]));
    sum /= (double)n;
    return rule == BNRE_COMBINE_RATIO ? log(sum) : log(sum / (1 - sum));
}

/* ---- the reference ensemble ---- */

static void ensembles_match_the_reference(void **state)
{
    enum { ROWS = 6, MEMBERS = 5 };
    ref *root = ref_load("nn/ensemble.json");
    double l[ROWS * MEMBERS], ratio[ROWS], probability[ROWS], out[ROWS];
    float logit[MEMBERS * ROWS];

    (void)state;
    ref_numbers(ref_at(root, "log_ratios/data"), ROWS * MEMBERS, l);
    ref_numbers(ref_at(root, "ratio_mean/data"), ROWS, ratio);
    ref_numbers(ref_at(root, "discriminator_mean_eps1e-6/data"), ROWS,
                probability);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < MEMBERS; k++)
            logit[k * ROWS + i] = (float)l[i * MEMBERS + k];
    /* The logits are floats here: their rounding is all that differs. */
    bnre__ensemble(BNRE_COMBINE_RATIO, MEMBERS, ROWS, logit, out, NULL);
    for (size_t i = 0; i < ROWS; i++)
        assert_close(out[i], ratio[i], 3e-7);
    bnre__ensemble(BNRE_COMBINE_PROBABILITY, MEMBERS, ROWS, logit, out, NULL);
    for (size_t i = 0; i < ROWS; i++)
        assert_close(out[i], probability[i], 3e-7);
    ref_free(root);
}

static void extreme_logits_stay_finite(void **state)
{
    const float far[] = {500, -500, -1000, -3000};
    double out[2], weight[4];

    (void)state;
    bnre__ensemble(BNRE_COMBINE_RATIO, 2, 2, far, out, weight);
    assert_close(out[0], 500 - log(2), 1e-12);
    assert_close(out[1], -500 - log(2), 1e-12);
    assert_close(weight[0], 1, 1e-12);
    assert_close(weight[2], 0, 1e-12);
    bnre__ensemble(BNRE_COMBINE_PROBABILITY, 2, 2, far, out, weight);
    assert_close(out[0], 0, 1e-12);
    assert_close(out[1], log(1e-6 / (1 - 1e-6)), 1e-12);
    assert_true(weight[1] == 0 && weight[3] == 0);
}

static void infinite_and_missing_logits_show(void **state)
{
    const float low[] = {-INFINITY, -INFINITY, -INFINITY, 1};
    const float bad[] = {NAN, NAN, 1, NAN};
    double out[2], weight[4];

    (void)state;
    bnre__ensemble(BNRE_COMBINE_RATIO, 2, 2, low, out, weight);
    assert_true(out[0] == -HUGE_VAL);
    assert_close(out[1], 1 - log(2), 1e-12);
    assert_true(weight[0] == 0);
    for (int rule = 0; rule < 2; rule++) {
        bnre__ensemble((bnre_combine)rule, 2, 2, bad, out, NULL);
        assert_true(isnan(out[0]) && isnan(out[1]));
    }
    bnre__ensemble(BNRE_COMBINE_PROBABILITY, 1, 1, &low[3], out, weight);
    assert_true(out[0] == 1 && weight[0] == 1);
}

/* ---- densities ---- */

static double expected(const bnre_estimator *est, size_t member,
                       const double *theta, const double *x)
{
    double l[8];

    if (member != BNRE_ALL_MEMBERS)
        return plain_log_ratio(est, member, theta, x);
    for (size_t k = 0; k < est->info.members; k++)
        l[k] = plain_log_ratio(est, k, theta, x);
    return combine(est->info.combine, est->info.members, l);
}

static void check_density(const bnre_estimator *est, size_t member)
{
    const size_t dim = est->info.dim_theta;
    const bnre_density density = bnre_estimator_density(est, member);
    double *theta = calloc(MANY * dim, sizeof *theta);
    double *out = calloc(MANY, sizeof *out), again;
    double x[64];
    void *session = NULL;

    assert_ptr_equal(density.prior, bnre_estimator_prior(est));
    assert_int_equal(density.x_size, est->info.x_size);
    assert_ok(density.open(density.context, &session));
    for (uint64_t i = 0; i < MANY; i++)
        some_theta(est, i, theta + i * dim);
    for (uint64_t i = 0; i < 3; i++) {
        some_x(est, i, x);
        assert_ok(density.observe(session, x));
        assert_ok(density.log_ratio(session, MANY, theta, out, NULL));
        for (size_t k = 0; k < MANY; k += 37)
            assert_close(out[k],
                         est->info.temper *
                             expected(est, member, theta + k * dim, x),
                         2e-5);
        /* A theta gives the same wherever it stands in a batch. */
        assert_ok(
            density.log_ratio(session, 1, theta + 300 * dim, &again, NULL));
        assert_close(again, out[300], 1e-6);
    }
    density.close(session);
    free(out);
    free(theta);
}

/* Members are, to the last bit, what they are by themselves, and the whole is
   what it is without them. */
static void check_members(const bnre_estimator *est)
{
    const size_t dim = est->info.dim_theta, members = est->info.members;
    const bnre_density whole = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    double *theta = calloc(MANY * dim, sizeof *theta);
    double *each = calloc(members * MANY, sizeof *each);
    double *out = calloc(2 * MANY, sizeof *out), *plain = out + MANY;
    void *session = NULL;
    double x[64];

    assert_int_equal(whole.members, members > 1 ? members : 0);
    assert_true((whole.log_ratio_each != NULL) == (members > 1));
    assert_ok(whole.open(whole.context, &session));
    for (uint64_t i = 0; i < MANY; i++)
        some_theta(est, i, theta + i * dim);
    some_x(est, 0, x);
    assert_ok(whole.observe(session, x));
    assert_ok(whole.log_ratio(session, MANY, theta, plain, NULL));
    if (members > 1) {
        assert_ok(whole.log_ratio_each(session, MANY, theta, out, each));
        assert_memory_equal(out, plain, MANY * sizeof *out);
        assert_ok(whole.rough(session, MANY, theta, out));
        assert_memory_equal(out, each, MANY * sizeof *out);
        assert_ok(whole.log_ratio(session, MANY, theta, out, NULL));
        assert_memory_equal(out, plain, MANY * sizeof *out);
    }
    whole.close(session);
    for (size_t m = 0; members > 1 && m < members; m++) {
        const bnre_density one = bnre_estimator_density(est, m);

        assert_null(one.log_ratio_each);
        assert_ok(one.open(one.context, &session));
        assert_ok(one.observe(session, x));
        assert_ok(one.log_ratio(session, MANY, theta, out, NULL));
        for (size_t i = 0; i < MANY; i++)
            assert_true(each[m * MANY + i] == out[i]);
        one.close(session);
    }
    free(out);
    free(each);
    free(theta);
}

static void densities_match_a_plain_computation(void **state)
{
    (void)state;
    for (int kind = 0; kind < EST_CLASSIFIER; kind++) {
        bnre_estimator *est = NULL;

        assert_ok(some_estimator_create((some_estimator)kind, &est));
        check_density(est, 0);
        check_density(est, est->info.members - 1);
        check_density(est, BNRE_ALL_MEMBERS);
        bnre__estimator_set_combine(est, BNRE_COMBINE_PROBABILITY);
        assert_ok(bnre_estimator_set_temper(est, 0.5));
        check_density(est, BNRE_ALL_MEMBERS);
        check_members(est);
        bnre_estimator_close(est);
    }
}

/* The derivative of a smooth function computed in double: differences over a
   step at which rounding and curvature are both small. */
static void check_gradient(const bnre_estimator *est, size_t member)
{
    const size_t dim = est->info.dim_theta;
    const bnre_density density = bnre_estimator_density(est, member);
    double theta[64 * DIM], out[64], gradient[64 * DIM], plain[64];
    double x[64];
    void *session = NULL;

    assert_true(density.has_gradient);
    assert_ok(density.open(density.context, &session));
    for (uint64_t i = 0; i < 64; i++)
        some_theta(est, i, theta + i * dim);
    for (uint64_t i = 0; i < 2; i++) {
        some_x(est, i, x);
        assert_ok(density.observe(session, x));
        assert_ok(density.log_ratio(session, 64, theta, out, gradient));
        assert_ok(density.log_ratio(session, 64, theta, plain, NULL));
        for (size_t k = 0; k < 64; k++)
            assert_close(out[k], plain[k], 1e-5);
        for (size_t k = 0; k < 64; k++)
            for (size_t j = 0; j < dim; j++) {
                double t[DIM], ends[2], h = 0.01 * fabs(theta[k * dim + j]);

                memcpy(t, theta + k * dim, dim * sizeof *t);
                h = fmax(h, 1e-3);
                for (int side = 0; side < 2; side++) {
                    t[j] = theta[k * dim + j] + (side == 0 ? -h : h);
                    assert_ok(
                        density.log_ratio(session, 1, t, &ends[side], NULL));
                }
                assert_close(gradient[k * dim + j] * 2 * h, ends[1] - ends[0],
                             2e-4);
            }
    }
    density.close(session);
}

static void gradients_match_differences(void **state)
{
    static const some_estimator kinds[] = {EST_PLAIN, EST_ENSEMBLE};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bnre_estimator *est = NULL;

        assert_ok(some_estimator_create(kinds[i], &est));
        check_gradient(est, BNRE_ALL_MEMBERS);
        check_gradient(est, 0);
        bnre__estimator_set_combine(est, BNRE_COMBINE_PROBABILITY);
        assert_ok(bnre_estimator_set_temper(est, 0.7));
        check_gradient(est, BNRE_ALL_MEMBERS);
        bnre_estimator_close(est);
    }
}

/* ---- pairs ---- */

static void pairs_match_a_plain_computation(void **state)
{
    (void)state;
    for (int kind = 0; kind < EST_KINDS; kind++) {
        bnre_estimator *est = NULL;
        double *theta, out[2][MANY];
        bnre_pool *pool = NULL;
        size_t dim, size;
        double *x;

        assert_ok(some_estimator_create((some_estimator)kind, &est));
        assert_ok(bnre_pool_create(3, &pool));
        dim = est->info.dim_theta;
        size = est->info.x_size;
        theta = calloc(MANY * dim + 1, sizeof *theta);
        x = calloc(MANY * size, sizeof *x);
        for (uint64_t i = 0; i < MANY; i++) {
            some_theta(est, i, theta + i * dim);
            some_x(est, 5 * i, x + i * size);
        }
        assert_ok(bnre_estimator_log_ratio(est, NULL, MANY, theta, x, out[0]));
        assert_ok(bnre_estimator_log_ratio(est, pool, MANY, theta, x, out[1]));
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        for (size_t i = 0; i < MANY; i += 41)
            assert_close(
                out[0][i],
                expected(est, BNRE_ALL_MEMBERS, theta + i * dim, x + i * size),
                2e-5);
        bnre_pool_destroy(pool);
        free(x);
        free(theta);
        bnre_estimator_close(est);
    }
}

static void posteriors_add_the_prior(void **state)
{
    bnre_estimator *est = NULL;
    double theta[3 * DIM], l[3], p[3];
    double x[9];

    (void)state;
    assert_ok(some_estimator_create(EST_ENSEMBLE, &est));
    for (uint64_t i = 0; i < 3; i++) {
        some_theta(est, i, theta + i * DIM);
        some_x(est, i, x + 3 * i);
    }
    theta[2 * DIM] = -1; /* a rate that has no logarithm */
    assert_ok(bnre_estimator_log_ratio(est, NULL, 3, theta, x, l));
    assert_ok(bnre_estimator_log_posterior(est, NULL, 3, theta, x, p));
    for (size_t i = 0; i < 2; i++)
        assert_close(
            p[i] - l[i],
            bnre_prior_log_density(bnre_estimator_prior(est), theta + i * DIM),
            1e-12);
    assert_true(p[2] == -HUGE_VAL);
    bnre_estimator_close(est);

    assert_ok(some_estimator_create(EST_SAMPLES, &est));
    assert_fails(bnre_estimator_log_posterior(est, NULL, 1, theta, x, p),
                 BNRE_EINVAL, "draws only");
    bnre_estimator_close(est);
    assert_ok(some_estimator_create(EST_CLASSIFIER, &est));
    assert_null(bnre_estimator_prior(est));
    assert_fails(bnre_estimator_log_posterior(est, NULL, 1, theta, x, p),
                 BNRE_EINVAL, "classifier ... posterior");
    bnre_estimator_close(est);
}

/* ---- what cannot be evaluated ---- */

static void values_that_are_none_are_refused(void **state)
{
    bnre_estimator *est = NULL;
    bnre_density density;
    double theta[2 * DIM] = {1, 1, 1, NAN}, out[2];
    double x[6] = {1, 2, 3, 1, 2, 3}, wave[16];
    void *session = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_ENSEMBLE, &est));
    assert_fails(bnre_estimator_log_ratio(est, NULL, 2, theta, x, out),
                 BNRE_ENUM, "row 1: shift is ");
    theta[3] = 1;
    x[4] = INFINITY;
    assert_fails(bnre_estimator_log_ratio(est, NULL, 2, theta, x, out),
                 BNRE_ENUM, "row 1: x[1] ... inf, not ... finite number");
    x[4] = 1;
    for (size_t i = 0; i < est->info.weights; i++)
        est->member[1].weights[BNRE__LAST][i] = NAN;
    assert_fails(bnre_estimator_log_ratio(est, NULL, 2, theta, x, out),
                 BNRE_ENUM, "row 0: ... network");
    bnre_estimator_close(est);

    assert_ok(some_estimator_create(EST_IMAGES, &est));
    density = bnre_estimator_density(est, 0);
    assert_ok(density.open(density.context, &session));
    some_x(est, 0, wave);
    wave[7] = 0;
    assert_fails(density.observe(session, wave), BNRE_ENUM,
                 "x[7] ... 0 ... logarithm");
    density.close(session);
    bnre_estimator_close(est);
}

static void temper_is_between_0_and_1(void **state)
{
    const double wrong[] = {0, -1, 1.01, NAN, INFINITY};
    bnre_estimator *est = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    for (size_t i = 0; i < 5; i++)
        assert_fails(bnre_estimator_set_temper(est, wrong[i]), BNRE_EUSAGE,
                     "above 0 ... 1");
    assert_true(bnre_estimator_describe(est)->temper == 1);
    bnre_estimator_close(est);
}

static bnre_status evaluate(void *arg)
{
    const bnre_estimator *est = arg;
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    double theta[DIM] = {1, 1}, out, gradient[DIM];
    double x[3] = {5, 5, 1};
    bnre_status status = BNRE_OK;
    void *session = NULL;

    BNRE_TRY(density.open(density.context, &session));
    BNRE_TRY(density.observe(session, x));
    BNRE_TRY(density.log_ratio(session, 1, theta, &out, gradient));
    BNRE_TRY(bnre_estimator_log_ratio(est, NULL, 1, theta, x, &out));
done:
    if (session != NULL)
        density.close(session);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_estimator *est = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_ENSEMBLE, &est));
    assert_survives_lack_of_memory(evaluate, est);
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ensembles_match_the_reference),
        cmocka_unit_test(extreme_logits_stay_finite),
        cmocka_unit_test(infinite_and_missing_logits_show),
        cmocka_unit_test(densities_match_a_plain_computation),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(pairs_match_a_plain_computation),
        cmocka_unit_test(posteriors_add_the_prior),
        cmocka_unit_test(values_that_are_none_are_refused),
        cmocka_unit_test(temper_is_between_0_and_1),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
