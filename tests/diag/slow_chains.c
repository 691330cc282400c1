/* Coverage of posteriors that are known by draws of Markov chains. Tests of
   uniformity are wrong once in 10,000 seeds; seeds are fixed. */
#include <math.h>

#include "bnre/diag.h"
#include "bnre/posterior.h"
#include "densities.h"
#include "pairs.h"
#include "support.h"

enum { PAIRS = 120, DRAWS = 20 };

struct drawn {
    double *sample;           /* (PAIRS, DRAWS, dim) */
    double *log_density;      /* (PAIRS, DRAWS) */
    double *log_density_true; /* (PAIRS) */
};

/* Chains long enough for DRAWS draws; what matters here is their law. */
static bnre_posterior_opts short_chains(uint64_t seed)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();

    opts.sampler = BNRE_SAMPLER_CHAIN;
    opts.seed = seed;
    opts.bank = 2048;
    opts.walkers = 256;
    opts.chains = 32;
    opts.draws = 512;
    opts.steps = 400;
    opts.rhat = 1.05;
    opts.ess = 100;
    return opts;
}

/* The density of the guess relative to the prior, which is enough to rank by
   once log p is added. */
static double log_density(bnre_session *session, const bnre_prior *prior,
                          const double *theta)
{
    double l;

    assert_ok(bnre_session_log_ratio(session, 1, theta, &l, NULL));
    return l + bnre_prior_log_density(prior, theta);
}

static void draw_pair(bnre_session *session, const bnre_prior *prior,
                      const pairs *p, size_t i, struct drawn *to)
{
    const size_t dim = p->dim;
    const bnre_posterior_opts opts = short_chains(i + 1);
    double *sample = to->sample + i * DRAWS * dim;
    bnre_posterior *posterior;

    assert_ok(bnre_session_observe(session, 1, p->x + i * dim));
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    assert_ok(bnre_posterior_sample(posterior, DRAWS, i + 1, sample));
    for (size_t k = 0; k < DRAWS; k++)
        to->log_density[i * DRAWS + k] =
            log_density(session, prior, sample + k * dim);
    to->log_density_true[i] = log_density(session, prior, p->theta + i * dim);
    bnre_posterior_destroy(posterior);
}

/* Diagnose N(x/2, variance) by chains. */
static bnre_diag *by_chains(size_t dim, double variance)
{
    bnre_prior *prior = prior_of(dim, "normal(0, 1)");
    normal_guess guess = {prior, variance, 0};
    const bnre_density density = normal_guess_density(&guess);
    const bnre_diag_opts opts = bnre_diag_opts_default();
    pairs p = pairs_gaussian(PAIRS, dim, 1, 7);
    struct drawn drawn = {
        test_malloc(PAIRS * DRAWS * dim * sizeof(double)),
        test_malloc(PAIRS * DRAWS * sizeof(double)),
        test_malloc(PAIRS * sizeof(double)),
    };
    const bnre_diag_samples in = {.n = PAIRS,
                                  .samples = DRAWS,
                                  .dim = dim,
                                  .theta = p.theta,
                                  .sample = drawn.sample,
                                  .log_density = drawn.log_density,
                                  .log_density_true = drawn.log_density_true,
                                  .normalised = 1,
                                  .prior = prior};
    bnre_session *session;
    bnre_diag *diag;

    assert_ok(bnre_session_open(&density, NULL, &session));
    for (size_t i = 0; i < PAIRS; i++)
        draw_pair(session, prior, &p, i, &drawn);
    assert_ok(bnre_diagnose_samples(&in, &opts, &diag));
    bnre_session_close(session);
    test_free(drawn.log_density_true);
    test_free(drawn.log_density);
    test_free(drawn.sample);
    pairs_free(&p);
    bnre_prior_destroy(prior);
    return diag;
}

static void exact_posteriors_are_on_the_diagonal(void **state)
{
    const size_t dims[] = {1, 2, 3, 5, 10};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        bnre_diag *diag = by_chains(dims[i], 0.5);

        assert_int_not_equal(diag->curve[0].judgement.verdict,
                             BNRE_OVERCONFIDENT);
        assert_true(fabs(diag->curve[0].coverage.auc.mean) <
                    4 * diag->curve[0].coverage.auc.error);
        assert_true(ks_uniform_pvalue(PAIRS, diag->curve[0].rank) > 1e-4);
        assert_true(ks_uniform_pvalue(PAIRS, diag->tarp_rank) > 1e-4);
        bnre_diag_destroy(diag);
    }
}

/* In five dimensions a factor 2 in each variance shows with so few pairs. */
static void wrong_widths_are_seen(void **state)
{
    bnre_diag *wide = by_chains(5, 1), *narrow = by_chains(5, 0.25);

    (void)state;
    assert_int_equal(wide->curve[0].judgement.verdict, BNRE_CONSERVATIVE);
    assert_true(wide->curve[0].coverage.auc.mean > 0.15);
    assert_int_equal(narrow->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_true(narrow->curve[0].coverage.auc.mean < -0.15);
    bnre_diag_destroy(narrow);
    bnre_diag_destroy(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_posteriors_are_on_the_diagonal),
        cmocka_unit_test(wrong_widths_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
