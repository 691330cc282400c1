/* joint: other priors and several experiments on Gaussians, whose posteriors are
   known. */
#include <math.h>

#include "bnre/density.h"
#include "bnre/diag.h"
#include "bnre/posterior.h"
#include "densities.h"
#include "gaussian_exact.h"
#include "pairs.h"
#include "support.h"

static bnre_prior *make_prior(size_t n, const char *const *name,
                              const char *const *text)
{
    bnre_prior *prior;

    assert_ok(bnre_prior_create(n, name, text, &prior));
    return prior;
}

/* ---- from one prior to another ---- */

static void mass_outside_of_the_support_is_exact(void **state)
{
    const char *const name[] = {"a", "b"};
    const char *const box[] = {"uniform(-2, 2)", "uniform(0, 1)"};
    const char *const new[] = {"normal(0, 1)", "beta(2, 2)"};
    bnre_prior *from = make_prior(2, name, box);
    bnre_prior *to = make_prior(2, name, new);
    bnre_prior_change change;

    (void)state;
    assert_ok(bnre_prior_compare(from, to, &change));
    assert_true(change.exact);
    assert_close(change.outside, erfc(2 / sqrt(2)), 1e-12);
    /* v = 4 n(a) b(b) is at most 4 x 0.3989 x 1.5. */
    assert_true(change.most <= 4 * 0.39895 * 1.5);
    assert_true(change.most > 1.5);
    assert_ok(bnre_prior_compare(from, from, &change));
    assert_true(change.outside == 0 && change.lost == 0);
    assert_close(change.most, 1, 1e-12);
    bnre_prior_destroy(to);
    bnre_prior_destroy(from);
}

/* From normal(0, 1) to normal(0, 2) v grows without bound: a little is lost,
   no more than is allowed, and `most` is finite. */
static void an_unbounded_quotient_is_cut_where_little_is_lost(void **state)
{
    const char *const name[] = {"a"};
    const char *const narrow[] = {"normal(0, 1)"}, *const wide[] = {
                                                       "normal(0, 2)"};
    bnre_prior *from = make_prior(1, name, narrow);
    bnre_prior *to = make_prior(1, name, wide);
    bnre_prior_change change;
    double lost = 0;

    (void)state;
    assert_ok(bnre_prior_compare(from, to, &change));
    assert_true(change.outside == 0);
    assert_true(isfinite(change.most) && change.most > 1);
    for (double a = -20; a < 20; a += 1e-3) {
        const double v = exp(bnre_prior_log_density(to, &a) -
                             bnre_prior_log_density(from, &a));

        lost += v > change.most ? 1e-3 * (1 - change.most / v) *
                                      exp(bnre_prior_log_density(to, &a))
                                : 0;
    }
    /* Found by 65,536 draws: 65 of them, +- 8. */
    assert_close(lost, BNRE_PRIOR_LOST, 5 * 1.3e-4);
    bnre_prior_destroy(to);
    bnre_prior_destroy(from);
}

static void what_cannot_be_compared_is_refused(void **state)
{
    const char *const a[] = {"a"}, *const b[] = {"b"};
    const char *const text[] = {"normal(0, 1)"}, *const fixed[] = {"fixed(1)"};
    bnre_prior *from = make_prior(1, a, text), *to = make_prior(1, b, text);
    bnre_prior *at = make_prior(1, a, fixed);
    bnre_prior_change change;

    (void)state;
    assert_fails(bnre_prior_compare(from, to, &change), BNRE_EUSAGE, "a");
    assert_ok(bnre_prior_compare(from, at, &change));
    assert_true(change.outside == 0 && isnan(change.most));
    assert_ok(bnre_prior_compare(at, from, &change));
    assert_close(change.outside, 1, 1e-9);
    bnre_prior_destroy(at);
    bnre_prior_destroy(to);
    bnre_prior_destroy(from);
}

/* ---- posteriors ---- */

static bnre_posterior *posterior_of(const bnre_density *density,
                                    const double *x, bnre_session **session)
{
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior;

    *session = session_for(density, 1, x);
    assert_ok(bnre_posterior_compute(*session, &opts, &posterior));
    return posterior;
}

/* x ~ N(theta, 1), theta ~ N(m, s^2) has theta | x ~ N((m + s^2 x) / (1 + s^2),
   s^2 / (1 + s^2)), and log Z is the log of both densities of x, each with its
   prior. */
static void another_prior_has_its_own_posterior(void **state)
{
    const char *const name[] = {"a", "b"};
    const char *const text[] = {"normal(0.5, 0.5)", "normal(-1, 0.8)"};
    const double m[] = {0.5, -1}, s[] = {0.5, 0.8}, x[] = {0.7, -0.4};
    bnre_prior *own = prior_of(2, "normal(0, 1)");
    bnre_prior *prior = make_prior(2, name, text);
    const bnre_experiment one = {gaussian_density(own), 1};
    double mean[2], covariance[4], log_z = 0;
    bnre_posterior *posterior;
    bnre_session *session;
    bnre_density density;
    bnre_joint *joint;

    (void)state;
    assert_ok(bnre_joint_create(prior, 1, &one, &joint));
    density = bnre_joint_density(joint);
    posterior = posterior_of(&density, x, &session);
    bnre_posterior_moments(posterior, mean, covariance);
    for (size_t i = 0; i < 2; i++) {
        const double v = s[i] * s[i];

        assert_close(mean[i], (m[i] + v * x[i]) / (1 + v), 1e-3);
        assert_close(covariance[3 * i], v / (1 + v), 1e-3);
        log_z += log_normal_density(1, &x[i], &m[i], 1 + v) -
                 log_normal_density(1, &x[i], NULL, 2);
    }
    assert_close(covariance[1], 0, 1e-6);
    assert_close(bnre_posterior_evidence(posterior).log_z, log_z, 1e-3);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_joint_destroy(joint);
    bnre_prior_destroy(prior);
    bnre_prior_destroy(own);
}

/* The experiments see (a, b) twice and (b, c) once; all priors are N(0, 1).
   Precisions add up: 1 + 2, 1 + 2 + 1, 1 + 1. */
static void experiments_multiply_where_they_share_parameters(void **state)
{
    const char *const names[] = {"b", "c"}, *const all[] = {"a", "b", "c"};
    const char *const text[] = {"normal(0, 1)", "normal(0, 1)", "normal(0, 1)"};
    const double x[] = {0.3, 1, -0.2, 0.6, 0.9, -2};
    const double precision[] = {3, 4, 2};
    const double sum[] = {0.3 - 0.2, 1 + 0.6 + 0.9, -2};
    bnre_prior *first = prior_of(2, "normal(0, 1)");
    bnre_prior *second = make_prior(2, names, text);
    bnre_prior *prior = make_prior(3, all, text);
    const bnre_experiment experiment[] = {{gaussian_density(first), 2},
                                          {gaussian_density(second), 1}};
    const double theta[] = {0.1, 0.2, 0.3}, pair[] = {0.2, 0.3};
    double mean[3], covariance[9], out, gradient[3], expected;
    bnre_posterior *posterior;
    bnre_session *session;
    bnre_density density;
    bnre_joint *joint;

    (void)state;
    assert_ok(bnre_joint_create(prior, 2, experiment, &joint));
    density = bnre_joint_density(joint);
    assert_int_equal(density.x_size, 6);
    posterior = posterior_of(&density, x, &session);
    bnre_posterior_moments(posterior, mean, covariance);
    for (size_t i = 0; i < 3; i++) {
        assert_close(mean[i], sum[i] / precision[i], 5e-3);
        assert_close(covariance[4 * i], 1 / precision[i], 5e-3);
    }
    assert_close(covariance[1], 0, 1e-5);
    assert_ok(bnre_session_log_ratio(session, 1, theta, &out, gradient));
    expected = gaussian_log_ratio(2, theta, x) +
               gaussian_log_ratio(2, theta, x + 2) +
               gaussian_log_ratio(2, pair, x + 4);
    assert_close(out, expected, 1e-12);
    assert_close(gradient[1], 1 - 0.2 + 0.6 - 0.2 + 0.9 - 0.2, 1e-12);
    assert_close(gradient[2], -2 - 0.3, 1e-12);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_joint_destroy(joint);
    bnre_prior_destroy(prior);
    bnre_prior_destroy(second);
    bnre_prior_destroy(first);
}

/* A normalised q stands for (1 - floor) q / p + floor, also alone. */
static void densities_keep_proper_tails(void **state)
{
    bnre_prior *own = prior_of(1, "normal(0, 1)");
    bnre_experiment one = {gaussian_density(own), 1};
    const double x = 2, theta[] = {-8, 1};
    bnre_session *session;
    bnre_density density;
    bnre_joint *joint;
    double out[2];

    (void)state;
    one.density.floor = 0.01;
    assert_ok(bnre_joint_create(own, 1, &one, &joint));
    density = bnre_joint_density(joint);
    session = session_for(&density, 1, &x);
    assert_ok(bnre_session_log_ratio(session, 2, theta, out, NULL));
    for (size_t i = 0; i < 2; i++)
        assert_close(
            out[i],
            log(0.99 * exp(gaussian_log_ratio(1, &theta[i], &x)) + 0.01),
            1e-12);
    bnre_session_close(session);
    bnre_joint_destroy(joint);
    bnre_prior_destroy(own);
}

static void a_prior_beyond_the_first_is_refused(void **state)
{
    const char *const name[] = {"a"}, *const more[] = {"a", "b"};
    const char *const wide[] = {"normal(0, 2)", "normal(0, 1)"};
    bnre_prior *own = prior_of(1, "uniform(-3, 3)");
    bnre_prior *prior = make_prior(1, name, wide);
    bnre_prior *others = make_prior(2, more, wide);
    const bnre_experiment one = {gaussian_density(own), 1};
    bnre_joint *joint;

    (void)state;
    assert_fails(bnre_joint_create(prior, 1, &one, &joint), BNRE_EUSAGE,
                 "0.134 ... 0.001 ... normal(0, 2) ... uniform(-3, 3)");
    assert_fails(bnre_joint_create(others, 1, &one, &joint), BNRE_EUSAGE,
                 "uniform(-3, 3)");
    bnre_prior_destroy(others);
    bnre_prior_destroy(prior);
    bnre_prior_destroy(own);
}

/* ---- pairs ---- */

/* Pairs of N(0, 1) that are kept are pairs of N(0.7, 0.6^2): moments within 5
   standard errors (one in 10^6), and the ranks of the exact posterior under it
   are uniform (p below 10^-4 one in 10^4). Those of a posterior that is too
   narrow by a third are not, nor are those of the posterior under the prior of
   training. */
static void kept_pairs_and_their_ranks_are_those_of_the_new_prior(void **state)
{
    enum { N = 6000 };
    const char *const name[] = {"a"}, *const text[] = {"normal(0.7, 0.6)"};
    pairs p = pairs_gaussian(N, 1, 1, 3);
    bnre_prior *own = prior_of(1, "normal(0, 1)");
    bnre_prior *prior = make_prior(1, name, text);
    bnre_experiment one = {gaussian_density(own), 1};
    normal_guess narrow = {own, 0.5 / 2.25, 0};
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_density density;
    bnre_joint *joint;
    bnre_diag *diag;
    static double keep[N];
    double sum = 0, squares = 0;
    size_t n = 0;

    (void)state;
    assert_ok(bnre_joint_create(prior, 1, &one, &joint));
    density = bnre_joint_density(joint);
    assert_ok(density.keep(density.context, N, p.theta, keep));
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(7, 1, i);

        assert_true(keep[i] >= 0 && keep[i] <= 1);
        if (bnre_rng_uniform(&rng) >= keep[i])
            continue;
        sum += p.theta[i];
        squares += p.theta[i] * p.theta[i];
        p.theta[n] = p.theta[i];
        p.x[n++] = p.x[i];
    }
    assert_true(n > N / 5);
    sum /= (double)n;
    squares = squares / (double)n - sum * sum;
    assert_close(sum, 0.7, 5 * 0.6 / sqrt((double)n) + 1e-3);
    assert_close(squares, 0.36, 5 * 0.36 * sqrt(2 / (double)n) + 4e-3);

    assert_ok(bnre_diagnose(&density, n, 1, p.theta, p.x, &opts, &diag));
    assert_true(diag->parameter[0].sbc.ks_p > 1e-4);
    assert_true(diag->curve[0].judgement.margin > -0.05);
    bnre_diag_destroy(diag);

    assert_ok(bnre_diagnose(&one.density, n, 1, p.theta, p.x, &opts, &diag));
    assert_true(diag->parameter[0].sbc.ks_p < 1e-4);
    bnre_diag_destroy(diag);
    bnre_joint_destroy(joint);

    one.density = normal_guess_density(&narrow);
    assert_ok(bnre_joint_create(prior, 1, &one, &joint));
    density = bnre_joint_density(joint);
    assert_ok(bnre_diagnose(&density, n, 1, p.theta, p.x, &opts, &diag));
    assert_true(diag->curve[0].judgement.margin < -0.05);
    bnre_diag_destroy(diag);
    bnre_joint_destroy(joint);
    pairs_free(&p);
    bnre_prior_destroy(prior);
    bnre_prior_destroy(own);
}

static bnre_status use(void *arg)
{
    const bnre_experiment *one = arg;
    const double x[] = {0.1, 0.2}, theta[] = {0.3, 0.4};
    bnre_status status = BNRE_OK;
    bnre_session *session = NULL;
    bnre_joint *joint = NULL;
    bnre_density density;
    double out, gradient[2];

    BNRE_TRY(bnre_joint_create(one->density.prior, 1, one, &joint));
    density = bnre_joint_density(joint);
    BNRE_TRY(bnre_session_open(&density, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 1, x));
    BNRE_TRY(bnre_session_log_ratio(session, 1, theta, &out, gradient));
done:
    bnre_session_close(session);
    bnre_joint_destroy(joint);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_experiment one = {gaussian_density(prior), 1};

    (void)state;
    assert_survives_lack_of_memory(use, &one);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_outside_of_the_support_is_exact),
        cmocka_unit_test(an_unbounded_quotient_is_cut_where_little_is_lost),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
        cmocka_unit_test(another_prior_has_its_own_posterior),
        cmocka_unit_test(experiments_multiply_where_they_share_parameters),
        cmocka_unit_test(densities_keep_proper_tails),
        cmocka_unit_test(a_prior_beyond_the_first_is_refused),
        cmocka_unit_test(kept_pairs_and_their_ranks_are_those_of_the_new_prior),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
