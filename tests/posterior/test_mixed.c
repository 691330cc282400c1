/* Posteriors of whole numbers, alone and beside a number: probabilities,
   regions, quantiles and draws against closed forms. Shares of draws are looked
   at to five standard errors: 16 of them, a false alarm in about 1 of 100,000
   seeds. */
#include <math.h>

#include "bnre/posterior.h"
#include "densities.h"
#include "mixed_exact.h"
#include "num/special.h"
#include "support.h"

enum { MOST = 1024 };

static bnre_posterior *compute(const bnre_density *density, const double *x,
                               bnre_sampler method)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_session *session = session_for(density, 1, x);
    bnre_posterior *posterior = NULL;

    opts.sampler = method;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    bnre_session_close(session);
    return posterior;
}

/* A kind and a shift: sums over kinds, integrals over shifts. */
static void kinds_and_shifts_have_their_closed_form(void **state)
{
    static const double xs[][2] = {{0.4, 0.3}, {-1, 0.5}, {3, -1}};
    static const bnre_sampler methods[] = {BNRE_SAMPLER_GRID, BNRE_SAMPLER_BANK,
                                           BNRE_SAMPLER_DRAWS};
    mixed_posterior of = {mixed_prior(), 1};
    const bnre_density density = mixed_density(&of);

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t m = 0; m < 3; m++) {
            bnre_posterior *posterior = compute(&density, xs[i], methods[m]);
            const double many = m == 0 ? 1e12
                                : m == 1
                                    ? bnre_posterior_evidence(posterior).ess
                                    : 10000;
            double p[3], value[MOST], found[MOST], mean[2], covariance[4];
            double expected = 0, square = 0;

            mixed_kinds(xs[i], p);
            assert_int_equal(
                bnre_posterior_values(posterior, 0, MOST, value, found), 3);
            assert_int_equal(bnre_posterior_values(posterior, 1, 0, NULL, NULL),
                             0);
            for (size_t k = 0; k < 3; k++) {
                double at, variance;

                mixed_shift(xs[i], k, &at, &variance);
                expected += p[k] * at;
                square += p[k] * (at * at + variance);
                assert_true(value[k] == (double)k);
                assert_close(found[k], p[k],
                             1e-5 + 5 * sqrt(p[k] * (1 - p[k]) / many));
            }
            bnre_posterior_moments(posterior, mean, covariance);
            assert_close(mean[1], expected,
                         1e-5 +
                             5 * sqrt((square - expected * expected) / many));
            assert_close(bnre_posterior_evidence(posterior).log_z, 0,
                         m == 1 ? 0.1 : 1e-5);
            bnre_posterior_destroy(posterior);
        }
    bnre_prior_destroy(of.prior);
}

/* n ~ poisson(7), of which each is seen with probability 1/2: given that k were
   seen, n - k ~ poisson(3.5). */
static double seen_log_ratio(const void *context, size_t dim,
                             const double *theta, double *gradient)
{
    const double k = *(const double *)context, n = theta[0];

    (void)dim;
    (void)gradient;
    if (n < k)
        return -INFINITY;
    return bnre__log_gamma(n + 1) - bnre__log_gamma(k + 1) -
           bnre__log_gamma(n - k + 1) - n * log(2) + 3.5 - k * log(3.5) +
           bnre__log_gamma(k + 1);
}

static void counts_of_which_half_are_seen(void **state)
{
    const char *const name = "n", *const text = "poisson(7)";
    const double k = 4, p[] = {0.1, 0.5, 0.9};
    const double level[] = {0.5, 0.95};
    log_ratio_function function = {NULL, seen_log_ratio, &k, 0};
    double value[MOST], found[MOST], q[3], draws[4000], sum = 0;
    bnre_density density;
    bnre_posterior *posterior;
    bnre_prior *prior;
    bnre_region region[2];
    size_t n, parts = 1;
    double low, high;

    (void)state;
    assert_ok(bnre_prior_create(1, &name, &text, &prior));
    function.prior = prior;
    density = function_density(&function);
    posterior = compute(&density, NULL, BNRE_SAMPLER_AUTO);
    assert_close(bnre_posterior_evidence(posterior).log_z, 0, 1e-8);
    n = bnre_posterior_values(posterior, 0, MOST, value, found);
    for (size_t i = 0; i < n; i++) {
        const double rest = value[i] - k;
        const double exact =
            rest < 0 ? 0
                     : exp(-3.5 + rest * log(3.5) - bnre__log_gamma(rest + 1));

        assert_close(found[i], exact, 1e-8);
        sum += found[i];
    }
    assert_close(sum, 1, 1e-12);
    /* Quantiles are values: 1, 3, 6 of poisson(3.5). */
    assert_ok(bnre_posterior_quantiles(posterior, 0, 3, p, q));
    assert_true(q[0] == k + 1 && q[1] == k + 3 && q[2] == k + 6);
    /* The likeliest: 3, 2, 4 have 0.2158 + 0.1850 + 0.1888 = 0.59. */
    assert_ok(bnre_posterior_regions(posterior, 2, level, region));
    assert_int_equal(region[0].count, 3);
    assert_close(region[0].volume, 3, 1e-9);
    assert_close(region[0].content, 0.5895, 1e-4);
    assert_true(region[1].content >= 0.95 && region[1].content < 0.99);
    assert_ok(
        bnre_posterior_intervals(posterior, &region[0], &parts, &low, &high));
    assert_true(parts == 1 && low == k + 2 && high == k + 4);
    assert_ok(bnre_posterior_sample(posterior, 4000, 3, draws));
    sum = 0;
    for (size_t i = 0; i < 4000; i++) {
        assert_true(draws[i] == floor(draws[i]) && draws[i] >= k);
        sum += draws[i] / 4000;
    }
    assert_close(sum, k + 3.5, 5 * sqrt(3.5 / 4000));
    bnre_posterior_destroy(posterior);
    bnre_prior_destroy(prior);
}

static void chains_are_refused_and_a_bank_takes_their_place(void **state)
{
    const char *const name[] = {"k", "a", "b", "c", "d"};
    const char *const text[] = {"integer(1, 4)", "normal(0, 1)", "normal(0, 1)",
                                "normal(0, 1)", "normal(0, 1)"};
    const double k = 0;
    log_ratio_function function = {NULL, NULL, &k, 0};
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;
    bnre_session *session;
    bnre_density density;
    bnre_prior *prior;

    (void)state;
    assert_ok(bnre_prior_create(5, name, text, &prior));
    function.prior = prior;
    function.value = seen_log_ratio;
    density = function_density(&function);
    session = session_for(&density, 1, NULL);
    opts.sampler = BNRE_SAMPLER_CHAIN;
    assert_fails(bnre_posterior_compute(session, &opts, &posterior),
                 BNRE_EUSAGE, "integer");
    opts.sampler = BNRE_SAMPLER_AUTO;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    assert_int_equal(bnre_posterior_points(posterior)->kind, BNRE_POINTS_BANK);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_shifts_have_their_closed_form),
        cmocka_unit_test(counts_of_which_half_are_seen),
        cmocka_unit_test(chains_are_refused_and_a_bank_takes_their_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
