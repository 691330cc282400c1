#include <math.h>
#include <string.h>

#include "bnre/dist.h"
#include "bnre/rng.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_are_given),
        cmocka_unit_test(streams_do_not_depend_on_order),
        cmocka_unit_test(ends_of_the_unit_interval_are_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
