#include <math.h>

#include "prior/constraint.h"
#include "support.h"

static const char *const names[] = {"m1", "m2", "log_rate"};

static bnre_status make(const char *text, bnre__constraint **out)
{
    return bnre__constraint_create(text, 3, names, out);
}

static void truth_is_found(void **state)
{
    static const struct {
        const char *text;
        int holds;
    } cases[] = {
        {"m1 >= m2", 1},
        {"m1<m2", 0},
        {"m1 - m2 - 1 > 0", 0}, /* from the left: 3 - 2 - 1 */
        {"m1 - m2 - 1 >= 0", 1},
        {"2 * m1 + m2 == 8", -1},
        {"m2 * 4 / 2 / 2 <= 2", 1},
        {"12 / 2 * 3 > 17", 1},
        {"-(m1 - m2) < 0", 1},
        {"--m1 > 2.9e0", 1},
        {"0 < m2 < m1 <= 3", 1},
        {"0 < m2 < m1 < 3", 0},
        {"5 > m1 > m2 > 1", 1},
        {"abs(m2 - m1) <= 1", 1},
        {"sqrt(m1 + 1) * 2 >= 4", 1},
        {"log(exp(log_rate)) < -0.5", 1},
        {"log(log_rate) < 100", 0}, /* undefined */
        {"log(log_rate) >= -100", 0},
        {"(((m1)))>(m2)", 1},
    };
    const double theta[] = {3, 2, -1};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre__constraint *constraint = NULL;

        if (cases[i].holds < 0) {
            assert_int_equal(make(cases[i].text, &constraint), BNRE_EUSAGE);
            continue;
        }
        assert_ok(make(cases[i].text, &constraint));
        assert_int_equal(bnre__constraint_holds(constraint, theta),
                         cases[i].holds);
        bnre__constraint_destroy(constraint);
    }
}

static void mistakes_are_named_with_their_column(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "at column 1: expected a parameter"},
        {"m1", "at column 3: expected <, <=, > or >="},
        {"m1 >", "at column 5: expected a parameter"},
        {"m1 > m2 m1", "at column 9: expected an operator"},
        {"m1 > (m2", "at column 9: expected ')'"},
        {"m1 > m3", "at column 6: \"m3\" is no parameter"},
        {"lograte > 1", "did you mean \"log_rate\"?"},
        {"exp m1 > 1", "'(' after the function"},
        {"m1 => m2", "at column 4"},
    };
    char deep[400] = "", shallow[400] = "1";
    bnre__constraint *constraint = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(make(wrong[i].text, &constraint), BNRE_EUSAGE,
                     wrong[i].message);
        assert_null(constraint);
    }
    for (size_t i = 0; i < 100; i++)
        deep[i] = '(';
    assert_fails(make(deep, &constraint), BNRE_EUSAGE, "fewer brackets");
    for (size_t i = 1; i < 300; i += 2) {
        shallow[i] = '+';
        shallow[i + 1] = '1';
    }
    shallow[301] = '>';
    shallow[302] = '1';
    assert_ok(make(shallow, &constraint));
    bnre__constraint_destroy(constraint);
}

static void long_chains_stay_inside_the_stack(void **state)
{
    char text[2 * 60 + 2] = "1";
    bnre__constraint *constraint = NULL;

    (void)state;
    for (size_t i = 1; i < 2 * 60; i += 2) {
        text[i] = '<';
        text[i + 1] = '2';
    }
    assert_fails(make(text, &constraint), BNRE_EUSAGE, "shorter");
}

static bnre_status make_one(void *arg)
{
    bnre__constraint *constraint = NULL;
    bnre_status status =
        make("0 < m1 * (m2 + 2) / 3 - log_rate < 9 + m1", &constraint);

    (void)arg;
    bnre__constraint_destroy(constraint);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(make_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_is_found),
        cmocka_unit_test(mistakes_are_named_with_their_column),
        cmocka_unit_test(long_chains_stay_inside_the_stack),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
