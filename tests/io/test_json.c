/* JSON: what is written reads back, and what is wrong is said. */
#include "io/json.h"

#include <math.h>
#include <stdio.h>

#include "support.h"

static bnre__json *sample(void)
{
    bnre__json *root, *list, *inner;

    assert_ok(bnre__json_create(&root));
    assert_ok(bnre__json_real(root, "level", 0.95));
    assert_ok(bnre__json_real(root, "missing", NAN));
    assert_ok(bnre__json_size(root, "pairs", 10000));
    assert_ok(bnre__json_flag(root, "certified", 1));
    assert_ok(bnre__json_text(root, "verdict", "CONSERVATIVE"));
    assert_ok(bnre__json_reals(root, "coverage", 3, (double[]){0.1, 0.2, 1}));
    assert_ok(bnre__json_list(root, "cells", &list));
    assert_ok(bnre__json_object(list, NULL, &inner));
    assert_ok(bnre__json_text(inner, "method", "bnre"));
    return root;
}

static void what_is_written_reads_back(void **state)
{
    const char *path = scratch_path("result.json");
    bnre__json *root = sample(), *back;
    const bnre__json *list;

    (void)state;
    assert_ok(bnre__json_write(root, path));
    bnre__json_destroy(root);
    assert_ok(bnre__json_read(path, &back));
    assert_true(bnre__json_as_real(bnre__json_find(back, "level")) == 0.95);
    assert_true(isnan(bnre__json_as_real(bnre__json_find(back, "missing"))));
    assert_true(bnre__json_as_real(bnre__json_find(back, "pairs")) == 10000);
    assert_true(bnre__json_as_flag(bnre__json_find(back, "certified")));
    assert_string_equal(bnre__json_as_text(bnre__json_find(back, "verdict")),
                        "CONSERVATIVE");
    list = bnre__json_find(back, "coverage");
    assert_int_equal(bnre__json_count(list), 3);
    assert_true(bnre__json_as_real(bnre__json_at(list, 1)) == 0.2);
    list = bnre__json_at(bnre__json_find(back, "cells"), 0);
    assert_string_equal(bnre__json_as_text(bnre__json_find(list, "method")),
                        "bnre");
    bnre__json_destroy(back);
}

static void what_is_not_there_is_nothing(void **state)
{
    bnre__json *root = sample();
    const bnre__json *none = bnre__json_find(root, "no such key");

    (void)state;
    assert_null(none);
    assert_null(bnre__json_find(bnre__json_at(none, 3), "deeper"));
    assert_int_equal(bnre__json_count(none), 0);
    assert_true(isnan(bnre__json_as_real(none)));
    assert_null(bnre__json_as_text(none));
    assert_false(bnre__json_as_flag(none));
    assert_null(bnre__json_as_text(bnre__json_find(root, "level")));
    bnre__json_destroy(root);
}

static void wrong_text_is_refused(void **state)
{
    const char *path = scratch_path("wrong.json");
    FILE *file = fopen(path, "w");
    bnre__json *root;

    (void)state;
    assert_non_null(file);
    fputs("{\"a\": 1,\n \"b\": }\n", file);
    fclose(file);
    assert_fails(bnre__json_read(path, &root), BNRE_EFORMAT, "wrong.json:2");
    assert_null(root);
    root = sample();
    assert_fails(bnre__json_text(root, "name", "\xff\xfe"), BNRE_EINVAL,
                 "UTF-8");
    bnre__json_destroy(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_is_not_there_is_nothing),
        cmocka_unit_test(wrong_text_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
