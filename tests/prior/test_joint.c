/* Parameters that depend on each other: multivariate normal priors. Means and
   covariances of draws are looked at to five standard errors: 9 of them, a false
   alarm in about 1 of 200,000 seeds. */
#include <math.h>
#include <string.h>

#include "bnre/settings.h"
#include "prior/coordinate.h"
#include "prior/prior.h"
#include "support.h"

static const char text[] =
    "[a, c, b]: multivariate_normal([1, -2, 0.5], [[4, 1.2, -1], "
    "[1.2, 1, 0], [-1, 0, 2]])";
static const double mean[] = {1, 0.5, -2}; /* of a, b, c */
static const double covariance[3][3] = {{4, -1, 1.2}, {-1, 2, 0}, {1.2, 0, 1}};

/* a, b and c in the block, u beside it. */
static bnre_prior *make(void)
{
    const char *const name[] = {"a", "u", "b", "c"};
    const char *const texts[] = {text, "uniform(0, 2)", text, text};
    bnre_prior *prior = NULL;

    assert_ok(bnre_prior_create(4, name, texts, &prior));
    return prior;
}

/* log N by the inverse and the determinant of three by three. */
static double log_normal(double a, double b, double c)
{
    const double(*m)[3] = covariance;
    const double d[] = {a - mean[0], b - mean[1], c - mean[2]};
    double minor[3][3], det = 0, square = 0;

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            minor[i][j] =
                m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
    for (size_t i = 0; i < 3; i++)
        det += m[0][i] * minor[0][i];
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            square += d[i] * minor[i][j] / det * d[j];
    return -0.5 * square - 0.5 * log(det) - 1.5 * log(2 * acos(-1));
}

static void the_density_is_that_of_a_multivariate_normal(void **state)
{
    bnre_prior *prior = make();
    bnre_rng rng = bnre_rng_stream(3, 0, 0);
    double low, high, center, variance;

    (void)state;
    for (size_t i = 0; i < 50; i++) {
        double theta[4];

        bnre_prior_draw(prior, &rng, theta);
        assert_close(bnre_prior_log_density(prior, theta),
                     log_normal(theta[0], theta[2], theta[3]) - log(2), 1e-12);
    }
    bnre_prior_support(prior, 3, &low, &high);
    assert_true(low == -INFINITY && high == INFINITY);
    bnre_prior_moments(prior, 3, &center, &variance);
    assert_true(center == -2 && fabs(variance - 1) < 1e-14);
    assert_close(bnre_prior_cdf(prior, 2, 0.5), 0.5, 1e-14);
    assert_string_equal(bnre_prior_text(prior, 0), text);
    assert_string_equal(bnre_prior_text(prior, 3), text);
    assert_true(bnre__prior_depends(prior));
    bnre_prior_destroy(prior);
}

static void draws_have_its_covariance(void **state)
{
    enum { N = 20000 };
    static const size_t at[] = {0, 2, 3};
    bnre_prior *prior = make();
    double sum[3] = {0}, product[3][3] = {{0}};

    (void)state;
    for (uint64_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(4, 0, i);
        double theta[4];

        bnre_prior_draw(prior, &rng, theta);
        for (size_t j = 0; j < 3; j++) {
            sum[j] += theta[at[j]] / N;
            for (size_t k = 0; k < 3; k++)
                product[j][k] +=
                    (theta[at[j]] - mean[j]) * (theta[at[k]] - mean[k]) / N;
        }
    }
    for (size_t j = 0; j < 3; j++) {
        assert_close(sum[j], mean[j], 5 * sqrt(covariance[j][j] / N));
        for (size_t k = 0; k < 3; k++)
            assert_close(product[j][k], covariance[j][k],
                         5 * sqrt((covariance[j][j] * covariance[k][k] +
                                   covariance[j][k] * covariance[j][k]) /
                                  N));
    }
    bnre_prior_destroy(prior);
}

static void places_lead_there_and_back(void **state)
{
    bnre_prior *prior = make();
    bnre_rng rng = bnre_rng_stream(5, 0, 0);

    (void)state;
    for (size_t i = 0; i < 50; i++) {
        double u[4], theta[4], again[4];

        for (size_t k = 0; k < 4; k++)
            u[k] = bnre_rng_open(&rng);
        bnre__prior_from_places(prior, u, theta);
        bnre__prior_to_places(prior, theta, NULL, again);
        for (size_t k = 0; k < 4; k++)
            assert_close(again[k], u[k], 1e-12);
    }
    bnre_prior_destroy(prior);
}

/* In coordinates each factor of the prior is a logistic density given those
   before: log p is the sum of these, and of log d c / d theta. Any order. */
static void coordinates_are_conditional_quantiles(void **state)
{
    static const size_t orders[][4] = {
        {0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
    bnre_prior *prior = make();
    bnre_rng rng = bnre_rng_stream(6, 0, 0);

    (void)state;
    for (size_t o = 0; o < 3; o++) {
        bnre__coordinates *c = NULL;

        assert_ok(bnre__coordinates_create(prior, 4, orders[o], &c));
        assert_false(bnre__coordinates_reject(c));
        for (size_t i = 0; i < 20; i++) {
            double theta[4], dc[4], dtheta[4], log_p = 0;

            bnre_prior_draw(prior, &rng, theta);
            for (size_t j = 0; j < 4; j++) {
                const size_t k = orders[o][j];
                const double at = bnre__coordinates_at(c, j, theta);

                log_p +=
                    bnre__range_log_density(bnre__coordinates_range(c, j), at);
                memset(dc, 0, sizeof dc);
                dc[j] = 1;
                bnre__coordinates_back(c, theta, dc, dtheta);
                log_p += log(dtheta[k]);
                assert_close(bnre__coordinates_value(c, j, theta, at), theta[k],
                             1e-9);
                for (size_t d = 0; d < 4; d++) {
                    const double keep = theta[d], h = 1e-5;
                    double up, down;

                    theta[d] = keep + h;
                    up = bnre__coordinates_at(c, j, theta);
                    theta[d] = keep - h;
                    down = bnre__coordinates_at(c, j, theta);
                    theta[d] = keep;
                    assert_close(dtheta[d], (up - down) / (2 * h), 1e-6);
                }
            }
            assert_close(log_p, bnre_prior_log_density(prior, theta), 1e-9);
        }
        bnre__coordinates_destroy(c);
    }
    bnre_prior_destroy(prior);
}

static void refuse(const char *first, const char *second, const char *fact)
{
    const char *const name[] = {"a", "b"};
    const char *const texts[] = {first, second};
    bnre_prior *prior;

    assert_fails(bnre_prior_create(2, name, texts, &prior), BNRE_EUSAGE, fact);
}

static void wrong_blocks_are_refused_in_words(void **state)
{
    const char *const good =
        "[a, b]: multivariate_normal([0, 0], [[1, 0], [0, 1]])";
    const char *const wide =
        "[a, b]: multivariate_normal([0, 0], [[1, 2], [2, 1]])";
    const char *const skew =
        "[a, b]: multivariate_normal([0, 0], [[1, 0.5], [0.4, 1]])";
    const char *const few = "[a, b]: multivariate_normal([0], [[1]])";
    const char *const stranger =
        "[a, z]: multivariate_normal([0, 0], [[1, 0], [0, 1]])";

    (void)state;
    refuse(good, "normal(0, 1)", "another");
    refuse(wide, wide, "positive definite");
    refuse(skew, skew, "0.4");
    refuse(few, few, "column");
    refuse(stranger, stranger, "no parameter");
    refuse("[a, a]: x", "normal(0, 1)", "before");
}

static void a_list_of_names_is_a_key(void **state)
{
    bnre_node *node = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse("[a, b]: multivariate_normal([0, 1], [[1, 0], "
                              "[0, 1]])\nc: normal(0, 1)\n",
                              NULL, &node));
    assert_int_equal(node->count, 3);
    assert_string_equal(bnre_node_find(node, "b")->text,
                        "[a, b]: multivariate_normal([0, 1], [[1, 0], [0, "
                        "1]])");
    bnre_node_destroy(node);
    assert_fails(bnre_yaml_parse("a: 1\n[a, b]: x\n", NULL, &node), BNRE_EUSAGE,
                 "once");
    assert_fails(bnre_yaml_parse("[a, a]: x\n", NULL, &node), BNRE_EUSAGE,
                 "once");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_density_is_that_of_a_multivariate_normal),
        cmocka_unit_test(draws_have_its_covariance),
        cmocka_unit_test(places_lead_there_and_back),
        cmocka_unit_test(coordinates_are_conditional_quantiles),
        cmocka_unit_test(wrong_blocks_are_refused_in_words),
        cmocka_unit_test(a_list_of_names_is_a_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
