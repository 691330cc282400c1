#include <math.h>
#include <string.h>

#include "posterior/cholesky.h"
#include "posterior/mixture.h"
#include "support.h"

enum { N = 2000 };

static void a_factor_gives_its_matrix_back(void **state)
{
    const double a[] = {4, 0, 0, 2, 5, 0, -1, 0.5, 3};
    const double x[] = {1, 2, 3}, y[] = {0.5, 0, -1};
    double factor[9], log_det, square;

    (void)state;
    assert_true(bnre__cholesky(3, a, factor, &log_det));
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t k = 0; k < 3; k++)
                sum += factor[i * 3 + k] * factor[j * 3 + k];
            assert_close(sum, a[i * 3 + j], 1e-14);
        }
    /* determinant 4 (15 - 1/4) - 2 (6 + 1/2) - (1 + 5) = 40 */
    assert_close(log_det, 0.5 * log(40), 1e-14);
    /* d = (1/2, 2, 4): A v = d has v = (-0.2125, 0.3475, 1.2045...) */
    square = bnre__cholesky_distance(3, factor, x, y);
    {
        /* Cramer's rule, symmetric A, d' A^-1 d */
        const double inverse[] = {14.75, -6.5, 6, -6.5, 11, -4, 6, -4, 16};
        const double d[] = {0.5, 2, 4};
        double expected = 0;

        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                expected += d[i] * inverse[i * 3 + j] * d[j] / 40;
        assert_close(square, expected, 1e-13);
    }
    {
        const double bad[] = {1, 0, 2, 1};

        assert_false(bnre__cholesky(2, bad, factor, &log_det));
    }
}

/* Three clouds in the plane are found with their weights and shapes. */
static void clouds_are_found(void **state)
{
    static const double centre[3][2] = {{0, 0}, {6, 0}, {0, 9}};
    static double z[N * 2];
    static unsigned char belongs[N];
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre__mixture mixture = {0};
    size_t found[3] = {0};

    (void)state;
    for (size_t k = 0; k < N; k++) {
        const size_t c = k % 4 < 2 ? 0 : k % 4 - 1;
        const double a = bnre_rng_normal(&rng), b = bnre_rng_normal(&rng);

        z[2 * k] = centre[c][0] + a;
        z[2 * k + 1] = centre[c][1] + 0.8 * a + 0.6 * b;
    }
    assert_ok(bnre__mixture_init(&mixture, 2));
    assert_ok(bnre__mixture_fit(&mixture, N, z, &rng, belongs));
    assert_int_equal(mixture.count, 3);
    for (size_t c = 0; c < 3; c++) {
        const double *f = mixture.factor + 4 * c;
        size_t which = 0;

        for (size_t i = 1; i < 3; i++)
            if (hypot(mixture.mean[2 * c] - centre[i][0],
                      mixture.mean[2 * c + 1] - centre[i][1]) <
                hypot(mixture.mean[2 * c] - centre[which][0],
                      mixture.mean[2 * c + 1] - centre[which][1]))
                which = i;
        found[which]++;
        assert_close(mixture.weight[c], which == 0 ? 0.5 : 0.25, 0.01);
        assert_close(mixture.mean[2 * c], centre[which][0], 0.2);
        assert_close(mixture.mean[2 * c + 1], centre[which][1], 0.2);
        assert_close(f[0], 1, 0.1);
        assert_close(f[2], 0.8, 0.1);
        assert_close(f[3], 0.6, 0.1);
    }
    assert_true(found[0] == 1 && found[1] == 1 && found[2] == 1);
    for (size_t k = 0; k < N; k++) /* neighbours in the cycle of four */
        assert_int_equal(belongs[k], belongs[k % 4]);
    bnre__mixture_clear(&mixture);
}

/* In one dimension the density integrates to 1, and its integral makes draws
   uniform; p < 1e-5. */
static void draws_follow_the_density(void **state)
{
    enum { GRID = 40000 };
    static double z[N], u[N], cdf[GRID + 1];
    static unsigned char belongs[N];
    bnre_rng rng = bnre_rng_stream(2, 0, 0);
    bnre__mixture mixture = {0};
    const double low = -100, step = 200.0 / GRID;

    (void)state;
    for (size_t k = 0; k < N; k++)
        z[k] = k % 3 == 0 ? -4 + 0.5 * bnre_rng_normal(&rng)
                          : 2 + 1.5 * bnre_rng_normal(&rng);
    assert_ok(bnre__mixture_init(&mixture, 1));
    assert_ok(bnre__mixture_fit(&mixture, N, z, &rng, belongs));
    for (size_t i = 0; i < GRID; i++) {
        const double at = low + step * ((double)i + 0.5);

        cdf[i + 1] =
            cdf[i] + step * exp(bnre__mixture_log_density(&mixture, &at));
    }
    assert_close(cdf[GRID], 1, 1e-6);
    for (size_t k = 0; k < N; k++) {
        double value, place;

        bnre__mixture_draw(&mixture, &rng, &value);
        place = fmin(fmax((value - low) / step, 0), GRID - 1);
        u[k] =
            cdf[(size_t)place] + (cdf[(size_t)place + 1] - cdf[(size_t)place]) *
                                     (place - floor(place));
    }
    assert_true(ks_uniform_pvalue(N, u) > 1e-5);
    bnre__mixture_clear(&mixture);
}

/* Draws in three dimensions have the covariance of the component, times that
   of a t distribution with 5 degrees of freedom, 5/3. */
static void draws_have_the_shape_of_their_component(void **state)
{
    enum { DRAWS = 40000 };
    static double z[N * 3];
    static unsigned char belongs[N];
    bnre_rng rng = bnre_rng_stream(3, 0, 0);
    bnre__mixture mixture = {0};
    double sum[9] = {0}, common[9];

    (void)state;
    for (size_t k = 0; k < N; k++) {
        z[3 * k] = bnre_rng_normal(&rng);
        z[3 * k + 1] = 2 * z[3 * k] + bnre_rng_normal(&rng);
        z[3 * k + 2] = z[3 * k + 1] - z[3 * k] + bnre_rng_normal(&rng);
    }
    assert_ok(bnre__mixture_init(&mixture, 3));
    assert_ok(bnre__mixture_fit(&mixture, N, z, &rng, belongs));
    assert_int_equal(mixture.count, 1);
    assert_ok(bnre__mixture_common_factor(&mixture, common));
    for (size_t i = 0; i < 9; i++)
        assert_close(common[i], mixture.factor[i], 1e-12);
    for (size_t k = 0; k < DRAWS; k++) {
        double one[3];

        bnre__mixture_draw(&mixture, &rng, one);
        for (size_t i = 0; i < 9; i++)
            sum[i] += (one[i / 3] - mixture.mean[i / 3]) *
                      (one[i % 3] - mixture.mean[i % 3]) / DRAWS;
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            double exact = 0;

            for (size_t k = 0; k < 3; k++)
                exact += mixture.factor[3 * i + k] * mixture.factor[3 * j + k];
            assert_close(sum[3 * i + j], 5.0 / 3 * exact, 0.1);
        }
    bnre__mixture_clear(&mixture);
}

/* Few points, or the same one again and again: something to draw from still. */
static void any_points_will_do(void **state)
{
    static double z[40];
    static unsigned char belongs[20];
    bnre_rng rng = bnre_rng_stream(4, 0, 0);
    bnre__mixture mixture = {0};

    (void)state;
    assert_ok(bnre__mixture_init(&mixture, 2));
    for (size_t n = 1; n <= 20; n++)
        for (int same = 0; same < 2; same++) {
            double one[2];

            for (size_t k = 0; k < 2 * n; k++)
                z[k] = same ? 3 : bnre_rng_normal(&rng);
            assert_ok(bnre__mixture_fit(&mixture, n, z, &rng, belongs));
            bnre__mixture_draw(&mixture, &rng, one);
            assert_true(isfinite(one[0]) && isfinite(one[1]));
            assert_true(isfinite(bnre__mixture_log_density(&mixture, one)));
        }
    bnre__mixture_clear(&mixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_gives_its_matrix_back),
        cmocka_unit_test(clouds_are_found),
        cmocka_unit_test(draws_follow_the_density),
        cmocka_unit_test(draws_have_the_shape_of_their_component),
        cmocka_unit_test(any_points_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
