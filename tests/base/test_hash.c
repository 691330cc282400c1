#include <string.h>

#include "base/hash.h"
#include "support.h"

static const uint64_t k0 = UINT64_C(0x0706050403020100);
static const uint64_t k1 = UINT64_C(0x0f0e0d0c0b0a0908);

/* Inputs 00, 01, 02, ...: the vectors published with SipHash. */
static void known_answers_are_given(void **state)
{
    struct {
        size_t bytes;
        uint64_t hash;
    } known[] = {
        {0, UINT64_C(0x726fdb47dd0e0e31)},
        {1, UINT64_C(0x74f839c593dc67fd)},
        {8, UINT64_C(0x93f5f5799a932462)},
        {15, UINT64_C(0xa129ca6149be45e5)},
    };
    unsigned char data[64];

    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bnre__hash hash;
        uint64_t out;

        bnre__hash_init(&hash, k0, k1, 0);
        bnre__hash_add(&hash, data, known[i].bytes);
        bnre__hash_end(&hash, &out);
        assert_int_equal(out, known[i].hash);
    }
}

static void wide_known_answer_is_given(void **state)
{
    /* a3817f04ba25a8e6 6df67214c7550293, as bytes, for the empty input. */
    bnre__hash hash;
    uint64_t out[2];

    (void)state;
    bnre__hash_init(&hash, k0, k1, 1);
    bnre__hash_end(&hash, out);
    assert_int_equal(out[0], UINT64_C(0xe6a825ba047f81a3));
    assert_int_equal(out[1], UINT64_C(0x930255c71472f66d));
}

static void pieces_give_the_same_as_the_whole(void **state)
{
    unsigned char data[100];
    uint64_t whole;

    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(7 * i);
    whole = bnre__hash_bytes(data, sizeof data);
    for (size_t cut = 0; cut <= sizeof data; cut++) {
        bnre__hash hash;
        uint64_t out;

        bnre__hash_init(&hash, 0, 0, 0);
        bnre__hash_add(&hash, data, cut);
        bnre__hash_add(&hash, data + cut, sizeof data - cut);
        bnre__hash_end(&hash, &out);
        assert_int_equal(out, whole);
    }
}

static void every_bit_counts(void **state)
{
    unsigned char data[24] = {0};
    uint64_t plain = bnre__hash_bytes(data, sizeof data);

    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_not_equal(bnre__hash_bytes(data, sizeof data), plain);
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_are_given),
        cmocka_unit_test(wide_known_answer_is_given),
        cmocka_unit_test(pieces_give_the_same_as_the_whole),
        cmocka_unit_test(every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
