/* Coordinates made of draws: monotone, smooth, there and back, and sensible for
   few draws and for values that are drawn often. */
#include <math.h>
#include <stdlib.h>

#include "bnre/rng.h"
#include "prior/sample_map.h"
#include "support.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { MOST = 5000 };

/* Draws of several kinds, in order. */
static void draw(size_t kind, size_t rows, double *value)
{
    bnre_rng rng = bnre_rng_stream(51, 0, kind);

    for (size_t i = 0; i < rows; i++) {
        const double z = bnre_rng_normal(&rng);

        value[i] = kind == 0   ? 1e3 + z
                   : kind == 1 ? bnre_rng_uniform(&rng)
                   : kind == 2 ? exp(2 * z)
                   : kind == 3 ? floor(3 * bnre_rng_uniform(&rng))
                               : z + 20 * (z > 0);
    }
    qsort(value, rows, sizeof *value, by_value);
}

static void maps_are_monotone_smooth_and_invertible(void **state)
{
    static double value[MOST];
    bnre__sample_map map;

    (void)state;
    for (size_t kind = 0; kind < 5; kind++)
        for (size_t rows = 50; rows <= MOST; rows *= 10) {
            double before = -1, slope;

            draw(kind, rows, value);
            bnre__sample_map_init(&map, rows, value);
            assert_close(bnre__sample_map_of(&map, value[0], NULL), 0, 1e-12);
            assert_close(bnre__sample_map_of(&map, value[rows - 1], NULL), 1,
                         1e-12);
            for (size_t i = 0; i <= 200; i++) {
                const double c = (double)i / 200;
                const double at = bnre__sample_map_value(&map, c);
                const double c0 = bnre__sample_map_of(&map, at, &slope);
                const double h = 1e-9 / slope;
                const double up = bnre__sample_map_of(&map, at + h, NULL),
                             down = bnre__sample_map_of(&map, at - h, NULL);

                assert_true(at >= value[0] && at <= value[rows - 1]);
                assert_close(c0, c, 1e-7);
                assert_true(c > before && slope > 0);
                before = c;
                if (at - h > value[0] && at + h < value[rows - 1])
                    assert_close((up - down) / (2 * h), slope, 1e-2 * slope);
            }
        }
}

/* Of normal draws it is what the formula says, and out in the tail still one
   that separates values: 3.3 and 3.1 standard deviations lie farther apart than
   a hundredth of the line. */
static void tails_are_stretched(void **state)
{
    static double value[MOST];
    bnre__sample_map map;
    const double far = log(2 * (double)MOST - 1);

    (void)state;
    draw(0, MOST, value);
    bnre__sample_map_init(&map, MOST, value);
    for (double z = -2; z <= 2; z += 0.25) {
        const double share = 0.5 * erfc(-z / sqrt(2));
        const double l = (log(share) - log(1 - share) + far) / (2 * far);

        assert_close(bnre__sample_map_of(&map, 1e3 + z, NULL), (share + l) / 2,
                     0.01);
    }
    assert_true(bnre__sample_map_of(&map, 1e3 + 3.3, NULL) -
                    bnre__sample_map_of(&map, 1e3 + 3.1, NULL) >
                0.01);
}

static void two_draws_are_enough(void **state)
{
    const double two[] = {3, 4};
    bnre__sample_map map;

    (void)state;
    bnre__sample_map_init(&map, 2, two);
    assert_close(bnre__sample_map_of(&map, 3.5, NULL), 0.5, 1e-9);
    assert_close(bnre__sample_map_value(&map, 0), 3, 1e-9);
    assert_close(bnre__sample_map_value(&map, 1), 4, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_monotone_smooth_and_invertible),
        cmocka_unit_test(tails_are_stretched),
        cmocka_unit_test(two_draws_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
