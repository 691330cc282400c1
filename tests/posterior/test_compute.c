#include <math.h>
#include <string.h>

#include "bnre/posterior.h"
#include "densities.h"
#include "num/dist.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "support.h"

/* A thousand times narrower than the prior, and off its middle: far below the
   cells of a grid over all of it. */
static void grids_find_narrow_posteriors(void **state)
{
    (void)state;
    for (size_t dim = 1; dim <= 3; dim++)
        for (int bounded = 0; bounded < 2; bounded++) {
            bnre_prior *prior =
                prior_of(dim, bounded ? "uniform(-10, 10)" : "normal(0, 10)");
            normal_mixture target = {.count = 1,
                                     .weight = {1},
                                     .mean = {{7.123, -0.321, 3.3}},
                                     .sd = {0.01},
                                     .rho = 0.5,
                                     .prior = prior,
                                     .prior_variance = bounded ? 0 : 100};
            log_ratio_function function = {prior, normal_mixture_ratio, &target,
                                           0};
            bnre_density density = function_density(&function);
            bnre_session *session = session_for(&density, 1, NULL);
            bnre_posterior_opts opts = bnre_posterior_opts_default();
            bnre_posterior *posterior = NULL;
            const double p[] = {0.025, 0.975};
            double mean[3], covariance[9], quantile[2];

            assert_ok(bnre_posterior_compute(session, &opts, &posterior));
            assert_close(bnre_posterior_evidence(posterior).log_z, 0, 1e-6);
            bnre_posterior_moments(posterior, mean, covariance);
            for (size_t i = 0; i < dim; i++) {
                assert_close(mean[i] / target.mean[0][i], 1, 1e-8);
                assert_close(covariance[i * dim + i] / 1e-4, 1, 1e-4);
                assert_ok(
                    bnre_posterior_quantiles(posterior, i, 2, p, quantile));
                for (size_t q = 0; q < 2; q++)
                    assert_close((quantile[q] - target.mean[0][i]) / 0.01,
                                 bnre__normal_quantile(p[q]), 2e-2);
            }
            if (dim > 1)
                assert_close(covariance[1] / 1e-4, 0.5, 1e-4);
            bnre_posterior_destroy(posterior);
            bnre_session_close(session);
            bnre_prior_destroy(prior);
        }
}

static void grids_of_a_given_size_stay(void **state)
{
    const double x[] = {1, 1};
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_prior *box = prior_of(2, "uniform(-4, 4)");
    bnre_density density = gaussian_density(prior);
    bnre_session *session = session_for(&density, 1, x);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;
    const bnre_points *points;

    (void)state;
    opts.sampler = BNRE_SAMPLER_GRID;
    opts.grid = 30;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    points = bnre_posterior_points(posterior);
    assert_int_equal(points->n, 900);
    assert_close(points->low[0], 0, 0);
    assert_close(points->high[1], 1, 0);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    density.prior = box;
    session = session_for(&density, 1, x);
    opts.sampler = BNRE_SAMPLER_PAPER;
    opts.grid = 0;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    points = bnre_posterior_points(posterior);
    assert_int_equal(points->n, 8100);
    assert_int_equal(points->kind, BNRE_POINTS_PAPER);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(box);
    bnre_prior_destroy(prior);
}

/* Draws from each kind of points follow the exact marginals; the worst of 8
   Kolmogorov-Smirnov tests is below 1e-5 once in 10^4 runs. Draws of a bank
   repeat points, which costs some power, not truth: the bank is large. */
static void samples_follow_the_posterior(void **state)
{
    enum { N = 2000 };
    static double theta[N * 2], u[N];
    const bnre_sampler method[] = {BNRE_SAMPLER_GRID, BNRE_SAMPLER_BANK,
                                   BNRE_SAMPLER_CHAIN, BNRE_SAMPLER_AUTO};
    const double x[] = {1.5f, -0.5f};
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    bnre_session *session = session_for(&density, 1, x);

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        bnre_posterior_opts opts = bnre_posterior_opts_default();
        bnre_posterior *posterior = NULL;

        opts.sampler = method[m];
        opts.draws = 20000;
        assert_ok(bnre_posterior_compute(session, &opts, &posterior));
        assert_ok(bnre_posterior_sample(posterior, N, 5, theta));
        for (size_t i = 0; i < 2; i++) {
            for (size_t k = 0; k < N; k++)
                u[k] = bnre__normal_cdf((theta[2 * k + i] - (double)x[i] / 2) *
                                        sqrt(2));
            assert_true(ks_uniform_pvalue(N, u) > 1e-5);
        }
        bnre_posterior_destroy(posterior);
    }
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* The same seed gives the same draws, another one others; of chains all points
   in order when their number is asked for. */
static void samples_depend_on_the_seed_alone(void **state)
{
    enum { N = 500 };
    double a[N], b[N], c[N];
    const double x = 1;
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    bnre_session *session = session_for(&density, 1, &x);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;

    (void)state;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    assert_ok(bnre_posterior_sample(posterior, N, 1, a));
    assert_ok(bnre_posterior_sample(posterior, N, 1, b));
    assert_ok(bnre_posterior_sample(posterior, N, 2, c));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    bnre_posterior_destroy(posterior);
    opts.sampler = BNRE_SAMPLER_CHAIN;
    opts.draws = N;
    opts.bank = 1024;
    opts.walkers = 256;
    opts.chains = 32;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    assert_ok(bnre_posterior_sample(posterior, N, 1, a));
    assert_memory_equal(a, bnre_posterior_points(posterior)->theta, sizeof a);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

static void samples_keep_to_constraints(void **state)
{
    enum { N = 2000 };
    static double theta[N * 2], zeros[400];
    const char *order = "a >= b";
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;

    (void)state;
    assert_ok(bnre_prior_constrain(prior, 1, &order));
    assert_ok(bnre__points_grid(prior, 20, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_weigh(posterior, zeros, 1));
    assert_ok(bnre_posterior_sample(posterior, N, 5, theta));
    for (size_t k = 0; k < N; k++)
        assert_true(theta[2 * k] >= theta[2 * k + 1]);
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

/* A constraint that cuts the box of a narrow posterior in half: the masses of
   the smaller grid are still those of the prior. */
static void evidence_survives_constraints_and_zooming(void **state)
{
    const char *order = "a >= b";
    bnre_prior *prior = prior_of(2, "uniform(-10, 10)");
    bnre_prior *free = prior_of(2, "uniform(-10, 10)");
    normal_mixture target = {.count = 1,
                             .weight = {1},
                             .mean = {{1, 1}},
                             .sd = {0.05},
                             .prior = free};
    log_ratio_function function = {prior, normal_mixture_ratio, &target, 0};
    bnre_density density = function_density(&function);
    bnre_session *session;
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;
    double mean[2];

    (void)state;
    assert_ok(bnre_prior_constrain(prior, 1, &order));
    session = session_for(&density, 1, NULL);
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    /* E over the half with twice the density: 2 x 1/2, but for the cells that
       the line a = b cuts, 1/256 of them at first and 1/200 at last */
    assert_close(bnre_posterior_evidence(posterior).log_z, 0, 0.01);
    bnre_posterior_moments(posterior, mean, NULL);
    assert_close(mean[0], 1 + 0.05 / sqrt(acos(-1)), 1e-3);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(free);
    bnre_prior_destroy(prior);
}

static void methods_that_do_not_fit_are_refused(void **state)
{
    bnre_prior *six = prior_of(6, "normal(0, 1)");
    bnre_prior *two = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(six);
    const double x[6] = {0};
    bnre_session *session = session_for(&density, 1, x);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *out = NULL;

    (void)state;
    opts.sampler = BNRE_SAMPLER_GRID;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EUSAGE,
                 "prior ... 6 ... samples");
    assert_null(out);
    bnre_session_close(session);
    density = gaussian_density(two);
    session = session_for(&density, 1, x);
    opts.sampler = BNRE_SAMPLER_PAPER;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EUSAGE,
                 "grid ... cells ... equal prior mass");
    bnre_session_close(session);
    bnre_prior_destroy(two);
    bnre_prior_destroy(six);
}

static int stop(void *context, size_t done, size_t found, size_t total)
{
    (void)context;
    (void)found;
    return done > 0 && done < total;
}

static void grids_can_be_interrupted(void **state)
{
    const bnre_monitor monitor = {.progress = stop};
    const double x[] = {0, 0};
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    bnre_session *session = session_for(&density, 1, x);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *out = NULL;

    (void)state;
    opts.monitor = &monitor;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EINTR,
                 "16384 of 65536");
    assert_null(out);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

static bnre_status body(void *density)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_status status = BNRE_OK;
    bnre_session *session = NULL;
    bnre_posterior *posterior = NULL;
    const double x = 0;
    double theta[3];

    BNRE_TRY(bnre_session_open(density, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 1, &x));
    BNRE_TRY(bnre_posterior_compute(session, &opts, &posterior));
    BNRE_TRY(bnre_posterior_sample(posterior, 3, 1, theta));
done:
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);

    (void)state;
    assert_survives_lack_of_memory(body, &density);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_find_narrow_posteriors),
        cmocka_unit_test(grids_of_a_given_size_stay),
        cmocka_unit_test(samples_follow_the_posterior),
        cmocka_unit_test(samples_depend_on_the_seed_alone),
        cmocka_unit_test(samples_keep_to_constraints),
        cmocka_unit_test(evidence_survives_constraints_and_zooming),
        cmocka_unit_test(methods_that_do_not_fit_are_refused),
        cmocka_unit_test(grids_can_be_interrupted),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
