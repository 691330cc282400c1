/* What others wrote in the page: text as text, pictures that only draw. */
#include "study/page/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/text.h"
#include "support.h"

static void text_is_text(void **state)
{
    const char *volatile none = NULL; /* compilers must not know */
    bnre__page page = {0};

    (void)state;
    bnre__html(&page, "<i>%s</i>", "<b a='1' b=\"2\">&\n");
    bnre__html(&page, "%s%s%s", "\033[2J\u202e\xff", none, "");
    assert_string_equal(page.text.data,
                        "<i>&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;\n</i>"
                        "\\x1b[2J\\u202e\\xff");
    bnre__free(page.text.data);
}

static void formats_are_those_of_printf(void **state)
{
    bnre__page page = {0};

    (void)state;
    bnre__html(&page, "%zu %d %g %.3g %.2f 5 %% %s", (size_t)7, -3, 0.25, 1e-7,
               1.005, "x");
    assert_string_equal(page.text.data, "7 -3 0.25 1e-07 1.00 5 % x");
    page.text.length = 0;
    bnre__html(&page, "%%");
    assert_string_equal(page.text.data, "%");
    bnre__free(page.text.data);
}

static void numbers_are_for_people(void **state)
{
    (void)state;
    assert_string_equal(BNRE__FIXED(3, -0.25), "−0.250");
    assert_string_equal(BNRE__FIXED(2, -0.004), "0.00");
    assert_string_equal(BNRE__FIXED(2, NAN), "–");
    assert_string_equal(BNRE__REAL(NAN, 1), "–");
    assert_string_equal(BNRE__REAL(-12.345, 0.1), "−12.35");
    assert_string_equal(BNRE__SHOWN("-1 to -0.5"), "−1 to −0.5");
    assert_string_equal(BNRE__COUNT(131072), "131,072");
    assert_non_null(strstr(BNRE__P(1e-9), "<"));
    assert_true(strlen(BNRE__FIXED(3, 1e308)) > 300);
}

static void marks_count_unless_it_is_all_of_one(void **state)
{
    bnre__page page = {0};

    (void)state;
    bnre__html_mark(&page, "good", 0, 3, "A");
    bnre__html_mark(&page, "good", 1, 1, "B");
    bnre__html_mark(&page, "bad", 1, 3, "C");
    bnre__html_mark(&page, "bad", 3, 3, "D");
    assert_string_equal(page.text.data, "<span class=\"mark good\">B</span>"
                                        "<span class=\"mark bad\">1 C</span>"
                                        "<span class=\"mark bad\">3 D</span>");
    bnre__free(page.text.data);
    assert_string_equal(bnre__html_class("CONSERVATIVE"), "good");
    assert_string_equal(bnre__html_class("<b>"), "none");
    assert_string_equal(bnre__html_class(NULL), "none");
}

static bnre_status write_some(void *arg)
{
    bnre__page page = {0};
    bnre_status status;

    (void)arg;
    for (int i = 0; i < 50; i++)
        bnre__html(&page, "<p>%s %zu</p>\n", "text & more", (size_t)i);
    bnre__html_picture(&page, scratch_path("picture.svg"), "p-", "label");
    status = bnre__text_check(&page.text);
    bnre__free(page.text.data);
    return status;
}

static void a_page_fails_once_at_its_end(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(write_some, NULL);
}

/* Whether the page takes the picture in. */
static int is_taken(const char *svg)
{
    const char *path = scratch_path("picture.svg");
    FILE *file = fopen(path, "w");
    bnre__page page = {0};
    int found;

    assert_non_null(file);
    fputs(svg, file);
    fclose(file);
    bnre__html(&page, " ");
    found = bnre__html_picture(&page, path, "p-", "a \"label\"");
    if (!found)
        assert_string_equal(page.text.data, " ");
    bnre__free(page.text.data);
    return found;
}

static void pictures_that_draw_are_taken_in(void **state)
{
    static const char *const fine[] = {
        "<?xml version=\"1.0\"?>\n<svg\n width=\"9\" height='9'\n>\n<title>"
        "Gnuplot</title><g id=\"a\"><path d='M1,2'/></g></svg>\n",
        "<svg><use xlink:href='#gpPt0' fill=\"url(#gpPat1)\"/></svg>",
        "<svg><image xlink:href='data:image/png;base64,iVBO'/></svg>",
        "<svg><a xlink:title=\"Plot #1\"><text>a &lt; b</text></a ></svg>",
    };

    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (!is_taken(fine[i]))
            fail_msg("should be taken in: %s", fine[i]);
}

static void others_are_not(void **state)
{
    static const char *const evil[] = {
        "",
        "<svg>",
        "</svg><svg>",
        "<svg><script>x</script></svg>",
        "<svg><foreignObject/></svg>",
        "<svg onload=\"x()\"></svg>",
        "<svg ONLOAD='x()'></svg>",
        "<svg><rect\nonclick = 'x()'/></svg>",
        "<svg><g/onload='x()'></g></svg>",
        "<svg><rect fill=unquoted /></svg>",
        "<svg><rect fill='open></rect></svg>",
        "<svg><rect bare></rect></svg>",
        "<svg><a href='https://evil.example'><text>x</text></a></svg>",
        "<svg><a xlink:href=\" javascript:x()\"><text>x</text></a></svg>",
        "<svg><use href='other.svg#a'/></svg>",
        "<svg><image href='data:image/svg+xml,x'/></svg>",
        "<svg><rect style='fill:url(https://evil.example)'/></svg>",
        "<svg><g></p></g></svg>",
        "<svg><!-- x --></svg>",
        "<svg><![CDATA[x]]></svg>",
        "<svg><?x y?></svg>",
        "<svg><g",
    };

    (void)state;
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++)
        if (is_taken(evil[i]))
            fail_msg("should not be taken in: %s", evil[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_text),
        cmocka_unit_test(formats_are_those_of_printf),
        cmocka_unit_test(numbers_are_for_people),
        cmocka_unit_test(marks_count_unless_it_is_all_of_one),
        cmocka_unit_test(pictures_that_draw_are_taken_in),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(a_page_fails_once_at_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
