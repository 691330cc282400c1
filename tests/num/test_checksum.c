/* Checksums: the numbers of xxhsum -H3, by every set of kernels. */
#include "num/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "support.h"

enum { LONGEST = 5000 };

/* The bytes that xxhsum tests itself with. */
static void fill(unsigned char *data, size_t bytes)
{
    uint64_t next = UINT64_C(2654435761);

    for (size_t i = 0; i < bytes; i++) {
        data[i] = (unsigned char)(next >> 56);
        next *= UINT64_C(11400714785074694797);
    }
}

static void known_answers_are_given_by_every_set(void **state)
{
    static const struct {
        size_t bytes;
        uint64_t sum;
    } known[] = {
        {403, UINT64_C(0xcdeb804d65c6dea4)},
        {512, UINT64_C(0x617e49599013cb6b)},
        {2048, UINT64_C(0xdd59e2c3a5f038e0)},
        {2240, UINT64_C(0x6e73a90539cf2948)},
        {2367, UINT64_C(0xcb37aeb9e5d361ed)},
    };
    unsigned char data[2367];
    const bnre__kernels *set;

    (void)state;
    fill(data, sizeof data);
    for (size_t s = 0; (set = bnre__kernels_set(s)) != NULL; s++)
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            assert_int_equal(bnre__checksum(set, data, known[i].bytes),
                             known[i].sum);
}

static void short_ones_are_those_of_xxh64(void **state)
{
    unsigned char data[241];

    (void)state;
    fill(data, sizeof data);
    for (size_t n = 0; n <= 240; n++)
        assert_int_equal(bnre__checksum(bnre__kernels_set(0), data, n),
                         bnre__xxh64(data, n));
    assert_int_not_equal(bnre__checksum(bnre__kernels_set(0), data, 241),
                         bnre__xxh64(data, 241));
}

/* Every length, and wherever the bytes begin; in memory that is no longer, so
   that reading beyond it is noticed. */
static void every_set_gives_the_plain_one(void **state)
{
    const bnre__kernels *plain = bnre__kernels_set(0), *set;

    (void)state;
    for (size_t n = 241; n <= LONGEST; n += n < 2200 ? 1 : 37) {
        const size_t shift = n % 16;
        unsigned char *data = malloc(n + shift);

        assert_non_null(data);
        fill(data, n + shift);
        for (size_t s = 1; (set = bnre__kernels_set(s)) != NULL; s++)
            assert_int_equal(bnre__checksum(set, data + shift, n),
                             bnre__checksum(plain, data + shift, n));
        free(data);
    }
}

static void every_bit_counts(void **state)
{
    const bnre__kernels *set = bnre__kernels_best();
    unsigned char data[1500] = {0};
    const uint64_t sum = bnre__checksum(set, data, sizeof data);

    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(bnre__checksum(set, data, sizeof data), sum);
        data[bit / 8] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_are_given_by_every_set),
        cmocka_unit_test(short_ones_are_those_of_xxh64),
        cmocka_unit_test(every_set_gives_the_plain_one),
        cmocka_unit_test(every_bit_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
