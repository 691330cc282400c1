/* What to do next. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/certificate.h"
#include "bnre/rng.h"
#include "densities.h"
#include "pairs.h"
#include "support.h"
#include "trust/advice.h"

static bnre_diag *diagnose(double variance, double shift, size_t n,
                           const double *temper, size_t n_temper)
{
    const normal_guess guess = {prior_of(1, "normal(0, 1)"), variance, shift};
    const bnre_density density = normal_guess_density(&guess);
    bnre_diag_opts opts = bnre_diag_opts_default();
    pairs p = pairs_gaussian(n, 1, 1, 3);
    bnre_diag *diag = NULL;

    opts.cells = 64;
    opts.temper = temper;
    opts.n_temper = n_temper;
    assert_ok(bnre_diagnose(&density, n, 1, p.theta, p.x, &opts, &diag));
    pairs_free(&p);
    bnre_prior_destroy((bnre_prior *)guess.prior);
    return diag;
}

/* Whether a topic is there with these facts; "" for any. */
static int says(const bnre_advice *advice, const char *topic, const char *facts)
{
    for (size_t i = 0; i < advice->n; i++)
        if (strcmp(advice->item[i].topic, topic) == 0 &&
            holds_facts(advice->item[i].text, facts))
            return 1;
    return 0;
}

static bnre_advice advise(const bnre_diag *diag)
{
    const bnre__advice_opts opts = {.outside = NAN};
    bnre_advice advice;

    assert_ok(bnre__advise(diag, &opts, &advice));
    return advice;
}

static void overconfidence_asks_for_caution(void **state)
{
    const double temper[] = {1, 0.7, 0.5};
    bnre_diag *diag = diagnose(0.3, 0, 1000, NULL, 0);
    bnre_advice advice = advise(diag);

    (void)state;
    assert_true(says(&advice, "caution", "`trust: auto`"));
    assert_true(says(&advice, "pattern", "too narrow"));
    assert_false(says(&advice, "enough", ""));
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);

    diag = diagnose(0.3, 0, 1000, temper, 3);
    diag->curve[2].judgement.verdict = BNRE_CONSERVATIVE;
    advice = advise(diag);
    assert_true(says(&advice, "caution", "`temper: 0.5` is conservative"));
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);
}

static void what_is_wide_is_enough_and_a_hump_no_fault(void **state)
{
    bnre_diag *diag = diagnose(0.8, 0, 1000, NULL, 0);
    bnre_advice advice = advise(diag);

    (void)state;
    assert_true(says(&advice, "enough", "at least as often"));
    assert_true(says(&advice, "pattern", "no fault"));
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);
}

/* Less caution would do, unless it is what was chosen. */
static void only_a_choice_is_left_as_it_is(void **state)
{
    static const bnre_certificate calibrated = {.given = 1};
    static const bnre_certificate chosen = {.given = 1,
                                            .kind = BNRE_CERTIFICATE_FRESH};
    const bnre_certificate *const certificate[] = {NULL, &calibrated, &chosen};
    bnre_diag *diag = diagnose(0.99, 0, 4000, NULL, 0);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const bnre__advice_opts opts = {.certificate = certificate[i],
                                        .outside = NAN};
        bnre_advice advice;

        assert_ok(bnre__advise(diag, &opts, &advice));
        assert_true(says(&advice, "enough", ""));
        assert_int_equal(says(&advice, "caution", "less caution"), i < 2);
        bnre__advice_clear(&advice);
    }
    bnre_diag_destroy(diag);
}

static void a_slope_is_bias_with_its_direction(void **state)
{
    bnre_diag *diag = diagnose(0.5, 0.4, 1000, NULL, 0);
    bnre_advice advice = advise(diag);

    (void)state;
    assert_true(says(&advice, "pattern", "too high"));
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);
    diag = diagnose(0.5, -0.4, 1000, NULL, 0);
    advice = advise(diag);
    assert_true(says(&advice, "pattern", "too low"));
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);
}

/* No call for more caution beside "enough". */
static void safe_regions_are_not_called_too_narrow(void **state)
{
    const double shift[] = {0.4, -0.4, 0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bnre_diag *diag = diagnose(i < 2 ? 0.5 : 0.3, shift[i], 1000, NULL, 0);
        bnre_advice advice;

        diag->curve[0].judgement.verdict = BNRE_CONSERVATIVE;
        advice = advise(diag);
        assert_true(says(&advice, "enough", ""));
        assert_true(says(&advice, "pattern", "safe ... intervals"));
        assert_int_equal(says(&advice, "pattern", "too high"), i == 0);
        assert_int_equal(says(&advice, "pattern", "too low"), i == 1);
        assert_int_equal(says(&advice, "pattern", "may be too short"), i == 2);
        assert_false(says(&advice, "pattern", "too narrow"));
        assert_false(says(&advice, "pattern", "more caution"));
        bnre__advice_clear(&advice);
        bnre_diag_destroy(diag);
    }
}

static void few_pairs_ask_for_more(void **state)
{
    bnre_diag *diag = diagnose(0.5, 0, 100, NULL, 0);
    bnre_advice advice = advise(diag);

    (void)state;
    assert_true(says(&advice, "pairs", ""));
    assert_false(says(&advice, "pattern", ""));
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);
}

static void estimator_curve_and_observation_have_their_say(void **state)
{
    bnre_diag *diag = diagnose(0.8, 0, 500, NULL, 0);
    bnre_estimator_info info = {.members = 1};
    bnre_learning_curve curve = {
        .n = 3,
        .simulations = {256, 512, 1024},
        .information = {{0.4, 0.02}, {0.8, 0.02}, {1.0, 0.02}},
        .volume = {0.4, 0.3, 0.2},
        .volume_error = {0.01, 0.009, 0.008}};
    bnre__advice_opts opts = {
        .estimator = &info, .curve = &curve, .outside = 0.001};
    bnre_advice advice;

    (void)state;
    bnre__learning_extrapolate(&curve, (const double[]){0.01, 0.01});
    assert_close(curve.gain, 0.1, 1e-12); /* halved once more */
    assert_close(curve.gain_low, 0.03, 1e-12);
    assert_close(curve.gain_high, 0.22, 1e-12);
    assert_close(curve.shrink, sqrt(2.0 / 3), 1e-12);
    assert_close(curve.shrink_low, 2.0 / 3 * exp(-0.1), 1e-12);
    assert_close(curve.shrink_high, pow(2.0 / 3, 0.25) * exp(0.1), 1e-12);
    assert_ok(bnre__advise(diag, &opts, &advice));
    assert_string_equal(advice.item[0].topic, "observation");
    assert_true(says(&advice, "observation", "unlike"));
    assert_true(says(&advice, "ensemble", "`members: 5`"));
    assert_true(says(&advice, "simulations", "twice as many (2048)"));
    bnre__advice_clear(&advice);

    curve.information[2].mean = 0.81;
    bnre__learning_extrapolate(&curve, (const double[]){0.01, 0.01});
    opts.outside = 0.4;
    info.members = 5;
    assert_ok(bnre__advise(diag, &opts, &advice));
    assert_true(says(&advice, "enough", "bring little"));
    assert_true(says(&advice, "observation", "looks like"));
    assert_false(says(&advice, "ensemble", ""));
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);
}

/* One more draw has a uniform p-value; what lies outside a small one. */
static void pvalues_of_observations(void **state)
{
    enum { N = 99, SIZE = 3, REPEATS = 150 };
    double p[REPEATS], far;
    double row[N * SIZE], x[SIZE];
    bnre_rng rng = bnre_rng_stream(1, 0, 0);

    (void)state;
    for (size_t r = 0; r < REPEATS; r++) {
        for (size_t i = 0; i < N * SIZE; i++)
            row[i] = (double)bnre_rng_normal(&rng);
        for (size_t i = 0; i < SIZE; i++)
            x[i] = (double)bnre_rng_normal(&rng);
        assert_ok(bnre__outside_pvalue(N, SIZE, row, x, &p[r]));
        p[r] -= bnre_rng_uniform(&rng) / (N + 1); /* it has 100 values */
    }
    assert_true(ks_uniform_pvalue(REPEATS, p) > 1e-3);
    x[1] = 9;
    assert_ok(bnre__outside_pvalue(N, SIZE, row, x, &far));
    assert_close(far, 0.01, 1e-12);
    assert_fails(bnre__outside_pvalue(10, SIZE, row, x, &far), BNRE_EUSAGE,
                 "too few");
}

static bnre_status advise_once(void *arg)
{
    const bnre__advice_opts opts = {.outside = 0.5};
    bnre_advice advice;
    bnre_status status = bnre__advise(arg, &opts, &advice);

    bnre__advice_clear(&advice);
    return status;
}

static void advice_survives_lack_of_memory(void **state)
{
    bnre_diag *diag = diagnose(0.8, 0.4, 500, NULL, 0);

    (void)state;
    assert_survives_lack_of_memory(advise_once, diag);
    bnre_diag_destroy(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overconfidence_asks_for_caution),
        cmocka_unit_test(only_a_choice_is_left_as_it_is),
        cmocka_unit_test(what_is_wide_is_enough_and_a_hump_no_fault),
        cmocka_unit_test(a_slope_is_bias_with_its_direction),
        cmocka_unit_test(safe_regions_are_not_called_too_narrow),
        cmocka_unit_test(few_pairs_ask_for_more),
        cmocka_unit_test(estimator_curve_and_observation_have_their_say),
        cmocka_unit_test(pvalues_of_observations),
        cmocka_unit_test(advice_survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
