/* What every epidemic obeys, step by step, on lattices narrower and wider than
   a machine word. */
#include <math.h>
#include <string.h>

#include "sir_run.h"
#include "support.h"

#include "bnre/plugin.h"

extern const bnre_plugin bnre_sim_spatial_sir;

static const size_t grids[] = {2, 3, 5, 50, 63, 64, 65, 127, 128, 130};
enum { GRIDS = sizeof grids / sizeof *grids };

enum { MAX_AREA = 130 * 130 };

static double susceptible(const struct sir_run *run, size_t cell)
{
    return run->x[cell];
}

static double infected(const struct sir_run *run, size_t cell)
{
    return run->x[run->area + cell];
}

static double recovered(const struct sir_run *run, size_t cell)
{
    return run->x[2 * run->area + cell];
}

/* Steps of a king on the board from the nearest cell of `begin` that is 1. */
static void measure_distances(size_t grid, const double *begin, size_t *out)
{
    size_t area = grid * grid;

    for (size_t cell = 0; cell < area; cell++)
        out[cell] = SIZE_MAX;
    for (size_t from = 0; from < area; from++) {
        if (begin[from] == 0)
            continue;
        for (size_t cell = 0; cell < area; cell++) {
            double rows = (double)(cell / grid) - (double)(from / grid);
            double columns = (double)(cell % grid) - (double)(from % grid);
            size_t d = (size_t)fmax(fabs(rows), fabs(columns));

            if (d < out[cell])
                out[cell] = d;
        }
    }
}

/* With infection for sure, the n-th step reaches exactly the cells at distance
   n. Without recovery they stay infected; with recovery for sure they are
   infected, then both for one step, then recovered. Probabilities outside
   [0, 1] mean never and always. */
static void certain_epidemic_moves_like_a_king(void **state)
{
    static const size_t steps[] = {0, 1, 2, 3, 8, 40};
    static size_t distance[MAX_AREA];

    (void)state;
    for (size_t g = 0; g < GRIDS; g++) {
        struct sir_run begin = sir_open(grids[g], 0);

        for (size_t t = 0; t < sizeof steps / sizeof *steps; t++) {
            struct sir_run run = sir_open(grids[g], steps[t]);
            size_t n = steps[t];

            for (uint64_t row = 0; row < 4; row++) {
                static const double gamma[] = {1, 2, 0, -1};
                const double theta[] = {row % 2 ? 8 : 1000, gamma[row]};
                int recovery = theta[1] >= 1;

                sir_draw(&begin, 1, row, theta);
                measure_distances(run.grid, begin.x + run.area, distance);
                sir_draw(&run, 1, row, theta);
                for (size_t i = 0; i < run.area; i++) {
                    size_t d = distance[i];
                    double r = recovery && d + 1 <= n;

                    assert_true(susceptible(&run, i) == (d > n));
                    assert_true(infected(&run, i) ==
                                (d <= n && (!recovery || d + 2 > n)));
                    assert_true(recovered(&run, i) == r);
                }
            }
            sir_close(&run);
        }
        sir_close(&begin);
    }
}

static void without_infection_only_the_first_fall_ill(void **state)
{
    (void)state;
    for (size_t g = 0; g < GRIDS; g++) {
        struct sir_run begin = sir_open(grids[g], 0);
        struct sir_run end = sir_open(grids[g], 100);
        size_t ill = 0;

        for (uint64_t row = 0; row < 20; row++) {
            const double theta[] = {row % 2 ? 0 : -1, 0.05};

            sir_draw(&begin, 2, row, theta);
            sir_draw(&end, 2, row, theta);
            for (size_t i = 0; i < end.area; i++) {
                assert_true(susceptible(&begin, i) == susceptible(&end, i));
                assert_true(recovered(&begin, i) == 0);
                assert_true(infected(&begin, i) == 1 - susceptible(&begin, i));
                ill += infected(&begin, i) == 1;
            }
        }
        assert_true(ill >= 20);
        sir_close(&begin);
        sir_close(&end);
    }
}

/* How often something happened. */
struct tally {
    double tries, hits;
};

static void count(struct tally *t, int hit)
{
    t->tries++;
    t->hits += hit;
}

/* Beyond 4.5 standard deviations: a false alarm once in 150,000, as long as
   the normal approximation holds. Returns 0 when it cannot be judged. */
static int has_frequency(const struct tally *t, double p)
{
    double expected = t->tries * p, sd = sqrt(expected * (1 - p));

    if (expected < 20)
        return 0;
    if (fabs(t->hits - expected) > 4.5 * sd)
        fail_msg("%g of %g, expected %g +- %g", t->hits, t->tries, expected,
                 sd);
    return 1;
}

static int infected_around(const struct sir_run *run, size_t cell)
{
    size_t row = cell / run->grid, column = cell % run->grid;
    int n = 0;

    for (size_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < run->grid; r++) {
        for (size_t c = column > 0 ? column - 1 : 0;
             c <= column + 1 && c < run->grid; c++)
            n += infected(run, r * run->grid + c) == 1;
    }
    return n;
}

/* What a path of epidemics shows. Cells beside an edge of a machine word are
   counted apart from the others, young infections apart from old ones. */
struct path {
    struct tally infection[2][9];
    struct tally recovery[2];
    int age[MAX_AREA];
};

static void check_cell(struct path *path, const struct sir_run *old,
                       const struct sir_run *new, size_t i)
{
    int is = susceptible(old, i) == 1, ii = infected(old, i) == 1,
        ir = recovered(old, i) == 1, hit = infected(new, i) == 1;
    size_t column = i % old->grid;
    int edge = column % 64 == 0 || column % 64 == 63;

    assert_true(susceptible(new, i) == (!hit && recovered(new, i) == 0));
    if (is) {
        int n = infected_around(old, i);

        assert_true(n <= 8 && recovered(new, i) == 0);
        if (n == 0)
            assert_true(!hit);
        count(&path->infection[edge][n], hit);
        path->age[i] = 0;
    } else if (ii && !ir) {
        assert_true(hit);
        count(&path->recovery[path->age[i] > 0], recovered(new, i) == 1);
        path->age[i]++;
    } else { /* recovered, for one step infected as well */
        assert_true(ir && !hit && recovered(new, i) == 1);
    }
}

static void follow(struct path *path, size_t grid, uint64_t row, size_t steps,
                   const double *theta)
{
    struct sir_run old = sir_open(grid, 0);

    memset(path->age, 0, sizeof path->age);
    sir_draw(&old, 3, row, theta);
    for (size_t t = 1; t <= steps; t++) {
        struct sir_run new = sir_open(grid, t);

        sir_draw(&new, 3, row, theta);
        for (size_t i = 0; i < old.area; i++)
            check_cell(path, &old, &new, i);
        sir_close(&old);
        old = new;
    }
    sir_close(&old);
}

/* A row's epidemic does not depend on how long it is watched, so watching it
   for 0, 1, 2, ... steps shows its path. Every transition is checked, and each
   kind must have its frequency: less than 80 comparisons, a false alarm in
   2,000 changes of the code. */
static void transitions_have_their_probabilities(void **state)
{
    static const size_t sizes[] = {50, 67};
    static const double theta[][2] = {{0.7, 0.15}, {0.5, 0.02}};
    static struct path path;

    (void)state;
    for (int k = 0; k < 4; k++) {
        size_t grid = sizes[k / 2];
        double beta = theta[k % 2][0], gamma = theta[k % 2][1];
        int judged = 0;

        memset(&path, 0, sizeof path);
        for (uint64_t row = 0; row < 20; row++)
            follow(&path, grid, row, 45, theta[k % 2]);
        for (int n = 1; n <= 8; n++) {
            judged += has_frequency(&path.infection[0][n], n * beta / 8);
            judged += has_frequency(&path.infection[1][n], n * beta / 8);
        }
        judged += has_frequency(&path.recovery[0], gamma);
        judged += has_frequency(&path.recovery[1], gamma);
        assert_true(judged >= 13);
    }
}

/* Rows share a state, and nothing may pass from one to the next. */
static void draws_do_not_depend_on_earlier_ones(void **state)
{
    static const double theta[] = {0.9, 0.1}, other[] = {0.4, 0.6};
    struct sir_run fresh = sir_open(65, 100), used = sir_open(65, 100);
    size_t size = 3 * fresh.area * sizeof *fresh.x;

    (void)state;
    for (uint64_t row = 0; row < 5; row++)
        sir_draw(&used, 4, 10 + row, other);
    sir_draw(&fresh, 4, 0, theta);
    sir_draw(&used, 4, 0, theta);
    assert_memory_equal(fresh.x, used.x, size);
    sir_draw(&used, 4, 1, theta);
    assert_memory_not_equal(fresh.x, used.x, size);
    sir_close(&fresh);
    sir_close(&used);
}

static void steps_must_be_whole(void **state)
{
    const bnre_plugin_value options[] = {{.text = "50", .number = 50},
                                         {.text = "2.5", .number = 2.5}};
    char reason[BNRE_REASON_SIZE] = "";
    void *lattice = NULL;

    (void)state;
    assert_int_equal(bnre_sim_spatial_sir.create(options, &lattice, reason),
                     BNRE_DRAW_STOP);
    assert_null(lattice);
    assert_non_null(strstr(reason, "whole number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certain_epidemic_moves_like_a_king),
        cmocka_unit_test(without_infection_only_the_first_fall_ill),
        cmocka_unit_test(transitions_have_their_probabilities),
        cmocka_unit_test(draws_do_not_depend_on_earlier_ones),
        cmocka_unit_test(steps_must_be_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
