/* Who meets whom in the marginal pairs of a batch. */
#include <math.h>

#include "infer/train/pairing.h"
#include "support.h"

static void no_theta_meets_its_own_x(void **state)
{
    bnre__pairing pairing = {0};

    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        const size_t n = 2 + k % 30, spare = k % 7;
        bnre_rng rng = bnre_rng_stream(1, 0, k);

        assert_ok(bnre__pairing_draw(&pairing, &rng, n, spare));
        for (size_t shift = 1; shift < n + spare; shift++) {
            unsigned char used[64] = {0};

            for (size_t i = 0; i < n; i++) {
                const size_t theta = bnre__pairing_theta(&pairing, i, shift);

                assert_true(theta < n + spare);
                assert_int_not_equal(theta, i);
                assert_int_equal(used[theta]++, 0);
            }
        }
    }
    bnre__pairing_clear(&pairing);
}

/* Every shift of the circle brings each x together with every other theta. */
static void all_shifts_are_all_pairs(void **state)
{
    enum { N = 9, SPARE = 3 };
    bnre__pairing pairing = {0};
    bnre_rng rng = bnre_rng_stream(2, 0, 0);
    size_t met[N][N + SPARE] = {{0}};

    (void)state;
    assert_ok(bnre__pairing_draw(&pairing, &rng, N, SPARE));
    for (size_t shift = 1; shift < N + SPARE; shift++)
        for (size_t i = 0; i < N; i++)
            met[i][bnre__pairing_theta(&pairing, i, shift)]++;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N + SPARE; k++)
            assert_int_equal(met[i][k], i != k);
    bnre__pairing_clear(&pairing);
}

/* Permutations of theta and x: each theta meets each x equally often, itself
   included, and one of them meets itself on average. Chi-square over 25 cells
   (16 degrees of freedom); by chance below 1e-6 once in a million seeds. */
static void permutations_are_uniform(void **state)
{
    enum { N = 5, TIMES = 20000 };
    bnre__pairing pairing = {.permute = 1};
    double met[N][N] = {{0}}, chi = 0;

    (void)state;
    for (uint64_t k = 0; k < TIMES; k++) {
        bnre_rng rng = bnre_rng_stream(3, 0, k);

        assert_ok(bnre__pairing_draw(&pairing, &rng, N, 0));
        for (size_t i = 0; i < N; i++)
            met[bnre__pairing_theta(&pairing, i, 1)][pairing.x_index[i]]++;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            const double mean = (double)TIMES / N;

            /* The sum over cells has mean 16 (N - 1) / N ... of a permutation
               matrix: each cell's variance is mean (1 - 1/N), and the cells
               have (N - 1)^2 degrees of freedom. */
            chi +=
                (met[i][j] - mean) * (met[i][j] - mean) / mean * (N - 1.0) / N;
        }
    assert_true(chi_square_pvalue(chi, (N - 1) * (N - 1)) > 1e-6);
    assert_true(chi_square_pvalue(chi, (N - 1) * (N - 1)) < 1 - 1e-6);
    bnre__pairing_clear(&pairing);
}

/* theta's permutation is drawn first. */
static void theta_is_drawn_before_x(void **state)
{
    enum { N = 8 };
    bnre__pairing pairing = {.permute = 1};
    bnre_rng rng = bnre_rng_stream(4, 0, 0), same = rng;
    size_t order[N];

    (void)state;
    assert_ok(bnre__pairing_draw(&pairing, &rng, N, 0));
    for (size_t i = 0; i < N; i++)
        order[i] = i;
    bnre_rng_shuffle(&same, N, order);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(bnre__pairing_theta(&pairing, i, 1), order[i]);
    for (size_t i = 0; i < N; i++)
        order[i] = i;
    bnre_rng_shuffle(&same, N, order);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(pairing.x_index[i], order[i]);
    bnre__pairing_clear(&pairing);
}

/* Failed rows are draws from the prior like all others: an x meets any of the
   n + spare thetas, or any but its own, with equal probability. So a permuted
   theta is used with probability n / (n + spare); a deranged one with n / (n +
   spare - 1), less its own x. Within 5 standard errors for all 14 thetas: by
   chance wrong once in 10^5 seeds. */
static void spare_thetas_have_their_share(void **state)
{
    enum { N = 10, SPARE = 4, TIMES = 20000 };

    (void)state;
    for (int permute = 0; permute < 2; permute++) {
        bnre__pairing pairing = {.permute = permute};
        double used[N + SPARE] = {0};

        for (uint64_t k = 0; k < TIMES; k++) {
            bnre_rng rng = bnre_rng_stream(5, 0, k);

            assert_ok(bnre__pairing_draw(&pairing, &rng, N, SPARE));
            for (size_t i = 0; i < N; i++)
                used[bnre__pairing_theta(&pairing, i, 1)]++;
        }
        for (size_t k = 0; k < N + SPARE; k++) {
            const double p = permute ? (double)N / (N + SPARE)
                                     : (double)(N - (k < N)) / (N + SPARE - 1);

            assert_true(fabs(used[k] - TIMES * p) <
                        5 * sqrt(TIMES * p * (1 - p)));
        }
        bnre__pairing_clear(&pairing);
    }
}

static bnre_status draw(void *arg)
{
    bnre__pairing pairing = {0};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre_status status = bnre__pairing_draw(&pairing, &rng, 5, 2);

    (void)arg;
    bnre__pairing_clear(&pairing);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(draw, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_theta_meets_its_own_x),
        cmocka_unit_test(all_shifts_are_all_pairs),
        cmocka_unit_test(permutations_are_uniform),
        cmocka_unit_test(theta_is_drawn_before_x),
        cmocka_unit_test(spare_thetas_have_their_share),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
