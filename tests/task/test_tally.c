/* threads: rows are counted by several at once. */
#include "task/tally.h"

#include "bnre/pool.h"
#include "support.h"

static void half_of_a_hundred_is_not_most(void **state)
{
    bnre__tally *tally = NULL;
    bnre__losses losses = {0};

    (void)state;
    assert_ok(bnre__tally_create(&tally));
    for (uint64_t row = 0; row < 50; row++)
        assert_false(bnre__tally_add(tally, 1000 + row, BNRE_DRAW_LOST,
                                     row < 20 ? "crash" : "hang", &losses));
    for (uint64_t row = 50; row < 70; row++)
        assert_false(bnre__tally_add(tally, 1000 + row, BNRE_DRAW_INVALID,
                                     "nan", &losses));
    /* A row beyond the hundred, and one from before them, do not count. */
    assert_false(bnre__tally_add(tally, 1100, BNRE_DRAW_LOST, "x", &losses));
    assert_false(bnre__tally_add(tally, 999, BNRE_DRAW_LOST, "x", &losses));
    /* Nor does the same row a second time. */
    assert_false(bnre__tally_add(tally, 1003, BNRE_DRAW_LOST, "x", &losses));
    assert_true(bnre__tally_add(tally, 1099, BNRE_DRAW_LOST, "crash", &losses));
    assert_int_equal(losses.lost, 51);
    assert_int_equal(losses.rows, 71);
    assert_int_equal(losses.times, 30);
    assert_string_equal(losses.reason, "hang");
    bnre__tally_destroy(tally);
}

static void a_row_may_be_redone(void **state)
{
    bnre__tally *tally = NULL;
    bnre__losses losses = {0};

    (void)state;
    assert_ok(bnre__tally_create(&tally));
    for (int round = 0; round < 3; round++) {
        for (uint64_t row = 0; row < 40; row++)
            assert_false(
                bnre__tally_add(tally, row, BNRE_DRAW_LOST, "", &losses));
        for (uint64_t row = 0; row < 40; row++)
            assert_false(
                bnre__tally_add(tally, row, BNRE_DRAW_OK, "", &losses));
    }
    bnre__tally_destroy(tally);
}

static bnre_status add_rows(void *arg, size_t worker, size_t first, size_t last)
{
    bnre__losses losses;

    (void)worker;
    for (size_t i = first; i < last; i++)
        if (bnre__tally_add(arg, i, i % 3 ? BNRE_DRAW_LOST : BNRE_DRAW_OK, "a",
                            &losses))
            return bnre_fail(BNRE_ESIM, "%zu", losses.lost);
    return BNRE_OK;
}

static void threads_share_it(void **state)
{
    bnre__tally *tally = NULL;
    bnre__losses losses;
    bnre_pool *pool = NULL;

    (void)state;
    assert_ok(bnre__tally_create(&tally));
    assert_ok(bnre_pool_create(4, &pool));
    assert_false(bnre__tally_add(tally, 0, BNRE_DRAW_OK, "", &losses));
    assert_fails(bnre_pool_for(pool, 1000, 3, add_rows, tally), BNRE_ESIM, "");
    bnre_pool_destroy(pool);
    bnre__tally_destroy(tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_a_hundred_is_not_most),
        cmocka_unit_test(a_row_may_be_redone),
        cmocka_unit_test(threads_share_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
