/* threads: batches are shared out to a pool. */
#include <math.h>
#include <string.h>

#include "bnre/density.h"
#include "densities.h"
#include "gaussian_exact.h"
#include "pairs.h"
#include "posterior/posterior.h"
#include "support.h"

/* More observations than a session keeps open at a time. */
static void observations_add_up_and_temper_scales(void **state)
{
    enum { K = 40 };
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    const double theta[] = {0.3, -1.2, 2, 0.1};
    double x[K * 2];
    double expected[2] = {0}, slope[4] = {0}, out[2], gradient[4];
    bnre_session *session;

    (void)state;
    for (size_t i = 0; i < K * 2; i++)
        x[i] = (double)sin((double)i);
    session = session_for(&density, K, x);
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < 2; i++) {
            double exact[2] = {(double)x[2 * k], (double)x[2 * k + 1]};

            expected[i] += gaussian_log_ratio(2, theta + 2 * i, exact);
            slope[2 * i] += exact[0] - theta[2 * i];
            slope[2 * i + 1] += exact[1] - theta[2 * i + 1];
        }
    for (int again = 0; again < 2; again++) {
        assert_ok(bnre_session_temper(session, 1));
        assert_ok(bnre_session_log_ratio(session, 2, theta, out, NULL));
        for (size_t i = 0; i < 2; i++)
            assert_close(out[i], expected[i], 1e-12);
        assert_ok(bnre_session_temper(session, 0.25));
        assert_ok(bnre_session_log_ratio(session, 2, theta, out, gradient));
        for (size_t i = 0; i < 2; i++)
            assert_close(out[i], 0.25 * expected[i], 1e-12);
        for (size_t i = 0; i < 4; i++)
            assert_close(gradient[i], 0.25 * slope[i], 1e-12);
    }
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* Sums of normalised densities never fall below log(floor) each, and their
   gradients are those of what is summed; one observation is left as it is. */
static void sums_have_a_floor(void **state)
{
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    const double x[] = {0.4, -1, 30};
    const double theta[] = {-2.5, 0.1, 1, 14}, h = 1e-5;
    double out[4], gradient[4], one[4], up[4], down[4], moved[4];
    bnre_session *session;

    (void)state;
    density.floor = 0.01;
    session = session_for(&density, 3, x);
    assert_ok(bnre_session_log_ratio(session, 4, theta, out, gradient));
    for (size_t i = 0; i < 4; i++) {
        double expected = 0;

        for (size_t k = 0; k < 3; k++)
            expected +=
                log(0.99 * exp(gaussian_log_ratio(1, &theta[i], &x[k])) + 0.01);
        assert_close(out[i], expected, 1e-12);
        assert_true(out[i] >= 2 * log(0.01) - 1);
    }
    for (size_t i = 0; i < 4; i++)
        moved[i] = theta[i] + h;
    assert_ok(bnre_session_log_ratio(session, 4, moved, up, NULL));
    for (size_t i = 0; i < 4; i++)
        moved[i] = theta[i] - h;
    assert_ok(bnre_session_log_ratio(session, 4, moved, down, NULL));
    for (size_t i = 0; i < 4; i++)
        assert_close(gradient[i], (up[i] - down[i]) / (2 * h), 1e-6);
    assert_ok(bnre_session_observe(session, 1, x));
    assert_ok(bnre_session_log_ratio(session, 4, theta, one, NULL));
    for (size_t i = 0; i < 4; i++)
        assert_close(one[i], gaussian_log_ratio(1, &theta[i], x), 1e-12);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* One evaluation for the whole and its members; more rows than a chunk. */
static void members_add_up_likewise(void **state)
{
    enum { N = 150, K = 3 };
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    const normal_guess guess[] = {{prior, 0.5, 0}, {prior, 0.7, 0.1}};
    bnre_density density = normal_guess_ensemble(guess);
    const double x[2 * K] = {0.5f, 1, -0.25f, 0, 2, -1};
    double theta[2 * N], out[N], each[2 * N], plain[N];
    bnre_session *session, *alone;
    bnre_pool *pool = NULL;

    (void)state;
    for (size_t i = 0; i < 2 * N; i++)
        theta[i] = sin((double)i);
    assert_ok(bnre_pool_create(2, &pool));
    assert_ok(bnre_session_open(&density, pool, &session));
    assert_fails(bnre__session_log_ratio_each(session, N, theta, out, each),
                 BNRE_EINVAL, "nothing was observed");
    assert_ok(bnre_session_observe(session, K, x));
    assert_ok(bnre_session_temper(session, 0.5));
    assert_ok(bnre__session_log_ratio_each(session, N, theta, out, each));
    assert_ok(bnre_session_log_ratio(session, N, theta, plain, NULL));
    assert_memory_equal(out, plain, sizeof out);
    for (size_t m = 0; m < 2; m++) {
        const bnre_density one = normal_guess_density(&guess[m]);

        alone = session_for(&one, K, x);
        assert_ok(bnre_session_temper(alone, 0.5));
        assert_ok(bnre_session_log_ratio(alone, N, theta, plain, NULL));
        assert_memory_equal(each + m * N, plain, sizeof plain);
        assert_fails(bnre__session_log_ratio_each(alone, N, theta, out, each),
                     BNRE_EINVAL, "no members");
        /* Roughly, it is the second; which has nothing rougher than itself. */
        assert_ok(bnre__session_rough(m == 0 ? session : alone, N, theta, out));
        assert_memory_equal(each + N, out, sizeof out);
        bnre_session_close(alone);
    }
    bnre_session_close(session);
    bnre_pool_destroy(pool);
    bnre_prior_destroy(prior);
}

/* A density may say no to threads by having no sessions; many observations
   then take turns in its one context. */
static void a_density_without_sessions_observes_in_turns(void **state)
{
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    const double theta[] = {0.7}, x0 = 1, x1 = -3;
    const double x[] = {1, -3};
    bnre_pool *pool = NULL;
    bnre_session *session = NULL;
    void *context = NULL;
    double out;

    (void)state;
    assert_ok(density.open(density.context, &context));
    density.context = context;
    density.open = NULL;
    density.close = NULL;
    assert_ok(bnre_pool_create(2, &pool));
    assert_ok(bnre_session_open(&density, pool, &session));
    assert_ok(bnre_session_observe(session, 2, x));
    assert_ok(bnre_session_log_ratio(session, 1, theta, &out, NULL));
    assert_close(out,
                 gaussian_log_ratio(1, theta, &x0) +
                     gaussian_log_ratio(1, theta, &x1),
                 1e-12);
    bnre_session_close(session);
    bnre_pool_destroy(pool);
    bnre__free(context);
    bnre_prior_destroy(prior);
}

/* A density whose last bits depend on the size of the batch, as those of a
   network may. */
static bnre_status batch_ratio(void *session, size_t n, const double *theta,
                               double *out, double *gradient)
{
    (void)session;
    (void)gradient;
    for (size_t i = 0; i < n; i++)
        out[i] = theta[i] + (double)n;
    return BNRE_OK;
}

static void threads_do_not_change_results(void **state)
{
    enum { N = 10000 };
    static double theta[N], out[3][N];
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    const double x = 0;

    (void)state;
    density.log_ratio = batch_ratio;
    for (size_t i = 0; i < N; i++)
        theta[i] = cos((double)i);
    for (size_t threads = 1; threads <= 3; threads++) {
        bnre_pool *pool = NULL;
        bnre_session *session = NULL;

        assert_ok(bnre_pool_create(threads, &pool));
        assert_ok(bnre_session_open(&density, pool, &session));
        assert_ok(bnre_session_observe(session, 1, &x));
        assert_ok(
            bnre_session_log_ratio(session, N, theta, out[threads - 1], NULL));
        bnre_session_close(session);
        bnre_pool_destroy(pool);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_memory_equal(out[0], out[2], sizeof out[0]);
    bnre_prior_destroy(prior);
}

static double bad(const void *context, size_t dim, const double *theta,
                  double *gradient)
{
    (void)dim;
    if (gradient != NULL)
        gradient[0] = gradient[1] = NAN;
    return theta[0] > 0 ? *(const double *)context : 0;
}

static void what_is_no_number_is_refused_with_its_theta(void **state)
{
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    double value = NAN, theta[] = {-1, 0.5, 0.25, -3}, out[2], gradient[4];
    log_ratio_function function = {prior, bad, &value, 1};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);

    (void)state;
    assert_fails(bnre_session_log_ratio(session, 2, theta, out, NULL),
                 BNRE_ENUM, "NaN at a = 0.25, b = -3");
    value = HUGE_VAL;
    assert_fails(bnre_session_log_ratio(session, 2, theta, out, NULL),
                 BNRE_ENUM, "infinite at a = 0.25");
    value = -HUGE_VAL;
    assert_ok(bnre_session_log_ratio(session, 2, theta, out, NULL));
    assert_true(out[1] == -HUGE_VAL);
    assert_ok(bnre_session_log_ratio(session, 1, theta + 2, out, gradient));
    value = 1;
    assert_fails(bnre_session_log_ratio(session, 1, theta + 2, out, gradient),
                 BNRE_ENUM, "gradient ... log ratio ... NaN ... = 0.25");
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

static void wrong_calls_are_refused(void **state)
{
    bnre_prior *prior = prior_of(2, "normal(0, 1)"), *none = NULL;
    bnre_density density = gaussian_density(prior), empty;
    const double x[] = {1, 2, 3, NAN};
    const double theta[] = {0, 0};
    bnre_session *session = NULL;
    double out;

    (void)state;
    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_fails(bnre_session_log_ratio(session, 1, theta, &out, NULL),
                 BNRE_EINVAL, "nothing was observed");
    assert_fails(bnre_session_observe(session, 0, x), BNRE_EINVAL,
                 "no observation");
    assert_fails(bnre_session_observe(session, 2, x), BNRE_ENUM,
                 "observation 1: value 1 of 2 ... NaN");
    assert_fails(bnre_session_temper(session, 0), BNRE_EUSAGE, "temper 0");
    assert_fails(bnre_session_temper(session, 1.5), BNRE_EUSAGE, "up to 1");
    assert_fails(bnre_session_temper(session, NAN), BNRE_EUSAGE, "temper");
    bnre_session_close(session);
    bnre_session_close(NULL);
    assert_ok(bnre_prior_create(0, NULL, NULL, &none));
    empty = density;
    empty.prior = none;
    assert_fails(bnre_session_open(&empty, NULL, &session), BNRE_EINVAL,
                 "prior ... none");
    bnre_prior_destroy(none);
    bnre_prior_destroy(prior);
}

static bnre_status use(void *arg)
{
    const bnre_density *density = arg;
    const double x[] = {1, 2, 3, 4};
    const double theta[] = {0, 0};
    double out, gradient[2];
    bnre_status status = BNRE_OK;
    bnre_session *session = NULL;

    BNRE_TRY(bnre_session_open(density, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 2, x));
    BNRE_TRY(bnre_session_log_ratio(session, 1, theta, &out, gradient));
done:
    bnre_session_close(session);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);

    (void)state;
    assert_survives_lack_of_memory(use, &density);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observations_add_up_and_temper_scales),
        cmocka_unit_test(sums_have_a_floor),
        cmocka_unit_test(members_add_up_likewise),
        cmocka_unit_test(a_density_without_sessions_observes_in_turns),
        cmocka_unit_test(threads_do_not_change_results),
        cmocka_unit_test(what_is_no_number_is_refused_with_its_theta),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
