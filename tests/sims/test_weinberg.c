/* Weinberg against an independent implementation and against its own law.

   Comparisons in standard errors allow 4.5 of them, p-values 1e-6; there are
   about 250, so a correct simulator would fail with one seed in 500. The seed
   is fixed. */
#include <math.h>
#include <stdlib.h>

#include "agreement.h"
#include "simrun.h"
#include "support.h"

enum { VALUES = 20, REFERENCE = 0, TEXTBOOK = 1 };

static double *rows_at(const simrun *run, size_t n, const double *theta)
{
    double *x = NULL;

    assert_non_null(x = bnre__alloc(n * VALUES, sizeof *x));
    for (size_t i = 0; i < n; i++)
        simrun_draw(run, i, theta, NULL, x + i * VALUES);
    return x;
}

/* The acceptance probability as the model states it. */
static double acceptance(int rule, double theta, double c)
{
    double a = 2 * tanh(10 * (2 * 40 - 90) / 90.0) * theta;
    double f = (1 + c * c + a * c) / (8.0 / 3), max = (2 + fabs(a)) / (8.0 / 3);

    return fmin(1, fmax(0, f / (rule == REFERENCE ? max * max : max)));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Statistics per simulation: the mean of the values, and the k-th smallest. */
static void compare_per_draw(const ref *stats, double draws, size_t n,
                             double *x)
{
    double *mean = NULL, sorted_means[VALUES], ours, error;

    assert_non_null(mean = bnre__alloc(n, sizeof *mean));
    for (size_t i = 0; i < n; i++) {
        mean[i] = sample_mean(VALUES, x + i * VALUES, 1, &error);
        qsort(x + i * VALUES, VALUES, sizeof *x, ascending);
    }
    assert_agrees(ref_at(stats, "per_draw_mean_of_20"), draws, n, 1, mean,
                  AGREE_MEAN | AGREE_STD | AGREE_QUANTILES);
    ref_numbers(ref_at(stats, "per_draw_sorted_means"), VALUES, sorted_means);
    for (size_t k = 0; k < VALUES; k++) {
        ours = sample_mean(n, x + k, VALUES, &error);
        assert_same_mean(ours, error, sorted_means[k],
                         error * sqrt((double)n / draws));
    }
    bnre__free(mean);
}

static void statistics_agree_with_the_reference(void **state)
{
    enum { N = 10000, BINS = 20 };
    ref *root = ref_load("weinberg.json");
    simrun run = simrun_open("weinberg", REFERENCE, 21);

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "points")); k++) {
        const ref *point = ref_at(root, "points/%zu", k);
        const ref *pooled = ref_at(point, "stats/pooled");
        double draws = ref_number(ref_at(point, "draws")), count[BINS] = {0};
        double theta = ref_number(ref_at(point, "theta/0")), expected[BINS];
        double *x = rows_at(&run, N, &theta);

        assert_agrees(pooled, VALUES * draws, VALUES * N, 1, x,
                      AGREE_MEAN | AGREE_STD | AGREE_QUANTILES);
        ref_numbers(ref_at(pooled, "histogram_20_bins_minus1_to_1"), BINS,
                    expected);
        for (size_t i = 0; i < VALUES * N; i++)
            count[(int)((x[i] + 1) * BINS / 2)]++;
        for (int i = 0; i < BINS; i++)
            assert_same_share(count[i], VALUES * N, expected[i],
                              VALUES * draws);
        compare_per_draw(ref_at(point, "stats"), draws, N, x);
        bnre__free(x);
    }
    simrun_close(&run);
    ref_free(root);
}

/* Values of one simulation share theta, so only statistics per simulation have
   known errors here. */
static void prior_predictive_agrees_with_the_reference(void **state)
{
    enum { N = 10000 };
    ref *root = ref_load("weinberg.json");
    const ref *prior = ref_at(root, "prior_predictive");
    double draws = ref_number(ref_at(prior, "draws"));
    simrun run = simrun_open("weinberg", REFERENCE, 22);
    double *x = rows_at(&run, N, NULL), theta[N];

    (void)state;
    compare_per_draw(ref_at(prior, "stats"), draws, N, x);
    for (size_t i = 0; i < N; i++)
        simrun_prior(&run, i, theta + i, NULL);
    assert_agrees(ref_at(prior, "theta"), draws, N, 1, theta,
                  AGREE_MEAN | AGREE_STD | AGREE_QUANTILES);
    bnre__free(x);
    simrun_close(&run);
    ref_free(root);
}

/* Chi-square of n values against the acceptance rule; bins that are expected
   to stay nearly empty are added to their neighbours. */
static double fit_pvalue(int rule, double theta, size_t n, const double *x)
{
    enum { BINS = 50, NODES = 400 };
    double expected[BINS] = {0}, count[BINS] = {0}, total = 0;
    double chi2 = 0, e = 0, c = 0;
    int cells = 0;

    for (int i = 0; i < BINS * NODES; i++) {
        double p = acceptance(rule, theta, -1 + (2.0 * i + 1) / (BINS * NODES));

        expected[i / NODES] += p;
        total += p;
    }
    for (size_t i = 0; i < n; i++)
        count[(int)((x[i] + 1) * BINS / 2)]++;
    for (int i = 0; i < BINS; i++) {
        e += (double)n * expected[i] / total;
        c += count[i];
        if (e > 20) {
            chi2 += (c - e) * (c - e) / e;
            cells++;
            e = c = 0;
        }
    }
    if (c > 0 || e > 0)
        chi2 += (c - e) * (c - e) / (e + 20);
    return chi_square_pvalue(chi2, cells - 1);
}

/* Below 0.4144 the reference is flat at the top, above 1.2431 both rules leave
   out an interval. Values outside the prior are drawn correctly too: 0 is
   clipped at both ends, -1 mirrors 1. */
static void values_follow_the_clipped_density(void **state)
{
    enum { N = 20000 };
    const double theta[] = {-1, 0, 0.1, 0.25, 0.35, 0.42, 0.8, 1.25, 1.6, 2};

    (void)state;
    for (int rule = REFERENCE; rule <= TEXTBOOK; rule++) {
        simrun run = simrun_open("weinberg", rule, 23);

        for (size_t k = 0; k < sizeof theta / sizeof *theta; k++) {
            double *x = rows_at(&run, N, &theta[k]);

            for (size_t i = 0; i < VALUES * N; i++)
                assert_true(acceptance(rule, theta[k], x[i]) > 0);
            assert_true(fit_pvalue(rule, theta[k], VALUES * N, x) > 1e-6);
            bnre__free(x);
        }
        simrun_close(&run);
    }
}

/* The two rules differ by a twentieth or so where the reference clips, and the
   test above can notice: here its p-value is below 1e-15. */
static void the_rules_are_told_apart(void **state)
{
    enum { N = 40000 };
    const double theta = 0.25;
    simrun run = simrun_open("weinberg", TEXTBOOK, 24);
    double *x = rows_at(&run, N, &theta);

    (void)state;
    assert_true(fit_pvalue(REFERENCE, theta, VALUES * N, x) < 1e-6);
    bnre__free(x);
    simrun_close(&run);
}

static void likelihood_is_the_normalised_acceptance(void **state)
{
    enum { NODES = 20000 };
    const double theta[] = {-1.5, 0, 0.05, 0.25, 0.4, 0.4144, 1, 1.3, 2};

    (void)state;
    for (int rule = REFERENCE; rule <= TEXTBOOK; rule++) {
        simrun run = simrun_open("weinberg", rule, 25);

        for (size_t k = 0; k < sizeof theta / sizeof *theta; k++) {
            double sum = 0, density = 0, x[VALUES], ours;

            for (int i = 0; i < NODES; i++)
                sum += 2 *
                       acceptance(rule, theta[k], -1 + (2.0 * i + 1) / NODES) /
                       NODES;
            for (int i = 0; i < VALUES; i++) {
                x[i] = theta[k] >= 0 ? 0.04 * i - 0.95 : 0.95 - 0.04 * i;
                density += log(acceptance(rule, theta[k], x[i]) / sum);
            }
            ours = run.record->log_likelihood(run.state, &theta[k], x);
            assert_close(ours, density, 1e-6);
        }
        simrun_close(&run);
    }
}

static void impossible_values_have_no_likelihood(void **state)
{
    const double theta = 2, outside = 1.0001, between = 0.5;
    simrun run = simrun_open("weinberg", REFERENCE, 26);
    double x[VALUES] = {0};

    (void)state;
    assert_true(isfinite(run.record->log_likelihood(run.state, &theta, x)));
    x[7] = between; /* 1 + c^2 + a c < 0 */
    assert_true(run.record->log_likelihood(run.state, &theta, x) == -INFINITY);
    x[7] = outside;
    assert_true(run.record->log_likelihood(run.state, &theta, x) == -INFINITY);
    x[7] = NAN;
    assert_true(run.record->log_likelihood(run.state, &theta, x) == -INFINITY);
    simrun_close(&run);
}

/* The exact posterior on a grid over the prior: its mean log density at the
   truth has been computed independently to be 0.178 +- 0.006 (median 0.296,
   standard deviation 0.62), and the truth is uniform among its quantiles. */
static void exact_posterior_has_the_known_score(void **state)
{
    enum { N = 4000, NODES = 350 };
    const double low = 0.25, width = 1.75 / NODES;
    simrun run = simrun_open("weinberg", REFERENCE, 27);
    static double log_p[N], rank[N], x[VALUES];
    double error, mean;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        double theta, sum = 0, below = 0, top;

        simrun_draw(&run, i, NULL, NULL, x);
        simrun_prior(&run, i, &theta, NULL);
        top = run.record->log_likelihood(run.state, &theta, x);
        for (int k = 0; k < NODES; k++) {
            double node = low + (k + 0.5) * width;
            double p =
                exp(run.record->log_likelihood(run.state, &node, x) - top);
            double part = (theta - low) / width - k;

            sum += p;
            below += p * fmin(1, fmax(0, part));
        }
        log_p[i] = -log(sum * width);
        rank[i] = below / sum;
    }
    mean = sample_mean(N, log_p, 1, &error);
    assert_same_mean(mean, error, 0.178, 0.006);
    assert_close(error * sqrt(N), 0.62, 0.04);
    qsort(log_p, N, sizeof *log_p, ascending);
    assert_close(log_p[N / 2], 0.296, 0.04);
    assert_true(ks_uniform_pvalue(N, rank) > 1e-6);
    simrun_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_agree_with_the_reference),
        cmocka_unit_test(prior_predictive_agrees_with_the_reference),
        cmocka_unit_test(values_follow_the_clipped_density),
        cmocka_unit_test(the_rules_are_told_apart),
        cmocka_unit_test(likelihood_is_the_normalised_acceptance),
        cmocka_unit_test(impossible_values_have_no_likelihood),
        cmocka_unit_test(exact_posterior_has_the_known_score),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
