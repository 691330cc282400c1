/* Pages of a corner plot, names on lines, tics that people can read. */
#include "report/corner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "densities.h"
#include "report/corner_tics.h"
#include "report/wrap.h"
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

/* ---- tics ---- */

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
            const double letters = tics.step / (ends[i][1] - ends[i][0]) * room;

            assert_in_range(tics.n, 1, 8);
            assert_true(tics.first >= ends[i][0]);
            assert_true(tics.first + (double)(tics.n - 1) * tics.step <=
                        ends[i][1]);
            assert_true(tics.n == 1 || letters > (double)tics.letters ||
                        room < 2 * (double)tics.letters);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_on_a_page),
        cmocka_unit_test(a_choice_has_its_order_and_all_are_seen),
        cmocka_unit_test(names_are_broken_but_never_cut),
        cmocka_unit_test(numbers_are_broken_between_parts),
        cmocka_unit_test(tics_fit_their_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
