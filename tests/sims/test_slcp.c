/* SLCP against an independent implementation and against its own law.

   Comparisons in standard errors allow 4.5 of them; there are about 350, so a
   correct simulator would fail with one seed in 400. The seed is fixed. */
#include <math.h>
#include <string.h>

#include "agreement.h"
#include "simrun.h"
#include "support.h"

enum { DIM = 8 };

static double *rows_at(const simrun *run, size_t n, const double *theta)
{
    double *x = NULL;

    assert_non_null(x = bnre__alloc(n * DIM, sizeof *x));
    for (size_t i = 0; i < n; i++)
        simrun_draw(run, i, theta, NULL, x + i * DIM);
    return x;
}

/* Average over pairs of different points of (z1 z2)(z1 z2), whose mean is
   E[rho^2]. */
static double distinct_product(const double *x, const double *theta)
{
    double sum = 0, squares = 0;

    for (int i = 0; i < 4; i++) {
        double z1 = (x[2 * i] - 0.7) / (theta[0] * theta[0]);
        double z2 = (x[2 * i + 1] + 2.9) / (theta[1] * theta[1]);

        sum += z1 * z2;
        squares += z1 * z2 * z1 * z2;
    }
    return (sum * sum - squares) / 12;
}

static void statistics_agree_with_the_reference(void **state)
{
    enum { N = 40000 };
    ref *root = ref_load("slcp.json");
    simrun run = simrun_open("slcp", 0, 11);

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "points")); k++) {
        const ref *point = ref_at(root, "points/%zu", k);
        double draws = ref_number(ref_at(point, "draws"));
        double theta[2], product[N], error, mean, *x;

        ref_numbers(ref_at(point, "theta"), 2, theta);
        x = rows_at(&run, N, theta);
        assert_agrees(ref_at(point, "stats"), draws, N, DIM, x, AGREE_ALL);
        for (size_t i = 0; i < N; i++)
            product[i] = distinct_product(x + i * DIM, theta);
        mean = sample_mean(N, product, 1, &error);
        assert_same_mean(
            mean, error,
            ref_number(ref_at(point, "stats/standardised/"
                                     "mean_of_product_over_distinct_points")),
            error * sqrt(N / draws));
        assert_same_mean(mean, error, 1 - tanh(3) / 3, 0);
        bnre__free(x);
    }
    simrun_close(&run);
    ref_free(root);
}

/* x is heavy-tailed over the prior: quantiles only. */
static void prior_predictive_agrees_with_the_reference(void **state)
{
    enum { N = 40000 };
    ref *root = ref_load("slcp.json");
    const ref *prior = ref_at(root, "prior_predictive");
    double draws = ref_number(ref_at(prior, "draws"));
    simrun run = simrun_open("slcp", 0, 12);
    double *x = rows_at(&run, N, NULL), theta[2 * N], product[N];
    double nuisance, mean, error;

    (void)state;
    assert_agrees(ref_at(prior, "stats"), draws, N, DIM, x, AGREE_QUANTILES);
    for (size_t i = 0; i < N; i++) {
        simrun_prior(&run, i, theta + 2 * i, &nuisance);
        product[i] = distinct_product(x + i * DIM, theta + 2 * i);
    }
    assert_agrees(ref_at(prior, "theta"), draws, N, 2, theta, AGREE_ALL);
    mean = sample_mean(N, product, 1, &error);
    assert_same_mean(mean, error, 1 - tanh(3) / 3, 0);
    bnre__free(x);
    simrun_close(&run);
    ref_free(root);
}

/* Given u, what z2 has beyond tanh(u) z1 is normal with deviation 1/cosh(u) and
   independent of z1. */
static void given_u_the_correlation_is_its_tanh(void **state)
{
    enum { N = 5000 };
    const double theta[] = {1.5, 0.8}, u[] = {-2, 0.4, 2.9};
    simrun run = simrun_open("slcp", 0, 19);
    static double square[4 * N], product[4 * N];

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        double x[DIM], mean, error;

        for (size_t i = 0; i < 4 * N; i++) {
            size_t point = i % 4;
            double z1, z2, rest;

            if (point == 0)
                simrun_draw(&run, i / 4, theta, &u[k], x);
            z1 = (x[2 * point] - 0.7) / (1.5 * 1.5);
            z2 = (x[2 * point + 1] + 2.9) / (0.8 * 0.8);
            rest = (z2 - tanh(u[k]) * z1) * cosh(u[k]);
            square[i] = rest * rest;
            product[i] = rest * z1;
        }
        mean = sample_mean(4 * N, square, 1, &error);
        assert_same_mean(mean, error, 1, 0);
        mean = sample_mean(4 * N, product, 1, &error);
        assert_same_mean(mean, error, 0, 0);
    }
    simrun_close(&run);
}

static void only_squares_of_theta_enter(void **state)
{
    simrun run = simrun_open("slcp", 0, 13);
    double plus[] = {1.5, 0.5}, minus[] = {-1.5, -0.5}, u = 0.3;
    double a[DIM], b[DIM];

    (void)state;
    simrun_draw(&run, 0, plus, &u, a);
    simrun_draw(&run, 0, minus, &u, b);
    assert_memory_equal(a, b, sizeof a);
    assert_close(run.record->log_likelihood(NULL, plus, a),
                 run.record->log_likelihood(NULL, minus, a), 0);
    simrun_close(&run);
}

/* Near 0 the covariance vanishes in single precision: the correlation is drawn
   anew while that can help, and the row is given up when it cannot. */
static void tiny_scales_redraw_the_correlation(void **state)
{
    simrun run = simrun_open("slcp", 0, 14);
    char reason[BNRE_REASON_SIZE] = "";
    double theta[] = {8e-12, 8e-12}, zero[] = {0, 1}, u = 2.999, x[DIM];
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    size_t redrawn = 0;

    (void)state;
    assert_int_equal(run.record->draw(NULL, &rng, zero, &u, x, reason),
                     BNRE_DRAW_INVALID);
    assert_non_null(strstr(reason, "not positive definite"));
    for (size_t i = 0; i < 100; i++) {
        rng = bnre_rng_stream(1, 0, i);
        assert_int_equal(run.record->draw(NULL, &rng, theta, &u, x, reason),
                         BNRE_DRAW_OK);
        assert_close(x[0], 0.7, 1e-12);
        assert_close(x[1], -2.9, 1e-12);
        redrawn += 4 * rng.block - (BNRE_RNG_WORDS - rng.used) > 2 * DIM;
    }
    assert_int_equal(redrawn, 100);
    simrun_close(&run);
}

/* log of the product of four bivariate normal densities, as the model says. */
static double log_joint(const double *theta, const double *x, double u)
{
    double s1 = theta[0] * theta[0], s2 = theta[1] * theta[1];
    double rho = tanh(u), rest = 1 - rho * rho, log_p = 0;

    for (int i = 0; i < 4; i++) {
        double z1 = (x[2 * i] - 0.7) / s1, z2 = (x[2 * i + 1] + 2.9) / s2;

        log_p -= (z1 * z1 - 2 * rho * z1 * z2 + z2 * z2) / (2 * rest) +
                 log(2 * 3.14159265358979323846 * s1 * s2) + 0.5 * log(rest);
    }
    return log_p;
}

struct shifted {
    const double *theta, *x;
    double top;
};

static double value(const struct shifted *f, double u)
{
    return exp(log_joint(f->theta, f->x, u) - f->top);
}

/* Simpson's rule on (a, b), refined until two levels agree. */
static double simpson(const struct shifted *f, double a, double fa, double b,
                      double fb, double fm, int depth)
{
    double h = b - a, middle = a + h / 2;
    double left = value(f, a + h / 4), right = value(f, b - h / 4);
    double coarse = h / 6 * (fa + 4 * fm + fb);
    double fine = h / 12 * (fa + 4 * left + 2 * fm + 4 * right + fb);

    if (depth == 0 || fabs(fine - coarse) <= 1e-12 * fine + 1e-18)
        return fine + (fine - coarse) / 15;
    return simpson(f, a, fa, middle, fm, left, depth - 1) +
           simpson(f, middle, fm, b, fb, right, depth - 1);
}

/* log of the mean over u of the product of the densities. */
static double brute_force(const double *theta, const double *x)
{
    enum { PANELS = 4000 };
    const double h = 6.0 / PANELS;
    struct shifted f = {theta, x, -INFINITY};
    double sum = 0;

    for (int k = 0; k <= 2 * PANELS; k++)
        f.top = fmax(f.top, log_joint(theta, x, -3 + k * h / 2));
    for (int k = 0; k < PANELS; k++) {
        double a = -3 + k * h, b = a + h;

        sum += simpson(&f, a, value(&f, a), b, value(&f, b),
                       value(&f, a + h / 2), 20);
    }
    return f.top + log(sum / 6);
}

/* At the truth, and at parameters that make the integrand broad (theta large),
   narrow or huddled at an end (theta small). */
static void likelihood_is_the_integral_over_correlations(void **state)
{
    const double factor[] = {0.1, 0.3, 1, 1.3, 5};
    simrun run = simrun_open("slcp", 0, 15);

    (void)state;
    for (size_t row = 0; row < 12; row++) {
        double truth[2], nuisance, x[DIM];

        simrun_prior(&run, row, truth, &nuisance);
        simrun_draw(&run, row, NULL, NULL, x);
        for (size_t i = 0; i < 5; i++) {
            double theta[] = {truth[0] * factor[i],
                              truth[1] * factor[(i + row) % 5]};

            assert_close(run.record->log_likelihood(NULL, theta, x),
                         brute_force(theta, x), 1e-10);
        }
    }
    simrun_close(&run);
}

/* The likelihood is normalised in x: with draws from theta, the mean of
   p(x | other) / p(x | theta) is 1. */
static void likelihood_is_normalised(void **state)
{
    enum { N = 20000 };
    const double theta[] = {1.2, 0.9}, other[] = {1.15, 0.93};
    simrun run = simrun_open("slcp", 0, 16);
    double ratio[N], error, mean, *x = rows_at(&run, N, theta);

    (void)state;
    for (size_t i = 0; i < N; i++)
        ratio[i] = exp(run.record->log_likelihood(NULL, other, x + i * DIM) -
                       run.record->log_likelihood(NULL, theta, x + i * DIM));
    mean = sample_mean(N, ratio, 1, &error);
    assert_same_mean(mean, error, 1, 0);
    assert_true(error < 0.01);
    bnre__free(x);
    simrun_close(&run);
}

static void likelihood_survives_extremes(void **state)
{
    simrun run = simrun_open("slcp", 0, 17);
    double x[DIM], middle[] = {0.7, -2.9, 0.7, -2.9, 0.7, -2.9, 0.7, -2.9};
    double line[] = {1.7, -1.9, -0.3, -3.9, 2.7, -0.9, 0.7, -2.9};
    double zero[] = {0, 0}, one[] = {1, 1}, before = INFINITY;

    (void)state;
    simrun_draw(&run, 0, one, NULL, x);
    assert_true(run.record->log_likelihood(NULL, zero, x) == -INFINITY);
    for (double t = 1e-1; t > 1e-160; t /= 10) {
        double theta[] = {t, t};
        double now = run.record->log_likelihood(NULL, theta, x);

        assert_true(now < before || now == -INFINITY);
        before = now;
    }
    /* All points at the mean, and all on a line where z1 = z2. */
    assert_close(run.record->log_likelihood(NULL, one, middle),
                 brute_force(one, middle), 1e-10);
    assert_close(run.record->log_likelihood(NULL, one, line),
                 brute_force(one, line), 1e-10);
    simrun_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_agree_with_the_reference),
        cmocka_unit_test(prior_predictive_agrees_with_the_reference),
        cmocka_unit_test(given_u_the_correlation_is_its_tanh),
        cmocka_unit_test(only_squares_of_theta_enter),
        cmocka_unit_test(tiny_scales_redraw_the_correlation),
        cmocka_unit_test(likelihood_is_the_integral_over_correlations),
        cmocka_unit_test(likelihood_is_normalised),
        cmocka_unit_test(likelihood_survives_extremes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
