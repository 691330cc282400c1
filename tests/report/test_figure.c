/* Figures: what is written, what gnuplot makes of it, and doing without it. */
#include "report/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "io/file.h"
#include "support.h"

static bnre__figure *parabola(const char *stem)
{
    bnre__figure *figure = NULL;

    assert_ok(bnre__figure_create(stem, 4, 3, &figure));
    for (int i = 0; i < 10; i++)
        assert_ok(bnre__figure_data(figure, "%d %d\n", i, i * i));
    assert_ok(bnre__figure_script(figure, "set title "));
    assert_ok(bnre__figure_quoted(figure, "a_b \"quoted\" {x}^2 \\ $HOME"));
    assert_ok(bnre__figure_script(
        figure, "\nplot data using 1:2 with lines linestyle 1\n"));
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
    bnre__figure *figure = parabola(stem_in("parabola", stem));

    (void)state;
    assert_ok(bnre__figure_draw(figure, "svg,pdf,png", &drawn));
    bnre__figure_destroy(figure);
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
    bnre__figure *figure = parabola(stem_in("zone", stem));

    setenv("TZ", zone, 1);
    assert_ok(bnre__figure_draw(figure, "pdf", &drawn));
    unsetenv("TZ");
    bnre__figure_destroy(figure);
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
    bnre__figure *figure = parabola(stem_in("wrong", stem));

    (void)state;
    if (has_gnuplot()) {
        assert_ok(bnre__figure_script(figure, "plot nonsense(x)\n"));
        assert_fails(bnre__figure_draw(figure, "svg", &drawn), BNRE_EIO,
                     "nonsense");
    }
    bnre__figure_destroy(figure);
}

static void without_gnuplot_script_and_table_remain(void **state)
{
    char stem[512], *path = strdup(getenv("PATH"));
    int drawn = 1;
    bnre__figure *figure = parabola(stem_in("alone", stem));

    (void)state;
    setenv("PATH", scratch_path("nowhere"), 1);
    assert_ok(bnre__figure_draw(figure, "svg,pdf", &drawn));
    setenv("PATH", path, 1);
    free(path);
    assert_false(drawn);
    assert_true(holds(stem, ".gp", "plot data"));
    bnre__figure_destroy(figure);
}

static void unknown_formats_are_named(void **state)
{
    char stem[512];
    int drawn;
    bnre__figure *figure = parabola(stem_in("format", stem));

    (void)state;
    assert_fails(bnre__figure_draw(figure, "gif", &drawn), BNRE_EUSAGE, "gif");
    bnre__figure_destroy(figure);
}

static void colours_run_from_dark_to_light(void **state)
{
    char out[8];

    (void)state;
    assert_string_equal(bnre__figure_colour(0, out), "#440154");
    assert_string_equal(bnre__figure_colour(-3, out), "#440154");
    assert_int_equal(strlen(bnre__figure_colour(1, out)), 7);
    assert_true(strtol(out + 1, NULL, 16) > 0x800000);
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
