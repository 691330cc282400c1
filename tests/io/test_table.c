/* Tables of text. */
#include "io/table.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

static const char *file_with(const char *text)
{
    const char *path = scratch_path("table.csv");
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void cells_are_found_by_row_and_name(void **state)
{
    bnre__table table;

    (void)state;
    assert_ok(bnre__table_read(
        file_with(
            "cell,\"a,b\",n\r\n\"x=1,y=\"\"2\"\"\",\"two\nlines\",3\r\n,,"),
        &table));
    assert_int_equal(table.cols, 3);
    assert_int_equal(table.rows, 2);
    assert_string_equal(bnre__table_find(&table, 0, "cell"), "x=1,y=\"2\"");
    assert_string_equal(bnre__table_find(&table, 0, "a,b"), "two\nlines");
    assert_string_equal(bnre__table_find(&table, 0, "n"), "3");
    assert_string_equal(bnre__table_find(&table, 1, "n"), "");
    assert_null(bnre__table_find(&table, 1, "none"));
    bnre__table_clear(&table);
}

static void what_is_no_table_is_refused_with_its_line(void **state)
{
    bnre__table table;

    (void)state;
    assert_fails(bnre__table_read(file_with("a,b\n1,2\n3\n"), &table),
                 BNRE_EFORMAT, "line 3 should have 2 cells");
    assert_fails(bnre__table_read(file_with("a,b\n1,2,3\n"), &table),
                 BNRE_EFORMAT, "line 2 should have 2 cells");
    assert_fails(bnre__table_read(file_with("a,b\n1,\"2\n"), &table),
                 BNRE_EFORMAT, "line 2 ... quote ... not");
    assert_fails(bnre__table_read(file_with(""), &table), BNRE_EFORMAT,
                 "has no header");
    assert_fails(bnre__table_read(scratch_path("none.csv"), &table), BNRE_EIO,
                 "none.csv");
    assert_null(table.text);
}

static bnre_status read_one(void *path)
{
    bnre__table table;
    bnre_status status = bnre__table_read(path, &table);

    bnre__table_clear(&table);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s", file_with("a,b\n1,2\n"));
    assert_survives_lack_of_memory(read_one, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_found_by_row_and_name),
        cmocka_unit_test(what_is_no_table_is_refused_with_its_line),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
