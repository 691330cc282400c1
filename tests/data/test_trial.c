#include "data/trial.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

static char told[3][512];
static size_t notes;

static void note(void *context, const char *text)
{
    (void)context;
    assert_true(notes < 3);
    snprintf(told[notes++], sizeof told[0], "%s", text);
}

static void tell(uint8_t *status, double seconds, size_t others, size_t workers)
{
    static char reason[5][BNRE_REASON_SIZE] = {"", "", "no root", "", "crash"};
    const bnre_monitor monitor = {.note = note};
    const bnre__block block = {.status = status, .reason = reason};

    notes = 0;
    bnre__trial_tell(&monitor, &block, 5, seconds, others, workers);
}

static void what_is_soon_over_is_not_told(void **state)
{
    uint8_t status[5] = {0};

    (void)state;
    tell(status, 0.001, 9995, 1);
    assert_int_equal(notes, 0);
}

static void long_runs_are_told(void **state)
{
    static const struct {
        double seconds;
        size_t others, workers;
        const char *text;
    } cases[] = {
        {0.2115, 9995, 2,
         "trial: 5 simulations, 0.21 s each; the other 9995 will take about "
         "18 min with 2 workers"},
        {0.004, 9995, 1,
         "trial: 5 simulations, 0.004 s each; the other 9995 will take about "
         "40 s with 1 worker"},
        {7.25, 9995, 4,
         "trial: 5 simulations, 7.2 s each; the other 9995 will take about "
         "5.0 h with 4 workers"},
        {100, 9995, 1,
         "trial: 5 simulations, 2 min each; the other 9995 will take about "
         "11.6 days with 1 worker"},
    };
    uint8_t status[5] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tell(status, cases[i].seconds, cases[i].others, cases[i].workers);
        assert_int_equal(notes, 1);
        assert_string_equal(told[0], cases[i].text);
    }
}

static void failures_are_told_even_of_short_runs(void **state)
{
    uint8_t status[5] = {0, 0, BNRE_DRAW_INVALID, 0, BNRE_DRAW_LOST};

    (void)state;
    tell(status, 0.001, 1000, 1);
    assert_int_equal(notes, 1);
    assert_string_equal(told[0], "trial: 2 of 5 simulations failed: no root");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_soon_over_is_not_told),
        cmocka_unit_test(long_runs_are_told),
        cmocka_unit_test(failures_are_told_even_of_short_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
