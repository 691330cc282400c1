/* Sets of highest density of single parameters, and how they are told. */
#include "output/marginal.h"

#include <math.h>
#include <string.h>

#include "densities.h"
#include "support.h"

static double normal(double x, double mean, double sd)
{
    const double z = (x - mean) / sd;

    return exp(-z * z / 2) / (sd * sqrt(2 * acos(-1)));
}

/* A line of two normal densities, `share` of the first. */
static void fill(double *density, double low, double high, double share,
                 double a, double b, double sd)
{
    for (size_t k = 0; k < BNRE__LINE; k++) {
        const double x = low + (high - low) * ((double)k + 0.5) / BNRE__LINE;

        density[k] = share * normal(x, a, sd) + (1 - share) * normal(x, b, sd);
    }
}

static void one_mode_has_one_interval(void **state)
{
    double density[BNRE__LINE];
    char words[BNRE_MARGINAL_WORDS];
    bnre_marginal found;

    (void)state;
    fill(density, 249400, 250600, 1, 250000, 0, 126.9);
    assert_ok(bnre__marginal_of_line(BNRE__LINE, density, 249400, 250600, 0.683,
                                     &found));
    assert_int_equal(found.n, 1);
    assert_close(found.low[0], 250000 - 1.0006 * 126.9, 0.1);
    assert_close(found.high[0], 250000 + 1.0006 * 126.9, 0.1);
    assert_string_equal(bnre_marginal_words(&found, words),
                        "249,870 to 250,130");
}

/* Each mode by itself: a median with "+1.4 -2.9" says nothing of them. */
static void several_modes_have_an_interval_each(void **state)
{
    double density[BNRE__LINE];
    char words[BNRE_MARGINAL_WORDS];
    bnre_marginal found;

    (void)state;
    fill(density, -3, 3, 0.5, -1.25, 1.25, 0.3);
    assert_ok(
        bnre__marginal_of_line(BNRE__LINE, density, -3, 3, 0.683, &found));
    assert_int_equal(found.n, 2);
    assert_close(found.high[0] - found.low[0], 2 * 1.0006 * 0.3, 1e-3);
    assert_close(found.low[1], -found.high[0], 1e-9);
    assert_string_equal(bnre_marginal_words(&found, words),
                        "-1.55 to -0.95 or 0.95 to 1.55");
}

static void noise_makes_no_parts(void **state)
{
    double density[BNRE__LINE];
    bnre_marginal found;

    (void)state;
    fill(density, -4, 4, 1, 0, 0, 1);
    density[BNRE__LINE / 2 - 3] = 0; /* a gap near the top */
    density[2] = 0.3;                /* an island with 0.6 % */
    assert_ok(
        bnre__marginal_of_line(BNRE__LINE, density, -4, 4, 0.683, &found));
    assert_int_equal(found.n, 1);
    assert_close(found.low[0], -1, 0.05);
    assert_close(found.high[0], 1, 0.05);
}

static void a_set_ends_where_the_line_does(void **state)
{
    double density[BNRE__LINE];
    bnre_marginal found;

    (void)state;
    for (size_t k = 0; k < BNRE__LINE; k++)
        density[k] = exp(-(double)k / 100);
    assert_ok(bnre__marginal_of_line(BNRE__LINE, density, 2, 6, 0.5, &found));
    assert_int_equal(found.n, 1);
    assert_close(found.low[0], 2, 0);
    assert_close(found.high[0], 2 + log(2 / (1 + exp(-4))), 2e-3);
}

static void many_parts_are_counted(void **state)
{
    bnre_marginal comb = {.n = 5};
    char words[BNRE_MARGINAL_WORDS];

    (void)state;
    for (size_t k = 0; k < comb.n; k++) {
        comb.low[k] = (double)k;
        comb.high[k] = (double)k + 0.5;
    }
    assert_string_equal(bnre_marginal_words(&comb, words),
                        "5 parts from 0.00 to 4.50");
    comb.n = 0;
    assert_string_equal(bnre_marginal_words(&comb, words), "-");
    comb = (bnre_marginal){.n = 1, .low = {2.5}, .high = {2.5}};
    assert_string_equal(bnre_marginal_words(&comb, words), "2.500");
}

static void a_posterior_has_them(void **state)
{
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    const double x[] = {0.5f, -0.5f};
    const double level[] = {0.683, 0.954}, wrong = 1;
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_session *session = session_for(&density, 1, x);
    bnre_posterior *posterior;
    bnre_marginal found[2];

    (void)state;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    assert_ok(bnre_marginal_find(posterior, 0, 2, level, found));
    assert_int_equal(found[0].n, 1);
    assert_close(found[0].low[0], 0.25 - 1.0006 * sqrt(0.5), 0.01);
    assert_close(found[1].high[0], 0.25 + 1.9954 * sqrt(0.5), 0.02);
    assert_fails(bnre_marginal_find(posterior, 2, 1, level, found), BNRE_EINVAL,
                 "parameter 2 of 2");
    assert_fails(bnre_marginal_find(posterior, 0, 1, &wrong, found),
                 BNRE_EINVAL, "level 1");
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mode_has_one_interval),
        cmocka_unit_test(several_modes_have_an_interval_each),
        cmocka_unit_test(noise_makes_no_parts),
        cmocka_unit_test(a_set_ends_where_the_line_does),
        cmocka_unit_test(many_parts_are_counted),
        cmocka_unit_test(a_posterior_has_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
