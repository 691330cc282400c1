/* Conditional densities against exact posteriors: Gaussians of one, two and ten
   parameters, priors with one bound, two and none, a posterior with two modes,
   x that counts, and values far out.

   Tolerances are about twice what was found with the seeds given here; nothing
   depends on chance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/density.h"
#include "made.h"
#include "support.h"

enum { MOST = 10, DRAWS = 4000 };
static double drawn[DRAWS * MOST];

/* x_0 = theta_0 + noise, x_j = theta_j + theta_{j-1} / 2 + noise. */
static size_t dims;
#define NOISE 0.7

static int simulate_gaussian(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t j = 0; j < dims; j++)
        x[j] = theta[j] + (j > 0 ? theta[j - 1] / 2 : 0) +
               NOISE * bnre_rng_normal(rng);
    return 0;
}

/* The exact posterior for theta ~ N(0, I): covariance (I + A'A / s^2)^-1, by
   Gauss-Jordan, and the mean that times A'x / s^2. */
static void exact_gaussian(const double *x, double mean[MOST],
                           double covariance[MOST][MOST])
{
    double m[MOST][2 * MOST] = {{0}}, b[MOST] = {0};
    const double s = 1 / (NOISE * NOISE);

    for (size_t j = 0; j < dims; j++) {
        m[j][j] += 1 + s;
        m[j][dims + j] = 1;
        b[j] += s * x[j];
        if (j == 0)
            continue;
        m[j - 1][j - 1] += s / 4;
        m[j][j - 1] += s / 2;
        m[j - 1][j] += s / 2;
        b[j - 1] += s * x[j] / 2;
    }
    for (size_t k = 0; k < dims; k++) {
        const double pivot = m[k][k];

        for (size_t j = 0; j < 2 * dims; j++)
            m[k][j] /= pivot;
        for (size_t i = 0; i < dims; i++) {
            const double times = m[i][k];

            for (size_t j = 0; i != k && j < 2 * dims; j++)
                m[i][j] -= times * m[k][j];
        }
    }
    for (size_t i = 0; i < dims; i++) {
        mean[i] = 0;
        for (size_t j = 0; j < dims; j++) {
            covariance[i][j] = m[i][dims + j];
            mean[i] += m[i][dims + j] * b[j];
        }
    }
}

static void draw_from(const bnre_estimator *est, const double *x, size_t n)
{
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    void *session;

    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    assert_ok(q.draw(session, 3, 0, n, drawn));
    q.close(session);
}

static double mean_of(size_t i, size_t dim)
{
    double sum = 0;

    for (size_t k = 0; k < DRAWS; k++)
        sum += drawn[k * dim + i] / DRAWS;
    return sum;
}

static double covariance_of(size_t i, size_t j, size_t dim)
{
    const double a = mean_of(i, dim), b = mean_of(j, dim);
    double sum = 0;

    for (size_t k = 0; k < DRAWS; k++)
        sum += (drawn[k * dim + i] - a) * (drawn[k * dim + j] - b) / DRAWS;
    return sum;
}

/* How far means (in exact standard deviations), standard deviations
   (relative) and correlations of neighbours are off, at most. */
static void compare_gaussian(const bnre_estimator *est, const double *x,
                             double *mean, double *sd, double *correlation)
{
    double m[MOST], c[MOST][MOST];

    exact_gaussian(x, m, c);
    draw_from(est, x, DRAWS);
    for (size_t i = 0; i < dims; i++) {
        const double own = sqrt(covariance_of(i, i, dims));

        *mean = fmax(*mean, fabs(mean_of(i, dims) - m[i]) / sqrt(c[i][i]));
        *sd = fmax(*sd, fabs(own / sqrt(c[i][i]) - 1));
        if (i > 0)
            *correlation =
                fmax(*correlation,
                     fabs(covariance_of(i, i - 1, dims) / own /
                              sqrt(covariance_of(i - 1, i - 1, dims)) -
                          c[i][i - 1] / sqrt(c[i][i] * c[i - 1][i - 1])));
    }
}

static const char *name_task(size_t dim, const char *prior)
{
    static char text[1000];
    int at = snprintf(text, sizeof text, "parameters: {");

    for (size_t j = 0; j < dim; j++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%sp%zu: \"%s\"",
                       j > 0 ? ", " : "", j, prior);
    snprintf(text + at, sizeof text - (size_t)at, "}\nobservable: [%zu]\n",
             dim);
    return text;
}

static void gaussians_have_their_moments(void **state)
{
    static const size_t dim[] = {1, 2, MOST}, epochs[] = {30, 30, 20};
    double x[MOST];

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        const made of = {name_task(dim[t], "normal(0, 1)"), dim[t], dim[t],
                         simulate_gaussian, NULL};
        double mean = 0, sd = 0, correlation = 0;
        bnre_train_opts opts;
        bnre_estimator *est;

        dims = dim[t];
        opts = made_opts(&of, made_data(&of, "gaussian.csv", 4096, 11));
        opts.method = BNRE_METHOD_BNPE;
        opts.epochs = epochs[t];
        opts.members = 2;
        est = made_train(&opts, NULL);
        for (int k = -1; k <= 1; k++) {
            for (size_t j = 0; j < dims; j++)
                x[j] = k * (j % 2 == 0 ? 1.2 : -0.8);
            compare_gaussian(est, x, &mean, &sd, &correlation);
        }
        assert_true(mean < 0.5);
        assert_true(sd < 0.2);
        assert_true(correlation < 0.2);
        bnre_estimator_close(est);
    }
}

/* ---- one parameter and any prior ---- */

static int add_noise(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = theta[0] + 0.5 * bnre_rng_normal(rng);
    return 0;
}

/* Only |theta| is seen. */
static int hide_sign(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = fabs(theta[0]) + 0.3 * bnre_rng_normal(rng);
    return 0;
}

/* Of four throws with the probability theta. */
static int count_hits(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = 0;
    for (int i = 0; i < 4; i++)
        x[0] += bnre_rng_uniform(rng) < theta[0];
    return 0;
}

static double normal_at(double v, double sd)
{
    return exp(-0.5 * v * v / (sd * sd)) / sd;
}

static double likelihood_of(int (*simulate)(bnre_rng *, const double *,
                                            double *),
                            double theta, double x)
{
    if (simulate == add_noise)
        return normal_at(x - theta, 0.5);
    if (simulate == hide_sign)
        return normal_at(x - fabs(theta), 0.3);
    return pow(theta, x) * pow(1 - theta, 4 - x);
}

/* Quantile p_k of the prior, k of N in the middle of equal masses; where the
   mass of q and the exact posterior lie among these. */
enum { NODES = 4000 };

static void compare_line(const made *of, size_t n, const double *observed,
                         double most)
{
    bnre_train_opts opts = made_opts(of, made_data(of, "line.csv", 2048, 12));
    static double theta[NODES], l[NODES];
    bnre_estimator *est;
    bnre_density q;
    void *session;

    opts.method = BNRE_METHOD_BNPE;
    opts.epochs = 60;
    opts.members = 2;
    est = made_train(&opts, NULL);
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    for (size_t k = 0; k < NODES; k++)
        theta[k] = bnre_prior_quantile(q.prior, 0, ((double)k + 0.5) / NODES);
    assert_ok(q.open(q.context, &session));
    for (size_t i = 0; i < n; i++) {
        double mass = 0, exact = 0, distance = 0, ours = 0, theirs = 0;

        assert_ok(q.observe(session, &observed[i]));
        assert_ok(q.log_ratio(session, NODES, theta, l, NULL));
        for (size_t k = 0; k < NODES; k++) {
            mass += exp(l[k]) / NODES;
            exact += likelihood_of(of->simulate, theta[k], observed[i]) / NODES;
        }
        for (size_t k = 0; k < NODES; k++) {
            ours += exp(l[k]) / NODES;
            theirs += likelihood_of(of->simulate, theta[k], observed[i]) /
                      NODES / exact;
            distance = fmax(distance, fabs(ours - theirs));
        }
        /* Nodes of equal prior mass: the rule of midpoints. */
        assert_close(mass, 1, 1e-4);
        assert_true(distance < most);
    }
    q.close(session);
    bnre_estimator_close(est);
}

static void every_kind_of_prior_has_its_posterior(void **state)
{
    static const struct {
        const char *prior;
        double x[3];
    } kind[] = {{"uniform(-1, 2)", {-1, 0.5, 2.2}},
                {"exponential(1)", {0, 0.7, 2}},
                {"normal(0, 1)", {-1.5, 0, 1}}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const made of = {name_task(1, kind[i].prior), 1, 1, add_noise, NULL};

        compare_line(&of, 3, kind[i].x, 0.1);
    }
}

static void two_modes_stay_two(void **state)
{
    static const double x[] = {0.2, 0.8, 1.6};
    const made of = {name_task(1, "uniform(-2, 2)"), 1, 1, hide_sign, NULL};

    (void)state;
    compare_line(&of, 3, x, 0.1);
}

static void x_may_count(void **state)
{
    static const double x[] = {0, 1, 2, 3, 4};
    const made of = {name_task(1, "uniform(0, 1)"), 1, 1, count_hits, NULL};

    (void)state;
    compare_line(&of, 5, x, 0.08);
}

/* ---- values far out ---- */

/* An observation five prior standard deviations out, a truth on the bound and
   one far out in the tail give numbers, and no more than the prior allows. */
static void extremes_have_finite_numbers(void **state)
{
    static const char *const prior[] = {"uniform(-1, 2)", "exponential(1)",
                                        "normal(0, 1)"};
    static const double theta[][4] = {
        {-1, 2, 0.5, 1.999999}, {0, 40, 1e-12, 1}, {-9, 9, 0, 5}};
    static const double x[] = {-6, 6, 0, 1e6};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const made of = {name_task(1, prior[i]), 1, 1, add_noise, NULL};
        bnre_train_opts opts =
            made_opts(&of, made_data(&of, "far.csv", 1024, 13));
        double l[4], slope[4];
        bnre_estimator *est;
        bnre_density q;
        void *session;

        opts.members = 1;
        opts.epochs = 20;
        est = made_train(&opts, NULL);
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(q.open(q.context, &session));
        for (size_t k = 0; k < 4; k++) {
            assert_ok(q.observe(session, &x[k]));
            assert_ok(q.log_ratio(session, 4, theta[i], l, slope));
            for (size_t j = 0; j < 4; j++) {
                assert_true(isfinite(l[j]));
                assert_true(isfinite(slope[j]));
            }
            assert_ok(q.draw(session, 1, 0, 1000, drawn));
            for (size_t j = 0; j < 1000; j++) {
                assert_true(isfinite(drawn[j]));
                assert_true(bnre_prior_log_density(q.prior, &drawn[j]) >
                            -HUGE_VAL);
            }
        }
        q.close(session);
        bnre_estimator_close(est);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussians_have_their_moments),
        cmocka_unit_test(every_kind_of_prior_has_its_posterior),
        cmocka_unit_test(two_modes_stay_two),
        cmocka_unit_test(x_may_count),
        cmocka_unit_test(extremes_have_finite_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
