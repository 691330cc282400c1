#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

static const char *put_bytes(const char *text, size_t bytes)
{
    const char *path = scratch_path("data.csv");
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *put(const char *text)
{
    return put_bytes(text, strlen(text));
}

/* All of these are the same table. */
static void tables_in_any_style_are_read(void **state)
{
    static const char *const style[] = {
        "a,b c,d\n1,-2.5,3e2\n4,5,6\n",
        "a,b c,d\n1,-2.5,3e2\n4,5,6",
        "a,b c,d\r\n1,-2.5,3e2\r\n4,5,6\r\n",
        "a;b c;d\n1;-2.5;3e2\n4;5;6\n",
        "a\tb c\td\n1\t-2.5\t3e2\n4\t5\t6\n",
        ("\xef\xbb\xbf"
         "a,b c,d\n1,-2.5,3e2\n4,5,6\n"),
        " a , b c\t, d \n 1 , -2.5 ,3.0D+02\n+4.,5\t, .6d1\n",
        "\"a\",\"b c\",\"d\"\n\"1\",\"-2.5\",\"3e2\"\n\"4\" , \"5\",6\n",
        "a,b c,d\n1,-2.5,3e2\n4,5,6\n\n  \n\r\n",
    };
    const double want[6] = {1, -2.5, 300, 4, 5, 6};
    bnre__csv csv;

    (void)state;
    for (size_t i = 0; i < sizeof style / sizeof style[0]; i++) {
        assert_ok(bnre__csv_read(put(style[i]), &csv));
        assert_int_equal(csv.rows, 2);
        assert_int_equal(csv.cols, 3);
        assert_string_equal(csv.name[0], "a");
        assert_string_equal(csv.name[1], "b c");
        assert_string_equal(csv.name[2], "d");
        assert_memory_equal(csv.data, want, sizeof want);
        bnre__csv_clear(&csv);
    }
}

static void names_may_hold_anything_in_quotes(void **state)
{
    bnre__csv csv;

    (void)state;
    assert_ok(bnre__csv_read(
        put("\"x,1\",\"say \"\"hi\"\"\",\"a;b;c;d\",\" \",\xce\xb8\n"
            "1,2,3,nan,-inf\n"),
        &csv));
    assert_int_equal(csv.cols, 5);
    assert_string_equal(csv.name[0], "x,1");
    assert_string_equal(csv.name[1], "say \"hi\"");
    assert_string_equal(csv.name[2], "a;b;c;d");
    assert_string_equal(csv.name[3], " ");
    assert_string_equal(csv.name[4], "\xce\xb8");
    assert_true(isnan(csv.data[3]));
    assert_true(isinf(csv.data[4]) && csv.data[4] < 0);
    bnre__csv_clear(&csv);

    assert_ok(bnre__csv_read(put("only\n"), &csv));
    assert_int_equal(csv.rows, 0);
    assert_int_equal(csv.cols, 1);
    bnre__csv_clear(&csv);
    bnre__csv_clear(&csv);
}

static void mistakes_are_told_by_line_and_column(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "data.csv ... empty ... column names"},
        {"\n1,2\n", "data.csv:1: blank"},
        {"1,2\n3,4\n", "data.csv:1: numbers ... column names"},
        {"a,,c\n1,2,3\n", "data.csv:1: column 2 has no name"},
        {",a\n0,1\n", "data.csv:1: column 1 ... no name ... index"},
        {"a,b,\n1,2,3\n", "data.csv:1: column 3 has no name"},
        {"a,b,a\n1,2,3\n", "data.csv:1: two columns are called \"a\""},
        {"\"a,b\n1,2\n", "data.csv:1: ... quote ... closed"},
        {"\"a\"x,b\n1,2\n", "data.csv:1: text after the name \"a\""},
        {"a,rate\n1,2\n3,\n", "data.csv:3: column \"rate\" is empty"},
        {"a,rate\n1,2\n , 4\n", "data.csv:3: column \"a\" is empty"},
        {"a,rate\n1,2\n3\n",
         "data.csv:3: 1 values for 2 columns: column \"rate\" is missing"},
        {"a,rate\n1,2,\n",
         "data.csv:2: more than 2 values, after column \"rate\""},
        {"a,rate\n1,2,3\n", "data.csv:2: more than 2 values"},
        {"a,rate\n1,fast\n",
         "data.csv:2: column \"rate\": \"fast\" is not a number"},
        {"a,rate\n1,2x\n", "column \"rate\": \"2x\" is not a number"},
        {"a,rate\n1,2 3\n", "column \"rate\": \"2 3\" is not a number"},
        {"a,rate\n1,0x10\n", "\"0x10\" is not a number"},
        {"a,rate\n1,1e\n", "\"1e\" is not a number"},
        {"a,rate\n\"1,2\n", "column \"a\": \"\"1\" is not a number"},
        {"a,rate\n\"\",2\n", "column \"a\": \"\"\"\" is not a number"},
        {"a;rate\n1;2,5\n", "\"2,5\" ... not a number ... decimal point"},
        {"a,rate\n1,\x80\x01\n", "\"??\" is not a number"},
        {"a,rate\n1,2\n\n\n3,4\n", "data.csv:3: the line is blank"},
        {"a\n\n3\n", "data.csv:2: the line is blank"},
        {"a,b\n1,abcdefghijklmnopqrstuvwxyz0123456789\n",
         "\"abcdefghijklmnopqrstuvwx\" is not a number"},
    };
    bnre__csv csv;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(bnre__csv_read(put(wrong[i].text), &csv), BNRE_EFORMAT,
                     wrong[i].message);
        assert_null(csv.name);
        assert_null(csv.data);
    }
    assert_fails(bnre__csv_read(put_bytes("a\0b\n1\n", 6), &csv), BNRE_EFORMAT,
                 "not a table");
    assert_fails(bnre__csv_read(put_bytes("\xff\xfe"
                                          "a\0",
                                          4),
                                &csv),
                 BNRE_EFORMAT, "UTF-16");
    assert_fails(bnre__csv_read(scratch_path("none.csv"), &csv), BNRE_EIO,
                 "No such file");
    assert_fails(bnre__csv_read(scratch_path(""), &csv), BNRE_EIO,
                 "a directory");
}

/* Every beginning of a table is an error or a table that begins the same; only
   the last cell can differ, since a number may be cut without trace. */
static void every_truncation_is_an_error_or_a_beginning(void **state)
{
    static const char text[] = "\"a\";b\r\n1;2\r\n-3.25;4e-1\r\n5;6\r\n\n";
    const double want[6] = {1, 2, -3.25, 0.4, 5, 6};

    (void)state;
    for (size_t n = 0; n < sizeof text; n++) {
        bnre__csv csv;
        bnre_status status = bnre__csv_read(put_bytes(text, n), &csv);
        size_t values = csv.rows * csv.cols;

        if (status != BNRE_OK) {
            assert_int_equal(status, BNRE_EFORMAT);
            continue;
        }
        assert_in_range(values, 0, 6);
        for (size_t i = 0; csv.cols == 2 && i + 1 < values; i++)
            assert_true(csv.data[i] == want[i]);
        bnre__csv_clear(&csv);
    }
}

static void written_tables_read_back_equal(void **state)
{
    const char *const name[] = {
        "theta", "x,y",        "a \"b\"", " lead",
        "1",     "semi;colon", "tab\t",   "\xef\xbb\xbfmark"};
    const double row[2][8] = {
        {0.1, -1.0 / 3, 1e300, 0x1p-1074, NAN, -INFINITY, -0.0, 6.02214076e23},
        {(double)0.1f, 1e22, 123456789, 0x1p53, 1, 2, 3, 3.141592653589793},
    };
    const char *path = scratch_path("written.csv");
    bnre__file *file;
    bnre__csv csv;

    (void)state;
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__csv_write_header(file, 8, name));
    for (int i = 0; i < 2; i++)
        assert_ok(bnre__csv_write_row(file, 8, row[i]));
    assert_ok(bnre__file_commit(file));
    assert_ok(bnre__csv_read(path, &csv));
    assert_int_equal(csv.cols, 8);
    assert_int_equal(csv.rows, 2);
    for (int j = 0; j < 8; j++)
        assert_string_equal(csv.name[j], name[j]);
    assert_true(isnan(csv.data[4]));
    csv.data[4] = row[0][4]; /* one NaN is as good as another */
    assert_memory_equal(csv.data, row, sizeof row);
    bnre__csv_clear(&csv);
}

static void names_that_cannot_be_read_are_not_written(void **state)
{
    bnre__file *file;

    (void)state;
    assert_ok(bnre__file_create(scratch_path("bad.csv"), &file));
    assert_fails(bnre__csv_write_header(file, 0, NULL), BNRE_EINVAL, "column");
    assert_fails(bnre__csv_write_header(file, 1, (const char *const[]){""}),
                 BNRE_EINVAL, "cannot be the name");
    assert_fails(bnre__csv_write_header(file, 1, (const char *const[]){"a\nb"}),
                 BNRE_EINVAL, "cannot be the name");
    bnre__file_discard(file);
}

/* Lines across and beyond the reader's blocks of a MiB. */
static void long_tables_and_long_lines_are_read(void **state)
{
    enum { COLS = 100000, ROWS = 200000 };
    const char *path = scratch_path("long.csv");
    FILE *file = fopen(path, "w");
    bnre__csv csv;

    (void)state;
    assert_non_null(file);
    for (int k = 0; k < 3; k++) /* the header, and two rows */
        for (int j = 0; j < COLS; j++)
            fprintf(file, "%s%0*d%c", k == 0 ? "column_" : "", k == 2 ? 20 : 1,
                    j, j + 1 < COLS ? ',' : '\n');
    assert_int_equal(fclose(file), 0);
    assert_ok(bnre__csv_read(path, &csv));
    assert_int_equal(csv.rows, 2);
    assert_int_equal(csv.cols, COLS);
    assert_string_equal(csv.name[COLS - 1], "column_99999");
    for (size_t i = 0; i < 2 * (size_t)COLS; i++)
        assert_true(csv.data[i] == (double)(i % COLS));
    bnre__csv_clear(&csv);

    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a;b\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d;%d.5\n", i, -i);
    assert_int_equal(fclose(file), 0);
    assert_ok(bnre__csv_read(path, &csv));
    assert_int_equal(csv.rows, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(csv.data[2 * i] == (double)i);
        assert_true(csv.data[2 * i + 1] == -(double)i - (i > 0 ? 0.5 : -0.5));
    }
    bnre__csv_clear(&csv);
}

static bnre_status read_table(void *arg)
{
    bnre_status status = BNRE_OK;
    bnre__csv csv;

    BNRE_TRY(bnre__csv_read(arg, &csv));
    bnre__csv_clear(&csv);
done:
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(
        read_table, (void *)put("a,b,\"c\"\n1,2,3\n4,5,6\n7,8,9\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_in_any_style_are_read),
        cmocka_unit_test(names_may_hold_anything_in_quotes),
        cmocka_unit_test(mistakes_are_told_by_line_and_column),
        cmocka_unit_test(every_truncation_is_an_error_or_a_beginning),
        cmocka_unit_test(written_tables_read_back_equal),
        cmocka_unit_test(names_that_cannot_be_read_are_not_written),
        cmocka_unit_test(long_tables_and_long_lines_are_read),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
