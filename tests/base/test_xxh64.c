#include "base/hash.h"
#include "support.h"

/* The buffer that xxhsum tests itself with. */
static void known_answers_are_given(void **state)
{
    const struct {
        size_t bytes;
        uint64_t sum;
    } known[] = {
        {0, UINT64_C(0xef46db3751d8e999)},   {1, UINT64_C(0xe934a84adb052768)},
        {4, UINT64_C(0x9136a0dca57457ee)},   {14, UINT64_C(0x8282dcc4994e35c8)},
        {222, UINT64_C(0xb641ae8cb691c174)},
    };
    unsigned char data[222];
    uint64_t next = UINT64_C(2654435761);

    (void)state;
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(next >> 56);
        next *= UINT64_C(11400714785074694797);
    }
    assert_int_equal(bnre__xxh64("abc", 3), UINT64_C(0x44bc2cf5ad770999));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(bnre__xxh64(data, known[i].bytes), known[i].sum);
}

static void every_bit_counts(void **state)
{
    unsigned char data[101] = {0};
    uint64_t plain = bnre__xxh64(data, sizeof data);

    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(bnre__xxh64(data, sizeof data), plain);
        data[bit / 8] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_are_given),
        cmocka_unit_test(every_bit_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
