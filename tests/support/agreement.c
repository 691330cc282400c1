#include "agreement.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { MAX_DIM = 64 };

/* The reference is printed with seven digits. */
static const double ROUNDING = 1e-6;

double sample_mean(size_t n, const double *value, size_t stride, double *error)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        mean += value[i * stride];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) {
        double d = value[i * stride] - mean;

        squares += d * d;
    }
    *error = sqrt(squares / ((double)n * (double)(n - 1)));
    return mean;
}

static int same(double a, double b, double error)
{
    return fabs(a - b) <= AGREE_SIGMA * error + ROUNDING * fabs(b);
}

void assert_same_mean_at(double a, double error_a, double b, double error_b,
                         const char *what, const char *file, int line)
{
    double error = hypot(error_a, error_b);

    if (same(a, b, error))
        return;
    print_error("%s = %.7g, expected %.7g: %.2f standard errors apart\n", what,
                a, b, fabs(a - b) / error);
    _fail(file, line);
}

void assert_same_share_at(double k, double n, double p, double m,
                          const char *what, const char *file, int line)
{
    double pooled = (k + p * m) / (n + m);

    if (same(k / n, p, sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))))
        return;
    print_error("%s: share %.6g of %g, expected %.6g of %g\n", what, k / n, n,
                p, m);
    _fail(file, line);
}

static void compare_means(const ref *stats, size_t n, size_t dim,
                          const double *values)
{
    double mean[MAX_DIM], error[MAX_DIM];

    ref_numbers(ref_at(stats, "mean"), dim, mean);
    ref_numbers(ref_at(stats, "mean_standard_error"), dim, error);
    for (size_t j = 0; j < dim; j++) {
        double ours, our_mean = sample_mean(n, values + j, dim, &ours);

        if (!same(our_mean, mean[j], hypot(ours, error[j])))
            fail_msg("mean of %s = %.7g +- %.2g, expected %.7g +- %.2g",
                     ref_text(ref_at(stats, "names/%zu", j)), our_mean, ours,
                     mean[j], error[j]);
    }
}

/* Sum over rows of d_i d_j and of its square, d = value - mean. */
static void products(size_t n, size_t dim, const double *values,
                     const double *mean, size_t i, size_t j, double *covariance,
                     double *variance)
{
    double sum = 0, squares = 0, count = (double)n;

    for (size_t row = 0; row < n; row++) {
        const double *v = values + row * dim;
        double d = (v[i] - mean[i]) * (v[j] - mean[j]);

        sum += d;
        squares += d * d;
    }
    *covariance = sum / (count - 1);
    *variance = squares / count - (sum / count) * (sum / count);
}

/* A sample covariance has variance Var(d_i d_j) / n. */
static void compare_covariance(const ref *stats, double draws, size_t n,
                               size_t dim, const double *values,
                               const double *mean, size_t i, size_t j)
{
    double std_i = ref_number(ref_at(stats, "std/%zu", i));
    double std_j = ref_number(ref_at(stats, "std/%zu", j));
    double covariance, variance, error, goal = std_i * std_j;

    if (i != j)
        goal = ref_number(ref_at(stats, "covariance/%zu/%zu", i, j));
    products(n, dim, values, mean, i, j, &covariance, &variance);
    error = sqrt(variance * (1 / (double)n + 1 / draws));
    if (!same(covariance, goal, error))
        fail_msg("covariance of %s and %s = %.7g, expected %.7g +- %g",
                 ref_text(ref_at(stats, "names/%zu", i)),
                 ref_text(ref_at(stats, "names/%zu", j)), covariance, goal,
                 error);
}

static int is_rare(const ref *stats, size_t i)
{
    return ref_number(ref_at(stats, "std/%zu", i)) >
           4 * ref_number(ref_at(stats, "mean/%zu", i));
}

/* Standard deviations are compared through their squares. */
static void compare_second_moments(const ref *stats, double draws, size_t n,
                                   size_t dim, const double *values,
                                   unsigned what)
{
    double mean[MAX_DIM], error;

    for (size_t j = 0; j < dim; j++)
        mean[j] = sample_mean(n, values + j, dim, &error);
    for (size_t i = 0; i < dim; i++) {
        for (size_t j = 0; j <= i; j++) {
            if (!(what & (i == j ? AGREE_STD : AGREE_COVARIANCE)))
                continue;
            if ((what & AGREE_NOT_RARE) &&
                (is_rare(stats, i) || is_rare(stats, j)))
                continue;
            compare_covariance(stats, draws, n, dim, values, mean, i, j);
        }
    }
}

static void compare_quantiles(const ref *stats, double draws, size_t n,
                              size_t dim, const double *values)
{
    const ref *quantiles = ref_at(stats, "quantiles");

    for (size_t k = 0; k < ref_count(quantiles); k++) {
        const char *percent = ref_key(quantiles, k);
        double p = strtod(percent, NULL) / 100, q[MAX_DIM];
        double error =
            AGREE_SIGMA * sqrt(p * (1 - p) * (1 / (double)n + 1 / draws));

        ref_numbers(ref_at(quantiles, "%s", percent), dim, q);
        for (size_t j = 0; j < dim; j++) {
            double slack = ROUNDING * fabs(q[j]);
            size_t below = 0, up_to = 0;

            for (size_t i = 0; i < n; i++) {
                below += values[i * dim + j] < q[j] - slack;
                up_to += values[i * dim + j] <= q[j] + slack;
            }
            if ((double)below / (double)n > p + error ||
                (double)up_to / (double)n < p - error)
                fail_msg("%s: shares below and up to %.7g are %.5f and %.5f, "
                         "expected %.2f within %.5f",
                         ref_text(ref_at(stats, "names/%zu", j)), q[j],
                         (double)below / (double)n, (double)up_to / (double)n,
                         p, error);
        }
    }
}

void assert_agrees(const ref *stats, double draws, size_t n, size_t dim,
                   const double *values, unsigned what)
{
    assert_true(dim >= 1 && dim <= MAX_DIM && n >= 2);
    if (what & AGREE_MEAN)
        compare_means(stats, n, dim, values);
    if (what & (AGREE_STD | AGREE_COVARIANCE))
        compare_second_moments(stats, draws, n, dim, values, what);
    if (what & AGREE_QUANTILES)
        compare_quantiles(stats, draws, n, dim, values);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double ks_two_sample_pvalue(size_t n, double *a, size_t m, double *b)
{
    double distance = 0, p = 0, root, t;
    size_t i = 0, j = 0;

    qsort(a, n, sizeof *a, ascending);
    qsort(b, m, sizeof *b, ascending);
    while (i < n && j < m) {
        if (a[i] <= b[j])
            i++;
        else
            j++;
        distance =
            fmax(distance, fabs((double)i / (double)n - (double)j / (double)m));
    }
    root = sqrt((double)n * (double)m / (double)(n + m));
    t = (root + 0.12 + 0.11 / root) * distance;
    if (t < 0.2)
        return 1;
    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * t * t);
    return p < 0 ? 0 : p > 1 ? 1 : p;
}
