#include <math.h>
#include <string.h>

#include "bnre/diag.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "diag/diag.h"
#include "support.h"

static const bnre_estimate informative = {1.5, 0.02};

/* Coverage c^power at level c, evenly: below 1 conservative, above it not. */
static bnre_coverage made(size_t n, double power)
{
    double *rank = test_malloc(n * sizeof *rank);
    bnre_coverage coverage;

    for (size_t i = 0; i < n; i++)
        rank[i] = pow(((double)i + 0.5) / (double)n, 1 / power);
    bnre__coverage_of(n, rank, 0, 0.05, &coverage);
    test_free(rank);
    return coverage;
}

static bnre_judgement judged(size_t n, double power)
{
    bnre_coverage coverage = made(n, power);
    bnre_judgement j;

    bnre__judge(&coverage, informative, 0.05, 0.02, 0.05, &j);
    return j;
}

static void verdict_follows_coverage(void **state)
{
    (void)state;
    assert_int_equal(judged(2000, 0.7).verdict, BNRE_CONSERVATIVE);
    assert_int_equal(judged(2000, 1.4).verdict, BNRE_OVERCONFIDENT);
    assert_int_equal(judged(100, 1).verdict, BNRE_INCONCLUSIVE);
    assert_int_equal(judged(20000, 1).verdict, BNRE_CONSERVATIVE);
}

/* Both tests by their definition, through the bounds. */
static void tests_are_those_of_the_bounds(void **state)
{
    const double power[] = {0.9, 0.96, 1, 1.03, 1.06, 1.1, 1.2};
    size_t seen[2][2] = {{0}};

    (void)state;
    for (size_t i = 0; i < sizeof power / sizeof *power; i++)
        for (size_t n = 500; n < 30000; n *= 3) {
            bnre_coverage c = made(n, power[i]);
            int every = 1, some = 0;
            bnre_judgement j;

            bnre__judge(&c, informative, 0.05, 0.02, 0.05, &j);
            for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
                double edge = bnre_diag_level(k) - 0.02;
                int low =
                    bnre__binomial_upper(c.covered[k], n, 0.05 / 19) < edge;

                assert_int_equal(j.low[k], low);
                some |= low;
                every &= bnre__binomial_lower(c.covered[k], n, 0.05) >= edge;
            }
            assert_int_equal(j.verdict == BNRE_CONSERVATIVE, every);
            assert_int_equal(j.verdict == BNRE_OVERCONFIDENT, some);
            seen[0][every]++;
            seen[1][some]++;
        }
    assert_true(seen[0][0] && seen[0][1] && seen[1][0] && seen[1][1]);
}

static void number_that_decides_does(void **state)
{
    const double power[] = {0.9, 0.98, 1, 1.1, 1.15};

    (void)state;
    for (size_t i = 0; i < sizeof power / sizeof *power; i++) {
        bnre_judgement j = judged(200, power[i]);

        assert_int_equal(j.verdict, BNRE_INCONCLUSIVE);
        assert_true(j.needed > 200);
        assert_int_equal(j.expected, power[i] > 1.05 ? BNRE_OVERCONFIDENT
                                                     : BNRE_CONSERVATIVE);
        /* The curve of 200 pairs is that of the power to 1/200. */
        assert_int_equal(judged(2 * j.needed, power[i]).verdict, j.expected);
        assert_int_equal(judged(j.needed / 2, power[i]).verdict,
                         BNRE_INCONCLUSIVE);
    }
}

/* Coverage below level - eps by no more than rounding. */
static void nothing_decides_at_the_tolerance(void **state)
{
    bnre_coverage c = made(200, 1);
    bnre_judgement j;
    char *words;

    (void)state;
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        c.covered[k] = 10 * (k + 1);
        c.share[k] = bnre_diag_level(k);
    }
    bnre__judge(&c, informative, 0.05, 0, 0.05, &j);
    assert_int_equal(j.verdict, BNRE_INCONCLUSIVE);
    assert_int_equal(j.needed, 0);
    assert_ok(bnre_judgement_words(&j, &words));
    assert_true(holds_facts(words, "INCONCLUSIVE ... no number of pairs"));
    bnre_free(words);
}

static void gain_near_zero_is_uninformative(void **state)
{
    const bnre_estimate gain[] = {
        {0, 0}, {0.04, 0.001}, {0.06, 0.01}, {-2, 0.1}, {-INFINITY, NAN}};
    bnre_coverage c = made(20000, 0.9);
    bnre_judgement j;

    (void)state;
    for (size_t i = 0; i < sizeof gain / sizeof *gain; i++) {
        bnre__judge(&c, gain[i], 0.05, 0.02, 0.05, &j);
        assert_int_equal(j.verdict, BNRE_UNINFORMATIVE);
    }
    bnre__judge(&c, (bnre_estimate){0.06, 0.005}, 0.05, 0.02, 0.05, &j);
    assert_int_equal(j.verdict, BNRE_CONSERVATIVE);
    bnre__judge(&c, (bnre_estimate){NAN, NAN}, 0.05, 0.02, 0.05, &j);
    assert_int_equal(j.verdict, BNRE_CONSERVATIVE);
}

static void assert_words(const bnre_judgement *j, const char *text)
{
    char *words;

    assert_ok(bnre_judgement_words(j, &words));
    if (!holds_facts(words, text))
        fail_msg("\"%s\" lacks \"%s\"", words, text);
    assert_true(holds_facts(words, "ithin 0.02 ... average ... prior"));
    bnre_free(words);
}

static void words_tell_the_verdict(void **state)
{
    bnre_judgement j = judged(2000, 0.7);
    bnre_coverage c = made(2000, 1.4);

    (void)state;
    assert_words(&j, "CONSERVATIVE: ... at least");
    assert_words(&j, "0.95 ... 2000 pairs");
    j = judged(2000, 1.4);
    assert_words(&j, "OVERCONFIDENT at 0.05 to 0.85: regions");
    assert_words(&j, "worst at 0.45: 0.327");
    j = judged(100, 1);
    assert_words(&j, "INCONCLUSIVE: 100 pairs ... about ");
    assert_words(&j, "would say CONSERVATIVE");
    bnre__judge(&c, (bnre_estimate){0.01, 0.01}, 0.05, 0.02, 0.05, &j);
    assert_words(&j, "UNINFORMATIVE: ... gain ... 0.010 +- 0.010 ");
    assert_words(&j, "coverage ... too low ... at 0.05 to 0.85");
    bnre__judge(&c, (bnre_estimate){NAN, NAN}, 0.05, 0.02, 0.05, &j);
    assert_words(&j, "more than the prior ... not known");
    j.ess = 3.25;
    assert_words(&j, "Few points bear weight (3.2 per pair)");
}

/* How often an exact posterior is called CONSERVATIVE: 0.23, 0.57 and 0.97 with
   2,000, 4,000 and 10,000 pairs, computed elsewhere. 200 runs tell it to 0.035
   at most; wrong once in 10,000 seeds. */
static void exact_posteriors_are_recognised_as_often_as_known(void **state)
{
    enum { RUNS = 200, MOST = 10000 };
    const size_t pairs[] = {2000, 4000, MOST};
    const double known[] = {0.23, 0.57, 0.97};
    double *rank = test_malloc(MOST * sizeof *rank);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        size_t found = 0;

        for (size_t r = 0; r < RUNS; r++) {
            bnre_rng rng = bnre_rng_stream(3 + i, 99, r);
            bnre_coverage c;
            bnre_judgement j;

            for (size_t k = 0; k < pairs[i]; k++)
                rank[k] = bnre_rng_uniform(&rng);
            bnre__coverage_of(pairs[i], rank, 0, 0.05, &c);
            bnre__judge(&c, informative, 0.05, 0.02, 0.05, &j);
            found += j.verdict == BNRE_CONSERVATIVE;
        }
        assert_close((double)found / RUNS, known[i],
                     4 * sqrt(known[i] * (1 - known[i]) / RUNS) + 0.005);
    }
    test_free(rank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdict_follows_coverage),
        cmocka_unit_test(tests_are_those_of_the_bounds),
        cmocka_unit_test(number_that_decides_does),
        cmocka_unit_test(nothing_decides_at_the_tolerance),
        cmocka_unit_test(gain_near_zero_is_uninformative),
        cmocka_unit_test(words_tell_the_verdict),
        cmocka_unit_test(exact_posteriors_are_recognised_as_often_as_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
