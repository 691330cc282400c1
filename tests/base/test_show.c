/* What is shown to people: letters stay, orders to the terminal are spelt out.
 */
#include "bnre/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "support.h"

static const char *shown(const char *text, int lines)
{
    static char out[256];

    assert_true(bnre_show_text(out, sizeof out, text, lines) < sizeof out);
    return out;
}

static const char *formatted(const char *fmt, ...) BNRE_PRINTF(1, 2);
static const char *formatted(const char *fmt, ...)
{
    static char out[1024];
    va_list args;

    va_start(args, fmt);
    assert_true(bnre_show_format(out, sizeof out, fmt, args) < sizeof out);
    va_end(args);
    return out;
}

static void plain_text_stays_as_it_is(void **state)
{
    static const char *const plain[] = {"",
                                        "alpha",
                                        "λ = 3 %",
                                        "C:\\new \"x\" 'y' `z` $HOME",
                                        "naïve 日本 🚀",
                                        "नमस्ते",
                                        "a\u200db"};

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_string_equal(shown(plain[i], 0), plain[i]);
}

static void orders_to_the_terminal_are_spelt_out(void **state)
{
    (void)state;
    assert_string_equal(shown("a\033[2Jb", 0), "a\\x1b[2Jb");
    assert_string_equal(shown("a\nb\tc\rd\be", 0), "a\\nb\\tc\\rd\\x08e");
    assert_string_equal(shown("\x7f", 0), "\\x7f");
    /* the same as one byte, and as UTF-8 */
    assert_string_equal(shown("\x9b"
                              "2J",
                              0),
                        "\\x9b2J");
    assert_string_equal(shown("\xc2\x9b"
                              "2J",
                              0),
                        "\\u009b2J");
    assert_string_equal(shown("a\nb\033\n", 1), "a\nb\\x1b\n");
}

static void hidden_marks_are_spelt_out(void **state)
{
    (void)state;
    assert_string_equal(shown("\u202egnp.exe", 0), "\\u202egnp.exe");
    assert_string_equal(shown("\u2066a\u2069\u200f\u061c\ufeff\u2028", 1),
                        "\\u2066a\\u2069\\u200f\\u061c\\ufeff\\u2028");
    assert_string_equal(shown("\U000e0041", 0), "\\U000e0041");
}

static void what_is_no_utf8_is_spelt_out(void **state)
{
    (void)state;
    assert_string_equal(shown("\xff\xc3", 0), "\\xff\\xc3");
    assert_string_equal(shown("\xc0\xaf", 0), "\\xc0\\xaf");
    assert_string_equal(shown("\xed\xa0\x80", 0), "\\xed\\xa0\\x80");
}

static void what_was_shown_may_be_shown_again(void **state)
{
    char once[256];

    (void)state;
    snprintf(once, sizeof once, "%s", shown("\033]0;x\a \\x1b \u202e\xff", 0));
    assert_string_equal(shown(once, 0), once);
}

static void room_is_respected(void **state)
{
    char out[8] = "xxxxxxx";

    (void)state;
    assert_int_equal(bnre_show_text(out, 4, "ab\033cd", 0), 8);
    assert_string_equal(out, "ab\\");
    assert_int_equal(out[4], 'x');
    assert_int_equal(bnre_show_text(NULL, 0, "abc", 0), 3);
}

static void formats_are_those_of_printf(void **state)
{
    char plain[1024];

    (void)state;
#define SAME(...)                                                              \
    do {                                                                       \
        snprintf(plain, sizeof plain, __VA_ARGS__);                            \
        assert_string_equal(formatted(__VA_ARGS__), plain);                    \
    } while (0)
    SAME("nothing, 100 %%\n");
    SAME("%d|%5d|%-5d|%05d|%+d|% d|%i", 1, -2, 3, 4, 5, 6, 7);
    SAME("%zu|%10zu|%lu|%llu|%lld|%x|%02X|%hhu", (size_t)-1, (size_t)7, 3ul,
         ~0ull, -5ll, 255u, 10u, (unsigned char)200);
    SAME("%g|%.3f|%12.4g|%-12.4g|%+.2e|%*.*f|%.0f|%g", 0.1, 2.0, 3.14159, 1e-9,
         12345.678, 9, 2, 1.5, 1e300, (double)INFINITY);
    SAME("%s|%10s|%-10s|%.2s|%*s|%-*s|%.*s|%c", "a", "b", "c", "defg", 6, "h",
         6, "i", 3, "jklm", 'n');
#undef SAME
}

static void what_a_format_brings_in_is_shown(void **state)
{
    (void)state;
    assert_string_equal(formatted("a\n%s\n\033[K", "b\nc\033"),
                        "a\nb\\nc\\x1b\n\033[K");
    assert_string_equal(formatted("%c%c", '\a', 'x'), "\\x07x");
    assert_string_equal(formatted("%-4s|%4s|", "λ", "日"), "λ   |   日|");
    /* a letter is not cut in halves */
    assert_string_equal(formatted("%.2s|%.3s", "aλ", "aλ"), "a|aλ");
    assert_string_equal(formatted("%.2s", "a\xff"), "a\\xff");
}

static void growing_text_shows_what_it_is_given(void **state)
{
    bnre__text text = {0};

    (void)state;
    bnre__text_show(&text, "# %s\n", "a\nb");
    bnre__text_show(&text, "%s%zu", "", (size_t)3);
    assert_ok(bnre__text_check(&text));
    assert_string_equal(text.data, "# a\\nb\n3");
    assert_int_equal(text.length, strlen(text.data));
    bnre__free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays_as_it_is),
        cmocka_unit_test(orders_to_the_terminal_are_spelt_out),
        cmocka_unit_test(hidden_marks_are_spelt_out),
        cmocka_unit_test(what_is_no_utf8_is_spelt_out),
        cmocka_unit_test(what_was_shown_may_be_shown_again),
        cmocka_unit_test(room_is_respected),
        cmocka_unit_test(formats_are_those_of_printf),
        cmocka_unit_test(what_a_format_brings_in_is_shown),
        cmocka_unit_test(growing_text_shows_what_it_is_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
