/* Pages of a corner plot, names on lines, tics that people can read. */
#include "output/corner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "densities.h"
#include "output/corner_json.h"
#include "output/corner_tics.h"
#include "output/wrap.h"
#include "support.h"

/* ---- pages ---- */

static void every_parameter_is_on_a_page(void **state)
{
    static const struct {
        size_t dim, pages; /* in pairs */
    } rows[] = {{1, 1}, {8, 1}, {9, 2}, {10, 2}, {17, 3}, {26, 4}};

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bnre_prior *prior = prior_of(rows[r].dim, "normal(0, 1)");
        bnre__corner_pages pages;
        size_t seen[2][26] = {{0}}, count[2] = {0};

        assert_ok(bnre__corner_pages_init(prior, NULL, &pages));
        for (size_t i = 0; i < pages.n; i++) {
            const bnre__corner_page *page = &pages.page[i];

            count[page->pairs]++;
            assert_in_range(page->n, 1,
                            page->pairs ? BNRE__CORNER_PAGE
                                        : BNRE__CORNER_MARGINALS);
            for (size_t k = 0; k < page->n; k++)
                seen[page->pairs][pages.parameter[page->first + k]]++;
        }
        assert_int_equal(count[1], rows[r].pages);
        for (size_t i = 0; i < rows[r].dim; i++) {
            assert_int_equal(seen[1][i], 1);
            assert_int_equal(seen[0][i], rows[r].pages > 1);
        }
        assert_string_equal(pages.page[0].ending, "");
        if (rows[r].pages > 1)
            assert_string_equal(pages.page[1].ending, "-2");
        bnre__corner_pages_clear(&pages);
        bnre_prior_destroy(prior);
    }
}

static void a_choice_has_its_order_and_all_are_seen(void **state)
{
    bnre_prior *prior = prior_of(5, "normal(0, 1)");
    bnre__corner_pages pages;

    (void)state;
    assert_ok(bnre__corner_pages_init(prior, "e,b", &pages));
    assert_int_equal(pages.n, 2);
    assert_int_equal(pages.page[0].n, 2);
    assert_int_equal(pages.parameter[0], 4);
    assert_int_equal(pages.parameter[1], 1);
    assert_int_equal(pages.page[1].n, 5);
    assert_string_equal(pages.page[1].ending, "-marginals");
    bnre__corner_pages_clear(&pages);
    bnre_prior_destroy(prior);
}

/* ---- lines ---- */

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
        {"abcdefghij", 4, "abcd\nefgh\nij"},
        {"αβγδε", 2, "αβ\nγδ\nε"},
        {"", 5, ""},
    };

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char *lines = NULL;

        assert_ok(bnre__wrap(rows[r].text, rows[r].most, &lines));
        assert_string_equal(lines, rows[r].lines);
        assert_true(bnre__wrap_width(lines) <= rows[r].most);
        bnre__free(lines);
    }
    assert_int_equal(bnre__wrap_lines("a\nb"), 2);
    assert_int_equal(bnre__wrap_lines(""), 0);
}

static void numbers_are_broken_between_parts(void **state)
{
    char *lines = NULL;

    (void)state;
    assert_ok(bnre__wrap_numbers("-1.7 to -0.8 or 0.9 to 1.6", 16, &lines));
    assert_string_equal(lines, "−1.7 to −0.8\nor 0.9 to 1.6");
    bnre__free(lines);
    assert_ok(bnre__wrap_numbers("-1.7 to -0.8 or 0.9 to 1.6", 40, &lines));
    assert_string_equal(lines, "−1.7 to −0.8 or 0.9 to 1.6");
    bnre__free(lines);
    assert_ok(bnre__wrap_numbers("249,880 to 250,110", 12, &lines));
    assert_string_equal(lines, "249,880 to\n250,110");
    bnre__free(lines);
}

/* Panels of all figures: one line if it fits, else small ones. */
static void titles_stay_above_their_panel(void **state)
{
    static char script[1 << 14];
    bnre__figure *figure = NULL;
    char stem[400], path[420];
    FILE *file;
    int drawn;

    (void)state;
    snprintf(stem, sizeof stem, "%s", scratch_path("title"));
    snprintf(path, sizeof path, "%s.gp", stem);
    assert_ok(bnre__figure_create(stem, 4, 3, &figure));
    assert_ok(bnre__wrap_title(figure, "mass", 1.9, 2.4, ""));
    assert_ok(bnre__wrap_title(
        figure, "merger time since epoch in seconds of gps", 1.9, 2.4, ""));
    assert_ok(bnre__wrap_title(figure, "", 1.9, 2.4, ""));
    assert_ok(bnre__figure_draw(figure, "", &drawn));
    bnre__figure_destroy(figure);
    file = fopen(path, "r");
    assert_non_null(file);
    script[fread(script, 1, sizeof script - 1, file)] = 0;
    fclose(file);
    assert_non_null(strstr(script, "set title 'mass' font ''"));
    assert_non_null(strstr(script, "set title 'merger time since epoch in "
                                   "seconds'.\"\\n\".'of gps' font small"));
    assert_non_null(strstr(script, "set title '' font ''"));
}

/* ---- tics ---- */

/* Two labels where one in the middle would do: 249,500 and 250,500. */
static void labels_are_left_out_evenly(void **state)
{
    const bnre__tics tics = bnre__tics_find(249000, 251000, 28);

    (void)state;
    assert_close(tics.first, 249500, 1e-6);
    assert_int_equal(tics.n, 3);
    assert_int_equal(tics.every, 2);
    assert_int_equal(tics.phase, 0);
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

/* ---- pages that are read again ---- */

static void write_text(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
}

static size_t read_text(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "r");
    size_t bytes;

    assert_non_null(file);
    bytes = fread(out, 1, room - 1, file);
    assert_true(bytes < room - 1);
    out[bytes] = 0;
    fclose(file);
    return bytes;
}

/* What is read is what was drawn; text in it stays text; a table that ends too
   early, or has other things than numbers in it, is none. */
static void a_page_is_read_again_or_not_at_all(void **state)
{
    enum { ROOM = 1 << 20 };
    static char text[ROOM], script[ROOM];
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre_density density = gaussian_density(prior);
    const double x[] = {0.5f, -0.5f};
    const double truth[] = {0.25, -0.5};
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior_files files = bnre_posterior_files_default();
    bnre_session *session = session_for(&density, 1, x);
    bnre__corner_view view;
    bnre_posterior *posterior;
    bnre__json *root = NULL;
    char dat[600], again[600], json[600], directory[400];
    int found, drawn;
    size_t bytes;

    (void)state;
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    snprintf(directory, sizeof directory, "%s", scratch_path("again"));
    mkdir(directory, 0777);
    files.directory = directory;
    files.samples = 10;
    files.formats = "";
    files.truth = truth;
    files.note = "it's `touch PWNED`";
    assert_ok(bnre_posterior_save(posterior, session, &files, NULL));
    snprintf(dat, sizeof dat, "%s/corner.dat", directory);
    snprintf(json, sizeof json, "%s/posterior.json", directory);
    snprintf(again, sizeof again, "%s/again.dat", directory);
    assert_ok(bnre__json_read(json, &root));
    assert_int_equal(bnre__corner_json_pages(root), 1);
    assert_ok(bnre__corner_view_read(root, 0, dat, &view, &found));
    assert_true(found);
    assert_int_equal(view.n, 2);
    assert_int_equal(view.filled.n, 3);
    assert_string_equal(view.axis[1].name, "b");
    assert_close(view.axis[1].truth, -0.5, 0);
    assert_close(
        view.axis[0].line[200],
        exp(-pow((view.axis[0].low + view.axis[0].high) / 2 - 0.25, 2)) /
            sqrt(acos(-1)),
        0.01);
    view.axis[0].to += 1; /* an axis that it shares with a wider one */
    snprintf(json, sizeof json, "%s/again", directory);
    assert_ok(bnre__corner_view_draw(&view, json, "", &drawn));
    bnre__corner_view_clear(&view);
    snprintf(json, sizeof json, "%s/again.gp", directory);
    read_text(json, script, ROOM);
    assert_non_null(strstr(script, "touch PWNED"));
    assert_null(strstr(script, "it's"));
    assert_ok(bnre__corner_view_read(root, 1, dat, &view, &found));
    assert_false(found);
    bytes = read_text(dat, text, ROOM);
    for (size_t cut = 0; cut < bytes - 10; cut += 9973) {
        write_text(again, text, cut);
        assert_ok(bnre__corner_view_read(root, 0, again, &view, &found));
        assert_false(found);
    }
    strstr(text, "\n\n")[-3] = 'x';
    write_text(again, text, bytes);
    assert_ok(bnre__corner_view_read(root, 0, again, &view, &found));
    assert_false(found);
    bnre__json_destroy(root);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_on_a_page),
        cmocka_unit_test(a_choice_has_its_order_and_all_are_seen),
        cmocka_unit_test(names_are_broken_but_never_cut),
        cmocka_unit_test(numbers_are_broken_between_parts),
        cmocka_unit_test(titles_stay_above_their_panel),
        cmocka_unit_test(tics_fit_their_labels),
        cmocka_unit_test(labels_are_left_out_evenly),
        cmocka_unit_test(a_page_is_read_again_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
