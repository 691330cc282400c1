/* Conditional densities under a prior that is known by 5,000 draws, against the
   exact posterior of a Gaussian. */
#include <math.h>
#include <stdio.h>

#include "infer/estimator/evaluator.h"
#include "made.h"
#include "support.h"

enum { ROWS = 5000 };
#define CORRELATION 0.6

/* theta ~ N((2, -1), 1 with correlation), x = theta + N(0, 1/4). */
static double sample[ROWS][2];

static int add_noise(bnre_rng *rng, const double *theta, double *x)
{
    for (size_t i = 0; i < 2; i++)
        x[i] = theta[i] + 0.5 * bnre_rng_normal(rng);
    return 0;
}

static void draw_prior(bnre_rng *rng, double *theta)
{
    const size_t k = (size_t)bnre_rng_below(rng, ROWS);

    theta[0] = sample[k][0];
    theta[1] = sample[k][1];
}

static const made gaussian = {"parameters: {a: samples, b: samples}\n"
                              "prior_samples: prior.csv\n"
                              "observable: [2]\n",
                              2, 2, add_noise, draw_prior};

static void write_prior(void)
{
    FILE *file = fopen(scratch_path("prior.csv"), "w");
    bnre_rng rng = bnre_rng_stream(61, 0, 0);

    assert_non_null(file);
    fprintf(file, "a,b\n");
    for (size_t k = 0; k < ROWS; k++) {
        const double u = bnre_rng_normal(&rng), v = bnre_rng_normal(&rng);

        sample[k][0] = 2 + u;
        sample[k][1] =
            -1 + CORRELATION * u + sqrt(1 - CORRELATION * CORRELATION) * v;
        fprintf(file, "%.17g,%.17g\n", sample[k][0], sample[k][1]);
    }
    assert_int_equal(fclose(file), 0);
}

/* log N(v; mean, s), s = {variance, covariance} of two alike. */
static double log_normal(const double *v, const double *mean, double variance,
                         double covariance)
{
    const double d0 = v[0] - mean[0], d1 = v[1] - mean[1];
    const double det = variance * variance - covariance * covariance;

    return -log(6.283185307179586) - 0.5 * log(det) -
           0.5 * (variance * (d0 * d0 + d1 * d1) - 2 * covariance * d0 * d1) /
               det;
}

/* The exact posterior: N(mean + K (x - mean), (1 - K) C) with C the prior's
   covariance and K = C (C + 1/4)^-1, which has the form [k l; l k]. */
static void exact(const double *x, double *mean, double *variance,
                  double *covariance)
{
    const double c = CORRELATION, s = 1.25, det = s * s - c * c;
    const double k = (s - c * c) / det, l = (c * s - c) / det;
    const double d0 = x[0] - 2, d1 = x[1] + 1;

    mean[0] = 2 + k * d0 + l * d1;
    mean[1] = -1 + l * d0 + k * d1;
    *variance = (1 - k) - l * c;
    *covariance = (1 - k) * c - l;
}

static double exact_log_ratio(const double *theta, const double *x)
{
    static const double prior_mean[] = {2, -1};
    double mean[2], variance, covariance;

    exact(x, mean, &variance, &covariance);
    return log_normal(theta, mean, variance, covariance) -
           log_normal(theta, prior_mean, 1, CORRELATION);
}

/* Trained once each; closed at the end. */
static bnre_estimator *trained[BNRE_METHOD_BNPE + 1];

static bnre_estimator *train(int method, bnre_train_result *result)
{
    bnre_train_opts opts;

    if (trained[method] != NULL)
        return trained[method];
    write_prior();
    opts = made_opts(&gaussian, made_data(&gaussian, "drawn.csv", 4096, 3));
    opts.method = method;
    opts.members = 2;
    trained[method] = made_train(&opts, result);
    return trained[method];
}

/* 1,000 fresh pairs: the information is 1.49 nats, and the log ratio misses the
   exact one by 0.3 or so. */
static void the_log_ratio_is_the_exact_one(void **state)
{
    enum { PAIRS = 1000 };
    static double theta[PAIRS][2], x[PAIRS][2], out[PAIRS];

    (void)state;
    for (int method = BNRE_METHOD_NPE; method <= BNRE_METHOD_BNPE; method++) {
        bnre_train_result result;
        bnre_estimator *est = train(method, &result);
        double squares = 0, mean = 0, gain = 0;

        for (uint64_t i = 0; i < PAIRS; i++) {
            bnre_rng rng = bnre_rng_stream(62, 0, i);

            draw_prior(&rng, theta[i]);
            (void)add_noise(&rng, theta[i], x[i]);
        }
        assert_ok(
            bnre_estimator_log_ratio(est, NULL, PAIRS, theta[0], x[0], out));
        for (size_t i = 0; i < PAIRS; i++) {
            const double miss = out[i] - exact_log_ratio(theta[i], x[i]);

            mean += miss / PAIRS;
            squares += miss * miss / PAIRS;
            gain += exact_log_ratio(theta[i], x[i]) / PAIRS;
        }
        assert_true(sqrt(squares) < 0.35);
        assert_close(mean, -0.02, 0.06);
        assert_close(result.information, gain, 0.2);
        /* Balanced against the fitted prior: the penalty is no burden. */
        assert_close(result.balance, 1, 0.05);
    }
}

/* Moments of 4,000 draws; those of a good estimator are within a tenth or so of
   a prior standard deviation. */
static void draws_are_those_of_the_posterior(void **state)
{
    static const double x[][2] = {{2, -1}, {3.2, -1.5}, {0.4, -2}};
    enum { DRAWS = 4000 };
    static double draw[DRAWS][2];
    bnre_estimator *est = train(BNRE_METHOD_BNPE, NULL);
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    void *session;

    (void)state;
    assert_non_null(q.draw);
    assert_ok(q.open(q.context, &session));
    for (size_t i = 0; i < 3; i++) {
        double mean[2], variance, covariance, m[2] = {0}, s[2] = {0}, c = 0;

        exact(x[i], mean, &variance, &covariance);
        assert_ok(q.observe(session, x[i]));
        assert_ok(q.draw(session, 9, 0, DRAWS, draw[0]));
        for (size_t k = 0; k < DRAWS; k++)
            for (size_t j = 0; j < 2; j++)
                m[j] += draw[k][j] / DRAWS;
        for (size_t k = 0; k < DRAWS; k++) {
            for (size_t j = 0; j < 2; j++)
                s[j] += (draw[k][j] - m[j]) * (draw[k][j] - m[j]) / DRAWS;
            c += (draw[k][0] - m[0]) * (draw[k][1] - m[1]) / DRAWS;
        }
        for (size_t j = 0; j < 2; j++) {
            assert_close(m[j], mean[j], 0.12);
            assert_close(sqrt(s[j]), sqrt(variance), 0.12 * sqrt(variance));
        }
        assert_close(c / sqrt(s[0] * s[1]), covariance / variance, 0.15);
    }
    q.close(session);
}

/* Both densities are normalised on the box of the draws: the integral of q over
   theta, with g's own coordinates, is the mean of q / g over draws of g; here
   by midpoints in coordinates. Gradients match differences. */
static void densities_are_normalised_and_have_gradients(void **state)
{
    enum { SIDE = 300 };
    static double theta[SIDE][2], l[SIDE];
    static const double x[] = {2.5, -1};
    bnre_estimator *est = train(BNRE_METHOD_NPE, NULL);
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre__evaluator *eval;
    double both[2] = {0}, at[] = {2.3, -0.8}, d[2], up, down, junk;
    void *session;

    (void)state;
    assert_ok(q.open(q.context, &session));
    eval = session;
    assert_ok(q.observe(session, x));
    for (size_t i = 0; i < SIDE; i++) {
        for (size_t k = 0; k < SIDE; k++) {
            const bnre__coordinates *c = est->conditional->coordinates;

            theta[k][0] = bnre__coordinates_value(c, 0, theta[k],
                                                  ((double)i + 0.5) / SIDE);
            theta[k][1] = bnre__coordinates_value(c, 1, theta[k],
                                                  ((double)k + 0.5) / SIDE);
        }
        for (size_t k = 0; k < SIDE; k += 150) {
            assert_ok(q.log_ratio(session, 150, theta[k], l, NULL));
            for (size_t m = 0; m < 150; m++) {
                const double g = exp((double)eval->log_prior[m]);

                both[0] += g / (SIDE * (double)SIDE);
                both[1] += g * exp(l[m]) / (SIDE * (double)SIDE);
            }
        }
    }
    assert_close(both[0], 1, 1e-4);
    assert_close(both[1], 1, 1e-4);
    assert_ok(q.log_ratio(session, 1, at, &junk, d));
    for (size_t j = 0; j < 2; j++) {
        const double keep = at[j], h = 0.01;

        at[j] = keep + h;
        assert_ok(q.log_ratio(session, 1, at, &up, NULL));
        at[j] = keep - h;
        assert_ok(q.log_ratio(session, 1, at, &down, NULL));
        at[j] = keep;
        assert_close(d[j], (up - down) / (2 * h), 0.02 * (1 + fabs(d[j])));
    }
    q.close(session);
}

static int close_all(void **state)
{
    (void)state;
    bnre_estimator_close(trained[BNRE_METHOD_NPE]);
    bnre_estimator_close(trained[BNRE_METHOD_BNPE]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_ratio_is_the_exact_one),
        cmocka_unit_test(draws_are_those_of_the_posterior),
        cmocka_unit_test(densities_are_normalised_and_have_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, close_all);
}
