#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/writer.h"
#include "foreign_h5.h"
#include "io/file.h"
#include "sample_rows.h"
#include "support.h"

enum { ROWS = 5000 }; /* more than one block */

static void write_as(const char *path, size_t rows, int failing,
                     char fingerprint[33])
{
    bnre__rows sample = sample_rows(rows, failing);
    const bnre__format *format;

    assert_ok(bnre__format_find(path, &format));
    assert_ok(format->write(path, &sample, fingerprint));
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* All rows of a file, by blocks that start anywhere. */
static void check_rows(bnre_dataset *data, size_t rows, int failing,
                       int has_nuisance)
{
    double theta[700][SAMPLE_DIM], nuisance[700];
    double x[700][SAMPLE_X];
    uint8_t status[700];
    size_t n;

    assert_int_equal(bnre_dataset_describe(data)->rows, rows);
    for (size_t first = 0; first < rows; first += n) {
        n = rows - first < 700 ? rows - first : 700;
        assert_ok(bnre_dataset_read(data, first, n, theta[0], nuisance, x[0],
                                    status));
        for (size_t i = 0; i < n; i++)
            sample_check(first + i, failing, theta[i],
                         has_nuisance ? &nuisance[i] : NULL, x[i], status[i]);
    }
    assert_fails(bnre_dataset_read(data, rows - 1, 2, NULL, NULL, NULL, status),
                 BNRE_EINVAL, "rows");
}

static void check_description(bnre_dataset *data, const char *format,
                              int failing)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const int told = strcmp(format, "CSV") != 0;

    assert_string_equal(info->format, format);
    assert_true(info->dim_theta == 2 && info->dim_nuisance == 1);
    assert_true(info->ndim == 2 && info->shape[0] == 2 && info->shape[1] == 3);
    assert_int_equal(info->failed, failing ? (ROWS + 3) / 7 : 0);
    assert_string_equal(info->theta_name[1], "scale");
    assert_string_equal(info->nuisance_name[0], "drift");
    if (told) {
        bnre__rows sample = sample_rows(ROWS, failing);

        assert_string_equal(info->task, sample.info->task);
        assert_string_equal(info->settings, sample.info->settings);
        assert_string_equal(info->version, "9.9.9");
    } else {
        assert_null(info->task);
        assert_null(info->settings);
    }
}

/* Through every format and back, nothing is lost that the format can hold, and
   the fingerprint is the same. */
static void every_format_keeps_the_rows(void **state)
{
    static const struct {
        const char *ending, *format;
    } kinds[] = {{"h5", "HDF5"},
                 {"npz", "npz"},
                 {"csv", "CSV"},
                 {"hdf5", "HDF5"},
                 {"NPZ", "npz"}};

    (void)state;
    for (size_t k = 0; k < 2 * sizeof kinds / sizeof *kinds; k++) {
        const int failing = (int)(k % 2);
        char name[64], path[256], written[33], found[33];
        bnre_dataset *data;

        snprintf(name, sizeof name, "rows%d.%s", failing, kinds[k / 2].ending);
        snprintf(path, sizeof path, "%s", scratch_path(name));
        write_as(path, ROWS, failing, written);
        assert_ok(bnre_dataset_open(path, &data));
        check_description(data, kinds[k / 2].format, failing);
        check_rows(data, ROWS, failing, 1);
        assert_ok(bnre_dataset_fingerprint(data, found));
        assert_string_equal(found, written);
        if (bnre_dataset_describe(data)->stored_fingerprint != NULL)
            assert_string_equal(bnre_dataset_describe(data)->stored_fingerprint,
                                written);
        bnre_dataset_close(data);
    }
}

static void a_pair_of_arrays_keeps_theta_and_x(void **state)
{
    char path[512], unused[33];
    const bnre__format *format;
    bnre_dataset *data;

    (void)state;
    snprintf(path, sizeof path, "%s,%s", scratch_path("t.npy"),
             scratch_path("x.npy"));
    write_as(path, ROWS, 0, unused);
    assert_ok(bnre_dataset_open(path, &data));
    assert_string_equal(bnre_dataset_describe(data)->format, "npy");
    assert_string_equal(bnre_dataset_describe(data)->theta_name[1], "theta_1");
    check_rows(data, ROWS, 0, 0);
    bnre_dataset_close(data);
    assert_ok(bnre__format_find(path, &format));
    assert_fails(format->write(path,
                               &(bnre__rows){.info = sample_rows(9, 1).info},
                               unused),
                 BNRE_EUSAGE, ".npz");
}

static void fingerprints_tell_data_apart(void **state)
{
    char a[33], b[33];
    bnre__rows rows = sample_rows(100, 1);
    bnre_dataset_info info = *rows.info;

    (void)state;
    assert_ok(bnre__rows_fingerprint(&rows, a));
    rows = sample_rows(100, 0);
    assert_ok(bnre__rows_fingerprint(&rows, b));
    assert_string_not_equal(a, b);
    rows = sample_rows(101, 1);
    assert_ok(bnre__rows_fingerprint(&rows, b));
    assert_string_not_equal(a, b);
    rows = sample_rows(100, 1);
    info.theta_name = (const char *const[]){"rate", "size"};
    rows.info = &info;
    assert_ok(bnre__rows_fingerprint(&rows, b));
    assert_string_not_equal(a, b);
    info.theta_name = sample_rows(100, 1).info->theta_name;
    info.shape[0] = 3;
    info.shape[1] = 2;
    assert_ok(bnre__rows_fingerprint(&rows, b));
    assert_string_not_equal(a, b);
}

static void row_hashes_tell_pairs_apart(void **state)
{
    const double theta[] = {1, 2};
    const double x[] = {3, 4};
    const uint64_t hash = bnre__row_hash(2, theta, 2, x);

    (void)state;
    assert_true(hash == bnre__row_hash(2, (double[]){1, 2}, 2, x));
    assert_true(hash != bnre__row_hash(2, (double[]){1, 2.0000001}, 2, x));
    assert_true(hash != bnre__row_hash(2, theta, 2, (double[]){3, 5}));
    assert_true(hash != bnre__row_hash(1, theta, 2, x));
}

static void failures_are_counted_by_reason(void **state)
{
    char path[256], unused[33];
    bnre_dataset *data;
    bnre_failure found[8];
    size_t n, total = 0;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("failures.h5"));
    write_as(path, ROWS, 1, unused);
    assert_ok(bnre_dataset_open(path, &data));
    assert_ok(bnre_dataset_failures(data, 8, found, &n));
    assert_int_equal(n, 6); /* three reasons, each invalid or lost */
    for (size_t i = 0; i < n; i++) {
        size_t expected = 0;

        for (size_t row = 3; row < ROWS; row += 7) {
            static const char *const why[] = {"too hot", "too cold",
                                              "too hot: really"};

            expected += strcmp(why[row / 7 % 3], found[i].reason) == 0 &&
                        (row % 2 == 0) == (found[i].status == BNRE_DRAW_LOST);
        }
        assert_int_equal(found[i].count, expected);
        assert_true(i == 0 || found[i].count <= found[i - 1].count);
        total += found[i].count;
    }
    assert_int_equal(total, bnre_dataset_describe(data)->failed);
    assert_ok(bnre_dataset_failures(data, 2, found, &n));
    assert_int_equal(n, 2);
    bnre_dataset_close(data);
}

static void reasons_are_found_from_any_row(void **state)
{
    static char expected[64][BNRE_REASON_SIZE], found[64][BNRE_REASON_SIZE];
    char path[256], unused[33];
    bnre__rows sample, rows;
    bnre_dataset *data;
    uint8_t status[64];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("reasons.h5"));
    write_as(path, ROWS, 1, unused);
    assert_ok(bnre_dataset_open(path, &data));
    rows = bnre__dataset_rows(data);
    sample = sample_rows(ROWS, 1);
    for (size_t k = 0; k < 200; k++) {
        size_t first = k * 1237 % (ROWS - 64);

        assert_ok(sample.read(sample.self, first, 64, NULL, NULL, NULL, NULL,
                              expected));
        assert_ok(
            rows.read(rows.self, first, 64, NULL, NULL, NULL, status, found));
        assert_memory_equal(expected, found, sizeof expected);
    }
    bnre_dataset_close(data);
}

static void too_many_reasons_share_a_number(void **state)
{
    bnre__reasons reasons = {0};
    uint32_t number, again;
    char text[64];

    (void)state;
    for (uint32_t i = 0; i < BNRE__MAX_REASONS + 100; i++) {
        snprintf(text, sizeof text, "reason %u", i);
        assert_ok(bnre__reasons_number(&reasons, text, &number));
        assert_int_equal(number,
                         i < BNRE__MAX_REASONS ? i : BNRE__MAX_REASONS - 1);
        assert_ok(bnre__reasons_number(&reasons, text, &again));
        assert_int_equal(number, again);
    }
    assert_int_equal(reasons.count, BNRE__MAX_REASONS);
    assert_ok(bnre__reasons_number(&reasons, "reason 77", &number));
    assert_int_equal(number, 77);
    bnre__reasons_clear(&reasons);
}

static void foreign_h5_needs_only_theta_and_x(void **state)
{
    const double theta[] = {1, 2, 3, 4}, x[] = {5, 6, 7, 8, 9, 10, 11, 12};
    const char *path = scratch_path("plain.h5");
    const bnre_dataset_info *info;
    bnre_dataset *data;
    double t[4];
    double y[8];
    uint8_t status[4];

    (void)state;
    foreign_h5_array(path, "theta", 1, (size_t[]){4}, theta);
    foreign_h5_array(path, "x", 3, (size_t[]){4, 2, 1}, x);
    foreign_h5_texts(path, "theta", "names", 1, (const char *const[]){"mass"});
    assert_ok(bnre_dataset_open(path, &data));
    info = bnre_dataset_describe(data);
    assert_true(info->rows == 4 && info->dim_theta == 1 && info->ndim == 2);
    assert_string_equal(info->theta_name[0], "mass");
    assert_null(info->task);
    assert_ok(bnre_dataset_read(data, 0, 4, t, NULL, y, status));
    assert_true(t[3] == 4 && y[7] == 12 && status[2] == 0);
    bnre_dataset_close(data);
}

/* A file with these columns is refused, with such a message. */
static void refuse_csv(const char *text, bnre_status code, const char *says)
{
    const char *path = scratch_path("bad.csv");
    bnre_dataset *data;

    write_text(path, text);
    assert_fails(bnre_dataset_open(path, &data), code, says);
    assert_null(data);
}

static void columns_are_found_by_name(void **state)
{
    const char *path = scratch_path("named.csv");
    bnre_dataset *data;
    double theta[2];
    double x[4];

    (void)state;
    write_text(path, "x.1.0,theta.b,x.0.1,theta.a,x.0.0,x.1.1\n"
                     "10,2,1,3,0,11\n");
    assert_ok(bnre_dataset_open(path, &data));
    assert_ok(bnre_dataset_read(data, 0, 1, theta, NULL, x, NULL));
    assert_string_equal(bnre_dataset_describe(data)->theta_name[0], "b");
    assert_true(theta[0] == 2 && theta[1] == 3);
    assert_true(x[0] == 0 && x[1] == 1 && x[2] == 10 && x[3] == 11);
    bnre_dataset_close(data);
    write_text(path, "theta.a;x.height;x.width\n1;2;3\n");
    assert_ok(bnre_dataset_open(path, &data));
    assert_int_equal(bnre_dataset_describe(data)->x_size, 2);
    bnre_dataset_close(data);

    refuse_csv("a,b\n1,2\n", BNRE_EFORMAT, "\"a\"");
    refuse_csv("theta.a\n1\n", BNRE_EFORMAT, "no columns called x.0");
    refuse_csv("x.0\n1\n", BNRE_EFORMAT, "no columns called theta.NAME");
    refuse_csv("theta.a,x.0,x.2\n1,2,3\n", BNRE_EFORMAT, "missing");
    refuse_csv("theta.a,x.0,x.00\n1,2,3\n", BNRE_EFORMAT, "span");
    refuse_csv("theta.a,x.0,x.1,x.01\n1,2,3,4\n", BNRE_EFORMAT, "span");
    refuse_csv("theta.a,x.0,x.2,x.02\n1,2,3,4\n", BNRE_EFORMAT, "twice");
    refuse_csv("theta.a,x.0\n", BNRE_EFORMAT, "");
    refuse_csv("theta.a,x.0,status\n1,2,3\n", BNRE_EFORMAT, "status");
    refuse_csv("theta.a,x.0\n1,2\n3\n", BNRE_EFORMAT, ":3:");
    refuse_csv("theta.a,x.0\n1,2\n3,\n", BNRE_EFORMAT, "x.0");
    refuse_csv("theta.a,x.0\n1,2\nnan,2\n", BNRE_ENUM, "row 1, column a");
    refuse_csv("theta.a,x.0.0,x.0.1\n1,2,3\n1,2,inf\n", BNRE_ENUM,
               "row 1, x[0, 1] is inf");
    refuse_csv("theta.a,x.0\n1,1e39\n", BNRE_ENUM, "row 0, x[0]");
}

static void values_that_are_not_finite_are_found(void **state)
{
    static const char *const arrays[] = {"theta", "x"};
    static const char *const says[] = {"row 2, column theta_1 is nan",
                                       "row 2, x[1] is nan"};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        double value[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8},
                              {1, 2, 3, 4, 5, 6, 7, 8}};
        const char *path = scratch_path(k == 0 ? "nan0.h5" : "nan1.h5");
        bnre_dataset *data;
        double theta[8];
        double x[8];

        value[k][5] = NAN;
        for (size_t i = 0; i < 2; i++)
            foreign_h5_array(path, arrays[i], 2, (size_t[]){4, 2}, value[i]);
        assert_ok(bnre_dataset_open(path, &data));
        assert_ok(bnre_dataset_read(data, 0, 2, theta, NULL, x, NULL));
        assert_fails(bnre_dataset_read(data, 1, 3, theta, NULL, x, NULL),
                     BNRE_ENUM, says[k]);
        assert_fails(bnre_dataset_fingerprint(data, (char[33]){0}), BNRE_ENUM,
                     says[k]);
        bnre_dataset_close(data);
    }
}

/* `name` of shape `shape` beside a good theta and x is refused. */
static void refuse_h5(const char *name, size_t ndim, const size_t *shape,
                      double value, const char *says)
{
    static int count;
    const char *const good[] = {"theta", "x"};
    double data[64];
    char file[32];
    const char *path;
    bnre_dataset *opened;

    snprintf(file, sizeof file, "bad%d.h5", count++);
    path = scratch_path(file);
    for (size_t i = 0; i < 64; i++)
        data[i] = value;
    foreign_h5_array(path, name, ndim, shape, data);
    for (size_t i = 0; i < 2; i++)
        if (strcmp(name, good[i]) != 0)
            foreign_h5_array(path, good[i], 2, (size_t[]){4, 2}, data);
    assert_fails(bnre_dataset_open(path, &opened), BNRE_EFORMAT, says);
    assert_null(opened);
}

static void arrays_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    refuse_h5("x", 2, (size_t[]){3, 2}, 1, "theta has 4 rows, x has 3");
    refuse_h5("theta", 3, (size_t[]){4, 2, 2}, 1, "3 dimensions");
    refuse_h5("nuisance", 1, (size_t[]){5}, 1, "nuisance has 5");
    refuse_h5("status", 1, (size_t[]){4}, 3, "row 0 has status 3");
    refuse_h5("status", 2, (size_t[]){4, 2}, 0, "status has more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_keeps_the_rows),
        cmocka_unit_test(a_pair_of_arrays_keeps_theta_and_x),
        cmocka_unit_test(fingerprints_tell_data_apart),
        cmocka_unit_test(row_hashes_tell_pairs_apart),
        cmocka_unit_test(failures_are_counted_by_reason),
        cmocka_unit_test(reasons_are_found_from_any_row),
        cmocka_unit_test(too_many_reasons_share_a_number),
        cmocka_unit_test(foreign_h5_needs_only_theta_and_x),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(values_that_are_not_finite_are_found),
        cmocka_unit_test(arrays_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
