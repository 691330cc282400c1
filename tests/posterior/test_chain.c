/* threads: the steps of chains are shared out to a pool.

   Monte-Carlo errors are taken from the effective sample sizes that the chains
   report; 4.5 of them are exceeded once in 150,000 comparisons. There are
   about 110 here, so one set of seeds in 1000 would fail. */
#include <math.h>
#include <string.h>

#include "bnre/posterior.h"
#include "densities.h"
#include "gaussian_exact.h"
#include "support.h"

/* Small and quick: enough for posteriors that are not extreme. */
static bnre_posterior_opts quick(uint64_t seed)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();

    opts.sampler = BNRE_SAMPLER_CHAIN;
    opts.seed = seed;
    opts.bank = 8192;
    opts.walkers = 512;
    opts.chains = 64;
    opts.draws = 6400;
    return opts;
}

static bnre_posterior *chains_of(const bnre_density *density,
                                 const bnre_posterior_opts *opts)
{
    bnre_session *session = session_for(density, 1, NULL);
    bnre_posterior *posterior = NULL;

    assert_ok(bnre_posterior_compute(session, opts, &posterior));
    bnre_session_close(session);
    return posterior;
}

static void assert_converged(const bnre_posterior *posterior)
{
    const bnre_chain_report *report = bnre_posterior_report(posterior);

    assert_non_null(report);
    if (!report->converged)
        print_error("%s\n", report->why);
    assert_true(report->converged);
    for (size_t i = 0; i < report->dim; i++)
        assert_true(report->parameter[i].rhat <= 1.01);
}

static void assert_evidence_is_one(const bnre_posterior *posterior)
{
    const bnre_evidence evidence = bnre_posterior_evidence(posterior);

    assert_true(evidence.error > 0 && evidence.error < 0.05);
    assert_true(fabs(evidence.log_z) < 4.5 * evidence.error);
    assert_true(fabs(evidence.change) < 4.5 * evidence.error);
}

/* How many independent draws the draws of parameter i are worth, at least: they
   are as good a part of all recorded ones as their number says, or better. */
static double worth(const bnre_posterior *posterior, size_t i)
{
    const bnre_chain_report *report = bnre_posterior_report(posterior);
    const size_t recorded = report->chains * report->steps;

    return report->parameter[i].bulk *
           (double)bnre_posterior_points(posterior)->n / (double)recorded;
}

/* Correlation 0.95 between neighbours: the condition number is 600. */
static void a_correlated_gaussian_in_ten_dimensions(void **state)
{
    enum { DIM = 10 };
    bnre_prior *prior = prior_of(DIM, "normal(0, 3)");
    normal_mixture target = {.count = 1,
                             .weight = {1},
                             .mean = {{1, -1, 0.5, 2, 0, 0, -2, 1, 1, 0}},
                             .sd = {0.3},
                             .rho = 0.95,
                             .prior = prior,
                             .prior_variance = 9};
    log_ratio_function function = {prior, normal_mixture_ratio, &target, 1};
    bnre_density density = function_density(&function);
    bnre_posterior_opts opts = quick(1);
    bnre_posterior *posterior;
    double mean[DIM], covariance[DIM * DIM];

    (void)state;
    posterior = chains_of(&density, &opts);
    assert_converged(posterior);
    assert_evidence_is_one(posterior);
    bnre_posterior_moments(posterior, mean, covariance);
    for (size_t i = 0; i < DIM; i++) {
        const double n = worth(posterior, i);

        assert_true(fabs(mean[i] - target.mean[0][i]) < 4.5 * 0.3 / sqrt(n));
        for (size_t j = 0; j <= i; j++)
            assert_true(fabs(covariance[i * DIM + j] / 0.09 -
                             pow(0.95, (double)(i - j))) < 4.5 * sqrt(2 / n));
    }
    /* the peak: log density there, and each parameter within 0.1 sd */
    assert_close(bnre_posterior_mode(posterior, mean),
                 normal_mixture_ratio(&target, DIM, target.mean[0], NULL) +
                     bnre_prior_log_density(prior, target.mean[0]),
                 4.5 * bnre_posterior_evidence(posterior).error + 0.02);
    for (size_t i = 0; i < DIM; i++)
        assert_close(mean[i], target.mean[0][i], 0.03);
    bnre_posterior_destroy(posterior);
    bnre_prior_destroy(prior);
}

/* The share of draws nearest to each component is its weight, and they have its
   mean and spread. */
static void assert_modes(const bnre_posterior *posterior,
                         const normal_mixture *target)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    const size_t dim = points->dim;
    const double n = worth(posterior, 0);

    for (size_t c = 0; c < target->count; c++) {
        double count = 0, mean = 0, square = 0;
        const double w = target->weight[c], sd = target->sd[c];

        for (size_t k = 0; k < points->n; k++) {
            const double *theta = points->theta + k * dim;
            double nearest = HUGE_VAL;
            size_t best = 0;

            for (size_t m = 0; m < target->count; m++) {
                double distance = 0;

                for (size_t i = 0; i < dim; i++)
                    distance +=
                        pow((theta[i] - target->mean[m][i]) / target->sd[m], 2);
                if (distance < nearest) {
                    nearest = distance;
                    best = m;
                }
            }
            if (best != c)
                continue;
            count++;
            mean += theta[0] - target->mean[c][0];
            square += pow(theta[0] - target->mean[c][0], 2);
        }
        assert_true(fabs(count / (double)points->n - w) <
                    4.5 * sqrt(w * (1 - w) / n));
        assert_true(fabs(mean / count) < 4.5 * sd / sqrt(w * n));
        assert_true(fabs(square / count / sd / sd - 1) < 4.5 * sqrt(2 / w / n));
    }
}

static void several_modes_get_their_shares(void **state)
{
    bnre_prior *flat = prior_of(2, "uniform(-4, 4)");
    bnre_prior *wide = prior_of(2, "normal(0, 2)");
    bnre_prior *five = prior_of(5, "uniform(-3, 3)");
    const normal_mixture target[] = {
        {2, {0.3, 0.7}, {{-2, -2}, {2, 1}}, {0.15, 0.4}, 0, flat, 0},
        {4,
         {0.25, 0.25, 0.25, 0.25},
         {{1, 2}, {-1, 2}, {1, -2}, {-1, -2}},
         {0.1, 0.1, 0.1, 0.1},
         0.3,
         wide,
         4},
        {2,
         {0.4, 0.6},
         {{-1, 1, -1, 1, -1}, {1, -1, 1, -1, 1}},
         {0.2, 0.2},
         0,
         five,
         0},
    };

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        log_ratio_function function = {target[t].prior, normal_mixture_ratio,
                                       &target[t], 0};
        bnre_density density = function_density(&function);
        bnre_posterior_opts opts = quick(2);
        bnre_posterior *posterior = chains_of(&density, &opts);

        assert_converged(posterior);
        assert_evidence_is_one(posterior);
        assert_modes(posterior, &target[t]);
        bnre_posterior_destroy(posterior);
    }
    bnre_prior_destroy(five);
    bnre_prior_destroy(wide);
    bnre_prior_destroy(flat);
}

/* Three observations of the task `gaussian`, tempered: precision 1 + 3 tau. */
static void all_methods_agree(void **state)
{
    const bnre_sampler method[] = {BNRE_SAMPLER_GRID, BNRE_SAMPLER_BANK,
                                   BNRE_SAMPLER_CHAIN};
    const double x[] = {1, 0.5f, -0.5f, 0.25f, 1, 1.5f, -0.25f, 0, 0.5f};
    const double tau = 0.7, variance = 1 / (1 + 3 * tau);

    (void)state;
    for (size_t dim = 1; dim <= 3; dim++) {
        bnre_prior *prior = prior_of(dim, "normal(0, 1)");
        bnre_density density = gaussian_density(prior);
        bnre_session *session = session_for(&density, 3, x);
        double log_z[3], error[3];

        assert_ok(bnre_session_temper(session, tau));
        for (size_t m = 0; m < 3; m++) {
            bnre_posterior_opts opts = quick(3);
            bnre_posterior *posterior = NULL;
            bnre_evidence evidence;
            double mean[3], covariance[9], ess;

            opts.sampler = method[m];
            opts.bank = 40000;
            assert_ok(bnre_posterior_compute(session, &opts, &posterior));
            evidence = bnre_posterior_evidence(posterior);
            log_z[m] = evidence.log_z;
            error[m] = evidence.error;
            ess = m == 0 ? 1e6 : m == 1 ? evidence.ess : worth(posterior, 0);
            bnre_posterior_moments(posterior, mean, covariance);
            for (size_t i = 0; i < dim; i++) {
                double sum = 0;

                for (size_t k = 0; k < 3; k++)
                    sum += (double)x[k * dim + i];
                assert_true(fabs(mean[i] - tau * sum * variance) <
                            4.5 * sqrt(variance / ess));
                assert_true(fabs(covariance[i * dim + i] / variance - 1) <
                            4.5 * sqrt(2 / ess));
            }
            bnre_posterior_destroy(posterior);
        }
        assert_true(fabs(log_z[1] - log_z[0]) < 4.5 * error[1]);
        assert_true(fabs(log_z[2] - log_z[0]) < 4.5 * error[2]);
        bnre_session_close(session);
        bnre_prior_destroy(prior);
    }
}

static double flat(const void *context, size_t dim, const double *theta,
                   double *gradient)
{
    if (gradient != NULL)
        memset(gradient, 0, dim * sizeof *gradient);
    return context == NULL || theta[0] > 0 ? 0 : -HUGE_VAL;
}

/* The uniform distribution on the triangle a >= b, and on a > 0. */
static void constraints_and_impossible_values_are_kept_out(void **state)
{
    const char *order = "a >= b";
    bnre_prior *half = prior_of(2, "uniform(-1, 1)");
    bnre_prior *triangle = prior_of(2, "uniform(0, 1)");

    (void)state;
    assert_ok(bnre_prior_constrain(triangle, 1, &order));
    for (int t = 0; t < 2; t++) {
        bnre_prior *prior = t == 0 ? triangle : half;
        log_ratio_function function = {prior, flat, t == 0 ? NULL : prior, 0};
        bnre_density density = function_density(&function);
        bnre_posterior_opts opts = quick(4);
        bnre_posterior *posterior = chains_of(&density, &opts);
        const bnre_points *points = bnre_posterior_points(posterior);
        const bnre_evidence evidence = bnre_posterior_evidence(posterior);
        double mean[2];

        assert_converged(posterior);
        bnre_posterior_moments(posterior, mean, NULL);
        for (size_t k = 0; k < points->n; k++) {
            const double *theta = points->theta + 2 * k;

            assert_true(t == 0 ? theta[0] >= theta[1] : theta[0] > 0);
        }
        assert_true(fabs(mean[0] - (t == 0 ? 2.0 / 3 : 0.5)) <
                    4.5 * 0.3 / sqrt(worth(posterior, 0)));
        assert_true(fabs(mean[1] - (t == 0 ? 1.0 / 3 : 0)) <
                    4.5 * (t == 0 ? 0.24 : 0.58) / sqrt(worth(posterior, 1)));
        assert_true(fabs(evidence.log_z - (t == 0 ? 0 : log(0.5))) <
                    4.5 * evidence.error + (t == 0 ? 0.015 : 0));
        bnre_posterior_destroy(posterior);
    }
    bnre_prior_destroy(triangle);
    bnre_prior_destroy(half);
}

static void fixed_parameters_stay(void **state)
{
    const char *names[] = {"a", "b"};
    const char *texts[] = {"fixed(2)", "normal(0, 1)"};
    bnre_prior *prior = NULL;
    log_ratio_function function;
    bnre_density density;
    bnre_posterior_opts opts = quick(5);
    bnre_posterior *posterior;
    double mean[2], covariance[4];

    (void)state;
    assert_ok(bnre_prior_create(2, names, texts, &prior));
    function = (log_ratio_function){prior, flat, NULL, 1};
    density = function_density(&function);
    posterior = chains_of(&density, &opts);
    assert_converged(posterior);
    bnre_posterior_moments(posterior, mean, covariance);
    assert_close(mean[0], 2, 1e-12);
    assert_close(covariance[0], 0, 1e-20);
    assert_close(covariance[3], 1, 0.1);
    bnre_posterior_destroy(posterior);
    bnre_prior_destroy(prior);
}

static void threads_do_not_change_draws(void **state)
{
    const double x[] = {1, 0.5f, -0.5f, 0.25f};
    bnre_prior *prior = prior_of(4, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    bnre_posterior *posterior[3];
    bnre_posterior_opts opts = quick(6);

    (void)state;
    opts.bank = 2048;
    opts.draws = 2000;
    for (size_t threads = 1; threads <= 3; threads++) {
        bnre_pool *pool = NULL;
        bnre_session *session = NULL;

        assert_ok(bnre_pool_create(threads, &pool));
        assert_ok(bnre_session_open(&density, pool, &session));
        assert_ok(bnre_session_observe(session, 1, x));
        assert_ok(
            bnre_posterior_compute(session, &opts, &posterior[threads - 1]));
        bnre_session_close(session);
        bnre_pool_destroy(pool);
    }
    for (size_t i = 1; i < 3; i++)
        assert_memory_equal(bnre_posterior_points(posterior[0])->theta,
                            bnre_posterior_points(posterior[i])->theta,
                            2000 * 4 * sizeof(double));
    for (size_t i = 0; i < 3; i++)
        bnre_posterior_destroy(posterior[i]);
    bnre_prior_destroy(prior);
}

static void chains_that_are_too_short_say_so(void **state)
{
    const normal_mixture target = {
        2, {0.5, 0.5}, {{-2, 0}, {2, 0}}, {0.1, 0.1}, 0, NULL, 1};
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    normal_mixture mixture = target;
    log_ratio_function function = {prior, normal_mixture_ratio, &mixture, 0};
    bnre_density density = function_density(&function);
    bnre_posterior_opts opts = quick(7);
    bnre_posterior *posterior;
    const bnre_chain_report *report;

    (void)state;
    mixture.prior = prior;
    opts.steps = 4;
    posterior = chains_of(&density, &opts);
    report = bnre_posterior_report(posterior);
    assert_false(report->converged);
    assert_int_equal(report->steps, 4);
    assert_non_null(strstr(report->why, "did not converge: R-hat"));
    assert_int_equal(bnre_posterior_points(posterior)->n, 4 * 64);
    bnre_posterior_destroy(posterior);
    bnre_prior_destroy(prior);
}

static int stop_at_once(void *context, size_t done, size_t found, size_t total)
{
    (void)context;
    (void)found;
    (void)total;
    return done >= 10;
}

static double wrong(const void *context, size_t dim, const double *theta,
                    double *gradient)
{
    (void)dim;
    (void)theta;
    (void)gradient;
    return *(const double *)context;
}

static void what_chains_cannot_do_is_refused(void **state)
{
    static const char *const name[] = {"a"};
    const double sample[] = {1, 2, 3};
    const bnre_monitor monitor = {.progress = stop_at_once};
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_prior *fixed = prior_of(2, "fixed(1)");
    bnre_prior *draws = NULL;
    double value = NAN;
    log_ratio_function function = {prior, wrong, &value, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    bnre_posterior_opts opts = quick(8);
    bnre_posterior *out = NULL;

    (void)state;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_ENUM,
                 "NaN at a = ");
    assert_null(out);
    value = -HUGE_VAL;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_ENUM,
                 "-inf at all 8192 draws");
    value = 0;
    opts.monitor = &monitor;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EINTR,
                 "interrupted after 10 steps");
    opts.monitor = NULL;
    opts.chains = 1;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EUSAGE,
                 "2 or more");
    opts.chains = 2;
    opts.steps = 3;
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EUSAGE,
                 "4 steps");
    opts = quick(8);
    bnre_session_close(session);
    assert_ok(bnre_prior_create_samples(1, name, 3, sample, &draws));
    function.prior = density.prior = draws;
    session = session_for(&density, 1, NULL);
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EUSAGE,
                 "use a bank");
    opts.sampler = BNRE_SAMPLER_AUTO; /* which does */
    assert_ok(bnre_posterior_compute(session, &opts, &out));
    assert_null(bnre_posterior_report(out));
    bnre_posterior_destroy(out);
    opts.sampler = BNRE_SAMPLER_CHAIN;
    bnre_session_close(session);
    function.prior = density.prior = fixed;
    session = session_for(&density, 1, NULL);
    assert_fails(bnre_posterior_compute(session, &opts, &out), BNRE_EUSAGE,
                 "parameters ... fixed");
    bnre_session_close(session);
    bnre_prior_destroy(draws);
    bnre_prior_destroy(fixed);
    bnre_prior_destroy(prior);
}

static bnre_status tiny(void *density)
{
    bnre_posterior_opts opts = quick(9);
    bnre_status status = BNRE_OK;
    bnre_session *session = NULL;
    bnre_posterior *posterior = NULL;
    const double x[] = {0, 0};

    opts.bank = 16;
    opts.walkers = 8;
    opts.chains = 2;
    opts.draws = 10;
    opts.steps = 6;
    BNRE_TRY(bnre_session_open(density, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 1, x));
    BNRE_TRY(bnre_posterior_compute(session, &opts, &posterior));
done:
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);

    (void)state;
    assert_survives_lack_of_memory(tiny, &density);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_correlated_gaussian_in_ten_dimensions),
        cmocka_unit_test(several_modes_get_their_shares),
        cmocka_unit_test(all_methods_agree),
        cmocka_unit_test(constraints_and_impossible_values_are_kept_out),
        cmocka_unit_test(fixed_parameters_stay),
        cmocka_unit_test(threads_do_not_change_draws),
        cmocka_unit_test(chains_that_are_too_short_say_so),
        cmocka_unit_test(what_chains_cannot_do_is_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
