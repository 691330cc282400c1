#include <math.h>

#include "densities.h"
#include "posterior/points.h"
#include "support.h"

static double total_mass(const bnre_points *points)
{
    double sum = 0;

    for (size_t k = 0; k < points->n; k++)
        sum += exp(points->log_mass[k]);
    return sum;
}

static void cells_have_equal_prior_mass(void **state)
{
    const char *names[] = {"a", "b"};
    const char *texts[] = {"normal(1, 2)", "exponential(3)"};
    bnre_prior *prior = NULL;
    bnre_points *points = NULL;

    (void)state;
    assert_ok(bnre_prior_create(2, names, texts, &prior));
    assert_ok(bnre__points_grid(prior, 5, &points));
    assert_int_equal(points->n, 25);
    assert_close(total_mass(points), 1, 1e-14);
    for (size_t k = 0; k < 25; k++) {
        const double *theta = points->theta + 2 * k;

        assert_close(bnre_prior_cdf(prior, 0, theta[0]),
                     ((double)(k / 5) + 0.5) / 5, 1e-12);
        assert_close(bnre_prior_cdf(prior, 1, theta[1]),
                     ((double)(k % 5) + 0.5) / 5, 1e-12);
        assert_close(points->log_prior[k], bnre_prior_log_density(prior, theta),
                     0);
        assert_int_equal(bnre__points_cell_of(points, theta), k);
        assert_int_equal(bnre__points_in_cell(points, k), k);
    }
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

/* Jittered points stay in their cells and fill them evenly: 5000 values of u
   within the cell, p < 1e-5. */
static void redrawn_points_are_uniform_in_their_cells(void **state)
{
    enum { CELLS = 100, TIMES = 50 };
    static double u[CELLS * TIMES];
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    bnre_points *points = NULL;

    (void)state;
    assert_ok(bnre__points_grid(prior, CELLS, &points));
    for (size_t t = 0; t < TIMES; t++) {
        bnre_rng rng = bnre_rng_stream(3, 0, t);

        assert_ok(bnre__points_redraw(points, &rng));
        assert_int_equal(points->n, CELLS);
        for (size_t k = 0; k < CELLS; k++) {
            assert_int_equal(bnre__points_cell_of(points, points->theta + k),
                             k);
            u[t * CELLS + k] =
                bnre_prior_cdf(prior, 0, points->theta[k]) * CELLS - (double)k;
        }
    }
    assert_true(ks_uniform_pvalue(CELLS * TIMES, u) > 1e-5);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

/* SLCP's prior: 90 nodes from -3 to 3 - 1e-5. */
static void paper_nodes_include_both_ends(void **state)
{
    bnre_prior *prior = prior_of(2, "uniform(-3, 3)");
    bnre_points *points = NULL;
    const double *last, out[] = {3.0, 3.0}, beyond[] = {3.1, 0};

    (void)state;
    assert_ok(bnre__points_paper(prior, 0, &points));
    assert_int_equal(points->n, 8100);
    last = points->theta + 2 * (points->n - 1);
    assert_close(points->theta[0], -3, 0);
    assert_close(points->theta[3], -3 + (6 - 1e-5) / 89, 1e-15);
    assert_close(last[0], 3 - 1e-5, 1e-15);
    assert_close(last[1], 3 - 1e-5, 1e-15);
    assert_close(total_mass(points), 1, 1e-12);
    assert_int_equal(bnre__points_cell_of(points, points->theta), 0);
    assert_int_equal(bnre__points_cell_of(points, last), 8099);
    assert_int_equal(bnre__points_cell_of(points, out), 8099);
    assert_true(bnre__points_cell_of(points, beyond) == BNRE_NO_POINT);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

static void fixed_parameters_take_no_axis(void **state)
{
    const char *names[] = {"a", "b", "c", "d", "e"};
    const char *texts[] = {"fixed(7)", "uniform(0, 1)", "fixed(1)", "fixed(2)",
                           "uniform(0, 2)"};
    bnre_prior *prior = NULL;
    bnre_points *points = NULL;

    (void)state;
    assert_ok(bnre_prior_create(5, names, texts, &prior));
    assert_int_equal(bnre__points_default(prior), 256);
    assert_ok(bnre__points_grid(prior, 4, &points));
    assert_int_equal(points->n, 16);
    for (size_t k = 0; k < 16; k++) {
        assert_close(points->theta[5 * k], 7, 0);
        assert_int_equal(bnre__points_cell_of(points, points->theta + 5 * k),
                         k);
    }
    bnre__points_destroy(points);
    assert_ok(bnre__points_paper(prior, 4, &points));
    assert_int_equal(points->n, 16);
    assert_close(points->theta[5 * 15 + 3], 2, 0);
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

static void cells_outside_a_constraint_hold_no_point(void **state)
{
    const char *order = "a >= b";
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    bnre_points *points = NULL;
    const double outside[] = {0.05, 0.95}, inside[] = {0.95, 0.05};

    (void)state;
    assert_ok(bnre_prior_constrain(prior, 1, &order));
    assert_ok(bnre__points_grid(prior, 10, &points));
    assert_int_equal(points->n, 55);
    assert_close(total_mass(points), 1, 1e-14);
    assert_true(bnre__points_in_cell(points, 9) == BNRE_NO_POINT);
    assert_int_equal(points->cell[bnre__points_in_cell(points, 90)], 90);
    assert_true(bnre__points_cell_of(points, outside) == BNRE_NO_POINT);
    assert_int_equal(bnre__points_cell_of(points, inside), 90);
    for (size_t t = 0; t < 5; t++) {
        bnre_rng rng = bnre_rng_stream(3, 0, t);

        assert_ok(bnre__points_redraw(points, &rng));
        assert_in_range(points->n, 45, 55);
        for (size_t k = 0; k < points->n; k++)
            assert_true(points->theta[2 * k] >= points->theta[2 * k + 1]);
    }
    bnre__points_destroy(points);
    bnre_prior_destroy(prior);
}

static void a_bank_is_drawn_from_its_stream(void **state)
{
    bnre_prior *prior = prior_of(6, "normal(0, 1)");
    bnre_rng rng = bnre_rng_stream(1, 2, 3), same = rng;
    bnre_points *bank = NULL;
    double theta[6];

    (void)state;
    assert_ok(bnre__points_bank(prior, 100, &rng, &bank));
    for (size_t k = 0; k < 100; k++) {
        bnre_prior_draw(prior, &same, theta);
        assert_memory_equal(theta, bank->theta + 6 * k, sizeof theta);
    }
    assert_close(total_mass(bank), 1, 1e-12);
    assert_true(bnre__points_cell_of(bank, theta) == BNRE_NO_POINT);
    assert_true(bnre__points_in_cell(bank, 0) == BNRE_NO_POINT);
    assert_ok(bnre__points_redraw(bank, &rng));
    bnre_prior_draw(prior, &same, theta);
    assert_memory_equal(theta, bank->theta, sizeof theta);
    bnre__points_destroy(bank);
    bnre_prior_destroy(prior);
}

static void what_a_grid_cannot_do_is_refused(void **state)
{
    static const char *const name[] = {"a"};
    const double sample[] = {1, 2, 3};
    const char *never = "a + 0.01 < b < a + 0.02";
    bnre_prior *six = prior_of(6, "uniform(0, 1)");
    bnre_prior *two = prior_of(2, "uniform(0, 1)");
    bnre_prior *wide = prior_of(1, "normal(0, 1)");
    bnre_prior *flat = prior_of(1, "uniform(0, 1)");
    bnre_prior *steep = prior_of(1, "beta(0.5, 2)");
    bnre_prior *draws = NULL;
    bnre_points *points = NULL;
    bnre_rng rng = bnre_rng_stream(1, 2, 3);

    (void)state;
    assert_ok(bnre_prior_create_samples(1, name, 3, sample, &draws));
    assert_fails(bnre__points_grid(six, 0, &points), BNRE_EUSAGE,
                 "3 parameters ... prior ... 6 ... samples");
    assert_null(points);
    assert_fails(bnre__points_paper(six, 0, &points), BNRE_EUSAGE,
                 "3 parameters ... prior ... 6");
    assert_fails(bnre__points_grid(two, 100000, &points), BNRE_EUSAGE,
                 "at most 2896");
    assert_fails(bnre__points_paper(wide, 0, &points), BNRE_EUSAGE,
                 "a ... no bounds ... normal(0, 1)");
    assert_fails(bnre__points_paper(two, 1, &points), BNRE_EUSAGE, "2 nodes");
    assert_fails(bnre__points_paper(steep, 0, &points), BNRE_EUSAGE,
                 "infinite at an end");
    assert_fails(bnre__points_grid(draws, 0, &points), BNRE_EUSAGE,
                 "samples only");
    assert_fails(bnre__points_bank(draws, 0, &rng, &points), BNRE_EINVAL,
                 "1 draw");
    assert_ok(bnre_prior_constrain(two, 1, &never));
    assert_fails(bnre__points_grid(two, 16, &points), BNRE_EUSAGE,
                 "more cells");
    assert_ok(bnre__points_paper(flat, 0, &points));
    assert_fails(bnre__points_redraw(points, &rng), BNRE_EINVAL, "redrawn");
    bnre__points_destroy(points);
    bnre_prior_destroy(draws);
    bnre_prior_destroy(steep);
    bnre_prior_destroy(flat);
    bnre_prior_destroy(wide);
    bnre_prior_destroy(two);
    bnre_prior_destroy(six);
}

static bnre_status make_all(void *prior)
{
    bnre_status status = BNRE_OK;
    bnre_points *grid = NULL, *paper = NULL, *bank = NULL;
    bnre_rng rng = bnre_rng_stream(1, 2, 3);

    BNRE_TRY(bnre__points_grid(prior, 3, &grid));
    BNRE_TRY(bnre__points_paper(prior, 3, &paper));
    BNRE_TRY(bnre__points_bank(prior, 3, &rng, &bank));
done:
    bnre__points_destroy(bank);
    bnre__points_destroy(paper);
    bnre__points_destroy(grid);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");

    (void)state;
    assert_survives_lack_of_memory(make_all, prior);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_equal_prior_mass),
        cmocka_unit_test(redrawn_points_are_uniform_in_their_cells),
        cmocka_unit_test(paper_nodes_include_both_ends),
        cmocka_unit_test(fixed_parameters_take_no_axis),
        cmocka_unit_test(cells_outside_a_constraint_hold_no_point),
        cmocka_unit_test(a_bank_is_drawn_from_its_stream),
        cmocka_unit_test(what_a_grid_cannot_do_is_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
