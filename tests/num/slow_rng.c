/* The samplers of test_rng.c once more with many more numbers,
   which would show errors of some 0.1 % in a probability. False alarms: 1e-6
   for each of the 70 laws. */
#include "laws.h"
#include "support.h"

static void samplers_follow_their_laws(void **state)
{
    (void)state;
    for (size_t i = 0; i < law_count; i++) {
        double p = law_pvalue(&laws[i], 1000 + i, 1000000);

        print_message("%s(%g, %g): p = %g\n", laws[i].name, laws[i].a,
                      laws[i].b, p);
        assert_true(p > 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_follow_their_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
