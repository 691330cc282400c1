/* The law of the observable at its normal size: against statistics of another
   implementation, and under the symmetries of the square. */
#include <math.h>

#include "agreement.h"
#include "bnre/rng.h"
#include "num/streams.h"
#include "sir_run.h"
#include "support.h"

enum { DRAWS = 1000 };

/* `theta` NULL: from the prior. */
static void compare_block(const ref *block, const double *theta, uint64_t seed)
{
    static double values[DRAWS * SIR_STATISTICS];
    const ref *stats = ref_at(block, "stats");
    double draws = ref_number(ref_at(block, "draws")), gone = 0, both, error;
    struct sir_run run = sir_open(50, 100);

    for (uint64_t row = 0; row < DRAWS; row++) {
        bnre_rng rng = bnre_rng_stream(
            seed, bnre__purpose(BNRE_USE_PRIOR, BNRE_SPLIT_TEST), row);
        double prior[] = {bnre_rng_uniform(&rng), bnre_rng_uniform(&rng)};
        double *value = values + row * SIR_STATISTICS;

        sir_draw(&run, seed, row, theta != NULL ? theta : prior);
        sir_summarise(run.grid, run.x, value);
        gone += value[SIR_INFECTED] == 0;
    }
    assert_agrees(stats, draws, DRAWS, SIR_STATISTICS, values, AGREE_ALL);
    assert_same_share(
        gone, DRAWS, ref_number(ref_at(stats, "prob_no_infected_left")), draws);
    both = sample_mean(DRAWS, values + SIR_BOTH, SIR_STATISTICS, &error);
    /* Printed with seven digits, of which the 1 takes one. */
    assert_same_mean(1 + both, error,
                     ref_number(ref_at(stats, "mean_sum_of_channels")),
                     error + 1e-6);
    sir_close(&run);
}

/* About 120 comparisons a block, many of them the same in other words: with
   each at 1 in 150,000, a false alarm in less than 1 of 250 changes. */
static void statistics_agree_with_the_reference(void **state)
{
    ref *root = ref_load("spatial_sir.json");
    const ref *points = ref_at(root, "points");

    (void)state;
    assert_true(ref_count(points) >= 4);
    for (size_t k = 0; k < ref_count(points); k++) {
        double theta[2];

        ref_numbers(ref_at(points, "%zu/theta", k), 2, theta);
        compare_block(ref_at(points, "%zu", k), theta, 10 + k);
    }
    compare_block(ref_at(root, "prior_predictive"), NULL, 20);
    ref_free(root);
}

/* Reflections and rotations change no probability, so what differs between
   the sides of the square has mean 0. 4 comparisons for each size, a false
   alarm in 10,000 changes. */
static void square_keeps_its_symmetry(void **state)
{
    static const size_t grids[] = {50, 64, 65, 130};
    static const double theta[] = {0.9, 0.1};
    enum { N = 400, KINDS = 4 };
    static double d[N * KINDS];

    (void)state;
    for (size_t g = 0; g < 4; g++) {
        size_t grid = grids[g], last = grid - 1;
        struct sir_run run = sir_open(grid, 20);

        for (uint64_t row = 0; row < N; row++) {
            double left = 0, right = 0, top = 0, bottom = 0, fall = 0, rise = 0;

            sir_draw(&run, 40 + g, row, theta);
            for (size_t i = 0; i < run.area; i++) {
                double affected = 1 - run.x[i];
                size_t r = i / grid, c = i % grid;

                left += affected * (2 * c < last);
                right += affected * (2 * c > last);
                top += affected * (2 * r < last);
                bottom += affected * (2 * r > last);
                fall += affected * (r == c || r + 1 == c);
                rise += affected * (r + c == last || r + c == last + 1);
            }
            d[KINDS * row] = left - right;
            d[KINDS * row + 1] = top - bottom;
            d[KINDS * row + 2] = fabs(left - right) - fabs(top - bottom);
            d[KINDS * row + 3] = fall - rise;
        }
        for (size_t k = 0; k < KINDS; k++) {
            double error, mean = sample_mean(N, d + k, KINDS, &error);

            assert_true(error > 0);
            if (fabs(mean) > AGREE_SIGMA * error)
                fail_msg("grid %zu, difference %zu: %g +- %g", grid, k, mean,
                         error);
        }
        sir_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_agree_with_the_reference),
        cmocka_unit_test(square_keeps_its_symmetry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
