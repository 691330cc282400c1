/* Statistical tests of this file: some 120 at the level 1e-6 each, and eight
   maxima at 3e-6. With fixed seeds the outcome is fixed; a right generator with
   other seeds would raise an alarm in 1.5e-4 of all cases. */
#include <math.h>
#include <string.h>

#include "bnre/rng.h"
#include "laws.h"
#include "num/dist.h"
#include "num/streams.h"
#include "support.h"

/* The vectors published with Random123, read through the public stream: the
   counter is (block, purpose, row), the key is the seed. */
static void known_answers_are_given(void **state)
{
    struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {
        {{0}, {0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t *c = known[i].counter, *k = known[i].key;
        bnre_rng rng = bnre_rng_stream((uint64_t)k[1] << 32 | k[0], c[1],
                                       (uint64_t)c[3] << 32 | c[2]);

        rng.block = c[0];
        for (int j = 0; j < 4; j++)
            assert_int_equal(bnre_rng_u32(&rng), known[i].answer[j]);
    }
}

/* Each word is a function of its name and place alone. */
static void streams_do_not_depend_on_order(void **state)
{
    enum { ROWS = 20, WORDS = 50 };
    uint32_t forward[ROWS][WORDS];
    bnre_rng mixed[ROWS];

    (void)state;
    for (uint64_t row = 0; row < ROWS; row++) {
        bnre_rng rng = bnre_rng_stream(7, 3, row);

        for (int i = 0; i < WORDS; i++)
            forward[row][i] = bnre_rng_u32(&rng);
    }
    for (uint64_t row = ROWS; row-- > 0;)
        mixed[row] = bnre_rng_stream(7, 3, row);
    for (int i = 0; i < WORDS; i++)
        for (size_t row = ROWS; row-- > 0;)
            assert_int_equal(bnre_rng_u32(&mixed[row]), forward[row][i]);
}

static uint32_t constant_word;

static void refill_constant(bnre_rng *rng)
{
    for (int i = 0; i < BNRE_RNG_WORDS; i++)
        rng->word[i] = constant_word;
    rng->used = 0;
}

/* A stream whose words are all the same. */
static bnre_rng constant_stream(uint32_t word, bnre_rng_calls *calls)
{
    bnre_rng rng = bnre_rng_stream(0, 0, 0);

    *calls = *rng.calls;
    calls->refill = refill_constant;
    rng.calls = calls;
    constant_word = word;
    return rng;
}

static void ends_of_the_unit_interval_are_as_documented(void **state)
{
    bnre_rng_calls calls;
    bnre_rng low, high;

    (void)state;
    low = constant_stream(0, &calls);
    assert_true(bnre_rng_uniform(&low) == 0);
    assert_true(bnre_rng_open(&low) == 0x1p-53);
    assert_true(bnre_rng_normal(&low) < -8.2);
    assert_true(isfinite(bnre_rng_exponential(&low)));
    high = constant_stream(UINT32_MAX, &calls);
    assert_true(bnre_rng_uniform(&high) == 1 - 0x1p-53);
    assert_true(bnre_rng_open(&high) == 1 - 0x1p-53);
    assert_true(bnre_rng_normal(&high) > 8.2);
    assert_true(bnre_rng_exponential(&high) > 0);
}

static void samplers_follow_their_laws(void **state)
{
    (void)state;
    for (size_t i = 0; i < law_count; i++) {
        double p = law_pvalue(&laws[i], i, 10000);

        if (p <= 1e-6)
            print_error("%s(%g, %g): p = %g\n", laws[i].name, laws[i].a,
                        laws[i].b, p);
        assert_true(p > 1e-6);
    }
}

static size_t words_used(const bnre_rng *rng)
{
    return 4 * (size_t)rng->block + rng->used - BNRE_RNG_WORDS;
}

/* So that row i of a simulator can be recomputed from any draw on. */
static void normal_uses_two_words_always(void **state)
{
    bnre_rng rng = bnre_rng_stream(3, 1, 4), twin = rng;

    (void)state;
    for (size_t i = 0; i < 100000; i++) {
        assert_int_equal(words_used(&rng), 2 * i);
        assert_true(bnre_rng_normal(&rng) ==
                    bnre__normal_quantile(bnre_rng_open(&twin)));
    }
}

enum { LENGTH = 400 };

/* The name of a stream. */
struct name {
    uint64_t seed;
    uint32_t purpose;
    uint64_t row;
};

/* sqrt(n) times the correlation of two streams: nearly standard normal if they
   are independent. With a lag, of numbers so many places apart. */
static double correlation(struct name a, struct name b, int lag)
{
    bnre_rng x = bnre_rng_stream(a.seed, a.purpose, a.row);
    bnre_rng y = bnre_rng_stream(b.seed, b.purpose, b.row);
    double sum = 0;

    for (int i = 0; i < lag; i++)
        bnre_rng_uniform(&y);
    for (int i = 0; i < LENGTH; i++)
        sum += (bnre_rng_uniform(&x) - 0.5) * (bnre_rng_uniform(&y) - 0.5);
    return 12 * sum / sqrt(LENGTH);
}

/* The i-th pair of streams whose names differ as little as possible, in the
   manner number `how`. */
static void make_pair(int how, uint32_t i, struct name *a, struct name *b)
{
    uint64_t row = 1000003u * (uint64_t)i;

    *a = *b = (struct name){i % 7, 256 + i % 5, row};
    switch (how) {
    case 0: /* neighbouring rows */
        b->row++;
        break;
    case 1: /* rows that differ in one bit, of all 64 */
        b->row ^= UINT64_C(1) << i % 64;
        break;
    case 2: /* neighbouring seeds */
        b->seed++;
        break;
    case 3: /* seeds that differ in one bit */
        b->seed ^= UINT64_C(1) << i % 64;
        break;
    case 4: /* the splits of one use */
        a->purpose = bnre__purpose(BNRE_USE_SIMULATE, i % BNRE_SPLIT_COUNT);
        b->purpose =
            bnre__purpose(BNRE_USE_SIMULATE, (i + 1) % BNRE_SPLIT_COUNT);
        break;
    case 5: /* the uses of one split */
        a->purpose = bnre__purpose(BNRE_USE_PRIOR, BNRE_SPLIT_TEST);
        b->purpose = bnre__purpose(BNRE_USE_SIMULATE, BNRE_SPLIT_TEST);
        break;
    case 6: /* seed and row exchanged */
        b->seed = a->row + 1;
        b->row = a->seed;
        a->row++;
        break;
    default: /* the same numbers later in another row */
        b->row++;
        break;
    }
}

/* Over 3000 pairs of each kind the sum of squares is chi-square: it is tested
   in both directions at 1e-6, and the largest |value|, beyond 6.1 in 3000 with
   probability 3e-6. */
static void streams_of_different_names_are_uncorrelated(void **state)
{
    enum { PAIRS = 3000 };

    (void)state;
    for (int how = 0; how < 8; how++) {
        double squares = 0, p;

        for (uint32_t i = 0; i < PAIRS; i++) {
            struct name a, b;
            double r;

            make_pair(how, i, &a, &b);
            r = correlation(a, b, how == 7 ? 1 + (int)(i % 30) : 0);
            assert_true(fabs(r) < 6.1);
            squares += r * r;
        }
        p = chi_square_pvalue(squares, PAIRS);
        assert_true(p > 1e-6 && p < 1 - 1e-6);
    }
}

/* The first numbers of consecutive rows, as a dataset uses them, are a sample
   of their own: uniform, and neighbours in pairs uniform on the square. */
static void first_numbers_of_rows_are_independent(void **state)
{
    enum { ROWS = 40000, SIDE = 20 };
    static double u[ROWS];
    double seen[SIDE * SIDE] = {0}, sum = 0, each;

    (void)state;
    for (uint64_t row = 0; row < ROWS; row++) {
        bnre_rng rng = bnre_rng_stream(1, 257, row);

        u[row] = bnre_rng_uniform(&rng);
    }
    for (size_t i = 0; i + 1 < ROWS; i += 2)
        seen[(int)(u[i] * SIDE) * SIDE + (int)(u[i + 1] * SIDE)]++;
    each = ROWS / 2.0 / (SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += (seen[i] - each) * (seen[i] - each) / each;
    assert_true(chi_square_pvalue(sum, SIDE * SIDE - 1) > 1e-6);
    assert_true(ks_uniform_pvalue(ROWS, u) > 1e-6);
}

static uint64_t below_modulo(bnre_rng *rng, uint64_t n)
{
    return bnre_rng_u64(rng) % n;
}

/* Scaling without drawing the surplus again. */
static uint64_t below_scaled(bnre_rng *rng, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)((wide)bnre_rng_u64(rng) * n >> 64);
}

/* The smaller of two p-values: of thirds of the range, and of remainders. */
static double below_pvalue(uint64_t (*below)(bnre_rng *, uint64_t), uint64_t n)
{
    enum { DRAWS = 30000 };
    uint64_t parts = n < 3 ? n : 3;
    double third[3] = {0}, rest[3] = {0}, sum[2] = {0};
    bnre_rng rng = bnre_rng_stream(n, 2, 1);

    for (int i = 0; i < DRAWS; i++) {
        uint64_t k = below(&rng, n), part = k / (n / parts);

        assert_true(k < n);
        third[part < parts ? part : parts - 1]++;
        rest[k % parts]++;
    }
    for (uint64_t j = 0; j < parts; j++) {
        double first = (double)(n / parts) / (double)n;
        double expected =
            DRAWS * (j + 1 < parts ? first : 1 - first * (double)(parts - 1));
        double residue = DRAWS * (double)((n - j - 1) / parts + 1) / (double)n;

        sum[0] += (third[j] - expected) * (third[j] - expected) / expected;
        sum[1] += (rest[j] - residue) * (rest[j] - residue) / residue;
    }
    if (parts == 1)
        return 1;
    return fmin(chi_square_pvalue(sum[0], (double)(parts - 1)),
                chi_square_pvalue(sum[1], (double)(parts - 1)));
}

static void below_is_unbiased_up_to_the_largest(void **state)
{
    const uint64_t half = UINT64_C(1) << 63;
    const uint64_t n[] = {1,
                          2,
                          3,
                          4,
                          7,
                          1000,
                          UINT32_MAX,
                          UINT64_C(1) << 32,
                          half - 1,
                          half,
                          half + 1,
                          half + half / 2,
                          half / 4 * 7,
                          UINT64_MAX - 1,
                          UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        assert_true(below_pvalue(bnre_rng_below, n[i]) > 1e-6);
    /* the test sees what it should: the usual shortcuts fail it */
    assert_true(below_pvalue(below_modulo, half + half / 2) < 1e-12);
    assert_true(below_pvalue(below_scaled, half + half / 2) < 1e-12);
}

static void shuffles_are_equally_likely(void **state)
{
    enum { DRAWS = 48000 };
    double seen[24] = {0}, sum = 0;
    bnre_rng rng = bnre_rng_stream(4, 2, 2);
    size_t large[1000];
    char there[1000] = {0};

    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        size_t a[4] = {0, 1, 2, 3};

        bnre_rng_shuffle(&rng, 4, a);
        /* the number of the permutation, by its inversions */
        seen[((a[0] > a[1]) + (a[0] > a[2]) + (a[0] > a[3])) * 6 +
             ((a[1] > a[2]) + (a[1] > a[3])) * 2 + (a[2] > a[3])]++;
    }
    for (int i = 0; i < 24; i++)
        sum += (seen[i] - DRAWS / 24) * (seen[i] - DRAWS / 24) / (DRAWS / 24);
    assert_true(chi_square_pvalue(sum, 23) > 1e-6);

    for (size_t i = 0; i < 1000; i++)
        large[i] = i;
    bnre_rng_shuffle(&rng, 1000, large);
    for (size_t i = 0; i < 1000; i++) {
        assert_true(large[i] < 1000 && !there[large[i]]);
        there[large[i]] = 1;
    }
    bnre_rng_shuffle(&rng, 0, NULL);
}

static void certain_outcomes_are_certain(void **state)
{
    bnre_rng rng = bnre_rng_stream(5, 2, 3);

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(bnre_rng_poisson(&rng, 0), 0);
        assert_int_equal(bnre_rng_binomial(&rng, 0, 0.5), 0);
        assert_int_equal(bnre_rng_binomial(&rng, 100, 0), 0);
        assert_int_equal(bnre_rng_binomial(&rng, 100, 1), 100);
        assert_int_equal(bnre_rng_binomial(&rng, UINT64_MAX, 1), UINT64_MAX);
        assert_int_equal(bnre_rng_binomial(&rng, UINT64_MAX, 0), 0);
        assert_int_equal(bnre_rng_geometric(&rng, 1), 0);
        assert_int_equal(bnre_rng_below(&rng, 1), 0);
        assert_true(bnre_rng_binomial(&rng, 50, 0.999) <= 50);
    }
}

static void extreme_arguments_give_numbers_in_range(void **state)
{
    const double shape[] = {1e-320, 1e-300, 1e-10, 1, 1e10, 1e300};
    bnre_rng rng = bnre_rng_stream(6, 2, 4);
    double half = 0x1p63;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        for (int k = 0; k < 100; k++) {
            double x = bnre_rng_gamma(&rng, shape[i]);

            assert_true(x >= 0 && isfinite(x));
            assert_true(!isnan(bnre_rng_student_t(&rng, shape[i])));
            for (size_t j = 0; j < 6; j++) {
                double y = bnre_rng_beta(&rng, shape[i], shape[j]);

                assert_true(y >= 0 && y <= 1);
            }
        }
    for (int k = 0; k < 100; k++) { /* within 10 standard deviations */
        assert_close((double)bnre_rng_poisson(&rng, half), half, 4e-9);
        assert_close((double)bnre_rng_binomial(&rng, UINT64_MAX, 0.5), half,
                     4e-9);
    }
    assert_int_equal(bnre_rng_poisson(&rng, 1e30), UINT64_MAX);
    assert_int_equal(bnre_rng_poisson(&rng, INFINITY), UINT64_MAX);
    assert_int_equal(bnre_rng_geometric(&rng, 1e-300), UINT64_MAX);
    assert_true(isinf(bnre_rng_gamma(&rng, INFINITY)));
    assert_true(isfinite(bnre_rng_student_t(&rng, INFINITY)));
}

static void nonsense_returns_at_once(void **state)
{
    const double bad[] = {NAN, -1};
    bnre_rng rng = bnre_rng_stream(7, 2, 5);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(isnan(bnre_rng_gamma(&rng, bad[i])));
        assert_true(isnan(bnre_rng_beta(&rng, bad[i], 1)));
        assert_true(isnan(bnre_rng_beta(&rng, 1, bad[i])));
        assert_true(isnan(bnre_rng_student_t(&rng, bad[i])));
        assert_int_equal(bnre_rng_poisson(&rng, bad[i]), UINT64_MAX);
        assert_int_equal(bnre_rng_binomial(&rng, 10, bad[i]), UINT64_MAX);
        assert_int_equal(bnre_rng_geometric(&rng, bad[i]), UINT64_MAX);
    }
    assert_true(isnan(bnre_rng_gamma(&rng, 0)));
    assert_true(isnan(bnre_rng_beta(&rng, INFINITY, 1)));
    assert_int_equal(bnre_rng_binomial(&rng, 10, 1.5), UINT64_MAX);
    assert_int_equal(bnre_rng_geometric(&rng, 0), UINT64_MAX);
    assert_int_equal(bnre_rng_geometric(&rng, 1.5), UINT64_MAX);
    assert_int_equal(bnre_rng_below(&rng, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_are_given),
        cmocka_unit_test(streams_do_not_depend_on_order),
        cmocka_unit_test(ends_of_the_unit_interval_are_as_documented),
        cmocka_unit_test(samplers_follow_their_laws),
        cmocka_unit_test(normal_uses_two_words_always),
        cmocka_unit_test(streams_of_different_names_are_uncorrelated),
        cmocka_unit_test(first_numbers_of_rows_are_independent),
        cmocka_unit_test(below_is_unbiased_up_to_the_largest),
        cmocka_unit_test(shuffles_are_equally_likely),
        cmocka_unit_test(certain_outcomes_are_certain),
        cmocka_unit_test(extreme_arguments_give_numbers_in_range),
        cmocka_unit_test(nonsense_returns_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
