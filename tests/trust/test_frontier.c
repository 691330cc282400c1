/* Which candidates are tested, and in which order. */
#include <math.h>

#include "bnre/trust.h"
#include "support.h"
#include "trust/trust.h"

static bnre_candidate at(double margin, double information)
{
    return (bnre_candidate){.margin = margin,
                            .information = {information, 0.01}};
}

static void those_beaten_in_both_are_left_out(void **state)
{
    bnre_candidate c[] = {at(0.05, 0.5), at(0.04, 0.4), at(0.01, 0.9),
                          at(0.2, 0.1)};

    (void)state;
    assert_int_equal(bnre__trust_frontier(4, c), 3);
    assert_false(c[1].frontier);
    assert_int_equal(c[3].test, 1); /* the safest first */
    assert_int_equal(c[0].test, 2);
    assert_int_equal(c[2].test, 3);
}

static void tempers_of_one_lambda_are_enough(void **state)
{
    bnre_candidate c[] = {at(0.02, 0.8), at(0.1, 0.6), at(0.15, 0.1),
                          at(0.05, 0.7), at(0.3, 0.3)};

    (void)state;
    c[3].lambda = c[4].lambda = 10;
    assert_int_equal(bnre__trust_frontier(5, c), 3);
    assert_true(c[3].frontier && c[4].frontier && !c[2].frontier);
    assert_int_equal(c[2].test, 1); /* beaten, but not by its own */
    assert_int_equal(c[1].test, 2);
    assert_int_equal(c[0].test, 3);
}

static void without_safer_tempers_other_lambdas_are_tried(void **state)
{
    bnre_candidate c[] = {at(-0.1, 0.8), at(0.01, 0.6), at(0.1, 0.2)};

    (void)state;
    c[1].lambda = 10;
    c[2].lambda = 100;
    assert_int_equal(bnre__trust_frontier(3, c), 2);
    assert_int_equal(c[2].test, 1);
    assert_int_equal(c[1].test, 2);
}

static void what_is_below_its_levels_is_not_tried(void **state)
{
    bnre_candidate c[] = {at(-0.05, 0.9), at(0, 0.5), at(-1e-9, 0.6)};

    (void)state;
    assert_int_equal(bnre__trust_frontier(3, c), 1);
    assert_true(c[0].frontier && c[2].frontier);
    assert_int_equal(c[1].test, 1);
    assert_int_equal(c[0].test + c[2].test, 0);
}

static void the_safest_is_tried_in_any_case(void **state)
{
    bnre_candidate c[] = {at(-0.05, 0.9), at(-0.02, 0.5)};

    (void)state;
    assert_int_equal(bnre__trust_frontier(2, c), 1);
    assert_int_equal(c[1].test, 1);
}

static void of_equal_ones_the_first_stays(void **state)
{
    bnre_candidate c[] = {at(0.1, 0.5), at(0.1, 0.5), at(0.1, 0.4)};

    (void)state;
    assert_int_equal(bnre__trust_frontier(3, c), 1);
    assert_int_equal(c[0].test, 1);
    assert_false(c[1].frontier || c[2].frontier);
}

static void what_is_not_known_has_no_part(void **state)
{
    bnre_candidate c[] = {at(NAN, 0.5), at(0.1, NAN), at(0.05, 0.4)};

    (void)state;
    assert_int_equal(bnre__trust_frontier(3, c), 1);
    assert_int_equal(c[2].test, 1);
    assert_int_equal(bnre__trust_frontier(2, c), 0);
    assert_int_equal(bnre__trust_frontier(0, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_beaten_in_both_are_left_out),
        cmocka_unit_test(tempers_of_one_lambda_are_enough),
        cmocka_unit_test(without_safer_tempers_other_lambdas_are_tried),
        cmocka_unit_test(what_is_below_its_levels_is_not_tried),
        cmocka_unit_test(the_safest_is_tried_in_any_case),
        cmocka_unit_test(of_equal_ones_the_first_stays),
        cmocka_unit_test(what_is_not_known_has_no_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
