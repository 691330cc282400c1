/* Scalers: what they are fitted to, what they map to, and their derivative. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/rng.h"
#include "data/scaler.h"
#include "support.h"

enum { ROWS = 4001, COLUMNS = 5 };

/* Columns: normal(3, 2); a constant; log-normal with a long tail; mostly 0,
   sometimes 1; normal(0, 1e-3) around 1e6. */
static double *make_rows(void)
{
    double *rows = calloc(ROWS * COLUMNS, sizeof *rows);

    for (size_t i = 0; i < ROWS; i++) {
        bnre_rng rng = bnre_rng_stream(80, 0, i);
        double *row = rows + i * COLUMNS;

        row[0] = 3 + 2 * bnre_rng_normal(&rng);
        row[1] = -7.5;
        row[2] = exp(2 * bnre_rng_normal(&rng));
        row[3] = bnre_rng_uniform(&rng) < 0.1;
        row[4] = 1e6 + 1e-3 * bnre_rng_normal(&rng);
    }
    return rows;
}

static const size_t one[] = {COLUMNS};

static bnre__scaler_spec plain(void)
{
    return (bnre__scaler_spec){
        .by = BNRE__SCALE_ELEMENT, .ndim = 1, .shape = one};
}

static void columns_are_standardised(void **state)
{
    const bnre__scaler_spec spec = plain();
    bnre__scaler scaler = {0};
    double *rows = make_rows();
    float *z = calloc(ROWS * COLUMNS, sizeof *z);
    double sum = 0, squares = 0;

    (void)state;
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows));
    assert_int_equal(scaler.columns, COLUMNS);
    /* Standard errors of median and quartiles: 0.04 and 0.05 at sd 2. */
    assert_close(scaler.location[0], 3, 0.2);
    assert_close(scaler.scale[0], 2, 0.1);
    assert_close(scaler.scale[4], 1e-3, 1e-4);
    assert_true(scaler.scale[1] == 1 && scaler.location[1] == -7.5);
    assert_int_equal(scaler.flags[0], 0);
    assert_int_equal(scaler.flags[1], BNRE__SCALED_CONSTANT);
    assert_int_equal(scaler.flags[2], BNRE__SCALED_ASINH);
    assert_close(scaler.scale[3], 0.3, 0.02); /* sqrt(0.09) */
    assert_int_equal(bnre__scaler_count(&scaler, BNRE__SCALED_CONSTANT), 1);
    bnre__scaler_apply_f64(&scaler, ROWS, rows, z, NULL);
    for (size_t i = 0; i < ROWS; i++) {
        sum += (double)z[i * COLUMNS] / ROWS;
        squares += (double)(z[i * COLUMNS] * z[i * COLUMNS]) / ROWS;
        assert_true(z[i * COLUMNS + 1] == 0);
        assert_true(fabs((double)z[i * COLUMNS + 2]) < 12);
    }
    assert_close(sum, 0, 0.1);
    assert_close(squares, 1, 0.1);
    bnre__scaler_clear(&scaler);
    free(z);
    free(rows);
}

/* Mean and standard deviation follow a single value; medians do not. */
static void one_wild_value_changes_nothing(void **state)
{
    const bnre__scaler_spec spec = plain();
    bnre__scaler scaler[2] = {{0}, {0}};
    double *rows = make_rows();

    (void)state;
    assert_ok(bnre__scaler_fit_f64(&scaler[0], &spec, ROWS, rows));
    rows[0] = 1e30;
    assert_ok(bnre__scaler_fit_f64(&scaler[1], &spec, ROWS, rows));
    assert_close(scaler[1].location[0], scaler[0].location[0], 1e-2);
    assert_close(scaler[1].scale[0], scaler[0].scale[0], 1e-2);
    assert_int_equal(scaler[1].flags[0], BNRE__SCALED_ASINH);
    bnre__scaler_clear(&scaler[0]);
    bnre__scaler_clear(&scaler[1]);
    free(rows);
}

static void logarithms_come_first(void **state)
{
    const uint8_t log_of[COLUMNS] = {0, 0, 1, 0, 0};
    bnre__scaler_spec spec = plain();
    bnre__scaler scaler = {0};
    double *rows = make_rows();
    double twice[COLUMNS], slope[COLUMNS];
    float z[2][COLUMNS];

    (void)state;
    spec.log = log_of;
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows));
    assert_int_equal(scaler.flags[2], BNRE__SCALED_LOG);
    assert_close(scaler.location[2], 0, 0.2);
    assert_close(scaler.scale[2], 2, 0.15);
    /* A factor is a shift. */
    memcpy(twice, rows, sizeof twice);
    twice[2] *= 2;
    bnre__scaler_apply_f64(&scaler, 1, rows, z[0], NULL);
    bnre__scaler_apply_f64(&scaler, 1, twice, z[1], NULL);
    assert_close((double)(z[1][2] - z[0][2]), log(2) / scaler.scale[2], 1e-6);
    /* What has no logarithm gets a finite place. */
    twice[2] = 0;
    bnre__scaler_apply_f64(&scaler, 1, twice, z[1], slope);
    assert_true(isfinite(z[1][2]) && slope[2] == 0);
    bnre__scaler_clear(&scaler);
    free(rows);
}

static void wrong_values_are_named(void **state)
{
    const uint8_t log_of[COLUMNS] = {0, 0, 1, 0, 0};
    const char *const name[COLUMNS] = {"a", "b", "rate", "d", "e"};
    bnre__scaler_spec spec = plain();
    bnre__scaler scaler = {0};
    double *rows = make_rows();
    float x[2 * COLUMNS];

    (void)state;
    spec.log = log_of;
    spec.name = name;
    rows[7 * COLUMNS + 2] = 0;
    assert_fails(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows), BNRE_ENUM,
                 "row 7: rate ... 0 ... no logarithm");
    assert_null(scaler.location);
    rows[7 * COLUMNS + 2] = 1;
    rows[9 * COLUMNS] = NAN;
    assert_fails(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows), BNRE_ENUM,
                 "row 9: a is ");
    rows[9 * COLUMNS] = 1;
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows));
    assert_ok(bnre__scaler_check_f64(&scaler, &spec, 0, ROWS, rows));
    rows[3 * COLUMNS + 2] = -1;
    assert_fails(bnre__scaler_check_f64(&scaler, &spec, 100, 4, rows),
                 BNRE_ENUM, "row 103: rate is -1");
    for (size_t j = 0; j < 2 * COLUMNS; j++)
        x[j] = 1;
    x[COLUMNS + 4] = INFINITY;
    spec.name = NULL;
    assert_fails(bnre__scaler_check_f32(&scaler, &spec, 0, 2, x), BNRE_ENUM,
                 "row 1: x[4] is inf");
    assert_fails(bnre__scaler_fit_f64(&scaler, &spec, 0, rows), BNRE_EINVAL,
                 "no rows");
    bnre__scaler_clear(&scaler);
    free(rows);
}

static void the_derivative_matches_differences(void **state)
{
    const uint8_t log_of[COLUMNS] = {0, 0, 0, 0, 1};
    bnre__scaler_spec spec = plain();
    bnre__scaler scaler = {0};
    double *rows = make_rows();

    (void)state;
    spec.log = log_of;
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows));
    for (size_t i = 0; i < 50; i++) {
        double *row = rows + i * COLUMNS, slope[COLUMNS], junk[COLUMNS];
        float up[COLUMNS], down[COLUMNS], z[COLUMNS];

        bnre__scaler_apply_f64(&scaler, 1, row, z, slope);
        for (size_t j = 0; j < COLUMNS; j++) {
            const double keep = row[j],
                         h = 1e-3 * scaler.scale[j] * (j == 4 ? keep : 1);

            row[j] = keep + h;
            bnre__scaler_apply_f64(&scaler, 1, row, up, junk);
            row[j] = keep - h;
            bnre__scaler_apply_f64(&scaler, 1, row, down, junk);
            row[j] = keep;
            /* Differences of floats: 1e-7 of |z| over 2e-3. */
            assert_close(slope[j] * h * 1e3,
                         ((double)up[j] - (double)down[j]) * 500, 2e-3);
        }
    }
    bnre__scaler_clear(&scaler);
    free(rows);
}

static void maps_are_monotone(void **state)
{
    const bnre__scaler_spec spec = plain();
    bnre__scaler scaler = {0};
    double *rows = make_rows(), row[COLUMNS];
    float z[2][COLUMNS];

    (void)state;
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows));
    for (size_t j = 0; j < COLUMNS; j++)
        row[j] = -1e12;
    bnre__scaler_apply_f64(&scaler, 1, row, z[0], NULL);
    for (double v = -9e11; v < 1e12; v += 1e11) {
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] = v;
        bnre__scaler_apply_f64(&scaler, 1, row, z[1], NULL);
        for (size_t j = 0; j < COLUMNS; j++)
            assert_true(z[1][j] > z[0][j]);
        memcpy(z[0], z[1], sizeof z[0]);
    }
    for (size_t j = 0; j < COLUMNS; j++)
        row[j] = DBL_MAX;
    bnre__scaler_apply_f64(&scaler, 1, row, z[1], NULL);
    for (size_t j = 0; j < COLUMNS; j++)
        assert_true(isfinite(z[1][j]) && z[1][j] > z[0][j]);
    bnre__scaler_clear(&scaler);
    free(rows);
}

/* x of shape (2, 3, 4), where element (c, r, f) is around 100 c + f. */
static void channels_and_features_share_constants(void **state)
{
    enum { N = 500, SIZE = 24 };
    const size_t shape[] = {2, 3, 4};
    bnre__scaler_spec spec = {.ndim = 3, .shape = shape};
    bnre__scaler scaler = {0};
    float *x = calloc(N * SIZE, sizeof *x), *z = calloc(N * SIZE, sizeof *z);

    (void)state;
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(81, 0, i);

        for (size_t j = 0; j < SIZE; j++)
            x[i * SIZE + j] =
                (float)(100.0 * (double)(j / 12) + (double)(j % 4) +
                        0.01 * bnre_rng_normal(&rng));
    }
    spec.by = BNRE__SCALE_CHANNEL;
    assert_ok(bnre__scaler_fit_f32(&scaler, &spec, N, x));
    assert_int_equal(scaler.columns, 2);
    assert_int_equal(scaler.inner, 12);
    assert_close(scaler.location[0], 1.5, 0.6);
    assert_close(scaler.location[1], 101.5, 0.6);
    spec.by = BNRE__SCALE_FEATURE;
    assert_ok(bnre__scaler_fit_f32(&scaler, &spec, N, x));
    assert_int_equal(scaler.columns, 4);
    assert_int_equal(scaler.inner, 1);
    assert_close(scaler.scale[2], 100 / 1.349, 1);
    bnre__scaler_apply_f32(&scaler, N, x, z);
    for (size_t j = 0; j < SIZE; j++)
        assert_close((double)z[j],
                     ((double)x[j] - scaler.location[j % 4]) /
                         scaler.scale[j % 4],
                     1e-6);
    bnre__scaler_apply_f32(&scaler, N, x, x);
    assert_memory_equal(x, z, N * SIZE * sizeof *x);
    bnre__scaler_clear(&scaler);
    free(z);
    free(x);
}

static void none_is_the_identity_but_for_logarithms(void **state)
{
    const uint8_t log_of[COLUMNS] = {0, 0, 1, 0, 0}, no[COLUMNS] = {0};
    bnre__scaler_spec spec = plain();
    bnre__scaler scaler = {0};
    double *rows = make_rows(), slope[COLUMNS];
    float z[COLUMNS];

    (void)state;
    spec.by = BNRE__SCALE_NONE;
    spec.log = no;
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows));
    assert_int_equal(scaler.columns, 0);
    bnre__scaler_apply_f64(&scaler, 1, rows, z, slope);
    for (size_t j = 0; j < COLUMNS; j++)
        assert_true(z[j] == (float)rows[j] && slope[j] == 1);
    spec.log = log_of;
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, ROWS, rows));
    bnre__scaler_apply_f64(&scaler, 1, rows, z, slope);
    for (size_t j = 0; j < COLUMNS; j++)
        assert_true(z[j] == (float)(j == 2 ? log(rows[j]) : rows[j]));
    bnre__scaler_clear(&scaler);
    free(rows);
}

static void a_mixed_column_is_refused(void **state)
{
    const size_t shape[] = {1, 2};
    const uint8_t log_of[] = {0, 1};
    const bnre__scaler_spec spec = {
        .by = BNRE__SCALE_CHANNEL, .ndim = 2, .shape = shape, .log = log_of};
    const float x[] = {1, 2};
    bnre__scaler scaler = {0};

    (void)state;
    assert_fails(bnre__scaler_fit_f32(&scaler, &spec, 1, x), BNRE_EINVAL,
                 "disagree");
}

/* Rows that are many are looked at evenly; the result is near that of all. */
static void many_rows_are_sampled_evenly(void **state)
{
    enum { N = 100000 };
    const size_t shape[] = {1};
    const bnre__scaler_spec spec = {
        .by = BNRE__SCALE_ELEMENT, .ndim = 1, .shape = shape};
    double *rows = calloc(N, sizeof *rows);
    bnre__scaler scaler = {0};

    (void)state;
    for (size_t i = 0; i < N; i++)
        rows[i] = (double)i;
    assert_int_equal(bnre__scaler_rows(N, 1), BNRE__SCALER_ROWS);
    assert_int_equal(bnre__scaler_rows(100, 1 << 20), 64);
    assert_int_equal(bnre__scaler_rows(10, 1 << 20), 10);
    assert_ok(bnre__scaler_fit_f64(&scaler, &spec, N, rows));
    assert_close(scaler.location[0], N / 2.0, 1e-3);
    assert_close(scaler.scale[0], N / 2.0 / 1.349, 1e-3);
    bnre__scaler_clear(&scaler);
    free(rows);
}

static void summaries_hold_extremes_and_quantiles(void **state)
{
    enum { N = 50000 };
    bnre__summary summary = {0};
    float *x = calloc(2 * N, sizeof *x);
    const double more[] = {-5, 3};

    (void)state;
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = (float)i;
        x[2 * i + 1] = 3;
    }
    assert_ok(bnre__summary_fit(&summary, N, 2, x));
    for (size_t k = 0; k < BNRE__LEVELS; k++) {
        assert_close((double)summary.value[2 * k],
                     bnre__summary_level[k] * (N - 1), 5e-4 * N);
        assert_true(summary.value[2 * k + 1] == 3);
    }
    assert_true(summary.value[0] == 0);
    assert_true(summary.value[2 * (BNRE__LEVELS - 1)] == N - 1);
    bnre__summary_extend(&summary, 1, more);
    assert_true(summary.value[0] == -5);
    assert_fails(bnre__summary_fit(&summary, 0, 2, x), BNRE_EINVAL, "no rows");
    bnre__summary_clear(&summary);
    free(x);
}

static bnre_status fit_both(void *arg)
{
    const bnre__scaler_spec spec = plain();
    const float x[2 * COLUMNS] = {0, 1, 2, 3, 4, 5};
    bnre_status status = BNRE_OK;
    bnre__summary summary = {0};
    bnre__scaler scaler = {0};

    (void)arg;
    BNRE_TRY(bnre__scaler_fit_f32(&scaler, &spec, 2, x));
    BNRE_TRY(bnre__summary_fit(&summary, 2, COLUMNS, x));
done:
    bnre__summary_clear(&summary);
    bnre__scaler_clear(&scaler);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(fit_both, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_standardised),
        cmocka_unit_test(one_wild_value_changes_nothing),
        cmocka_unit_test(logarithms_come_first),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(the_derivative_matches_differences),
        cmocka_unit_test(maps_are_monotone),
        cmocka_unit_test(channels_and_features_share_constants),
        cmocka_unit_test(none_is_the_identity_but_for_logarithms),
        cmocka_unit_test(a_mixed_column_is_refused),
        cmocka_unit_test(many_rows_are_sampled_evenly),
        cmocka_unit_test(summaries_hold_extremes_and_quantiles),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
