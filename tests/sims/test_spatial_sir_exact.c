/* The complete law of small lattices. With four states a cell a 2 x 2 lattice
   has 256 states and a 3 x 3 one 262,144: their probabilities after some steps
   are computed from the definition and compared with frequencies. */
#include <math.h>

#include "sir_run.h"
#include "support.h"

/* A cell is two bits of the number of a state. */
enum cell { SUSCEPTIBLE, INFECTED, RECOVERED, BOTH };
enum { MAX_CELLS = 9, MAX_STATES = 1 << 2 * MAX_CELLS };

struct law {
    size_t grid, cells, states;
    double beta, gamma;
};

static enum cell cell_of(size_t state, size_t i)
{
    return (enum cell)(state >> 2 * i & 3);
}

static int is_infected(enum cell c)
{
    return c == INFECTED || c == BOTH;
}

static int neighbours(const struct law *law, size_t state, size_t i)
{
    int n = 0;

    for (size_t j = 0; j < law->cells; j++) {
        int rows = (int)(i / law->grid) - (int)(j / law->grid);
        int columns = (int)(i % law->grid) - (int)(j % law->grid);

        if (j != i && rows * rows <= 1 && columns * columns <= 1)
            n += is_infected(cell_of(state, j));
    }
    return n;
}

/* One infection at a uniform cell after the other, 1 + Poisson(3) of them. */
static void begin(const struct law *law, double *p)
{
    static double now[MAX_STATES], next[MAX_STATES];
    double poisson = exp(-3.0);

    for (size_t s = 0; s < law->states; s++)
        now[s] = p[s] = 0;
    now[0] = 1;
    for (int k = 1; k < 60; k++) {
        for (size_t s = 0; s < law->states; s++)
            next[s] = 0;
        for (size_t s = 0; s < law->states; s++) {
            for (size_t i = 0; now[s] > 0 && i < law->cells; i++)
                next[s | (size_t)INFECTED << 2 * i] +=
                    now[s] / (double)law->cells;
        }
        for (size_t s = 0; s < law->states; s++) {
            now[s] = next[s];
            p[s] += poisson * now[s];
        }
        poisson *= 3.0 / k;
    }
}

/* What a cell can become in a step. */
struct move {
    enum cell stay, change;
    double p; /* of the change */
};

static struct move move_of(const struct law *law, size_t state, size_t i)
{
    switch (cell_of(state, i)) {
    case SUSCEPTIBLE:
        return (struct move){SUSCEPTIBLE, INFECTED,
                             neighbours(law, state, i) * law->beta / 8};
    case INFECTED:
        return (struct move){INFECTED, BOTH, law->gamma};
    case RECOVERED:
    case BOTH:
    default:
        return (struct move){RECOVERED, RECOVERED, 0};
    }
}

/* Give p to all that becomes of a state by the moves of its cells, of which
   those before i are settled in `to`. */
static void spread(const struct law *law, const struct move *move, size_t i,
                   size_t to, double p, double *out)
{
    if (i == law->cells) {
        out[to] += p;
        return;
    }
    if (move[i].p < 1)
        spread(law, move, i + 1, to | (size_t)move[i].stay << 2 * i,
               p * (1 - move[i].p), out);
    if (move[i].p > 0)
        spread(law, move, i + 1, to | (size_t)move[i].change << 2 * i,
               p * move[i].p, out);
}

static void step(const struct law *law, double *p)
{
    static double next[MAX_STATES];
    struct move move[MAX_CELLS];

    for (size_t s = 0; s < law->states; s++)
        next[s] = 0;
    for (size_t s = 0; s < law->states; s++) {
        if (p[s] == 0)
            continue;
        for (size_t i = 0; i < law->cells; i++)
            move[i] = move_of(law, s, i);
        spread(law, move, 0, 0, p[s], next);
    }
    for (size_t s = 0; s < law->states; s++)
        p[s] = next[s];
}

static size_t observed_state(const struct sir_run *run)
{
    size_t state = 0;

    for (size_t i = 0; i < run->area; i++) {
        int s = run->x[i] == 1;
        int infected = run->x[run->area + i] == 1;
        int recovered = run->x[2 * run->area + i] == 1;

        assert_true(s == (!infected && !recovered));
        state |= (size_t)(infected + 2 * recovered) << 2 * i;
    }
    return state;
}

/* States that are too rare for the chi-square law are taken together. */
static double compare(const struct law *law, size_t draws, const double *p,
                      const double *seen)
{
    double chi_square = 0, rest = 0, rest_seen = 0;
    int bins = 0;

    for (size_t s = 0; s < law->states; s++) {
        double expected = p[s] * (double)draws;

        if (p[s] == 0)
            assert_true(seen[s] == 0);
        if (expected < 10) {
            rest += expected;
            rest_seen += seen[s];
            continue;
        }
        chi_square += (seen[s] - expected) * (seen[s] - expected) / expected;
        bins++;
    }
    if (rest >= 10) {
        chi_square += (rest_seen - rest) * (rest_seen - rest) / rest;
        bins++;
    }
    assert_true(bins > 1);
    return chi_square_pvalue(chi_square, bins - 1);
}

/* False alarm in one of 10,000 for each line of the table. */
static void small_lattices_follow_the_exact_law(void **state)
{
    static const struct {
        size_t grid, steps;
        double beta, gamma;
    } lines[] = {
        {2, 0, 0.5, 0.5},   {2, 1, 0.7, 0.3},    {2, 2, 0.9, 0.25},
        {2, 3, 0.99, 0.9},  {2, 8, 0.3, 0.2},    {2, 100, 0.3, 0.05},
        {2, 100, 0.2, 0.9}, {2, 6, 1, 0.001953}, {3, 0, 0.5, 0.5},
        {3, 1, 0.8, 0.4},   {3, 2, 1, 0.5},      {3, 3, 0.35, 0.7},
    };
    enum { DRAWS = 40000 };
    static double p[MAX_STATES], seen[MAX_STATES];

    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        const size_t cells = lines[k].grid * lines[k].grid;
        const struct law law = {lines[k].grid, cells, (size_t)1 << 2 * cells,
                                lines[k].beta, lines[k].gamma};
        const double theta[] = {law.beta, law.gamma};
        struct sir_run run = sir_open(law.grid, lines[k].steps);
        double value;

        begin(&law, p);
        for (size_t t = 0; t < lines[k].steps; t++)
            step(&law, p);
        for (size_t s = 0; s < law.states; s++)
            seen[s] = 0;
        for (uint64_t row = 0; row < DRAWS; row++) {
            sir_draw(&run, 100 + k, row, theta);
            seen[observed_state(&run)]++;
        }
        value = compare(&law, DRAWS, p, seen);
        if (value < 1e-4)
            fail_msg("line %zu: p = %g", k, value);
        sir_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_lattices_follow_the_exact_law),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
