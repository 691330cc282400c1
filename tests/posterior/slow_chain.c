/* Markov chains where it takes longer: many dimensions, many seeds. */
#include <math.h>

#include "bnre/posterior.h"
#include "densities.h"
#include "support.h"

/* Enough dimensions for moves along the gradient. Errors of 36 means and 36
   variances, each beyond 4.5 of them once in 150,000. */
static void many_dimensions_with_gradients(void **state)
{
    enum { DIM = 36 };
    bnre_prior *prior = prior_of(DIM, "normal(0, 1)");
    normal_mixture target = {.count = 1,
                             .weight = {1},
                             .sd = {0.2},
                             .rho = 0.9,
                             .prior = prior,
                             .prior_variance = 1};
    log_ratio_function function = {prior, normal_mixture_ratio, &target, 1};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;
    const bnre_chain_report *report;
    static double mean[DIM], covariance[DIM * DIM];
    bnre_evidence evidence;

    (void)state;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    report = bnre_posterior_report(posterior);
    assert_true(report->converged);
    assert_true(report->local > 0.6);
    bnre_posterior_moments(posterior, mean, covariance);
    for (size_t i = 0; i < DIM; i++) {
        const double n = report->parameter[i].bulk * (double)opts.draws /
                         (double)(report->chains * report->steps);

        assert_true(fabs(mean[i]) < 4.5 * 0.2 / sqrt(n));
        assert_true(fabs(covariance[i * DIM + i] / 0.04 - 1) <
                    4.5 * sqrt(2 / n));
    }
    evidence = bnre_posterior_evidence(posterior);
    assert_true(fabs(evidence.log_z) < 4.5 * evidence.error);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* What chains say of their own errors, against what the errors are: over 60
   seeds the mean square of error / claimed error is 1 within 5 x sqrt(2/60),
   for the mean of a parameter with two modes, which takes jumps between them,
   and for the evidence. The mean may claim less than it has: draws are thinned.
 */
static void claimed_errors_are_true(void **state)
{
    enum { SEEDS = 60 };
    bnre_prior *prior = prior_of(5, "uniform(-3, 3)");
    normal_mixture target = {
        2,          {0.4, 0.6}, {{-1, 1, -1, 1, -1}, {1, -1, 1, -1, 1}},
        {0.2, 0.2}, 0,          prior,
        0};
    log_ratio_function function = {prior, normal_mixture_ratio, &target, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    double of_mean = 0, of_evidence = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bnre_posterior_opts opts = bnre_posterior_opts_default();
        bnre_posterior *posterior = NULL;
        const bnre_chain_report *report;
        bnre_evidence evidence;
        double mean[5], n;

        opts.sampler = BNRE_SAMPLER_CHAIN;
        opts.seed = seed;
        opts.bank = 8192;
        opts.walkers = 512;
        opts.chains = 64;
        opts.draws = 6400;
        assert_ok(bnre_posterior_compute(session, &opts, &posterior));
        report = bnre_posterior_report(posterior);
        assert_true(report->converged);
        n = report->parameter[0].bulk * (double)opts.draws /
            (double)(report->chains * report->steps);
        bnre_posterior_moments(posterior, mean, NULL);
        of_mean += pow(mean[0] - 0.2, 2) * n / SEEDS; /* variance 1 */
        evidence = bnre_posterior_evidence(posterior);
        of_evidence += pow(evidence.log_z / evidence.error, 2) / SEEDS;
        bnre_posterior_destroy(posterior);
    }
    print_message("mean %.2f, evidence %.2f\n", of_mean, of_evidence);
    assert_true(of_mean < 1 + 5 * sqrt(2.0 / SEEDS));
    assert_true(of_evidence < 1 + 5 * sqrt(2.0 / SEEDS));
    assert_true(of_mean > 0.2 && of_evidence > 0.2);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_dimensions_with_gradients),
        cmocka_unit_test(claimed_errors_are_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
