#include <string.h>

#include "base/names.h"
#include "support.h"

static const char *const want[] = {"a", "b", "c"};

static bnre_status match(const char *const *have, size_t n, size_t *from)
{
    return bnre__names_match("parameters", &(bnre__names){"f.csv", n, have},
                             &(bnre__names){"the task", 3, want}, from);
}

static void any_order_is_found(void **state)
{
    const char *const have[] = {"c", "a", "b"};
    size_t from[3];

    (void)state;
    assert_ok(match(have, 3, from));
    assert_int_equal(from[0], 1);
    assert_int_equal(from[1], 2);
    assert_int_equal(from[2], 0);
}

static void numbers_are_places(void **state)
{
    const char *const plain[] = {"2", "0", "1"};
    const char *const invented[] = {"theta_0", "theta_1", "theta_2"};
    size_t from[3];

    (void)state;
    assert_ok(match(plain, 3, from));
    assert_int_equal(from[0], 1);
    assert_int_equal(from[1], 2);
    assert_int_equal(from[2], 0);
    assert_ok(match(invented, 3, from));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(from[i], i);
}

static void other_names_are_refused_with_both_lists(void **state)
{
    static const char *const have[][3] = {
        {"a", "b", "d"}, {"a", "a", "b"}, {"0", "1", "3"}, {"0", "1", "1"}};
    size_t from[3];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_fails(match(have[i], 3, from), BNRE_EUSAGE,
                     "task ... called a, b, c");
    assert_fails(match(have[0], 3, from), BNRE_EUSAGE,
                 "f.csv ... called a, b, d");
    assert_fails(match(want, 2, from), BNRE_EUSAGE, "are called a, b;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_found),
        cmocka_unit_test(numbers_are_places),
        cmocka_unit_test(other_names_are_refused_with_both_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
