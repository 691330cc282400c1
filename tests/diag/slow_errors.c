/* How often the verdict is wrong, and what it finds. */
#include <math.h>

#include "bnre/diag.h"
#include "densities.h"
#include "diag/diag.h"
#include "pairs.h"
#include "support.h"

/* The verdict on N(x/2, variance) for fresh pairs. */
static bnre_verdict verdict(const bnre_prior *prior, size_t n, double variance,
                            uint64_t seed, double eps, size_t cells)
{
    normal_guess guess = {prior, variance, 0};
    bnre_density density = normal_guess_density(&guess);
    pairs p = pairs_gaussian(n, bnre_prior_dim(prior), 1, seed);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_verdict found;
    bnre_diag *diag;

    opts.eps = eps;
    opts.cells = cells;
    assert_ok(bnre_diagnose(&density, n, 1, p.theta, p.x, &opts, &diag));
    found = diag->curve[0].judgement.verdict;
    bnre_diag_destroy(diag);
    pairs_free(&p);
    return found;
}

/* With no tolerance at all OVERCONFIDENT is wrong for an exact posterior, and
   happens in 5 % of the cases at most. 2,000 repetitions of 200 pairs. */
static void false_alarms_are_as_rare_as_promised(void **state)
{
    enum { RUNS = 2000 };
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    size_t alarms = 0;

    (void)state;
    for (uint64_t r = 0; r < RUNS; r++)
        alarms +=
            verdict(prior, 200, 0.5, 1000 + r, 0, 12) == BNRE_OVERCONFIDENT;
    print_message("false alarms: %zu of %d\n", alarms, RUNS);
    assert_true(alarms <= RUNS / 20);
    bnre_prior_destroy(prior);
}

/* CONSERVATIVE for coverage that is too low by exactly the tolerance at a
   level is wrong, and happens in 5 % of the cases at most. */
static void false_comfort_is_as_rare_as_promised(void **state)
{
    enum { RUNS = 2000, N = 2000 };
    double *rank = test_malloc(N * sizeof *rank);
    size_t wrong = 0;

    (void)state;
    for (uint64_t r = 0; r < RUNS; r++) {
        bnre_rng rng = bnre_rng_stream(5, 99, r);
        bnre_coverage coverage;
        bnre_judgement j;

        /* Coverage c everywhere but at 0.80, where it is 0.78: ranks leave
           (0.78, 0.80) for (0.80, 0.82). */
        for (size_t i = 0; i < N; i++) {
            rank[i] = bnre_rng_uniform(&rng);
            if (rank[i] > 0.78 && rank[i] <= 0.8)
                rank[i] += 0.02;
        }
        bnre__coverage_of(N, rank, 0, 0.05, &coverage);
        bnre__judge(&coverage, (bnre_estimate){1, 0.01}, 0.05, 0.02, 0.05, &j);
        wrong += j.verdict == BNRE_CONSERVATIVE;
    }
    print_message("false comfort: %zu of %d\n", wrong, RUNS);
    assert_true(wrong <= RUNS / 20);
    test_free(rank);
}

/* 2,000 pairs show a standard deviation that is 20 % too small. */
static void small_errors_are_found(void **state)
{
    (void)state;
    for (size_t dim = 1; dim <= 3; dim++) {
        bnre_prior *prior = prior_of(dim, "normal(0, 1)");

        for (uint64_t r = 0; r < 10; r++)
            assert_int_equal(verdict(prior, 2000, 0.64 * 0.5, 50 + r, 0.02, 0),
                             BNRE_OVERCONFIDENT);
        bnre_prior_destroy(prior);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_alarms_are_as_rare_as_promised),
        cmocka_unit_test(false_comfort_is_as_rare_as_promised),
        cmocka_unit_test(small_errors_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
