/* The priors, family by family. The whole file raises a false alarm with
   probability 5e-5: one Kolmogorov-Smirnov test per entry of the table, each at
   the level 1e-6.. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/prior.h"
#include "oracle.h"
#include "prior/prior.h"
#include "support.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Every family, plain and in corners. `loss` is how much the rounding of x
   costs in the distribution function where x is far from 0 for its spread. */
static const struct entry {
    const char *text;
    double loss;
} table[] = {
    {"uniform(-2, 5)", 1e-14},
    {"uniform(0, 1/3)", 1e-14},
    {"uniform(1000, 1000.001)", 1e-9},
    {"log_uniform(0.001, 1000)", 1e-14},
    {"log_uniform(2, 2.001)", 1e-12},
    {"log_uniform(1e-300, 1e300)", 1e-14},
    {"normal(1, 2)", 1e-14},
    {"normal(1e6, 1)", 1e-9},
    {"log_normal(0.5, 0.7)", 1e-14},
    {"log_normal(-3, 0.01)", 1e-13},
    {"half_normal(3)", 1e-14},
    {"truncated_normal(0, 1, -1, 2)", 1e-14},
    {"truncated_normal(0, 1, 8, 9)", 1e-13},
    {"truncated_normal(0, 1, -9, -8)", 1e-13},
    {"truncated_normal(5, 1e6, 0, 1)", 1e-14},
    {"truncated_normal(0, 1, 40, 50)", 1e-12},
    {"truncated_normal(0, 1, -50, 3)", 1e-14},
    {"truncated_normal(0, 1, -3, 0.5)", 1e-14},
    {"truncated_normal(2, 0.5, -4, 1)", 1e-13},
    {"truncated_normal(0, 1, 0.5, 30)", 1e-14},
    {"truncated_normal(1, 1, 1, 1.25)", 1e-13},
    {"truncated_normal(1, 2, 0, inf)", 1e-14},
    {"truncated_normal(1, 2, -inf, 0)", 1e-14},
    {"truncated_normal(0, 1, 9, inf)", 1e-13},
    {"truncated_normal(0, 1, -inf, -9)", 1e-13},
    {"truncated_normal(3, 2, -inf, inf)", 1e-14},
    {"exponential(2.5)", 1e-14},
    {"gamma(0.3, 2)", 1e-14},
    {"gamma(3, 0.5)", 1e-14},
    {"gamma(200, 10)", 1e-13},
    {"beta(0.5, 0.5)", 1e-8},
    {"beta(2, 5)", 1e-14},
    {"beta(300, 200)", 1e-13},
    {"student_t(1, 0, 1)", 1e-14},
    {"student_t(3.5, -1, 2)", 1e-14},
    {"student_t(1e6, 0, 1)", 1e-14},
    {"cauchy(-1, 2)", 1e-14},
    {"half_cauchy(2)", 1e-14},
    {"inverse_gamma(0.3, 2)", 1e-14},
    {"inverse_gamma(30, 7)", 1e-13},
    {"weibull(0.7, 3)", 1e-14},
    {"weibull(5, 0.2)", 1e-14},
    {"weibull(1e4, 2)", 1e-10},
};

static bnre_prior *make(const char *text)
{
    const char *name = "x";
    bnre_prior *prior;

    assert_ok(bnre_prior_create(1, &name, &text, &prior));
    return prior;
}

static double density(double x, void *prior)
{
    return exp(bnre_prior_log_density(prior, &x));
}

/* Calls the property with each entry's prior, and says which one failed. */
static void for_each_entry(void (*property)(bnre_prior *prior,
                                            const struct entry *entry))
{
    for (size_t i = 0; i < COUNT(table); i++) {
        bnre_prior *prior = make(table[i].text);

        print_message("  %s\n", table[i].text);
        property(prior, &table[i]);
        bnre_prior_destroy(prior);
    }
}

static void integrate_density(bnre_prior *prior, const struct entry *entry)
{
    const double u[] = {1e-9, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9, 0.999, 1 - 1e-6};

    for (size_t i = 1; i < COUNT(u); i++) {
        double low = bnre_prior_quantile(prior, 0, u[i - 1]);
        double high = bnre_prior_quantile(prior, 0, u[i]);
        double part = oracle_integral(density, prior, low, high);

        /* the density of gamma(0.3) spans too many powers of 10 at once */
        if (high / low > 1e3 && low > 0)
            continue;
        assert_close(part / (u[i] - u[i - 1]), 1,
                     1e-9 + entry->loss / (u[i] - u[i - 1]));
    }
}

static void density_integrates_to_the_distribution_function(void **state)
{
    (void)state;
    for_each_entry(integrate_density);
}

static void invert(bnre_prior *prior, const struct entry *entry)
{
    double before = -HUGE_VAL;

    for (int i = -40; i <= 40; i++) {
        /* 1e-12, ..., 1/2, ..., 1 - 1e-12 */
        double tail = 0.5 * pow(10, -0.3 * abs(i)), u = i < 0 ? tail : 1 - tail;
        double x = bnre_prior_quantile(prior, 0, u), again;
        double noise = 1e-14 + density(x, prior) * fabs(x) * DBL_EPSILON;

        assert_true(x >= before);
        before = x;
        assert_true(fabs(bnre_prior_cdf(prior, 0, x) - u) <= 1e-12 * u + noise);
        assert_true(noise <= 1e-13 + entry->loss);
        again = bnre_prior_quantile(prior, 0, bnre_prior_cdf(prior, 0, x));
        assert_true(fabs(again - x) <=
                    1e-12 * fabs(x) + noise / density(x, prior));
    }
}

static void quantile_and_distribution_function_are_inverse(void **state)
{
    (void)state;
    for_each_entry(invert);
}

/* Far below what a draw can reach, but reached by whoever maps through u. */
static void lower_tails_keep_relative_accuracy(void **state)
{
    const char *const text[] = {
        "normal(0, 1)",
        "log_normal(0, 1)",
        "half_normal(1)",
        "exponential(1)",
        "gamma(2, 1)",
        "gamma(50, 1)",
        "beta(2, 3)",
        "student_t(4, 0, 1)",
        "cauchy(0, 1)",
        "half_cauchy(1)",
        "inverse_gamma(2, 1)",
        "inverse_gamma(0.4, 1)",
        "weibull(1.5, 1)",
        "truncated_normal(0, 1, -60, 60)",
        "truncated_normal(0, 1, 0, 60)",
        "truncated_normal(0, 1, 0, 0.001)",
        "truncated_normal(0, 1, -inf, 2)",
        "truncated_normal(0, 1, 0, inf)",
    };
    const double u[] = {1e-15, 1e-50, 1e-150, 1e-250};

    (void)state;
    for (size_t i = 0; i < COUNT(text); i++) {
        bnre_prior *prior = make(text[i]);

        for (size_t j = 0; j < COUNT(u); j++) {
            double x = bnre_prior_quantile(prior, 0, u[j]);

            assert_close(bnre_prior_cdf(prior, 0, x) / u[j], 1, 1e-11);
        }
        bnre_prior_destroy(prior);
    }
}

static void draw_many(bnre_prior *prior, const struct entry *entry)
{
    enum { N = 4000 };
    static double u[N];
    double low, high, p;

    bnre_prior_support(prior, 0, &low, &high);
    for (uint64_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(11, 22, i), twin = rng;
        double x;

        bnre_prior_draw(prior, &rng, &x);
        assert_true(x >= low && x <= high);
        assert_true(isfinite(bnre_prior_log_density(prior, &x)));
        assert_true(x == bnre_prior_quantile(prior, 0, bnre_rng_open(&twin)));
        assert_int_equal(rng.used, twin.used);
        u[i] = bnre_prior_cdf(prior, 0, x);
    }
    p = ks_uniform_pvalue(N, u);
    assert_true(p > 1e-6);
    (void)entry;
}

static void draws_follow_the_distribution_function(void **state)
{
    (void)state;
    for_each_entry(draw_many);
}

static double weighted(double x, void *prior)
{
    return x * density(x, prior);
}

struct spread {
    bnre_prior *prior;
    double mean;
};

static double squared(double x, void *context)
{
    const struct spread *c = context;

    return (x - c->mean) * (x - c->mean) * density(x, c->prior);
}

static void compare_moments(bnre_prior *prior, const struct entry *entry)
{
    double mean, variance, low, high, sd, total = 0, square = 0, last;
    struct spread context = {prior, 0};

    bnre_prior_moments(prior, 0, &mean, &variance);
    if (isnan(variance) || strstr(entry->text, "1e300") != NULL ||
        strstr(entry->text, "student_t(3.5") != NULL)
        return; /* too heavy tails for this test; see the next */
    context.mean = mean;
    low = bnre_prior_quantile(prior, 0, 1e-16);
    high = bnre_prior_quantile(prior, 0, 1 - 1e-15);
    sd = sqrt(variance);
    /* in pieces, because of singular ends and wide ranges */
    last = low;
    for (int i = -30; i <= 30; i++) {
        double tail = 0.5 * pow(10, -0.5 * abs(i));
        double x = bnre_prior_quantile(prior, 0, i < 0 ? tail : 1 - tail);

        if (i == 30)
            x = high;
        total += oracle_integral(weighted, prior, last, x);
        square += oracle_integral(squared, &context, last, x);
        last = x;
    }
    assert_true(fabs(total - mean) <= 1e-9 * fabs(mean) + 1e-7 * sd);
    assert_close(square / variance, 1, 1e-7 + 1e3 * entry->loss);
}

static void moments_match_quadrature(void **state)
{
    (void)state;
    for_each_entry(compare_moments);
}

static void moments_have_their_closed_forms(void **state)
{
    struct {
        const char *text;
        double mean, variance;
    } known[] = {
        {"fixed(4.25)", 4.25, 0},
        {"student_t(3.5, -1, 2)", -1, 4 * 3.5 / 1.5},
        {"student_t(2, -1, 2)", -1, NAN},
        {"student_t(1, 0, 1)", NAN, NAN},
        {"cauchy(0, 1)", NAN, NAN},
        {"half_cauchy(3)", NAN, NAN},
        {"inverse_gamma(1, 2)", NAN, NAN},
        {"inverse_gamma(2, 3)", 3, NAN},
        {"inverse_gamma(5, 3)", 0.75, 0.1875},
        {"weibull(1, 2)", 2, 4},
        {"weibull(2, 2)", sqrt(acos(-1)), 4 - acos(-1)},
        /* both ends as far from the mean as it gets with the textbook's
           formula: mean + sd (f(a) - f(b)) / Z, and so on */
        {"truncated_normal(1, 2, -1, 5)",
         1 + 2 * 0.23063405160594653, /* a = -1, b = 2 */
         4 * (1 - 0.42687848009 - 0.05319206576)},
    };
    double a = -1, b = 2, z = erf(b / sqrt(2)) / 2 - erf(a / sqrt(2)) / 2;
    double fa = exp(-0.5) / sqrt(2 * acos(-1)), fb = fa * exp(-1.5);
    double shift = (fa - fb) / z;

    (void)state;
    known[COUNT(known) - 1].mean = 1 + 2 * shift;
    known[COUNT(known) - 1].variance =
        4 * (1 + (a * fa - b * fb) / z - shift * shift);
    for (size_t i = 0; i < COUNT(known); i++) {
        bnre_prior *prior = make(known[i].text);
        double mean, variance;

        bnre_prior_moments(prior, 0, &mean, &variance);
        if (isnan(known[i].mean))
            assert_true(isnan(mean));
        else
            assert_close(mean, known[i].mean, 1e-14);
        if (isnan(known[i].variance))
            assert_true(isnan(variance));
        else
            assert_close(variance, known[i].variance, 1e-13);
        bnre_prior_destroy(prior);
    }
}

static void densities_agree_with_gsl(void **state)
{
    (void)state;
    for (double x = 0.01; x < 1; x += 0.01) {
        struct {
            const char *text;
            double density, cdf;
        } known[] = {
            {"normal(1, 2)", oracle_normal_density((x - 1) / 2) / 2,
             oracle_normal_p((x - 1) / 2)},
            {"log_normal(-1, 0.5)", oracle_log_normal_density(x, -1, 0.5),
             oracle_normal_p((log(x) + 1) / 0.5)},
            {"half_normal(0.5)", 4 * oracle_normal_density(2 * x),
             2 * oracle_normal_p(2 * x) - 1},
            {"exponential(3)", oracle_gamma_density(x, 1, 3),
             oracle_gamma_p(3 * x, 1)},
            {"gamma(0.3, 2)", oracle_gamma_density(x, 0.3, 2),
             oracle_gamma_p(2 * x, 0.3)},
            {"gamma(40, 90)", oracle_gamma_density(x, 40, 90),
             oracle_gamma_p(90 * x, 40)},
            {"beta(0.5, 3)", oracle_beta_density(x, 0.5, 3),
             oracle_beta_p(x, 0.5, 3)},
            {"beta(30, 20)", oracle_beta_density(x, 30, 20),
             oracle_beta_p(x, 30, 20)},
            {"student_t(2.5, 0.5, 0.2)",
             5 * oracle_student_density((x - 0.5) * 5, 2.5),
             oracle_student_p((x - 0.5) * 5, 2.5)},
            {"cauchy(0.5, 0.2)", 5 * oracle_student_density((x - 0.5) * 5, 1),
             oracle_student_p((x - 0.5) * 5, 1)},
            {"half_cauchy(0.5)", 4 * oracle_student_density(2 * x, 1),
             2 * oracle_student_p(2 * x, 1) - 1},
            {"inverse_gamma(3, 0.5)",
             oracle_gamma_density(1 / x, 3, 0.5) / (x * x),
             oracle_gamma_q(0.5 / x, 3)},
            /* (x / 0.4)^1.5 is exponential */
            {"weibull(1.5, 0.4)",
             oracle_gamma_density(pow(x / 0.4, 1.5), 1, 1) * 1.5 / 0.4 *
                 sqrt(x / 0.4),
             oracle_gamma_p(pow(x / 0.4, 1.5), 1)},
        };

        for (size_t i = 0; i < COUNT(known); i++) {
            bnre_prior *prior = make(known[i].text);

            assert_close(density(x, prior) / known[i].density, 1, 2e-12);
            assert_close(bnre_prior_cdf(prior, 0, x) / known[i].cdf, 1, 1e-11);
            bnre_prior_destroy(prior);
        }
    }
}

static void map_there_and_back(bnre_prior *prior, const struct entry *entry)
{
    const double h = 1e-5;

    (void)entry;
    for (double z = -20; z <= 20; z += 0.5) {
        double up = z + h, down = z - h;
        double x, x_up, x_down, j, j_up, j_down, dj, dx, back, low, high;

        bnre__prior_from_real(prior, &z, &x, &j, &dj, &dx);
        bnre__prior_from_real(prior, &up, &x_up, &j_up, NULL, NULL);
        bnre__prior_from_real(prior, &down, &x_down, &j_down, NULL, NULL);
        bnre_prior_support(prior, 0, &low, &high);
        assert_true(x >= low && x <= high);
        assert_close(log(dx), j, 1e-13);
        assert_close(dj, (j_up - j_down) / (2 * h), 1e-8);
        /* where x itself resolves the difference */
        if (dx * h > 1e-9 * fabs(x))
            assert_close(dx / ((x_up - x_down) / (2 * h)), 1, 1e-6);
        bnre__prior_to_real(prior, &x, &back);
        if (dx > 1e-8 * fabs(x))
            assert_close(back, z, 4e-16 * fabs(x) / dx + 1e-13);
    }
}

static void maps_to_the_real_line_invert_and_differentiate(void **state)
{
    (void)state;
    for_each_entry(map_there_and_back);
}

static void map_far_out(bnre_prior *prior, const struct entry *entry)
{
    const double far[] = {36, 50, 700, 710, 750, 1e3, 1e10, 1e300, DBL_MAX};
    double low, high;

    (void)entry;
    bnre_prior_support(prior, 0, &low, &high);
    for (size_t i = 0; i < 2 * COUNT(far); i++) {
        double z = i % 2 ? far[i / 2] : -far[i / 2], x, j, dj, dx, back;

        bnre__prior_from_real(prior, &z, &x, &j, &dj, &dx);
        assert_true(isfinite(x) && x >= low && x <= high);
        assert_true(isfinite(j) && isfinite(dj) && isfinite(dx) && dx >= 0);
        assert_true(bnre_prior_log_density(prior, &x) < INFINITY);
        bnre__prior_to_real(prior, &x, &back);
        assert_true(isfinite(back));
    }
}

static void maps_stay_finite_far_out(void **state)
{
    (void)state;
    for_each_entry(map_far_out);
}

static void product_adds_up(void **state)
{
    const char *const name[] = {"rate", "fixed_one", "scale", "p"};
    const char *const text[] = {"uniform( 0,10 )", "fixed(2)",
                                " log_normal (0, 1)", "beta(2, 2)"};
    double theta[4] = {3, 2, 1.5, 0.25}, z[4], back[4], j, dj[4], dx[4];
    double sum = 0;
    bnre_prior *prior;

    (void)state;
    assert_ok(bnre_prior_create(4, name, text, &prior));
    assert_int_equal(bnre_prior_dim(prior), 4);
    assert_string_equal(bnre_prior_name(prior, 2), "scale");
    assert_string_equal(bnre_prior_text(prior, 0), "uniform(0, 10)");
    assert_string_equal(bnre_prior_text(prior, 2), "log_normal(0, 1)");
    for (size_t i = 0; i < 4; i++) {
        bnre_prior *one = make(text[i]);

        sum += bnre_prior_log_density(one, &theta[i]);
        bnre_prior_destroy(one);
    }
    assert_close(bnre_prior_log_density(prior, theta), sum, 1e-15);
    bnre__prior_to_real(prior, theta, z);
    assert_true(z[1] == 0);
    bnre__prior_from_real(prior, z, back, &j, dj, dx);
    for (size_t i = 0; i < 4; i++)
        assert_close(back[i], theta[i], 1e-15);
    assert_true(dj[1] == 0 && dx[1] == 0);
    assert_close(j, log(dx[0]) + log(dx[2]) + log(dx[3]), 1e-14);
    theta[1] = 2.5;
    assert_true(bnre_prior_log_density(prior, theta) == -INFINITY);
    theta[1] = 2;
    theta[0] = NAN;
    assert_true(isnan(bnre_prior_log_density(prior, theta)));
    bnre_prior_destroy(prior);
}

static void text_reads_back(bnre_prior *prior, const struct entry *entry)
{
    bnre_prior *again = make(bnre_prior_text(prior, 0));

    (void)entry;
    assert_string_equal(bnre_prior_text(again, 0), bnre_prior_text(prior, 0));
    for (double u = 0.05; u < 1; u += 0.1)
        assert_true(bnre_prior_quantile(prior, 0, u) ==
                    bnre_prior_quantile(again, 0, u));
    bnre_prior_destroy(again);
}

static void canonical_text_reads_back_to_the_same_prior(void **state)
{
    bnre_prior *third = make("uniform(0, 1/3)");

    (void)state;
    for_each_entry(text_reads_back);
    assert_string_equal(bnre_prior_text(third, 0),
                        "uniform(0, 0.3333333333333333)");
    bnre_prior_destroy(third);
}

static bnre_status create_some(void *arg)
{
    const char *const name[] = {"a", "b"};
    const char *const text[] = {"truncated_normal(0, 1, 2, 3)", "beta(1, 2)"};
    bnre_prior *prior;
    bnre_status status = bnre_prior_create(2, name, text, &prior);

    (void)arg;
    bnre_prior_destroy(prior);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(create_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_integrates_to_the_distribution_function),
        cmocka_unit_test(quantile_and_distribution_function_are_inverse),
        cmocka_unit_test(lower_tails_keep_relative_accuracy),
        cmocka_unit_test(draws_follow_the_distribution_function),
        cmocka_unit_test(moments_match_quadrature),
        cmocka_unit_test(moments_have_their_closed_forms),
        cmocka_unit_test(densities_agree_with_gsl),
        cmocka_unit_test(maps_to_the_real_line_invert_and_differentiate),
        cmocka_unit_test(maps_stay_finite_far_out),
        cmocka_unit_test(product_adds_up),
        cmocka_unit_test(canonical_text_reads_back_to_the_same_prior),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
