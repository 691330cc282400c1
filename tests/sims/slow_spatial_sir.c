/* The simulator and the plain algorithm draw from the same law. */
#include <math.h>
#include <stdlib.h>

#include "sir_plain.h"
#include "sir_run.h"
#include "support.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Two samples of n values with ties: chi-square of the counts in up to `bins`
   intervals of equal content in the joint sample. */
static double two_sample_pvalue(size_t n, size_t bins, const double *a,
                                const double *b)
{
    double *joint = NULL, chi_square = 0, low = -HUGE_VAL;
    int used = 0;

    assert_non_null(joint = bnre__alloc(2 * n, sizeof *joint));
    for (size_t i = 0; i < n; i++) {
        joint[i] = a[i];
        joint[n + i] = b[i];
    }
    qsort(joint, 2 * n, sizeof *joint, ascending);
    for (size_t k = 1; k <= bins; k++) {
        double high = joint[2 * n * k / bins - 1], in_a = 0, in_b = 0;

        if (high == low)
            continue;
        for (size_t i = 0; i < n; i++) {
            in_a += a[i] > low && a[i] <= high;
            in_b += b[i] > low && b[i] <= high;
        }
        chi_square += (in_a - in_b) * (in_a - in_b) / (in_a + in_b);
        used++;
        low = high;
    }
    bnre__free(joint);
    return used > 1 ? chi_square_pvalue(chi_square, used - 1) : 1;
}

/* Affected pairs across a column that ends a machine word, and infected cells
   there: what an error at the seam would change first. */
static double at_the_seam(size_t grid, const double *x)
{
    size_t column = grid > 64 ? 63 : grid / 2;
    double sum = 0;

    for (size_t row = 0; row < grid; row++) {
        size_t i = row * grid + column;

        sum += (1 - x[i]) * (1 - x[i + 1]) + x[grid * grid + i];
    }
    return sum;
}

/* 9 lines of 4 statistics at 1e-5 each: a false alarm in 2,700 changes. */
static void plain_algorithm_has_the_same_law(void **state)
{
    static const struct {
        size_t grid, steps, n;
        double theta[2];
    } lines[] = {
        {5, 100, 4000, {0.3, 0.1}},  {5, 6, 4000, {0.8, 0.4}},
        {50, 100, 300, {0.3, 0.05}}, {50, 25, 1000, {0.9, 0.3}},
        {64, 20, 800, {0.95, 0.1}},  {65, 20, 800, {0.95, 0.1}},
        {65, 8, 2000, {0.5, 0.3}},   {128, 10, 300, {1, 0.05}},
        {130, 10, 300, {0.9, 0.2}},
    };
    enum { MAX_N = 4000, KINDS = 4 };
    static double fast[KINDS][MAX_N], plain[KINDS][MAX_N];
    static double x[3 * SIR_PLAIN_MAX * SIR_PLAIN_MAX];
    static struct sir_plain lattice;

    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        const size_t grid = lines[k].grid, n = lines[k].n;
        struct sir_run run = sir_open(grid, lines[k].steps);

        for (uint64_t row = 0; row < n; row++) {
            bnre_rng rng = bnre_rng_stream(30 + k, 0, row);
            const double *from[] = {run.x, x};

            sir_draw(&run, 30 + k, row, lines[k].theta);
            sir_plain_draw(&lattice, &rng, grid, lines[k].steps, lines[k].theta,
                           x);
            for (int j = 0; j < 2; j++) {
                double(*out)[MAX_N] = j == 0 ? fast : plain;
                double value[SIR_STATISTICS];

                sir_summarise(grid, from[j], value);
                out[0][row] = value[SIR_AFFECTED];
                out[1][row] = value[SIR_INFECTED];
                out[2][row] = value[SIR_BOTH];
                out[3][row] = at_the_seam(grid, from[j]);
            }
        }
        for (int j = 0; j < KINDS; j++) {
            double p = two_sample_pvalue(n, 10, fast[j], plain[j]);

            if (p < 1e-5)
                fail_msg("line %zu, statistic %d: p = %g", k, j, p);
        }
        sir_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_algorithm_has_the_same_law),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
