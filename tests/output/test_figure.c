/* Figures: what is written, what gnuplot makes of it, and doing without it. */
#include "output/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "bnre/text.h"
#include "io/file.h"
#include "support.h"

static bnre__figure parabola(const char *stem)
{
    bnre__figure figure;

    bnre__figure_begin(&figure, 4, 3, "%s", stem);
    for (int i = 0; i < 10; i++)
        bnre__figure_data(&figure, "%d %d\n", i, i * i);
    bnre__figure_script(&figure, "set title ");
    bnre__figure_quoted(&figure, "a_b \"quoted\" {x}^2 \\ $HOME");
    bnre__figure_script(&figure,
                        "\nplot data using 1:2 with lines linestyle 1\n");
    return figure;
}

static char *stem_in(const char *name, char out[512])
{
    const char *directory = scratch_path("it's a place");

    mkdir(directory, 0777);
    snprintf(out, 512, "%s/%s", directory, name);
    return out;
}

static int holds(const char *stem, const char *ending, const char *text)
{
    char path[600], *data;
    size_t bytes;
    int found = 0;

    snprintf(path, sizeof path, "%s%s", stem, ending);
    assert_ok(bnre__file_read_all(path, 1 << 24, &data, &bytes));
    for (size_t i = 0; i + strlen(text) <= bytes && !found; i++)
        found = memcmp(data + i, text, strlen(text)) == 0;
    bnre__free(data);
    return found;
}

static int has_gnuplot(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

static void pictures_stand_beside_script_and_table(void **state)
{
    char stem[512];
    int drawn;
    bnre__figure figure = parabola(stem_in("parabola", stem));

    (void)state;
    assert_ok(bnre__figure_end(&figure, "svg,pdf,png", &drawn));
    assert_true(holds(stem, ".dat", "9 81\n"));
    assert_true(holds(stem, ".gp", "plot data using 1:2"));
    assert_int_equal(drawn, has_gnuplot());
    if (!drawn)
        return;
    assert_true(holds(stem, ".svg", "</svg>"));
    assert_true(holds(stem, ".svg", "a_b")); /* not a subscript */
    assert_true(holds(stem, ".pdf", "%PDF"));
    assert_true(holds(stem, ".png", "PNG"));
}

/* Draw a PDF as somebody in that time zone does, and read it. */
static char *draw_in_zone(const char *zone, size_t *bytes)
{
    char stem[512], path[600], *data = NULL;
    int drawn;
    bnre__figure figure = parabola(stem_in("zone", stem));

    setenv("TZ", zone, 1);
    assert_ok(bnre__figure_end(&figure, "pdf", &drawn));
    unsetenv("TZ");
    snprintf(path, sizeof path, "%s.pdf", stem);
    assert_ok(bnre__file_read_all(path, 1 << 24, &data, bytes));
    remove(path);
    return data;
}

static void pdf_files_hold_neither_time_nor_zone(void **state)
{
    static const char *const zones[] = {"XXX-14:45", "America/New_York", ""};
    char *first, *other;
    size_t n, m;

    (void)state;
    if (!has_gnuplot())
        skip();
    first = draw_in_zone("UTC0", &n);
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        other = draw_in_zone(zones[i], &m);
        assert_int_equal(n, m);
        assert_memory_equal(first, other, n);
        bnre__free(other);
    }
    bnre__free(first);
}

static void gnuplots_complaint_is_passed_on(void **state)
{
    char stem[512];
    int drawn;
    bnre__figure figure = parabola(stem_in("wrong", stem));

    (void)state;
    bnre__figure_script(&figure, "plot nonsense(x)\n");
    if (has_gnuplot())
        assert_fails(bnre__figure_end(&figure, "svg", &drawn), BNRE_EIO,
                     "nonsense");
    bnre__figure_clear(&figure);
}

static void without_gnuplot_script_and_table_remain(void **state)
{
    char stem[512], *path = strdup(getenv("PATH"));
    int drawn = 1;
    bnre__figure figure = parabola(stem_in("alone", stem));

    (void)state;
    setenv("PATH", scratch_path("nowhere"), 1);
    assert_ok(bnre__figure_end(&figure, "svg,pdf", &drawn));
    setenv("PATH", path, 1);
    free(path);
    assert_false(drawn);
    assert_true(holds(stem, ".gp", "plot data"));
}

static void unknown_formats_are_named(void **state)
{
    char stem[512];
    int drawn;
    bnre__figure figure = parabola(stem_in("format", stem));

    (void)state;
    assert_fails(bnre__figure_end(&figure, "gif", &drawn), BNRE_EUSAGE, "gif");
}

static void colours_run_from_dark_to_light(void **state)
{
    char out[8];

    (void)state;
    assert_string_equal(bnre__colour_scale(0, out), "#440154");
    assert_string_equal(bnre__colour_scale(-3, out), "#440154");
    assert_int_equal(strlen(bnre__colour_scale(1, out)), 7);
    assert_true(strtol(out + 1, NULL, 16) > 0x800000);
}

/* One palette: styles of lines, series and regions are of it. */
static void things_have_colours_of_their_own(void **state)
{
    char stem[512], style[64], one[8], other[8];
    bnre__figure figure = parabola(stem_in("palette", stem));
    int drawn;

    (void)state;
    assert_ok(bnre__figure_end(&figure, "", &drawn));
    for (size_t i = 0; i < 8; i++) {
        snprintf(style, sizeof style, "linecolor rgb '%s'", bnre__colour_of(i));
        assert_int_equal(holds(stem, ".gp", style), i < 6);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(bnre__colour_of(i), bnre__colour_of(k));
    }
    assert_string_equal(bnre__colour_region(0, 3, one), "#d6e6f4");
    assert_string_equal(bnre__colour_region(2, 3, one), "#3a7fb8");
    assert_string_not_equal(bnre__colour_region(0, 1, one),
                            bnre__colour_region(0, 2, other));
}

/* ---- failures ---- */

static bnre_status draw_and_fail(void *arg)
{
    char stem[512];
    bnre__figure figure;
    int drawn;

    (void)arg;
    bnre__figure_begin(&figure, 4, 3, "%s", stem_in("failing", stem));
    for (int i = 0; i < 100; i++)
        bnre__figure_data(&figure, "%d %s\n", i, "a remark of some length");
    bnre__figure_script(&figure, "set title ");
    bnre__figure_quoted(&figure, "some text");
    return bnre__figure_end(&figure, "", &drawn);
}

static void a_figure_fails_once_at_its_end(void **state)
{
    bnre__figure figure;
    char stem[512];
    int drawn;

    (void)state;
    assert_survives_lack_of_memory(draw_and_fail, NULL);
    figure = parabola(stem_in("failed", stem));
    bnre__figure_fail(&figure, BNRE_OK);
    bnre__figure_fail(&figure, BNRE_EIO);
    bnre__figure_fail(&figure, BNRE_EUSAGE); /* the first one stays */
    bnre__figure_script(&figure, "plot x\n");
    assert_int_equal(bnre__figure_end(&figure, "svg", &drawn), BNRE_EIO);
    assert_null(figure.script.data);
}

static void blocks_without_rows_are_not_counted(void **state)
{
    char stem[512];
    bnre__figure figure = parabola(stem_in("blocks", stem));

    (void)state;
    assert_int_equal(bnre__figure_block(&figure, 10), 0);
    assert_int_equal(bnre__figure_block(&figure, 0), 1);
    assert_int_equal(bnre__figure_block(&figure, 2), 1);
    assert_int_equal(figure.blocks, 2);
    bnre__figure_clear(&figure);
}

/* ---- hostile text ---- */

static const char *const hostile[] = {
    "`touch PWNED`",
    "'; system 'touch PWNED'; x='",
    "\"; system \"touch PWNED\"; x=\"",
    "\\\"`touch PWNED`",
    "x\nsystem 'touch PWNED'\n",
    "@PWNED ~a{.8} &{gone}",
    "{/*9 big} a_b^c \\101", /* tics are cut after some 60 bytes of script */
    "\\U+00e9 100 % %s %d %h",
    "<script>alert(1)</script>",
    "\033]0;owned\a \u202etxt.exe \xff",
    "\\",
    "'",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

/* `text` as XML has it; and as it is shown. */
static void expect_in_svg(const char *stem, const char *text)
{
    char path[600], line[512] = "", *data, *to = line;
    char letters[1 << 14] = "", *into = letters;
    size_t bytes;

    snprintf(path, sizeof path, "%s.svg", stem);
    assert_ok(bnre__file_read_all(path, 1 << 24, &data, &bytes));
    bnre_show_text(line, sizeof line, text, 0);
    /* All that stands between tags, entities read. */
    for (const char *at = data; *at != 0; at++)
        if (*at == '<')
            at = strchr(at, '>');
        else if (into < letters + sizeof letters - 1)
            *into++ = *at;
    bnre__free(data);
    for (char *at = to = letters; *at != 0; at++) {
        static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;"};

        *to = *at;
        for (size_t i = 0; i < 4; i++)
            if (strncmp(at, entity[i], strlen(entity[i])) == 0) {
                *to = "<>&\""[i];
                at += strlen(entity[i]) - 1;
                break;
            }
        to++;
    }
    *to = 0;
    if (strstr(letters, line) == NULL)
        fail_msg("%s does not show %s, but %s", path, line, letters);
}

static void hostile_text_is_shown_as_it_is(void **state)
{
    static const struct {
        const char *before, *after;
    } place[] = {{"set title ", "\nplot data\n"},
                 {"set label ", " at 1,1\nplot data\n"},
                 {"plot data title ", " with lines\n"},
                 {"set xtics (", " 1)\nplot data\n"}};
    enum { TIC = 3 };

    (void)state;
    for (size_t i = 0; i < HOSTILE && has_gnuplot(); i++)
        for (size_t k = 0; k <= TIC; k++) {
            bnre__figure figure;
            char stem[512];
            int drawn;

            /* Wide enough: a key that does not fit is left out. */
            bnre__figure_begin(&figure, 12, 3, "%s", stem_in("hostile", stem));
            bnre__figure_data(&figure, "# %s\n1 1\n2 4\n", hostile[i]);
            bnre__figure_script(&figure, "%s", place[k].before);
            if (k == TIC)
                bnre__figure_tic(&figure, hostile[i]);
            else
                bnre__figure_quoted(&figure, hostile[i]);
            bnre__figure_script(&figure, "%s", place[k].after);
            assert_ok(bnre__figure_end(&figure, "svg", &drawn));
            expect_in_svg(stem, hostile[i]);
            assert_false(bnre__file_exists(scratch_path("it's a place/PWNED")));
            assert_false(bnre__file_exists("PWNED"));
        }
}

/* A file may be called anything but "/". */
static void hostile_names_of_files_are_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOSTILE + 5; i++) {
        static const char *const more[] = {"|touch PWNED", "<touch PWNED",
                                           "-e system('touch PWNED')", "$data",
                                           "~root"};
        char stem[600], name[100];
        int drawn;
        bnre__figure figure;

        snprintf(name, sizeof name, "%s",
                 i < HOSTILE ? hostile[i] : more[i - HOSTILE]);
        for (char *at = name; (at = strchr(at, '/')) != NULL;)
            *at = '|';
        figure = parabola(stem_in(name, stem));
        assert_ok(bnre__figure_end(&figure, i % 3 ? "svg" : "pdf", &drawn));
        if (drawn)
            assert_true(i % 3 ? holds(stem, ".svg", "</svg>")
                              : holds(stem, ".pdf", "%PDF"));
        assert_false(bnre__file_exists(scratch_path("it's a place/PWNED")));
        assert_false(bnre__file_exists("PWNED"));
    }
}

static void hostile_directories_are_directories(void **state)
{
    char stem[600];

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        int drawn;
        bnre__figure figure;

        mkdir(stem_in(hostile[i], stem), 0777);
        snprintf(stem + strlen(stem), 10, "/name");
        figure = parabola(stem);
        assert_ok(bnre__figure_end(&figure, "svg", &drawn));
        if (drawn)
            assert_true(holds(stem, ".svg", "</svg>"));
        assert_false(bnre__file_exists("PWNED"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_stand_beside_script_and_table),
        cmocka_unit_test(pdf_files_hold_neither_time_nor_zone),
        cmocka_unit_test(gnuplots_complaint_is_passed_on),
        cmocka_unit_test(without_gnuplot_script_and_table_remain),
        cmocka_unit_test(unknown_formats_are_named),
        cmocka_unit_test(colours_run_from_dark_to_light),
        cmocka_unit_test(things_have_colours_of_their_own),
        cmocka_unit_test(a_figure_fails_once_at_its_end),
        cmocka_unit_test(blocks_without_rows_are_not_counted),
        cmocka_unit_test(hostile_text_is_shown_as_it_is),
        cmocka_unit_test(hostile_names_of_files_are_names),
        cmocka_unit_test(hostile_directories_are_directories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
