/* Pages of a corner plot: what is on them, and reading them again. */
#include "output/corner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "densities.h"
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
    assert_int_equal(bnre__corner_pages_told(root), 1);
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
        cmocka_unit_test(a_page_is_read_again_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
