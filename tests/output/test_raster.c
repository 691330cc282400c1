#include <math.h>

#include "densities.h"
#include "gaussian_exact.h"
#include "output/raster.h"
#include "support.h"

enum { N = 100 };

static double total(size_t n, const double *density, double piece)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += density[k] * piece;
    return sum;
}

static bnre_posterior *posterior_of(bnre_session *session, bnre_sampler method)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;

    opts.sampler = method;
    opts.bank = 100000;
    opts.walkers = 512;
    opts.draws = 20000;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    return posterior;
}

/* A correlated Gaussian: lines and planes from a grid are exact up to
   interpolation, those from draws within what smoothing some 20,000 draws
   costs. */
static void densities_are_those_of_the_posterior(void **state)
{
    static const bnre_sampler method[] = {BNRE_SAMPLER_GRID, BNRE_SAMPLER_BANK,
                                          BNRE_SAMPLER_CHAIN};
    static double line[N], plane[N * N];
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    normal_mixture target = {1, {1}, {{0.5, -0.3}}, {0.6}, 0.7, prior, 1};
    log_ratio_function function = {prior, normal_mixture_ratio, &target, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);

    (void)state;
    for (size_t m = 0; m < 3; m++) {
        bnre_posterior *posterior = posterior_of(session, method[m]);
        const double close = m == 0 ? 5e-3 : 0.06;
        bnre__raster x, y;
        double width, height;

        assert_ok(bnre__raster_init(&x, posterior, 0, N));
        assert_ok(bnre__raster_init(&y, posterior, 1, N));
        assert_true(x.low < 0.5 - 3.2 * 0.6 && x.low > 0.5 - 5.5 * 0.6);
        assert_true(x.high > 0.5 + 3.2 * 0.6 && x.high < 0.5 + 5.5 * 0.6);
        width = (x.high - x.low) / N;
        height = (y.high - y.low) / N;
        assert_ok(bnre__raster_line(posterior, &x, line));
        assert_close(total(N, line, width), 1, 0.01);
        for (size_t k = 0; k < N; k++) {
            const double at = bnre__raster_middle(&x, k);

            assert_close(
                line[k],
                exp(log_normal_density(1, &at, &target.mean[0][0], 0.36)),
                close);
        }
        assert_ok(bnre__raster_plane(posterior, &x, &y, plane));
        assert_close(total(N * N, plane, width * height), 1, 0.01);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                const double theta[] = {bnre__raster_middle(&x, j),
                                        bnre__raster_middle(&y, i)};
                const double exact =
                    exp(normal_mixture_ratio(&target, 2, theta, NULL) +
                        bnre_prior_log_density(prior, theta));

                assert_close(plane[i * N + j], exact, 2 * close);
            }
        bnre_posterior_destroy(posterior);
    }
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

static double flat(const void *context, size_t dim, const double *theta,
                   double *gradient)
{
    (void)context;
    (void)dim;
    (void)theta;
    (void)gradient;
    return 0;
}

/* The outermost cells of a grid reach to infinity: a density falls within
   them. */
static void tails_fall(void **state)
{
    static double line[N], plane[N * N];
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    log_ratio_function function = {prior, flat, NULL, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    bnre_posterior *posterior = posterior_of(session, BNRE_SAMPLER_GRID);
    const double zero = 0;
    bnre__raster x, y;

    (void)state;
    assert_ok(bnre__raster_init(&x, posterior, 0, N));
    assert_ok(bnre__raster_init(&y, posterior, 1, N));
    x.high = y.high = 5;
    assert_ok(bnre__raster_line(posterior, &x, line));
    assert_ok(bnre__raster_plane(posterior, &x, &y, plane));
    for (size_t k = 0; k < N; k++) {
        const double at = bnre__raster_middle(&x, k);
        const double exact = exp(log_normal_density(1, &at, &zero, 1));

        assert_close(line[k] / exact, 1, 0.02);
        for (size_t i = 0; i < N; i++) {
            const double up = bnre__raster_middle(&y, i);

            assert_close(plane[i * N + k] / exact /
                             exp(log_normal_density(1, &up, &zero, 1)),
                         1, 0.04);
        }
    }
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* A flat density ends with the support, and smoothing does not bend it. */
static void bounds_are_kept(void **state)
{
    static const bnre_sampler method[] = {BNRE_SAMPLER_GRID, BNRE_SAMPLER_BANK};
    static double line[N], plane[N * N];
    bnre_prior *prior = prior_of(2, "uniform(2, 4)");
    log_ratio_function function = {prior, flat, NULL, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);

    (void)state;
    for (size_t m = 0; m < 2; m++) {
        bnre_posterior *posterior = posterior_of(session, method[m]);
        bnre__raster x, y;

        assert_ok(bnre__raster_init(&x, posterior, 0, N));
        assert_ok(bnre__raster_init(&y, posterior, 1, N));
        assert_close(x.low, 2, 0);
        assert_close(x.high, 4, 0);
        assert_ok(bnre__raster_line(posterior, &x, line));
        assert_ok(bnre__raster_plane(posterior, &x, &y, plane));
        for (size_t k = 0; k < N; k++)
            assert_close(line[k], 0.5, m == 0 ? 1e-9 : 0.05);
        for (size_t k = 0; k < N * N; k++)
            assert_close(plane[k], 0.25, m == 0 ? 1e-9 : 0.12);
        bnre_posterior_destroy(posterior);
    }
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

static void thresholds_enclose_their_shares(void **state)
{
    const double density[] = {1, 4, 2, 0, 3};
    const double level[] = {0.95, 0.7, 0.4, 0.35};
    double threshold[4];

    (void)state;
    assert_ok(bnre__raster_thresholds(5, density, 4, level, threshold));
    assert_close(threshold[0], 1, 0);
    assert_close(threshold[1], 3, 0); /* 4 + 3 of 10 */
    assert_close(threshold[2], 4, 0);
    assert_close(threshold[3], 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_are_those_of_the_posterior),
        cmocka_unit_test(tails_fall),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(thresholds_enclose_their_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
