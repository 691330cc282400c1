/* The same arrays in every format, and what files without names hold. */
#include "io/store/store.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/file.h"
#include "io/h5.h"
#include "io/npy.h"
#include "support.h"

enum { ROWS = 70, COLS = 2, SIZE = 6 };

static const char *const parameters[COLS] = {"rate", "size"};
static double theta[ROWS][COLS], x[ROWS][SIZE];

static void fill(void)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++)
            theta[i][j] = 0.1 * i + j;
        for (int j = 0; j < SIZE; j++)
            x[i][j] = 2459000 + i / 7.0 - j;
    }
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_h5(const char *path)
{
    bnre__h5_writer *writer;
    size_t id;

    assert_ok(bnre__h5_writer_create(path, 10, 500, &writer));
    assert_ok(bnre__h5_writer_text(writer, "/", "task", "name: a"));
    assert_ok(bnre__h5_writer_int(writer, "/", "answer", 42));
    assert_ok(bnre__h5_writer_array(writer, "theta", 'f', 8, 2,
                                    (size_t[]){ROWS, COLS}, &id));
    assert_ok(bnre__h5_writer_rows(writer, id, 0, ROWS, theta));
    assert_ok(
        bnre__h5_writer_texts(writer, "theta", "names", COLS, parameters));
    assert_ok(bnre__h5_writer_array(writer, "x", 'f', 8, 3,
                                    (size_t[]){ROWS, 3, 2}, &id));
    assert_ok(bnre__h5_writer_rows(writer, id, 0, ROWS, x));
    assert_ok(bnre__h5_writer_commit(writer));
}

static void write_npz(const char *path)
{
    static const char record[] = "task: 'name: a'\nanswer: 42\n"
                                 "theta: [rate, size]\n";
    bnre__file *file;
    bnre__npz *npz;

    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npz_begin(file, &npz));
    assert_ok(
        bnre__npz_member(npz, "theta", 'f', 8, 2, (size_t[]){ROWS, COLS}));
    assert_ok(bnre__npz_write(npz, theta, sizeof theta));
    assert_ok(bnre__npz_member(npz, "x", 'f', 8, 3, (size_t[]){ROWS, 3, 2}));
    assert_ok(bnre__npz_write(npz, x, sizeof x));
    assert_ok(bnre__npz_member(npz, "bnre", 'S', strlen(record), 0, NULL));
    assert_ok(bnre__npz_write(npz, record, strlen(record)));
    assert_ok(bnre__npz_end(npz));
    assert_ok(bnre__file_commit(file));
    bnre__npz_destroy(npz);
}

static void write_npy(const char *path, size_t ndim, const size_t *shape,
                      const void *data, size_t bytes)
{
    bnre__file *file;

    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npy_write_header(file, 'f', 8, ndim, shape));
    assert_ok(bnre__file_write(file, data, bytes));
    assert_ok(bnre__file_commit(file));
}

/* Columns of x come in another order than their indices. */
static void write_csv(const char *path)
{
    static const int order[SIZE] = {5, 0, 3, 1, 4, 2};
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "theta.rate,theta.size");
    for (int j = 0; j < SIZE; j++)
        fprintf(file, ",x.%d.%d", order[j] / 2, order[j] % 2);
    fprintf(file, "\n");
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "%.17g,%.17g", theta[i][0], theta[i][1]);
        for (int j = 0; j < SIZE; j++)
            fprintf(file, ",%.17g", x[i][order[j]]);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void assert_names(bnre__array *array, int named)
{
    char **name;
    size_t n;

    assert_ok(bnre__array_names(array, &n, &name));
    assert_int_equal(n, named ? COLS : 0);
    for (size_t j = 0; j < n; j++)
        assert_string_equal(name[j], parameters[j]);
    bnre__texts_free(n, name);
}

static void assert_rows(bnre__array *array, size_t size, const double *all)
{
    static const size_t range[][2] = {{0, ROWS}, {69, 1},   {3, 17},
                                      {0, 0},    {ROWS, 0}, {1, 1}};
    double f64[ROWS * SIZE];
    float f32[ROWS * SIZE];

    for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
        const size_t first = range[k][0], n = range[k][1];

        assert_ok(bnre__array_read(array, 'f', 8, first, n, f64));
        assert_memory_equal(f64, all + first * size, n * size * sizeof *f64);
        assert_ok(bnre__array_read(array, 'f', 4, first, n, f32));
        for (size_t i = 0; i < n * size; i++)
            assert_true(f32[i] == (float)all[first * size + i]);
    }
    assert_fails(bnre__array_read(array, 'f', 8, ROWS, 1, f64), BNRE_EINVAL,
                 "rows 70 to 71");
    assert_fails(bnre__array_read(array, 'f', 8, SIZE_MAX, 2, f64), BNRE_EINVAL,
                 "");
}

static void assert_sample(const char *path, const char *format, int named,
                          int told)
{
    const bnre__array_info *info;
    bnre__store *store;
    bnre__array *array;
    const char *found;
    char *text;
    int64_t answer = 0;
    int there;

    assert_ok(bnre__store_format(path, &found));
    assert_string_equal(found, format);
    assert_ok(bnre__store_open(path, NULL, &store));
    assert_ok(bnre__store_find(store, "theta", &array));
    assert_non_null(array);
    info = bnre__array_describe(array);
    assert_int_equal(info->rows, ROWS);
    assert_int_equal(info->row_size, COLS);
    assert_names(array, named);
    assert_rows(array, COLS, &theta[0][0]);
    assert_ok(bnre__store_find(store, "x", &array));
    assert_non_null(array);
    info = bnre__array_describe(array);
    assert_int_equal(info->ndim, 3);
    assert_int_equal(info->shape[1], 3);
    assert_int_equal(info->shape[2], 2);
    assert_names(array, 0);
    assert_rows(array, SIZE, &x[0][0]);
    assert_ok(bnre__store_find(store, "nuisance", &array));
    assert_null(array);
    assert_ok(bnre__store_text(store, "task", &text));
    assert_true(told ? strcmp(text, "name: a") == 0 : text == NULL);
    bnre__free(text);
    assert_ok(bnre__store_text(store, "seed", &text));
    assert_null(text);
    assert_ok(bnre__store_int(store, "answer", &there, &answer));
    assert_int_equal(there, told);
    assert_int_equal(answer, told ? 42 : 0);
    assert_null(bnre__store_stranger(store, 2, (const char *[]){"x", "theta"}));
    bnre__store_close(store);
}

static void every_format_gives_the_same_arrays(void **state)
{
    char pair[600];

    (void)state;
    fill();
    write_h5(scratch_path("a.h5"));
    write_npz(scratch_path("a.npz"));
    write_csv(scratch_path("a.csv"));
    write_npy(scratch_path("t.npy"), 2, (size_t[]){ROWS, COLS}, theta,
              sizeof theta);
    write_npy(scratch_path("x.npy"), 3, (size_t[]){ROWS, 3, 2}, x, sizeof x);
    snprintf(pair, sizeof pair, "%s,", scratch_path("t.npy"));
    strcat(pair, scratch_path("x.npy"));
    assert_sample(scratch_path("a.h5"), "HDF5", 1, 1);
    assert_sample(scratch_path("a.npz"), "npz", 1, 1);
    assert_sample(scratch_path("a.csv"), "CSV", 1, 0);
    assert_sample(pair, "npy", 0, 0);
}

/* The values of a store with one array, and its names joined. */
static void assert_sole(const char *path, const char *sole, const char *names,
                        size_t rows, size_t size, const double *values)
{
    bnre__store *store;
    bnre__array *array;
    double f64[32];
    char **name, joined[64] = "";
    size_t n;

    assert_ok(bnre__store_open(path, sole, &store));
    assert_ok(bnre__store_find(store, sole, &array));
    assert_non_null(array);
    assert_int_equal(bnre__array_describe(array)->rows, rows);
    assert_int_equal(bnre__array_describe(array)->row_size, size);
    assert_ok(bnre__array_read(array, 'f', 8, 0, rows, f64));
    assert_memory_equal(f64, values, rows * size * sizeof *f64);
    assert_ok(bnre__array_names(array, &n, &name));
    for (size_t i = 0; i < n; i++)
        strcat(strcat(joined, i > 0 ? " " : ""), name[i]);
    assert_string_equal(joined, names);
    bnre__texts_free(n, name);
    bnre__store_close(store);
}

static void an_array_without_a_name_is_the_sole_one(void **state)
{
    static const double six[] = {1, 2, 3, 4, 5, 6}, odd[] = {1, 3, 4, 6};
    static const double column[] = {2, 5};
    const char *csv = scratch_path("s.csv"), *npy = scratch_path("s.npy");
    bnre__store *store;

    (void)state;
    put_text(csv, "1,2,3\n4,5,6\n");
    assert_sole(csv, "theta", "0 1 2", 2, 3, six);
    assert_sole(csv, "x", "", 2, 3, six); /* they are in place */
    assert_fails(bnre__store_open(csv, NULL, &store), BNRE_EFORMAT,
                 "column names");
    put_text(csv, "a,status,x\n1,2,3\n4,5,6\n");
    assert_sole(csv, "x", "a x", 2, 2, odd);
    assert_sole(csv, "theta", "a", 2, 1, (double[]){1, 4});
    put_text(csv, "a,theta.b,x.c\n1,2,3\n4,5,6\n");
    assert_sole(csv, "theta", "b", 2, 1, column);
    write_npy(npy, 2, (size_t[]){2, 3}, six, sizeof six);
    assert_sole(npy, "samples", "", 2, 3, six);
    assert_fails(bnre__store_open(npy, NULL, &store), BNRE_EFORMAT,
                 "theta.npy,x.npy");
}

static void columns_that_belong_to_nothing_are_told(void **state)
{
    static const char *const names[] = {"theta", "x", "status"};
    const char *path = scratch_path("c.csv");
    bnre__store *store;
    bnre__array *array;

    (void)state;
    put_text(path, "theta.a,x.0,status,xy\n1,2,0,3\n");
    assert_ok(bnre__store_open(path, NULL, &store));
    assert_string_equal(bnre__store_stranger(store, 3, names), "xy");
    assert_ok(bnre__store_find(store, "status", &array));
    assert_int_equal(bnre__array_describe(array)->ndim, 1);
    assert_fails(bnre__array_read(array, 'u', 1, 0, 1, &(uint8_t){0}),
                 BNRE_EFORMAT, "real numbers");
    bnre__store_close(store);
}

static void indices_that_span_no_shape_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"x.0,x.2\n1,2\n", "2 columns of x ... 3"},
        {"x.0,x.00\n1,2\n", "2 columns of x ... 1"},
        {"x.0.1,x.1.0,x.1.1,x.01.1\n1,2,3,4\n", "x.01.1 is there twice"},
        {"x.1000000000.1000000000.1000000000,x.0.0.0\n1,2\n", "some are"},
    };
    const char *path = scratch_path("i.csv");

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bnre__store *store;
        bnre__array *array;

        put_text(path, bad[i].text);
        assert_ok(bnre__store_open(path, NULL, &store));
        assert_fails(bnre__store_find(store, "x", &array), BNRE_EFORMAT,
                     bad[i].message);
        assert_null(array);
        bnre__store_close(store);
    }
}

static void contents_count_more_than_names(void **state)
{
    const char *format;
    bnre__store *store;

    (void)state;
    fill();
    write_h5(scratch_path("h5.csv"));
    assert_sample(scratch_path("h5.csv"), "HDF5", 1, 1);
    write_csv(scratch_path("csv.data"));
    assert_sample(scratch_path("csv.data"), "CSV", 1, 0);
    put_text(scratch_path("no.h5"), "theta.a,x.0\n1,2\n");
    assert_fails(bnre__store_open(scratch_path("no.h5"), NULL, &store),
                 BNRE_EFORMAT, "not an HDF5 file");
    put_text(scratch_path("no.npz"), "theta.a,x.0\n1,2\n");
    assert_fails(bnre__store_open(scratch_path("no.npz"), NULL, &store),
                 BNRE_EFORMAT, "");
    assert_fails(bnre__store_format(scratch_path("none.h5"), &format), BNRE_EIO,
                 "none.h5");
}

static bnre_status use(void *arg)
{
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    bnre__array *array;
    char **name = NULL, *text = NULL;
    size_t n = 0;

    BNRE_TRY(bnre__store_open(arg, NULL, &store));
    BNRE_TRY(bnre__store_find(store, "x", &array));
    BNRE_TRY(bnre__store_find(store, "theta", &array));
    BNRE_TRY(bnre__array_names(array, &n, &name));
    BNRE_TRY(bnre__store_text(store, "task", &text));
done:
    bnre__free(text);
    bnre__texts_free(n, name);
    bnre__store_close(store);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    static const char *const name[] = {"m.h5", "m.npz", "m.csv"};
    static void (*const write[])(const char *) = {write_h5, write_npz,
                                                  write_csv};

    (void)state;
    fill();
    for (size_t i = 0; i < 3; i++) {
        char path[300];

        snprintf(path, sizeof path, "%s", scratch_path(name[i]));
        write[i](path);
        assert_survives_lack_of_memory(use, path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_arrays),
        cmocka_unit_test(an_array_without_a_name_is_the_sole_one),
        cmocka_unit_test(columns_that_belong_to_nothing_are_told),
        cmocka_unit_test(indices_that_span_no_shape_are_refused),
        cmocka_unit_test(contents_count_more_than_names),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
