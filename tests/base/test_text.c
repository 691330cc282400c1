#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "support.h"

static void distances_are_counted_in_edits(void **state)
{
    (void)state;
    assert_int_equal(bnre__text_distance("count", "count"), 0);
    assert_int_equal(bnre__text_distance("cuont", "count"), 1);
    assert_int_equal(bnre__text_distance("counts", "count"), 1);
    assert_int_equal(bnre__text_distance("batch-size", "batch_size"), 0);
    assert_int_equal(bnre__text_distance("", "abc"), 3);
    assert_int_equal(bnre__text_distance("kitten", "sitting"), 3);
}

static const char *word(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

static void the_nearest_word_is_found_or_none(void **state)
{
    static const char *const words[] = {"count", "seed", "threads", "split",
                                        NULL};

    (void)state;
    assert_string_equal(bnre__text_nearest("cout", word, words), "count");
    assert_string_equal(bnre__text_nearest("thread", word, words), "threads");
    assert_string_equal(bnre__text_nearest("thr", word, words), "threads");
    assert_null(bnre__text_nearest("lambda", word, words));
}

static void reals_are_written_short_and_read_back_equal(void **state)
{
    const double values[] = {0.1,      1.0 / 3,   1e300, -2.5,     1e-320,
                             INFINITY, 123456789, 0,     0x1p-1074};
    char text[32];

    (void)state;
    assert_string_equal(bnre__text_real(0.1, text), "0.1");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(strtod(bnre__text_real(values[i], text), NULL) ==
                    values[i]);
}

static bnre_status build_text(void *arg)
{
    bnre__text text = {0};
    bnre_status status = BNRE_OK;

    (void)arg;
    for (int i = 0; i < 100; i++)
        BNRE_TRY(bnre__text_add(&text, "%d,", i));
    assert_int_equal(text.length, 290);
    assert_int_equal(strlen(text.data), 290);
done:
    bnre__free(text.data);
    return status;
}

static void text_grows_and_survives_lack_of_memory(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(build_text, NULL);
}

static void places_are_put_before_messages(void **state)
{
    bnre_status status;

    (void)state;
    status = bnre_fail(BNRE_EIO, "no such %s", "thing");
    assert_int_equal(bnre__fail_in(status, "file %d", 7), BNRE_EIO);
    assert_string_equal(bnre_error_message(), "file 7: no such thing");
    assert_string_equal(bnre_status_text(BNRE_ENUM), "not a finite number");
}

static bnre_status put_together(void *arg)
{
    bnre__text text = {0};
    char *out;
    bnre_status status;

    (void)arg;
    for (int i = 0; i < 1000; i++)
        bnre__text_put(&text, "%d, ", i);
    bnre__text_show(&text, "%s", "x\ny");
    status = bnre__text_take(&text, &out);
    assert_null(text.data);
    assert_int_equal(text.status, BNRE_OK);
    if (status == BNRE_OK)
        assert_string_equal(out + strlen(out) - 9, "999, x\\ny");
    else
        assert_null(out);
    bnre__free(out);
    return status;
}

/* The first failure stays: a later part must not follow a missing one. */
static void text_fails_once_at_its_end(void **state)
{
    bnre__text text = {0};
    char *out;

    (void)state;
    assert_survives_lack_of_memory(put_together, NULL);
    bnre__text_put(&text, "a");
    text.status = BNRE_ENOMEM;
    bnre__text_put(&text, "b");
    bnre__text_show(&text, "c");
    assert_string_equal(text.data, "a");
    assert_fails(bnre__text_check(&text), BNRE_ENOMEM, "no memory");
    assert_fails(bnre__text_take(&text, &out), BNRE_ENOMEM, "no memory");
    assert_null(out);
    assert_ok(bnre__text_take(&text, &out)); /* of nothing */
    assert_string_equal(out, "");
    bnre__free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_fails_once_at_its_end),
        cmocka_unit_test(distances_are_counted_in_edits),
        cmocka_unit_test(the_nearest_word_is_found_or_none),
        cmocka_unit_test(reals_are_written_short_and_read_back_equal),
        cmocka_unit_test(text_grows_and_survives_lack_of_memory),
        cmocka_unit_test(places_are_put_before_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
