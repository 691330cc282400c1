#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char *scan(const char *text, double *out)
{
    return bnre__number_scan(text, text + strlen(text), out);
}

static void assert_same(double a, double b, const char *text)
{
    if (memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)))
        return;
    print_error("%s gives %a, expected %a\n", text, a, b);
    fail();
}

static void numbers_end_where_they_should(void **state)
{
    static const struct {
        const char *text;
        size_t length; /* 0 = no number */
        double value;
    } sample[] = {
        {"1", 1, 1},
        {"-1.5,2", 4, -1.5},
        {"+.5", 3, 0.5},
        {"5.", 2, 5},
        {"1.0D+00", 7, 1},
        {"1.5d-3 ", 6, 1.5e-3},
        {"-2E2x", 4, -200},
        {"1e", 1, 1},
        {"1e+", 1, 1},
        {"1d,", 1, 1},
        {"1.2.3", 3, 1.2},
        {"0x10", 1, 0},
        {"nan", 3, NAN},
        {"-NaN", 4, NAN},
        {"Inf", 3, INFINITY},
        {"-infinity", 9, -INFINITY},
        {"infinite", 3, INFINITY},
        {"-0", 2, -0.0},
        {"0e999999999999", 14, 0},
        {"1e999999999999", 14, INFINITY},
        {"1e-999999999999", 15, 0},
        {"00000000000000000000000000000001", 32, 1},
        {"0.000000000000000000000000000001", 32, 1e-30},
        {"100000000000000000000000000000000e-32", 37, 1},
        {"", 0, 0},
        {"+", 0, 0},
        {".", 0, 0},
        {"-.e5", 0, 0},
        {"e5", 0, 0},
        {"na", 0, 0},
        {"in", 0, 0},
        {" 1", 0, 0},
        {"text", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof sample / sizeof sample[0]; i++) {
        double value = 0;
        const char *after = scan(sample[i].text, &value);

        assert_int_equal(after == NULL ? 0 : after - sample[i].text,
                         sample[i].length);
        assert_same(value, sample[i].value, sample[i].text);
    }
}

/* Known to be hard: halves between doubles, and just beside them. */
static void hard_cases_are_rounded_like_strtod(void **state)
{
    static const char *const hard[] = {
        "9007199254740993",
        "9007199254740992.999999999999999",
        "9007199254740993.00000000000000000000000000001",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "8.5e-21",
        "6929495644600919.5",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "123456789012345678901234567890",
        "179769313486231580793728971405303415079934132710037826936173778980444"
        "968292764750946649017977587207096330286416692887910946555547851940402"
        "630657488671505820681908902000708383676273854845817711531764475730270"
        "069855571366959622842914819860834936475292719074168444365510704342711"
        "559699508093042880",
    };

    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) {
        double value;

        assert_non_null(scan(hard[i], &value));
        assert_same(value, strtod(hard[i], NULL), hard[i]);
    }
}

/* A simple generator, so that the test depends on nothing it tests. */
static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 32 ^ *seed << 7;
}

static void random_decimals_are_rounded_like_strtod(void **state)
{
    uint64_t seed = 1;
    char text[64];

    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t c = next(&seed) << 32 ^ next(&seed);
        int k = (int)(next(&seed) % 140) - 70;
        double value;

        c >>= next(&seed) % 64;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)c, k);
        assert_non_null(scan(text, &value));
        assert_same(value, strtod(text, NULL), text);
    }
}

/* Halves between two doubles, cut after 17 to 19 digits, so that the rounding
   depends on the very last of them. */
static void near_halves_are_rounded_like_strtod(void **state)
{
    uint64_t seed = 2;
    char text[64];

    (void)state;
    for (int i = 0; i < 50000; i++) {
        double low = ldexp((double)(next(&seed) << 21 | 1u << 20),
                           (int)(next(&seed) % 160) - 130);
        long double half = ((long double)low + nextafter(low, INFINITY)) / 2;
        double value;

        snprintf(text, sizeof text, "%.*Le", 16 + i % 3, half);
        assert_non_null(scan(text, &value));
        assert_same(value, strtod(text, NULL), text);
    }
}

/* The digits that count, without point, exponent and zeros around them. */
static size_t take_digits(const char *text, char *out)
{
    size_t n = 0;

    for (text += strspn(text, "-0."); *text != 0 && *text != 'e'; text++)
        if (*text != '.')
            out[n++] = *text;
    while (n > 0 && out[n - 1] == '0')
        n--;
    out[n] = 0;
    return n;
}

/* The text reads back equal, no decimal with fewer digits does, and among those
   with as many it is the nearest, as printf gives it. */
static void check_format(double value)
{
    char text[BNRE__NUMBER_ROOM], digits[32], other[64], nearest[64];
    size_t length = bnre__number_format(value, text);
    size_t n = take_digits(text, digits);
    double back;

    assert_int_equal(length, strlen(text));
    assert_ptr_equal(scan(text, &back), text + length);
    assert_same(back, value, text);
    assert_same(strtod(text, NULL), value, text);
    if (n == 0)
        return;
    snprintf(other, sizeof other, "%.*e", (int)n - 1, value);
    take_digits(other, nearest);
    assert_string_equal(digits, nearest);
    if (n == 1)
        return;
    snprintf(other, sizeof other, "%.*e", (int)n - 2, value);
    if (strtod(other, NULL) == value)
        print_error("%s instead of %s\n", text, other);
    assert_false(strtod(other, NULL) == value);
}

static void written_numbers_are_short_and_read_back(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next(&seed) << 32 ^ next(&seed);
        double any, near;

        memcpy(&any, &bits, sizeof any);
        near = ((double)next(&seed) - 0x1p31) * ldexp(1, i % 100 - 90);
        if (isfinite(any))
            check_format(any);
        check_format(near);
        /* Here several decimals of 16 digits are nearest to one double. */
        check_format(9.2 * ldexp(1 + (double)next(&seed) * 0x1p-38, -66));
        check_format((double)(float)(near * 1.1));
        check_format(((double)(next(&seed) % 100000)) / 1000);
    }
    check_format(DBL_MAX);
    check_format(DBL_MIN);
    check_format(0x1p-1074);
    check_format(1234567890123456.5);
    for (int k = -320; k <= 308; k++) {
        char text[16];

        snprintf(text, sizeof text, "1e%d", k);
        check_format(strtod(text, NULL));
    }
}

static void written_numbers_look_as_people_write_them(void **state)
{
    static const struct {
        double value;
        const char *text;
    } sample[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {100000, "100000"},
        {123456.75, "123456.75"},
        {0.0001, "0.0001"},
        {0.00025, "0.00025"},
        {0.00001, "1e-05"},
        {1.5e-7, "1.5e-07"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {6.02214076e23, "6.02214076e+23"},
        {1e300, "1e+300"},
        {0x1p-1074, "5e-324"},
        {(double)0.1f, "0.10000000149011612"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    char text[BNRE__NUMBER_ROOM];

    (void)state;
    for (size_t i = 0; i < sizeof sample / sizeof sample[0]; i++) {
        bnre__number_format(sample[i].value, text);
        assert_string_equal(text, sample[i].text);
    }
}

static void locale_does_not_matter(void **state)
{
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8",
                                        "fr_FR.UTF-8", "fr_FR.utf8"};
    const double hard = 2.2250738585072011e-308;
    char text[BNRE__NUMBER_ROOM];
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof comma / sizeof comma[0]; i++)
        setlocale(LC_ALL, comma[i]); /* no harm if it is not there */
    assert_non_null(scan("2.2250738585072011e-308", &value));
    bnre__number_format(1e-310, text);
    setlocale(LC_ALL, "C");
    assert_same(value, hard, "2.2250738585072011e-308");
    assert_string_equal(text, "1e-310");
}

/* Absurd lengths are refused rather than guessed at. */
static void endless_digits_are_no_number(void **state)
{
    static char text[2000];
    double value;

    (void)state;
    memset(text, '1', 1100);
    assert_non_null(scan(text, &value));
    assert_true(isinf(value));
    memset(text, '1', 1101);
    assert_null(scan(text, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_end_where_they_should),
        cmocka_unit_test(hard_cases_are_rounded_like_strtod),
        cmocka_unit_test(random_decimals_are_rounded_like_strtod),
        cmocka_unit_test(near_halves_are_rounded_like_strtod),
        cmocka_unit_test(written_numbers_are_short_and_read_back),
        cmocka_unit_test(written_numbers_look_as_people_write_them),
        cmocka_unit_test(locale_does_not_matter),
        cmocka_unit_test(endless_digits_are_no_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
