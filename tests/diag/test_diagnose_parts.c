/* Parts of a diagnosis that have values of their own. Statistical comparisons
   are wrong once in 10,000 seeds or less; seeds are fixed. */
#include <math.h>
#include <string.h>

#include "bnre/diag.h"
#include "densities.h"
#include "num/dist.h"
#include "pairs.h"
#include "support.h"

static const double EXACT = 0.5; /* variance of the posterior */

struct setup {
    bnre_prior *prior;
    normal_guess guess;
    bnre_density density;
    pairs pairs;
};

static struct setup *set_up(size_t dim, size_t n, size_t observations,
                            double variance)
{
    struct setup *s = test_malloc(sizeof *s);

    s->prior = prior_of(dim, "normal(0, 1)");
    s->guess = (normal_guess){s->prior, variance, 0};
    s->density = normal_guess_density(&s->guess);
    s->pairs = pairs_gaussian(n, dim, observations, 7);
    return s;
}

static void tear_down(struct setup *s)
{
    pairs_free(&s->pairs);
    bnre_prior_destroy(s->prior);
    test_free(s);
}

static bnre_diag *diagnosed(const struct setup *s, const bnre_diag_opts *opts)
{
    bnre_diag *diag = NULL;

    assert_ok(bnre_diagnose(&s->density, s->pairs.n, s->pairs.observations,
                            s->pairs.theta, s->pairs.x, opts, &diag));
    return diag;
}

static void assert_near(bnre_estimate estimate, double known)
{
    if (!(fabs(estimate.mean - known) < 4 * estimate.error + 1e-4))
        fail_msg("%g +- %g is not %g", estimate.mean, estimate.error, known);
}

/* The posterior has variance 1/2 in each direction, and its mean is off by as
   much on average; both relative to 12 times the prior's variance of 1. */
static void bias_and_variance_are_those_of_the_posterior(void **state)
{
    struct setup *s = set_up(2, 2000, 1, EXACT);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = diagnosed(s, &opts);

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        assert_close(diag->parameter[k].scale, 12, 1e-12);
        assert_near(diag->parameter[k].bias, EXACT / 12);
        assert_close(diag->parameter[k].variance.mean, EXACT / 12, 1e-3);
        assert_string_equal(diag->parameter[k].name, k == 0 ? "a" : "b");
    }
    bnre_diag_destroy(diag);
    tear_down(s);
}

/* The region of level c is x/2 +- z sqrt(1/2). */
static void volume_is_the_prior_mass_of_regions(void **state)
{
    struct setup *s = set_up(1, 400, 1, EXACT);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = diagnosed(s, &opts);

    (void)state;
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        double half =
            sqrt(EXACT) * bnre__normal_quantile(0.5 + bnre_diag_level(k) / 2);
        double mass = 0;

        for (size_t i = 0; i < s->pairs.n; i++) {
            double mean = (double)s->pairs.x[i] / 2;

            mass +=
                bnre__normal_cdf(mean + half) - bnre__normal_cdf(mean - half);
        }
        assert_close(diag->volume[k], mass / (double)s->pairs.n, 3e-3);
    }
    bnre_diag_destroy(diag);
    tear_down(s);
}

/* With q = N(tau x / (1 + tau), 1 / (1 + tau)) and the truth N(x / 2, 1/2),
   x ~ N(0, 2), theta is off the middle by N(0, v) over all pairs. */
static double tempered_auc(double tau)
{
    const double off = 0.5 - tau / (1 + tau), v = 0.5 + 2 * off * off;
    double sum = 0;

    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        const double c = bnre_diag_level(k);
        const double z = bnre__normal_quantile(0.5 + c / 2);

        sum += 2 * bnre__normal_cdf(z / sqrt(v * (1 + tau))) - 1 - c;
    }
    return sum / BNRE_DIAG_LEVELS;
}

/* One tau of a list gives what it gives alone, and the whole of a tempered
   density. Tempering an exact posterior widens it. */
static void tempering_comes_from_the_same_evaluations(void **state)
{
    const double temper[] = {0.5, 1, 0.25};
    struct setup *s = set_up(1, 1000, 1, EXACT);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *all, *one;

    (void)state;
    opts.temper = temper;
    opts.n_temper = 3;
    all = diagnosed(s, &opts);
    assert_int_equal(all->n_curves, 3);
    for (size_t i = 0; i < 3; i++) {
        opts.temper = &temper[i];
        opts.n_temper = 1;
        one = diagnosed(s, &opts);
        assert_true(all->curve[i].tau == temper[i]);
        assert_memory_equal(all->curve[i].rank, one->curve[0].rank,
                            1000 * sizeof(double));
        assert_memory_equal(all->curve[i].gain, one->curve[0].gain,
                            1000 * sizeof(double));
        /* q_tau = N(m_tau, 1 / (1 + tau)) */
        assert_close(one->parameter[0].variance.mean, 1 / (1 + temper[i]) / 12,
                     1e-3);
        assert_near(one->curve[0].coverage.auc, tempered_auc(temper[i]));
        bnre_diag_destroy(one);
    }
    assert_true(all->curve[2].information.mean <
                all->curve[0].information.mean - 0.02);
    bnre_diag_destroy(all);
    tear_down(s);
}

/* Log ratios of observations that share theta add up: K = 4 of them give
   N(sum x / 5, 1 / 5). */
static void several_observations_are_one_pair(void **state)
{
    enum { N = 1000, K = 4 };
    struct setup *s = set_up(1, N, K, EXACT);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = diagnosed(s, &opts);

    (void)state;
    assert_int_equal(diag->observations, K);
    assert_true(ks_uniform_pvalue(N, diag->curve[0].rank) > 1e-4);
    assert_close(diag->parameter[0].variance.mean, 1.0 / 5 / 12, 1e-3);
    assert_near(diag->parameter[0].bias, 1.0 / 5 / 12);
    assert_near(diag->log_posterior, -0.5 * log(2 * acos(-1) * exp(1) / 5));
    assert_true(isnan(diag->balance.mean));
    assert_near(diag->normalised_balance, 1);
    bnre_diag_destroy(diag);
    tear_down(s);
}

static void members_are_compared(void **state)
{
    struct setup *s = set_up(2, 500, 1, EXACT);
    const normal_guess guess[] = {{s->prior, EXACT, 0},
                                  {s->prior, 2 * EXACT, 0}};
    bnre_diag_opts opts = bnre_diag_opts_default();
    double spread = 0;
    bnre_diag *diag;

    (void)state;
    opts.each_member = 1;
    diag = diagnosed(s, &opts);
    assert_int_equal(diag->n_members, 0);
    bnre_diag_destroy(diag);
    s->density = normal_guess_ensemble(guess);
    diag = diagnosed(s, &opts);
    assert_int_equal(diag->n_members, 2);
    assert_close(diag->member_auc[0].mean, diag->curve[0].coverage.auc.mean,
                 1e-12);
    assert_true(diag->member_auc[1].mean > 0.1);
    for (size_t i = 0; i < s->pairs.n; i++) {
        double squares = 0;

        for (size_t k = 0; k < 2; k++) {
            double off =
                s->pairs.theta[2 * i + k] - (double)s->pairs.x[2 * i + k] / 2;

            squares += off * off;
        }
        /* log of the ratio of N(., 1/2) to N(., 1), in two dimensions; the
           standard deviation of two numbers is that over sqrt 2. */
        spread += fabs(log(2) - squares / 2) / sqrt(2);
    }
    assert_close(diag->spread.mean, spread / (double)s->pairs.n, 1e-9);
    bnre_diag_destroy(diag);
    tear_down(s);
}

/* Where the prior's density is unknown, the densest is what has the largest
   ratio: ranks are as exact. */
static void priors_known_by_draws_have_a_bank(void **state)
{
    enum { ROWS = 5000, N = 1000 };
    const char *name[] = {"a"};
    double *sample = test_malloc(ROWS * sizeof *sample);
    struct setup *s = set_up(1, N, 1, EXACT);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_prior *draws;
    bnre_diag *diag;

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        sample[i] = bnre__normal_quantile(((double)i + 0.5) / ROWS);
    assert_ok(bnre_prior_create_samples(1, name, ROWS, sample, &draws));
    s->density.prior = draws;
    diag = diagnosed(s, &opts);
    assert_int_equal(diag->grid, BNRE_DIAG_BANK);
    assert_true(ks_uniform_pvalue(N, diag->curve[0].rank) > 1e-4);
    assert_true(isnan(diag->log_posterior.mean));
    /* Mutual information of x and theta. */
    assert_near(diag->curve[0].information, 0.5 * log(2));
    bnre_diag_destroy(diag);
    bnre_prior_destroy(draws);
    test_free(sample);
    tear_down(s);
}

/* Exact for priors with a constraint, where some cells have no point and, with
   cells as few as these, sometimes none has. x = a + noise. */
static bnre_status above(bnre_prior **out)
{
    const char *name[] = {"a", "b"};
    const char *text[] = {"normal(0, 1)", "normal(0, 1)"};
    const char *constraint[] = {"a > b + 1"};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_prior_create(2, name, text, out));
    BNRE_TRY(bnre_prior_constrain(*out, 1, constraint));
done:
    return status;
}

static void constraints_keep_ranks_exact(void **state)
{
    enum { N = 1000 };
    const size_t cells[] = {2, 12};
    struct setup *s = set_up(2, N, 1, EXACT);
    bnre_prior *prior;

    (void)state;
    assert_ok(above(&prior));
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(4, 99, i);

        bnre_prior_draw(prior, &rng, s->pairs.theta + 2 * i);
        for (size_t k = 0; k < 2; k++)
            s->pairs.x[2 * i + k] =
                (double)(s->pairs.theta[2 * i + k] + bnre_rng_normal(&rng));
    }
    s->density.prior = prior;
    for (size_t c = 0; c < 4; c++) {
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *diag;

        opts.grid = c < 2 ? BNRE_DIAG_CELLS : BNRE_DIAG_FITTED;
        opts.cells = cells[c % 2];
        opts.fitted = cells[c % 2] * cells[c % 2];
        diag = diagnosed(s, &opts);
        assert_true(ks_uniform_pvalue(N, diag->curve[0].rank) > 1e-4);
        assert_true(ks_uniform_pvalue(N, diag->parameter[1].rank) > 1e-4);
        assert_true(ks_uniform_pvalue(N, diag->tarp_rank) > 1e-4);
        bnre_diag_destroy(diag);
    }
    bnre_prior_destroy(prior);
    tear_down(s);
}

/* A flat posterior on the reference's nodes has the scaled variance
   (1/12) (91/89), not 1/12; its regions are everything (ties belong to them)
   and cover always. */
static double nothing(const void *context, size_t dim, const double *theta,
                      double *gradient)
{
    (void)context;
    (void)dim;
    (void)theta;
    (void)gradient;
    return 0;
}

static void grid_of_the_reference_has_its_values(void **state)
{
    enum { N = 40 };
    bnre_prior *prior = prior_of(2, "uniform(-3, 3)");
    log_ratio_function f = {.prior = prior, .value = nothing};
    bnre_density density = function_density(&f);
    bnre_diag_opts opts = bnre_diag_opts_default();
    double theta[2 * N];
    double x[N];
    bnre_diag *diag;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        theta[2 * i] = -2.9 + 0.1 * (double)i;
        theta[2 * i + 1] = 1;
        x[i] = 0;
    }
    opts.grid = BNRE_DIAG_PAPER;
    assert_ok(bnre_diagnose(&density, N, 1, theta, x, &opts, &diag));
    assert_int_equal(diag->points, 8100);
    assert_close(diag->parameter[0].scale, 36, 1e-12);
    assert_close(diag->parameter[0].variance.mean, 91.0 / 89 / 12, 1e-5);
    assert_close(diag->raw_log_posterior.mean, -log(36), 1e-12);
    assert_close(diag->log_posterior.mean, -log(36), 1e-9);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        assert_close(diag->curve[0].coverage.share[k], 1, 1e-12);
        assert_close(diag->volume[k], 1, 1e-6);
    }
    assert_true(isnan(diag->doubling.mean));
    bnre_diag_destroy(diag);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bias_and_variance_are_those_of_the_posterior),
        cmocka_unit_test(volume_is_the_prior_mass_of_regions),
        cmocka_unit_test(tempering_comes_from_the_same_evaluations),
        cmocka_unit_test(several_observations_are_one_pair),
        cmocka_unit_test(members_are_compared),
        cmocka_unit_test(priors_known_by_draws_have_a_bank),
        cmocka_unit_test(constraints_keep_ranks_exact),
        cmocka_unit_test(grid_of_the_reference_has_its_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
