#include <math.h>
#include <string.h>

#include "bnre/posterior.h"
#include "densities.h"
#include "gaussian_exact.h"
#include "num/dist.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "support.h"

/* The exact posterior of the task `gaussian` after K observations, tempered:
   normal with precision 1 + tau K and mean tau sum x / precision. */
struct exact {
    double mean[3], variance, log_z;
};

static struct exact exact_of(size_t dim, size_t n, const double *x, double tau)
{
    struct exact exact = {.variance = 1 / (1 + tau * (double)n)};
    const double zero[3] = {0};
    double at_zero = 0;

    for (size_t k = 0; k < n; k++) {
        double one[3] = {0};

        for (size_t i = 0; i < dim; i++) {
            one[i] = (double)x[k * dim + i];
            exact.mean[i] += tau * one[i] * exact.variance;
        }
        at_zero += tau * gaussian_log_ratio(dim, zero, one);
    }
    /* q(0) = p(0) exp(l(0)) / Z */
    exact.log_z = log_normal_density(dim, zero, NULL, 1) + at_zero -
                  log_normal_density(dim, zero, exact.mean, exact.variance);
    return exact;
}

/* Numbers for people agree with the exact ones. */
static void assert_summary(const bnre_posterior *posterior,
                           const struct exact *exact, double tolerance)
{
    const size_t dim = bnre_posterior_points(posterior)->dim;
    const double sd = sqrt(exact->variance);
    bnre_summary summary[3];

    assert_ok(bnre_posterior_summary(posterior, summary));
    for (size_t i = 0; i < dim; i++) {
        assert_close(summary[i].mean, exact->mean[i], tolerance);
        assert_close(summary[i].sd, sd, tolerance);
        assert_close(summary[i].median, exact->mean[i], 5 * tolerance);
        assert_close(summary[i].low68, exact->mean[i] - sd, 5 * tolerance);
        assert_close(summary[i].high68, exact->mean[i] + sd, 5 * tolerance);
        assert_close(summary[i].high95, exact->mean[i] + 1.959964 * sd,
                     5 * tolerance);
        assert_close(summary[i].low95, exact->mean[i] - 1.959964 * sd,
                     5 * tolerance);
        assert_close(summary[i].mode, exact->mean[i], 40 * tolerance);
    }
}

/* The rank of a point at a distance r from the mean is P(chi-square <= r^2). */
static void assert_rank(const bnre_posterior *posterior, bnre_session *session,
                        const struct exact *exact)
{
    const size_t dim = bnre_posterior_points(posterior)->dim;
    double theta[3], rank;

    for (size_t i = 0; i < dim; i++)
        theta[i] = exact->mean[i] + sqrt(exact->variance / (double)dim);
    assert_ok(bnre_posterior_rank(posterior, session, theta, &rank));
    assert_close(rank, bnre__gamma_cdf(0.5, (double)dim / 2), 5e-3);
    theta[0] = NAN;
    assert_ok(bnre_posterior_rank(posterior, session, theta, &rank));
    assert_close(rank, 1, 0);
}

static void assert_moments(const bnre_posterior *posterior,
                           const struct exact *exact, double tolerance)
{
    const size_t dim = bnre_posterior_points(posterior)->dim;
    const double p[] = {0.025, 0.16, 0.5, 0.84, 0.975};
    double mean[3], covariance[9], mode[3], quantile[5];

    bnre_posterior_moments(posterior, mean, covariance);
    for (size_t i = 0; i < dim; i++) {
        assert_close(mean[i], exact->mean[i], tolerance);
        for (size_t j = 0; j < dim; j++)
            assert_close(covariance[i * dim + j], i == j ? exact->variance : 0,
                         tolerance);
        assert_ok(bnre_posterior_quantiles(posterior, i, 5, p, quantile));
        for (size_t q = 0; q < 5; q++)
            assert_close(quantile[q],
                         exact->mean[i] + sqrt(exact->variance) *
                                              bnre__normal_quantile(p[q]),
                         5 * tolerance);
    }
    assert_close(bnre_posterior_evidence(posterior).log_z, exact->log_z,
                 tolerance);
    assert_close(
        bnre_posterior_mode(posterior, mode),
        log_normal_density(dim, exact->mean, exact->mean, exact->variance),
        40 * tolerance);
}

/* A region of mass c is the ball with radius^2 / variance = the chi-square
   quantile of c; its volume is that of the ball. */
static void assert_regions(bnre_posterior *posterior, const struct exact *exact)
{
    static const double ball[] = {0, 2, 3.14159265358979, 4.18879020478639};
    const size_t dim = bnre_posterior_points(posterior)->dim;
    const double level[] = {0.5, 0.683, 0.954};
    bnre_region region[3];

    assert_ok(bnre_posterior_regions(posterior, 3, level, region));
    for (size_t c = 0; c < 3; c++) {
        const double square =
            2 * bnre__gamma_quantile(level[c], (double)dim / 2);
        const double volume =
            ball[dim] * pow(square * exact->variance, (double)dim / 2);

        assert_close(region[c].content, level[c], 2e-3);
        assert_close(region[c].volume / volume, 1, dim < 3 ? 0.01 : 0.05);
        assert_close(
            region[c].threshold - exact->log_z,
            log_normal_density(dim, exact->mean, exact->mean, exact->variance) -
                square / 2,
            0.03);
        assert_int_equal(region[c].parts, 1);
    }
}

/* One to three parameters, several observations, tempered: the grid against
   the exact answers. Sums over middles of cells err with the square of their
   size, most in the outermost cells, which reach to infinity. */
static void grids_give_the_exact_gaussian(void **state)
{
    const double x[] = {0.5f, -1, 0.75f, 1.25f, 0.25f, -0.5f};
    const double tolerance[] = {0, 1e-4, 1e-3, 4e-3};

    (void)state;
    for (size_t dim = 1; dim <= 3; dim++)
        for (size_t n = 1; n <= 2; n++)
            for (int t = 0; t < 2; t++) {
                bnre_prior *prior = prior_of(dim, "normal(0, 1)");
                bnre_density density = gaussian_density(prior);
                bnre_session *session = session_for(&density, n, x);
                const double tau = t ? 0.4 : 1;
                struct exact exact = exact_of(dim, n, x, tau);
                bnre_points *points = NULL;
                bnre_posterior *posterior = NULL;

                assert_ok(bnre_session_temper(session, tau));
                assert_ok(bnre__points_grid(prior, 0, &points));
                assert_ok(bnre__posterior_create(points, &posterior));
                assert_ok(bnre__posterior_evaluate(posterior, session, NULL));
                assert_moments(posterior, &exact, tolerance[dim]);
                assert_regions(posterior, &exact);
                assert_summary(posterior, &exact, tolerance[dim]);
                assert_rank(posterior, session, &exact);
                bnre_posterior_destroy(posterior);
                bnre__points_destroy(points);
                bnre_session_close(session);
                bnre_prior_destroy(prior);
            }
}

static void tempering_afterwards_is_tempering_before(void **state)
{
    const double x = 1.5f;
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    bnre_session *session = session_for(&density, 1, &x);
    bnre_points *points = NULL;
    bnre_posterior *before = NULL, *after = NULL;
    static double log_ratio[512];

    (void)state;
    assert_ok(bnre__points_grid(prior, 512, &points));
    assert_ok(bnre__posterior_create(points, &before));
    assert_ok(bnre__posterior_create(points, &after));
    assert_ok(
        bnre_session_log_ratio(session, 512, points->theta, log_ratio, NULL));
    assert_ok(bnre__posterior_weigh(after, log_ratio, 0.3));
    assert_ok(bnre_session_temper(session, 0.3));
    assert_ok(bnre__posterior_evaluate(before, session, NULL));
    assert_memory_equal(bnre_posterior_weight(before),
                        bnre_posterior_weight(after), sizeof log_ratio);
    assert_memory_equal(bnre_posterior_log_ratio(before),
                        bnre_posterior_log_ratio(after), sizeof log_ratio);
    bnre_posterior_destroy(after);
    bnre_posterior_destroy(before);
    bnre__points_destroy(points);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

static double tilt(const void *context, size_t dim, const double *theta,
                   double *gradient)
{
    (void)context;
    (void)dim;
    (void)gradient;
    return theta[0] + 2 * theta[1];
}

/* q(a, b) = exp(a + 2 b) on the unit square: a product of exponentials. */
static void marginals_are_those_of_the_density(void **state)
{
    enum { N = 64 };
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    log_ratio_function function = {prior, tilt, NULL, 0};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    static double mass[N], edge[N + 1], middle[N], width[N], pair[N * N];
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;

    (void)state;
    assert_ok(bnre__points_grid(prior, N, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_evaluate(posterior, session, NULL));
    assert_ok(bnre_posterior_marginal(posterior, 1, mass));
    assert_ok(bnre__points_axis(points, 1, edge, middle, width));
    for (size_t k = 0; k < N; k++) {
        assert_close(edge[k], (double)k / N, 1e-15);
        assert_close(middle[k], ((double)k + 0.5) / N, 1e-15);
        assert_close(mass[k],
                     (exp(2 * edge[k + 1]) - exp(2 * edge[k])) / (exp(2) - 1),
                     1e-5);
        assert_close(mass[k] / width[k], 2 * exp(2 * middle[k]) / (exp(2) - 1),
                     1e-3);
    }
    assert_ok(bnre_posterior_marginal_pair(posterior, 1, 0, pair));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            assert_close(pair[i * N + j],
                         mass[i] * exp(middle[j]) / (exp(1) - 1) / N, 1e-7);
    assert_fails(bnre_posterior_marginal(posterior, 2, mass), BNRE_EINVAL,
                 "has 2");
    assert_fails(bnre__points_axis(points, 2, NULL, NULL, NULL), BNRE_EINVAL,
                 "no axis 2");
    assert_fails(bnre_posterior_marginal_pair(posterior, 1, 1, pair),
                 BNRE_EINVAL, "pair of one");
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* Half of the square: a flat posterior is uniform on the triangle a >= b. */
static void constraints_leave_the_rest_without_mass(void **state)
{
    const char *order = "a >= b";
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    static double zeros[1 << 16];
    double mean[2], covariance[4];

    (void)state;
    assert_ok(bnre_prior_constrain(prior, 1, &order));
    assert_ok(bnre__points_grid(prior, 256, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_weigh(posterior, zeros, 1));
    bnre_posterior_moments(posterior, mean, covariance);
    assert_close(mean[0], 2.0 / 3, 3e-3);
    assert_close(mean[1], 1.0 / 3, 3e-3);
    assert_close(covariance[1], 1.0 / 36, 3e-4);
    assert_close(bnre_posterior_evidence(posterior).log_z, 0, 1e-12);
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

/* A bank of 40,000: errors of means are sd / sqrt(ess), 4.5 of which happen
   once in 10^5 runs. */
static void a_bank_agrees_in_many_dimensions(void **state)
{
    enum { DIM = 6, N = 40000 };
    double x[DIM] = {0.5f, -0.25f, 0, 1, 0.75f, -0.5f};
    double mean[DIM], zero[DIM] = {0};
    bnre_prior *prior = prior_of(DIM, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    bnre_session *session = session_for(&density, 1, x);
    bnre_rng rng = bnre_rng_stream(7, 0, 0);
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    bnre_evidence evidence;
    bnre_region region;
    const double level = 0.9;

    (void)state;
    assert_ok(bnre__points_bank(prior, N, &rng, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_evaluate(posterior, session, NULL));
    evidence = bnre_posterior_evidence(posterior);
    assert_in_range((uintmax_t)evidence.ess, 500, N);
    assert_true(evidence.error > 0 && evidence.error < 0.05);
    assert_true(fabs(evidence.log_z) < 4.5 * evidence.error); /* Z is 1 */
    assert_true(fabs(evidence.change) < 4.5 * evidence.error);
    bnre_posterior_moments(posterior, mean, NULL);
    for (size_t i = 0; i < DIM; i++)
        assert_true(fabs(mean[i] - (double)x[i] / 2) <
                    4.5 * sqrt(0.5 / evidence.ess));
    assert_ok(bnre_posterior_regions(posterior, 1, &level, &region));
    assert_int_equal(region.parts, 0);
    assert_close(region.threshold,
                 log_normal_density(DIM, zero, NULL, 0.5) -
                     bnre__gamma_quantile(0.9, DIM / 2.0),
                 0.4);
    assert_fails(bnre_posterior_marginal(posterior, 0, mean), BNRE_EINVAL,
                 "not on a grid");
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* Draws stand for a prior without a density; ranks go by the ratio. */
static void a_prior_of_draws_works_as_a_bank(void **state)
{
    enum { N = 5000 };
    static const char *const name[] = {"a"};
    static double sample[N];
    const double x = 1;
    const double level = 0.5;
    bnre_rng rng = bnre_rng_stream(7, 1, 0);
    bnre_prior *prior = NULL;
    bnre_density density;
    bnre_session *session;
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    bnre_region region;
    double mean, mode, inside[] = {1.1, -1, 1e6};
    int contains[3];

    (void)state;
    for (size_t i = 0; i < N; i++)
        sample[i] = bnre_rng_normal(&rng);
    assert_ok(bnre_prior_create_samples(1, name, N, sample, &prior));
    density = gaussian_density(prior);
    session = session_for(&density, 1, &x);
    assert_ok(bnre__points_bank(prior, N, &rng, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_evaluate(posterior, session, NULL));
    bnre_posterior_moments(posterior, &mean, NULL);
    assert_close(mean, 0.5, 0.08);
    bnre_posterior_mode(posterior, &mode); /* of the ratio: at x */
    assert_close(mode, 1, 0.02);
    assert_ok(bnre_posterior_regions(posterior, 1, &level, &region));
    assert_true(isnan(region.volume));
    assert_ok(bnre_region_contains(&region, session, 3, inside, contains));
    assert_true(contains[0] && !contains[1] && !contains[2]);
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* Three rows, one of them twice as likely as the others: however often they are
   drawn, they are worth (1 + 1 + 2)^2 / (1 + 1 + 4) = 2.67 draws. */
static void repeated_rows_count_once(void **state)
{
    enum { N = 30000 };
    static const double sample[] = {0, -1, 0.0, 1, -0.0, 1, 2, 3};
    static const char *const name[] = {"a", "b"};
    bnre_rng rng = bnre_rng_stream(3, 1, 0);
    bnre_prior *prior = NULL;
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    double log_ratio[N] = {0};
    char why[BNRE_DOUBT] = "";

    (void)state;
    assert_ok(bnre_prior_create_samples(2, name, 4, sample, &prior));
    assert_ok(bnre__points_bank(prior, N, &rng, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_weigh(posterior, log_ratio, 1));
    assert_close(bnre_posterior_evidence(posterior).ess, 16.0 / 6, 0.03);
    assert_true(bnre__posterior_doubt(posterior, why));
    assert_true(holds_facts(why, "worth 2 ... draws of the prior"));
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
    /* Draws of a density are all different. */
    prior = prior_of(2, "normal(0, 1)");
    assert_ok(bnre__points_bank(prior, N, &rng, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_weigh(posterior, log_ratio, 1));
    assert_close(bnre_posterior_evidence(posterior).ess, N, 1e-6);
    assert_false(bnre__posterior_doubt(posterior, why));
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

static void nothing_possible_is_said(void **state)
{
    bnre_prior *prior = prior_of(1, "uniform(0, 1)");
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    const double p[] = {0.5, 1.5};
    double log_ratio[] = {-HUGE_VAL, -HUGE_VAL}, out[2];

    (void)state;
    assert_ok(bnre__points_grid(prior, 2, &points));
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_fails(bnre__posterior_weigh(posterior, log_ratio, 1), BNRE_ENUM,
                 "-inf at all 2 points");
    log_ratio[1] = NAN;
    assert_fails(bnre__posterior_weigh(posterior, log_ratio, 1), BNRE_ENUM,
                 "point 1 is NaN");
    log_ratio[1] = 0;
    assert_ok(bnre__posterior_weigh(posterior, log_ratio, 1));
    assert_fails(bnre_posterior_quantiles(posterior, 0, 2, p, out), BNRE_EINVAL,
                 "quantile 1.5");
    assert_fails(bnre_posterior_quantiles(posterior, 1, 1, p, out), BNRE_EINVAL,
                 "has 1");
    assert_ok(bnre_posterior_quantiles(posterior, 0, 1, p, out));
    assert_close(out[0], 0.75, 1e-15);
    bnre_posterior_destroy(posterior);
    bnre_posterior_destroy(NULL);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

static bnre_status use(void *arg)
{
    const double level = 0.5, p = 0.5, theta = 0.1;
    bnre_status status = BNRE_OK;
    bnre_posterior *posterior = NULL;
    bnre_points *points = NULL;
    bnre_session *session = NULL;
    bnre_region region;
    const double x = 1;
    double out;
    int inside;

    BNRE_TRY(bnre_session_open(arg, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 1, &x));
    BNRE_TRY(
        bnre__points_grid(bnre__session_density(session)->prior, 8, &points));
    BNRE_TRY(bnre__posterior_create(points, &posterior));
    BNRE_TRY(bnre__posterior_evaluate(posterior, session, NULL));
    BNRE_TRY(bnre_posterior_regions(posterior, 1, &level, &region));
    BNRE_TRY(bnre_posterior_quantiles(posterior, 0, 1, &p, &out));
    BNRE_TRY(bnre_region_contains(&region, session, 1, &theta, &inside));
done:
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_session_close(session);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);

    (void)state;
    assert_survives_lack_of_memory(use, &density);
    bnre_prior_destroy(prior);
}

/* The ratio of x = 0.5 from N(theta, 1) with theta from N(0, 1): N(0.5; theta,
   1) over N(0.5; 0, sqrt 2). Its mean over the prior is 1. */
static void evidence_far_from_0_is_told(void **state)
{
    enum { N = 4096 };
    static double exact[N], shifted[N];
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_points *points = NULL;
    bnre_posterior *posterior = NULL;
    char why[BNRE_DOUBT] = "";

    (void)state;
    assert_ok(bnre__points_grid(prior, N, &points));
    for (size_t k = 0; k < N; k++) {
        const double d = 0.5 - points->theta[k];

        exact[k] = -d * d / 2 + 0.25 / 4 + log(2) / 2;
        shifted[k] = exact[k] - 7.6;
    }
    assert_ok(bnre__posterior_create(points, &posterior));
    assert_ok(bnre__posterior_weigh(posterior, exact, 1));
    assert_false(bnre__posterior_far(posterior, 1, 1, why));
    assert_ok(bnre__posterior_weigh(posterior, shifted, 1));
    assert_true(bnre__posterior_far(posterior, 1, 1, why));
    assert_true(holds_facts(why, "evidence ... -7.6 ... 0.0005"));
    /* Of two observations it is something else. */
    assert_false(bnre__posterior_far(posterior, 2, 1, why));
    /* A temper is seen through: log Z of it alone is not 0 anyway. */
    assert_ok(bnre__posterior_weigh(posterior, exact, 0.1));
    assert_false(bnre__posterior_far(posterior, 1, 0.1, why));
    assert_ok(bnre__posterior_weigh(posterior, shifted, 0.1));
    assert_true(bnre__posterior_far(posterior, 1, 0.1, why));
    assert_true(holds_facts(why, "evidence ... -7.6"));
    bnre_posterior_destroy(posterior);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_give_the_exact_gaussian),
        cmocka_unit_test(tempering_afterwards_is_tempering_before),
        cmocka_unit_test(marginals_are_those_of_the_density),
        cmocka_unit_test(constraints_leave_the_rest_without_mass),
        cmocka_unit_test(a_bank_agrees_in_many_dimensions),
        cmocka_unit_test(a_prior_of_draws_works_as_a_bank),
        cmocka_unit_test(repeated_rows_count_once),
        cmocka_unit_test(evidence_far_from_0_is_told),
        cmocka_unit_test(nothing_possible_is_said),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
