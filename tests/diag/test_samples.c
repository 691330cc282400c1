/* Posteriors known by samples. Tests of uniformity are wrong once in 10,000
   seeds each; seeds are fixed. */
#include <math.h>
#include <string.h>

#include "bnre/diag.h"
#include "densities.h"
#include "gaussian_exact.h"
#include "pairs.h"
#include "support.h"

enum { N = 1000, S = 50, DIM = 2 };

struct setup {
    bnre_prior *prior;
    pairs pairs;
    double *sample, *log_density, *log_density_true;
    bnre_diag_samples in;
    bnre_diag_opts opts;
};

/* Samples of N(x/2, variance), and the density of what they are from. */
static void draw(struct setup *s, double variance)
{
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(9, 99, i);
        double mean[DIM];

        for (size_t d = 0; d < DIM; d++)
            mean[d] = (double)s->pairs.x[i * DIM + d] / 2;
        for (size_t k = 0; k < S; k++) {
            double *sample = s->sample + (i * S + k) * DIM;

            for (size_t d = 0; d < DIM; d++)
                sample[d] = mean[d] + sqrt(variance) * bnre_rng_normal(&rng);
            s->log_density[i * S + k] =
                log_normal_density(DIM, sample, mean, variance);
        }
        s->log_density_true[i] =
            log_normal_density(DIM, s->pairs.theta + i * DIM, mean, variance);
    }
}

static int set_up(void **state)
{
    struct setup *s = test_calloc(1, sizeof *s);

    s->prior = prior_of(DIM, "normal(0, 1)");
    s->pairs = pairs_gaussian(N, DIM, 1, 11);
    s->sample = test_malloc(N * S * DIM * sizeof *s->sample);
    s->log_density = test_malloc(N * S * sizeof *s->log_density);
    s->log_density_true = test_malloc(N * sizeof *s->log_density_true);
    draw(s, 0.5);
    s->in = (bnre_diag_samples){.n = N,
                                .samples = S,
                                .dim = DIM,
                                .theta = s->pairs.theta,
                                .sample = s->sample,
                                .log_density = s->log_density,
                                .log_density_true = s->log_density_true,
                                .normalised = 1,
                                .prior = s->prior};
    s->opts = bnre_diag_opts_default();
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct setup *s = *state;

    test_free(s->log_density_true);
    test_free(s->log_density);
    test_free(s->sample);
    pairs_free(&s->pairs);
    bnre_prior_destroy(s->prior);
    test_free(s);
    return 0;
}

static bnre_diag *diagnosed(const struct setup *s)
{
    bnre_diag *diag = NULL;

    assert_ok(bnre_diagnose_samples(&s->in, &s->opts, &diag));
    return diag;
}

static void exact_samples_have_uniform_ranks(void **state)
{
    const struct setup *s = *state;
    bnre_diag *diag = diagnosed(s);
    const bnre_diag_curve *curve = diag->curve;

    assert_int_equal(diag->n_curves, 1);
    assert_int_equal(diag->points, S);
    assert_true(fabs(curve->information.mean - log(2)) <
                4 * curve->information.error);
    assert_true(fabs(diag->log_posterior.mean + log(acos(-1) * exp(1))) <
                4 * diag->log_posterior.error);
    assert_true(isnan(diag->balance.mean) && isnan(diag->volume[3]));
    assert_true(fabs(diag->parameter[1].bias.mean - 0.5 / 12) <
                4 * diag->parameter[1].bias.error + 0.5 / 12 / S);
    assert_close(diag->parameter[1].variance.mean, 0.5 / 12, 2e-3);
    assert_true(ks_uniform_pvalue(N, curve->rank) > 1e-4);
    assert_true(ks_uniform_pvalue(N, diag->parameter[0].rank) > 1e-4);
    assert_true(ks_uniform_pvalue(N, diag->tarp_rank) > 1e-4);
    bnre_diag_destroy(diag);
}

static void narrow_samples_are_overconfident(void **state)
{
    struct setup *s = *state;
    bnre_diag *diag;

    draw(s, 0.25);
    diag = diagnosed(s);
    assert_int_equal(diag->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_true(diag->parameter[0].sbc.ks_p < 1e-6);
    bnre_diag_destroy(diag);
}

/* No densities, no prior: SBC and TARP, and nothing that would need more. */
static void samples_alone_give_sbc_and_tarp(void **state)
{
    struct setup *s = *state;
    bnre_diag *diag;

    s->in.log_density = s->in.log_density_true = NULL;
    s->in.prior = NULL;
    diag = diagnosed(s);
    assert_int_equal(diag->n_curves, 0);
    assert_true(isnan(diag->log_posterior.mean));
    assert_true(isnan(diag->raw_log_posterior.mean));
    assert_true(isnan(diag->log_posterior_median));
    assert_true(isnan(diag->normalised_balance.mean));
    assert_string_equal(diag->parameter[1].name, "theta_1");
    assert_close(diag->parameter[0].scale, 12, 0.15);
    assert_true(ks_uniform_pvalue(N, diag->parameter[0].rank) > 1e-4);
    assert_true(ks_uniform_pvalue(N, diag->tarp_rank) > 1e-4);
    bnre_diag_destroy(diag);
    draw(s, 0.1);
    diag = diagnosed(s);
    assert_true(diag->parameter[0].sbc.ks_p < 1e-6);
    assert_true(diag->tarp_uniformity.ks_p < 1e-6);
    bnre_diag_destroy(diag);
}

/* Densities up to a factor give coverage but no gain. */
static void densities_that_are_not_normalised_give_coverage(void **state)
{
    struct setup *s = *state;
    const char *const name[] = {"mass", "spin"};
    bnre_diag *diag;

    s->in.normalised = 0;
    s->in.name = name;
    diag = diagnosed(s);
    assert_true(isnan(diag->curve[0].information.mean));
    assert_true(isnan(diag->log_posterior.mean));
    assert_true(isfinite(diag->raw_log_posterior.mean));
    assert_int_not_equal(diag->curve[0].judgement.verdict, BNRE_UNINFORMATIVE);
    assert_string_equal(diag->parameter[1].name, "spin");
    bnre_diag_destroy(diag);
}

static void wrong_samples_are_refused(void **state)
{
    struct setup *s = *state;
    const bnre_diag_samples good = s->in;
    bnre_diag *diag;

    s->in.n = 19;
    assert_fails(bnre_diagnose_samples(&s->in, &s->opts, &diag), BNRE_EUSAGE,
                 "19 pairs");
    s->in = good;
    s->in.samples = 0;
    assert_fails(bnre_diagnose_samples(&s->in, &s->opts, &diag), BNRE_EUSAGE,
                 "no samples");
    s->in = good;
    s->in.log_density = NULL;
    assert_fails(bnre_diagnose_samples(&s->in, &s->opts, &diag), BNRE_EUSAGE,
                 "samples ... true parameters");
    s->in = good;
    s->in.dim = 1;
    assert_fails(bnre_diagnose_samples(&s->in, &s->opts, &diag), BNRE_EUSAGE,
                 "samples ... 1 parameters ... prior ... 2");
    s->in = good;
    s->log_density[S + 3] = -HUGE_VAL; /* fine: a sample of no density */
    s->sample[2 * S * DIM + 7] = NAN;
    assert_fails(bnre_diagnose_samples(&s->in, &s->opts, &diag), BNRE_ENUM,
                 "pair 2: value 7 ... samples ... NaN");
    s->sample[2 * S * DIM + 7] = 0;
    s->log_density_true[4] = HUGE_VAL;
    assert_fails(bnre_diagnose_samples(&s->in, &s->opts, &diag), BNRE_ENUM,
                 "pair 4: value 0 ... log density ... theta ... infinite");
}

static bnre_status with_little_memory(void *arg)
{
    const struct setup *s = arg;
    bnre_status status = BNRE_OK;
    bnre_diag *diag = NULL;

    BNRE_TRY(bnre_diagnose_samples(&s->in, &s->opts, &diag));
done:
    bnre_diag_destroy(diag);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    struct setup *s = *state;

    s->in.n = 20;
    s->in.prior = NULL;
    assert_survives_lack_of_memory(with_little_memory, s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(exact_samples_have_uniform_ranks),
        TEST(narrow_samples_are_overconfident),
        TEST(samples_alone_give_sbc_and_tarp),
        TEST(densities_that_are_not_normalised_give_coverage),
        TEST(wrong_samples_are_refused),
        TEST(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
