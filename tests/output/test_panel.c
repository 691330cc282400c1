/* Panels of figures: places, names on lines, tics that people can read,
   legends. */
#include "output/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

/* ---- lines ---- */

/* The lines of a text, with \n between them. */
static const char *wrapped(const char *text, size_t most)
{
    static char out[256];
    const char *line;
    size_t bytes, used = 0;

    out[0] = 0;
    while ((line = bnre__line_next(&text, most, &bytes)) != NULL)
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%.*s",
                                 used > 0 ? "\n" : "", (int)bytes, line);
    return out;
}

static void names_are_broken_but_never_cut(void **state)
{
    static const struct {
        const char *text;
        size_t most;
        const char *lines;
    } rows[] = {
        {"mass", 10, "mass"},
        {"merger_time_since_epoch", 13, "merger_time_\nsince_epoch"},
        {"the first of two", 9, "the first\nof two"},
        {"the   first  ", 5, "the\nfirst"},
        {"abcdefghij", 4, "abcd\nefgh\nij"},
        {"abc", 0, "a\nb\nc"},
        {"αβγδε", 2, "αβ\nγδ\nε"},
        {"two\nlines", 20, "two\nlines"},
        {"", 5, ""},
    };

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t lines = *rows[r].lines != 0;

        assert_string_equal(wrapped(rows[r].text, rows[r].most), rows[r].lines);
        for (const char *at = rows[r].lines; *at != 0; at++)
            lines += *at == '\n';
        assert_int_equal(bnre__line_count(rows[r].text, rows[r].most), lines);
    }
}

static void numbers_are_broken_between_parts(void **state)
{
    static const struct {
        const char *words;
        size_t most;
        const char *lines;
    } rows[] = {
        {"-1.7 to -0.8 or 0.9 to 1.6", 16, "−1.7 to −0.8\nor 0.9 to 1.6"},
        {"-1.7 to -0.8 or 0.9 to 1.6", 40, "−1.7 to −0.8 or 0.9 to 1.6"},
        {"249,880 to 250,110", 12, "249,880 to\n250,110"},
        {"", 12, ""},
    };
    char out[BNRE__NUMBERS];

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        assert_string_equal(
            wrapped(bnre__line_numbers(rows[r].words, rows[r].most, out),
                    rows[r].most),
            rows[r].lines);
}

/* ---- scripts ---- */

static bnre__figure begin(void)
{
    bnre__figure figure;

    bnre__figure_begin(&figure, 4, 2, "%s", scratch_path("panel"));
    return figure;
}

static void expect(bnre__figure *figure, const char *text)
{
    if (strstr(figure->script.data, text) == NULL)
        fail_msg("expected %s in %s", text, figure->script.data);
}

/* One line if it fits, else small ones. */
static void titles_stay_above_their_panel(void **state)
{
    bnre__figure figure = begin();

    (void)state;
    bnre__panel_title(&figure, "mass", 1.9, 2.4, "");
    bnre__panel_title(&figure, "merger time since epoch in seconds of gps", 1.9,
                      2.4, "");
    bnre__panel_title(&figure, "", 1.9, 2.4, "");
    expect(&figure, "set title 'mass' font ''");
    expect(&figure, "set title 'merger time since epoch in seconds'.\"\\n\"."
                    "'of gps' font small");
    expect(&figure, "set title '' font ''");
    bnre__figure_clear(&figure);
}

static void places_are_shares_of_the_paper(void **state)
{
    bnre__figure figure = begin();

    (void)state;
    bnre__panel_place(&figure, 1, 0.5, 2, 1);
    assert_close(figure.panel, 2, 1e-12);
    expect(&figure, "set lmargin at screen 0.2500; set rmargin at screen "
                    "0.7500\nset bmargin at screen 0.2500; set tmargin at "
                    "screen 0.7500\n");
    bnre__panel_label(&figure, "xlabel", "it's_x", "offset 0,1");
    expect(&figure, "set xlabel 'it\\047s\\_x' offset 0,1\n");
    bnre__figure_clear(&figure);
}

/* ---- tics ---- */

/* Two labels where one in the middle would do: 249,500 and 250,500. */
static void labels_are_left_out_evenly(void **state)
{
    const bnre__tics tics = bnre__tics_find(249000, 251000, 28);
    bnre__figure figure = begin();

    (void)state;
    assert_close(tics.first, 249500, 1e-6);
    assert_int_equal(tics.n, 3);
    assert_int_equal(tics.every, 2);
    assert_int_equal(tics.phase, 0);
    bnre__tics_set(&figure, "x", &tics, 1);
    bnre__tics_set(&figure, "y", &tics, 0);
    expect(&figure, "set xtics ('249,500' 249500, '' 250000, '250,500' 250500)"
                    "\nset ytics ('' 249500, '' 250000, '' 250500)\n");
    bnre__figure_clear(&figure);
}

static void tics_fit_their_labels(void **state)
{
    static const double ends[][2] = {
        {-3, 3},           {249400, 250700},
        {-0.00127, 0.002}, {2459000.0291, 2459000.0301},
        {1e-12, 9e-12},    {-4e8, 7e9}};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (double room = 10; room < 100; room *= 2) {
            const bnre__tics tics =
                bnre__tics_find(ends[i][0], ends[i][1], room);
            const double letters = (double)tics.every * tics.step /
                                   (ends[i][1] - ends[i][0]) * room;

            assert_in_range(tics.n, 1, 8);
            assert_true(tics.first >= ends[i][0]);
            assert_true(tics.first + (double)(tics.n - 1) * tics.step <=
                        ends[i][1]);
            assert_true(tics.phase < tics.n);
            assert_true(letters > (double)tics.letters ||
                        tics.every == BNRE__TICS);
        }
}

/* ---- legends ---- */

static void entries_go_down(void **state)
{
    bnre__figure figure = begin();
    bnre__legend legend = {.figure = &figure, .x = 1, .y = 1.8, .step = 0.2};

    (void)state;
    bnre__legend_box(&legend, "#123456", "a_b");
    bnre__legend_stroke(&legend, "linestyle 8", "prior");
    bnre__legend_note(&legend, "one\ntwo");
    expect(&figure, "fillcolor rgb '#123456'\nset label 'a\\_b' at screen "
                    "0.3250, screen 0.9000 left front\n");
    expect(&figure, "set arrow from screen 0.2500, screen 0.8000 to screen "
                    "0.3050, screen 0.8000 nohead front linestyle 8\n");
    expect(&figure, "set label 'one' at screen 0.2500, screen 0.7000 left");
    assert_close(legend.y, 1.4 - 2 * 0.2 * BNRE__LEGEND_SMALL, 1e-12);
    assert_close(legend.x, 1, 1e-12);
    bnre__figure_clear(&figure);
}

static void entries_go_right_and_begin_a_new_line(void **state)
{
    bnre__figure figure = begin();
    bnre__legend legend = {
        .figure = &figure, .x = 0.5, .y = 1.8, .left = 0.5, .small = 1};
    const double wide = bnre__legend_width("a word");

    (void)state;
    for (int i = 1; i <= 3; i++) {
        bnre__legend_stroke(&legend, i == 2 ? NULL : "linewidth 2", "a word");
        assert_close(legend.x, 0.5 + i * wide, 1e-12);
        assert_close(legend.y, 1.8, 1e-12);
    }
    assert_true(legend.x + wide > figure.width);
    bnre__legend_stroke(&legend, "linewidth 2", "a word");
    assert_close(legend.x, 0.5 + wide, 1e-12);
    assert_true(legend.y < 1.8);
    expect(&figure, "left font small\n");
    assert_null(strstr(figure.script.data, "front"));
    bnre__figure_clear(&figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_broken_but_never_cut),
        cmocka_unit_test(numbers_are_broken_between_parts),
        cmocka_unit_test(titles_stay_above_their_panel),
        cmocka_unit_test(places_are_shares_of_the_paper),
        cmocka_unit_test(labels_are_left_out_evenly),
        cmocka_unit_test(tics_fit_their_labels),
        cmocka_unit_test(entries_go_down),
        cmocka_unit_test(entries_go_right_and_begin_a_new_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
