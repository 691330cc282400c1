/* Numbers for people: by table. */
#include "bnre/text.h"

#include <math.h>
#include <string.h>

#include "support.h"

static void counts_have_groups_of_three(void **state)
{
    static const struct {
        size_t n;
        const char *text;
    } rows[] = {{0, "0"},
                {7, "7"},
                {999, "999"},
                {1000, "1,000"},
                {131072, "131,072"},
                {1234567890, "1,234,567,890"},
                {SIZE_MAX, "18,446,744,073,709,551,615"}};
    char out[BNRE_READABLE];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(bnre_readable_count(rows[i].n, out), rows[i].text);
}

static void reals_have_the_digits_that_their_spread_allows(void **state)
{
    static const struct {
        double value, spread;
        const char *text;
    } rows[] = {
        {249887.31, 126.9, "249,890"},
        {250300, 126.9, "250,300"},
        {-249887.31, 3, "-249,887.3"},
        {2459000.0296, 0.004, "2,459,000.0296"},
        {0.1 + 0.2, 0.001, "0.3000"},
        {1.0 / 3, 0.05, "0.333"},
        {1234.5678, 1, "1234.6"},
        {9999.99, 1, "10,000.0"},
        {0.0004504, 0.0003273, "0.00045"},
        {1, 0.0999, "1.00"}, /* a spread that rounds to 0.10 */
        {3.4, 9.96, "3"},    /* and to 10 */
        {-0.0004, 0.01, "0.000"},
        {-1e-20, 1, "0.0"},
        {-3, 1000, "0"},
        {3077412, 120000, "3,080,000"},
        {0, 0.5, "0.00"},
        {4.5e-12, 1e-13, "4.50e-12"},
        {1.5e20, 1e18, "1.500e20"},
        {1.4142e-7, 3e-9, "1.414e-7"},
        {5e-7, 4.7e-6, "5e-7"}, /* both ends alike */
        {0.00001, 4.7e-6, "1.00e-5"},
        {2459000.02961234, 3e-8, "2,459,000.02961234"},
    };
    char out[BNRE_READABLE];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(
            bnre_readable_real(rows[i].value, rows[i].spread, out),
            rows[i].text);
}

static void reals_that_stand_alone_have_four_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},
                {-0.0, "0"},
                {0.3132061420456, "0.3132"},
                {26093.4, "26,090"},
                {3077412, "3,077,000"},
                {-1, "-1.000"},
                {0.0012345, "0.001234"},
                {0.00012345, "1.234e-4"},
                {1e-9, "1.000e-9"},
                {6.02214e23, "6.022e23"},
                {1e308, "1.000e308"},
                {5e-324, "4.941e-324"},
                {NAN, "-"},
                {INFINITY, "inf"},
                {-INFINITY, "-inf"}};
    static const double none[] = {0, NAN, INFINITY};
    char out[BNRE_READABLE];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 3; k++)
            assert_string_equal(bnre_readable_real(rows[i].value, none[k], out),
                                rows[i].text);
}

/* Whatever the number, no more than 17 digits, and it fits. */
static void no_number_overflows(void **state)
{
    char out[BNRE_READABLE];

    (void)state;
    for (int a = -320; a <= 308; a++)
        for (int b = -320; b <= 308; b++) {
            const char *text = bnre_readable_real(
                -1.23456789012345e0 * pow(10, a), 3.3 * pow(10, b), out);

            assert_true(strlen(text) < 30);
            assert_null(strstr(text, "nan"));
        }
}

static void p_values_are_never_zero(void **state)
{
    static const struct {
        double p;
        const char *text, *words;
    } rows[] = {
        {0, "< 0.001", "p < 0.001"},       {1e-8, "< 0.001", "p < 0.001"},
        {0.00099, "< 0.001", "p < 0.001"}, {0.001, "0.0010", "p = 0.0010"},
        {0.0099, "0.0099", "p = 0.0099"},  {0.00996, "0.010", "p = 0.010"},
        {0.0124, "0.012", "p = 0.012"},    {0.0996, "0.10", "p = 0.10"},
        {0.43, "0.43", "p = 0.43"},        {1, "1.00", "p = 1.00"},
        {NAN, "-", "p is not known"}};
    char out[BNRE_READABLE];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(bnre_readable_p(rows[i].p, out), rows[i].text);
        assert_string_equal(bnre_readable_p_words(rows[i].p, out),
                            rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_have_groups_of_three),
        cmocka_unit_test(reals_have_the_digits_that_their_spread_allows),
        cmocka_unit_test(reals_that_stand_alone_have_four_digits),
        cmocka_unit_test(no_number_overflows),
        cmocka_unit_test(p_values_are_never_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
