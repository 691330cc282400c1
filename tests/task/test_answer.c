#include "task/external/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

static char reason[BNRE_REASON_SIZE];

static bnre__answer read_text(const char *text, size_t n, double *x)
{
    /* Exactly as long as the text: a byte too far shows under ASan. */
    size_t length = strlen(text);
    char *copy = test_malloc(length + 1);
    bnre__answer answer;

    memcpy(copy, text, length);
    answer = bnre__answer_read(copy, length, n, x, reason);
    test_free(copy);
    return answer;
}

static void numbers_of_all_languages_are_read(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {"-2.5", -2.5},
        {"+3", 3},
        {".5", 0.5},
        {"7.", 7},
        {"1e3", 1000},
        {"1.5E-3", 0.0015},
        {"1.0D+00", 1},
        {"-2.5d2", -250},
        {"1.0Q+01", 10},
        {"1.25-100", 1.25e-100},
        {"-1.25+100", -1.25e100},
        {"1.e+05", 1e5},
        {"0.1", 0.1},
        {"1.-005", 1e-5},
        {"1e-400", 0},
        {"\t 4 \r", 4},
        {"5,", 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = NAN;

        if (read_text(cases[i].text, 1, &x) != BNRE__ANSWER_NUMBERS)
            fail_msg("\"%s\": %s", cases[i].text, reason);
        assert_true(x == cases[i].value);
    }
}

static void what_is_not_finite_is_still_a_number(void **state)
{
    double x[4];

    (void)state;
    assert_int_equal(read_text("NaN -inf +Infinity 1e999", 4, x),
                     BNRE__ANSWER_NUMBERS);
    assert_true(isnan(x[0]));
    assert_true(x[1] == -INFINITY);
    assert_true(x[2] == INFINITY);
    assert_true(x[3] == INFINITY);
}

static void commas_blanks_and_lines_separate(void **state)
{
    double x[7] = {0};

    (void)state;
    assert_int_equal(read_text(" 1,2 ,3\n4 , 5\r\n\n  6\t7,\n", 7, x),
                     BNRE__ANSWER_NUMBERS);
    for (int i = 0; i < 7; i++)
        assert_true(x[i] == i + 1);
}

static void repeated_values_are_written_out(void **state)
{
    double x[5] = {0};

    (void)state;
    assert_int_equal(read_text("3*0.5, 2*-1.0D0", 5, x), BNRE__ANSWER_NUMBERS);
    assert_true(x[0] == 0.5 && x[2] == 0.5 && x[3] == -1 && x[4] == -1);
    assert_int_equal(read_text("999999999*1 1", 5, x), BNRE__ANSWER_GARBAGE);
    assert_string_equal(reason, "answered 1000000000 numbers, expected 5");
}

static void garbage_is_quoted(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "empty answer, expected 2 numbers"},
        {"  \n", "empty answer, expected 2 numbers"},
        {"1", "answered 1 number, expected 2"},
        {"1 2 3", "answered 3 numbers, expected 2"},
        {"1 abc", "answer ... not a number: \"abc\""},
        {"1 2x", "answer ... not a number: \"2x\""},
        {"1 2 end", "answer ... not a number: \"end\""},
        {"[1, 2]", "answer ... not a number: \"[1\""},
        {"1,,2", "answer ... not a number: \"\""},
        {",1 2", "answer ... not a number: \"\""},
        {"1 ****", "answer ... not a number: \"****\""},
        {"1 0*2", "answer ... not a number: \"0*2\""},
        {"1 -3*2", "answer ... not a number: \"-3*2\""},
        {"1 2*", "answer ... not a number: \"2*\""},
        {"1 1e2-3", "answer ... not a number: \"1e2-3\""},
        {"1 1-", "answer ... not a number: \"1-\""},
        {"1 -", "answer ... not a number: \"-\""},
        {"1 1d", "answer ... not a number: \"1d\""},
        {"1 errors", "answer ... not a number: \"errors\""},
        {"errors 1", "answer ... not a number: \"errors\""},
        {"1 \xff\x80", "answer ... not a number: \"\?\?\""},
    };
    double x[2];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (read_text(cases[i].text, 2, x) != BNRE__ANSWER_GARBAGE)
            fail_msg("\"%s\" was accepted", cases[i].text);
        assert_true(is_told(reason, cases[i].reason));
    }
    assert_int_equal(bnre__answer_read("1 2\0", 4, 2, x, reason),
                     BNRE__ANSWER_GARBAGE);
}

static void long_garbage_is_cut(void **state)
{
    char text[5000];
    double x;

    (void)state;
    memset(text, '7', sizeof text - 1);
    text[sizeof text - 1] = 0;
    text[3000] = 'z';
    assert_int_equal(read_text(text, 1, &x), BNRE__ANSWER_GARBAGE);
    assert_true(strlen(reason) < 80);
}

static void errors_are_told(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"error", "error"},
        {"error no solution", "no solution"},
        {"error: no solution \r\nmore", "no solution"},
        {" error\t x", "x"},
        {"error:", "error"},
        {"error à côté", "à côté"},
        {"error\nlater", "error"},
    };
    double x;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_text(cases[i].text, 1, &x), BNRE__ANSWER_ERROR);
        assert_string_equal(reason, cases[i].reason);
    }
    assert_int_equal(bnre__answer_read("error \0x", 8, 1, &x, reason),
                     BNRE__ANSWER_ERROR);
    assert_string_equal(reason, "?x");
}

static void raw_values_are_little_endian(void **state)
{
    static const char f32[] = "\x00\x00\x80\x3f\x00\x00\x20\xc0";
    static const char f64[] = "\x00\x00\x00\x00\x00\x00\xf0\x3f"
                              "\x00\x00\x00\x00\x00\x00\x04\xc0";
    double x[2];

    (void)state;
    assert_int_equal(bnre__answer_bytes(BNRE__REPLY_F32, 2), 8);
    assert_int_equal(bnre__answer_bytes(BNRE__REPLY_F64, 2), 16);
    assert_int_equal(bnre__answer_bytes(BNRE__REPLY_TEXT, 2), 0);
    bnre__answer_decode(BNRE__REPLY_F32, f32, 2, x);
    assert_true(x[0] == 1 && x[1] == -2.5);
    x[0] = x[1] = 0;
    bnre__answer_decode(BNRE__REPLY_F64, f64, 2, x);
    assert_true(x[0] == 1 && x[1] == -2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_languages_are_read),
        cmocka_unit_test(what_is_not_finite_is_still_a_number),
        cmocka_unit_test(commas_blanks_and_lines_separate),
        cmocka_unit_test(repeated_values_are_written_out),
        cmocka_unit_test(garbage_is_quoted),
        cmocka_unit_test(long_garbage_is_cut),
        cmocka_unit_test(errors_are_told),
        cmocka_unit_test(raw_values_are_little_endian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
