/* What others wrote in the page: text as text, pictures that only draw. */
#include "study/page/html.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "support.h"

static void text_is_text(void **state)
{
    bnre__text page = {0};

    (void)state;
    assert_ok(bnre__html_escape(&page, "<b a='1' b=\"2\">&\n"));
    assert_ok(bnre__html_escape(&page, "\033[2J\u202e\xff"));
    assert_ok(bnre__html_escape(&page, NULL));
    assert_ok(bnre__html_escape(&page, ""));
    assert_string_equal(page.data,
                        "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;\n"
                        "\\x1b[2J\\u202e\\xff");
    bnre__free(page.data);
}

/* Whether the page takes the picture in. */
static int is_taken(const char *svg)
{
    const char *path = scratch_path("picture.svg");
    FILE *file = fopen(path, "w");
    bnre__text page = {0};
    int found;

    assert_non_null(file);
    fputs(svg, file);
    fclose(file);
    assert_ok(bnre__text_add(&page, " "));
    assert_ok(bnre__html_picture(&page, path, "p-", "a \"label\"", &found));
    if (!found)
        assert_string_equal(page.data, " ");
    bnre__free(page.data);
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
        cmocka_unit_test(pictures_that_draw_are_taken_in),
        cmocka_unit_test(others_are_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
