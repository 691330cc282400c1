#include "laws.h"

#include <math.h>

#include "num/dist.h"
#include "support.h"

static double draw_uniform(bnre_rng *rng, const struct law *law)
{
    (void)law;
    return bnre_rng_uniform(rng);
}

static double draw_open(bnre_rng *rng, const struct law *law)
{
    (void)law;
    return bnre_rng_open(rng);
}

static double cdf_uniform(double x, const struct law *law)
{
    (void)law;
    return x;
}

static double draw_normal(bnre_rng *rng, const struct law *law)
{
    (void)law;
    return bnre_rng_normal(rng);
}

static double cdf_normal(double x, const struct law *law)
{
    (void)law;
    return bnre__normal_cdf(x);
}

static double draw_exponential(bnre_rng *rng, const struct law *law)
{
    (void)law;
    return bnre_rng_exponential(rng);
}

static double cdf_exponential(double x, const struct law *law)
{
    (void)law;
    return -expm1(-x);
}

static double draw_gamma(bnre_rng *rng, const struct law *law)
{
    return bnre_rng_gamma(rng, law->a);
}

static double cdf_gamma(double x, const struct law *law)
{
    return bnre__gamma_cdf(x, law->a);
}

static double draw_beta(bnre_rng *rng, const struct law *law)
{
    return bnre_rng_beta(rng, law->a, law->b);
}

static double cdf_beta(double x, const struct law *law)
{
    return bnre__beta_cdf(x, law->a, law->b);
}

static double draw_student_t(bnre_rng *rng, const struct law *law)
{
    return bnre_rng_student_t(rng, law->a);
}

static double cdf_student_t(double x, const struct law *law)
{
    return bnre__student_t_cdf(x, law->a);
}

static double draw_poisson(bnre_rng *rng, const struct law *law)
{
    return (double)bnre_rng_poisson(rng, law->a);
}

/* P(K <= k) is the chance that the k + 1st event comes after time `mean`. */
static double cdf_poisson(double k, const struct law *law)
{
    return k < 0 ? 0 : 1 - bnre__gamma_cdf(law->a, k + 1);
}

static double draw_binomial(bnre_rng *rng, const struct law *law)
{
    return (double)bnre_rng_binomial(rng, (uint64_t)law->a, law->b);
}

static double cdf_binomial(double k, const struct law *law)
{
    return k < 0         ? 0
           : k >= law->a ? 1
                         : 1 - bnre__beta_cdf(law->b, k + 1, law->a - k);
}

static double draw_geometric(bnre_rng *rng, const struct law *law)
{
    return (double)bnre_rng_geometric(rng, law->a);
}

static double cdf_geometric(double k, const struct law *law)
{
    return k < 0 ? 0 : -expm1((k + 1) * log1p(-law->a));
}

const struct law laws[] = {
    {"uniform", 0, 0, draw_uniform, cdf_uniform, 0},
    {"open", 0, 0, draw_open, cdf_uniform, 0},
    {"normal", 0, 0, draw_normal, cdf_normal, 0},
    {"exponential", 0, 0, draw_exponential, cdf_exponential, 0},
    {"gamma", 0.02, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 0.3, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 0.99, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 1, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 1.01, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 2.5, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 15, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 1e3, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 1e6, 0, draw_gamma, cdf_gamma, 0},
    {"gamma", 1e12, 0, draw_gamma, cdf_gamma, 0},
    {"beta", 0.05, 0.8, draw_beta, cdf_beta, 0},
    {"beta", 0.5, 0.5, draw_beta, cdf_beta, 0},
    {"beta", 1, 1, draw_beta, cdf_beta, 0},
    {"beta", 0.3, 4, draw_beta, cdf_beta, 0},
    {"beta", 7, 0.6, draw_beta, cdf_beta, 0},
    {"beta", 2, 3, draw_beta, cdf_beta, 0},
    {"beta", 40, 90, draw_beta, cdf_beta, 0},
    {"beta", 5e3, 700, draw_beta, cdf_beta, 0},
    {"beta", 1e6, 1e6, draw_beta, cdf_beta, 0},
    {"student_t", 0.1, 0, draw_student_t, cdf_student_t, 0},
    {"student_t", 0.7, 0, draw_student_t, cdf_student_t, 0},
    {"student_t", 1, 0, draw_student_t, cdf_student_t, 0},
    {"student_t", 2.5, 0, draw_student_t, cdf_student_t, 0},
    {"student_t", 8, 0, draw_student_t, cdf_student_t, 0},
    {"student_t", 150, 0, draw_student_t, cdf_student_t, 0},
    {"student_t", 1e7, 0, draw_student_t, cdf_student_t, 0},
    {"poisson", 0.001, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 0.1, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 1, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 4.5, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 9.99, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 10, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 10.5, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 17, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 60, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 500, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 1e4, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 1e6, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 1e9, 0, draw_poisson, cdf_poisson, 1},
    {"poisson", 1e13, 0, draw_poisson, cdf_poisson, 1},
    {"binomial", 1, 0.3, draw_binomial, cdf_binomial, 1},
    {"binomial", 10, 0.5, draw_binomial, cdf_binomial, 1},
    {"binomial", 19, 0.5, draw_binomial, cdf_binomial, 1},
    {"binomial", 20, 0.5, draw_binomial, cdf_binomial, 1},
    {"binomial", 21, 0.5, draw_binomial, cdf_binomial, 1},
    {"binomial", 25, 0.41, draw_binomial, cdf_binomial, 1},
    {"binomial", 40, 0.8, draw_binomial, cdf_binomial, 1},
    {"binomial", 100, 0.05, draw_binomial, cdf_binomial, 1},
    {"binomial", 100, 0.099, draw_binomial, cdf_binomial, 1},
    {"binomial", 100, 0.1, draw_binomial, cdf_binomial, 1},
    {"binomial", 100, 0.3, draw_binomial, cdf_binomial, 1},
    {"binomial", 100, 0.97, draw_binomial, cdf_binomial, 1},
    {"binomial", 1e4, 0.0005, draw_binomial, cdf_binomial, 1},
    {"binomial", 1e4, 0.002, draw_binomial, cdf_binomial, 1},
    {"binomial", 1e4, 0.6, draw_binomial, cdf_binomial, 1},
    {"binomial", 1e6, 0.5, draw_binomial, cdf_binomial, 1},
    {"binomial", 1e9, 1e-9, draw_binomial, cdf_binomial, 1},
    {"binomial", 1e9, 1e-7, draw_binomial, cdf_binomial, 1},
    {"binomial", 1e12, 0.25, draw_binomial, cdf_binomial, 1},
    {"geometric", 0.999, 0, draw_geometric, cdf_geometric, 1},
    {"geometric", 0.7, 0, draw_geometric, cdf_geometric, 1},
    {"geometric", 0.3, 0, draw_geometric, cdf_geometric, 1},
    {"geometric", 0.01, 0, draw_geometric, cdf_geometric, 1},
    {"geometric", 1e-5, 0, draw_geometric, cdf_geometric, 1},
    {"geometric", 1e-12, 0, draw_geometric, cdf_geometric, 1},
};

const size_t law_count = sizeof laws / sizeof *laws;

static double continuous_pvalue(const struct law *law, bnre_rng *rng, size_t n)
{
    double *u = NULL, p;

    assert_non_null(u = bnre__alloc(n, sizeof *u));
    for (size_t i = 0; i < n; i++)
        u[i] = law->cdf(law->draw(rng, law), law);
    p = ks_uniform_pvalue(n, u);
    bnre__free(u);
    return p;
}

/* The smallest k with P(K <= k) >= u. */
static double count_quantile(const struct law *law, double u)
{
    double low = -1, high = 0;

    while (law->cdf(high, law) < u) {
        low = high;
        high = 2 * high + 1;
    }
    while (high - low > 1) {
        double middle = floor((low + high) / 2);

        if (law->cdf(middle, law) < u)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Ranges of about equal probability, narrower ones in the tails. */
static double counts_pvalue(const struct law *law, bnre_rng *rng, size_t n)
{
    enum { LEVELS = 47 };
    double edge[LEVELS], expected[LEVELS + 1], seen[LEVELS + 1] = {0};
    double sum = 0, below = 0;
    size_t edges = 0;

    for (int i = 1; i <= LEVELS; i++) {
        double u = i < 5    ? pow(10, i - 5) * 0.2
                   : i > 43 ? 1 - pow(10, 43 - i) * 0.2
                            : (i - 4) / 40.0;
        double k = count_quantile(law, u), p = law->cdf(k, law);

        /* each range and the rest should see 5 numbers or more */
        if ((p - below) * (double)n < 5 || (1 - p) * (double)n < 5)
            continue;
        expected[edges] = (p - below) * (double)n;
        edge[edges++] = k;
        below = p;
    }
    expected[edges] = (1 - below) * (double)n;
    assert_true(edges > 0);
    for (size_t i = 0; i < n; i++) {
        double k = law->draw(rng, law);
        size_t j = 0;

        while (j < edges && k > edge[j])
            j++;
        seen[j]++;
    }
    for (size_t j = 0; j <= edges; j++)
        sum += (seen[j] - expected[j]) * (seen[j] - expected[j]) / expected[j];
    return chi_square_pvalue(sum, (double)edges);
}

double law_pvalue(const struct law *law, uint64_t seed, size_t n)
{
    bnre_rng rng = bnre_rng_stream(seed, 1, 0);

    return law->counts ? counts_pvalue(law, &rng, n)
                       : continuous_pvalue(law, &rng, n);
}
