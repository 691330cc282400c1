
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "densities.h"
#include "output/corner.h"
#include "support.h"

enum { N = 50 };

static bnre_prior *ordered(size_t dim)
{
    const char *order = "a > b";
    bnre_prior *prior = prior_of(dim, "uniform(0, 2)");

    assert_ok(bnre_prior_constrain(prior, 1, &order));
    return prior;
}

/* Of a > b in a square of side 2 the larger has the density a / 2, the smaller
   1 - b / 2. From 16,384 draws, smoothed, each of 30 values is within 0.1 with
   more than five standard deviations to spare. */
static void constraints_shape_the_line(void **state)
{
    (void)state;
    for (size_t dim = 2; dim <= 5; dim++) {
        const double close = dim <= 3 ? 0.01 : 0.1;
        bnre_prior *prior = ordered(dim);
        bnre__prior_line *line;

        assert_ok(bnre__prior_line_create(prior, &line));
        for (size_t i = 0; i < 3 && i < dim; i++) {
            const bnre__raster raster = {i, 0, 2, N, 0};
            double density[N];

            assert_ok(bnre__prior_line_fill(line, &raster, density));
            /* Smoothing bends the ends of what comes of draws. */
            for (size_t k = 10; k < N - 10; k++) {
                const double at = bnre__raster_middle(&raster, k);

                assert_close(density[k],
                             i == 0   ? at / 2
                             : i == 1 ? 1 - at / 2
                                      : 0.5,
                             close);
            }
        }
        bnre__prior_line_destroy(line);
        bnre_prior_destroy(prior);
    }
}

/* A strip that no middle of a cell is in. */
static void what_slips_through_a_grid_is_drawn(void **state)
{
    const char *strip = "0.0005 < a - b < 0.0035";
    const bnre__raster raster = {0, 0, 1, N, 0};
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    bnre__prior_line *line;
    double density[N];

    (void)state;
    assert_ok(bnre_prior_constrain(prior, 1, &strip));
    assert_ok(bnre__prior_line_create(prior, &line));
    assert_ok(bnre__prior_line_fill(line, &raster, density));
    for (size_t k = 10; k < N - 10; k++)
        assert_close(density[k], 1, 0.2);
    bnre__prior_line_destroy(line);
    bnre_prior_destroy(prior);
}

static void without_constraints_it_is_the_density(void **state)
{
    const bnre__raster raster = {1, -2, 2, N, 0};
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    bnre__prior_line *line;
    double density[N];

    (void)state;
    assert_ok(bnre__prior_line_create(prior, &line));
    assert_ok(bnre__prior_line_fill(line, &raster, density));
    for (size_t k = 0; k < N; k++) {
        const double at = bnre__raster_middle(&raster, k);

        assert_close(density[k], exp(-0.5 * at * at) / sqrt(2 * acos(-1)),
                     1e-3);
    }
    bnre__prior_line_destroy(line);
    bnre_prior_destroy(prior);
}

/* The last column of the picture's first table: a, from 0 to 2. */
static void the_picture_has_it(void **state)
{
    bnre_prior *prior = ordered(2);
    normal_mixture target = {
        .count = 1, .weight = {1}, .mean = {{1, 1}}, .sd = {1}, .prior = prior};
    log_ratio_function function = {
        .prior = prior, .value = normal_mixture_ratio, .context = &target};
    bnre_density density = function_density(&function);
    bnre_session *session = session_for(&density, 1, NULL);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    const bnre_contour contour = {.content = 0.9, .level = 0.9};
    const bnre__corner_opts picture = {
        .contours = 1, .contour = &contour, .formats = ""};
    bnre_posterior *posterior;
    double value, of_prior;
    char path[400], line[200];
    size_t rows = 0;
    FILE *file;
    int drawn;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("corner.dat"));
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    path[strlen(path) - 4] = 0;
    assert_ok(bnre__corner_draw(posterior, path, &picture, &drawn));
    strcat(path, ".dat");
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL && *line != '\n')
        if (sscanf(line, "%lf %*f %*u %lf", &value, &of_prior) == 2) {
            assert_close(of_prior, value / 2, 0.01);
            rows++;
        }
    fclose(file);
    assert_int_equal(rows, 400);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

static bnre_status make(void *context)
{
    bnre__prior_line *line = NULL;
    bnre_status status = bnre__prior_line_create(context, &line);

    bnre__prior_line_destroy(line);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    bnre_prior *prior = ordered(2);

    (void)state;
    assert_survives_lack_of_memory(make, prior);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_shape_the_line),
        cmocka_unit_test(what_slips_through_a_grid_is_drawn),
        cmocka_unit_test(without_constraints_it_is_the_density),
        cmocka_unit_test(the_picture_has_it),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
